//! Are the events that real tools make read as what was done?
//!
//! `openlineage/play.py` plays days with OpenLineage's own client and with dbt and
//! its wrapper; `openlineage/kept` is what they told once. What they tell now must
//! come to the same.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

mod house;

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use freshness::sources::{BadRows, Events, Source, TimeRules, Told};
use house::House;
use jiff::Timestamp;
use snapbox::data::Inline;
use snapbox::{assert_data_eq, str};

/// After the days that are played.
const AFTERWARDS: &str = "2026-03-10T12:00:00Z";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openlineage")
}

fn told(path: PathBuf) -> Told {
    let rules = TimeRules {
        now: AFTERWARDS.parse::<Timestamp>().unwrap().as_second(),
        assume_zone: None,
    };
    let (mut events, mut bad) = (Events::default(), BadRows::default());
    let source = Source::named(path, None);
    events.read(&source, &rules, &|_| {}, &mut bad).unwrap();
    assert!(bad.is_empty(), "{bad:?}");
    events.told().unwrap()
}

/// What is told, to the minute and without the names of runs.
fn shown(told: &Told) -> String {
    let mut text = String::from("\n");
    for arrival in &told.arrivals {
        let at = Timestamp::from_second(arrival.at).unwrap();
        let at = at.strftime("%-d %H:%M");
        write!(text, "{} on {at}", arrival.dataset).unwrap();
        if let Some(cycle) = arrival.cycle {
            write!(text, " of {cycle}").unwrap();
        }
        if let Some(rows) = arrival.rows {
            write!(text, " with {rows} rows").unwrap();
        }
        text.push('\n');
    }
    for (dataset, run) in &told.runs {
        let counts = serde_json::to_string(&run.counts).unwrap();
        writeln!(text, "measured of {dataset}: {counts}").unwrap();
    }
    for house in &told.houses {
        for dataset in house
            .datasets
            .iter()
            .filter(|dataset| dataset.owner.is_some())
        {
            let owner = dataset.owner.as_deref().unwrap();
            writeln!(text, "{}: {} is of {owner}", house.source, dataset.id).unwrap();
        }
        for (upstream, downstream) in &house.edges {
            writeln!(text, "{}: {upstream} -> {downstream}", house.source).unwrap();
        }
    }
    for remark in &told.remarks {
        writeln!(text, "{}: {}", remark.place, remark.what).unwrap();
    }
    without_folders(&text)
}

/// Without the folder in which the database of the shop lay.
fn without_folders(text: &str) -> String {
    let database = "shop.duckdb/";
    let mut parts = text.split("duckdb:///");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once(database).map_or(part, |(_, table)| table)
    })
}

/// The Python that has the packages: the one that is named, or the one that
/// `scripts/test` made.
fn python() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_OPENLINEAGE_PYTHON") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let python = test
        .ancestors()
        .nth(3)
        .unwrap()
        .join("openlineage/bin/python");
    assert!(
        python.exists(),
        "no OpenLineage here: run scripts/test once, or name a Python that has the packages \
         openlineage-dbt and dbt-duckdb in FRESHNESS_OPENLINEAGE_PYTHON"
    );
    python
}

/// Plays days and gives what was told of them.
fn played(what: &[&Path], events: &Path) -> Told {
    let ran = Command::new(python())
        .arg(folder().join("play.py"))
        .args(what)
        .arg(events)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{error}");
    told(events.to_owned())
}

fn client_days() -> Inline {
    str![[r#"

hive://meta/shop.orders on 2 05:20 of 2026-03-01T00:00:00Z with 120 rows
hive://meta/shop.orders on 3 05:25 of 2026-03-02T00:00:00Z with 83 rows
hive://meta/shop.orders on 5 09:00 of 2026-03-03T00:00:00Z with 90 rows
s3://lake/revenue on 2 06:00 with 4 rows
s3://lake/revenue on 3 06:00 with 4 rows
s3://lake/users on 2 07:00 with 5 rows
s3://lake/users on 4 07:00 with 6 rows
measured of s3://lake/revenue: {"source":4,"total":40}
measured of s3://lake/revenue: {"source":4,"total":40,"good":40,"quarantined":0}
openlineage:loads: hive://meta/shop.orders -> s3://lake/revenue
openlineage:loads: postgres://db:5432/shop.public.orders -> hive://meta/shop.orders
openlineage:loads: s3://lake/revenue -> s3://lake/board
openlineage:loads: s3://lake/revenue is of team:finance
openlineage:s3://lake: s3://lake/revenue is of team:finance
s3://lake/users: renamed from s3://lake/members: all of it is told under the new name
s3://lake/revenue: assertions of data quality failed: 1

"#]]
}

fn dbt_days() -> Inline {
    str![[r#"

shop.main.board on 2 06:00
shop.main.board on 4 06:00
shop.main.recent on 2 06:00
shop.main.recent on 3 06:00
shop.main.recent on 4 06:00
shop.main.revenue on 2 06:00
shop.main.revenue on 4 06:00
openlineage:shop: shop.main.orders -> shop.main.revenue
openlineage:shop: shop.main.revenue -> shop.main.board
openlineage:shop: shop.main.revenue is of ann

"#]]
}

#[test]
fn events_that_were_kept_are_read_as_what_was_done() {
    let kept = |name: &str| shown(&told(folder().join("kept").join(name)));
    assert_data_eq!(kept("client.ndjson.gz"), client_days());
    assert_data_eq!(kept("dbt.ndjson.gz"), dbt_days());
}

#[test]
fn what_the_client_tells_now_comes_to_the_same() {
    let house = House::empty();
    let now = played(&[Path::new("client")], &house.path("events.ndjson"));
    assert_data_eq!(shown(&now), client_days());
}

#[test]
fn what_the_wrapper_of_dbt_tells_now_comes_to_the_same() {
    let house = House::empty();
    let shop = house.path("shop");
    copy(&folder().join("shop"), &shop);
    let now = played(&[Path::new("dbt"), &shop], &house.path("events.ndjson"));
    assert_data_eq!(shown(&now), dbt_days());
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

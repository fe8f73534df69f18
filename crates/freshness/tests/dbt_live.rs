//! Does what real dbt writes today read as what was done, and does dbt take what
//! is written for it?

mod house;

use std::fs;
use std::path::{Path, PathBuf};

use freshness::sources::{Told, read_dbt};
use freshness_core::civil::Holidays;
use house::House;
use house::dbt::{Dbt, Shop};
use house::postgres::postgres;
use serde_json::{Value, json};

fn told(path: &Path) -> Told {
    let roots = [path.to_owned()];
    read_dbt(&roots, false, &Holidays::default(), i64::MAX)
        .unwrap()
        .0
}

fn kept(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/dbt/kept")
        .join(version)
}

/// What arrived, to the minute and without the names of runs, which differ.
fn arrivals(told: &Told) -> Vec<String> {
    let arrival = told.arrivals.iter().map(|arrival| {
        let minute = arrival.at.div_euclid(60);
        let (dataset, rows) = (&arrival.dataset, arrival.rows);
        format!("{dataset} {minute} {:?} {rows:?}", arrival.cycle)
    });
    arrival.collect()
}

fn check_days(dbt: Dbt, version: &str) {
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::new(dbt, folder.path());
    shop.play_days_before("2026-10");
    let (live, kept) = (told(&shop.archive()), told(&kept(version)));
    assert_eq!(arrivals(&live), arrivals(&kept));
    let house = |told: &Told| {
        let house = &told.houses[0];
        (
            house.datasets.clone(),
            house.edges.clone(),
            house.dashboards.clone(),
        )
    };
    assert_eq!(house(&live), house(&kept));
    assert_eq!(live.runs.len(), kept.runs.len());
}

#[test]
fn days_played_with_the_current_dbt_are_the_days_that_are_kept() {
    check_days(Dbt::Current, "1.12");
}

#[test]
fn days_played_with_dbt_1_5_are_the_days_that_are_kept() {
    check_days(Dbt::Old, "1.5");
}

#[test]
fn days_played_with_dbt_2_are_the_days_that_are_kept() {
    check_days(Dbt::Fusion, "2.0");
}

const START: [&str; 6] = [
    "create schema raw",
    "create table raw.orders (id integer, customer_id integer, amount integer, loaded_at timestamptz)",
    "create table raw.customers (id integer, country text, loaded_at timestamptz)",
    "create table raw.returns (id integer, loaded_at timestamptz)",
    "insert into raw.customers values (1, 'DE', '2026-09-01T04:30:00Z'), (2, 'US', '2026-09-01T04:30:00Z')",
    "insert into raw.orders values (1, 1, 10, '2026-09-01T05:00:00Z'), (2, 2, 20, '2026-09-01T05:00:00Z'), (3, 2, 5, '2026-09-01T05:00:00Z')",
];

#[test]
fn rows_are_those_that_postgresql_counts_and_minus_one_is_no_count() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::new(Dbt::Current, folder.path());
    let steps = json!([
        {"at": "2026-09-01T05:30:00+00:00", "load": START},
        {"at": "2026-09-01T06:00:00+00:00", "dbt": ["source", "freshness"], "keep": "look"},
        {"at": "2026-09-01T06:10:00+00:00", "dbt": ["run", "--exclude", "orders_by_day", "board"], "keep": "run"},
    ]);
    shop.play(&steps, Some(postgres()));
    let results = fs::read_to_string(shop.archive().join("run/run_results.json")).unwrap();
    assert!(results.contains(r#""rows_affected": -1"#), "{results}");
    let told = told(&shop.archive());
    let rows = told
        .arrivals
        .iter()
        .map(|arrival| (arrival.dataset.as_str(), arrival.rows));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            ("daily_revenue", Some(2)),
            ("fct_orders", Some(3)),
            ("raw.customers", None),
            ("raw.orders", None),
            ("stg_orders", None),
        ]
    );
}

/// `unique id: status` of each result.
fn statuses(path: &Path) -> Vec<String> {
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let results = file["results"].as_array().unwrap().iter();
    let status = |result: &Value| {
        let text = |key: &str| result[key].as_str().unwrap().to_owned();
        format!("{}: {}", text("unique_id"), text("status"))
    };
    results.map(status).collect()
}

#[test]
fn dbt_builds_what_is_fresher_by_our_verdict_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::new(Dbt::Current, folder.path());
    shop.play_days_before("2026-09-04");
    let (house, archive) = (House::empty(), shop.archive());
    let (last, current) = (house.path("last.json"), house.path("current.json"));
    let manifest = archive.join("day-3/06-10-build/manifest.json");
    let export = |out: &Path, now: &str| {
        let line = format!(
            "export dbt-sources --manifest {} --out {} --now {now}",
            manifest.display(),
            out.display()
        );
        house.run(&line).expect(0)
    };
    let evening = "2026-09-03T20:00:00Z";
    house
        .run(&format!("import dbt {} --now {evening}", archive.display()))
        .expect(0);
    house.run(&format!("fit --now {evening}")).expect(0);
    export(&last, evening);

    // The next day orders come, customers do not.
    let next = "dataset_id,arrived_at\nraw.orders,2026-09-04T05:00:00Z\n";
    fs::write(house.path("next.csv"), next).unwrap();
    let evening = "2026-09-04T20:00:00Z";
    house
        .run(&format!("import arrivals next.csv --now {evening}"))
        .expect(0);
    let ran = export(&current, evening);
    assert!(
        ran.stderr.contains("could not tell of 3 sources"),
        "{ran:?}"
    );
    assert_eq!(
        statuses(&current),
        [
            "source.shop.raw.customers: warn",
            "source.shop.raw.gone: runtime error",
            "source.shop.raw.notes: runtime error",
            "source.shop.raw.orders: pass",
            "source.shop.raw.returns: runtime error",
        ]
    );

    let steps = json!([{
        "at": "2026-09-04T20:10:00+00:00",
        "dbt": ["build", "--select", "source_status:fresher+", "--state", "last"],
        "with": {"target/sources.json": current, "last/sources.json": last},
        "keep": "selected",
    }]);
    shop.play(&steps, None);
    let mut built = statuses(&archive.join("selected/run_results.json"));
    built.retain(|line| line.starts_with("model.") || line.starts_with("snapshot."));
    built.sort_unstable();
    assert_eq!(
        built,
        [
            "model.shop.board: success",
            "model.shop.daily_revenue: success",
            "model.shop.fct_orders: success",
            "model.shop.orders_by_day: success",
            "model.shop.stg_orders: success",
        ]
    );

    // Who imports the folder again does not read our own words back.
    let target = house.path("target");
    fs::create_dir(&target).unwrap();
    fs::copy(&current, target.join("sources.json")).unwrap();
    let ran = house.run(&format!("import dbt target --now {evening}"));
    assert!(ran.expect(2).stderr.contains("no manifest.json"));
}

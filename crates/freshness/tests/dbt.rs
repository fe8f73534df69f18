//! Is what dbt wrote read as what was done?
//!
//! `dbt/days.json` says what was done in a shop on five days, `dbt/kept` what two
//! versions of dbt wrote of it (`dbt/play.py`, `dbt/trim.py`).

mod house;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use freshness::sources::{Told, read_dbt};
use freshness_core::civil::Holidays;
use freshness_store::{Access, Store};
use house::House;
use jiff::Timestamp;
use snapbox::{assert_data_eq, str};

/// After the days of the shop.
const AFTERWARDS: &str = "2026-09-06T12:00:00Z";

fn kept(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/dbt/kept")
        .join(version)
}

fn told(version: &str) -> Told {
    read_dbt(&[kept(version)], false, &Holidays::default(), i64::MAX)
        .unwrap()
        .0
}

/// `dataset: 1 05:00, 2 05:00` to the minute, with `=cycle` and `(rows)`.
fn arrivals(told: &Told) -> String {
    let mut text = String::new();
    let mut last = "";
    for arrival in &told.arrivals {
        match arrival.dataset.as_str() == last {
            true => text.push_str(", "),
            false => write!(text, "\n{}: ", arrival.dataset).unwrap(),
        }
        last = arrival.dataset.as_str();
        let at = Timestamp::from_second(arrival.at).unwrap();
        text.push_str(&at.strftime("%-d %H:%M").to_string());
        if let Some(cycle) = arrival.cycle {
            write!(text, " ={cycle}").unwrap();
        }
        if let Some(rows) = arrival.rows {
            write!(text, " ({rows})").unwrap();
        }
    }
    text + "\n"
}

fn edges(told: &Told) -> String {
    let house = &told.houses[0];
    let mut text = String::new();
    for (upstream, downstream) in &house.edges {
        writeln!(text, "{upstream} -> {downstream}").unwrap();
    }
    text
}

fn remarks(told: &Told) -> String {
    let mut text = String::new();
    for remark in &told.remarks {
        // The folder that the project happens to lie in.
        let place = remark.place.split("/kept/").last().unwrap();
        writeln!(text, "{place}: {}", remark.what).unwrap();
    }
    text
}

#[test]
fn what_was_loaded_built_and_backfilled_with_dbt_1_12_is_what_arrived() {
    let told = told("1.12");
    assert_data_eq!(
        arrivals(&told),
        str![[r#"

board: 1 06:10, 2 06:10, 3 06:10, 5 06:10
countries: 1 06:10 (2), 2 06:10 (2), 3 06:10 (2), 4 06:10 (2), 5 06:10 (2)
customers_as_they_were: 1 06:10, 2 06:10, 3 06:10, 4 06:10, 5 06:10
daily_revenue: 1 06:10, 2 06:10, 3 06:10, 5 06:10
fct_orders: 1 06:10, 2 06:10, 3 06:10, 4 06:10, 5 06:10
orders_by_day: 1 06:10 =2026-09-01T00:00:00, 2 06:10 =2026-09-01T00:00:00, 2 06:10 =2026-09-02T00:00:00, 3 06:10 =2026-09-02T00:00:00, 3 06:10 =2026-09-03T00:00:00, 4 06:10 =2026-09-03T00:00:00, 4 06:10 =2026-09-04T00:00:00, 5 06:10 =2026-09-04T00:00:00, 5 06:10 =2026-09-05T00:00:00, 5 08:00 =2026-09-02T00:00:00, 5 08:00 =2026-09-03T00:00:00
raw.customers: 1 04:30, 2 04:30, 3 04:30, 4 04:30, 5 04:30
raw.orders: 1 05:00, 2 05:00, 3 13:00, 4 05:00, 5 05:00
stg_orders: 1 06:10, 2 06:10, 3 06:10, 4 06:10, 5 06:10

"#]]
    );
    assert_data_eq!(
        remarks(&told),
        str![[r#"
1.12/day-5/09-00-empty/run_results.json: args: made with --empty or --sample: a part of the data, so nothing arrived
1.12/day-1/06-00-look/sources.json: source.shop.raw.returns: raw.returns: it has no rows (6 times)

"#]]
    );
}

#[test]
fn what_was_loaded_and_built_with_dbt_1_5_is_what_arrived() {
    let told = told("1.5");
    assert_data_eq!(
        arrivals(&told),
        str![[r#"

board: 1 06:10, 2 06:10, 3 06:10, 5 06:10
countries: 1 06:10 (2), 2 06:10 (2), 3 06:10 (2), 4 06:10 (2), 5 06:10 (2)
customers_as_they_were: 1 06:10, 2 06:10, 3 06:10, 4 06:10, 5 06:10
daily_revenue: 1 06:10, 2 06:10, 3 06:10, 5 06:10
fct_orders: 1 06:10, 2 06:10, 3 06:10, 4 06:10, 5 06:10
raw.customers: 1 04:30, 2 04:30, 3 04:30, 4 04:30, 5 04:30
raw.orders: 1 05:00, 2 05:00, 3 13:00, 4 05:00, 5 05:00
stg_orders: 1 06:10, 2 06:10, 3 06:10, 4 06:10, 5 06:10

"#]]
    );
    assert_data_eq!(
        remarks(&told),
        str![[r#"
1.5/day-1/06-00-look/sources.json: source.shop.raw.returns: raw.returns: it has no rows (6 times)

"#]]
    );
}

#[test]
fn both_versions_tell_of_the_same_house() {
    let (new, old) = (told("1.12"), told("1.5"));
    assert_data_eq!(
        edges(&new),
        str![[r#"
countries -> board
daily_revenue -> board
fct_orders -> daily_revenue
fct_orders -> orders_by_day
raw.customers -> customers_as_they_were
raw.customers -> fct_orders
raw.orders -> stg_orders
stg_orders -> fct_orders

"#]]
    );
    let of_old: Vec<String> = edges(&old).lines().map(str::to_owned).collect();
    let of_new = edges(&new);
    let only_new: Vec<&str> = of_new
        .lines()
        .filter(|edge| !of_old.contains(&(*edge).to_owned()))
        .collect();
    assert_eq!(only_new, ["fct_orders -> orders_by_day"]);
    for told in [&new, &old] {
        assert_eq!(told.houses.len(), 1);
        let house = &told.houses[0];
        assert_eq!(house.source, "dbt:shop");
        let mut datasets = String::new();
        for dataset in &house.datasets {
            if dataset.id.as_str() != "orders_by_day" {
                writeln!(datasets, "{}", serde_json::to_string(dataset).unwrap()).unwrap();
            }
        }
        assert_data_eq!(
            datasets,
            str![[r#"
{"id":"board","critical":false}
{"id":"countries","critical":false}
{"id":"customers_as_they_were","critical":false}
{"id":"daily_revenue","grain":"daily","critical":true,"owner":"ann@example.com","team":"finance"}
{"id":"fct_orders","critical":false,"owner":"Finance <finance@example.com>","team":"finance","tags":["nightly"]}
{"id":"raw.customers","critical":false,"owner":"loading@example.com","tags":["raw"]}
{"id":"raw.gone","critical":false,"owner":"loading@example.com","tags":["raw"]}
{"id":"raw.notes","critical":false,"owner":"loading@example.com","tags":["raw"]}
{"id":"raw.orders","timezone":"Europe/Berlin","calendar":"daily","critical":true,"owner":"loading@example.com","team":"sales","tags":["raw","tier-1"]}
{"id":"raw.returns","critical":false,"owner":"loading@example.com","tags":["raw"]}
{"id":"stg_orders","critical":false}

"#]]
        );
        let dashboards = serde_json::to_string_pretty(&house.dashboards).unwrap();
        assert_data_eq!(
            dashboards,
            str![[r#"
[
  {
    "id": "forecast",
    "title": null,
    "owner": "data@example.com",
    "url": null,
    "parts": [
      {
        "name": "daily_revenue",
        "datasets": [
          "daily_revenue"
        ]
      }
    ]
  },
  {
    "id": "revenue_board",
    "title": "Revenue",
    "owner": "Bob <bob@example.com>",
    "url": "https://bi.example.com/revenue",
    "maturity": "high",
    "parts": [
      {
        "name": "board",
        "datasets": [
          "board"
        ]
      },
      {
        "name": "stg_orders",
        "datasets": [
          "stg_orders"
        ]
      }
    ]
  }
]
"#]]
        );
    }
}

/// All that a store knows, as text.
fn everything(house: &House) -> String {
    let store = Store::open(house.path(".freshness/freshness.db"), Access::ReadOnly).unwrap();
    let mut text = String::new();
    for entry in store.datasets().unwrap() {
        writeln!(text, "{:?}", entry.declared).unwrap();
        let history = store.history(entry.no).unwrap();
        writeln!(text, "{:?}", history.columns()).unwrap();
    }
    let lineage = store.lineage().unwrap();
    writeln!(text, "{lineage:?}").unwrap();
    writeln!(text, "{:?}", store.dashboards().unwrap()).unwrap();
    text
}

#[test]
fn days_imported_in_any_order_and_again_give_the_same_store() {
    let import = |house: &House, what: &Path| {
        let line = format!("import dbt {} --now {AFTERWARDS}", what.display());
        house.run(&line).expect(0)
    };
    let at_once = House::empty();
    let ran = import(&at_once, &kept("1.12"));
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  files  new arrivals  duplicate  new runs  new datasets  gone  news of datasets, edges, dashboards
dbt          16            49          0        18            12     0                                   22

"#]]
    );
    let again = import(&at_once, &kept("1.12"));
    assert_data_eq!(
        again.stdout,
        str![[r#"
imported  files  new arrivals  duplicate  new runs  new datasets  gone  news of datasets, edges, dashboards
dbt          16             0         49         0             0     0                                    0

"#]]
    );

    let mut days: Vec<PathBuf> = fs::read_dir(kept("1.12"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    days.sort();
    let backwards = House::empty();
    for day in days.iter().rev() {
        import(&backwards, day);
    }
    let forwards = House::empty();
    for day in days.iter().chain(&days[1..3]) {
        import(&forwards, day);
    }
    assert_eq!(everything(&backwards), everything(&forwards));
    assert_eq!(everything(&at_once), everything(&forwards));
}

/// The lines of all `sh` blocks of the page.
fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1);
    blocks
        .flat_map(|block| block.split("```").next().unwrap().lines())
        .collect()
}

#[test]
fn every_command_of_the_page_works_as_written() {
    let page = include_str!("../../../docs/dbt.md");
    let house = House::empty();
    let target = house.path("target");
    fs::create_dir_all(&target).unwrap();
    fs::create_dir_all(house.path("last")).unwrap();
    let day = kept("1.12").join("day-5");
    for (folder, name) in [
        ("06-00-look", "sources.json"),
        ("06-10-build", "run_results.json"),
        ("09-00-empty", "manifest.json"),
    ] {
        fs::copy(day.join(folder).join(name), target.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(kept("1.12"), house.path("archive")).unwrap();
    let mut n_run = 0;
    for command in commands(page) {
        let Some(line) = command.strip_prefix("freshness ") else {
            // What dbt is told is tried with a real one, in `dbt_live.rs`.
            assert!(command.starts_with("dbt build --select source_status:"));
            continue;
        };
        let ran = house.run(&format!("{line} --now {AFTERWARDS}"));
        match line {
            // An answer too: one of the tables does not exist.
            "slo check" => assert!(ran.stdout.contains("4 objectives of 4 datasets"), "{ran:?}"),
            _ => drop(ran.expect(0)),
        }
        n_run += 1;
    }
    assert_eq!(n_run, 8);
}

#[test]
fn what_dbt_did_after_now_is_left_out_until_it_is_past() {
    let (clock_behind, right) = (House::empty(), House::empty());
    let line = format!("import dbt {}", kept("1.5").display());
    let early = format!("{line} --now 2026-09-03T00:00:00Z");
    let refused = clock_behind.run(&early).expect(2).stderr;
    assert!(refused.contains("manifest.json: metadata.generated_at: in the future"));
    let ran = clock_behind
        .run(&format!("{early} --on-error skip"))
        .expect(0);
    for note in [
        "left out: metadata.generated_at: in the future",
        "22 arrivals left out that are ahead of now, such as ",
        "12 runs left out that are ahead of now, such as ",
    ] {
        assert!(ran.stderr.contains(note), "{ran:?}");
    }
    for house in [&clock_behind, &right] {
        house.run(&format!("{line} --now {AFTERWARDS}")).expect(0);
    }
    assert_eq!(everything(&clock_behind), everything(&right));
}

/// `new/duplicate` arrivals of the only source, or why there are none.
fn collected(house: &House) -> String {
    let ran = house.run(&format!("collect --format json --now {AFTERWARDS}"));
    let document: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let source = &document["sources"][0];
    match source["error"].as_str() {
        Some(error) => error.to_owned(),
        None => format!(
            "{}/{}",
            source["arrivals_new"], source["arrivals_duplicate"]
        ),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

#[test]
fn a_configured_folder_is_read_when_a_file_in_it_is_new_or_changed_and_else_not() {
    let house = House::empty();
    let source = "sources: {shop: {dbt: {targets: [archive]}}}\n";
    fs::write(house.path("freshness.yaml"), source).unwrap();
    assert!(collected(&house).contains("archive: no such file or folder"));
    copy(&kept("1.5").join("day-1"), &house.path("archive/day-1"));
    assert_eq!(collected(&house), "8/0");
    assert_eq!(collected(&house), "0/0");
    copy(&kept("1.5").join("day-2"), &house.path("archive/day-2"));
    assert_eq!(collected(&house), "8/8");
    // One that is half written stops it, and is read when it is whole.
    let broken = house.path("archive/day-3/manifest.json");
    fs::create_dir_all(broken.parent().unwrap()).unwrap();
    fs::write(&broken, "{\"metadata\": {").unwrap();
    assert!(collected(&house).contains("day-3/manifest.json: not JSON as dbt writes it"));
    fs::remove_file(&broken).unwrap();
    copy(&kept("1.5").join("day-3"), &house.path("archive/day-3"));
    assert_eq!(collected(&house), "8/16");
}

#[test]
fn an_exposure_is_a_dashboard_that_trust_speaks_of() {
    let house = House::empty();
    let line = format!("import dbt {} --now {AFTERWARDS}", kept("1.12").display());
    house.run(&line).expect(0);
    house.run(&format!("fit --now {AFTERWARDS}")).expect(0);
    let ran = house.run(&format!(
        "trust revenue_board --format json --now {AFTERWARDS}"
    ));
    let document: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let board = &document["dashboards"][0];
    assert_eq!(board["owner"], "Bob <bob@example.com>", "{ran:?}");
    assert_eq!(board["url"], "https://bi.example.com/revenue");
    assert_eq!(board["maturity"], "high");
    // The sources behind it count too, through what is never stored.
    assert_eq!(board["n_datasets"], 7);
}

#[test]
fn what_freshness_yaml_calls_otherwise_is_found_again_for_dbt() {
    let house = House::empty();
    let renamed = "rename: [{from: '^raw\\.', to: 'lake.'}]\n";
    fs::write(house.path("freshness.yaml"), renamed).unwrap();
    let line = format!("import dbt {} --now {AFTERWARDS}", kept("1.5").display());
    house.run(&line).expect(0);
    house.run(&format!("fit --now {AFTERWARDS}")).expect(0);
    let manifest = kept("1.5").join("day-5/06-10-build/manifest.json");
    let line = format!(
        "export dbt-sources --manifest {} --now 2026-09-05T06:00:00Z",
        manifest.display()
    );
    let ran = house.run(&line);
    // A folder for it is made, if there is none yet.
    house
        .run(&format!("{line} --out last/kept/sources.json"))
        .expect(0);
    assert!(house.path("last/kept/sources.json").is_file());
    let file: serde_json::Value = serde_json::from_str(&ran.expect(0).stdout).unwrap();
    let results = file["results"].as_array().unwrap().iter();
    let told: Vec<&str> = results
        .filter(|result| result["status"] == "pass")
        .map(|result| result["unique_id"].as_str().unwrap())
        .collect();
    assert_eq!(
        told,
        ["source.shop.raw.customers", "source.shop.raw.orders"]
    );
}

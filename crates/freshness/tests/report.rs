//! Is what a report writes right, file by file?

mod house;

use std::collections::BTreeSet;
use std::fs;

use freshness::outputs::console::PROMISE_FIELDS;
use house::{House, WAREHOUSE_ENDS};
use serde_json::{Value, json};

#[test]
fn the_same_store_and_instant_make_the_same_bytes() {
    let house = House::fitted();
    let ran = house.run("report --out one").expect(0);
    assert_eq!(ran.stdout, "one/console.html\n");
    house.run("report --out two --threads 1").expect(0);
    for name in ["console.html", "console.json"] {
        let read = |folder: &str| fs::read(house.path(folder).join(name)).unwrap();
        assert!(read("one") == read("two"), "{name}");
    }
}

#[test]
fn a_folder_with_files_of_others_is_refused() {
    let house = House::fitted();
    fs::create_dir(house.path("mine")).unwrap();
    // A page of another program is no report either.
    fs::write(
        house.path("mine/console.html"),
        "<!doctype html>years of work",
    )
    .unwrap();
    let ran = house.run("report --out mine").expect(2);
    assert!(
        ran.stderr
            .contains("the folder holds files of others: mine"),
        "{ran:?}"
    );
    let page = house.path("mine/console.html");
    assert!(fs::read_to_string(page).unwrap().ends_with("years of work"));
    // A report is replaced, and what was put beside it stays.
    house.run("report --out report").expect(0);
    fs::write(house.path("report/note.txt"), "mine").unwrap();
    house.run("report --out report").expect(0);
    assert_eq!(
        fs::read_to_string(house.path("report/note.txt")).unwrap(),
        "mine"
    );
}

#[test]
fn every_dashboard_has_badges_and_one_that_is_gone_has_none() {
    let house = House::warehouse();
    let badge = |name: &str| house.path("report/badges").join(name);
    for name in ["board_report.svg", "board_report.html", "board_report.json"] {
        assert!(badge(name).is_file(), "{name}");
    }
    fs::write(badge("mine.txt"), "notes").unwrap();
    fs::copy(badge("board_report.svg"), badge("gone.svg")).unwrap();
    house
        .run(&format!("report --out report --now {WAREHOUSE_ENDS}"))
        .expect(0);
    assert!(badge("mine.txt").exists() && !badge("gone.svg").exists());
    let document = fs::read_to_string(house.path("report/console.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    for board in document["dashboards"].as_array().unwrap() {
        let picture = board["badge"].as_str().unwrap();
        assert!(house.path("report").join(picture).is_file(), "{picture}");
    }
}

/// The document of a house's report.
fn document(house: &House) -> Value {
    house.run("report --out report").expect(0);
    let text = fs::read_to_string(house.path("report/console.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn promises_are_told_to_programs_with_a_letter_a_day() {
    let house = House::fitted();
    let nothing = document(&house);
    assert_eq!(nothing["promises"], json!(null));
    assert!(nothing["datasets"][0].get("promises").is_none());
    let bare = fs::metadata(house.path("report/console.html"))
        .unwrap()
        .len();

    let contract = "dataset: events\nservice_levels: { row_count: { min_rows: 100 } }\n";
    fs::write(house.path("events.yaml"), contract).unwrap();
    let runs = "dataset_id,run_id,finished_at,counts_source\nevents,1,2026-02-26T06:00:00Z,100\n\
                events,2,2026-02-27T06:00:00Z,\nevents,3,2026-02-28T06:00:00Z,9\n";
    fs::write(house.path("runs.csv"), runs).unwrap();
    house.run("import slo events.yaml").expect(0);
    house.run("import runs runs.csv").expect(0);
    let told = document(&house);
    assert_eq!(told["promises"]["summary"]["breached"], 1);
    assert_eq!(told["promises"]["days"], 90);
    let datasets = told["datasets"].as_array().unwrap();
    let of = |name: &str| datasets.iter().find(|it| it["dataset_id"] == name).unwrap();
    assert!(of("raw_orders").get("promises").is_none());
    let rows = &of("events")["promises"][0];
    assert_eq!(rows["outcome"], "breached");
    assert_eq!(rows["promised"], "at least 100 rows");
    assert_eq!(rows["since"], "2026-02-28T06:00:00Z");
    assert_eq!(rows["from"], "2025-12-01");
    let days = rows["days"].as_str().unwrap();
    assert_eq!(days.len(), 90);
    assert!(days.ends_with("--.-x"), "{days}");
    let keys: BTreeSet<&str> = rows
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let fields: BTreeSet<&str> = PROMISE_FIELDS.iter().map(|(field, _)| *field).collect();
    assert_eq!(keys, fields);
    // One promise is a paragraph; what promises nothing pays nothing for it.
    let page = fs::metadata(house.path("report/console.html"))
        .unwrap()
        .len();
    assert!(page < bare + 3_000, "{bare} {page}");
    let again = fs::read(house.path("report/console.html")).unwrap();
    house.run("report --out again --threads 1").expect(0);
    assert!(fs::read(house.path("again/console.html")).unwrap() == again);
}

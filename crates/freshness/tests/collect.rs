//! Does `collect` read what is new, and lose and double nothing?

mod house;

use std::fmt::Write as _;
use std::fs;
use std::thread;
use std::time::Duration;

use house::{House, Ran, sqlite};
use serde_json::Value;

/// Three sources: files, a query that reads only what is new, and one that
/// fails until its file is there.
const SOURCES: &str = "\
connections:
  app: {sqlite: {path: app.db}}
sources:
  drops:
    arrivals: {files: ['drops/*.csv']}
  loads:
    query:
      connection: app
      sql: >-
        select name as dataset_id, at as arrived_at from loads
        where at > {since_epoch} or at is null
      overlap: 1h
  missing:
    arrivals: {files: ['elsewhere/*.csv']}
";

fn house() -> House {
    let house = House::empty();
    fs::write(house.path("freshness.yaml"), SOURCES).unwrap();
    fs::create_dir(house.path("drops")).unwrap();
    fs::write(
        house.path("drops/1.csv"),
        "dataset_id,arrived_at\norders,2026-02-27T06:00:00Z\n",
    )
    .unwrap();
    sqlite::run(
        &house.path("app.db"),
        "CREATE TABLE loads (name, at);
         INSERT INTO loads VALUES ('users', 1772000000), ('users', 1772100000), ('old', 1600000000);",
    );
    house
}

fn collected(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// `source: new/duplicate` or `source: why`, of each.
fn told(ran: &Ran) -> Vec<String> {
    let line = |source: &Value| match source["error"].as_str() {
        Some(error) => format!("{}: {error}", source["source"].as_str().unwrap()),
        None => format!(
            "{}: {}/{}",
            source["source"].as_str().unwrap(),
            source["arrivals_new"],
            source["arrivals_duplicate"]
        ),
    };
    let said = collected(ran);
    said["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect()
}

#[test]
fn each_source_goes_on_where_it_stopped_and_one_that_fails_stops_no_other() {
    let house = house();
    let missing = "missing: elsewhere: No such file or directory (os error 2)";
    let first = house.run("collect --format json").expect(2);
    assert_eq!(told(&first), ["drops: 1/0", "loads: 2/0", missing]);
    assert_eq!(collected(&first)["answer"], "could_not_tell");

    // Nothing is read twice but the overlap.
    let again = house.run("collect --format json").expect(2);
    assert_eq!(told(&again), ["drops: 0/0", "loads: 0/1", missing]);

    let csv = "dataset_id,arrived_at\norders,2026-02-28T06:00:00Z\norders,2026-02-27T06:00:00Z\n";
    fs::write(house.path("drops/2.csv"), csv).unwrap();
    sqlite::run(
        &house.path("app.db"),
        "INSERT INTO loads VALUES ('users', 1772200000), ('users', 1772099000);",
    );
    fs::create_dir(house.path("elsewhere")).unwrap();
    fs::write(house.path("elsewhere/a.csv"), csv.replace("orders", "web")).unwrap();
    let third = house.run("collect --format json").expect(0);
    assert_eq!(
        told(&third),
        ["drops: 1/1", "loads: 2/1", "missing: 2/0"],
        "{third:?}"
    );
    let only = house.run("collect loads --format json").expect(0);
    assert_eq!(told(&only), ["loads: 0/1"]);
}

#[test]
fn a_row_that_means_nothing_fails_its_source_whole_and_is_read_once_it_is_mended() {
    let house = house();
    fs::create_dir(house.path("elsewhere")).unwrap();
    fs::write(
        house.path("drops/0.csv"),
        "dataset_id,arrived_at\norders,2026-02-26T06:00:00Z\norders,yesterday\n",
    )
    .unwrap();
    sqlite::run(
        &house.path("app.db"),
        "INSERT INTO loads VALUES ('users', NULL);",
    );
    let ran = house.run("collect --format json").expect(2);
    assert_eq!(
        told(&ran),
        [
            "drops: 1 bad row (1 unreadable time): drops/0.csv line 3, arrived_at: unreadable time: \"yesterday\"",
            "loads: 1 bad row (1 no value): loads row 3, arrived_at: no value",
            "missing: 0/0"
        ]
    );
    let table = house.run("collect").expect(2);
    assert!(table.stderr.contains("drops: 1 bad row"), "{table:?}");
    assert!(table.stdout.contains("failed"), "{table:?}");
    fs::write(
        house.path("drops/0.csv"),
        "dataset_id,arrived_at\norders,2026-02-26T06:00:00Z\n",
    )
    .unwrap();
    let ran = house.run("collect drops --format json").expect(0);
    assert_eq!(told(&ran), ["drops: 2/0"]);
}

#[test]
fn doctor_says_how_each_source_went() {
    let house = house();
    house.run("import arrivals drops/1.csv").expect(0);
    let health = |line: &str| {
        let ran = house.run(&format!("doctor --format json {line}"));
        let said = collected(&ran);
        let of = |source: &Value| {
            format!(
                "{}: {} {} {}",
                source["source"].as_str().unwrap(),
                source["health"].as_str().unwrap(),
                source["succeeded_at"],
                source["arrivals_new"]
            )
        };
        (said["sources"].as_array().unwrap().iter())
            .map(of)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        health(""),
        [
            "drops: problem null null",
            "loads: problem null null",
            "missing: problem null null"
        ]
    );
    house.run("collect").expect(2);
    assert_eq!(
        health(""),
        [
            "drops: ok \"2026-02-28T12:00:00Z\" 0",
            "loads: ok \"2026-02-28T12:00:00Z\" 2",
            "missing: problem null null"
        ]
    );
    // A day later nobody has collected since.
    assert_eq!(
        health("--now 2026-03-02T12:00:00Z")[0],
        "drops: problem \"2026-02-28T12:00:00Z\" 0"
    );
    let words = house.run("doctor").stdout;
    assert!(
        words.contains("missing: failed") && words.contains("elsewhere: No such file"),
        "{words}"
    );
}

#[test]
fn what_is_not_configured_is_said() {
    let house = House::empty();
    let ran = house.run("collect").expect(2);
    assert!(ran.stderr.contains("no sources are configured"), "{ran:?}");
    let house = self::house();
    let ran = house.run("collect drop").expect(2);
    assert!(ran.stderr.contains("no such source: drop"), "{ran:?}");
    assert!(ran.stderr.contains("did you mean `drops`?"), "{ran:?}");
    assert!(!house.path(".freshness").exists());
    fs::write(
        house.path("freshness.yaml"),
        "sources:\n  a: {query: {connection: nowhere, sql: select 1}}\n",
    )
    .unwrap();
    let ran = house.run("collect").expect(2);
    assert!(
        ran.stderr.contains("no such connection: nowhere"),
        "{ran:?}"
    );
}

#[test]
fn a_source_that_reads_nothing_does_not_count_as_healthy() {
    let house = House::empty();
    let sources = "\
sources:
  events_literal: {openlineage: {files: [events.ndjson]}}
  events_none: {openlineage: {files: ['*.ndjson']}}
  files_literal: {files: {glob: in/day.csv, dataset: a}}
  files_none: {files: {glob: 'in/*.csv', dataset: b}}
  files_undated: {files: {glob: 'in/*.txt', date: '%Y%m%d', dataset: c}}
  loads_literal: {arrivals: {files: [loads.csv]}}
  loads_none: {arrivals: {files: ['*.csv']}}
";
    fs::write(house.path("freshness.yaml"), sources).unwrap();
    fs::create_dir(house.path("in")).unwrap();
    fs::write(house.path("in/x.txt"), "1").unwrap();
    let ran = house.run("collect --format json").expect(2);
    let none = "No such file or directory (os error 2)";
    assert_eq!(
        told(&ran),
        [
            format!("events_literal: events.ndjson: {none}"),
            "events_none: 0/0".to_owned(),
            "files_literal: no such file: in/day.csv".to_owned(),
            "files_none: 0/0".to_owned(),
            "files_undated: no file is dated as in/*.txt says: 1 file left out, since no day can \
             be read in the path: x.txt"
                .to_owned(),
            format!("loads_literal: loads.csv: {none}"),
            "loads_none: 0/0".to_owned(),
        ]
    );
    let notes = house.run("collect").stderr;
    let doctor = house.run("doctor --format ndjson").stdout;
    for (name, pattern) in [
        ("events_none", "*.ndjson"),
        ("files_none", "in/*.csv"),
        ("loads_none", "*.csv"),
    ] {
        let note = format!("note: {name}: {pattern}: no file matches");
        assert!(notes.contains(&note), "{notes}");
        let warning = format!("{name}: no file matches: {pattern}");
        let found = doctor.lines().find(|line| line.contains(&warning));
        assert!(
            found.is_some_and(|line| line.contains("warning")),
            "{doctor}"
        );
    }
}

/// How many arrivals the store holds, in the words of the doctor.
fn n_arrivals(house: &House, store: &str) -> String {
    let ran = house.run(&format!("doctor --store {store}"));
    let sound = ran.stdout.lines().find(|line| line.contains("is sound"));
    let words = sound.unwrap_or_else(|| panic!("{ran:?}"));
    let (_, counts) = words.split_once(": ").unwrap();
    counts
        .split(" bytes")
        .next()
        .unwrap()
        .rsplit_once(", ")
        .unwrap()
        .0
        .to_owned()
}

#[test]
fn a_kill_at_any_moment_loses_and_doubles_nothing() {
    let house = House::empty();
    let mut sources = String::from("sources:\n");
    fs::create_dir(house.path("drops")).unwrap();
    for source in 0..6 {
        writeln!(
            sources,
            "  s{source}: {{arrivals: {{files: ['drops/{source}-*.csv']}}}}"
        )
        .unwrap();
        for file in 0..4 {
            let mut csv = String::from("dataset_id,arrived_at,run_id\n");
            for row in 0..2_000 {
                let at = 1_760_000_000 + row * 600 + file * 7;
                writeln!(csv, "d{source},{at},r{row}").unwrap();
            }
            fs::write(house.path(&format!("drops/{source}-{file}.csv")), csv).unwrap();
        }
    }
    fs::write(house.path("freshness.yaml"), sources).unwrap();
    let began = std::time::Instant::now();
    house.run("collect --store whole.db").expect(0);
    let whole = began.elapsed();
    for part in 1..=12 {
        let mut child = house.start("collect --store killed.db --threads 3");
        thread::sleep(whole * part / 14 + Duration::from_millis(1));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    house.run("collect --store killed.db").expect(0);
    assert_eq!(
        n_arrivals(&house, "killed.db"),
        n_arrivals(&house, "whole.db")
    );
    let explained = |store: &str| {
        (0..6)
            .map(|i| {
                house
                    .run(&format!("explain d{i} --format json --store {store}"))
                    .stdout
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(explained("killed.db"), explained("whole.db"));
}

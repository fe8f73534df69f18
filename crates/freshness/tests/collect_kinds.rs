//! Does each kind of source go on where it stopped?

mod house;

use std::fs;
use std::path::Path;

use house::House;
use serde_json::Value;

/// `source: new/duplicate` or `source: why`, of each.
fn collected(house: &House) -> Vec<String> {
    collected_at(house, "2027-06-01T00:00:00Z")
}

fn collected_at(house: &House, now: &str) -> Vec<String> {
    let ran = house.run(&format!("collect --format json --now {now}"));
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let line = |source: &Value| {
        let name = source["source"].as_str().unwrap();
        match source["error"].as_str() {
            Some(error) => format!("{name}: {error}"),
            None => format!(
                "{name}: {}/{}",
                source["arrivals_new"], source["arrivals_duplicate"]
            ),
        }
    };
    said["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

fn event(kind: &str, run: u8, at: &str) -> String {
    format!(
        "{{\"eventType\":\"{kind}\",\"eventTime\":\"{at}\",\"producer\":\"https://example.org\",\
         \"schemaURL\":\"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent\",\
         \"run\":{{\"runId\":\"01902c6a-0000-7000-8000-0000000000{run:02}\"}},\
         \"job\":{{\"namespace\":\"etl\",\"name\":\"load\"}},\"inputs\":[],\
         \"outputs\":[{{\"namespace\":\"db\",\"name\":\"orders\"}}]}}\n"
    )
}

#[test]
fn every_kind_goes_on_where_it_stopped() {
    let house = House::empty();
    fs::write(
        house.path("freshness.yaml"),
        "rename:
- {from: '^db/(.*)$', to: 'raw_$1'}
sources:
  events: {openlineage: {files: ['events/*.ndjson']}}
  landing: {files: {glob: 'landing/{date:%Y-%m-%d}/*.csv', dataset: raw_files, unchanged_for: 0s}}
  orders: {delta: {tables: [lake/orders]}}
",
    )
    .unwrap();
    let lake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lake");
    let first = find(&lake.join("first"), "_delta_log").unwrap();
    copy(&first, &house.path("lake/orders/_delta_log"));
    fs::create_dir_all(house.path("landing/2026-02-27")).unwrap();
    fs::write(house.path("landing/2026-02-27/a.csv"), "x\n1\n").unwrap();
    let now = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_772_200_000);
    let file = fs::File::options()
        .write(true)
        .open(house.path("landing/2026-02-27/a.csv"));
    file.unwrap().set_modified(now).unwrap();
    fs::create_dir(house.path("events")).unwrap();
    // The run ends in a later file.
    fs::write(
        house.path("events/1.ndjson"),
        event("START", 1, "2026-02-27T06:00:00Z"),
    )
    .unwrap();

    let lines = collected(&house);
    assert_eq!(lines[0], "events: 0/0");
    assert_eq!(lines[1], "landing: 1/0");
    let n: u64 = lines[2]
        .trim_start_matches("orders: ")
        .split('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(n > 3, "{lines:?}");
    assert_eq!(
        collected(&house),
        ["events: 0/0", "landing: 0/1", "orders: 0/0"]
    );

    fs::write(
        house.path("events/2.ndjson"),
        event("COMPLETE", 1, "2026-02-27T06:10:00Z"),
    )
    .unwrap();
    let then = find(&lake.join("then"), "_delta_log").unwrap();
    copy(&then, &house.path("lake/orders/_delta_log"));
    let lines = collected(&house);
    assert_eq!(lines[0], "events: 1/0");
    assert!(
        lines[2].ends_with("/0"),
        "only what is new is read: {lines:?}"
    );
    let explained = house.run("explain raw_orders --format json --now 2027-06-01T00:00:00Z");
    assert!(
        explained.stdout.contains("\"n_arrivals\": 1"),
        "{explained:?}"
    );
}

/// A commit of a Delta table that writes a row.
fn commit(house: &House, version: u64, at: &str) {
    let log = house.path("lake/orders/_delta_log");
    fs::create_dir_all(&log).unwrap();
    let at: jiff::Timestamp = at.parse().unwrap();
    let actions = format!(
        "{{\"commitInfo\":{{\"timestamp\":{},\"operation\":\"WRITE\"}}}}\n\
         {{\"add\":{{\"path\":\"p\",\"partitionValues\":{{}},\"size\":1,\"modificationTime\":0,\"dataChange\":true}}}}\n",
        at.as_millisecond()
    );
    fs::write(log.join(format!("{version:020}.json")), actions).unwrap();
}

#[test]
fn what_is_ahead_of_now_is_said_and_read_again_once_it_is_past() {
    let house = House::empty();
    fs::write(
        house.path("freshness.yaml"),
        "sources: {lake: {delta: {tables: [lake/orders]}}}\n",
    )
    .unwrap();
    commit(&house, 0, "2026-02-27T06:00:00Z");
    commit(&house, 1, "2026-02-28T06:00:00Z");
    let early = "2026-02-27T12:00:00Z";
    let words =
        "lake: 1 arrival left out that is ahead of now: orders at 2026-02-28T06:00:00Z".to_owned();
    assert_eq!(collected_at(&house, early), std::slice::from_ref(&words));
    let ran = house.run(&format!("collect --now {early}")).expect(2);
    assert!(ran.stderr.contains(&words), "{ran:?}");
    let doctor = house.run(&format!("doctor --now {early}"));
    assert!(doctor.stdout.contains("ahead of now"), "{doctor:?}");
    // What was past is stored, and what is past now is too.
    assert_eq!(collected_at(&house, "2026-02-28T12:00:00Z"), ["lake: 1/1"]);
    assert_eq!(collected_at(&house, "2026-02-28T12:00:00Z"), ["lake: 0/0"]);
    let doctor = house.run("doctor --now 2026-02-28T12:00:00Z");
    assert!(!doctor.stdout.contains("ahead of now"), "{doctor:?}");
}

/// The first folder of this name below another.
fn find(folder: &Path, name: &str) -> Option<std::path::PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if path.file_name().is_some_and(|found| found == name) {
                return Some(path);
            }
            if let Some(found) = find(&path, name) {
                return Some(found);
            }
        }
    }
    None
}

//! What does `freshness evaluate` say, and what does it refuse?

mod house;

use std::fs;
use std::path::Path;

use freshness_core::civil::Zone;
use freshness_core::dataset::DatasetId;
use freshness_lab::truth::{CycleTruth, DatasetTruth, Incident, IncidentKind, Truth};
use house::House;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

/// 2025-06-02, a Monday, in days since 1970.
const FIRST: i64 = 20_241;
const DAYS: i64 = 260;

/// Two daily feeds at 06:00 and up to nine minutes, with a late and a missed
/// load of the first in the last 45 days, and a third that came three times.
fn warehouse(folder: &Path, every_cycle: bool) {
    let mut truth = Truth::default();
    let mut arrivals = "dataset_id,arrived_at\n".to_owned();
    for id in ["orders", "items", "young"] {
        let first = if id == "young" { DAYS - 3 } else { 0 };
        let dataset = DatasetId::try_from(id).unwrap();
        let cycle = |day: i64| {
            let start = (FIRST + day) * 86_400;
            let due_at = start + 6 * 3_600 + day * 7_919 % 540;
            let (arrived_at, kind) = match (id, day) {
                ("orders", 230) => (Some(due_at + 5 * 3_600), Some(IncidentKind::Late)),
                ("orders", 240) => (None, Some(IncidentKind::Missed)),
                _ => (Some(due_at), None),
            };
            CycleTruth {
                start,
                usual_at: start + 6 * 3_600 + 270,
                due_at: Some(due_at),
                arrived_at,
                incident: kind.map(|kind| Incident {
                    root: dataset.clone(),
                    kind,
                }),
            }
        };
        let mut cycles: Vec<CycleTruth> = (first..DAYS).map(cycle).collect();
        for at in cycles.iter().filter_map(|cycle| cycle.arrived_at) {
            arrivals.push_str(&format!("{id},{at}\n"));
        }
        cycles.retain(|cycle| every_cycle || cycle.incident.is_some());
        let schedule = ("daily".parse().unwrap(), Zone::universal());
        let known = DatasetTruth {
            class: "daily".to_owned(),
            schedule: every_cycle.then_some(schedule),
            moves: Vec::new(),
            cycles,
            outages: Vec::new(),
        };
        truth.datasets.insert(dataset.clone(), known);
    }
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("arrivals.csv"), arrivals).unwrap();
    truth.write(&folder.join("truth")).unwrap();
}

fn evaluated(house: &House, line: &str) -> Value {
    let ran = house.run(&format!("{line} --format json")).expect(0);
    assert!(!ran.stdout.contains("NaN") && !ran.stdout.contains("inf"));
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Detected, incidents, false alarms of a method.
#[track_caller]
fn check_counts(document: &Value, method: &str, expected: [u64; 3]) {
    let methods = document["methods"].as_array().unwrap();
    let found = methods.iter().find(|one| one["method"] == method).unwrap();
    let counts = ["n_detected", "n_incidents", "n_false_alarms"]
        .map(|field| found["scores"][field].as_u64().unwrap());
    assert_eq!(counts, expected, "{method}");
}

#[test]
fn a_folder_is_scored_by_its_truth() {
    let house = House::empty();
    warehouse(&house.path("w"), true);
    let document = evaluated(&house, "evaluate --on w");
    check_counts(&document, "learned", [2, 2, 0]);
    check_counts(&document, "oracle", [2, 2, 0]);
    assert_eq!(document["every_cycle_known"], true);
    let datasets = document["datasets"].as_array().unwrap();
    let young = datasets
        .iter()
        .find(|one| one["dataset_id"] == "young")
        .unwrap();
    assert_eq!(young["model_status"], "insufficient_history");
}

#[test]
fn of_a_real_history_only_what_was_done_is_known() {
    let house = House::empty();
    warehouse(&house.path("w"), false);
    let document = evaluated(&house, "evaluate --on w --refit 30d");
    check_counts(&document, "learned", [2, 2, 0]);
    // Its quantile lies below the latest of 120 ordinary loads.
    check_counts(&document, "plain_learned_rule", [2, 2, 4]);
    assert_eq!(document["every_cycle_known"], false);
    let methods = document["methods"].as_array().unwrap();
    assert!(methods.iter().all(|one| one["method"] != "oracle"));
}

#[test]
fn what_never_arrived_was_due_all_the_same() {
    let house = House::empty();
    warehouse(&house.path("w"), true);
    let text = fs::read_to_string(house.path("w/arrivals.csv")).unwrap();
    let without = text.lines().filter(|line| !line.starts_with("young"));
    let without: String = without.map(|line| format!("{line}\n")).collect();
    fs::write(house.path("w/arrivals.csv"), without).unwrap();
    let document = evaluated(&house, "evaluate --on w");
    assert_eq!(document["n_datasets"], 3);
    let datasets = document["datasets"].as_array().unwrap();
    assert_eq!(datasets[2]["dataset_id"], "young");
    assert_eq!(datasets[2]["model_status"], "insufficient_history");
}

#[test]
fn the_table_and_the_file_say_the_same() {
    let house = House::empty();
    warehouse(&house.path("w"), true);
    let ran = house
        .run("evaluate --on w --verbose --out e.json")
        .expect(0);
    let learned = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("learned by"));
    let words: Vec<&str> = learned.unwrap().split_whitespace().collect();
    assert_eq!(words[3..6], ["1.000", "100.0", "%"], "{}", ran.stdout);
    let document: Value =
        serde_json::from_str(&fs::read_to_string(house.path("e.json")).unwrap()).unwrap();
    check_counts(&document, "learned", [2, 2, 0]);
    assert_eq!(document["version"], 1);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let house = House::empty();
    warehouse(&house.path("w"), true);
    let said = |threads: u32| {
        let line = format!("evaluate --on w --format json --threads {threads}");
        house.run(&line).expect(0).stdout
    };
    assert_eq!(said(1), said(3));
}

#[test]
fn what_cannot_be_evaluated_is_refused_with_the_remedy() {
    let house = House::empty();
    warehouse(&house.path("w"), true);
    fs::create_dir(house.path("bare")).unwrap();
    let check = |line: &str, stderr: snapbox::data::Inline| {
        assert_data_eq!(house.run(line).expect(2).stderr, stderr);
    };
    check(
        "evaluate --on bare",
        str![[r#"
error: there is no truth in the folder: bare

hint: name a folder that `freshness seed` or `freshness mishap` wrote

"#]],
    );
    check(
        "evaluate --on w --holdout-days 0",
        str![[r#"
error: the holdout is empty: 0 days

hint: --holdout-days must be at least 1

"#]],
    );
    check(
        "evaluate --on w --holdout-days 400",
        str![[r#"
error: the holdout begins before history: 2025-01-11, the first arrival is of 2025-06-02

hint: choose fewer --holdout-days, so that there is a past to learn from

"#]],
    );
    check(
        "evaluate --on w --holdout-days 4000000000",
        str![[r#"
error: the holdout begins before history: before all time, the first arrival is of 2025-06-02

hint: choose fewer --holdout-days, so that there is a past to learn from

"#]],
    );
    fs::write(house.path("w/arrivals.csv"), "dataset_id,arrived_at\n").unwrap();
    check(
        "evaluate --on w",
        str![[r#"
error: nothing has arrived: 3 datasets without an arrival

hint: is arrivals.csv in the folder the right file?

"#]],
    );
    fs::write(house.path("w/truth/cycles.csv"), "dataset_id,start\n").unwrap();
    let ran = house.run("evaluate --on w").expect(2);
    assert!(ran.stderr.contains("unknown columns"), "{}", ran.stderr);
}

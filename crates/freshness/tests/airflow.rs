//! Is a real Airflow read, and does it run this program?
//!
//! `airflow/dags` are loads with assets, played on two days, of which the second
//! fails in part; `integrations/airflow/dags` are the DAGs that users copy.

mod house;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use freshness::sources::{BadRows, Events, Source, TimeRules};
use house::airflow::{Airflow, PASSWORD};
use house::{House, NOW};
use jiff::Timestamp;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Airflow signs its tokens by the clock of the machine, so days are played on that.
#[allow(clippy::disallowed_methods, reason = "see above")]
fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap()
}

#[test]
fn what_was_loaded_is_collected_once_with_its_cycle_and_rows() {
    let dags = root().join("crates/freshness/tests/airflow/dags");
    let airflow = Airflow::with(&dags, &[]);
    for (day, succeeds) in [("02", true), ("03", false)] {
        let (all_well, said) = airflow.dag("loads", &format!("2026-03-{day}T05:00:00+00:00"));
        assert_eq!(all_well, succeeds, "{said}");
    }
    check_events(&airflow);

    let server = airflow.serve();
    let house = House::empty();
    fs::write(house.path("password"), PASSWORD).unwrap();
    fs::write(house.path("wrong"), "guess").unwrap();
    let url = &server.url;
    let yaml = format!(
        "sources:
  nightly: {{airflow: {{url: \"{url}\", user: ann, password_file: password, tasks: true}}}}
  locked: {{airflow: {{url: \"{url}\", user: ann, password_file: wrong}}}}
"
    );
    fs::write(house.path("freshness.yaml"), yaml).unwrap();
    let later = now() + jiff::SignedDuration::from_mins(1);

    // Orders and revenue on both days and users on the first, the DAG on the first,
    // and the five tasks that succeeded.
    let first = house
        .run(&format!("collect nightly --format json --now {later}"))
        .expect(0);
    let collected: serde_json::Value = serde_json::from_str(&first.stdout).unwrap();
    let source = &collected["sources"][0];
    assert_eq!(source["arrivals_new"], 5 + 1 + 5, "{collected}");

    // Read again from where it ended, less what may have been written late.
    let again = house
        .run(&format!("collect nightly --format json --now {later}"))
        .expect(0);
    let collected: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(collected["sources"][0]["arrivals_new"], 0, "{collected}");
    assert_eq!(collected["sources"][0]["told_new"], 0, "{collected}");

    let refused = house
        .run(&format!("collect locked --now {later}"))
        .expect(2);
    let said = refused.stdout + &refused.stderr;
    assert!(said.contains("answers /auth/token with 401"), "{said}");
    assert!(!said.contains("guess"), "{said}");
    check_told(url);
}

/// What is told, value by value.
fn check_told(url: &str) {
    use freshness::sources::{AirflowLogin, AirflowSource, Asked, collect_airflow};
    let source = AirflowSource {
        url: url.to_owned(),
        login: AirflowLogin::Password {
            user: "ann".to_owned(),
            password: PASSWORD.to_owned(),
        },
        dags: false,
        tasks: false,
        since: std::time::Duration::from_secs(86_400),
        timeout: std::time::Duration::from_secs(60),
    };
    let asked = Asked {
        name: "nightly",
        cursor: None,
        now: now().as_second(),
    };
    let told = collect_airflow(&source, &asked).unwrap().told;
    let shown: Vec<String> = (told.arrivals.iter())
        .map(|arrival| {
            let cycle = arrival.cycle.map(|cycle| cycle.to_string());
            let rows = arrival.rows.map(|rows| rows.to_string());
            format!(
                "{} of {} rows {}",
                arrival.dataset,
                cycle.unwrap_or_default(),
                rows.unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "file:///lake/orders of 2026-03-02T05:00:00Z rows 42",
            "file:///lake/orders of 2026-03-03T05:00:00Z rows 42",
            "file:///lake/revenue of 2026-03-02T05:00:00Z rows ",
            "file:///lake/revenue of 2026-03-03T05:00:00Z rows ",
            "file:///lake/users of 2026-03-02T05:00:00Z rows ",
        ]
    );
    let edges: Vec<String> = (told.houses.iter().flat_map(|house| &house.edges))
        .map(|(upstream, downstream)| format!("{upstream} -> {downstream}"))
        .collect();
    assert_eq!(
        edges,
        [
            "file:///lake/orders -> file:///lake/revenue",
            "file:///lake/revenue -> board"
        ]
    );
}

/// What its provider for OpenLineage told of the same days.
fn check_events(airflow: &Airflow) {
    let rules = TimeRules {
        now: now().as_second(),
        assume_zone: None,
    };
    let (mut events, mut bad) = (Events::default(), BadRows::default());
    let source = Source::named(airflow.events(), None);
    events.read(&source, &rules, &|_| {}, &mut bad).unwrap();
    assert!(bad.is_empty(), "{bad:?}");
    let told = events.told().unwrap();
    let shown: Vec<String> = (told.arrivals.iter())
        .map(|arrival| format!("{} of {}", arrival.dataset, arrival.cycle.unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            "file/lake/orders of 2026-03-02T05:00:00Z",
            "file/lake/orders of 2026-03-03T05:00:00Z",
            "file/lake/revenue of 2026-03-02T05:00:00Z",
            "file/lake/revenue of 2026-03-03T05:00:00Z",
            "file/lake/users of 2026-03-02T05:00:00Z",
        ]
    );
    let edges: Vec<String> = (told.houses.iter().flat_map(|house| &house.edges))
        .map(|(upstream, downstream)| format!("{upstream} -> {downstream}"))
        .collect();
    assert_eq!(edges, ["file/lake/orders -> file/lake/revenue"]);
}

#[test]
fn the_dags_for_users_learn_check_and_hold_up_a_report_that_cannot_be_believed() {
    let house = House::imported();
    let drops = "sources:\n  drops: {arrivals: {files: [\"arrivals.csv\"]}}\n";
    fs::write(house.path("freshness.yaml"), drops).unwrap();
    let dashboards = "dashboard_id,dataset_id\nrevenue,raw_orders\nevents,events\n";
    fs::write(house.path("dashboards.csv"), dashboards).unwrap();
    house.run("import dashboards dashboards.csv").expect(0);
    let command = format!("{} --now {NOW}", env!("CARGO_BIN_EXE_freshness"));
    let folder = house.path("");
    let airflow = Airflow::with(
        &root().join("integrations/airflow/dags"),
        &[
            ("AIRFLOW_VAR_FRESHNESS_COMMAND", &command),
            ("AIRFLOW_VAR_FRESHNESS_FOLDER", folder.to_str().unwrap()),
            ("AIRFLOW_FRESHNESS_DASHBOARDS", "revenue=80 events=0"),
        ],
    );
    let listed = airflow.run("dags list --output plain --columns dag_id,timetable_summary");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for schedule in ["30 6 * * *", "15 * * * *"] {
        assert!(listed.contains(schedule), "{listed}");
    }
    let (all_well, said) = airflow.dag("freshness_fit", "2026-03-01T06:30:00+00:00");
    assert!(all_well, "{said}");

    // raw_orders, which is critical, stopped three days ago.
    let (all_well, said) = airflow.dag("freshness_check", "2026-03-01T07:15:00+00:00");
    assert!(!all_well, "{said}");
    let finished = said.split("DagRun Finished: ").nth(1).unwrap();
    let run = finished.split(" run_id=").nth(1).unwrap();
    let run = run.split(',').next().unwrap();
    let states = airflow.run(&format!(
        "tasks states-for-dag-run freshness_check {run} --output json"
    ));
    // What it logs comes before.
    let states = String::from_utf8(states.stdout).unwrap();
    let begin = states
        .find("[{")
        .unwrap_or_else(|| panic!("{run}: {states}"));
    let states = &states[begin..];
    let states: serde_json::Value = serde_json::from_str(states).unwrap();
    let of = |task: &str| {
        let mut states = states.as_array().unwrap().iter();
        let state = states.find(|state| state["task_id"] == task).unwrap();
        state["state"].as_str().unwrap().to_owned()
    };
    for (task, state) in [
        ("collect", "success"),
        ("check", "failed"),
        ("gate_revenue", "success"),
        ("send_revenue", "skipped"),
        ("send_events", "success"),
    ] {
        assert_eq!(of(task), state, "{task}\n{said}");
    }
}

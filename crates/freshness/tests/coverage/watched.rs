//! Who notices a ledger that nobody looks at, and what is hurt where coverage is missing?

use super::*;

#[test]
fn a_run_that_was_left_open_for_a_day_is_a_problem_of_the_monitor() {
    let covered = Covered::new();
    let begin = "coverage begin --source orders --scope FR --run-id load-17";
    covered
        .0
        .run(&format!("--now 2026-03-01T06:00:00Z {begin}"))
        .expect(0);
    let check = covered.run("check").expect(1);
    let why = "warning: 1 run open for longer than 1 d 0 h, such as orders / FR, run load-17 (";
    assert!(check.stderr.contains(why), "{check:?}");
    let doctor = covered.0.run("--now 2026-03-02T06:30:00Z doctor").expect(1);
    assert!(
        doctor.stdout.contains("1 run open for longer"),
        "{doctor:?}"
    );
    fs::write(
        covered.0.path("freshness.yaml"),
        "coverage:\n  max_open_age: 2d\n",
    )
    .unwrap();
    let doctor = covered.0.run("--now 2026-03-02T06:30:00Z doctor");
    assert!(!doctor.stdout.contains("open for longer"), "{doctor:?}");
}

#[test]
fn a_check_whose_clock_is_behind_cannot_tell() {
    let covered = Covered::new();
    covered.publish("DE", "r1", SIX, NOW).expect(0);
    covered.run("check").expect(1);
    let behind = covered.0.run("--now 2026-03-02T06:00:00Z coverage check");
    let behind = behind.expect(2);
    assert!(
        behind.stderr.contains("behind the last check"),
        "{behind:?}"
    );
    covered
        .0
        .run("--now 2026-03-02T06:00:00Z coverage status")
        .expect(0);
}

#[test]
fn doctor_fails_when_coverage_was_not_checked_for_longer_than_stated() {
    let covered = Covered::new();
    let finding = |ran: &Ran| {
        let line = ran.stdout.lines().find(|line| line.contains("coverage  "));
        line.unwrap_or_default().to_owned()
    };
    let never = covered.0.run("--now 2026-03-02T06:30:00Z doctor");
    assert!(
        finding(&never).contains("problem  coverage  never checked"),
        "{never:?}"
    );
    covered.publish("DE", "r1", SIX, NOW).expect(0);
    covered.run("check").expect(1);
    let soon = covered.0.run("--now 2026-03-02T07:30:00Z doctor");
    assert!(
        finding(&soon).contains("1 of 2 contracts not covered"),
        "{soon:?}"
    );
    fs::write(
        covered.0.path("freshness.yaml"),
        "coverage:\n  max_check_age: 30min\n",
    )
    .unwrap();
    let old = covered.0.run("--now 2026-03-02T07:30:00Z doctor").expect(1);
    assert!(finding(&old).contains("the last check is old"), "{old:?}");
    assert!(old.stdout.contains("is sound"), "{old:?}");
}

/// Two months of daily releases of a scope, at 06:04 and a few minutes.
fn daily(scope: &str) -> String {
    // 2026-01-01T06:04:00Z.
    const FIRST: i64 = 1_767_247_440;
    let release = |day: i64| {
        let at = FIRST + day * 86_400 + (day * 7 % 11) * 60;
        format!(
            "{{\"source\":\"orders\",\"scope\":\"{scope}\",\"run_id\":\"d{day}\",\
             \"complete_through\":{},\"published_at\":{at}}}\n",
            at - 240
        )
    };
    (0..60).map(release).collect()
}

#[test]
fn a_scope_is_unusually_late_before_its_contract_breaks() {
    let covered = Covered::new();
    let contracts = CONTRACTS.replace("120", "4320").replace("60\n", "4320\n");
    fs::write(covered.0.path("contracts.yaml"), contracts).unwrap();
    covered.run("contracts import contracts.yaml").expect(0);
    fs::write(
        covered.0.path("daily.ndjson"),
        daily("DE") + &daily("FR").replace("\"d59\"", "\"d58\""),
    )
    .unwrap();
    // The last release of FR is that of the day before, and says otherwise.
    covered.run("publish --file daily.ndjson").expect(1);
    covered.0.run("--now 2026-03-01T09:00:00Z fit").expect(0);
    let check = covered
        .0
        .run("--now 2026-03-01T12:00:00Z check --format json");
    let document: serde_json::Value = serde_json::from_str(&check.stdout).unwrap();
    let late: Vec<&str> = document["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dataset| dataset["dataset_id"].as_str().unwrap())
        .collect();
    assert_eq!(late, ["coverage:orders/FR"], "{check:?}");
    let held = covered.0.run("--now 2026-03-01T12:00:00Z coverage check");
    held.expect(0);
    let explained = covered
        .0
        .run("--now 2026-03-01T12:00:00Z explain coverage:orders/FR")
        .expect(0);
    assert!(
        explained.stdout.contains("coverage:orders/FR"),
        "{explained:?}"
    );
}

#[test]
fn a_scope_that_stopped_joins_the_incident_of_what_it_feeds_and_costs_the_dashboard() {
    let covered = Covered::without_france();
    // The table itself is fresh: the German orders came.
    let arrivals: String = (0..60)
        .map(|day| format!("raw_orders,{}\n", 1_767_247_440 + day * 86_400))
        .collect();
    fs::write(
        covered.0.path("arrivals.csv"),
        format!("dataset_id,arrived_at\n{arrivals}raw_orders,2026-03-02T06:04:00Z\n"),
    )
    .unwrap();
    fs::write(
        covered.0.path("dashboards.csv"),
        "dashboard_id,dataset_id,part\nboard,raw_orders,revenue\n",
    )
    .unwrap();
    for command in [
        "import arrivals arrivals.csv",
        "import dashboards dashboards.csv",
        "fit",
    ] {
        covered
            .0
            .run(&format!("--now 2026-03-02T06:30:00Z {command}"))
            .expect(0);
    }
    let incidents = covered
        .0
        .run("--now 2026-03-02T06:30:00Z incidents --format json")
        .expect(0);
    let found: serde_json::Value = serde_json::from_str(&incidents.stdout).unwrap();
    assert_eq!(found["n_incidents"], 1, "{found}");
    let incident = &found["incidents"][0];
    assert_eq!(incident["root"], "raw_orders");
    assert_eq!(incident["breaches"][0], "coverage:orders/FR");
    // 06:00 of the day before, and the two hours that the contract allows.
    assert_eq!(incident["since"], "2026-03-01T08:00:00Z");
    let said = covered
        .0
        .run("--now 2026-03-02T06:30:00Z incidents")
        .expect(0);
    assert!(
        said.stdout
            .contains("raw_orders breaks coverage (orders / FR)"),
        "{said:?}"
    );

    let trust = covered
        .0
        .run("--now 2026-03-02T06:30:00Z trust --format json")
        .expect(0);
    let found: serde_json::Value = serde_json::from_str(&trust.stdout).unwrap();
    let board = &found["dashboards"][0];
    // One of the two scopes.
    assert_eq!(board["score"], 50, "{board}");
    assert_eq!(
        board["caveat"],
        "raw_orders has broken its promise of coverage (orders / FR) since 2026-03-01 08:00 UTC; \
         revenue may be out of date."
    );
    // Once it is covered again, nothing is left of it.
    covered.publish("FR", "r2", SIX, NOW).expect(0);
    let incidents = covered
        .0
        .run("--now 2026-03-02T06:30:00Z incidents --format json")
        .expect(0);
    let found: serde_json::Value = serde_json::from_str(&incidents.stdout).unwrap();
    assert_eq!(found["n_incidents"], 0, "{found}");
}

//! Does coverage hold from a reviewed file to an exit code?
//!
//! The five situations, each told by the real binary: a missing scope, a valid
//! empty interval, stale data published again, an impossible time, a failed
//! publication.

mod house;

use std::fs;
use std::io::Write as _;

use house::{House, Ran};

const CONTRACTS: &str = "\
contracts:
  - source: orders
    scope: DE
    max_source_lag_minutes: 120
    max_publication_gap_minutes: 60
    dataset: raw_orders
    owner: ana
  - source: orders
    scope: FR
    max_source_lag_minutes: 120
    max_publication_gap_minutes: 60
    dataset: raw_orders
";

/// A warehouse with two contracts, at 06:30 on 2 March 2026.
struct Covered(House);

impl Covered {
    fn new() -> Covered {
        let house = House::empty();
        fs::write(house.path("contracts.yaml"), CONTRACTS).unwrap();
        house
            .run("coverage contracts import contracts.yaml")
            .expect(0);
        Covered(house)
    }

    fn run(&self, arguments: &str) -> Ran {
        self.0
            .run(&format!("--now 2026-03-02T06:30:00Z coverage {arguments}"))
    }

    fn publish(&self, scope: &str, run: &str, through: &str, rest: &str) -> Ran {
        self.run(&format!(
            "publish --source orders --scope {scope} --run-id {run} --complete-through {through} {rest}"
        ))
    }

    #[track_caller]
    fn check(&self, code: i32, conditions: &[(&str, &str)]) -> serde_json::Value {
        let ran = self.run("check --format json");
        assert_eq!(ran.code, Some(code), "{ran:?}");
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let found: Vec<(&str, &str)> = document["scopes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|scope| {
                let text = |key: &str| scope[key].as_str().unwrap();
                (text("scope"), text("condition"))
            })
            .collect();
        assert_eq!(found, conditions);
        document
    }
}

const SIX: &str = "2026-03-02T06:00:00Z";
const NOW: &str = "--published-at 2026-03-02T06:04:00Z";

#[test]
fn a_scope_that_never_came_shows_beside_one_that_did() {
    let covered = Covered::new();
    covered.publish("DE", "r1", SIX, NOW).expect(0);
    let found = covered.check(1, &[("DE", "healthy"), ("FR", "missing_publication")]);
    assert_eq!(
        found["sources"][0]["words"],
        "orders: 1 of 2 scopes complete through 06:00 UTC; FR never published"
    );
    assert_eq!(found["datasets"][0]["name"], "raw_orders");
    let table = covered.run("check");
    let table = table.expect(1);
    assert!(table.stdout.contains("missing_publication"), "{table:?}");
    assert!(!table.stdout.contains("healthy  "), "{table:?}");
}

#[test]
fn a_valid_empty_interval_is_a_successful_check() {
    let covered = Covered::new();
    for scope in ["DE", "FR"] {
        covered
            .publish(
                scope,
                "r1",
                "2026-03-02T03:00:00Z",
                "--published-at 2026-03-02T03:01:00Z",
            )
            .expect(0);
    }
    covered.check(1, &[("DE", "source_stale"), ("FR", "source_stale")]);
    for scope in ["DE", "FR"] {
        covered
            .publish(scope, "r2", SIX, &format!("{NOW} --rows 0"))
            .expect(0);
    }
    let found = covered.check(0, &[("DE", "healthy"), ("FR", "healthy")]);
    assert_eq!(found["scopes"][0]["rows"], 0);
    assert_eq!(
        found["sources"][0]["words"],
        "orders: all 2 scopes complete through 06:00 UTC"
    );
}

#[test]
fn stale_data_published_now_stays_stale() {
    let covered = Covered::new();
    covered.publish("DE", "r1", SIX, NOW).expect(0);
    covered
        .publish(
            "FR",
            "r1",
            "2026-03-01T06:00:00Z",
            "--published-at 2026-03-01T06:04:00Z",
        )
        .expect(0);
    covered
        .publish("FR", "r2", "2026-03-01T06:00:00Z", NOW)
        .expect(0);
    let stale = [("DE", "healthy"), ("FR", "source_stale")];
    let found = covered.check(1, &stale);
    assert_eq!(
        found["sources"][0]["words"],
        "orders: 1 of 2 scopes complete through 06:00 UTC; FR stopped at yesterday 06:00"
    );
    // Older data is refused, unless it is said what it is.
    let back = covered.publish("FR", "r3", "2026-02-27T06:00:00Z", NOW);
    let back = back.expect(1);
    assert!(back.stdout.contains("coverage would go back"), "{back:?}");
    let correction = format!("{NOW} --correction");
    covered
        .publish("FR", "r3", "2026-02-27T06:00:00Z", &correction)
        .expect(0);
    covered.check(1, &stale);
}

#[test]
fn an_impossible_time_is_refused_and_never_fresh() {
    let covered = Covered::new();
    covered.publish("DE", "r1", SIX, NOW).expect(0);
    for (through, rest, why) in [
        ("2026-03-02T06:20:00Z", NOW, "is after published_at"),
        (
            SIX,
            "--published-at 2026-03-02T06:30:01Z",
            "is in the future",
        ),
        ("1970-01-01T00:00:00Z", NOW, "before 1990"),
        ("0", NOW, "looks like a missing time"),
        ("2026-03-02", NOW, "a day, not a time"),
        ("soon", NOW, "unreadable time"),
        (SIX, "", "published_at is missing"),
    ] {
        let refused = covered.publish("FR", "r1", through, rest);
        let refused = refused.expect(1);
        assert!(refused.stdout.contains(why), "{refused:?}");
    }
    let healthy_and_missing = [("DE", "healthy"), ("FR", "missing_publication")];
    covered.check(1, &healthy_and_missing);
    let log = covered.run("log --refused --format ndjson");
    assert_eq!(log.stdout.lines().count(), 7, "{log:?}");
    // A clock that was fast when it published is found out by the check.
    let ahead = "--now 2026-03-02T09:00:00Z coverage publish --source orders --scope FR --run-id r9 \
                 --complete-through 2026-03-02T08:00:00Z --published-at 2026-03-02T08:30:00Z";
    covered.0.run(ahead).expect(0);
    covered.check(1, &[("DE", "healthy"), ("FR", "invalid_clock_order")]);
}

#[test]
fn a_failed_publication_is_never_a_silent_success() {
    let covered = Covered::new();
    covered.publish("DE", "r1", SIX, NOW).expect(0);
    let run = "--source orders --scope FR --run-id load-17";
    covered
        .run(&format!("begin {run} --complete-through {SIX} --rows 12"))
        .expect(0);
    let unhealthy = [("DE", "healthy"), ("FR", "missing_publication")];
    let found = covered.check(1, &unhealthy);
    assert_eq!(found["n_open_runs"], 1);
    let open = covered.run("reconcile");
    let open = open.expect(1);
    assert!(open.stdout.contains("load-17"), "{open:?}");
    covered.run("reconcile --open-for 2h").expect(0);

    // It turns out that the data is not there.
    let settled = covered.run("reconcile --run-id load-17 --not-published out-of-disk");
    settled.expect(0);
    covered.run("reconcile").expect(0);
    covered.check(1, &unhealthy);
    let late = covered.run(&format!("commit {run} {NOW}"));
    let late = late.expect(1);
    assert!(late.stdout.contains("was aborted: out-of-disk"), "{late:?}");

    // It is tried again, and what begin said need not be said again.
    covered
        .run(&format!("begin {run} --complete-through {SIX} --rows 12"))
        .expect(0);
    covered.run(&format!("commit {run} {NOW}")).expect(0);
    covered.run(&format!("commit {run} {NOW}")).expect(0);
    covered.run(&format!("abort {run} --why late")).expect(1);
    covered.check(0, &[("DE", "healthy"), ("FR", "healthy")]);
    let log = covered.run("log --scope FR --format ndjson");
    let outcomes: Vec<String> = log
        .stdout
        .lines()
        .rev()
        .map(|line| {
            let attempt: serde_json::Value = serde_json::from_str(line).unwrap();
            attempt["outcome"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            "begun", "aborted", "refused", "begun", "accepted", "repeated", "refused"
        ]
    );
}

#[test]
fn a_partial_load_does_not_cover_what_is_missing() {
    let covered = Covered::new();
    fs::write(covered.0.path("expected.txt"), "a.csv\nb.csv\n").unwrap();
    fs::write(covered.0.path("delivered.txt"), "b.csv\n").unwrap();
    let listed = format!("{NOW} --manifest expected.txt --delivered delivered.txt");
    let partial = covered.publish("FR", "r1", SIX, &listed);
    let partial = partial.expect(1);
    assert!(
        partial
            .stdout
            .contains("1 of 2 expected files are missing: a.csv"),
        "{partial:?}"
    );
    let sums = format!("{NOW} --total amount=12.50/12.40");
    let differs = covered.publish("FR", "r1", SIX, &sums);
    let differs = differs.expect(1);
    assert!(
        differs.stdout.contains("the total of amount differs"),
        "{differs:?}"
    );
    fs::write(covered.0.path("delivered.txt"), "b.csv\na.csv\n").unwrap();
    covered
        .publish(
            "FR",
            "r1",
            SIX,
            &format!("{listed} --total amount=12.50/12.5"),
        )
        .expect(0);
    covered
        .publish("FR", "r2", SIX, &format!("{NOW} --manifest none.txt"))
        .expect(2);
}

#[test]
fn a_retry_is_no_success_unless_it_says_the_same_and_its_claim_holds() {
    let covered = Covered::new();
    fs::write(covered.0.path("expected.txt"), "a.csv\nb.csv\nb.csv\n").unwrap();
    fs::write(covered.0.path("delivered.txt"), "b.csv\n").unwrap();
    covered
        .publish("FR", "r1", SIX, &format!("{NOW} --rows 812"))
        .expect(0);
    // What is left out differs from nothing.
    for again in ["--expect-seq 1", "--rows 812", ""] {
        covered
            .publish("FR", "r1", SIX, &format!("{NOW} {again}"))
            .expect(0);
    }
    for (otherwise, why) in [
        (
            "--manifest expected.txt --delivered delivered.txt",
            "1 of 2 expected files are missing: a.csv",
        ),
        ("--total amount=1/2", "the total of amount differs"),
        ("--rows 813", "said otherwise: rows (812 before, 813 now)"),
        (
            "--expect-seq 2",
            "said otherwise: expect_seq (1 before, 2 now)",
        ),
        ("--position x", "position (nothing before, x now)"),
        ("--correction", "said otherwise: correction"),
    ] {
        let refused = covered.publish("FR", "r1", SIX, &format!("{NOW} {otherwise}"));
        let refused = refused.expect(1);
        assert!(refused.stdout.contains(why), "{refused:?}");
    }
    let begin = |rest: &str| {
        let run = "--source orders --scope DE --run-id r2";
        covered.run(&format!("begin {run} {rest}"))
    };
    begin(&format!("--complete-through {SIX} --rows 5")).expect(0);
    begin("--rows 5").expect(0);
    let other = begin("--rows 6").expect(1);
    let why = "run r2 was begun already, and said otherwise: rows (5 before, 6 now)";
    assert!(other.stdout.contains(why), "{other:?}");
    covered
        .run(&format!("reconcile --run-id r2 --published {NOW}"))
        .expect(0);
    begin("--rows 5").expect(0);
    let other = begin("--rows 6").expect(1);
    let why = "has published already, as 1, and said otherwise: rows";
    assert!(other.stdout.contains(why), "{other:?}");
}

#[test]
fn flags_and_lines_are_refused_by_the_same_rules() {
    let covered = Covered::new();
    covered.publish("FR", "r1", SIX, NOW).expect(0);
    let line = |rest: &str| {
        let names = r#""source":"orders","scope":"FR","run_id":"r2","complete_through":"2026-03-02T06:02:00Z","published_at":"2026-03-02T06:04:00Z""#;
        fs::write(covered.0.path("one.ndjson"), format!("{{{names},{rest}}}")).unwrap();
        covered.run("publish --file one.ndjson").expect(1)
    };
    let refused = line(r#""correction":true,"allow_regression":"vendor""#);
    let why = "correction and allow_regression exclude each other";
    assert!(refused.stdout.contains(why), "{refused:?}");
    let refused = line(r#""manifest":{"expected":[],"delivered":["a"]}"#);
    assert!(
        refused.stdout.contains("the manifest expects nothing"),
        "{refused:?}"
    );
    fs::write(covered.0.path("empty.txt"), "\n").unwrap();
    let flags = format!("{NOW} --manifest empty.txt");
    let refused = covered.publish("FR", "r2", SIX, &flags).expect(1);
    assert!(
        refused.stdout.contains("the manifest expects nothing"),
        "{refused:?}"
    );
    // A correction is of what is covered.
    let refused = line(r#""correction":true"#);
    let why =
        "a correction is of what is covered: 2026-03-02T06:02:00Z is after 2026-03-02T06:00:00Z";
    assert!(refused.stdout.contains(why), "{refused:?}");
    assert!(refused.stderr.contains("publish without it"), "{refused:?}");
}

#[test]
fn what_was_accepted_can_be_read_back() {
    let covered = Covered::new();
    covered
        .publish(
            "FR",
            "r1",
            SIX,
            &format!("{NOW} --rows 1200 --position 0/16 --total amount=2/2"),
        )
        .expect(0);
    let back = format!("{NOW} --allow-regression vendor-resent");
    covered
        .publish("FR", "r2", "2026-03-02T05:00:00Z", &back)
        .expect(0);
    let correction = format!("{NOW} --correction");
    covered
        .publish("FR", "r3", "2026-03-02T04:00:00Z", &correction)
        .expect(0);
    let log = covered.run("log").expect(0);
    let lines: Vec<&str> = log.stdout.lines().skip(1).collect();
    assert!(lines[0].ends_with("correction"), "{log:?}");
    assert!(
        lines[1].ends_with("took coverage back: vendor-resent"),
        "{log:?}"
    );
    let table = covered.run("releases --scope FR").expect(0);
    assert!(table.stdout.contains("amount 2"), "{table:?}");
    let told = covered
        .run("releases --source orders --scope FR --last 2 --format ndjson")
        .expect(0);
    let told: Vec<serde_json::Value> = (told.stdout.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0]["publication_seq"], 3);
    assert_eq!(told[0]["correction"], true);
    assert_eq!(told[1]["regression"], "vendor-resent");
    let all = covered.run("releases --format json").expect(0);
    let all: serde_json::Value = serde_json::from_str(&all.stdout).unwrap();
    assert_eq!(all["releases"][2]["claim"]["totals"][0]["name"], "amount");
    assert_eq!(all["releases"][2]["rows"], 1200);
}

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
fn releases_do_not_hide_that_nothing_else_arrives() {
    let covered = Covered::new();
    let line = "dataset_id,arrived_at\nraw_orders,2026-02-12T06:00:00Z\n";
    fs::write(covered.0.path("arrivals.csv"), line).unwrap();
    covered.0.run("import arrivals arrivals.csv").expect(0);
    covered.publish("FR", "r1", SIX, NOW).expect(0);
    let doctor = covered.0.run("--now 2026-03-02T06:30:00Z doctor");
    assert!(
        doctor.stdout.contains("nothing has arrived for 18 d"),
        "{doctor:?}"
    );
}

#[test]
fn a_status_of_the_past_judges_what_had_been_published_by_then() {
    let covered = Covered::new();
    covered
        .publish(
            "FR",
            "r1",
            "2026-03-02T05:00:00Z",
            "--published-at 2026-03-02T05:04:00Z",
        )
        .expect(0);
    covered.publish("FR", "r2", SIX, NOW).expect(0);
    let status = |now: &str| {
        let ran = covered
            .0
            .run(&format!("--now {now} coverage status --format json"))
            .expect(0);
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let scope = &told["scopes"][1];
        (scope["condition"].clone(), scope["publication_seq"].clone())
    };
    assert_eq!(status("2026-03-02T05:30:00Z"), ("healthy".into(), 1.into()));
    assert_eq!(status("2026-03-02T06:30:00Z"), ("healthy".into(), 2.into()));
    let before = status("2026-03-02T05:00:00Z");
    let never = ("missing_publication".into(), serde_json::Value::Null);
    assert_eq!(before, never);
}

#[test]
fn names_of_releases_and_an_absent_store_are_told_what_to_do() {
    let covered = Covered::new();
    let line = "dataset_id,arrived_at\ncoverage:orders/FR,2026-02-12T06:00:00Z\n";
    fs::write(covered.0.path("arrivals.csv"), line).unwrap();
    let refused = covered.0.run("import arrivals arrivals.csv").expect(2);
    let why = "names that begin with coverage: are those of releases";
    assert!(refused.stderr.contains(why), "{refused:?}");
    for command in ["check", "status", "log", "releases"] {
        let absent = covered
            .0
            .run(&format!("--store other.db coverage {command}"));
        let absent = absent.expect(2);
        assert!(
            absent
                .stderr
                .contains("`freshness coverage contracts import FILE`"),
            "{absent:?}"
        );
    }
}

#[test]
fn a_manifest_says_once_what_came() {
    let covered = Covered::new();
    let whole = r#"{"expected":["a.csv","b.csv"],"delivered":["a.csv","b.csv"]}"#;
    fs::write(covered.0.path("whole.json"), whole).unwrap();
    fs::write(
        covered.0.path("list.json"),
        "\u{feff}[\"a.csv\",\"b.csv\",\"b.csv\"]",
    )
    .unwrap();
    fs::write(covered.0.path("some.txt"), "\u{feff}a.csv\n").unwrap();
    let publish =
        |manifest: &str| covered.publish("FR", "r1", SIX, &format!("{NOW} --manifest {manifest}"));
    let twice = publish("whole.json --delivered some.txt").expect(2);
    let why = "the manifest says itself what came: whole.json";
    assert!(twice.stderr.contains(why), "{twice:?}");
    let partial = publish("list.json --delivered some.txt").expect(1);
    let why = "1 of 2 expected files are missing: b.csv";
    assert!(partial.stdout.contains(why), "{partial:?}");
    publish("list.json --delivered list.json").expect(0);
}

#[test]
fn a_file_of_releases_is_read_as_imports_are_and_an_empty_one_is_told() {
    let covered = Covered::new();
    let line = r#"{"source":"orders","scope":"DE","run_id":"r1","complete_through":"2026-03-02T06:00:00Z","published_at":"2026-03-02T06:04:00Z"}"#;
    let zipped = fs::File::create(covered.0.path("releases.ndjson.gz")).unwrap();
    let mut zipped = flate2::write::GzEncoder::new(zipped, flate2::Compression::default());
    zipped
        .write_all(format!("\u{feff}{line}\n").as_bytes())
        .unwrap();
    zipped.finish().unwrap();
    let told = covered
        .run("publish --file releases.ndjson.gz --format ndjson")
        .expect(0);
    assert!(told.stdout.contains(r#""outcome":"accepted""#), "{told:?}");
    fs::write(covered.0.path("empty.ndjson"), "\n").unwrap();
    let empty = covered.run("publish --file empty.ndjson").expect(0);
    let why = "warning: empty.ndjson has no releases";
    assert!(empty.stderr.contains(why), "{empty:?}");
}

#[test]
fn a_run_of_several_scopes_is_settled_by_name_or_all_at_once() {
    let covered = Covered::new();
    for scope in ["DE", "FR"] {
        let run = format!("--source orders --scope {scope} --run-id load-17");
        covered
            .run(&format!("begin {run} --complete-through {SIX}"))
            .expect(0);
    }
    let settle = |rest: &str| covered.run(&format!("reconcile --run-id load-17 {rest}"));
    let refused = settle(&format!("--published {NOW}")).expect(2);
    let why = "2 scopes have an open run of this id: load-17 (orders / DE, orders / FR)";
    assert!(refused.stderr.contains(why), "{refused:?}");
    covered.check(
        1,
        &[("DE", "missing_publication"), ("FR", "missing_publication")],
    );
    settle(&format!("--published {NOW} --source orders --scope DE")).expect(0);
    settle(&format!("--published {NOW}")).expect(0);
    for scope in ["DE", "FR"] {
        let run = format!("--source orders --scope {scope} --run-id load-18");
        covered.run(&format!("begin {run}")).expect(0);
    }
    covered
        .run("reconcile --run-id load-18 --not-published disk --all")
        .expect(0);
    covered.run("reconcile").expect(0);
}

#[test]
fn inventory_and_contracts_must_agree_and_neither_may_be_empty() {
    let covered = Covered::new();
    for scope in ["DE", "FR"] {
        covered.publish(scope, "r1", SIX, NOW).expect(0);
    }
    covered.check(0, &[("DE", "healthy"), ("FR", "healthy")]);
    fs::write(
        covered.0.path("scopes.csv"),
        "source,scope\norders,DE\norders,IT\n",
    )
    .unwrap();
    covered.run("inventory import scopes.csv").expect(0);
    let differs = covered.run("check");
    let differs = differs.expect(1);
    assert!(
        differs
            .stdout
            .contains("orders / IT is in the inventory and has no contract")
            && differs
                .stdout
                .contains("orders / FR has a contract and is not in the inventory"),
        "{differs:?}"
    );
    fs::write(covered.0.path("empty.csv"), "source,scope\n").unwrap();
    covered
        .run("inventory import empty.csv --replace")
        .expect(2);
    fs::write(covered.0.path("empty.yaml"), "contracts: []\n").unwrap();
    covered
        .run("contracts import empty.yaml --replace")
        .expect(2);

    let nothing = House::empty();
    nothing.run("coverage check").expect(2);
    nothing.run("import arrivals none.csv").expect(2);
    fs::write(nothing.path("scopes.csv"), "source,scope\norders,DE\n").unwrap();
    nothing
        .run("coverage inventory import scopes.csv")
        .expect(0);
    let empty = nothing.run("coverage check");
    let empty = empty.expect(2);
    assert!(
        empty.stderr.contains("no contracts in the store"),
        "{empty:?}"
    );
}

#[test]
fn contracts_come_from_reviewed_files_and_go_back_into_them() {
    let covered = Covered::new();
    covered.run("contracts diff contracts.yaml").expect(0);
    for (form, name) in [("yaml", "out.yaml"), ("csv", "out.csv")] {
        let written = covered.run(&format!("contracts export --as {form}"));
        let written = written.expect(0);
        fs::write(covered.0.path(name), written.stdout).unwrap();
        covered.run(&format!("contracts diff {name}")).expect(0);
        let again = covered.run(&format!("contracts import {name} --replace"));
        let again = again.expect(0);
        assert!(
            again
                .stdout
                .contains("contracts    0        0          2        0"),
            "{again:?}"
        );
    }
    let changed = CONTRACTS.replace(
        "lag_minutes: 120\n    max_publication_gap_minutes: 60\n    dataset: raw_orders\n    owner",
        "lag_minutes: 90\n    max_publication_gap_minutes: 60\n    dataset: raw_orders\n    owner",
    );
    fs::write(
        covered.0.path("changed.yaml"),
        changed.replace("scope: FR", "scope: ES"),
    )
    .unwrap();
    let diff = covered.run("contracts diff changed.yaml");
    let diff = diff.expect(1);
    assert_eq!(
        diff.stdout,
        "~ orders / DE: max_source_lag_minutes 120 -> 90\n\
         + orders / ES: in the files only\n\
         - orders / FR: in the store only\n"
    );
    // Nothing of a bad file is kept.
    let bad = CONTRACTS.replace("scope: FR", "scope: DE");
    fs::write(covered.0.path("bad.yaml"), bad).unwrap();
    let refused = covered.run("contracts import bad.yaml");
    let refused = refused.expect(2);
    assert!(
        refused
            .stderr
            .contains("bad.yaml line 9, scope: a second contract of this scope"),
        "{refused:?}"
    );
    covered.run("contracts diff contracts.yaml").expect(0);
}

#[test]
fn many_releases_are_accepted_or_refused_one_by_one() {
    let covered = Covered::new();
    let lines = [
        r#"{"source":"orders","scope":"DE","run_id":"r1","complete_through":"2026-03-02T06:00:00Z","published_at":"2026-03-02T06:04:00Z"}"#,
        r#"{"source":"orders","scope":"DE","run_id":"r1","complete_through":"2026-03-02T06:00:00Z","published_at":"2026-03-02T06:05:00Z"}"#,
        r#"{"source":"orders","scope":"DE","run_id":"r1","complete_through":"2026-03-02T06:01:00Z","published_at":"2026-03-02T06:05:00Z"}"#,
        "",
        "{",
        r#"{"source":"orders","scope":"nowhere","run_id":"r1","complete_through":1772431200,"published_at":1772431200}"#,
        "\u{1b}[31m",
        r#"{"source":"orders","scope":"FR","run_id":"\u001b[2J","complete_through":1772431200,"published_at":1772431200}"#,
        r#"{"source":"orders","scope":"FR","run_id":"r1","complete_through":1772431200000,"published_at":1772431200,"rows":0}"#,
    ];
    fs::write(covered.0.path("releases.ndjson"), lines.join("\n")).unwrap();
    let ran = covered.run("publish --file releases.ndjson --format ndjson");
    let ran = ran.expect(1);
    let said: Vec<(u64, String)> = ran
        .stdout
        .lines()
        .map(|line| {
            let said: serde_json::Value = serde_json::from_str(line).unwrap();
            let word = said["reason"]
                .as_str()
                .or(said["outcome"].as_str())
                .unwrap();
            (said["line"].as_u64().unwrap(), word.to_owned())
        })
        .collect();
    let said: Vec<(u64, &str)> = said
        .iter()
        .map(|(line, word)| (*line, word.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (1, "accepted"),
            (2, "repeated"),
            (3, "run_reused"),
            (5, "unreadable"),
            (6, "unknown_scope"),
            (7, "unreadable"),
            (8, "invalid_field"),
            (9, "accepted"),
        ]
    );
    let counted = covered.run("publish --file releases.ndjson");
    let counted = counted.expect(1);
    assert!(
        counted.stdout.contains("line 6: refused: orders / nowhere"),
        "{counted:?}"
    );
    assert!(!counted.stdout.contains('\u{1b}'), "{counted:?}");
    let log = covered.run("log --refused");
    let log = log.expect(0);
    assert!(
        !log.stdout.contains('\u{1b}') && log.stdout.contains(r"\u{1b}[2J"),
        "{log:?}"
    );
    assert_eq!(log.stdout.lines().count(), 1 + 10);
    covered.check(0, &[("DE", "healthy"), ("FR", "healthy")]);
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

/// The blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut inside: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut inside) {
            (Some(language), None) => inside = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(inside.take()),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

#[test]
fn the_examples_of_the_page_do_what_it_says() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coverage.md");
    let page = fs::read_to_string(page).unwrap();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_freshness"));
    let house = House::empty();
    let mut printed = None;
    let mut n = 0;
    for (language, text) in blocks(&page) {
        match language.as_str() {
            "sh" => {
                let call = format!("freshness() {{ '{}' \"$@\"; }}\n{text}", binary.display());
                let ran = std::process::Command::new("sh")
                    .args(["-c", &call])
                    .current_dir(house.path(""))
                    .env("FRESHNESS_NOW", "2026-03-02T06:30:00Z")
                    .output()
                    .unwrap();
                assert!(matches!(ran.status.code(), Some(0 | 1)), "{text}\n{ran:?}");
                printed = Some(String::from_utf8(ran.stdout).unwrap());
            }
            "text" => {
                assert_eq!(printed.take().unwrap(), text);
                n += 1;
            }
            other => panic!("a block of {other}"),
        }
    }
    assert!(n >= 5, "{n} examples");
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
    let covered = Covered::new();
    covered.publish("DE", "r1", SIX, NOW).expect(0);
    covered
        .publish(
            "FR",
            "r1",
            "2026-03-01T06:00:00Z",
            "--published-at 2026-03-01T06:04:00Z",
        )
        .expect(0);
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

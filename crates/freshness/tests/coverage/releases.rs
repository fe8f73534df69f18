//! How is said what was published, and what is made of it?

use super::*;

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

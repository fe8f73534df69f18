//! Which loads may not pass for a whole one?

use super::*;

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
    let covered = Covered::without_france();
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

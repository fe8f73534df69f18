//! Can a critical dataset be overlooked?
//!
//! What nobody can judge must not look as if it were on time.

mod house;

use std::fs;

use house::House;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

/// A warehouse in which one dataset, declared critical, delivered at these
/// instants; the others deliver as ever.
fn with_critical(arrivals: &[&str]) -> House {
    let house = House::imported();
    let declared = "dataset_id,critical,calendar\n\
                    raw_orders,false,\nfct_revenue,true,\nshy,true,daily\n";
    fs::write(house.path("shy.csv"), declared).unwrap();
    house.run("import datasets shy.csv").expect(0);
    if !arrivals.is_empty() {
        let rows: String = arrivals.iter().map(|at| format!("shy,{at}\n")).collect();
        fs::write(
            house.path("arrived.csv"),
            format!("dataset_id,arrived_at\n{rows}"),
        )
        .unwrap();
        house.run("import arrivals arrived.csv").expect(0);
    }
    house.run("fit").expect(0);
    house
}

/// It is listed, cannot fail a check, and with `--strict` is a reason not to
/// answer.
#[track_caller]
fn check_is_not_overlooked(arrivals: &[&str], state: &str) {
    let house = with_critical(arrivals);
    let ran = house.run("check").expect(0);
    let row = ran.stdout.lines().find(|line| line.contains("  shy  "));
    assert!(row.is_some_and(|row| row.starts_with(state)), "{ran:?}");
    assert!(
        ran.stdout.ends_with(
            "; no critical dataset is known to be late\n\
             1 critical dataset could not be judged: shy: it cannot fail a check yet\n"
        ),
        "{ran:?}"
    );
    let ran = house.run("check --strict --format json").expect(2);
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(said["answer"], "could_not_tell");
    assert_eq!(said["summary"]["n_critical"], 2);
    assert_eq!(said["summary"]["n_critical_late"], 0);
    assert_eq!(said["summary"]["n_critical_unjudged"], 1);
    assert_eq!(
        ran.stderr,
        "could not tell whether every critical dataset is on time\n"
    );
}

#[test]
fn one_that_never_arrived_is_not_overlooked() {
    check_is_not_overlooked(&[], "unknown");
}

#[test]
fn one_that_arrived_twice_is_not_overlooked() {
    let arrivals = ["2026-02-20T05:00:00Z", "2026-02-21T05:00:00Z"];
    check_is_not_overlooked(&arrivals, "insufficient_history");
}

#[test]
fn a_silent_cold_start_is_not_overlooked() {
    let arrivals = [
        "2026-02-20T05:00:00Z",
        "2026-02-21T05:00:00Z",
        "2026-02-22T05:00:00Z",
        "2026-02-23T05:00:00Z",
    ];
    check_is_not_overlooked(&arrivals, "missed");
}

#[test]
fn a_late_critical_dataset_outranks_one_that_could_not_be_judged() {
    let house = with_critical(&[]);
    let ran = house
        .run("check --strict --now 2026-03-03T12:00:00Z")
        .expect(2);
    assert!(ran.stderr.contains("models are"), "{ran:?}");
    house.run("check --now 2026-03-03T12:00:00Z").expect(1);
    house.run("fit --now 2026-03-03T12:00:00Z").expect(0);
    house
        .run("check --strict --now 2026-03-03T12:00:00Z")
        .expect(1);
}

#[test]
fn where_nothing_is_critical_a_check_says_that_nothing_can_fail_it() {
    let house = House::imported();
    let declared = "dataset_id,critical\nraw_orders,false\nfct_revenue,false\n";
    fs::write(house.path("none.csv"), declared).unwrap();
    house.run("import datasets none.csv").expect(0);
    house.run("fit").expect(0);
    let ran = house.run("check").expect(0);
    assert!(
        ran.stdout
            .ends_with("; no dataset is declared critical: nothing can fail a check\n"),
        "{ran:?}"
    );
}

#[test]
fn a_filter_does_not_hide_what_is_late_outside_it() {
    let house = House::fitted();
    let ran = house.run("status events").expect(0);
    assert!(
        ran.stdout.ends_with(
            "1 dataset as of 2026-02-28 12:00 UTC: 1 missed; none of these is critical; \
             outside the filter, 1 critical dataset is late\n"
        ),
        "{ran:?}"
    );
    let ran = house.run("status --team finance").expect(0);
    assert!(
        ran.stdout
            .ends_with("; among these, 1 critical dataset is late\n"),
        "{ran:?}"
    );
    // That no dataset is in a state is an answer.
    let ran = house.run("status --state late_arrival").expect(0);
    assert_eq!(
        ran.stdout,
        "no dataset is shown, as of 2026-02-28 12:00 UTC; none of these is critical; \
         outside the filter, 1 critical dataset is late\n"
    );
}

#[test]
fn a_filter_that_can_match_nothing_is_an_error() {
    let house = House::fitted();
    for (filter, message) in [
        (
            "raw_order",
            str![[r#"
error: unknown dataset: raw_order

hint: did you mean `raw_orders`?

"#]],
        ),
        (
            "stg_*",
            str![[r#"
error: no dataset matches the pattern: stg_*

hint: a pattern is held against the whole name, such as events

"#]],
        ),
        (
            "--team finances",
            str![[r#"
error: no dataset has the team: finances

hint: did you mean `finance`?

"#]],
        ),
        (
            "--tag gold",
            str![[r#"
error: no dataset has the tag: gold

hint: tags that are declared: tier-1

"#]],
        ),
    ] {
        let ran = house.run(&format!("status {filter}")).expect(2);
        assert_eq!(ran.stdout, "");
        assert_data_eq!(ran.stderr, message);
    }
}

#[test]
fn no_lost_page_of_the_store_makes_a_late_critical_dataset_look_healthy() {
    const PAGE: usize = 4_096;
    let house = House::fitted();
    let store = house.path(".freshness/freshness.db");
    let whole = fs::read(&store).unwrap();
    let answer = house.run("status").expect(0).stdout;
    // The first page is the header: without it the file is no store.
    for page in 1..whole.len() / PAGE {
        for byte in [0, 0xFF] {
            let mut broken = whole.clone();
            broken[page * PAGE..(page + 1) * PAGE].fill(byte);
            fs::write(&store, broken).unwrap();
            let ran = house.run("status");
            let is_right = ran.code == Some(0) && ran.stdout == answer;
            assert!(
                is_right || ran.code == Some(2),
                "page {page}: {}",
                ran.stdout
            );
        }
    }
}

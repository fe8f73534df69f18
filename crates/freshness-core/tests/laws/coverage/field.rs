//! Does what goes wrong with scopes in the field go right here?
//!
//! Each test names the case that it restates.

use std::sync::Arc;

use freshness_core::schedule::{When, Window};

use super::*;

#[test]
fn case_11_a_timestamp_in_the_future_is_not_fresh_for_ever() {
    let mut ledger = Ledger::default();
    let tomorrow = MONDAY_6 + 24 * HOUR;
    let refusal = ledger
        .publish(&proposal("FR", "r1", MONDAY_6, tomorrow), MONDAY_6)
        .unwrap_err();
    assert_eq!(refusal.word(), "future");
    // In a ledger that somebody else keeps it is a fault, not freshness.
    let row = Ledgered {
        contract: contract("FR"),
        maintenance: Maintenance::NONE,
        newest: Some(Newest {
            seq: Some(1),
            n_of_seq: 1,
            run_id: Some("r1".to_owned()),
            complete_through: Some(tomorrow),
            published_at: Some(tomorrow),
            ..Newest::default()
        }),
    };
    let states = check(vec![row], &Holidays::builtin(), MONDAY_6);
    assert_eq!(states[0].condition, Condition::InvalidClockOrder);
    assert_eq!(states[0].complete_through(), None);
}

#[test]
fn case_19_backfilling_an_old_partition_does_not_turn_a_scope_healthy() {
    let mut ledger = Ledger::default();
    let yesterday = MONDAY_6 - 24 * HOUR;
    ledger
        .publish(&proposal("FR", "r1", yesterday, yesterday), MONDAY_6)
        .unwrap();
    let mut backfill = proposal("FR", "r2", MONDAY_6 - 90 * 24 * HOUR, MONDAY_6);
    assert!(ledger.publish(&backfill, MONDAY_6).is_err());
    backfill.correction = true;
    ledger.publish(&backfill, MONDAY_6).unwrap();
    assert_eq!(
        ledger.condition(&contract("FR"), MONDAY_6),
        Condition::SourceStale
    );
}

#[test]
fn case_20_old_points_that_come_late_reset_no_alarm() {
    // The source is read far enough; what is missing is a step forward.
    let mut ledger = Ledger::default();
    let covered = MONDAY_6 - 80 * MINUTE;
    ledger
        .publish(&proposal("FR", "r1", covered, covered), MONDAY_6)
        .unwrap();
    let contract = contract("FR");
    assert_eq!(
        ledger.condition(&contract, MONDAY_6),
        Condition::PublicationGap
    );
    let mut late = proposal("FR", "r2", MONDAY_6 - 14 * 24 * HOUR, MONDAY_6);
    late.correction = true;
    ledger.publish(&late, MONDAY_6).unwrap();
    ledger
        .publish(&proposal("FR", "r3", covered, MONDAY_6), MONDAY_6)
        .unwrap();
    assert_eq!(
        ledger.condition(&contract, MONDAY_6),
        Condition::PublicationGap
    );
}

#[test]
fn case_21_a_load_that_is_under_way_covers_nothing() {
    let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let mut ledger = Ledger::default();
    let mut load = proposal("FR", "r1", MONDAY_6, MONDAY_6);
    load.rows = Some(60);
    load.claim = Claim {
        manifest: Some(Manifest {
            expected: list(&["a.csv", "b.csv", "c.csv"]),
            delivered: list(&["b.csv"]),
        }),
        ..Claim::default()
    };
    let refusal = ledger.publish(&load, MONDAY_6).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "2 of 3 expected files are missing: a.csv, c.csv"
    );
    assert_eq!(
        ledger.condition(&contract("FR"), MONDAY_6),
        Condition::MissingPublication
    );
}

#[test]
fn case_22_yesterdays_file_delivered_again_covers_yesterday() {
    let mut ledger = Ledger::default();
    let yesterday = MONDAY_6 - 24 * HOUR;
    ledger
        .publish(&proposal("FR", "r1", yesterday, yesterday + HOUR), MONDAY_6)
        .unwrap();
    ledger
        .publish(&proposal("FR", "r2", yesterday, MONDAY_6), MONDAY_6)
        .unwrap();
    let state = ledger.state(&contract("FR"), MONDAY_6);
    assert_eq!(state.condition, Condition::SourceStale);
    assert_eq!(state.complete_through(), Some(yesterday));
}

/// A scope that somebody works on is put off, never healthy, and fails once it had
/// after the window what that took.
#[test]
fn what_maintenance_puts_off_is_not_healthy_and_does_not_fail_yet() {
    let hours = |hour: i64| MONDAY_6 + hour * HOUR;
    let when = When::Once {
        from: hours(1),
        to: hours(5),
    };
    let reason = "the warehouse is upgraded".to_owned();
    let maintenance = Maintenance::new(vec![Arc::new(Window { when, reason })]);
    let of = |through: i64, now: i64| {
        let row = Ledgered {
            contract: contract("FR"),
            maintenance: maintenance.clone(),
            newest: Some(Newest {
                seq: Some(1),
                n_of_seq: 1,
                run_id: Some("r".to_owned()),
                complete_through: Some(through),
                published_at: Some(through),
                reached_at: Some(through),
                rows: None,
            }),
        };
        let state = check(vec![row], &Holidays::builtin(), now).remove(0);
        assert_eq!(
            state.fails(),
            !state.is_healthy() && state.put_off.is_none()
        );
        (state.condition, state.put_off.map(|(due, _)| due))
    };
    // An hour is allowed without a step, and two of lag.
    let through = hours(0) + 30 * MINUTE;
    assert_eq!(of(through, hours(1)), (Condition::Healthy, None));
    let due = Some(hours(5) + 30 * MINUTE);
    assert_eq!(of(through, hours(2)), (Condition::PutOff, due));
    assert_eq!(of(through, hours(5)), (Condition::PutOff, due));
    let late = hours(5) + 31 * MINUTE;
    assert_eq!(of(through, late), (Condition::PublicationGap, None));
    assert_eq!(of(through, hours(7)), (Condition::SourceStale, None));
    // What failed before it began goes on failing.
    assert_eq!(of(hours(-3), hours(2)), (Condition::SourceStale, None));
}

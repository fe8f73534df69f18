//! Does what goes wrong with scopes in the field go right here?
//!
//! Each test names the case that it restates.

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

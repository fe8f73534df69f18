//! Can a partial load hide behind a healthy one?
//!
//! The laws of coverage, over ledgers that are written by the rules of
//! acceptance, and the cases of the field that concern scopes.

mod field;
mod properties;

use freshness_core::civil::Holidays;
use freshness_core::coverage::{
    Claim, Condition, ContractRow, Last, Ledgered, Manifest, Newest, Proposal, Publication,
    Refusal, ScopeState, Terms, accept, by_source, check,
};
use freshness_core::schedule::Maintenance;
use jiff::Timestamp;
use proptest::prelude::*;

/// 2026-03-02T06:00:00Z, a Monday.
const MONDAY_6: i64 = 1_772_431_200;
const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;

fn contract(scope: &str) -> ContractRow {
    ContractRow {
        source: "orders".to_owned(),
        scope: scope.to_owned(),
        max_source_lag_minutes: Some(120),
        max_publication_gap_minutes: Some(60),
        ..ContractRow::default()
    }
}

fn proposal(scope: &str, run_id: &str, through: i64, published_at: i64) -> Proposal {
    Proposal {
        source: "orders".to_owned(),
        scope: scope.to_owned(),
        run_id: run_id.to_string(),
        complete_through: Some(through),
        published_at: Some(published_at),
        ..Proposal::default()
    }
}

/// A ledger of one scope, as the store keeps it.
#[derive(Debug, Clone, Default)]
struct Ledger(Vec<Publication>);

impl Ledger {
    fn publish(&mut self, proposal: &Proposal, now: i64) -> Result<u64, Refusal> {
        let last = self.0.last().map(|last| Last {
            seq: last.seq,
            complete_through: last.complete_through,
        });
        let exact = Terms {
            skew_tolerance_seconds: 0,
        };
        let accepted = accept(Some(exact), last, proposal, now)?;
        let seq = accepted.seq;
        self.0.push(accepted);
        Ok(seq)
    }

    fn newest(&self) -> Option<Newest> {
        let last = self.0.last()?;
        let as_far = self
            .0
            .iter()
            .filter(|publication| publication.complete_through >= last.complete_through);
        Some(Newest {
            seq: i64::try_from(last.seq).ok(),
            n_of_seq: 1,
            run_id: Some(last.run_id.clone()),
            complete_through: Some(last.complete_through),
            published_at: Some(last.published_at),
            reached_at: as_far.map(|publication| publication.published_at).min(),
            rows: last.rows.map(|rows| rows as i64),
        })
    }

    fn condition(&self, contract: &ContractRow, now: i64) -> Condition {
        self.state(contract, now).condition
    }

    fn state(&self, contract: &ContractRow, now: i64) -> ScopeState {
        let row = Ledgered {
            contract: contract.clone(),
            newest: self.newest(),
            maintenance: Maintenance::NONE,
        };
        check(vec![row], &Holidays::builtin(), now).remove(0)
    }
}

fn at(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_second()
}

#[track_caller]
fn check_refused(change: impl FnOnce(&mut Proposal), last: Option<Last>, word: &str, why: &str) {
    let mut proposal = proposal("FR", "r1", MONDAY_6 - HOUR, MONDAY_6);
    change(&mut proposal);
    let exact = Terms {
        skew_tolerance_seconds: 0,
    };
    let refusal = accept(Some(exact), last, &proposal, MONDAY_6).unwrap_err();
    assert_eq!((refusal.word(), refusal.to_string().as_str()), (word, why));
}

#[test]
fn what_cannot_be_right_is_refused_with_one_reason() {
    let last = Some(Last {
        seq: 7,
        complete_through: MONDAY_6 - 2 * HOUR,
    });
    check_refused(
        |proposal| proposal.scope = "  ".to_owned(),
        None,
        "missing_field",
        "scope is blank",
    );
    check_refused(
        |proposal| proposal.run_id.clear(),
        None,
        "missing_field",
        "run_id is missing",
    );
    check_refused(
        |proposal| proposal.complete_through = None,
        None,
        "missing_field",
        "complete_through is missing",
    );
    check_refused(
        |proposal| proposal.published_at = None,
        last,
        "missing_field",
        "published_at is missing",
    );
    check_refused(
        |proposal| proposal.complete_through = Some(0),
        None,
        "invalid_field",
        "complete_through is before 1990, which looks like a missing time: 1970-01-01T00:00:00Z",
    );
    check_refused(
        |proposal| proposal.run_id = "a\nb".to_owned(),
        None,
        "invalid_field",
        "run_id has a control character",
    );
    check_refused(
        |proposal| proposal.position = Some("x".repeat(5_000)),
        None,
        "invalid_field",
        "position is too long (5000 bytes, at most 4096)",
    );
    check_refused(
        |proposal| proposal.complete_through = Some(MONDAY_6 + 1),
        None,
        "clock_order",
        "complete_through 2026-03-02T06:00:01Z is after published_at 2026-03-02T06:00:00Z",
    );
    check_refused(
        |proposal| proposal.published_at = Some(MONDAY_6 + 1),
        None,
        "future",
        "published_at is in the future: 2026-03-02T06:00:01Z (now is 2026-03-02T06:00:00Z)",
    );
    check_refused(
        |proposal| proposal.complete_through = Some(MONDAY_6 - 3 * HOUR),
        last,
        "regression",
        "coverage would go back from 2026-03-02T04:00:00Z to 2026-03-02T03:00:00Z",
    );
    check_refused(
        |proposal| proposal.expect_seq = Some(7),
        last,
        "reused_sequence",
        "sequence 7 is used already: the next is 8",
    );
    check_refused(
        |proposal| proposal.expect_seq = Some(9),
        last,
        "skipped_sequence",
        "sequence 9 would leave a hole: the next is 8",
    );
    check_refused(
        |proposal| proposal.correction = true,
        None,
        "nothing_covered",
        "nothing is covered yet that could be corrected",
    );
    check_refused(
        |proposal| {
            proposal.position = Some("0/16B3748".to_owned());
            proposal.claim.confirmed_position = Some("0/16B3740".to_owned());
        },
        None,
        "unconfirmed_position",
        "the source confirms another position than the one published",
    );
    let unknown = accept(
        None,
        None,
        &proposal("XX", "r", MONDAY_6, MONDAY_6),
        MONDAY_6,
    )
    .unwrap_err();
    assert_eq!(unknown.word(), "unknown_scope");
}

#[test]
fn a_regression_needs_a_reason_and_keeps_it_and_a_correction_moves_nothing() {
    let mut ledger = Ledger::default();
    ledger
        .publish(&proposal("FR", "r1", MONDAY_6 - HOUR, MONDAY_6), MONDAY_6)
        .unwrap();
    let mut back = proposal("FR", "r2", MONDAY_6 - 3 * HOUR, MONDAY_6 + MINUTE);
    let now = MONDAY_6 + HOUR;
    assert_eq!(ledger.publish(&back, now).unwrap_err().word(), "regression");
    back.correction = true;
    assert_eq!(ledger.publish(&back, now), Ok(2));
    assert_eq!(ledger.0[1].complete_through, MONDAY_6 - HOUR);
    back.correction = false;
    back.run_id = "r3".to_owned();
    back.allow_regression = Some("the 05:00 file was withdrawn".to_owned());
    assert_eq!(ledger.publish(&back, now), Ok(3));
    assert_eq!(ledger.0[2].complete_through, MONDAY_6 - 3 * HOUR);
    assert_eq!(
        ledger.0[2].regression.as_deref(),
        Some("the 05:00 file was withdrawn")
    );
}

#[test]
fn a_tolerance_that_is_stated_lets_a_fast_clock_pass_and_no_more() {
    let terms = Some(Terms {
        skew_tolerance_seconds: 120,
    });
    let ahead = |seconds| proposal("FR", "r", MONDAY_6, MONDAY_6 + seconds);
    assert!(accept(terms, None, &ahead(120), MONDAY_6).is_ok());
    assert!(accept(terms, None, &ahead(121), MONDAY_6).is_err());
}

#[test]
fn a_valid_empty_interval_advances_coverage() {
    let mut ledger = Ledger::default();
    let now = MONDAY_6;
    ledger
        .publish(&proposal("FR", "r1", now - 3 * HOUR, now - 3 * HOUR), now)
        .unwrap();
    assert_eq!(
        ledger.condition(&contract("FR"), now),
        Condition::SourceStale
    );
    let mut empty = proposal("FR", "r2", now, now);
    empty.rows = Some(0);
    ledger.publish(&empty, now).unwrap();
    assert_eq!(ledger.condition(&contract("FR"), now), Condition::Healthy);
}

#[test]
fn conditions_are_asked_in_their_order() {
    let good = Newest {
        seq: Some(1),
        n_of_seq: 1,
        run_id: Some("r1".to_owned()),
        complete_through: Some(MONDAY_6 - HOUR),
        published_at: Some(MONDAY_6 - HOUR / 2),
        reached_at: Some(MONDAY_6 - HOUR / 2),
        rows: None,
    };
    let of = |contract: ContractRow, newest: Option<Newest>, n: usize| {
        let row = Ledgered {
            contract,
            newest,
            maintenance: Maintenance::NONE,
        };
        let states = check(vec![row; n], &Holidays::builtin(), MONDAY_6);
        states[0].condition
    };
    let fr = || contract("FR");
    assert_eq!(of(fr(), Some(good.clone()), 1), Condition::Healthy);
    assert_eq!(of(fr(), None, 2), Condition::InvalidContract);
    let mut unlimited = fr();
    unlimited.max_source_lag_minutes = None;
    assert_eq!(of(unlimited, None, 1), Condition::InvalidContract);
    assert_eq!(of(fr(), None, 1), Condition::MissingPublication);
    let changed = |change: fn(&mut Newest)| {
        let mut newest = good.clone();
        change(&mut newest);
        of(fr(), Some(newest), 1)
    };
    for lacks in [
        (|newest| newest.seq = None) as fn(&mut Newest),
        |newest| newest.seq = Some(0),
        |newest| newest.n_of_seq = 2,
        |newest| newest.run_id = Some(" ".to_owned()),
        |newest| newest.complete_through = None,
        |newest| {
            newest.published_at = None;
            newest.complete_through = Some(i64::MAX);
        },
        |newest| newest.rows = Some(-1),
    ] {
        assert_eq!(changed(lacks), Condition::InvalidPublication);
    }
    assert_eq!(
        changed(|newest| newest.complete_through = Some(MONDAY_6)),
        Condition::InvalidClockOrder
    );
    assert_eq!(
        changed(|newest| newest.published_at = Some(MONDAY_6 + 1)),
        Condition::InvalidClockOrder
    );
    assert_eq!(
        changed(|newest| {
            newest.complete_through = Some(MONDAY_6 - 3 * HOUR);
            newest.reached_at = Some(0);
        }),
        Condition::SourceStale
    );
    assert_eq!(
        changed(|newest| newest.reached_at = Some(MONDAY_6 - HOUR - 1)),
        Condition::PublicationGap
    );
    assert_eq!(
        changed(|newest| newest.reached_at = Some(MONDAY_6 - HOUR)),
        Condition::Healthy
    );
}

#[test]
fn a_scope_that_publishes_monday_to_friday_is_not_stale_on_sunday() {
    let mut row = contract("FR");
    row.calendar = Some("Mon–Fri".to_owned());
    row.timezone = Some("Europe/Paris".to_owned());
    let mut ledger = Ledger::default();
    // Friday night in Paris.
    let friday = at("2026-02-27T22:30:00Z");
    ledger
        .publish(&proposal("FR", "r1", friday, friday), friday)
        .unwrap();
    let sunday = at("2026-03-01T12:00:00Z");
    assert_eq!(ledger.condition(&row, sunday), Condition::Healthy);
    assert_eq!(
        ledger.condition(&contract("FR"), sunday),
        Condition::SourceStale
    );
    // Half an hour of Friday and two of Monday: Paris is an hour ahead.
    let monday = at("2026-03-02T00:45:00Z");
    assert_eq!(ledger.condition(&row, monday), Condition::SourceStale);
}

#[test]
fn a_source_is_as_far_as_what_is_behind_whatever_the_others_do() {
    let row = |scope: &str, through| {
        let mut ledger = Ledger::default();
        ledger
            .publish(&proposal(scope, "r", through, through), MONDAY_6)
            .unwrap();
        Ledgered {
            contract: contract(scope),
            newest: ledger.newest(),
            maintenance: Maintenance::NONE,
        }
    };
    let mut never = row("IT", MONDAY_6);
    never.newest = None;
    let rows = vec![
        row("DE", MONDAY_6 - 10 * MINUTE),
        row("ES", MONDAY_6 - 20 * MINUTE),
        row("FR", MONDAY_6 - 24 * HOUR),
        never,
    ];
    let states = check(rows, &Holidays::builtin(), MONDAY_6);
    let rolled = by_source(&states, &[]);
    assert_eq!(rolled.len(), 1);
    assert_eq!((rolled[0].n_scopes, rolled[0].n_healthy), (4, 2));
    assert_eq!(rolled[0].healthy_through, Some(MONDAY_6 - 20 * MINUTE));
    let behind: Vec<_> = rolled[0]
        .behind
        .iter()
        .map(|state| (state.contract.scope.as_str(), state.condition))
        .collect();
    assert_eq!(
        behind,
        [
            ("FR", Condition::SourceStale),
            ("IT", Condition::MissingPublication)
        ]
    );
}

//! Does the store keep a ledger as the rules of acceptance say?

use freshness_core::coverage::{
    ContractRow, Decision, Last, Newest, Proposal, Publication, ScopeKey, Step, Terms, accept,
    decide,
};
use freshness_store::{
    Access, Asked, AttemptFilter, DeclareMode, Outcome, Store, StoreError, Tail,
};
use jiff::Timestamp;
use proptest::prelude::*;
use tempfile::TempDir;

/// 2026-03-02T06:00:00Z.
const SIX: i64 = 1_772_431_200;

fn contract(scope: &str) -> ContractRow {
    ContractRow {
        source: "orders".to_owned(),
        scope: scope.to_owned(),
        max_source_lag_minutes: Some(120),
        max_publication_gap_minutes: Some(60),
        dataset: Some("raw_orders".to_owned()),
        ..ContractRow::default()
    }
}

fn store(scopes: &[&str]) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path().join("store.db"), Access::Create).unwrap();
    let contracts: Vec<ContractRow> = scopes.iter().map(|scope| contract(scope)).collect();
    store
        .import_contracts(&contracts, DeclareMode::Add)
        .unwrap();
    (folder, store)
}

fn asked(step: Step, scope: &str, run: &str, through: i64, published_at: i64) -> Asked {
    Asked {
        step,
        proposal: Proposal {
            source: "orders".to_owned(),
            scope: scope.to_owned(),
            run_id: run.to_owned(),
            complete_through: Some(through),
            published_at: Some(published_at),
            ..Proposal::default()
        },
        why: "asked for".to_owned(),
        unreadable: None,
    }
}

fn take(store: &mut Store, asked: &[Asked], now: i64) -> Result<Vec<Decision>, StoreError> {
    let at = Timestamp::from_second(now).unwrap();
    store.take_steps(asked, at, |seen, asked| {
        decide(asked.step, seen, &asked.proposal, now)
    })
}

#[test]
fn a_release_is_an_arrival_of_the_dataset_of_its_scope() {
    let (_folder, mut store) = store(&["FR"]);
    take(
        &mut store,
        &[asked(Step::Publish, "FR", "r1", SIX, SIX + 60)],
        SIX + 90,
    )
    .unwrap();
    let no = store.dataset_no("coverage:orders/FR").unwrap().unwrap();
    let tail = Tail {
        at_least: 1,
        since: i64::MAX,
    };
    assert_eq!(store.recent(no, tail).unwrap().at(), [SIX + 60]);
    assert!(store.dataset_no("raw_orders").unwrap().is_some());
}

#[test]
fn a_refused_attempt_on_an_unknown_scope_is_logged_and_makes_no_scope() {
    let (_folder, mut store) = store(&["FR"]);
    let long = "é".repeat(4_000);
    let unknown = asked(Step::Publish, &long, "r1", SIX, SIX);
    take(&mut store, &[unknown], SIX).unwrap();
    let log = store
        .attempts(&AttemptFilter {
            at_most: 10,
            ..AttemptFilter::default()
        })
        .unwrap();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].outcome, Outcome::Refused);
    assert_eq!(log[0].scope, "é".repeat(512));
    assert_eq!(log[0].reason.as_deref(), Some("invalid_field"));
    assert_eq!(store.ledgered().unwrap().len(), 1);
}

#[test]
fn contracts_may_go_and_their_ledgers_stay() {
    let (_folder, mut store) = store(&["DE", "FR"]);
    take(
        &mut store,
        &[asked(Step::Publish, "FR", "r1", SIX, SIX)],
        SIX,
    )
    .unwrap();
    let counts = store
        .import_contracts(&[contract("DE")], DeclareMode::Replace)
        .unwrap();
    assert_eq!((counts.unchanged, counts.removed), (1, 1));
    let unknown = take(
        &mut store,
        &[asked(Step::Publish, "FR", "r2", SIX, SIX)],
        SIX,
    )
    .unwrap();
    assert!(matches!(&unknown[0], Decision::Refuse(refusal) if refusal.word() == "unknown_scope"));
    store
        .import_contracts(&[contract("FR")], DeclareMode::Add)
        .unwrap();
    let next = take(
        &mut store,
        &[asked(Step::Publish, "FR", "r2", SIX, SIX)],
        SIX,
    )
    .unwrap();
    assert!(matches!(&next[0], Decision::Accept(release) if release.seq == 2));
}

#[test]
fn a_ledger_of_others_may_lack_anything_and_two_contracts_of_a_scope_are_kept() {
    let (_folder, mut store) = store(&["FR"]);
    let mut second = contract("FR");
    second.max_source_lag_minutes = None;
    let counts = store
        .import_contracts(&[contract("FR"), second], DeclareMode::Add)
        .unwrap();
    assert_eq!(counts.changed, 1);
    let key = ScopeKey::new("orders", "FR").unwrap();
    let pulled = Newest {
        n_of_seq: 2,
        ..Newest::default()
    };
    store.replace_newest(&[(key, pulled.clone())]).unwrap();
    let rows = store.ledgered().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].newest, Some(pulled));
    assert_eq!(store.integrity().unwrap().problems, Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The store, one transaction at a time or many at once, holds what a list
    /// in memory would.
    #[test]
    fn the_newest_release_is_that_of_the_ledger(
        steps in prop::collection::vec(
            (0..2usize, -30..120i64, 0..20i64, any::<bool>(), any::<bool>(), 0..12u8),
            1..25,
        ),
        at_once in 1..6usize,
    ) {
        let scopes = ["DE", "FR"];
        let (_folder, mut store) = store(&scopes);
        let mut ledgers: [Vec<Publication>; 2] = Default::default();
        let mut all = Vec::new();
        for (scope, through, minutes, may_regress, correction, run) in steps {
            let published_at = SIX + through.max(0) * 60 + minutes * 60;
            let run = format!("r{run}");
            let mut step =
                asked(Step::Publish, scopes[scope], &run, SIX + through * 60, published_at);
            step.proposal.allow_regression = may_regress.then(|| "asked for".to_owned());
            step.proposal.correction = correction;
            let ledger = &mut ledgers[scope];
            if ledger.iter().all(|release| release.run_id != run) {
                let last = ledger.last().map(|last| Last {
                    seq: last.seq,
                    complete_through: last.complete_through,
                });
                let exact = Terms { skew_tolerance_seconds: 0 };
                let ruling = accept(Some(exact), last, &step.proposal, SIX + 86_400);
                ledger.extend(ruling.ok());
            }
            all.push(step);
        }
        for steps in all.chunks(at_once) {
            take(&mut store, steps, SIX + 86_400).unwrap();
        }
        for (scope, ledger) in scopes.iter().zip(&ledgers) {
            let key = ScopeKey::new("orders", scope).unwrap();
            let mut stored = store.publications(&key, 1_000).unwrap();
            stored.reverse();
            prop_assert_eq!(&stored, ledger);
            let rows = store.ledgered().unwrap();
            let row = rows.iter().find(|row| row.contract.scope == *scope).unwrap();
            let expected = ledger.last().map(|last| {
                let as_far = |release: &&Publication| {
                    release.complete_through >= last.complete_through
                };
                Newest {
                    seq: Some(last.seq as i64),
                    n_of_seq: 1,
                    run_id: Some(last.run_id.clone()),
                    complete_through: Some(last.complete_through),
                    published_at: Some(last.published_at),
                    reached_at: ledger.iter().filter(as_far).map(|of| of.published_at).min(),
                    rows: None,
                }
            });
            prop_assert_eq!(&row.newest, &expected);
        }
        let n_attempts = store
            .attempts(&AttemptFilter { at_most: 1_000, ..AttemptFilter::default() })
            .unwrap()
            .len();
        prop_assert_eq!(n_attempts, all.len());
        prop_assert_eq!(store.integrity().unwrap().problems, Vec::<String>::new());
    }
}

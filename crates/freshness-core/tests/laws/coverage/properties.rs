//! Which laws does every ledger keep that is written by the rules of acceptance?

use super::*;

/// One attempt: minutes from the last, how far behind the clock it is
/// complete, and what the sender says besides.
fn attempts() -> impl Strategy<Value = Vec<(i64, i64, bool, bool)>> {
    prop::collection::vec((0..90i64, -5..200i64, any::<bool>(), any::<bool>()), 0..12)
}

fn written(attempts: &[(i64, i64, bool, bool)]) -> (Ledger, i64) {
    let mut ledger = Ledger::default();
    let mut now = MONDAY_6;
    for (n, &(minutes, behind, may_regress, correction)) in attempts.iter().enumerate() {
        now += minutes * MINUTE;
        let mut proposal = proposal("FR", &n.to_string(), now - behind * MINUTE, now);
        proposal.allow_regression = (may_regress && !correction).then(|| "asked for".to_owned());
        proposal.correction = correction;
        let _ = ledger.publish(&proposal, now);
    }
    (ledger, now)
}

proptest! {
    #[test]
    fn one_scope_never_heals_another(
        attempts in attempts(),
        others in prop::collection::vec((0..400i64, any::<bool>()), 0..6),
        later in 0..300i64,
    ) {
        let (ledger, now) = written(&attempts);
        let now = now + later * MINUTE;
        let alone = ledger.condition(&contract("FR"), now);
        let mut rows = vec![Ledgered { contract: contract("FR"), newest: ledger.newest(), maintenance: Maintenance::NONE }];
        for (n, (behind, published)) in others.into_iter().enumerate() {
            let through = now - behind * MINUTE;
            rows.push(Ledgered {
                contract: contract(&format!("other {n}")),
                maintenance: Maintenance::NONE,
                newest: published.then(|| Newest {
                    seq: Some(1),
                    n_of_seq: 1,
                    run_id: Some("r".to_owned()),
                    complete_through: Some(through),
                    published_at: Some(now),
                    ..Newest::default()
                }),
            });
        }
        let n = rows.len();
        let states = check(rows.clone(), &Holidays::builtin(), now);
        prop_assert_eq!(states.len(), n);
        prop_assert_eq!(states[0].condition, alone);
        // Nor does the order matter.
        rows.reverse();
        let mut reversed = check(rows, &Holidays::builtin(), now);
        reversed.reverse();
        prop_assert_eq!(reversed, states);
    }

    #[test]
    fn publishing_old_data_again_never_makes_a_contract_healthy(
        attempts in attempts(),
        again in 0..12usize,
        as_correction in any::<bool>(),
        later in 0..200i64,
    ) {
        let (mut ledger, now) = written(&attempts);
        prop_assume!(!ledger.0.is_empty());
        let now = now + later * MINUTE;
        let contract = contract("FR");
        let before = ledger.condition(&contract, now);
        let old = ledger.0[again % ledger.0.len()].clone();
        // What a regression had taken back is not old data when it comes again.
        let covered = ledger.0[ledger.0.len() - 1].complete_through;
        prop_assume!(old.complete_through <= covered);
        let mut proposal = proposal("FR", "again", old.complete_through, now);
        proposal.correction = as_correction;
        proposal.allow_regression = (!as_correction).then(|| "asked for".to_owned());
        ledger.publish(&proposal, now).unwrap();
        let after = ledger.condition(&contract, now);
        prop_assert!(before == Condition::Healthy || after != Condition::Healthy);
    }

    #[test]
    fn what_does_not_advance_coverage_never_heals_a_stale_source(
        attempts in attempts(),
        back in 0..300i64,
        later in 0..300i64,
    ) {
        let (mut ledger, now) = written(&attempts);
        let now = now + later * MINUTE;
        let contract = contract("FR");
        prop_assume!(ledger.condition(&contract, now) == Condition::SourceStale);
        let covered = ledger.0[ledger.0.len() - 1].complete_through;
        let mut proposal = proposal("FR", "again", covered - back * MINUTE, now);
        proposal.allow_regression = Some("asked for".to_owned());
        ledger.publish(&proposal, now).unwrap();
        prop_assert_eq!(ledger.condition(&contract, now), Condition::SourceStale);
    }

    #[test]
    fn sequences_count_up_without_a_hole_whatever_is_refused(attempts in attempts()) {
        let (ledger, _) = written(&attempts);
        let seqs: Vec<u64> = ledger.0.iter().map(|publication| publication.seq).collect();
        prop_assert_eq!(seqs, (1..=ledger.0.len() as u64).collect::<Vec<_>>());
    }

    #[test]
    fn there_is_one_first_failing_condition_and_it_stays_the_same(
        lag in prop::option::of(-1..300i64),
        seq in prop::option::of(-1..3i64),
        n_of_seq in 1..3u64,
        through in prop::option::of(-400..10i64),
        published_at in prop::option::of(-400..10i64),
        is_there in any::<bool>(),
        n in 1..3usize,
    ) {
        let mut contract = contract("FR");
        contract.max_source_lag_minutes = lag;
        let newest = is_there.then(|| Newest {
            seq,
            n_of_seq,
            run_id: Some("r".to_owned()),
            complete_through: through.map(|minutes| MONDAY_6 + minutes * MINUTE),
            published_at: published_at.map(|minutes| MONDAY_6 + minutes * MINUTE),
            ..Newest::default()
        });
        let rows = vec![Ledgered { contract, newest: newest.clone(), maintenance: Maintenance::NONE }; n];
        let states = check(rows.clone(), &Holidays::builtin(), MONDAY_6);
        prop_assert_eq!(&states, &check(rows, &Holidays::builtin(), MONDAY_6));
        // Every condition on its own, and the first of those that hold.
        let invalid = lag.is_none_or(|lag| lag < 1) || n > 1;
        let holds = [
            invalid,
            newest.is_none(),
            seq.is_none_or(|seq| seq < 1) || n_of_seq > 1
                || through.is_none() || published_at.is_none(),
            through > published_at || published_at.is_some_and(|at| at > 0),
            through.zip(lag).is_some_and(|(through, lag)| -through > lag),
            published_at.is_some_and(|at| -at > 60),
            // Nothing puts anything off here.
            false,
            true,
        ];
        let first = holds.iter().position(|holds| *holds).unwrap();
        prop_assert_eq!(states[0].condition, Condition::ALL[first]);
    }
}

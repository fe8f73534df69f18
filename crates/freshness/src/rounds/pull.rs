//! What does a ledger that is kept elsewhere say of coverage?
//!
//! In this order: contracts are declared as they are, also those that mean
//! nothing, because a scope whose contract is broken must show; releases enter
//! the ledger if it accepts them, one by one and by their sequence; what is
//! newest there is what a check judges, also if it was refused. So a check of
//! the store says what the printed check says there.

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::coverage::{
    Contract, ContractFault, ContractRow, Decision, Newest, Proposal, Refusal, ScopeKey, Step,
    decide,
};
use freshness_store::{Asked, ContractCounts, DeclareMode, Store, StoreError};
use jiff::Timestamp;

use super::holidays;
use crate::sources::database::PulledRelease;

/// What a pull did.
#[derive(Debug, Default)]
pub struct Pulled {
    /// To contracts.
    pub contracts: ContractCounts,
    /// Contracts that mean nothing, and why.
    pub invalid: Vec<(ContractRow, ContractFault)>,
    /// Releases that entered the ledger.
    pub n_accepted: u64,
    /// Releases that were in it already.
    pub n_repeated: u64,
    /// Releases that it does not accept, and why.
    pub refused: Vec<(PulledRelease, Refusal)>,
}

/// So many releases are stored at once.
const BATCH: usize = 500;

/// Takes over contracts and releases; the same again changes nothing.
pub fn pull(
    store: &mut Store,
    contracts: &[ContractRow],
    mut releases: Vec<PulledRelease>,
    mode: DeclareMode,
    now: Timestamp,
) -> Result<Pulled, StoreError> {
    let mut pulled = Pulled {
        contracts: store.import_contracts(contracts, mode)?,
        invalid: invalid(contracts),
        ..Pulled::default()
    };
    releases.sort_by(|a, b| order(a).cmp(&order(b)));
    let reused = reused(&releases);
    let numbered: Vec<(usize, Asked)> = releases.iter().map(asked).enumerate().collect();
    for batch in numbered.chunks(BATCH) {
        let (places, asked): (Vec<usize>, Vec<Asked>) = batch.iter().cloned().unzip();
        let decisions = store.take_pulled(&asked, now, |seen, asked| {
            let decision = decide(Step::Publish, seen, &asked.proposal, now.as_second());
            let proposal = &asked.proposal;
            let name = (&*proposal.source, &*proposal.scope, &*proposal.run_id);
            match (&asked.unreadable, reused.get(&name)) {
                (Some(words), _) => Decision::Refuse(Refusal::Unreadable(words.clone())),
                (None, Some(&expected)) if matches!(decision, Decision::Accept(_)) => {
                    let next = expected.saturating_add(1);
                    Decision::Refuse(Refusal::ReusedSequence { expected, next })
                }
                (None, _) => decision,
            }
        })?;
        for (place, decision) in places.into_iter().zip(decisions) {
            match decision {
                Decision::Refuse(refusal) => {
                    pulled.refused.push((releases[place].clone(), refusal));
                }
                Decision::Repeat(_) => pulled.n_repeated += 1,
                Decision::Accept(_) | Decision::Begin | Decision::Abort => pulled.n_accepted += 1,
            }
        }
    }
    judge_by(store, &releases)?;
    Ok(pulled)
}

/// Lets checks judge what is newest there, where that is not what is newest here.
fn judge_by(store: &mut Store, releases: &[PulledRelease]) -> Result<(), StoreError> {
    let newest: BTreeMap<(&str, &str), Newest> = releases
        .chunk_by(|a, b| (&a.source, &a.scope) == (&b.source, &b.scope))
        .map(|of_scope| (name(&of_scope[0]), newest(of_scope)))
        .collect();
    let differs: Vec<(ScopeKey, Newest)> = store
        .ledgered()?
        .into_iter()
        .filter_map(|here| {
            let (source, scope) = (&here.contract.source, &here.contract.scope);
            let there = newest.get(&(source.as_str(), scope.as_str()))?;
            let key = ScopeKey::new(source, scope).ok()?;
            (here.newest.as_ref() != Some(there)).then(|| (key, there.clone()))
        })
        .collect();
    store.replace_newest(&differs)
}

/// The newest of the releases of one scope, in their [`order`]: the last. One
/// without a sequence has no place among the others, so it counts as newer.
fn newest(of_scope: &[PulledRelease]) -> Newest {
    let newest = &of_scope[of_scope.len() - 1];
    let n_of_seq = of_scope
        .iter()
        .filter(|release| release.seq == newest.seq)
        .count();
    let reached_at = of_scope
        .iter()
        .filter(|release| {
            let as_far = newest.complete_through.is_some()
                && release.complete_through >= newest.complete_through;
            as_far && release.complete_through <= release.published_at
        })
        .filter_map(|release| release.published_at)
        .min();
    Newest {
        seq: newest.seq,
        n_of_seq: n_of_seq as u64,
        run_id: newest.run_id.clone(),
        complete_through: newest.complete_through,
        published_at: newest.published_at,
        reached_at,
        rows: newest.rows,
    }
}

fn name(release: &PulledRelease) -> (&str, &str) {
    (&release.source, &release.scope)
}

/// By scope and sequence; without one last. Of one sequence the greatest run
/// first, so that the last is the one that the printed check shows.
fn order(release: &PulledRelease) -> impl Ord + '_ {
    let PulledRelease {
        source,
        scope,
        seq,
        run_id,
        ..
    } = release;
    (
        (source, scope),
        (seq.is_none(), *seq),
        std::cmp::Reverse(run_id),
    )
}

/// Releases whose sequence an earlier one of the scope has.
fn reused(releases: &[PulledRelease]) -> BTreeMap<(&str, &str, &str), u64> {
    let pairs = releases.iter().zip(releases.iter().skip(1));
    pairs
        .filter(|(before, release)| name(before) == name(release) && before.seq == release.seq)
        .filter_map(|(_, release)| {
            let (source, scope) = name(release);
            let seq = u64::try_from(release.seq?).ok()?;
            Some(((source, scope, release.run_id.as_deref()?), seq))
        })
        .collect()
}

fn asked(release: &PulledRelease) -> Asked {
    let PulledRelease {
        source,
        scope,
        seq,
        run_id,
        complete_through,
        published_at,
        position,
        rows,
        regression,
        unreadable,
    } = release;
    let fault = match (seq, rows) {
        (None, _) => Some("publication_seq is missing".to_owned()),
        (Some(seq @ ..1), _) => Some(format!("publication_seq is not above 0: {seq}")),
        (_, Some(rows @ ..0)) => Some(format!("rows is below 0: {rows}")),
        _ => None,
    };
    Asked {
        step: Step::Publish,
        proposal: Proposal {
            source: source.clone(),
            scope: scope.clone(),
            run_id: run_id.clone().unwrap_or_default(),
            complete_through: *complete_through,
            published_at: *published_at,
            position: position.clone(),
            rows: rows.and_then(|rows| u64::try_from(rows).ok()),
            allow_regression: regression.clone(),
            ..Proposal::default()
        },
        why: String::new(),
        unreadable: unreadable.clone().or(fault),
    }
}

/// Contracts that mean nothing, or that are not the only one of their scope.
fn invalid(contracts: &[ContractRow]) -> Vec<(ContractRow, ContractFault)> {
    let mut seen = BTreeSet::new();
    let mut twice = BTreeMap::new();
    for row in contracts {
        if !seen.insert((&row.source, &row.scope)) {
            *twice.entry((&row.source, &row.scope)).or_insert(1) += 1;
        }
    }
    let holidays = holidays();
    contracts
        .iter()
        .filter_map(|row| {
            let fault = match Contract::read(row, &holidays) {
                Err(fault) => fault,
                Ok(_) => ContractFault::Duplicate(*twice.get(&(&row.source, &row.scope))?),
            };
            Some((row.clone(), fault))
        })
        .collect()
}

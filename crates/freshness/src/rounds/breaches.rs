//! Which datasets break a promise now?
//!
//! Promises are judged at the instant that is asked about, as `slo check` would:
//! what its last run found may be old, and whoever stops it must not keep a
//! dashboard green.

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::coverage::{Condition, ContractRow, ScopeKey, ScopeState, by_dataset};
use freshness_core::incidents::{Breach, Broken};
use freshness_core::slo::{BreachSeverity, Outcome, USUAL_ENVIRONMENT, Verdict, lost};
use freshness_core::state::Severity;
use freshness_store::{DatasetNo, Store};
use jiff::Timestamp;

use super::slo::{SloDataset, promises, slo_look};
use super::{DatasetFailure, RoundError, coverage};

/// How many datasets have service levels that count for incidents and trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromisesCounted {
    /// Only those in the usual environment: anything runs there.
    pub only_usual: bool,
    /// Datasets.
    pub n_datasets: u64,
    /// … that break one.
    pub n_broken: u64,
}

/// What promises say at an instant.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The datasets that break one.
    pub(super) breaches: BTreeMap<DatasetNo, Breach>,
    /// Promises that cannot be read.
    pub(super) failures: Vec<DatasetFailure>,
    /// The datasets of which promises say how they are: something is known of all
    /// that may fail a check.
    pub(super) told: BTreeSet<DatasetNo>,
    /// The datasets that have service levels.
    promised: BTreeSet<DatasetNo>,
    /// Service levels that count; `None` where none are declared.
    pub(super) counted: Option<PromisesCounted>,
    /// Is anything promised at all?
    pub(super) is_any: bool,
}

/// What is broken at an instant. Arrivals are those of production, so where
/// anything runs in `prod` only promises there count: what is broken in a test is
/// no incident.
pub(super) fn kept(
    store: &Store,
    now: Timestamp,
    threads: Option<u16>,
) -> Result<Kept, RoundError> {
    let mut kept = Kept::default();
    if store.n_declarations()? > 0 {
        let is_known = store.environment_no(USUAL_ENVIRONMENT)?.is_some();
        let which = is_known.then_some(USUAL_ENVIRONMENT);
        let promises = promises(store, which, |_| true)?;
        let looked = slo_look(store, promises, now, threads)?;
        kept.is_any = true;
        kept.failures = looked.failures;
        let mut doubtful = BTreeSet::new();
        for dataset in &looked.datasets {
            kept.promised.insert(dataset.promise.no);
            match is_told(dataset) {
                true => kept.told.insert(dataset.promise.no),
                false => doubtful.insert(dataset.promise.no),
            };
        }
        kept.counted = Some(PromisesCounted {
            only_usual: is_known,
            n_datasets: kept.promised.len() as u64,
            n_broken: 0,
        });
        kept.told.retain(|no| !doubtful.contains(no));
        for dataset in &looked.datasets {
            add_levels(dataset, now, &mut kept.breaches);
        }
    }
    if let Some(counted) = &mut kept.counted {
        counted.n_broken = kept.breaches.len() as u64;
    }
    add_scopes(store, now, &mut kept)?;
    for breach in kept.breaches.values_mut() {
        breach.broken.sort_unstable();
    }
    Ok(kept)
}

impl Kept {
    /// Can anything be judged by promises?
    pub(super) fn tells(&self) -> bool {
        !self.told.is_empty() || !self.breaches.is_empty()
    }
}

/// Is anything known of a dataset by its promises, and of none that may fail a
/// check nothing?
fn is_told(dataset: &SloDataset) -> bool {
    let is_known = |verdict: &Verdict| !matches!(verdict.outcome, Outcome::CouldNotTell { .. });
    dataset.verdicts.iter().any(is_known)
        && !dataset
            .weighed()
            .any(|(verdict, fails)| fails && verdict.outcome.is_doubt())
}

/// The service levels that a dataset breaks.
fn add_levels(dataset: &SloDataset, now: Timestamp, breaches: &mut BTreeMap<DatasetNo, Breach>) {
    let now = now.as_second();
    let promise = &dataset.promise;
    for (verdict, since) in dataset.verdicts.iter().zip(&dataset.broken_since) {
        let Some(severity) = verdict.outcome.severity() else {
            continue;
        };
        let severity = match severity {
            BreachSeverity::Advisory => Severity::Advisory,
            BreachSeverity::Warning => Severity::Warning,
            BreachSeverity::Critical => Severity::Critical,
        };
        // What only warns takes nothing away.
        let lost = match severity {
            Severity::Advisory => 0.0,
            Severity::Warning | Severity::Critical => lost(verdict),
        };
        let since = since.unwrap_or(now);
        let breach = breaches.entry(promise.no).or_insert_with(|| Breach {
            since,
            severity,
            broken: Vec::new(),
            lost,
        });
        breach.since = breach.since.min(since);
        breach.severity = breach.severity.max(severity);
        breach.lost = breach.lost.max(lost);
        let broken = Broken::Level(verdict.objective);
        if !breach.broken.contains(&broken) {
            breach.broken.push(broken);
        }
    }
}

/// Scopes that are not covered as their contracts ask, under the datasets that
/// they feed. A dataset loses the share of its scopes.
fn add_scopes(store: &Store, now: Timestamp, kept: &mut Kept) -> Result<(), RoundError> {
    let covered = match coverage::look(store, now) {
        Ok(covered) => covered,
        Err(RoundError::NoContracts(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    kept.is_any = true;
    for fed in by_dataset(&covered.scopes) {
        let Some(no) = store.dataset_no(fed.name)? else {
            continue;
        };
        // What its levels leave open its scopes do not answer.
        if !kept.promised.contains(&no) {
            kept.told.insert(no);
        }
        let lost = fed.behind.len() as f64 / fed.n_scopes as f64;
        for state in fed.behind {
            let ContractRow { source, scope, .. } = &state.contract;
            let Ok(key) = ScopeKey::new(source, scope) else {
                continue;
            };
            let since = since(state, now);
            let breach = kept.breaches.entry(no).or_insert_with(|| Breach {
                since,
                severity: Severity::Warning,
                broken: Vec::new(),
                lost,
            });
            breach.since = breach.since.min(since);
            breach.severity = breach.severity.max(Severity::Warning);
            breach.lost = breach.lost.max(lost);
            let broken = Broken::Scope(key.dataset_id());
            if !breach.broken.contains(&broken) {
                breach.broken.push(broken);
            }
        }
    }
    Ok(())
}

/// When the limit was reached that a scope exceeds, if all time counted; of
/// what has no such instant, now.
fn since(state: &ScopeState, now: Timestamp) -> i64 {
    let now = now.as_second();
    let newest = state.newest.as_ref();
    let after = |at: Option<i64>, minutes: Option<i64>| {
        Some(at?.saturating_add(minutes?.saturating_mul(60)))
    };
    let limit = match state.condition {
        Condition::SourceStale => after(
            newest.and_then(|newest| newest.complete_through),
            state.contract.max_source_lag_minutes,
        ),
        Condition::PublicationGap => after(
            newest.and_then(|newest| newest.reached_at.or(newest.published_at)),
            state.contract.max_publication_gap_minutes,
        ),
        Condition::InvalidContract
        | Condition::MissingPublication
        | Condition::InvalidPublication
        | Condition::InvalidClockOrder
        | Condition::PutOff
        | Condition::Healthy => None,
    };
    limit.map_or(now, |limit| limit.clamp(0, now.max(0)))
}

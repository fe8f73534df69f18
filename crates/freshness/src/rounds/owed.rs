//! What was declared of each dataset, and how does that stand?
//!
//! For those who look at everything at once: each promise as it is and as it was
//! on the days before, and scopes that are not covered under the dataset they
//! feed. Records nothing.

use std::collections::BTreeMap;

use freshness_core::coverage::ScopeState;
use freshness_core::dataset::DatasetId;
use freshness_core::incidents::Broken;
use freshness_core::slo::{ObjectiveHistory, Verdict};
use freshness_store::{DatasetNo, Store};
use jiff::Timestamp;

use super::slo::{USUAL_DAYS, promises, slo_history, slo_look};
use super::{Checked, DatasetFailure, RoundError, SloChecked, SloDataset, coverage};

/// The promises of one dataset in one environment.
#[derive(Debug, Clone)]
pub struct KeptPromise {
    /// As they are.
    pub judged: SloDataset,
    /// As they were, objective by objective as in the verdicts.
    pub past: Vec<ObjectiveHistory>,
}

/// What was declared of one dataset.
#[derive(Debug, Clone, Default)]
pub struct Owed {
    /// Its promises, by environment.
    pub promises: Vec<KeptPromise>,
    /// Scopes that feed it and are not covered as their contracts ask.
    pub behind: Vec<ScopeState>,
}

/// What was declared of all datasets.
#[derive(Debug, Default)]
pub struct AllOwed {
    /// By dataset; those of which nothing was are absent.
    pub datasets: BTreeMap<DatasetNo, Owed>,
    /// Promises that cannot be read.
    pub failures: Vec<DatasetFailure>,
}

impl KeptPromise {
    /// Each objective: what is said of it, whether a check fails by it, since when it
    /// is broken (UTC seconds), and how it was kept.
    pub fn objectives(
        &self,
    ) -> impl Iterator<Item = (&Verdict, bool, Option<i64>, &ObjectiveHistory)> {
        let past = self.judged.broken_since.iter().zip(&self.past);
        let objectives = self.judged.weighed().zip(past);
        objectives.map(|((verdict, fails), (since, past))| (verdict, fails, *since, past))
    }
}

impl AllOwed {
    /// All promises, by dataset and environment.
    pub fn promises(&self) -> impl Iterator<Item = &KeptPromise> {
        self.datasets.values().flat_map(|of| &of.promises)
    }
}

/// What was declared of the datasets that were judged. A store of which nothing
/// is owed costs next to nothing.
pub fn owed(store: &Store, checked: &Checked, threads: Option<u16>) -> Result<AllOwed, RoundError> {
    let mut all = promised(store, checked.now, threads)?;
    let fed = |broken: &Broken| matches!(broken, Broken::Scope(_));
    let breaches = || checked.datasets.iter().filter_map(|of| of.breach.as_ref());
    // That there are any is known already.
    if !breaches().any(|breach| breach.broken.iter().any(fed)) {
        return Ok(all);
    }
    let datasets = checked.datasets.iter();
    let numbers: BTreeMap<&str, DatasetNo> = datasets
        .map(|judged| (judged.dataset.id.as_str(), judged.no))
        .collect();
    for state in coverage::look(store, checked.now)?.scopes {
        let name = state.contract.dataset.as_deref();
        let no = name.and_then(|name| numbers.get(name));
        if let (Some(no), true) = (no, state.fails()) {
            all.datasets.entry(*no).or_default().behind.push(state);
        }
    }
    Ok(all)
}

fn promised(store: &Store, now: Timestamp, threads: Option<u16>) -> Result<AllOwed, RoundError> {
    let found = match promises(store, None, |_| true) {
        Ok(found) => found,
        Err(RoundError::NoPromises(_)) => return Ok(AllOwed::default()),
        Err(error) => return Err(error),
    };
    let past = slo_history(store, found.promises.clone(), USUAL_DAYS, now, threads)?;
    let checked = slo_look(store, found, now, threads)?;
    let mut all = AllOwed {
        datasets: BTreeMap::new(),
        failures: checked.failures,
    };
    for (judged, past) in checked.datasets.into_iter().zip(past) {
        let of = all.datasets.entry(judged.promise.no).or_default();
        of.promises.push(KeptPromise {
            judged,
            past: past.objectives,
        });
    }
    Ok(all)
}

/// How the promises of one dataset stand; `None` if nothing is declared at all.
pub fn promises_of(
    store: &Store,
    dataset: &DatasetId,
    now: Timestamp,
) -> Result<Option<SloChecked>, RoundError> {
    match promises(store, None, |of| of == dataset) {
        Ok(found) => Ok(Some(slo_look(store, found, now, Some(1))?)),
        Err(RoundError::NoPromises(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

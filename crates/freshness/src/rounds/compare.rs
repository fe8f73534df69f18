//! How do all promises stand to what is learned?

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::coverage::ScopeKey;
use freshness_core::dataset::DatasetId;
use freshness_core::fit::Model;
use freshness_core::schedule::{Maintenance, TimeOff};
use freshness_core::slo::{Reach, RunHistory, ServiceLevels, USUAL_ENVIRONMENT};
use freshness_core::state::{Comparison, compare};
use freshness_store::{DatasetNo, Store, Tail};
use jiff::Timestamp;

use super::{DatasetFailure, RoundError, holidays};

/// A dataset, its promises, and how they stand to what is learned.
#[derive(Debug)]
pub struct Compared {
    /// Which.
    pub dataset: DatasetId,
    /// Where it runs.
    pub environment: String,
    /// What is promised; nothing if nothing is declared.
    pub levels: ServiceLevels,
    /// Is anything declared of it?
    pub is_declared: bool,
    /// What is learned.
    pub model: Option<Model>,
    /// How they stand to each other.
    pub comparison: Comparison,
}

/// Promises beside what is learned, and what could not be read.
#[derive(Debug)]
pub struct AllCompared {
    /// By dataset and environment.
    pub datasets: Vec<Compared>,
    /// Those of which something is damaged.
    pub failed: Vec<DatasetFailure>,
}

/// More days than are counted are read: an age begins before them.
const LEAD_DAYS: i64 = 31;
const DAY: i64 = freshness_core::civil::DAY;

/// Compares the datasets that are asked for: those that are declared, and those
/// of which something is learned.
pub fn compare_promises(
    store: &Store,
    now: Timestamp,
    n_days: u16,
    is_asked: impl Fn(&DatasetId) -> bool,
) -> Result<AllCompared, RoundError> {
    store.at_one_instant(|store| compare_all(store, now.as_second(), n_days, &is_asked))
}

fn compare_all(
    store: &Store,
    now: i64,
    n_days: u16,
    is_asked: &dyn Fn(&DatasetId) -> bool,
) -> Result<AllCompared, RoundError> {
    let mut failed = Vec::new();
    let mut models: BTreeMap<DatasetNo, Model> = BTreeMap::new();
    let names: BTreeMap<DatasetNo, DatasetId> = store
        .datasets()?
        .into_iter()
        .map(|entry| (entry.no, entry.id))
        .collect();
    let mut fail = |no: DatasetNo, error: String| {
        if let Some(id) = names.get(&no).filter(|id| is_asked(id)) {
            failed.push(DatasetFailure {
                dataset_id: id.clone(),
                error,
            });
        }
    };
    for (no, model) in store.models()? {
        match model {
            Ok(model) => {
                models.insert(no, model);
            }
            Err(error) => fail(no, error.to_string()),
        }
    }
    type Promised = Option<(ServiceLevels, Maintenance)>;
    let mut all: BTreeMap<(DatasetId, String), (DatasetNo, Promised)> = BTreeMap::new();
    for entry in store.declarations()? {
        match entry.declaration {
            Ok(of) => {
                let key = (entry.dataset, entry.environment);
                all.insert(key, (entry.no, Some((of.levels, entry.maintenance))));
            }
            Err(error) => fail(entry.no, error.to_string()),
        }
    }
    let declared: BTreeSet<DatasetNo> = all.values().map(|(no, _)| *no).collect();
    for no in models.keys() {
        // A scope of coverage is held to its contract.
        let owes = |id: &&DatasetId| ScopeKey::of_dataset(id).is_none();
        let Some(id) = names.get(no).filter(owes) else {
            continue;
        };
        if !declared.contains(no) {
            all.insert((id.clone(), USUAL_ENVIRONMENT.to_owned()), (*no, None));
        }
    }
    let holidays = holidays();
    let since = now - (i64::from(n_days) + LEAD_DAYS) * DAY;
    let mut datasets = Vec::new();
    for ((dataset, environment), (no, promised)) in all {
        if !is_asked(&dataset) {
            continue;
        }
        let tail = Tail { at_least: 1, since };
        let arrivals = match store.recent(no, tail) {
            Ok(arrivals) => arrivals,
            Err(error) => {
                fail(no, error.to_string());
                continue;
            }
        };
        let runs = runs(store, no, &environment, since, now)?;
        let is_declared = promised.is_some();
        let (levels, maintenance) = promised.unwrap_or_default();
        let time = TimeOff {
            holidays: &holidays,
            maintenance: &maintenance,
        };
        let model = models.get(&no).cloned();
        datasets.push(Compared {
            comparison: compare(&levels, model.as_ref(), &runs, &arrivals, time, n_days, now),
            dataset,
            environment,
            levels,
            is_declared,
            model,
        });
    }
    Ok(AllCompared { datasets, failed })
}

fn runs(
    store: &Store,
    no: DatasetNo,
    environment: &str,
    since: i64,
    now: i64,
) -> Result<RunHistory, RoundError> {
    let Some(environment_no) = store.environment_no(environment)? else {
        return Ok(RunHistory::new(environment, []));
    };
    let reach = Reach {
        runs: 1,
        since,
        seconds: 0,
    };
    let tail = store.recent_runs(no, (environment_no, environment), now, reach)?;
    Ok(RunHistory::new(environment, tail.runs))
}

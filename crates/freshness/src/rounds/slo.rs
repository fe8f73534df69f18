//! Are the promises kept, and how well were they?
//!
//! In order: read what is declared; of each dataset read the newest runs, as many
//! as it takes; judge; where older runs might say otherwise, read those too; and
//! record what changed, all in one transaction.

mod one;

use std::collections::BTreeMap;

use freshness_core::dataset::DatasetId;
use freshness_core::schedule::Maintenance;
use freshness_core::slo::{ObjectiveHistory, ServiceLevels, Verdict, history, only_warns};
use freshness_store::{DatasetNo, SloChange, SloCheck, SloJudged, Store, StoreError};
use jiff::Timestamp;

use self::one::{Numbers, judge_one, past_reach, runs};
use super::share::share;
use super::{DatasetFailure, RoundError, holidays};
use crate::clock::Clock;
use crate::threads::n_threads;

/// What is promised of a dataset in an environment.
#[derive(Debug, Clone)]
pub struct Promise {
    /// The number of the dataset in the store.
    pub no: DatasetNo,
    /// The dataset.
    pub dataset: DatasetId,
    /// Where it runs.
    pub environment: String,
    /// What is promised.
    pub levels: ServiceLevels,
    /// When somebody works on what delivers it.
    pub maintenance: Maintenance,
}

/// Which promises are looked at.
#[derive(Debug, Clone, Default)]
pub struct Promises {
    /// Those, by dataset and environment.
    pub promises: Vec<Promise>,
    /// What cannot be read.
    pub failures: Vec<DatasetFailure>,
    /// Are these all there are?
    pub is_whole: bool,
}

/// What was said of the promises of one dataset.
#[derive(Debug, Clone)]
pub struct SloDataset {
    /// Of these.
    pub promise: Promise,
    /// Its last run.
    pub run_id: Option<String>,
    /// One for each objective.
    pub verdicts: Vec<Verdict>,
    /// Since when each is broken without a break, UTC seconds; `None` if it is not.
    pub broken_since: Vec<Option<i64>>,
}

/// What a look at the promises found.
#[derive(Debug)]
pub struct SloChecked {
    /// The instant that was judged.
    pub now: Timestamp,
    /// What was said, by dataset and environment.
    pub datasets: Vec<SloDataset>,
    /// Promises that cannot be read.
    pub failures: Vec<DatasetFailure>,
    /// Verdicts that are others than before; empty if nothing was recorded.
    pub changes: Vec<SloChange>,
    /// Was it recorded?
    pub recorded: bool,
}

/// How well the promises of one dataset were kept.
#[derive(Debug, Clone)]
pub struct SloPast {
    /// These.
    pub promise: Promise,
    /// Each objective.
    pub objectives: Vec<ObjectiveHistory>,
}

/// So many days of history are shown if nobody asks for others.
pub const USUAL_DAYS: u16 = 90;

/// Below so many datasets a second thread costs more than it saves.
const DATASETS_PER_THREAD: usize = 500;

/// The promises of the store: those of datasets that are wanted, in one
/// environment or in all.
pub fn promises(
    store: &Store,
    environment: Option<&str>,
    is_wanted: impl Fn(&DatasetId) -> bool,
) -> Result<Promises, RoundError> {
    let n_all = store.n_declarations()?;
    if n_all == 0 {
        return Err(RoundError::NoPromises(store.path().display().to_string()));
    }
    let entries = store.declarations_of(|dataset, of| {
        environment.is_none_or(|asked| asked == of) && is_wanted(dataset)
    })?;
    let mut found = Promises::default();
    for entry in entries {
        match entry.declaration {
            Ok(declaration) => found.promises.push(Promise {
                no: entry.no,
                dataset: entry.dataset,
                environment: entry.environment,
                levels: declaration.levels,
                maintenance: entry.maintenance,
            }),
            Err(error) => found.failures.push(DatasetFailure {
                dataset_id: entry.dataset,
                error: error.to_string(),
            }),
        }
    }
    found.is_whole = found.promises.len() as u64 == n_all;
    Ok(found)
}

/// Judges promises and records what changed: one check.
pub fn slo_check(
    store: &mut Store,
    promises: Promises,
    clock: &Clock,
    threads: Option<u16>,
) -> Result<SloChecked, RoundError> {
    let environments = environments(store, &promises)?;
    // In this order: another check may end between the two.
    let mut last = None;
    for name in environments.keys() {
        last = last.max(store.last_slo_check(name)?.map(|check| check.now));
    }
    let now = clock.now();
    if let Some(last) = last.filter(|last| *last > now) {
        return Err(RoundError::SloClockBehind { now, last });
    }
    let is_whole = promises.is_whole;
    let mut checked = slo_look(store, promises, now, threads)?;
    // A pinned clock that runs ahead must not make every later check stale.
    if clock.is_ahead() {
        return Ok(checked);
    }
    let checks: Vec<(SloCheck, Vec<SloJudged>)> = environments
        .into_keys()
        .map(|name| one_check(&checked, &name, is_whole, clock))
        .collect();
    checked.changes = store.record_slo_checks(&checks)?;
    checked.recorded = true;
    Ok(checked)
}

/// Judges promises and records nothing.
pub fn slo_look(
    store: &Store,
    promises: Promises,
    now: Timestamp,
    threads: Option<u16>,
) -> Result<SloChecked, RoundError> {
    let Promises {
        promises,
        failures,
        is_whole: _,
    } = promises;
    let holidays = holidays();
    let environments = numbers(store)?;
    let n_threads = n_threads(threads, promises.len(), DATASETS_PER_THREAD);
    let judged = share(
        store,
        n_threads,
        &promises,
        |store, promise| judge_one(store, promise, &environments, &holidays, now.as_second()),
        |_| (),
    )?;
    let judged = judged.into_iter().collect::<Result<Vec<_>, _>>()?;
    let datasets = promises.into_iter().zip(judged);
    Ok(SloChecked {
        now,
        datasets: datasets
            .map(|(promise, judged)| SloDataset {
                promise,
                run_id: judged.run_id,
                verdicts: judged.verdicts,
                broken_since: judged.broken_since,
            })
            .collect(),
        failures,
        changes: Vec::new(),
        recorded: false,
    })
}

/// How well promises were kept on the days until now.
pub fn slo_history(
    store: &Store,
    promises: Vec<Promise>,
    n_days: u16,
    now: Timestamp,
    threads: Option<u16>,
) -> Result<Vec<SloPast>, RoundError> {
    let holidays = holidays();
    let environments = numbers(store)?;
    let now = now.as_second();
    let n_threads = n_threads(threads, promises.len(), 1);
    let past = share(
        store,
        n_threads,
        &promises,
        |store, promise| -> Result<Vec<ObjectiveHistory>, StoreError> {
            let reach = past_reach(promise, &holidays, n_days, now);
            let (runs, _) = runs(store, promise, &environments, now, reach)?;
            Ok(history(
                &promise.levels,
                &runs,
                promise.time(&holidays),
                n_days,
                now,
            ))
        },
        |_| (),
    )?;
    let past = past.into_iter().collect::<Result<Vec<_>, _>>()?;
    let past = promises.into_iter().zip(past);
    Ok(past
        .map(|(promise, objectives)| SloPast {
            promise,
            objectives,
        })
        .collect())
}

fn numbers(store: &Store) -> Result<Numbers, StoreError> {
    let mut numbers = Numbers::new();
    for name in store.environments()? {
        if let Some(no) = store.environment_no(&name)? {
            numbers.insert(name, no);
        }
    }
    Ok(numbers)
}

/// The environments that a check is about: those of the promises, and if it is
/// about all of them, also those in which nothing is promised any more.
fn environments(store: &Store, promises: &Promises) -> Result<BTreeMap<String, ()>, StoreError> {
    let of = |promise: &Promise| (promise.environment.clone(), ());
    let mut names: BTreeMap<String, ()> = promises.promises.iter().map(of).collect();
    if promises.is_whole {
        names.extend(store.environments()?.into_iter().map(|name| (name, ())));
    }
    Ok(names)
}

fn one_check(
    checked: &SloChecked,
    environment: &str,
    is_whole: bool,
    clock: &Clock,
) -> (SloCheck, Vec<SloJudged>) {
    let datasets = checked.datasets.iter();
    let datasets = datasets.filter(|of| of.promise.environment == environment);
    let judged: Vec<SloJudged> = datasets
        .map(|of| SloJudged {
            no: of.promise.no,
            run_id: of.run_id.clone(),
            verdicts: of.verdicts.clone(),
        })
        .collect();
    let verdicts = || judged.iter().flat_map(|of| &of.verdicts);
    let check = SloCheck {
        now: checked.now,
        at: clock.now(),
        environment: environment.to_owned(),
        is_whole,
        n_datasets: judged.len() as u64,
        n_breached: verdicts().filter(|of| of.outcome.is_breach()).count() as u64,
        n_doubtful: verdicts().filter(|of| of.outcome.is_doubt()).count() as u64,
    };
    (check, judged)
}

impl SloDataset {
    /// The verdicts, and whether a check fails by them: an objective that only
    /// warns fails none.
    pub fn weighed(&self) -> impl Iterator<Item = (&Verdict, bool)> {
        let levels = &self.promise.levels;
        let weigh = |verdict: &Verdict| !only_warns(levels, verdict.objective);
        self.verdicts.iter().map(move |of| (of, weigh(of)))
    }
}

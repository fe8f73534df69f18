//! Are the promises kept, and how well were they?
//!
//! In order: read what is declared; of each dataset read the newest runs, as many
//! as it takes; judge; where older runs might say otherwise, read those too; and
//! record what changed, all in one transaction.

use std::collections::BTreeMap;

use freshness_core::civil::{DAY, Holidays};
use freshness_core::dataset::DatasetId;
use freshness_core::slo::{
    BURN_DAYS, MONTHLY_LOOKBACK_DAYS, ObjectiveHistory, Reach, Run, RunHistory, ServiceLevels,
    USUAL_ENVIRONMENT, Verdict, before_history, broken_since, history, judge, may_reach_further,
    only_warns, reach,
};
use freshness_store::{
    DatasetNo, EnvironmentNo, SloChange, SloCheck, SloJudged, Store, StoreError, Tail,
};
use jiff::Timestamp;

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

/// Older runs are looked at where they may matter: so many, or as far as earlier
/// months are.
const FAR: Reach = Reach {
    runs: 2_000,
    seconds: (MONTHLY_LOOKBACK_DAYS + 1) * DAY,
    since: i64::MAX,
};

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
            let reach = past_reach(&promise.levels, &holidays, n_days, now);
            let (runs, _) = runs(store, promise, &environments, now, reach)?;
            Ok(history(&promise.levels, &runs, &holidays, n_days, now))
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

type Numbers = BTreeMap<String, EnvironmentNo>;

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

/// What has to be known to say how promises were kept on so many days, and since
/// when they are broken.
fn past_reach(levels: &ServiceLevels, holidays: &Holidays, n_days: u16, now: i64) -> Reach {
    let n_days = n_days.max(BURN_DAYS);
    Reach {
        since: now - i64::from(n_days) * DAY - before_history(levels),
        ..reach(levels, holidays, now)
    }
}

/// What was said of a dataset.
struct Said {
    run_id: Option<String>,
    verdicts: Vec<Verdict>,
    broken_since: Vec<Option<i64>>,
}

fn judge_one(
    store: &Store,
    promise: &Promise,
    environments: &Numbers,
    holidays: &Holidays,
    now: i64,
) -> Result<Said, StoreError> {
    let levels = &promise.levels;
    let near = reach(levels, holidays, now);
    let (mut history, mut is_whole) = runs(store, promise, environments, now, near)?;
    let mut verdicts = judge(levels, &history, holidays, now);
    if !is_whole && verdicts.iter().any(may_reach_further) {
        let far = Reach {
            since: near.since,
            ..FAR
        };
        (history, is_whole) = runs(store, promise, environments, now, far)?;
        verdicts = judge(levels, &history, holidays, now);
    }
    let since = |history: &RunHistory| -> Vec<Option<i64>> {
        let since = |verdict: &Verdict| {
            let is_breach = verdict.outcome.is_breach();
            let since = || broken_since(levels, history, holidays, verdict.objective, now);
            is_breach.then(since).flatten()
        };
        verdicts.iter().map(since).collect()
    };
    let mut broken_since = since(&history);
    // As far back as is known it was broken: what was before?
    let oldest = history.runs().first().map(|run| run.finished_at);
    let is_open = |since: &Option<i64>| since.is_some() && *since <= oldest;
    if !is_whole && broken_since.iter().any(is_open) {
        let past = past_reach(levels, holidays, USUAL_DAYS, now);
        broken_since = since(&runs(store, promise, environments, now, past)?.0);
    }
    let run_id = history.runs().last().map(|run: &Run| run.run_id.clone());
    Ok(Said {
        run_id,
        verdicts,
        broken_since,
    })
}

/// The newest runs of a dataset, and whether these are all. Where nothing was
/// ever measured of it, its arrivals are what ran in the usual environment.
fn runs(
    store: &Store,
    promise: &Promise,
    environments: &Numbers,
    now: i64,
    reach: Reach,
) -> Result<(RunHistory, bool), StoreError> {
    let name = promise.environment.as_str();
    if let Some(environment) = environments.get(name) {
        let tail = store.recent_runs(promise.no, (*environment, name), now, reach)?;
        if !tail.runs.is_empty() {
            return Ok((RunHistory::new(name, tail.runs), tail.is_whole));
        }
    }
    if name != USUAL_ENVIRONMENT || store.has_runs(promise.no)? {
        return Ok((RunHistory::new(name, []), true));
    }
    let tail = Tail {
        at_least: reach.runs,
        since: reach.since.min(now - reach.seconds),
    };
    let arrivals = store.recent(promise.no, tail)?.until(now);
    let is_whole = arrivals.len() < tail.at_least;
    Ok((RunHistory::of_arrivals(name, &arrivals), is_whole))
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

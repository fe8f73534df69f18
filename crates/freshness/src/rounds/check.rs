//! Which datasets are late now, and can that be told at all?

mod unreadable;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::Holidays;
use freshness_core::dataset::Dataset;
use freshness_core::fit::Model;
use freshness_core::incidents::{Breach, Broken, Followed, Incidents, Odds};
use freshness_core::state::{self, DatasetState, Severity, State, Upstream};
use freshness_core::trust::period_seconds;
use freshness_store::{
    CheckRecord, DatasetEntry, DatasetNo, FitRun, StateChange, Store, StoreError, Tail,
};
use jiff::{SignedDuration, Timestamp};

use self::unreadable::{is_of_one_dataset, unreadable};
use super::breaches::{Kept, PromisesCounted, kept};
use super::incidents::{Causes, follow, found};
use super::share::share;
use super::summary::Summary;
use super::{DatasetFailure, RoundError, holidays, upstream};
use crate::clock::Clock;
use crate::threads::n_threads;

/// What a look at all datasets found.
#[derive(Debug)]
pub struct Checked {
    /// The instant that was judged.
    pub now: Timestamp,
    /// When the models were last fitted.
    pub fitted_at: Option<Timestamp>,
    /// Every dataset, by name.
    pub datasets: Vec<Judged>,
    /// What is behind those that are late.
    pub causes: Causes,
    /// States that differ from the last check's; empty if nothing was recorded.
    pub changes: Vec<StateChange>,
    /// Was it recorded?
    pub recorded: bool,
    /// How many promises were judged beside; `None` where none are declared.
    pub promises: Option<PromisesCounted>,
    /// Why some of it may not be believed.
    pub doubts: Vec<Doubt>,
}

/// A dataset and what can be said of it.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Its number in the store.
    pub no: DatasetNo,
    /// What is declared of it.
    pub dataset: Dataset,
    /// What can be said of it.
    pub state: DatasetState,
    /// How those stand that it is made from.
    pub upstream: Vec<Upstream>,
    /// What it is to those made from it; `None` if its model can only advise.
    pub as_upstream: Option<Upstream>,
    /// How often it turns late; `None` without a model.
    pub odds: Option<Odds>,
    /// Seconds from one delivery to the next; `None` without a calendar.
    pub period_seconds: Option<i64>,
    /// The promises that it does not keep at the instant that was judged.
    pub breach: Option<Breach>,
    /// Nothing ever arrived of it, and its promises say how it is.
    pub is_promised: bool,
}

/// A reason not to believe the verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// The models are older than they should be.
    OldModels {
        /// Their age.
        age: SignedDuration,
    },
    /// Nothing was ever fitted: datasets with arrivals are not judged by them.
    NoModels {
        /// How many.
        n_datasets: u64,
    },
    /// Something of a dataset cannot be read.
    Unreadable {
        /// Of which, and why.
        failure: DatasetFailure,
        /// Is it critical, or is even that unreadable?
        may_be_critical: bool,
    },
}

/// A judgement looks at the last few cycles; more arrivals are read only for
/// feeds that have many a day.
const TAIL_ARRIVALS: usize = 48;
const TAIL_SECONDS: i64 = 2 * 86_400;

/// The model status of a dataset without one.
pub(super) const NO_MODEL: &str = "none";

/// Below so many datasets a second thread costs more than it saves.
const DATASETS_PER_THREAD: usize = 1_000;

/// Judges every dataset and records it: one check.
pub fn check(
    store: &mut Store,
    clock: &Clock,
    max_model_age: SignedDuration,
    threads: Option<u16>,
) -> Result<Checked, RoundError> {
    let now = not_behind(store, clock)?;
    // A pinned clock that runs ahead must not make every later check stale.
    if clock.is_ahead() {
        return look(store, now, max_model_age, threads);
    }
    let (mut checked, found) = judge_all(store, now, max_model_age, threads)?;
    let states: Vec<(DatasetNo, State, Option<Severity>)> = checked
        .datasets
        .iter()
        .map(|judged| (judged.no, judged.state.state, judged.state.severity))
        .collect();
    let summary = Summary::of(&checked.datasets);
    let record = CheckRecord {
        now,
        at: clock.now(),
        n_datasets: summary.n_datasets,
        n_late: summary.late + summary.missed,
        n_critical: summary.n_critical_late + summary.n_critical_broken,
    };
    let n_late = found.n_late;
    let datasets = &checked.datasets;
    let recorded = store.record_check(&record, &states, |before, silences| {
        follow(before, found, silences, datasets, now)
    })?;
    checked.changes = recorded.changes;
    checked.causes = Causes::new(recorded.advanced, n_late);
    checked.recorded = true;
    Ok(checked)
}

/// The instant to judge. One before the last check is refused, because it would
/// say "not late yet" of what was late already.
pub fn not_behind(store: &Store, clock: &Clock) -> Result<Timestamp, RoundError> {
    // In this order: another check may end between the two.
    let last = store.last_check()?;
    let now = clock.now();
    match last.filter(|last| last.now > now) {
        Some(last) => Err(RoundError::ClockBehind {
            now,
            last: last.now,
        }),
        None => Ok(now),
    }
}

/// Judges every dataset and records nothing: the incidents are told as if it
/// were a check.
pub fn look(
    store: &Store,
    now: Timestamp,
    max_model_age: SignedDuration,
    threads: Option<u16>,
) -> Result<Checked, RoundError> {
    let (mut checked, found) = judge_all(store, now, max_model_age, threads)?;
    let before = stood(store, now)?;
    let n_late = found.n_late;
    let silences = store.silences(now)?;
    let advanced = follow(before, found, &silences, &checked.datasets, now);
    checked.causes = Causes::new(advanced, n_late);
    Ok(checked)
}

/// The incidents that stood. Who looks back sees nothing of what later checks
/// found.
fn stood(store: &Store, now: Timestamp) -> Result<Vec<Followed>, StoreError> {
    match store.last_check()?.is_some_and(|last| last.now > now) {
        true => Ok(Vec::new()),
        false => store.followed(now),
    }
}

fn judge_all(
    store: &Store,
    now: Timestamp,
    max_model_age: SignedDuration,
    threads: Option<u16>,
) -> Result<(Checked, Incidents), RoundError> {
    let entries = store.datasets()?;
    if entries.is_empty() {
        return Err(RoundError::EmptyInventory(
            store.path().display().to_string(),
        ));
    }
    let run = store.last_fit()?;
    let fitted_at = run.as_ref().map(|run| run.as_of);
    let mut kept = kept(store, now, threads)?;
    if run.is_none() && !kept.tells() {
        return Err(match kept.is_any {
            true => RoundError::NothingTold,
            false => RoundError::NoModels,
        });
    }

    let holidays = holidays();
    let n_threads = n_threads(threads, entries.len(), DATASETS_PER_THREAD);
    let judged = share(
        store,
        n_threads,
        &entries,
        |store, entry| judge_one(store, entry, &holidays, &[], now),
        |_| (),
    )?;
    let mut judged = judged.into_iter().collect::<Result<Vec<_>, _>>()?;
    upstream::hand_down(store, &mut judged, |place, upstream| {
        judge_one(store, &entries[place], &holidays, upstream, now)
    })?;
    if run.is_some() {
        refuse_without_models(&judged, &kept)?;
    }
    // Models are replaced, never removed: fewer than were learned are a loss. Those of
    // datasets that are gone stay, and are not judged.
    let n_kept = judged
        .iter()
        .filter(|(judged, failure)| failure.is_some() || judged.state.model_status != NO_MODEL)
        .count() as u64;
    let n_learned =
        |run: FitRun| run.n_learned + run.n_provisional + run.n_irregular + run.n_cold_start;
    let is_fitted = run.is_some();
    let n_learned = run.map_or(0, n_learned);
    if n_kept < n_learned && n_kept + store.n_models_of_gone()? < n_learned {
        return Err(damaged(store).into());
    }

    let mut doubts = Vec::new();
    if let Some(fitted_at) = fitted_at {
        let age = now.duration_since(fitted_at);
        if age > max_model_age {
            doubts.push(Doubt::OldModels { age });
        }
    }
    let mut datasets = Vec::with_capacity(judged.len());
    let mut n_unfitted = 0;
    for (mut judged, failure) in judged {
        judged.breach = kept.breaches.remove(&judged.no);
        let has_arrived = judged.state.last_arrival.is_some();
        n_unfitted += u64::from(!is_fitted && has_arrived);
        if failure.is_none() && !has_arrived && kept.told.contains(&judged.no) {
            judged.is_promised = true;
            judged.state.reason = by_promises(judged.breach.as_ref());
        }
        doubts.extend(failure.map(|failure| Doubt::Unreadable {
            failure,
            may_be_critical: judged.dataset.critical,
        }));
        datasets.push(judged);
    }
    if n_unfitted > 0 {
        doubts.push(Doubt::NoModels {
            n_datasets: n_unfitted,
        });
    }
    doubts.extend(kept.failures.into_iter().map(|failure| Doubt::Unreadable {
        failure,
        may_be_critical: false,
    }));
    let found = found(store, &datasets, &stood(store, now)?, now)?;
    let checked = Checked {
        now,
        fitted_at,
        datasets,
        causes: Causes::default(),
        changes: Vec::new(),
        recorded: false,
        promises: kept.counted,
        doubts,
    };
    Ok((checked, found))
}

/// The reason of a state that only promises tell.
fn by_promises(breach: Option<&Breach>) -> String {
    let broken = breach.map(|breach| {
        let words: Vec<String> = breach.broken.iter().map(Broken::words).collect();
        format!("it breaks its promise of {}", words.join(", "))
    });
    let told = broken.unwrap_or_else(|| "it keeps its promises".to_owned());
    format!("nothing has arrived yet; {told}")
}

fn refuse_without_models(judged: &[JudgedOne], kept: &Kept) -> Result<(), RoundError> {
    let has_model = |(judged, _): &(Judged, _)| judged.state.model_status != NO_MODEL;
    if judged.iter().any(has_model) {
        return Ok(());
    }
    match judged.iter().find_map(|(_, failure)| failure.as_ref()) {
        Some(failure) => Err(RoundError::NoReadableModels(failure.error.clone())),
        None if kept.tells() => Ok(()),
        None => Err(RoundError::NoModels),
    }
}

/// A dataset, and why it could not be read if so.
pub(super) type JudgedOne = (Judged, Option<DatasetFailure>);

/// Fails only if the store does, for then nothing in it is to be believed.
pub(super) fn judge_one(
    store: &Store,
    entry: &DatasetEntry,
    holidays: &Holidays,
    upstream: &[Upstream],
    now: Timestamp,
) -> Result<JudgedOne, StoreError> {
    let dataset = match &entry.declared {
        Ok(dataset) => dataset.clone(),
        Err(error) => {
            // Whether it is critical cannot be told, so it must be taken for it.
            let mut dataset = Dataset::undeclared(entry.id.clone());
            dataset.critical = true;
            return Ok(unreadable(entry, dataset, error));
        }
    };
    let read = || -> Result<(Option<Model>, ArrivalHistory, bool), StoreError> {
        let model = store.model(entry.no)?;
        let n_arrivals_of = |model: &Model| model.n_arrivals_of(TAIL_ARRIVALS);
        let at_least = model.as_ref().map_or(TAIL_ARRIVALS, n_arrivals_of);
        let history = recent(store, entry.no, at_least, now.as_second())?;
        let is_emptied = history.is_empty() && store.is_emptied(entry.no)?;
        Ok((model, history, is_emptied))
    };
    Ok(match read() {
        // A model without one of the arrivals that it was learned from: a page
        // of the store that was lost can look like that.
        Ok((Some(model), history, false))
            if model.n_arrivals > 0 && model.as_of <= now && history.is_empty() =>
        {
            return Err(damaged(store));
        }
        Ok((model, history, is_emptied)) => {
            let now = now.as_second();
            let known = model.as_ref();
            let state = state::judge(&dataset, known, &history, holidays, upstream, now);
            let state = if is_emptied { emptied(state) } else { state };
            let judged = Judged {
                no: entry.no,
                dataset,
                upstream: upstream.to_vec(),
                as_upstream: known.and_then(|model| Upstream::now(&state, model)),
                state,
                odds: model.as_ref().map(Odds::of),
                period_seconds: model.as_ref().and_then(period_seconds),
                breach: None,
                is_promised: false,
            };
            (judged, None)
        }
        Err(error) if is_of_one_dataset(&error) => unreadable(entry, dataset, &error),
        Err(error) => return Err(error),
    })
}

/// The state of a dataset of which every arrival was withdrawn, whatever its model says
/// that was learned from them.
pub(super) fn emptied(state: DatasetState) -> DatasetState {
    DatasetState {
        state: State::NotEvaluated,
        reason: "nothing to judge: all of its arrivals were withdrawn by what a source told later"
            .to_owned(),
        ..state
    }
}

fn damaged(store: &Store) -> StoreError {
    StoreError::Damaged {
        path: store.path().to_owned(),
    }
}

/// The newest arrivals before `now`, at least so many.
fn recent(
    store: &Store,
    no: DatasetNo,
    at_least: usize,
    now: i64,
) -> Result<ArrivalHistory, StoreError> {
    let tail = Tail {
        at_least,
        since: now - TAIL_SECONDS,
    };
    let history = store.recent(no, tail)?;
    let n_known = history.at().partition_point(|&at| at <= now);
    // Arrivals after a clock that was set back fill the tail.
    if n_known < history.len() && n_known < at_least {
        return store.history(no);
    }
    Ok(history)
}

//! What would each dataset have raised over a stretch of its past?

use std::convert::Infallible;
use std::panic::{self, AssertUnwindSafe};

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::{DAY, Holidays};
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::fit::Parameters;
use freshness_core::lineage::Lineage;
use freshness_core::state::{Replayed, Upstream, Walk, as_upstream, in_generations, replay};
use freshness_store::{DatasetEntry, Store};

use super::share::share;
use super::{DatasetFailure, Learning, RoundError, holidays};
use crate::threads::{n_threads, share_with};

/// Before the first arrival of all nothing is known of any cycle, except that
/// its sender may say which one it was: of a month before, at most.
const BEFORE_HISTORY: i64 = 31 * DAY;

/// What a backtest found.
#[derive(Debug, Clone, PartialEq)]
pub struct Backtested {
    /// What was walked: a window that begins long before the history is cut.
    pub walk: Walk,
    /// Every dataset that could be replayed, by name.
    pub datasets: Vec<ReplayedDataset>,
    /// Those that could not.
    pub failed: Vec<DatasetFailure>,
}

/// The past of one dataset as it would have been judged.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayedDataset {
    /// Its name.
    pub id: DatasetId,
    /// Its first arrival of all, in UTC seconds.
    pub first_arrival: Option<i64>,
    /// Its expected cycles in the window, oldest first.
    pub cycles: Vec<Replayed>,
}

/// Replays every dataset of a store over the walk. Nothing is stored.
/// `progress` hears how many more datasets are finished, of how many.
pub fn backtest(
    store: &Store,
    walk: &Walk,
    parameters: &Learning<'_>,
    threads: Option<u16>,
    progress: impl Fn(u64, u64) + Sync,
) -> Result<Backtested, RoundError> {
    let entries = store.datasets()?;
    if entries.is_empty() {
        return Err(RoundError::EmptyInventory(
            store.path().display().to_string(),
        ));
    }
    let holidays = holidays();
    let n_threads = n_threads(threads, entries.len(), 1);
    let first = |store: &Store, entry: &DatasetEntry| {
        let history = store.history(entry.no).ok();
        history.and_then(|history| history.at().first().copied())
    };
    let firsts = share(store, n_threads, &entries, first, |_| {})?;
    let walk = &within_history(walk, firsts.into_iter().flatten());
    let edges = store.lineage()?.into_iter();
    let lineage = Lineage::new(edges.map(|edge| (edge.upstream, edge.downstream)))?;
    let ids: Vec<&DatasetId> = entries.iter().map(|entry| &entry.id).collect();
    let look = |places: &[usize], upstream_of: UpstreamOf<'_>| {
        let one = |store: &Store, &place: &usize| {
            let entry = &entries[place];
            let dataset = entry.declared.as_ref().map_err(ToString::to_string)?;
            let history = store.history(entry.no).map_err(|error| error.to_string())?;
            let upstream = upstream_of(place);
            let parameters = parameters.of(dataset);
            replay_one(dataset, &history, &holidays, walk, &parameters, &upstream)
        };
        let done = |n_more| progress(n_more, entries.len() as u64);
        share(store, n_threads, places, one, done)
    };
    let replayed = in_generations(&lineage, &ids, look, raised)?;
    Ok(gathered(*walk, ids.into_iter().cloned().zip(replayed)))
}

/// … of datasets by name, with what arrived of each, and what is made from what.
pub fn backtest_of(
    datasets: &[(Dataset, ArrivalHistory)],
    lineage: &Lineage,
    walk: &Walk,
    parameters: &Learning<'_>,
    threads: Option<u16>,
    progress: impl Fn(u64, u64) + Sync,
) -> Backtested {
    let holidays = holidays();
    let firsts = datasets
        .iter()
        .filter_map(|(_, history)| history.at().first());
    let walk = &within_history(walk, firsts.copied());
    let n_threads = n_threads(threads, datasets.len(), 1);
    let ids: Vec<&DatasetId> = datasets.iter().map(|(dataset, _)| &dataset.id).collect();
    let look = |places: &[usize], upstream_of: UpstreamOf<'_>| {
        let one = |(): &(), &place: &usize| {
            let (dataset, history) = &datasets[place];
            let upstream = upstream_of(place);
            let parameters = parameters.of(dataset);
            replay_one(dataset, history, &holidays, walk, &parameters, &upstream)
        };
        let done = |n_more| progress(n_more, datasets.len() as u64);
        Ok::<_, Infallible>(share_with(vec![(); n_threads], places, one, done))
    };
    let Ok(replayed) = in_generations(lineage, &ids, look, raised);
    gathered(*walk, ids.into_iter().cloned().zip(replayed))
}

/// How those stood that the dataset at a place is made from.
type UpstreamOf<'a> = &'a (dyn Fn(usize) -> Vec<Upstream> + Sync);

type Past = (Option<i64>, Vec<Replayed>);

/// What those made from it knew of its past.
fn raised(past: &Result<Past, String>) -> Vec<Upstream> {
    past.as_ref()
        .map_or_else(|_| Vec::new(), |(_, cycles)| as_upstream(cycles))
}

/// Leaves out whole steps before anything arrived, so that the others are
/// what they would have been.
fn within_history(walk: &Walk, firsts: impl Iterator<Item = i64>) -> Walk {
    let begins = firsts.min().map_or(walk.to, |first| first - BEFORE_HISTORY);
    let refit = walk.refit.max(1);
    let n_steps = ((begins - walk.from) / refit).max(0);
    Walk {
        from: (walk.from + n_steps * refit).min(walk.to),
        ..*walk
    }
}

fn gathered(
    walk: Walk,
    each: impl Iterator<Item = (DatasetId, Result<Past, String>)>,
) -> Backtested {
    let mut found = Backtested {
        walk,
        datasets: Vec::new(),
        failed: Vec::new(),
    };
    for (id, replayed) in each {
        match replayed {
            Ok((first_arrival, cycles)) => found.datasets.push(ReplayedDataset {
                id,
                first_arrival,
                cycles,
            }),
            Err(error) => found.failed.push(DatasetFailure {
                dataset_id: id,
                error,
            }),
        }
    }
    found
}

fn replay_one(
    dataset: &Dataset,
    history: &ArrivalHistory,
    holidays: &Holidays,
    walk: &Walk,
    parameters: &Parameters,
    upstream: &[Upstream],
) -> Result<Past, String> {
    let cycles = panic::catch_unwind(AssertUnwindSafe(|| {
        replay(dataset, history, holidays, walk, parameters, upstream)
    }))
    .map_err(|_| "the replay itself failed; please report this as a defect".to_owned())?;
    Ok((history.at().first().copied(), cycles))
}

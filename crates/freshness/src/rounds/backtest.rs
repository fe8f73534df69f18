//! What would each dataset have raised over a stretch of its past?

use std::panic::{self, AssertUnwindSafe};

use freshness_core::civil::Holidays;
use freshness_core::fit::Parameters;
use freshness_core::state::{Replayed, Walk, replay};
use freshness_store::{DatasetEntry, Store};

use super::share::{n_threads, share};
use super::{DatasetFailure, RoundError, holidays};
use freshness_core::dataset::DatasetId;

/// What a backtest found.
#[derive(Debug, Clone, PartialEq)]
pub struct Backtested {
    /// Every dataset that could be replayed, by name, with its cycles.
    pub datasets: Vec<(DatasetId, Vec<Replayed>)>,
    /// Those that could not.
    pub failed: Vec<DatasetFailure>,
}

/// Replays every dataset over the walk. Nothing is stored. `progress` hears
/// how many more datasets are finished, of how many.
pub fn backtest(
    store: &Store,
    walk: &Walk,
    parameters: &Parameters,
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
    let replayed = share(
        store,
        n_threads(threads, entries.len(), 1),
        &entries,
        |store, entry| replay_one(store, entry, &holidays, walk, parameters),
        |n_more| progress(n_more, entries.len() as u64),
    )?;
    let mut found = Backtested {
        datasets: Vec::new(),
        failed: Vec::new(),
    };
    for (entry, replayed) in entries.into_iter().zip(replayed) {
        match replayed {
            Ok(cycles) => found.datasets.push((entry.id, cycles)),
            Err(error) => found.failed.push(DatasetFailure {
                dataset_id: entry.id,
                error,
            }),
        }
    }
    Ok(found)
}

fn replay_one(
    store: &Store,
    entry: &DatasetEntry,
    holidays: &Holidays,
    walk: &Walk,
    parameters: &Parameters,
) -> Result<Vec<Replayed>, String> {
    let dataset = entry.declared.as_ref().map_err(ToString::to_string)?;
    let history = store.history(entry.no).map_err(|error| error.to_string())?;
    panic::catch_unwind(AssertUnwindSafe(|| {
        replay(dataset, &history, holidays, walk, parameters)
    }))
    .map_err(|_| "the replay itself failed; please report this as a defect".to_owned())
}

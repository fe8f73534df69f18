//! How is work on many datasets shared among threads?
//!
//! Every thread has its own reader of the store and takes the next few
//! datasets when it is done with the last; results come back in the order of
//! the datasets, so that the number of threads changes nothing.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use freshness_store::{Store, StoreError};

/// Datasets a thread takes at once: enough that taking costs nothing.
const BLOCK: usize = 16;

/// How many threads are worth their start for so many datasets.
pub(super) fn n_threads(
    asked: Option<u16>,
    n_datasets: usize,
    datasets_per_thread: usize,
) -> usize {
    let most = match asked {
        Some(asked) => usize::from(asked),
        None => thread::available_parallelism().map_or(1, NonZero::get),
    };
    most.min(n_datasets / datasets_per_thread.max(1)).max(1)
}

/// Does `work` for each item; `done` hears how many more are finished.
pub(super) fn share<T: Sync, R: Send>(
    store: &Store,
    n_threads: usize,
    items: &[T],
    work: impl Fn(&Store, &T) -> R + Sync,
    done: impl Fn(u64) + Sync,
) -> Result<Vec<R>, StoreError> {
    if n_threads <= 1 {
        return store.at_one_instant(|store| {
            Ok(items
                .iter()
                .map(|item| {
                    let result = work(store, item);
                    done(1);
                    result
                })
                .collect())
        });
    }
    let next = AtomicUsize::new(0);
    let blocks = Mutex::new(Vec::with_capacity(items.len() / BLOCK + 1));
    let readers = store.readers(n_threads)?;
    thread::scope(|scope| {
        for reader in readers {
            let (next, blocks, work, done) = (&next, &blocks, &work, &done);
            scope.spawn(move || {
                loop {
                    let start = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if start >= items.len() {
                        break;
                    }
                    let block = &items[start..items.len().min(start + BLOCK)];
                    let results: Vec<R> = block.iter().map(|item| work(&reader, item)).collect();
                    done(block.len() as u64);
                    blocks
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .push((start, results));
                }
            });
        }
    });
    let mut blocks = blocks
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    blocks.sort_unstable_by_key(|&(start, _)| start);
    Ok(blocks
        .into_iter()
        .flat_map(|(_, results)| results)
        .collect())
}

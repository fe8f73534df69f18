//! How is work on many things shared among threads?
//!
//! Every thread takes the next few things when it is done with the last, and may
//! have a companion of its own; results come back in the order of the things, so
//! that the number of threads changes nothing.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Things a thread takes at once: enough that taking costs nothing.
const BLOCK: usize = 16;

/// How many threads are worth their start for so many things.
pub(crate) fn n_threads(asked: Option<u16>, n_things: usize, things_per_thread: usize) -> usize {
    let most = match asked {
        Some(asked) => usize::from(asked),
        None => thread::available_parallelism().map_or(1, NonZero::get),
    };
    most.min(n_things / things_per_thread.max(1)).max(1)
}

/// Does `work` for each item with a thread for each of the companions; `done`
/// hears how many more are finished.
pub(crate) fn share_with<C: Send, T: Sync, R: Send>(
    companions: Vec<C>,
    items: &[T],
    work: impl Fn(&C, &T) -> R + Sync,
    done: impl Fn(u64) + Sync,
) -> Vec<R> {
    // Where there are few, a block must not leave others without work.
    let block = (items.len() / (8 * companions.len().max(1))).clamp(1, BLOCK);
    let next = AtomicUsize::new(0);
    let blocks = Mutex::new(Vec::with_capacity(items.len() / block + 1));
    thread::scope(|scope| {
        for companion in companions {
            let (next, blocks, work, done) = (&next, &blocks, &work, &done);
            scope.spawn(move || {
                loop {
                    let start = next.fetch_add(block, Ordering::Relaxed);
                    if start >= items.len() {
                        break;
                    }
                    let taken = &items[start..items.len().min(start + block)];
                    let results: Vec<R> = taken.iter().map(|item| work(&companion, item)).collect();
                    done(taken.len() as u64);
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
    blocks
        .into_iter()
        .flat_map(|(_, results)| results)
        .collect()
}

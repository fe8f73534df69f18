//! How is work on many datasets shared among readers of the store?

use freshness_store::{Store, StoreError};

use crate::threads::share_with;

/// Does `work` for each item with a reader of the store; `done` hears how many
/// more are finished.
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
    Ok(share_with(store.readers(n_threads)?, items, work, done))
}

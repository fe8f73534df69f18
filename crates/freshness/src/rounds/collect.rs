//! What do the configured sources tell that is new?
//!
//! In this order: where to go on with each source; each is read by a thread, a
//! few at a time; what one told is stored as it comes, with its new cursor in
//! the same transaction. A source that fails stops no other, keeps its cursor,
//! and is read from there the next time. So who dies in the middle has lost
//! nothing, and what is read twice is stored once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use freshness_store::{Collected as Cursor, Store, StoreError};
use jiff::Timestamp;

use super::told::{TakeError, Taken, take, take_events};
use crate::config::Renames;
use crate::sources::{Asked, Collected, NotCollected};

/// How a source is read.
pub type Reader = Box<dyn Fn(&Asked<'_>) -> Result<Collected, NotCollected> + Send + Sync>;

/// A source that is to be collected.
pub struct Planned {
    /// Its name in freshness.yaml.
    pub name: String,
    /// Its kind, as typed.
    pub kind: &'static str,
    /// How it is read.
    pub read: Reader,
}

/// How it went with one.
#[derive(Debug)]
pub struct Outcome {
    /// Its name in freshness.yaml.
    pub name: String,
    /// Its kind, as typed.
    pub kind: &'static str,
    /// What was stored, or why nothing was.
    pub taken: Result<Taken, NotCollected>,
}

/// Sources that are read at once, unless somebody asks for another number: they
/// wait for others more than they work.
const AT_ONCE: u16 = 4;

/// Collects, in the order of `planned` in the result; `done` hears of each source
/// that is finished. An error is one of the store, not of a source.
pub fn collect(
    store: &mut Store,
    planned: &[Planned],
    renames: &Renames,
    threads: Option<u16>,
    now: Timestamp,
    done: &dyn Fn(),
) -> Result<Vec<Outcome>, StoreError> {
    let cursors = (planned.iter())
        .map(|source| store.cursor(&source.name))
        .collect::<Result<Vec<_>, _>>()?;
    let n_threads = usize::from(threads.unwrap_or(AT_ONCE)).min(planned.len());
    let next = AtomicUsize::new(0);
    // What waits to be stored is in memory, so little may.
    let (sender, receiver) = mpsc::sync_channel(0);
    let mut outcomes: Vec<Option<Outcome>> = planned.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..n_threads {
            let (next, cursors, sender) = (&next, &cursors, sender.clone());
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(source) = planned.get(i) else {
                        break;
                    };
                    let told = read(source, cursors[i].as_deref(), now);
                    if sender.send((i, told)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (i, told) in receiver {
            let Planned { name, kind, .. } = &planned[i];
            let taken = told.and_then(|told| keep(store, name, told, renames, now));
            // One that tells of what is to come has told the rest, and is behind.
            let wrong = match &taken {
                Ok(taken) => taken.ahead.as_ref(),
                Err(reason) => Some(&reason.what),
            };
            if let Some(wrong) = wrong {
                store.record_failure(name, wrong, now)?;
            }
            outcomes[i] = Some(Outcome {
                name: name.clone(),
                kind,
                taken,
            });
            done();
        }
        Ok(outcomes.into_iter().flatten().collect())
    })
}

fn read(source: &Planned, cursor: Option<&str>, now: Timestamp) -> Result<Collected, NotCollected> {
    let asked = Asked {
        name: &source.name,
        cursor,
        now: now.as_second(),
    };
    // A reader that gives up on odd bytes must not take the others with it.
    catch_unwind(AssertUnwindSafe(|| (source.read)(&asked)))
        .unwrap_or_else(|_| Err(NotCollected::new("the reader gave up")))
}

fn keep(
    store: &mut Store,
    name: &str,
    told: Collected,
    renames: &Renames,
    now: Timestamp,
) -> Result<Taken, NotCollected> {
    let Collected {
        told,
        events,
        cursor,
    } = told;
    let cursor = Cursor {
        name: name.to_owned(),
        cursor,
        at: now,
    };
    let now = now.as_second();
    let taken = match events {
        Some(events) => take_events(store, *events, told.remarks, renames, Some(cursor), now),
        None => take(store, told, renames, Some(cursor), now),
    };
    taken.map_err(|error| {
        let hint = match &error {
            TakeError::Lineage(_) => Some("one of these edges is wrong".to_owned()),
            TakeError::Events(error) => error.hint(),
            TakeError::Store(error) => error.hint().map(str::to_owned),
        };
        NotCollected::with_hint(&error, hint)
    })
}

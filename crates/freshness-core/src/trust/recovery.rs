//! When should a dataset be whole again?
//!
//! A root with its next delivery, if that comes in time; what waits for it so
//! long after it as the lags of the edges say; a table that is in time, but
//! made from something late, with the next delivery after that. Nothing is said
//! of a feed that may have stopped for good, nor of what hangs on it.

use jiff::{SignedDuration, Timestamp};

use super::Seen;
use super::losses::{Node, Warehouse};
use crate::civil::{DAY, Holidays};
use crate::fit::Model;
use crate::schedule::Maintenance;
use crate::state::{DatasetState, STOPPED_SECONDS, deadlines};

/// Cycles before now that may be due still.
const CONTEXT_CYCLES: i64 = 8;

/// When something is whole again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// It is.
    Now,
    /// At this instant, at the latest.
    By(Timestamp),
    /// That cannot be said.
    Unknown,
}

/// The deadline of a dataset's next delivery, as of `now` (UTC seconds), put off by
/// maintenance; `None` if it has no calendar.
pub fn next_due(
    model: &Model,
    state: &DatasetState,
    holidays: &Holidays,
    maintenance: &Maintenance,
    now: i64,
) -> Option<Timestamp> {
    let period = super::period_seconds(model)?;
    let is_served = |start: Timestamp| {
        let current = state.current.as_ref();
        current.is_some_and(|current| current.arrived_at.is_some() && start <= current.cycle_start)
    };
    // Mostly the next cycle is near; over a long holiday it is not.
    [2 * period, 32 * period.max(DAY)].iter().find_map(|reach| {
        let window = (now - CONTEXT_CYCLES * period, now + reach);
        let awaited = deadlines(model, holidays, maintenance, window).into_iter();
        awaited
            .filter(|(start, _)| !is_served(*start))
            .map(|(_, deadline)| deadline)
            .find(|deadline| deadline.as_second() > now)
    })
}

impl Whole {
    /// When both are.
    pub(super) fn and(self, other: Whole) -> Whole {
        match (self, other) {
            (Whole::Unknown, _) | (_, Whole::Unknown) => Whole::Unknown,
            (Whole::Now, whole) | (whole, Whole::Now) => whole,
            (Whole::By(a), Whole::By(b)) => Whole::By(a.max(b)),
        }
    }

    fn or_unknown(at: Option<Timestamp>) -> Whole {
        at.map_or(Whole::Unknown, Whole::By)
    }
}

/// When a dataset is whole, once that is known of what it is made from.
pub(super) fn whole(node: &Node<'_>, warehouse: &Warehouse<'_>) -> Whole {
    if node.total.known == 0.0 {
        return Whole::Now;
    }
    let Some(seen) = node.seen else {
        return Whole::Unknown;
    };
    let inputs = node.parents.iter();
    let inputs = inputs
        .map(|&parent| warehouse.nodes[parent as usize].whole)
        .fold(Whole::Now, Whole::and);
    let own = match node.own.known > 0.0 {
        // The next delivery may break it again.
        true if seen.is_broken() => Whole::Unknown,
        true => delivered(&seen, warehouse),
        false => Whole::Now,
    };
    match (own, inputs) {
        (Whole::By(own), Whole::By(inputs)) if inputs <= own => Whole::By(own),
        (Whole::Unknown, _) => Whole::Unknown,
        // A delivery holds what was there before it.
        (_, Whole::By(inputs)) => Whole::or_unknown(next_after(&seen, inputs)),
        (own, inputs) => own.and(inputs),
    }
}

/// When what a dataset is late with should be there.
fn delivered(seen: &Seen<'_>, warehouse: &Warehouse<'_>) -> Whole {
    let explained = warehouse.roots(seen).map(|(root, wait)| {
        let came = warehouse.nodes[root as usize].seen.as_ref().and_then(came);
        let after = came
            .zip(wait)
            .and_then(|(at, wait)| at.checked_add(SignedDuration::from_secs(wait)).ok());
        Whole::or_unknown(after)
    });
    explained
        .reduce(Whole::and)
        .unwrap_or_else(|| Whole::or_unknown(next(seen)))
}

/// When a root came, or should.
fn came(root: &Seen<'_>) -> Option<Timestamp> {
    let current = root.state.current.as_ref();
    current
        .and_then(|current| current.arrived_at)
        .or_else(|| next(root))
}

fn next(seen: &Seen<'_>) -> Option<Timestamp> {
    let has_stopped = seen.state.late_seconds > Some(STOPPED_SECONDS);
    seen.next_due.filter(|_| !has_stopped)
}

/// The first delivery that can hold what was there at an instant.
fn next_after(seen: &Seen<'_>, at: Timestamp) -> Option<Timestamp> {
    let next = next(seen)?;
    if next >= at {
        return Some(next);
    }
    let period = SignedDuration::from_secs(seen.period_seconds?);
    at.checked_add(period).ok()
}

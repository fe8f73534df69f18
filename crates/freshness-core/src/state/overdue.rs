//! What is late already because of what comes before it?
//!
//! A dataset that waits for another cannot come before it does, and a queue
//! hands on the delivery before first. While that one is overdue nobody has to
//! wait for the rare end of a dataset's own tail: it is late once its expected
//! window has passed.

use std::collections::BTreeMap;

use super::replay::Replayed;
use super::verdict::{CycleVerdict, DatasetState, Severity, State};
use crate::civil::DAY;
use crate::dataset::DatasetId;
use crate::fit::Model;
use crate::lineage::Lineage;
use crate::schedule::Grain;

/// A delivery that a person was alerted to. Times are UTC seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overdue {
    /// Of which dataset.
    pub dataset_id: DatasetId,
    /// Its deliveries that usually come in here are held up: from its own usual
    /// time to that of the next one, or for ever while nothing comes.
    pub usual: (i64, i64),
    /// How often it is delivered, in seconds.
    pub period: i64,
    /// Since when it is late.
    pub deadline: i64,
    /// When it came in the end.
    pub arrived_at: Option<i64>,
}

impl Overdue {
    /// What a dataset's state says of those made from it; `None` unless it is,
    /// or was, late enough to alert a person.
    pub fn now(state: &DatasetState, model: &Model) -> Option<Overdue> {
        let is_alert = state.severity.is_some_and(|it| it > Severity::Advisory);
        let of_current = Overdue::of(&state.dataset_id, state.current.as_ref()?, model)?;
        match state.state {
            _ if !is_alert => None,
            State::Late | State::Missed => Some(Overdue {
                usual: (of_current.usual.0, i64::MAX),
                arrived_at: None,
                ..of_current
            }),
            _ => Some(of_current),
        }
    }

    pub(super) fn of(id: &DatasetId, verdict: &CycleVerdict, model: &Model) -> Option<Overdue> {
        let usual = verdict.usual_at?.as_second();
        let period = model.fitted.calendar().grain().map(Grain::seconds)?;
        Some(Overdue {
            dataset_id: id.clone(),
            usual: (usual, usual.saturating_add(period)),
            period,
            deadline: verdict.deadline?.as_second(),
            arrived_at: verdict.arrived_at.map(jiff::Timestamp::as_second),
        })
    }
}

/// The alerts of a replayed dataset, as those made from it knew them.
pub fn overdue(replayed: &[Replayed]) -> Vec<Overdue> {
    let alerts = replayed.iter().filter(|row| row.alerted);
    alerts.filter_map(|row| row.overdue.clone()).collect()
}

/// Looks at datasets a generation of the lineage at a time. `look` looks at those
/// at some places of `ids`, in that order, and can ask what is overdue of those
/// that each is made from; `overdue` says what of an answer is. The answers are
/// in the order of `ids`.
///
/// # Errors
/// The first of `look`; nothing is looked at after it.
pub fn in_generations<T, E>(
    lineage: &Lineage,
    ids: &[&DatasetId],
    mut look: impl FnMut(&[usize], &(dyn Fn(usize) -> Vec<Overdue> + Sync)) -> Result<Vec<T>, E>,
    overdue: impl Fn(&T) -> Vec<Overdue>,
) -> Result<Vec<T>, E> {
    let mut found: BTreeMap<&DatasetId, Vec<Overdue>> = BTreeMap::new();
    let mut answers: BTreeMap<usize, T> = BTreeMap::new();
    for places in lineage.generations(ids) {
        let seen = look(&places, &|place| {
            let parents = lineage.parents(ids[place].as_str());
            let upstream = parents.filter_map(|parent| found.get(parent)).flatten();
            upstream.cloned().collect()
        })?;
        for (place, answer) in places.into_iter().zip(seen) {
            found.insert(ids[place], overdue(&answer));
            answers.insert(place, answer);
        }
    }
    Ok(answers.into_values().collect())
}

/// … one dataset after the other.
///
/// # Errors
/// The first of `look`.
pub fn parents_first<T, E>(
    lineage: &Lineage,
    ids: &[&DatasetId],
    look: impl Fn(usize, &[Overdue]) -> Result<T, E>,
    overdue: impl Fn(&T) -> Option<Overdue>,
) -> Result<Vec<T>, E> {
    let one_by_one = |places: &[usize], upstream_of: &(dyn Fn(usize) -> Vec<Overdue> + Sync)| {
        let places = places.iter();
        places
            .map(|&place| look(place, &upstream_of(place)))
            .collect()
    };
    in_generations(lineage, ids, one_by_one, |answer| {
        overdue(answer).into_iter().collect()
    })
}

/// A schedule does not move by more than this share of its period unnoticed.
const LARGEST_MOVE: i64 = 8;

/// Seconds by which the next delivery may be later than learned, because the
/// one `before` came late: two incidents in a row are rarer than a schedule that
/// has moved, which the next fit will know. Feeds of several a day work through
/// a queue instead.
pub(super) fn may_have_moved(before: &CycleVerdict, period: i64) -> i64 {
    let (State::LateArrival, Some(usual), Some(arrived)) =
        (before.state, before.usual_at, before.arrived_at)
    else {
        return 0;
    };
    let late = arrived.as_second() - usual.as_second();
    match period >= DAY && late <= period / LARGEST_MOVE {
        true => late,
        false => 0,
    }
}

/// A cycle that may be late early. UTC seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    /// When it usually comes.
    pub(super) usual: i64,
    /// The end of its expected window.
    pub(super) window_ends: i64,
    /// Its own deadline.
    pub(super) deadline: i64,
    /// How often it is delivered.
    pub(super) period: i64,
}

impl Waiting {
    /// From when on it is late because something upstream is, and what;
    /// `None` if not before its own deadline. What is delivered less often is not
    /// waited for.
    pub(super) fn late_from<'a>(&self, upstream: &'a [Overdue]) -> Option<(i64, &'a DatasetId)> {
        let waited_for = upstream.iter().filter(|overdue| {
            let (from, to) = overdue.usual;
            overdue.period <= self.period && (from..to).contains(&self.usual)
        });
        waited_for
            .filter_map(|overdue| {
                let from = self.later_of(self.window_ends, overdue.deadline, overdue.arrived_at)?;
                Some((from, &overdue.dataset_id))
            })
            .min()
    }

    /// From when on it is late because the delivery before it is. Feeds of
    /// several a day work through a queue; others seldom do. It may as well never
    /// come and hold up nothing, so half of the own tail is still awaited.
    pub(super) fn late_after(&self, before: &CycleVerdict) -> Option<i64> {
        let is_late = matches!(
            before.state,
            State::Late | State::Missed | State::LateArrival
        );
        if !is_late || self.period >= DAY {
            return None;
        }
        let arrived_at = before.arrived_at.map(jiff::Timestamp::as_second);
        let half_way = self.window_ends + (self.deadline - self.window_ends) / 2;
        self.later_of(half_way, before.deadline?.as_second(), arrived_at)
    }

    fn later_of(&self, from: i64, deadline: i64, arrived_at: Option<i64>) -> Option<i64> {
        let from = from.max(deadline);
        let holds = from < self.deadline && arrived_at.is_none_or(|at| at > from);
        holds.then_some(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::HOUR;

    /// A daily cycle that usually comes at 08:00, in its window until 09:00, and
    /// is late at 12:00; its source was due at 06:00 (hours of the day).
    #[track_caller]
    fn check_late_from(deadline: i64, arrived_at: Option<i64>, expected: Option<i64>) {
        let waiting = Waiting {
            usual: 8 * HOUR,
            window_ends: 9 * HOUR,
            deadline: 12 * HOUR,
            period: DAY,
        };
        let overdue = Overdue {
            dataset_id: DatasetId::try_from("raw_orders").unwrap(),
            usual: (6 * HOUR, 30 * HOUR),
            period: DAY,
            deadline: deadline * HOUR,
            arrived_at: arrived_at.map(|hour| hour * HOUR),
        };
        let found = waiting.late_from(std::slice::from_ref(&overdue));
        assert_eq!(found.map(|(from, _)| from / HOUR), expected);
        let weekly = Overdue {
            period: 7 * DAY,
            ..overdue
        };
        assert_eq!(waiting.late_from(&[weekly]), None);
    }

    #[test]
    fn it_is_late_at_the_end_of_its_window_while_its_source_is_overdue() {
        check_late_from(7, None, Some(9));
        check_late_from(7, Some(10), Some(9));
        check_late_from(10, Some(11), Some(10));
    }

    #[test]
    fn a_source_that_came_in_time_or_is_late_later_changes_nothing() {
        check_late_from(7, Some(8), None);
        check_late_from(12, None, None);
    }
}

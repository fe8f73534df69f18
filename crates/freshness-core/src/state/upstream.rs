//! What do the datasets that one is made from say of when it can come?
//!
//! A dataset that waits for another cannot come before it does, and a queue
//! hands on the delivery before first. While that one is overdue nobody has to
//! wait for the rare end of a dataset's own tail: it is late once its expected
//! window has passed. And as long as what it waits for is on its way, and not
//! late itself, it is not late either.

use std::collections::BTreeMap;

use super::replay::Replayed;
use super::verdict::{CycleVerdict, DatasetState, Severity, State};
use crate::civil::DAY;
use crate::dataset::DatasetId;
use crate::fit::{Fitted, Model, to_seconds};
use crate::lineage::Lineage;
use crate::schedule::{Grain, Maintenance, PutOff};

/// A delivery that others may wait for. Times are UTC seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// Of which dataset.
    pub dataset_id: DatasetId,
    /// Deliveries that usually come in here wait for it: from its own usual
    /// time to that of the next one, or for ever while nothing comes.
    pub usual: (i64, i64),
    /// Its usual time if it were no special day, such as the end of a month.
    pub plain_usual: i64,
    /// How often it is delivered, in seconds.
    pub period: i64,
    /// Since when it is, or would be, late.
    pub deadline: i64,
    /// When it came in the end.
    pub arrived_at: Option<i64>,
    /// Was a person alerted to it?
    pub is_overdue: bool,
    /// The maintenance that put its deadline off.
    pub maintenance: Option<PutOff>,
}

impl Upstream {
    /// What a dataset's state says to those made from it; `None` without a model
    /// that may alert a person.
    pub fn now(state: &DatasetState, model: &Model) -> Option<Upstream> {
        let is_alert = state.severity.is_some_and(|it| it > Severity::Advisory);
        let current = Upstream::of(&state.dataset_id, state.current.as_ref()?, model, is_alert)?;
        Some(match state.state {
            State::Late | State::Missed if is_alert => Upstream {
                usual: (current.usual.0, i64::MAX),
                arrived_at: None,
                ..current
            },
            _ => current,
        })
    }

    pub(super) fn of(
        id: &DatasetId,
        verdict: &CycleVerdict,
        model: &Model,
        is_overdue: bool,
    ) -> Option<Upstream> {
        let (Fitted::Learned(_) | Fitted::Provisional { .. }) = model.fitted else {
            return None;
        };
        let usual = verdict.usual_at?.as_second();
        let effects = to_seconds(verdict.because.as_ref()?.effects);
        let period = model.fitted.calendar().grain().map(Grain::seconds)?;
        Some(Upstream {
            dataset_id: id.clone(),
            usual: (usual, usual.saturating_add(period)),
            plain_usual: usual - effects,
            period,
            deadline: verdict.deadline?.as_second(),
            arrived_at: verdict.arrived_at.map(jiff::Timestamp::as_second),
            is_overdue,
            maintenance: verdict.maintenance.clone(),
        })
    }
}

/// The deliveries of a replayed dataset, as those made from it knew them.
pub fn as_upstream(replayed: &[Replayed]) -> Vec<Upstream> {
    replayed
        .iter()
        .filter_map(|row| row.as_upstream.clone())
        .collect()
}

/// Looks at datasets a generation of the lineage at a time. `look` looks at those
/// at some places of `ids`, in that order, and can ask how those stand that each is
/// made from; `as_upstream` says it of an answer. The answers are in the order of
/// `ids`.
///
/// # Errors
/// The first of `look`; nothing is looked at after it.
pub fn in_generations<T, E>(
    lineage: &Lineage,
    ids: &[&DatasetId],
    mut look: impl FnMut(&[usize], &(dyn Fn(usize) -> Vec<Upstream> + Sync)) -> Result<Vec<T>, E>,
    as_upstream: impl Fn(&T) -> Vec<Upstream>,
) -> Result<Vec<T>, E> {
    let mut found: BTreeMap<&DatasetId, Vec<Upstream>> = BTreeMap::new();
    let mut answers: BTreeMap<usize, T> = BTreeMap::new();
    for places in lineage.generations(ids) {
        let seen = look(&places, &|place| {
            let parents = lineage.parents(ids[place].as_str());
            let upstream = parents.filter_map(|parent| found.get(parent)).flatten();
            upstream.cloned().collect()
        })?;
        for (place, answer) in places.into_iter().zip(seen) {
            found.insert(ids[place], as_upstream(&answer));
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
    look: impl Fn(usize, &[Upstream]) -> Result<T, E>,
    as_upstream: impl Fn(&T) -> Option<Upstream>,
) -> Result<Vec<T>, E> {
    let one_by_one = |places: &[usize], upstream_of: &(dyn Fn(usize) -> Vec<Upstream> + Sync)| {
        let places = places.iter();
        places
            .map(|&place| look(place, &upstream_of(place)))
            .collect()
    };
    in_generations(lineage, ids, one_by_one, |answer| {
        as_upstream(answer).into_iter().collect()
    })
}

/// What of all upstream may be waited for by deliveries that usually come between
/// two instants (UTC seconds, both included): of a long walk it is little.
pub(super) fn around(upstream: &[Upstream], usual: (i64, i64)) -> Vec<&Upstream> {
    let meets = |awaited: &&Upstream| awaited.usual.0 <= usual.1 && usual.0 < awaited.usual.1;
    upstream.iter().filter(meets).collect()
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

/// A cycle that may be late earlier or later than it would be by itself. UTC seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting<'m> {
    /// When it usually comes.
    pub(super) usual: i64,
    /// … if it were no special day.
    pub(super) plain_usual: i64,
    /// The end of its expected window.
    pub(super) window_ends: i64,
    /// Its own deadline.
    pub(super) deadline: i64,
    /// Seconds from its usual time to the deadline that was learned.
    pub(super) slack: i64,
    /// How often it is delivered.
    pub(super) period: i64,
    /// When nothing is expected of it.
    pub(super) maintenance: &'m Maintenance,
}

impl Waiting<'_> {
    /// Until when it is not late though its own deadline has passed, and whom it
    /// waits for; `None` if its own deadline is later. It waits as long as what it
    /// is made from is on its way and not late, and then for as long as usually lies
    /// between the two: when a source was slow, a schedule of its own says nothing.
    /// After maintenance of a source its day begins anew, and it is late as long after
    /// its usual time in that day as in any other.
    pub(super) fn not_before<'a>(&self, upstream: &[&'a Upstream]) -> Option<(i64, &'a Upstream)> {
        let awaited = upstream.iter().copied();
        let awaited = awaited.filter(|awaited| self.waits_for(awaited));
        let until = awaited.map(|awaited| {
            let until = match awaited.arrived_at {
                Some(at) if at <= awaited.deadline => {
                    let lag = (self.plain_usual - awaited.plain_usual).max(0);
                    let slack = match awaited.maintenance {
                        Some(_) => self.slack,
                        None => 0,
                    };
                    self.maintenance.counted(at, at.saturating_add(lag + slack))
                }
                _ => self.maintenance.counted(awaited.deadline, awaited.deadline),
            };
            (until, awaited)
        });
        until
            .filter(|(until, _)| *until > self.deadline)
            .max_by_key(|(until, awaited)| (*until, &awaited.dataset_id))
    }

    /// What is delivered less often is not waited for.
    fn waits_for(&self, awaited: &Upstream) -> bool {
        let (from, to) = awaited.usual;
        awaited.period <= self.period && (from..to).contains(&self.usual)
    }

    /// From when on it is late because something upstream is, and what;
    /// `None` if not before its own deadline.
    pub(super) fn late_from<'a>(&self, upstream: &[&'a Upstream]) -> Option<(i64, &'a DatasetId)> {
        let overdue = upstream.iter().copied();
        let overdue = overdue.filter(|awaited| awaited.is_overdue);
        overdue
            .filter(|overdue| self.waits_for(overdue))
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
        let from = self.maintenance.counted(from, from);
        let holds = from < self.deadline && arrived_at.is_none_or(|at| at > from);
        holds.then_some(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::HOUR;

    /// A daily cycle that usually comes at 08:00, in its window until 09:00, and
    /// is late at 12:00; its source usually comes at 06:00 (hours of the day).
    const WAITING: Waiting<'_> = Waiting {
        usual: 8 * HOUR,
        plain_usual: 8 * HOUR,
        window_ends: 9 * HOUR,
        deadline: 12 * HOUR,
        slack: 4 * HOUR,
        period: DAY,
        maintenance: &Maintenance::NONE,
    };

    fn source(deadline: i64, arrived_at: Option<i64>, is_overdue: bool) -> Upstream {
        Upstream {
            dataset_id: DatasetId::try_from("raw_orders").unwrap(),
            usual: (6 * HOUR, 30 * HOUR),
            plain_usual: 6 * HOUR,
            period: DAY,
            deadline: deadline * HOUR,
            arrived_at: arrived_at.map(|hour| hour * HOUR),
            is_overdue,
            maintenance: None,
        }
    }

    #[track_caller]
    fn check_late_from(deadline: i64, arrived_at: Option<i64>, expected: Option<i64>) {
        let overdue = source(deadline, arrived_at, true);
        let found = WAITING.late_from(&[&overdue]);
        assert_eq!(found.map(|(from, _)| from / HOUR), expected);
        let weekly = Upstream {
            period: 7 * DAY,
            ..overdue
        };
        assert_eq!(WAITING.late_from(&[&weekly]), None);
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

    #[track_caller]
    fn check_deadline(source: &Upstream, expected: i64) {
        let found = WAITING.not_before(&[source]);
        assert_eq!(found.map_or(12, |(until, _)| until / HOUR), expected);
    }

    #[test]
    fn it_is_not_late_before_its_source_is_and_has_its_time_after_it_came() {
        check_deadline(&source(15, None, false), 15);
        check_deadline(&source(15, Some(11), false), 13);
        check_deadline(&source(15, Some(16), true), 15);
        check_deadline(&source(15, Some(7), false), 12);
        let month_end = Upstream {
            usual: (8 * HOUR, 32 * HOUR),
            ..source(15, Some(11), false)
        };
        check_deadline(&month_end, 13);
    }

    #[test]
    fn after_maintenance_of_its_source_it_has_all_the_time_of_a_usual_day() {
        let maintained = |arrived_at| Upstream {
            maintenance: Some(PutOff::new(14 * HOUR, "an upgrade")),
            ..source(16, arrived_at, false)
        };
        check_deadline(&maintained(None), 16);
        check_deadline(&maintained(Some(15)), 15 + 2 + 4);
    }

    #[test]
    fn what_comes_later_or_less_often_is_not_waited_for() {
        let later = Upstream {
            usual: (9 * HOUR, 33 * HOUR),
            ..source(15, None, false)
        };
        check_deadline(&later, 12);
        let weekly = Upstream {
            period: 7 * DAY,
            ..source(15, None, false)
        };
        check_deadline(&weekly, 12);
    }
}

//! Since when is a promise broken, without a break, or to when is that put off?
//!
//! Not since somebody looked: an age passes its threshold and a deadline its hour
//! whether anybody looks or not, and what is counted is broken by the first of the
//! runs that brought it. What could not be told in between is a break: nobody knows
//! that it was broken then. What maintenance keeps from being kept is put off; what
//! was broken before stays so.

use super::clocked::{AgeLimit, Look, delivery};
use super::judge::{last_said, of_run};
use super::owed::{DAYS_AROUND, Owed};
use super::run::Run;
use super::runs::RunHistory;
use super::service_levels::{Freshness, Objective, ServiceLevels};
use super::verdict::{Outcome, Reason};
use crate::schedule::{PutOff, TimeOff};

/// The instant since which a promise is broken at `now`, UTC seconds: when the age
/// reached its threshold (on a calendar by the time that counts), when the first of
/// the deliveries was owed that did not come, or when the first of the runs was over
/// that brought too little. `None` if it is not broken. Where the runs that are known
/// begin with broken ones, it is no earlier than they are.
pub fn broken_since(
    levels: &ServiceLevels,
    history: &RunHistory,
    time: TimeOff<'_>,
    objective: Objective,
    now: i64,
) -> Option<i64> {
    let nothing = Freshness::default();
    let freshness = levels.freshness.as_ref().unwrap_or(&nothing);
    let owed = Owed::new(freshness, time);
    let runs = history.until(now);
    let stands = match objective {
        Objective::Freshness | Objective::SourceFreshness => {
            let limit = AgeLimit::of(freshness, objective)?;
            of_age(levels, runs, &owed, &limit, now)
        }
        Objective::Deadline => return of_deadlines(levels, runs, &owed, now),
        Objective::Availability
        | Objective::RowCount
        | Objective::RowCountAnomaly
        | Objective::Quality => of_runs(levels, runs, &owed, objective, now),
    };
    match stands {
        Stands::Broken(since) => Some(since),
        Stands::PutOff(_) | Stands::Kept => None,
    }
}

/// How a promise stands after a look or a run, as far as that can be told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stands {
    /// It holds, or nobody knows.
    Kept,
    /// It would be broken, were it not put off to this instant.
    PutOff((i64, PutOff)),
    /// It is broken since.
    Broken(i64),
}

/// What a look or a run says until the next.
struct Reign {
    /// UTC seconds.
    from: i64,
    /// When what it says breaks the promise, if it does; not before `from` unless it
    /// was broken then.
    breaks: Option<i64>,
    /// … and to when that is put off.
    put_off: Option<(i64, PutOff)>,
}

impl Reign {
    /// From one to the next, the newest first, back to one that began well.
    fn stands(newest_first: impl Iterator<Item = Reign>, now: i64) -> Stands {
        let mut reigns = Vec::new();
        for reign in newest_first {
            let began_well = reign.breaks.is_none_or(|at| at > reign.from);
            reigns.push(reign);
            if began_well {
                break;
            }
        }
        let ends: Vec<i64> = std::iter::once(now)
            .chain(reigns.iter().map(|reign| reign.from))
            .collect();
        let mut stands = Stands::Kept;
        // What is older than the first look was so before it; after that each look
        // holds until the next.
        let mut known_since = i64::MIN;
        for (reign, until) in reigns.into_iter().zip(ends).rev() {
            let since = |at: i64| Stands::Broken(at.max(known_since));
            stands = match (reign.breaks, reign.put_off, stands) {
                (Some(at), _, Stands::Broken(since)) if at <= reign.from => Stands::Broken(since),
                (Some(at), Some(put_off), _) if at <= until => match put_off.0 <= until {
                    true => since(put_off.0),
                    false => Stands::PutOff(put_off),
                },
                (Some(at), None, _) if at <= until => since(at),
                _ => Stands::Kept,
            };
            known_since = until;
        }
        stands
    }
}

/// By the looks, each until the next.
pub(super) fn of_age(
    levels: &ServiceLevels,
    runs: &[Run],
    owed: &Owed<'_>,
    limit: &AgeLimit<'_>,
    now: i64,
) -> Stands {
    let mut until = now;
    let looks = runs.iter().rev();
    let looks = looks.filter_map(|run| Some((run.finished_at, limit.look(levels, run)?)));
    let reigns = looks.map(|(from, look)| {
        let to = std::mem::replace(&mut until, from);
        match look {
            Look::Doubt(_) => Reign {
                from,
                breaks: None,
                put_off: None,
            },
            Look::Breach(_) => Reign {
                from,
                breaks: Some(from),
                put_off: owed.run_put_off(from),
            },
            Look::Newest(newest) => {
                let passes = owed.passes(newest, limit.threshold, newest, to);
                Reign {
                    from,
                    put_off: passes.and_then(|at| owed.age_put_off(newest, at)),
                    // At just its threshold an age still holds.
                    breaks: passes.map(|at| (at - 1).max(newest)),
                }
            }
        }
    });
    Reign::stands(reigns, now)
}

/// Back over the deadlines that nothing came for, however late.
fn of_deadlines(levels: &ServiceLevels, runs: &[Run], owed: &Owed<'_>, now: i64) -> Option<i64> {
    // Before the first run nobody knew of it.
    let first = runs.first()?.finished_at;
    let today = owed.day(now);
    let days = (0..DAYS_AROUND).map(|back| today.plus(-back));
    let due = days.filter_map(|day| owed.due(day));
    due.filter(|due| due.at <= now)
        .take_while(|due| first <= due.promised && delivery(levels, runs, due, now).is_none())
        .map(|due| due.at)
        .min()
}

/// By the runs that say something.
pub(super) fn of_runs(
    levels: &ServiceLevels,
    runs: &[Run],
    owed: &Owed<'_>,
    objective: Objective,
    now: i64,
) -> Stands {
    let maintenance = owed.maintenance();
    let Some((last, _)) = last_said(levels, runs, objective, maintenance) else {
        return Stands::Kept;
    };
    let reigns = (0..=last).rev().filter_map(|i| {
        let from = runs[i].finished_at;
        let breaks = match of_run(levels, runs, i, objective, maintenance)?.outcome {
            Outcome::Breached { .. } => Some(from),
            Outcome::Kept => None,
            Outcome::NotDue { .. } => return None,
            // So many runs were asked for before anything is enforced.
            Outcome::CouldNotTell {
                because: Reason::NotEnoughRuns { .. },
            } if i < last => return None,
            Outcome::CouldNotTell { .. } => None,
        };
        Some(Reign {
            from,
            breaks,
            put_off: breaks.and_then(|at| owed.run_put_off(at)),
        })
    });
    Reign::stands(reigns, now)
}

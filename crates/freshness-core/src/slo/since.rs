//! Since when is a promise broken, without a break?
//!
//! Not since somebody looked: an age passes its threshold and a deadline its hour
//! whether anybody looks or not, and what is counted is broken by the first of the
//! runs that brought it. What could not be told in between is a break: nobody knows
//! that it was broken then.

use super::clocked::{AgeLimit, Look, delivery};
use super::judge::{last_said, of_run};
use super::owed::{DAYS_AROUND, Owed};
use super::run::Run;
use super::runs::RunHistory;
use super::service_levels::{Freshness, Objective, ServiceLevels};
use super::verdict::{Outcome, Reason};
use crate::civil::Holidays;

/// The instant since which a promise is broken at `now`, UTC seconds: when the age
/// reached its threshold (on a calendar by the time that counts), when the first of
/// the deliveries was owed that did not come, or when the first of the runs was over
/// that brought too little. `None` if it is not broken. Where the runs that are known
/// begin with broken ones, it is no earlier than they are.
pub fn broken_since(
    levels: &ServiceLevels,
    history: &RunHistory,
    holidays: &Holidays,
    objective: Objective,
    now: i64,
) -> Option<i64> {
    let nothing = Freshness::default();
    let freshness = levels.freshness.as_ref().unwrap_or(&nothing);
    let owed = Owed::new(freshness, holidays);
    let runs = history.until(now);
    match objective {
        Objective::Freshness | Objective::SourceFreshness => {
            let limit = AgeLimit::of(freshness, objective)?;
            of_age(levels, runs, &owed, &limit, now)
        }
        Objective::Deadline => of_deadlines(levels, runs, &owed, now),
        Objective::Availability
        | Objective::RowCount
        | Objective::RowCountAnomaly
        | Objective::Quality => of_runs(levels, runs, objective),
    }
}

/// Walks back over the looks; each holds until the next.
fn of_age(
    levels: &ServiceLevels,
    runs: &[Run],
    owed: &Owed<'_>,
    limit: &AgeLimit<'_>,
    now: i64,
) -> Option<i64> {
    let looks = runs.iter().rev();
    let looks = looks.filter_map(|run| Some((run.finished_at, limit.look(levels, run)?)));
    let mut since = None;
    let mut until = now;
    // What is older than the first look was so before it.
    let mut before = None;
    for (from, look) in looks {
        before = None;
        match look {
            Look::Doubt(_) => return since,
            Look::Breach(_) => since = Some(from),
            Look::Newest(newest) => {
                let passed = |from, to| {
                    let passed = owed.passes(newest, limit.threshold, from, to)?;
                    // At just its threshold an age still holds.
                    Some((passed - 1).max(newest))
                };
                if owed.seconds(newest, from) as f64 <= limit.threshold {
                    return passed(from, until).or(since);
                }
                since = Some(from);
                before = passed(newest, from);
            }
        }
        until = from;
    }
    before.or(since)
}

/// Walks back over the deadlines that nothing came for, however late.
fn of_deadlines(levels: &ServiceLevels, runs: &[Run], owed: &Owed<'_>, now: i64) -> Option<i64> {
    // Before the first run nobody knew of it.
    let first = runs.first()?.finished_at;
    let today = owed.day(now);
    let days = (0..DAYS_AROUND).map(|back| today.plus(-back));
    let due = days.filter_map(|day| owed.due(day));
    due.filter(|due| due.at <= now)
        .take_while(|due| first <= due.at && delivery(levels, runs, *due, now).is_none())
        .last()
        .map(|due| due.at)
}

/// Walks back over the runs that say something.
fn of_runs(levels: &ServiceLevels, runs: &[Run], objective: Objective) -> Option<i64> {
    let (last, verdict) = last_said(levels, runs, objective)?;
    if !verdict.outcome.is_breach() {
        return None;
    }
    let mut since = runs[last].finished_at;
    for i in (0..last).rev() {
        match of_run(levels, runs, i, objective).map(|verdict| verdict.outcome) {
            Some(Outcome::Breached { .. }) => since = runs[i].finished_at,
            // So many runs were asked for before anything is enforced.
            None
            | Some(Outcome::NotDue { .. })
            | Some(Outcome::CouldNotTell {
                because: Reason::NotEnoughRuns { .. },
            }) => {}
            Some(Outcome::Kept | Outcome::CouldNotTell { .. }) => break,
        }
    }
    Some(since)
}

//! Is each promise kept at an instant?
//!
//! Freshness is judged on the clock: an age grows whether something runs or not,
//! so a silent pipeline is a breach. Rows, quality and what is filled are judged
//! by the last run that says something of them.

use super::clocked::{deadline, freshness};
use super::counted::{availability, quality, row_count};
use super::owed::Owed;
use super::run::{Run, Stage};
use super::runs::RunHistory;
use super::service_levels::{Anomaly, Freshness, Objective, ServiceLevels};
use super::since::{Stands, of_runs};
use super::verdict::{Evidence, Outcome, Reason, Verdict};
use crate::civil::DAY;
use crate::schedule::{Maintenance, TimeOff};

/// One verdict for each objective that is declared, in the order of
/// [`Objective`], at an instant (UTC seconds). What ran after it is not known
/// then. What maintenance keeps from being kept is not due.
pub fn judge(
    levels: &ServiceLevels,
    history: &RunHistory,
    time: TimeOff<'_>,
    now: i64,
) -> Vec<Verdict> {
    let runs = history.until(now);
    let objectives = objectives(levels);
    objectives
        .into_iter()
        .map(|objective| {
            if runs.is_empty() {
                let because = Reason::NeverRun;
                return Verdict {
                    objective,
                    outcome: Outcome::CouldNotTell { because },
                    evidence: evidence(history),
                };
            }
            judge_one(levels, history, time, now, objective)
        })
        .collect()
}

/// The objectives that are declared.
pub fn objectives(levels: &ServiceLevels) -> Vec<Objective> {
    let ServiceLevels {
        freshness,
        availability,
        row_count,
        quality,
    } = levels;
    let freshness = freshness.as_ref();
    let rows = row_count.as_ref();
    let declared = [
        (
            Objective::Freshness,
            freshness.is_some_and(|of| of.threshold.is_some()),
        ),
        (
            Objective::SourceFreshness,
            freshness.is_some_and(|of| of.source_threshold.is_some()),
        ),
        (
            Objective::Deadline,
            freshness.is_some_and(|of| of.by.is_some()),
        ),
        (Objective::Availability, availability.is_some()),
        (
            Objective::RowCount,
            rows.is_some_and(|of| of.min_rows.is_some() || of.max_rows.is_some()),
        ),
        (
            Objective::RowCountAnomaly,
            rows.is_some_and(|of| of.anomaly.is_some()),
        ),
        (Objective::Quality, quality.is_some()),
    ];
    let declared = declared.into_iter().filter(|(_, is_declared)| *is_declared);
    declared.map(|(objective, _)| objective).collect()
}

/// Does a breach of the objective only warn, whatever it is?
pub fn only_warns(levels: &ServiceLevels, objective: Objective) -> bool {
    let ServiceLevels {
        freshness,
        availability,
        row_count,
        quality,
    } = levels;
    let about = match objective {
        Objective::Freshness | Objective::SourceFreshness | Objective::Deadline => {
            freshness.as_ref().map(|of| &of.about)
        }
        Objective::Availability => availability.as_ref().map(|of| &of.about),
        Objective::RowCount | Objective::RowCountAnomaly => {
            if row_count.as_ref().is_some_and(|of| of.warn_only) {
                return true;
            }
            row_count.as_ref().map(|of| &of.about)
        }
        Objective::Quality => quality.as_ref().map(|of| &of.about),
    };
    about.is_some_and(|about| !about.critical)
}

fn judge_one(
    levels: &ServiceLevels,
    history: &RunHistory,
    time: TimeOff<'_>,
    now: i64,
    objective: Objective,
) -> Verdict {
    let runs = history.until(now);
    match objective {
        Objective::Freshness | Objective::SourceFreshness => {
            freshness(levels, history, time, now, objective)
        }
        Objective::Deadline => deadline(levels, history, time, now),
        Objective::Availability
        | Objective::RowCount
        | Objective::RowCountAnomaly
        | Objective::Quality => {
            let Some((i, mut verdict)) = last_said(levels, runs, objective, time.maintenance)
            else {
                return Verdict {
                    objective,
                    outcome: Outcome::CouldNotTell {
                        because: Reason::NotMeasured,
                    },
                    evidence: evidence(history),
                };
            };
            let nothing = Freshness::default();
            let owed = Owed::new(levels.freshness.as_ref().unwrap_or(&nothing), time);
            let put_off = owed.run_put_off(runs[i].finished_at);
            if let Some(put_off) = put_off.filter(|(due, _)| *due > now) {
                let is_broken = || {
                    let stands = of_runs(levels, runs, &owed, objective, now);
                    matches!(stands, Stands::Broken(_))
                };
                let is_put_off = match &verdict.outcome {
                    Outcome::Breached { .. } => !is_broken(),
                    // What is being rebuilt can often not be told.
                    of => of.is_doubt(),
                };
                if is_put_off {
                    verdict.outcome = Outcome::put_off(put_off);
                }
            }
            verdict
        }
    }
}

/// The last run that says something of an objective, and what it says; `None` if
/// none does, or none that says anything of today.
pub(super) fn last_said(
    levels: &ServiceLevels,
    runs: &[Run],
    objective: Objective,
    maintenance: &Maintenance,
) -> Option<(usize, Verdict)> {
    let says = |i: usize| Some((i, of_run(levels, runs, i, objective, maintenance)?));
    let last = (0..runs.len()).rev().find_map(says);
    last.filter(|(i, _)| !is_long_ago(runs, *i))
}

/// Has so much run since run `i` that it says nothing of today: more than a
/// baseline looks back, in runs and in days?
fn is_long_ago(runs: &[Run], i: usize) -> bool {
    let Anomaly {
        lookback_runs,
        lookback_days,
        ..
    } = Anomaly::default();
    let Some(newest) = runs.last() else {
        return false;
    };
    let since = runs[i + 1..]
        .iter()
        .filter(|run| run.stage == Stage::Normal);
    newest.finished_at - runs[i].finished_at > i64::from(lookback_days) * DAY
        && since.count() > lookback_runs as usize
}

/// What run `i` says of an objective; `None` if nothing, or if the objective is
/// judged on the clock. `runs` are all of its environment, oldest first; those that
/// single windows of maintenance held are no part of what is usual.
pub(super) fn of_run(
    levels: &ServiceLevels,
    runs: &[Run],
    i: usize,
    objective: Objective,
    maintenance: &Maintenance,
) -> Option<Verdict> {
    match objective {
        Objective::Freshness | Objective::SourceFreshness | Objective::Deadline => None,
        Objective::Availability => availability(levels.availability.as_ref()?, &runs[i]),
        Objective::RowCount | Objective::RowCountAnomaly => {
            row_count(levels, runs, i, objective, &maintenance.single())
        }
        Objective::Quality => quality(levels, runs, i),
    }
}

/// Evidence that says no more than where.
pub(super) fn evidence(history: &RunHistory) -> Evidence {
    Evidence {
        environment: history.environment().to_owned(),
        ..Evidence::default()
    }
}

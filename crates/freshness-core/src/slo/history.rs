//! How well was each promise kept, day by day?
//!
//! Reckoned from runs alone, each day by what was known then, so there is a
//! history before the first check. A promise on the clock is counted in seconds
//! of its day, one on rows in runs, a deadline in deadlines. Time before the
//! first run, days on which nothing is owed and runs too early to be compared are
//! not counted, nor is what maintenance puts off; what could not be told is, and not
//! as kept.

use serde::Serialize;

use super::clocked::{AgeLimit, Look, delivery};
use super::judge::{objectives, of_run};
use super::owed::Owed;
use super::run::Run;
use super::runs::RunHistory;
use super::service_levels::{Freshness, Objective, ServiceLevels};
use super::verdict::{Outcome, Reason};
use crate::civil::Day;
use crate::schedule::TimeOff;

/// How well one objective was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectiveHistory {
    /// Which.
    pub objective: Objective,
    /// What is counted.
    pub unit: Unit,
    /// Each day, the oldest first; in the declared zone, else in UTC.
    pub days: Vec<DayCompliance>,
    /// What was counted, and what of it was kept, in the last [`BURN_DAYS`].
    lately: (u64, u64),
}

/// What compliance is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unit {
    Seconds,
    Deadlines,
    Runs,
}

/// How well an objective was kept on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayCompliance {
    /// Which.
    pub day: Day,
    /// Of these was it kept.
    pub good: u64,
    /// Of these nobody knows.
    pub doubtful: u64,
    /// Of these it was owed.
    pub total: u64,
}

/// How a day went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum DayState {
    Kept,
    Breached,
    CouldNotTell,
    NotDue,
}

/// How much of what may fail has failed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Budget {
    /// Percent that is to be kept.
    pub target: f64,
    /// Percent that was; `None` if nothing was owed.
    pub attained: Option<f64>,
    /// What may fail, in the unit.
    pub allowed: f64,
    /// What did.
    pub used: u64,
    /// What is left of it, percent; below 0 it is overspent.
    pub left: Option<f64>,
    /// How fast it was used in the last seven days: at 1 the target is just met.
    pub burn_rate: Option<f64>,
}

/// The days that a burn rate looks at.
pub const BURN_DAYS: u16 = 7;

/// How well each objective was kept on the `n_days` days that end with that of
/// `now` (UTC seconds), from what was over by then.
pub fn history(
    levels: &ServiceLevels,
    history: &RunHistory,
    time: TimeOff<'_>,
    n_days: u16,
    now: i64,
) -> Vec<ObjectiveHistory> {
    let freshness = levels.freshness.clone().unwrap_or_default();
    let owed = Owed::new(&freshness, time);
    let runs = history.until(now);
    let today = owed.day(now);
    let n_counted = n_days.max(BURN_DAYS);
    let days = (0..i32::from(n_counted)).rev().map(|back| DayCompliance {
        day: today.plus(-back),
        good: 0,
        doubtful: 0,
        total: 0,
    });
    let days: Vec<DayCompliance> = days.collect();
    let objectives = objectives(levels).into_iter();
    objectives
        .map(|objective| {
            let mut counted = Counting {
                levels,
                owed: &owed,
                runs,
                now,
                days: days.clone(),
            };
            let unit = counted.count(&freshness, objective);
            let mut days = counted.days;
            let last = days[usize::from(n_counted - BURN_DAYS)..].iter();
            let lately = last.fold((0, 0), |(total, good), day| {
                (total + day.total, good + day.good)
            });
            ObjectiveHistory {
                objective,
                unit,
                days: days.split_off(usize::from(n_counted - n_days)),
                lately,
            }
        })
        .collect()
}

struct Counting<'a> {
    levels: &'a ServiceLevels,
    owed: &'a Owed<'a>,
    runs: &'a [Run],
    now: i64,
    days: Vec<DayCompliance>,
}

/// What a stretch of time, a run or a deadline counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    Good,
    Bad,
    Doubtful,
}

impl Counting<'_> {
    fn count(&mut self, freshness: &Freshness, objective: Objective) -> Unit {
        match objective {
            Objective::Freshness | Objective::SourceFreshness => {
                if let Some(limit) = AgeLimit::of(freshness, objective) {
                    self.count_seconds(&limit);
                }
                Unit::Seconds
            }
            Objective::Deadline => {
                self.count_deadlines();
                Unit::Deadlines
            }
            Objective::Availability
            | Objective::RowCount
            | Objective::RowCountAnomaly
            | Objective::Quality => {
                self.count_runs(objective);
                Unit::Runs
            }
        }
    }

    fn count_seconds(&mut self, limit: &AgeLimit<'_>) {
        let looks = self.runs.iter();
        let looks = looks.filter_map(|run| Some((run.finished_at, limit.look(self.levels, run)?)));
        let looks: Vec<(i64, Look)> = looks.collect();
        let ends = looks.iter().skip(1).map(|(at, _)| *at).chain([self.now]);
        for ((from, look), to) in looks.iter().zip(ends) {
            match look {
                Look::Doubt(_) | Look::Breach(_) => {
                    let put_off = self.owed.run_put_off(*from);
                    let begins = put_off.map_or(*from, |(due, _)| due.min(to));
                    let as_what = match look {
                        Look::Doubt(_) => Counts::Doubtful,
                        _ => Counts::Bad,
                    };
                    self.add_time(begins, to, as_what);
                }
                Look::Newest(newest) => {
                    let passes = self.owed.passes(*newest, limit.threshold, *newest, to);
                    let put_off = passes.and_then(|at| self.owed.age_put_off(*newest, at));
                    let within = |at: Option<i64>| at.map_or(to, |at| at.clamp(*from, to));
                    let broken = within(put_off.map(|(due, _)| due).or(passes));
                    // In between it is put off.
                    self.add_time(*from, within(passes), Counts::Good);
                    self.add_time(broken, to, Counts::Bad);
                }
            }
        }
    }

    /// Adds a stretch of time to its days.
    fn add_time(&mut self, from: i64, to: i64, as_what: Counts) {
        let (Some(first), true) = (self.days.first().map(|of| of.day), from < to) else {
            return;
        };
        let (day, last) = (self.owed.day(from), self.owed.day(to));
        for day in (day.max(first).0..=last.0).map(Day) {
            let (start, end) = self.owed.bounds(day);
            let seconds = self.owed.seconds(start.max(from), end.min(to));
            self.add(day, as_what, seconds.max(0).unsigned_abs());
        }
    }

    fn count_deadlines(&mut self) {
        let first = self.runs.first().map(|run| run.finished_at);
        let days: Vec<Day> = self.days.iter().map(|of| of.day).collect();
        for day in days {
            let due = self.owed.due(day).filter(|due| due.at <= self.now);
            let Some(due) = due.filter(|due| first.is_some_and(|first| first <= due.promised))
            else {
                continue;
            };
            let came = delivery(self.levels, self.runs, &due, due.at).is_some();
            let as_what = if came { Counts::Good } else { Counts::Bad };
            self.add(day, as_what, 1);
        }
    }

    fn count_runs(&mut self, objective: Objective) {
        let Some(first) = self.days.first().map(|of| self.owed.bounds(of.day).0) else {
            return;
        };
        let runs = self.runs;
        for i in runs.partition_point(|run| run.finished_at < first)..runs.len() {
            let maintenance = self.owed.maintenance();
            let Some(verdict) = of_run(self.levels, runs, i, objective, maintenance) else {
                continue;
            };
            let is_well = verdict.outcome == Outcome::Kept;
            if !is_well && self.owed.run_put_off(runs[i].finished_at).is_some() {
                continue;
            }
            let as_what = match verdict.outcome {
                Outcome::Kept => Counts::Good,
                Outcome::Breached { .. } => Counts::Bad,
                Outcome::NotDue { .. } => continue,
                Outcome::CouldNotTell {
                    because: Reason::NotEnoughRuns { .. },
                } => continue,
                Outcome::CouldNotTell { .. } => Counts::Doubtful,
            };
            self.add(self.owed.day(runs[i].finished_at), as_what, 1);
        }
    }

    fn add(&mut self, day: Day, as_what: Counts, n: u64) {
        let first = self.days.first().map_or(day, |of| of.day);
        let at = usize::try_from(day.0 - first.0).ok();
        let Some(of) = at.and_then(|at| self.days.get_mut(at)) else {
            return;
        };
        of.total += n;
        match as_what {
            Counts::Good => of.good += n,
            Counts::Doubtful => of.doubtful += n,
            Counts::Bad => {}
        }
    }
}

impl DayCompliance {
    /// How it went: the worst that happened.
    pub fn state(&self) -> DayState {
        match self {
            of if of.total == 0 => DayState::NotDue,
            of if of.good == of.total => DayState::Kept,
            of if of.good + of.doubtful == of.total => DayState::CouldNotTell,
            _ => DayState::Breached,
        }
    }

    /// Percent that was kept; `None` if nothing was owed.
    pub fn attained(&self) -> Option<f64> {
        percent(self.good, self.total)
    }
}

impl ObjectiveHistory {
    /// How it stands against a target: percent, below 100 or just that.
    pub fn budget(&self, target: f64) -> Budget {
        let sum = |of: fn(&DayCompliance) -> u64| self.days.iter().map(of).sum::<u64>();
        let (good, total) = (sum(|day| day.good), sum(|day| day.total));
        let may_fail = 1.0 - target / 100.0;
        let allowed = total as f64 * may_fail;
        let used = total - good;
        let (last_total, last_good) = self.lately;
        let has_budget = may_fail > 0.0;
        Budget {
            target,
            attained: percent(good, total),
            allowed,
            used,
            left: (has_budget && total > 0).then(|| (1.0 - used as f64 / allowed) * 100.0),
            burn_rate: (has_budget && last_total > 0)
                .then(|| (last_total - last_good) as f64 / last_total as f64 / may_fail),
        }
    }
}

fn percent(of: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| of as f64 / all as f64 * 100.0)
}

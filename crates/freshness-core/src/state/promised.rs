//! How does what is promised stand to what is learned?
//!
//! A promise is held against what came in the last days, by the same reckoning
//! that judges it: by runs where they were told, else by arrivals. Beside it
//! stands what is usual, so that a reader sees which of the two is wrong.

use std::borrow::Cow;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::arrivals::ArrivalHistory;
use crate::civil::{DAY, Holidays, MINUTE};
use crate::fit::{ArrivalModel, Cell, Fitted, Model};
use crate::schedule::{Calendar, DayRule, TimeOff};
use crate::slo::{
    Counts, DayCompliance, DayState, Newest, Objective, ObjectiveHistory, Run, RunHistory,
    ServiceLevels, Stage, history, objectives,
};

/// What is usual over all cycles: minutes after their start, on the wall clock
/// of the model's zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Habit {
    /// The earliest 10 % quantile of a delay.
    pub from: f64,
    /// The latest 90 % quantile.
    pub to: f64,
    /// The latest learned deadline.
    pub deadline: f64,
}

/// A promise beside what is learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// How well each promise on the clock was kept.
    pub kept: Vec<Kept>,
    /// What stands out.
    pub remarks: Vec<PromiseRemark>,
}

/// How well a promise was kept: a deadline by days, an age by time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Kept {
    /// Which.
    pub objective: Objective,
    /// Percent of what was owed: of deadlines, or of the time.
    pub percent: f64,
    /// Days on which it was kept all day long.
    pub n_kept: u32,
    /// Days on which something was owed and could be told.
    pub n_owed: u32,
    /// Days of which nobody knows.
    pub n_doubtful: u32,
    /// What it was reckoned from.
    pub by: ReckonedBy,
}

/// What a promise was held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReckonedBy {
    /// What runs said of the columns.
    Runs,
    /// When deliveries came, as if they were as new as that.
    Arrivals,
}

/// What stands out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "remark", rename_all = "snake_case")]
pub enum PromiseRemark {
    /// Nothing is promised of when it comes.
    NoPromise,
    /// Nothing came or was measured that the promise could be held against.
    NoHistory,
    /// A deadline hours after the learned one.
    LateDeadline {
        /// Minutes between them.
        minutes: i64,
    },
    /// An age that nothing came near.
    LooseAge {
        /// The promise, seconds.
        promised: f64,
        /// The longest that nothing came, seconds.
        longest: i64,
    },
    /// A promise for every day that breaks where nothing is due.
    WantsCalendar {
        /// The learned calendar.
        calendar: Calendar,
        /// Days on which the promise did not hold.
        n_breached: u32,
        /// Of them, days on which nothing is expected.
        n_free: u32,
        /// Days on which it would not have held with the calendar.
        n_left: u32,
    },
}

/// A promised deadline is loose when it is later than the learned one by this.
const LATE_MINUTES: i64 = 4 * 60;
/// A promised age is loose when it is so many times the longest silence …
const LOOSE_RATIO: f64 = 2.0;
/// … of so many deliveries at least.
const DELIVERIES_MIN: usize = 10;

/// What is usual of a dataset that has a calendar.
pub fn habit(model: &Model) -> Option<Habit> {
    let model = arrival_model(model)?;
    let of = |pick: fn(&Cell) -> f64| model.cells.iter().map(pick);
    let least = of(|cell| cell.p10).reduce(f64::min)?;
    Some(Habit {
        from: least,
        to: of(|cell| cell.p90).reduce(f64::max)?,
        deadline: of(|cell| cell.threshold).reduce(f64::max)?,
    })
}

/// The model of a dataset that has a calendar and enough history.
pub fn arrival_model(model: &Model) -> Option<&ArrivalModel> {
    match &model.fitted {
        Fitted::Learned(model) | Fitted::Provisional { model, .. } => Some(model),
        Fitted::Irregular(_) | Fitted::ColdStart(_) => None,
    }
}

/// Holds promises against the last `n_days` days before `now` (UTC seconds).
pub fn compare(
    levels: &ServiceLevels,
    model: Option<&Model>,
    runs: &RunHistory,
    arrivals: &ArrivalHistory,
    time: TimeOff<'_>,
    n_days: u16,
    now: i64,
) -> Comparison {
    let arrivals = model.map_or(Cow::Borrowed(arrivals), |model| {
        model.deliveries(arrivals, now)
    });
    let arrived = as_runs(runs.environment(), &arrivals, now);
    let mut remarks = Vec::new();
    let on_the_clock = |objective: &Objective| {
        matches!(
            objective,
            Objective::Freshness | Objective::SourceFreshness | Objective::Deadline
        )
    };
    let promised = objectives(levels).iter().any(on_the_clock);
    if !promised {
        remarks.push(PromiseRemark::NoPromise);
    }
    let reckon = |levels: &ServiceLevels, of: &RunHistory| -> Vec<ObjectiveHistory> {
        let mut all = history(levels, of, time, n_days, now);
        all.retain(|history| on_the_clock(&history.objective));
        all
    };
    let (by_runs, by_arrivals) = (reckon(levels, runs), reckon(levels, &arrived));
    let kept: Vec<Kept> = by_runs
        .iter()
        .zip(&by_arrivals)
        .filter_map(|(by_runs, by_arrivals)| {
            let by_runs = kept(by_runs, ReckonedBy::Runs);
            let by_arrivals = kept(by_arrivals, ReckonedBy::Arrivals);
            by_runs.or(by_arrivals.filter(|of| of.objective != Objective::SourceFreshness))
        })
        .collect();
    if promised && kept.is_empty() {
        remarks.push(PromiseRemark::NoHistory);
    }
    let learned = model.and_then(arrival_model);
    remarks.extend(model.and_then(|model| late_deadline(levels, model, now)));
    let told = match kept.iter().any(|kept| kept.by == ReckonedBy::Runs) {
        true => runs,
        false => &arrived,
    };
    remarks.extend(loose_age(levels, told, n_days, now));
    remarks.extend(learned.and_then(|learned| {
        wants_calendar(levels, learned, time.holidays, |levels| {
            reckon(levels, told)
        })
    }));
    Comparison { kept, remarks }
}

/// Deliveries as if each were a run that brought what is as new as itself.
fn as_runs(environment: &str, arrivals: &ArrivalHistory, now: i64) -> RunHistory {
    let runs = arrivals
        .at()
        .iter()
        .filter(|&&at| at <= now)
        .map(|&at| Run {
            run_id: at.to_string(),
            environment: environment.to_owned(),
            started_at: None,
            finished_at: at,
            stage: Stage::Normal,
            counts: Counts::default(),
            newest: Some(Newest::At(at)),
            source_newest: None,
            filled: None,
        });
    RunHistory::new(environment, runs)
}

/// The days of a history; `None` if nothing was owed on any that it knows.
fn kept(of: &ObjectiveHistory, by: ReckonedBy) -> Option<Kept> {
    let count = |state: DayState| of.days.iter().filter(|day| day.state() == state).count() as u32;
    let (n_kept, n_breached) = (count(DayState::Kept), count(DayState::Breached));
    let n_doubtful = count(DayState::CouldNotTell);
    let sum = |of_day: fn(&DayCompliance) -> u64| of.days.iter().map(of_day).sum::<u64>();
    let (good, total) = (sum(|day| day.good), sum(|day| day.total - day.doubtful));
    (n_kept + n_breached + n_doubtful > 0).then_some(Kept {
        objective: of.objective,
        percent: good as f64 / total.max(1) as f64 * 100.0,
        n_kept,
        n_owed: n_kept + n_breached,
        n_doubtful,
        by,
    })
}

fn late_deadline(levels: &ServiceLevels, model: &Model, now: i64) -> Option<PromiseRemark> {
    let freshness = levels.freshness.as_ref()?;
    let by = freshness.by?;
    let learned = arrival_model(model)?;
    if !matches!(learned.calendar, Calendar::Days(_) | Calendar::Months(_)) {
        return None;
    }
    let zone = freshness
        .timezone
        .unwrap_or_else(crate::civil::Zone::universal);
    let between = (zone.offset(now) - learned.zone.offset(now)) / MINUTE;
    let deadline = habit(model)?.deadline as i64 + between;
    let minutes = i64::from(by.minutes) - deadline;
    (minutes >= LATE_MINUTES).then_some(PromiseRemark::LateDeadline { minutes })
}

/// Holds an age against the longest time that nothing came.
fn loose_age(
    levels: &ServiceLevels,
    runs: &RunHistory,
    n_days: u16,
    now: i64,
) -> Option<PromiseRemark> {
    let freshness = levels.freshness.as_ref()?;
    let promised = freshness.threshold?;
    let since = now - i64::from(n_days) * DAY;
    let recent: Vec<i64> = runs
        .runs()
        .iter()
        .map(|run| run.finished_at)
        .filter(|&at| at >= since && at <= now)
        .collect();
    if freshness.calendar.is_some() || recent.len() < DELIVERIES_MIN {
        return None;
    }
    let ends = recent.iter().skip(1).chain([&now]);
    let longest = recent.iter().zip(ends).map(|(from, to)| to - from).max()?;
    (promised > LOOSE_RATIO * longest as f64)
        .then_some(PromiseRemark::LooseAge { promised, longest })
}

fn wants_calendar(
    levels: &ServiceLevels,
    learned: &ArrivalModel,
    holidays: &Holidays,
    reckon: impl Fn(&ServiceLevels) -> Vec<ObjectiveHistory>,
) -> Option<PromiseRemark> {
    let freshness = levels.freshness.as_ref()?;
    let Calendar::Days(rule) = &learned.calendar else {
        return None;
    };
    if freshness.calendar.is_some() || is_every_day(rule) {
        return None;
    }
    let breached = |levels: &ServiceLevels| -> Vec<_> {
        let of = reckon(levels).into_iter().flat_map(|of| of.days);
        let of = of.filter(|day| day.state() == DayState::Breached);
        let days: BTreeSet<_> = of.map(|day| day.day).collect();
        days.into_iter().collect()
    };
    let now_breached = breached(levels);
    let mut with = levels.clone();
    if let Some(freshness) = &mut with.freshness {
        freshness.calendar = Some(learned.calendar.clone());
        freshness.timezone = freshness.timezone.or(Some(learned.zone));
    }
    let n_left = breached(&with).len();
    let free = now_breached
        .iter()
        .filter(|day| !rule.expects(**day, holidays));
    (n_left < now_breached.len()).then(|| PromiseRemark::WantsCalendar {
        calendar: learned.calendar.clone(),
        n_breached: now_breached.len() as u32,
        n_free: free.count() as u32,
        n_left: n_left as u32,
    })
}

fn is_every_day(rule: &DayRule) -> bool {
    matches!(rule, DayRule::Weekdays(days) if days.len() == 7)
}

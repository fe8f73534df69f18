//! How is a promise beside what is learned said in words?

use freshness_core::civil::{MINUTE, Zone};
use freshness_core::schedule::Calendar;
use freshness_core::slo::{Objective, duration_text};
use freshness_core::state::{Kept, PromiseRemark, arrival_model, habit};
use serde::Serialize;

use super::promises::promised_times;
use crate::rounds::Compared;

/// What is usual of a dataset, as its reader says it.
#[derive(Debug, Clone, Serialize)]
pub struct Usual {
    /// The calendar.
    pub calendar: String,
    /// The zone of the times.
    pub timezone: Zone,
    /// From when on it is expected.
    pub from: String,
    /// Until when.
    pub to: String,
    /// The learned deadline; where it differs from day to day, the latest.
    pub deadline: String,
}

/// What is usual; `None` if too little is learned, or there is no calendar.
pub fn usual(compared: &Compared) -> Option<Usual> {
    let model = compared.model.as_ref()?;
    let habit = habit(model)?;
    let learned = arrival_model(model)?;
    let by_day = matches!(learned.calendar, Calendar::Days(_) | Calendar::Months(_));
    let say = |minutes: f64| match by_day {
        true => wall(minutes),
        false => duration_text(minutes.max(0.0) * MINUTE as f64),
    };
    let after_slot = if by_day { "" } else { " after its slot" };
    Some(Usual {
        calendar: learned.calendar.to_string(),
        timezone: learned.zone,
        from: say(habit.from.floor()),
        to: say(habit.to.ceil()) + after_slot,
        deadline: say(habit.deadline.ceil()) + after_slot,
    })
}

/// Minutes after midnight on the wall: `10:05`, `01:30 a day later`.
pub(super) fn wall(minutes: f64) -> String {
    let minutes = minutes as i64;
    let (days, minutes) = (minutes.div_euclid(24 * 60), minutes.rem_euclid(24 * 60));
    let time = format!("{:02}:{:02}", minutes / 60, minutes % 60);
    match days {
        0 => time,
        1 => format!("{time} a day later"),
        -1 => format!("{time} a day before"),
        days => format!("{time} {days} days later"),
    }
}

/// `expected 07:20–09:40, deadline 10:05, promised by 06:00: kept on 3 % of the
/// last 90 days`.
pub fn sentence(compared: &Compared, n_days: u16) -> String {
    let usual = usual(compared);
    let expected = match (&usual, &compared.model) {
        (Some(usual), _) => format!(
            "expected {}–{}, deadline {}",
            usual.from, usual.to, usual.deadline
        ),
        (None, Some(model)) => format!("no window is learned ({})", model.fitted.status()),
        (None, None) => "nothing is learned".to_owned(),
    };
    let promised = promised_times(&compared.levels);
    let promised = match promised.is_empty() {
        true => "nothing promised of when it comes".to_owned(),
        false => format!("promised {promised}"),
    };
    let all = &compared.comparison.kept;
    let kept: Vec<String> = all
        .iter()
        .map(|kept| {
            let name = match all.len() {
                1 => String::new(),
                _ => format!("{} ", name(kept.objective)),
            };
            match kept.objective {
                Objective::Deadline => {
                    format!("{name}kept on {} of the last {n_days} days", share(kept))
                }
                _ => format!(
                    "{name}kept for {} of the time of the last {n_days} days",
                    share(kept)
                ),
            }
        })
        .collect();
    match kept.is_empty() {
        true => format!("{expected}, {promised}"),
        false => format!("{expected}, {promised}: {}", kept.join(", ")),
    }
}

/// `3 %`; of deadlines that were owed, or of the time.
pub fn share(kept: &Kept) -> String {
    match kept.n_owed {
        0 => "none that can be told".to_owned(),
        _ => {
            let percent = kept.percent;
            // All but one day is not all of them.
            let rounded = match percent {
                percent if percent > 99.0 && percent < 100.0 => 99.0,
                percent if percent > 0.0 && percent < 1.0 => 1.0,
                percent => percent.round(),
            };
            format!("{rounded} %")
        }
    }
}

/// What stands out, in words.
pub fn remark(remark: &PromiseRemark) -> String {
    match remark {
        PromiseRemark::NoPromise => "no promise of when it comes".to_owned(),
        PromiseRemark::NoHistory => "nothing came or was measured to hold it against".to_owned(),
        PromiseRemark::LateDeadline { minutes } => format!(
            "the promise is {} later than the learned deadline",
            duration_text((minutes * MINUTE) as f64)
        ),
        PromiseRemark::LooseAge { promised, longest } => format!(
            "it never took longer than {}, {} are promised",
            to_the_minute(*longest),
            duration_text(*promised)
        ),
        PromiseRemark::WantsCalendar {
            calendar,
            n_breached,
            n_free,
            n_left,
        } => format!(
            "broken on {n_breached} days, {n_free} of them without an expected delivery; \
             with `calendar: {calendar}` it would be {n_left}"
        ),
    }
}

/// How an objective is called.
pub fn name(objective: Objective) -> &'static str {
    match objective {
        Objective::Freshness => "age",
        Objective::SourceFreshness => "age of the source",
        Objective::Deadline => "deadline",
        Objective::Availability => "filled",
        Objective::RowCount => "rows",
        Objective::RowCountAnomaly => "usual rows",
        Objective::Quality => "quality",
    }
}

fn to_the_minute(seconds: i64) -> String {
    let minutes = (seconds + MINUTE - 1) / MINUTE;
    duration_text((minutes * MINUTE) as f64)
}

//! Why is it said? One sentence with its numbers.

use super::verdict::{CycleVerdict, State};
use crate::fit::{CellKey, Fitted};

/// The sentence for a state.
pub(super) fn of(
    state: State,
    cycle: &CycleVerdict,
    fitted: &Fitted,
    late_seconds: Option<i64>,
    n_overdue: u32,
) -> String {
    let rests_on = rests_on(cycle, fitted);
    match state {
        State::Late | State::Missed => {
            let by = duration(late_seconds.unwrap_or(0));
            let cycles = match n_overdue {
                0 | 1 => String::new(),
                n => format!(", {n} cycles overdue"),
            };
            match fitted {
                Fitted::Irregular(_) => format!("silent {by} past its deadline; {rests_on}"),
                _ => format!(
                    "cycle {} is {by} past its deadline{cycles}; {rests_on}",
                    cycle.cycle
                ),
            }
        }
        State::LateArrival => match (cycle.arrived_at, cycle.deadline) {
            (Some(at), Some(deadline)) => {
                let by = duration(at.as_second() - deadline.as_second());
                format!(
                    "cycle {} arrived {by} past its deadline; {rests_on}",
                    cycle.cycle
                )
            }
            _ => rests_on,
        },
        State::Pending => match cycle.deadline {
            Some(_) => format!("cycle {} is not due yet; {rests_on}", cycle.cycle),
            None => format!(
                "cycle {} was skipped, as it often is; {rests_on}",
                cycle.cycle
            ),
        },
        State::Ok => match fitted {
            Fitted::Irregular(_) => format!("not silent for long; {rests_on}"),
            _ => format!("cycle {} arrived in time; {rests_on}", cycle.cycle),
        },
        State::Unknown => format!("cycle {} is before the first arrival", cycle.cycle),
        State::InsufficientHistory | State::NotEvaluated => rests_on,
    }
}

fn rests_on(cycle: &CycleVerdict, fitted: &Fitted) -> String {
    match (&cycle.because, fitted) {
        (Some(because), _) => format!(
            "{} ({} deliveries): usually {} to {} after the cycle starts, late after {}",
            cell(because.cell),
            because.n,
            minutes(because.p10),
            minutes(because.p90),
            minutes(because.threshold),
        ),
        (None, Fitted::Irregular(gaps)) => {
            let n: u32 = gaps.cells.iter().map(|cell| cell.n).sum();
            let promise = if gaps.supports_promise {
                ""
            } else {
                "; too unsteady to promise anything"
            };
            format!("no calendar, {n} silences{promise}")
        }
        (None, Fitted::ColdStart(cold)) => {
            format!(
                "cold start, {} of {} cycles needed: a loose default",
                cold.n_cycles, cold.n_needed
            )
        }
        (None, Fitted::Learned(_) | Fitted::Provisional { .. }) => String::new(),
    }
}

fn cell(key: CellKey) -> String {
    match key {
        CellKey::All => "all cycles".to_owned(),
        CellKey::Hour(hour) => format!("cycles of {hour:02}:00"),
        CellKey::Time(minute) => format!("the {:02}:{:02} load", minute / 60, minute % 60),
        CellKey::Weekday(weekday) => format!("{}s", weekday.name()),
    }
}

fn minutes(minutes: f64) -> String {
    match minutes < 0.0 {
        true => format!("-{}", duration((-minutes * 60.0).round() as i64)),
        false => duration((minutes * 60.0).round() as i64),
    }
}

/// `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`.
pub fn duration(seconds: i64) -> String {
    match seconds {
        ..0 => format!("-{}", duration(-seconds)),
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

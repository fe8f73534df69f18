//! Why is it said? One sentence with its numbers.

use super::verdict::{CycleVerdict, State};
use crate::civil::{DAY, HOUR, MINUTE};
use crate::fit::{Burst, CellKey, Expectation, Fitted, to_timestamp};
use crate::schedule::PutOff;

/// What has been late for longer may have ended for good.
pub const STOPPED_SECONDS: i64 = 30 * DAY;

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
            let late_seconds = late_seconds.unwrap_or(0);
            let by = duration(late_seconds);
            let cycles = match n_overdue {
                0 | 1 => String::new(),
                n => format!(", {n} cycles overdue"),
            };
            let stopped = match late_seconds > STOPPED_SECONDS {
                true => ": it may have stopped for good",
                false => "",
            };
            match fitted {
                Fitted::Irregular(_) => {
                    let maintenance = maintained(cycle);
                    format!("silent {by} past its deadline{stopped}{maintenance}; {rests_on}")
                }
                _ => format!(
                    "cycle {} is {by} past its deadline{cycles}{stopped}{}; {rests_on}",
                    cycle.cycle,
                    held_up(cycle)
                ),
            }
        }
        State::LateArrival => match (cycle.arrived_at, cycle.deadline) {
            (Some(at), Some(deadline)) => {
                let by = duration(at.as_second() - deadline.as_second());
                format!(
                    "cycle {} arrived {by} past its deadline{}; {rests_on}",
                    cycle.cycle,
                    held_up(cycle)
                )
            }
            _ => rests_on,
        },
        State::Pending if matches!(fitted, Fitted::Irregular(_)) => {
            format!(
                "silent for long, but not late{}; {rests_on}",
                maintained(cycle)
            )
        }
        State::Pending => match cycle.deadline {
            Some(_) => format!(
                "cycle {} is not due yet{}; {rests_on}",
                cycle.cycle,
                held_up(cycle)
            ),
            None => format!(
                "cycle {} has not come, but {:.0} % of its kind never do: no promise until \
                 that cannot be chance; {rests_on}",
                cycle.cycle,
                100.0
                    * cycle
                        .because
                        .as_ref()
                        .map_or(0.0, |because| because.skipped)
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

/// The sentence, where a delivery came in part: how many arrivals, since when.
pub(super) fn goes_on(burst: &Burst, (n, since): (usize, i64), reason: &str) -> String {
    let arrivals = count(n as u32, "arrival", "arrivals");
    let quiet = duration(i64::from(burst.quiet_seconds));
    let since = to_timestamp(since).strftime("%H:%M");
    format!("{arrivals} since {since} UTC, complete when nothing came for {quiet}; {reason}")
}

/// What brought the deadline forward or put it off, if anything did.
fn held_up(cycle: &CycleVerdict) -> String {
    let maintenance = maintained(cycle);
    match (&cycle.held_up_by, &cycle.waits_for) {
        (Some(by), _) => format!(", brought forward because {by} was overdue{maintenance}"),
        (None, Some(by)) => format!(", put off because {by} was slow{maintenance}"),
        (None, None) => maintenance,
    }
}

/// The maintenance that put the deadline off, if any did.
fn maintained(cycle: &CycleVerdict) -> String {
    let Some(PutOff { until, reason }) = &cycle.maintenance else {
        return String::new();
    };
    format!(", put off by maintenance until {until} ({reason})")
}

fn rests_on(cycle: &CycleVerdict, fitted: &Fitted) -> String {
    match (&cycle.because, fitted) {
        (Some(because), _) => format!(
            "{} ({}): {}",
            cell(because.cell),
            count(because.n, "delivery", "deliveries"),
            usually(because),
        ),
        (None, Fitted::Irregular(gaps)) => {
            let n: u32 = gaps.cells.iter().map(|cell| cell.n).sum();
            let promise = if gaps.supports_promise {
                ""
            } else {
                "; too unsteady to promise anything"
            };
            let silences = count(n, "silence", "silences");
            format!("no calendar, {silences}{promise}")
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

/// When its deliveries come, and from when on they are late.
fn usually(because: &Expectation) -> String {
    let [begins, ends, late] = [because.p10, because.p90, because.threshold]
        .map(|minutes| (minutes * MINUTE as f64).round() as i64);
    // Past a day minutes are left out, unless it takes them to tell two apart.
    let alike = |a: i64, b: i64| a != b && duration(a) == duration(b);
    let say = |seconds: i64| match alike(begins, ends) || alike(ends, late) {
        true => duration_to_the_minute(seconds.abs()),
        false => duration(seconds.abs()),
    };
    let (from, to) = (say(begins), say(ends));
    let window = match (begins < 0, ends < 0) {
        (true, true) if from == to => format!("{from} before the cycle starts"),
        (true, true) => format!("{from} to {to} before the cycle starts"),
        (true, false) => format!("{from} before to {to} after the cycle starts"),
        (false, _) if from == to => format!("{from} after the cycle starts"),
        (false, _) => format!("{from} to {to} after the cycle starts"),
    };
    let late_after = match (ends < 0, late < 0) {
        (_, true) => format!("late from {} before it", say(late)),
        (true, false) => format!("late from {} after it", say(late)),
        (false, false) => format!("late after {}", say(late)),
    };
    format!("usually {window}, {late_after}")
}

/// The sentence for a dataset of which nothing can be said.
pub(super) fn too_few(n_arrivals: usize) -> String {
    let n = u32::try_from(n_arrivals).unwrap_or(u32::MAX);
    let arrivals = count(n, "arrival", "arrivals");
    format!("{arrivals}: too few to expect anything")
}

fn count(n: u32, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`.
pub fn duration(seconds: i64) -> String {
    match seconds {
        ..0 => format!("-{}", duration(-seconds)),
        0..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h {:02} min", seconds / HOUR, seconds % HOUR / MINUTE),
        _ => format!("{} d {} h", seconds / DAY, seconds % DAY / HOUR),
    }
}

/// … with minutes also past a day: `2 d 4 h 05 min`.
pub fn duration_to_the_minute(seconds: i64) -> String {
    match seconds < DAY {
        true => duration(seconds),
        false => {
            let minutes = seconds % HOUR / MINUTE;
            format!("{} {minutes:02} min", duration(seconds))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_usually(p10: f64, p90: f64, threshold: f64, expected: &str) {
        let because = Expectation {
            cell: CellKey::All,
            n: 1,
            delivered: 1.0,
            skipped: 0.0,
            p10,
            p50: p10,
            p90,
            threshold,
            effects: 0.0,
        };
        assert_eq!(usually(&because), expected);
    }

    #[test]
    fn two_ends_that_read_alike_are_said_once() {
        check_usually(
            7.1,
            7.4,
            12.0,
            "usually 7 min after the cycle starts, late after 12 min",
        );
    }

    #[test]
    fn past_a_day_minutes_are_said_where_it_takes_them() {
        let day = 1_440.0;
        check_usually(
            day + 245.0,
            day + 260.0,
            day + 500.0,
            "usually 1 d 4 h 05 min to 1 d 4 h 20 min after the cycle starts, late after 1 d 8 h 20 min",
        );
        check_usually(
            day + 245.0,
            day + 305.0,
            day + 500.0,
            "usually 1 d 4 h to 1 d 5 h after the cycle starts, late after 1 d 8 h",
        );
    }

    #[test]
    fn what_comes_before_its_cycle_is_said_without_a_minus() {
        check_usually(
            -956.0,
            -940.0,
            -900.0,
            "usually 15 h 56 min to 15 h 40 min before the cycle starts, late from 15 h 00 min before it",
        );
        check_usually(
            -5.0,
            10.0,
            30.0,
            "usually 5 min before to 10 min after the cycle starts, late after 30 min",
        );
    }

    #[test]
    fn one_is_counted_in_the_singular() {
        assert_eq!(too_few(1), "1 arrival: too few to expect anything");
        assert_eq!(too_few(2), "2 arrivals: too few to expect anything");
    }
}

//! What would a plain learned rule raise?
//!
//! The rule that a team writes first: a delivery is expected on a weekday on
//! which one came in at least three of the last eight weeks, and is late past a
//! high quantile of the times of day of the last 120 days, the worst of them
//! left out. Days are UTC days. What comes several times a day is looked at
//! slot by slot in the same way.

use std::collections::BTreeMap;

use freshness_core::civil::DAY;

use super::score::Alert;

/// Weeks that tell whether a delivery is expected.
const WEEKS: i64 = 8;
/// Of those, it must have come in so many.
const PRESENT: usize = 3;
/// Days that tell how late is late.
const DAYS: i64 = 120;
/// The share of them past which lateness begins.
const LEVEL: f64 = 0.998;
/// Times further above the upper quartile than so many distances of the
/// quartiles are left out (Tukey 1977, far out).
const FENCE: f64 = 3.0;
/// Times below which nothing is said.
const LEAST: usize = 10;

/// What it would raise for the slots that begin in `[from, to)`, of arrivals
/// that ascend. A slot is a UTC day, or `period` if that is less than a day.
pub(super) fn alerts(at: &[i64], period: i64, from: i64, to: i64) -> Vec<Alert> {
    let period = period.clamp(1, DAY);
    let mut first_delays: BTreeMap<i64, i64> = BTreeMap::new();
    for &at in at {
        let (slot, delay) = (at.div_euclid(period), at.rem_euclid(period));
        first_delays.entry(slot).or_insert(delay);
    }
    let a_week = 7 * DAY / period;
    let mut alerts = Vec::new();
    let mut threshold = None;
    let mut threshold_of_day = i64::MIN;
    for slot in from.div_euclid(period)..to.div_euclid(period) {
        let start = slot * period;
        let present = (1..=WEEKS).filter(|week| first_delays.contains_key(&(slot - week * a_week)));
        if present.count() < PRESENT {
            continue;
        }
        if threshold_of_day != start.div_euclid(DAY) {
            threshold_of_day = start.div_euclid(DAY);
            let oldest = slot - DAYS * DAY / period;
            let delays = first_delays.range(oldest..slot).map(|(_, &delay)| delay);
            threshold = level(delays.collect());
        }
        let Some(threshold) = threshold else { continue };
        if first_delays
            .get(&slot)
            .is_none_or(|&delay| delay > threshold)
        {
            alerts.push(Alert {
                at: start + threshold + 1,
                cycle_start: start,
            });
        }
    }
    alerts
}

/// The quantile past which lateness begins, once what lies far out is left out.
fn level(mut delays: Vec<i64>) -> Option<i64> {
    if delays.len() < LEAST {
        return None;
    }
    delays.sort_unstable();
    let (lower, upper) = (quantile(&delays, 0.25), quantile(&delays, 0.75));
    let fence = upper + FENCE * (upper - lower);
    delays.retain(|&delay| delay as f64 <= fence);
    Some(quantile(&delays, LEVEL).ceil() as i64)
}

fn quantile(sorted: &[i64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize] as f64;
    let above = sorted[position.ceil() as usize] as f64;
    below + (above - below) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness_core::civil::HOUR;

    /// Weekdays at 06:00 and up to nine minutes for 20 weeks, but as said.
    fn check(exceptions: &[(i64, Option<i64>)], expected: &[(i64, i64)]) {
        let monday = 20_003;
        let at: Vec<i64> = (0..140)
            .filter(|day| day % 7 < 5)
            .filter_map(|day| {
                let usual = 6 * HOUR + day % 10 * 60;
                let exception = exceptions.iter().find(|(other, _)| *other == day);
                let delay = exception.map_or(Some(usual), |(_, instead)| *instead)?;
                Some((monday + day) * DAY + delay)
            })
            .collect();
        let found = alerts(&at, DAY, (monday + 70) * DAY, (monday + 140) * DAY);
        let told: Vec<(i64, i64)> = found
            .iter()
            .map(|alert| {
                let day = alert.cycle_start / DAY - monday;
                (day, (alert.at - alert.cycle_start) / 60)
            })
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_late_day_and_an_empty_one_are_raised_past_the_quantile_and_weekends_are_not() {
        check(&[(77, Some(9 * HOUR)), (86, None)], &[(77, 369), (86, 369)]);
    }

    #[test]
    fn what_lies_far_out_does_not_move_the_threshold() {
        check(&[(30, Some(20 * HOUR)), (77, Some(9 * HOUR))], &[(77, 369)]);
    }

    #[test]
    fn with_a_few_times_nothing_is_raised() {
        assert_eq!(alerts(&[0, DAY], DAY, 0, 30 * DAY), []);
    }
}

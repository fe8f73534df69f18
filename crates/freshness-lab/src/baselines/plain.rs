//! How well does a plain rule do that learns?
//!
//! A delivery is expected on the weekdays that had one in at least three of the
//! last eight weeks, by the 0.998 quantile of the UTC time of day over the last
//! 120 days, what lies far out left out. For an hourly feed, the same by hour of the
//! week and minutes past the hour. Nothing is handed to it, so it is scored on
//! real histories too.

use freshness_core::civil::{DAY, HOUR, MINUTE};

use crate::evaluate::{Awaited, Deadline, Subject, Window, quantile};

const WEEKS: i64 = 8;
/// Of those, so many must have had a delivery.
const PRESENT: usize = 3;
const DAYS: i64 = 120;
const LEVEL: f64 = 0.998;
/// Distances of the quartiles above the upper one from which a delay is set
/// aside (Tukey 1977: far out).
const FENCE: f64 = 3.0;
/// Delays that it must rest on.
const LEAST_DELAYS: usize = 10;
/// A feed whose median gap is shorter than this is taken as hourly.
const HOURLY_BELOW: i64 = 90 * MINUTE;

pub(super) fn deadlines(subject: &Subject<'_>, window: &Window) -> Vec<Deadline> {
    let arrivals = subject.history.at();
    let past = &arrivals[..arrivals.partition_point(|&at| at < window.from)];
    // Of a young feed its owner says whether it is hourly.
    let told_by = if past.len() < LEAST_DELAYS {
        arrivals
    } else {
        past
    };
    let slot = if is_hourly(told_by) { HOUR } else { DAY };
    let firsts = first_of_each(arrivals, slot);
    let to = window.to.min(window.known_until);
    // The first slot that begins in the window.
    let begins = -(-window.from).div_euclid(slot);
    let ends = to.div_euclid(slot);
    // Hourly feeds learn their limits once a day, as one would.
    let mut learned: Option<(i64, Option<(i64, i64)>)> = None;
    let deadline = |cycle: i64| {
        let known = &firsts[..firsts.partition_point(|(earlier, _)| *earlier < cycle)];
        if !is_expected(known, cycle, slot) {
            return None;
        }
        let start = cycle * slot;
        let day = start.div_euclid(DAY);
        if learned.is_none_or(|(of_day, _)| of_day != day) {
            learned = Some((day, limits(known, cycle, slot)));
        }
        let (median, limit) = learned?.1?;
        let came = firsts.get(known.len()).filter(|(own, _)| *own == cycle);
        let awaited = Awaited {
            start,
            usual_at: start + median,
        };
        let arrived_at = came.map(|(_, delay)| start + delay);
        Some(Deadline::of_cycle(
            awaited,
            start + limit,
            arrived_at,
            window.known_until,
        ))
    };
    (begins..=ends)
        .filter(|cycle| cycle * slot < to)
        .filter_map(deadline)
        .collect()
}

fn is_hourly(arrivals: &[i64]) -> bool {
    let mut gaps: Vec<i64> = arrivals.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let middle = gaps.len() / 2;
    !gaps.is_empty() && *gaps.select_nth_unstable(middle).1 < HOURLY_BELOW
}

/// Slots that had an arrival, and how many seconds into them the first came.
fn first_of_each(arrivals: &[i64], slot: i64) -> Vec<(i64, i64)> {
    let each = arrivals.iter();
    let mut firsts: Vec<(i64, i64)> = each
        .map(|at| (at.div_euclid(slot), at.rem_euclid(slot)))
        .collect();
    firsts.dedup_by_key(|(cycle, _)| *cycle);
    firsts
}

/// Did the same slot of the week have an arrival in enough of the weeks before?
fn is_expected(known: &[(i64, i64)], cycle: i64, slot: i64) -> bool {
    let week = 7 * DAY / slot;
    let delivered = (1..=WEEKS).filter(|weeks| {
        let earlier = cycle - weeks * week;
        known
            .binary_search_by_key(&earlier, |(cycle, _)| *cycle)
            .is_ok()
    });
    delivered.count() >= PRESENT
}

/// Median and limit of the delays, in seconds.
fn limits(known: &[(i64, i64)], cycle: i64, slot: i64) -> Option<(i64, i64)> {
    let since = cycle - DAYS * DAY / slot;
    let recent = &known[known.partition_point(|(earlier, _)| *earlier < since)..];
    if recent.len() < LEAST_DELAYS {
        return None;
    }
    let mut delays: Vec<f64> = recent.iter().map(|(_, delay)| *delay as f64).collect();
    delays.sort_unstable_by(f64::total_cmp);
    let [lower, median, upper] = [
        quantile(&delays, 0.25)?,
        quantile(&delays, 0.5)?,
        quantile(&delays, 0.75)?,
    ];
    delays.retain(|delay| *delay <= upper + FENCE * (upper - lower));
    Some((median as i64, quantile(&delays, LEVEL)?.ceil() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::check::check_alerts;

    /// Mon–Fri for ten weeks at 06:00 and up to 20 minutes; day 4 of the epoch
    /// was a Monday.
    fn weekdays() -> Vec<(i64, f64)> {
        let days = (4..74).filter(|day| (day + 3) % 7 < 5);
        days.map(|day| (day, 6.0 + (day % 5) as f64 / 12.0))
            .collect()
    }

    #[test]
    fn a_weekday_without_a_load_is_alerted_and_a_weekend_is_not() {
        let mut arrivals = weekdays();
        // Thursday of the tenth week is missing; the latest was at 06:20.
        arrivals.retain(|(day, _)| *day != 70);
        check_alerts(deadlines, &arrivals, (67, 74), &[(70, 6.0 + 4.0 / 12.0)]);
    }

    #[test]
    fn a_load_far_out_does_not_move_the_threshold() {
        let mut arrivals = weekdays();
        // Wednesday of the third week was late, and is trimmed; so is that of
        // the tenth.
        arrivals[12].1 = 20.0;
        arrivals[47].1 = 9.0;
        check_alerts(deadlines, &arrivals, (67, 74), &[(69, 6.0 + 4.0 / 12.0)]);
    }

    #[test]
    fn an_hourly_feed_is_one_from_its_first_day() {
        // At five past each hour for five weeks, all of them in the window.
        let hours = (0..24 * 35).filter(|hour| *hour != 24 * 30 + 7);
        let arrivals: Vec<(i64, f64)> = hours
            .map(|hour| (4 + hour / 24, (hour % 24) as f64 + 5.0 / 60.0))
            .collect();
        check_alerts(deadlines, &arrivals, (4, 39), &[(34, 7.0 + 5.0 / 60.0)]);
    }

    #[test]
    fn with_less_than_three_weeks_nothing_is_expected() {
        check_alerts(deadlines, &weekdays()[..10], (18, 25), &[]);
    }
}

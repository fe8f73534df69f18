//! What if a gap between two arrivals is compared with the gaps before it?
//!
//! As anomaly monitors do: more than three standard deviations above the mean
//! of 14 days, or longer than 99 % of the gaps of six weeks. They know no
//! calendar: a weekend is a long gap.

use freshness_core::civil::DAY;

use crate::evaluate::{Deadline, Subject, Window, quantile};

/// Gaps that a comparison must rest on.
const LEAST_GAPS: usize = 3;

/// Three standard deviations above the mean of 14 days.
pub(super) fn z_score(subject: &Subject<'_>, window: &Window) -> Vec<Deadline> {
    silences(subject, window, |arrivals| {
        let gaps = gaps(arrivals, 14 * DAY)?;
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let squares: f64 = gaps.iter().map(|gap| (gap - mean).powi(2)).sum();
        Some((mean + 3.0 * (squares / (n - 1.0)).sqrt()).ceil() as i64)
    })
}

/// 99 % of the gaps of six weeks.
pub(super) fn interval_p99(subject: &Subject<'_>, window: &Window) -> Vec<Deadline> {
    silences(subject, window, |arrivals| {
        let mut gaps = gaps(arrivals, 42 * DAY)?;
        // Only the longest need be in order.
        let tenth = (gaps.len() - 1) * 9 / 10;
        let (_, _, longest) = gaps.select_nth_unstable_by(tenth, f64::total_cmp);
        longest.sort_unstable_by(f64::total_cmp);
        Some(quantile(&gaps, 0.99)?.ceil() as i64)
    })
}

/// The deadlines of a rule that says, of the arrivals so far, how long the
/// silence after the last of them may be (seconds).
pub(super) fn silences(
    subject: &Subject<'_>,
    window: &Window,
    longest: impl Fn(&[i64]) -> Option<i64>,
) -> Vec<Deadline> {
    let arrivals = subject.history.at();
    let to = window.to.min(window.known_until);
    let known = arrivals.partition_point(|&arrival| arrival < to);
    let deadline = |i: usize| {
        let next = arrivals.get(i + 1).copied();
        // Most silences that end before the window need no second look.
        if next.is_some_and(|next| next < window.from) {
            return None;
        }
        let at = arrivals[i].saturating_add(longest(&arrivals[..=i])?);
        (window.from..to).contains(&at).then_some(Deadline {
            at,
            awaited: None,
            arrived_at: next,
            raised: next.is_none_or(|next| next > at),
        })
    };
    (0..known).filter_map(deadline).collect()
}

/// The gaps (seconds) between the arrivals of so many seconds up to the last.
fn gaps(arrivals: &[i64], seconds: i64) -> Option<Vec<f64>> {
    let last = *arrivals.last()?;
    let since = arrivals.partition_point(|&arrival| arrival < last.saturating_sub(seconds));
    let gaps: Vec<f64> = arrivals[since..]
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .collect();
    (gaps.len() >= LEAST_GAPS).then_some(gaps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::check::check_alerts;

    #[test]
    fn steady_gaps_have_no_spread_and_the_first_weekend_is_an_alert() {
        // Gaps of exactly a day, then one of three.
        let daily: Vec<(i64, f64)> = (0..10).map(|day| (day, 6.0)).chain([(12, 6.0)]).collect();
        check_alerts(z_score, &daily, (5, 13), &[(10, 6.0)]);
        check_alerts(interval_p99, &daily, (5, 13), &[(10, 6.0)]);
    }

    #[test]
    fn spread_gaps_are_allowed_three_deviations() {
        // Gaps of 22 and 26 hours: mean 24 h, and three deviations of 2.19 h.
        let at = |day: i64| (day, if day % 2 == 0 { 6.0 } else { 8.0 });
        let arrivals: Vec<(i64, f64)> = (0..7).map(at).chain([(8, 6.0)]).collect();
        let mean_and_deviations = 24.0 + 3.0 * (4.0_f64 * 6.0 / 5.0).sqrt();
        let at = 6.0 + mean_and_deviations - 24.0;
        check_alerts(z_score, &arrivals, (6, 8), &[(7, at)]);
    }

    #[test]
    fn two_gaps_are_too_few_to_compare_with() {
        check_alerts(z_score, &[(0, 6.0), (1, 6.0), (2, 6.0)], (0, 9), &[]);
        check_alerts(interval_p99, &[(0, 6.0), (1, 6.0), (2, 6.0)], (0, 9), &[]);
    }
}

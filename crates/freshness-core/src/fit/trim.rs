//! Which delays are incidents, and must not shape the tail?
//!
//! Those beyond the upper fence of the boxplot for skewed distributions
//! (Hubert & Vandervieren 2008), taken at its outer distance: the third
//! quartile and 3 × e^(3 MC) interquartile ranges, where MC is the medcouple, a
//! robust measure of skewness (Brys, Hubert & Struyf 2004). The quartiles hold
//! until a quarter of the deliveries are late. What lies beyond are incidents
//! if it is rare and scattered. If it is frequent, or bunched like a second
//! habit, it is how the feed is, and stays.

use std::ops::Range;

use super::quantile::{at_least, of_sorted};

/// Outer fences are twice as far as inner ones (Tukey 1977).
const FENCE: f64 = 3.0;
/// Distances of the 90 % quantile from the median: 7.7 standard deviations of a
/// normal sample, 14 of an exponential one.
const FENCE_OF_HIGH: f64 = 6.0;
/// The least interquartile range, in spreads; that of a normal sample is 1.35.
const LEAST_WIDTH: f64 = 0.5;
/// What surely happens to more than one delivery in twelve is how the feed is.
const MAX_SHARE: f64 = 0.08;
/// What surely happens to more than one in two hundred may be a second habit.
const MIN_SHARE: f64 = 0.005;
/// Points that the medcouple is taken of, evenly over the sample.
const MEDCOUPLE_POINTS: usize = 61;
/// Deliveries of a second habit: at least so many, …
const MIN_BUNCH: usize = 4;
/// … and this share of those beyond the fence, …
const BUNCH_SHARE: f64 = 0.4;
/// … are no further apart than this share of their distance from the median.
const BUNCHED: f64 = 0.25;

/// An ascending sample, divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trimmed {
    /// Values that are no incidents: the first ones.
    pub(crate) n_inside: usize,
    /// Of those, values before a second habit begins.
    pub(crate) n_first_habit: usize,
}

/// Divides an ascending sample.
pub(crate) fn trim(sorted: &[f64]) -> Trimmed {
    let n = sorted.len();
    let all = Trimmed {
        n_inside: n,
        n_first_habit: n,
    };
    if n < 8 {
        return all;
    }
    let [first, middle, third] = [0.25, 0.5, 0.75].map(|level| of_sorted(sorted, level));
    // Values so punctual that they are equal still have incidents.
    let width = (third - first).max(LEAST_WIDTH);
    let skew = (3.0 * medcouple(sorted)).exp().max(1.0);
    // Of a mixture of habits the medcouple makes too much; of a sample with
    // many incidents, the 90 % quantile.
    let high = middle + FENCE_OF_HIGH * (of_sorted(sorted, 0.9) - middle).max(width);
    let fence = (third + FENCE * skew * width).min(high);
    let inside = sorted.partition_point(|&value| value <= fence);
    if let Some(bunch) = bunch(&sorted[inside..], middle)
        && at_least(n, bunch.len()) > MIN_SHARE
    {
        return Trimmed {
            n_inside: inside + bunch.end,
            n_first_habit: inside + bunch.start,
        };
    }
    if at_least(n, n - inside) > MAX_SHARE {
        return all;
    }
    Trimmed {
        n_inside: inside,
        n_first_habit: inside,
    }
}

/// Where among the values beyond the fence the last bunch lies, if there is one.
fn bunch(beyond: &[f64], middle: f64) -> Option<Range<usize>> {
    let size = MIN_BUNCH.max((beyond.len() as f64 * BUNCH_SHARE).ceil() as usize);
    let together = |first: usize, last: usize| {
        beyond[last] - beyond[first] <= BUNCHED * (beyond[first] - middle)
    };
    let mut start = (0..(beyond.len() + 1).saturating_sub(size))
        .rev()
        .find(|&start| together(start, start + size - 1))?;
    let end = start + size;
    while start > 0 && together(start - 1, end - 1) {
        start -= 1;
    }
    Some(start..end)
}

/// Between −1 and 1; zero for symmetric samples.
fn medcouple(sorted: &[f64]) -> f64 {
    let half = MEDCOUPLE_POINTS / 2;
    let at = |i: usize| of_sorted(sorted, i as f64 / (MEDCOUPLE_POINTS - 1) as f64);
    let middle = at(half);
    let above: Vec<f64> = (half + 1..MEDCOUPLE_POINTS)
        .map(|i| at(i) - middle)
        .collect();
    let below: Vec<f64> = (0..half).map(|i| middle - at(i)).collect();
    let mut kernels: Vec<f64> = above
        .iter()
        .flat_map(|above| below.iter().map(move |below| (above, below)))
        .filter(|(above, below)| **above + **below > 0.0)
        .map(|(above, below)| (above - below) / (above + below))
        .collect();
    super::quantile::median(&mut kernels).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n` quantiles of a shape, and values beyond.
    #[track_caller]
    fn check_trim(
        n: usize,
        shape: impl Fn(f64) -> f64,
        beyond: &[f64],
        n_inside: usize,
        n_first_habit: usize,
    ) {
        let mut sample: Vec<f64> = (0..n)
            .map(|i| shape((i as f64 + 0.5) / n as f64))
            .chain(beyond.iter().copied())
            .collect();
        sample.sort_by(f64::total_cmp);
        assert_eq!(
            trim(&sample),
            Trimmed {
                n_inside,
                n_first_habit
            }
        );
    }

    fn even(share: f64) -> f64 {
        share * 20.0
    }

    fn exponential(share: f64) -> f64 {
        -(1.0 - share).ln()
    }

    #[test]
    fn rare_scattered_lateness_is_set_aside_and_a_long_tail_is_not() {
        check_trim(200, even, &[], 200, 200);
        check_trim(200, exponential, &[], 200, 200);
        check_trim(200, even, &[300.0, 450.0, 700.0], 200, 200);
    }

    #[test]
    fn one_late_delivery_of_an_exactly_punctual_feed_is_set_aside() {
        check_trim(200, |_| 0.0, &[66.0], 200, 200);
        check_trim(200, |share| (share * 2.0).floor(), &[66.0], 200, 200);
    }

    #[test]
    fn lateness_that_is_frequent_is_how_the_feed_is() {
        let scattered: Vec<f64> = (0..30).map(|i| 60.0 * 1.15_f64.powi(i)).collect();
        check_trim(200, even, &scattered, 230, 230);
        check_trim(200, even, &scattered[..12], 200, 200);
    }

    #[test]
    fn a_second_habit_stays_and_what_lies_beyond_it_does_not() {
        let next_day: Vec<f64> = (0..6).map(|i| 1_440.0 + f64::from(i)).collect();
        check_trim(100, even, &next_day, 106, 100);
        let mut with_incident = next_day;
        with_incident.push(4_000.0);
        check_trim(100, even, &with_incident, 106, 100);
    }
}

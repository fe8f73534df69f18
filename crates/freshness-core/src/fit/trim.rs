//! Which delays are incidents, and must not shape the tail?
//!
//! An iterative upper fence: what lies more than [`FENCE`] times the distance
//! from the median to the 90 % quantile above the median is set aside, and the
//! quantiles are taken again, until nothing more goes. A one-sided version of
//! Tukey's fence (1977), at the 90 % quantile rather than the third quartile
//! since delays are skewed and incidents are well under a tenth of cycles.

use super::quantile::of_sorted;

/// Normal delays: 6 × 1.28 standard deviations. Exponential ones: 10 medians.
const FENCE: f64 = 6.0;
const MAX_ROUNDS: usize = 10;
/// What happens to more than one delivery in twenty is how the feed is.
const MAX_SHARE: f64 = 0.05;

/// The number of values of an ascending sample that lie inside the fence.
pub(crate) fn n_inside(sorted: &[f64]) -> usize {
    let mut n = sorted.len();
    let at_least = n - (n as f64 * MAX_SHARE) as usize;
    for _ in 0..MAX_ROUNDS {
        if n < 8 {
            break;
        }
        let (median, high) = (of_sorted(&sorted[..n], 0.5), of_sorted(&sorted[..n], 0.9));
        let fence = median + FENCE * (high - median);
        let inside = sorted[..n]
            .partition_point(|&value| value <= fence)
            .max(at_least);
        // Equal values have no spread to measure a distance with.
        if inside == n || high <= median {
            break;
        }
        n = inside;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incident_stays_outside_and_a_long_tail_inside() {
        let mut sample: Vec<f64> = (0..200).map(|i| f64::from(i % 20)).collect();
        sample.sort_by(f64::total_cmp);
        assert_eq!(n_inside(&sample), 200);
        sample.extend([300.0, 400.0, 500.0]);
        assert_eq!(n_inside(&sample), 200);
        sample.extend((0..13).map(|i| 600.0 + f64::from(i)));
        assert_eq!(n_inside(&sample), 206);
        let exponential: Vec<f64> = (1..200)
            .map(|i| -(1.0 - f64::from(i) / 200.0).ln())
            .collect();
        assert_eq!(n_inside(&exponential), 199);
    }
}

//! What is the p-quantile of a sample?

/// The quantile at `level` (0–1) of an ascending, non-empty sample, linear
/// between neighbours (Hyndman & Fan 1996, type 7).
pub(crate) fn of_sorted(sorted: &[f64], level: f64) -> f64 {
    let position = level.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

/// The median; reorders the values. `None` if there are none.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let n = values.len();
    let (below, upper, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    let upper = *upper;
    Some(match n % 2 {
        1 => upper,
        _ => {
            let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (lower + upper) / 2.0
        }
    })
}

/// The median of an ascending, non-empty sample.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    match n % 2 {
        1 => sorted[n / 2],
        _ => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// Distance between the quartiles of a standard normal.
pub(super) const QUARTILE_DISTANCE: f64 = 1.349;
/// Values below which there is no spread.
pub(super) const LEAST_SPREAD_OF: usize = 4;

/// The distance between the quartiles, scaled to the standard deviation of a
/// normal sample; reorders the values. `None` if there are fewer than four.
pub(crate) fn spread(values: &mut [f64]) -> Option<f64> {
    if values.len() < LEAST_SPREAD_OF {
        return None;
    }
    let (first, third) = (values.len() / 4, values.len() * 3 / 4);
    let (below, third, _) = values.select_nth_unstable_by(third, f64::total_cmp);
    let first = *below.select_nth_unstable_by(first, f64::total_cmp).1;
    let third = *third;
    Some((third - first) / QUARTILE_DISTANCE)
}

/// The distance between the 10 % and the 90 % quantile, scaled like
/// [`spread`]; reorders the values. `None` if there are fewer than a hundred.
/// Steadier where a quarter of the values come from a second habit, but in few
/// values incidents move it.
pub(crate) fn wide_spread(values: &mut [f64]) -> Option<f64> {
    /// Distance between the outer deciles of a standard normal.
    const DECILE_DISTANCE: f64 = 2.563;
    if values.len() < 100 {
        return None;
    }
    let (low, high) = (values.len() / 10, values.len() * 9 / 10);
    let (below, high, _) = values.select_nth_unstable_by(high, f64::total_cmp);
    let low = *below.select_nth_unstable_by(low, f64::total_cmp).1;
    let high = *high;
    Some((high - low) / DECILE_DISTANCE)
}

/// The share of the own estimate when `n` values of its own are weighed
/// against `prior` values' worth of the coarser cell: n / (n + prior).
pub(crate) fn shrinkage(n: usize, prior: f64) -> f64 {
    n as f64 / (n as f64 + prior)
}

/// The share that `k` of `n` say there is at least: the lower end of the
/// interval of Wilson (1927), one-sided 95 %.
pub(crate) fn at_least(n: usize, k: usize) -> f64 {
    /// 95 % quantile of a standard normal.
    const Z: f64 = 1.645;
    let n = n.max(1) as f64;
    let share = k as f64 / n;
    let center = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    (center - reach) / (1.0 + Z * Z / n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_rise_with_their_level(mut sample in prop::collection::vec(-1e6f64..1e6, 1..50), a in 0.0f64..1.0, b in 0.0f64..1.0) {
            sample.sort_by(f64::total_cmp);
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(of_sorted(&sample, low) <= of_sorted(&sample, high) + 1e-9);
        }

        #[test]
        fn a_quantile_is_the_line_through_its_neighbours(mut sample in prop::collection::vec(-1e6f64..1e6, 2..50), k in 0usize..49, between in 0.0f64..1.0) {
            sample.sort_by(f64::total_cmp);
            let n = sample.len();
            let k = k % (n - 1);
            let naive = sample[k] * (1.0 - between) + sample[k + 1] * between;
            let level = (k as f64 + between) / (n - 1) as f64;
            prop_assert!((of_sorted(&sample, level) - naive).abs() < 1e-3);
        }

        #[test]
        fn the_median_is_the_middle_quantile(mut sample in prop::collection::vec(-1e6f64..1e6, 1..50)) {
            let median = median(&mut sample.clone()).unwrap();
            sample.sort_by(f64::total_cmp);
            prop_assert!((median - of_sorted(&sample, 0.5)).abs() < 1e-6);
        }
    }
}

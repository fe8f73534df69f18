//! How late can an ordinary delivery be?
//!
//! A few hundred delays don't show their 99.9 % quantile. Above the 90 %
//! quantile the excesses are taken to follow a generalised Pareto distribution
//! (Pickands 1975). Its scale is that of an exponential tail from which the
//! furthest quarter is censored (Epstein & Sobel 1953), since incidents that no
//! fence could tell lie there; its shape is read from the excesses' quartiles
//! and drawn toward the exponential where excesses are few.

use super::quantile::of_sorted;

/// Where the tail begins.
const TAIL_FROM: f64 = 0.9;
/// The share of excesses that is looked at; the others only count.
const UNCENSORED: f64 = 0.75;
/// Excesses' worth of belief in an exponential tail.
const PRIOR_EXCESSES: f64 = 300.0;
/// Shapes outside are fits to noise.
const SHAPES: (f64, f64) = (-0.1, 0.3);

/// The level that an ordinary value passes with probability `exceedance`, from
/// an ascending, non-empty sample without incidents. The tail begins no earlier
/// than the second habit of the sample, if it has one.
pub(crate) fn level(sorted: &[f64], n_first_habit: usize, exceedance: f64) -> f64 {
    let mut start = of_sorted(sorted, TAIL_FROM);
    // Between two habits nothing is extrapolated.
    if let Some(second) = sorted.get(n_first_habit) {
        start = start.max(*second);
    }
    let excesses: Vec<f64> = sorted
        .iter()
        .map(|value| value - start)
        .filter(|excess| *excess > 0.0)
        .collect();
    let n = excesses.len() as f64;
    let ratio = n / sorted.len() as f64 / exceedance;
    if ratio <= 1.0 || excesses.is_empty() {
        return of_sorted(sorted, 1.0 - exceedance);
    }
    let censored_at = of_sorted(&excesses, UNCENSORED);
    let n_seen = excesses
        .partition_point(|&excess| excess < censored_at)
        .max(1);
    let total: f64 = excesses.iter().map(|excess| excess.min(censored_at)).sum();
    let mean = total / n_seen as f64;
    // Of a Pareto tail, the distances of the quartiles grow by 2^shape.
    let half = of_sorted(&excesses, 0.5);
    let own = match half > 0.0 && censored_at > half {
        true => ((censored_at - half) / half).log2(),
        false => 0.0,
    };
    let shape = own.clamp(SHAPES.0, SHAPES.1) * n / (n + PRIOR_EXCESSES);
    // The scale with which the three quarters that are seen have that mean.
    let scale = mean * grown(4.0, 0.0) / grown(4.0, shape);
    start + scale * grown(ratio, shape)
}

/// How many scales above the start the level lies that one in `ratio` passes.
fn grown(ratio: f64, shape: f64) -> f64 {
    match shape.abs() < 1e-6 {
        true => ratio.ln(),
        false => (ratio.powf(shape) - 1.0) / shape,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_an_exponential_is_found_beyond_the_sample() {
        let n = 300;
        let sample: Vec<f64> = (0..n)
            .map(|i| -(1.0 - (f64::from(i) + 0.5) / f64::from(n)).ln())
            .collect();
        let found = level(&sample, usize::MAX, 0.001);
        assert!((found - 6.9).abs() < 0.7, "{found}");
    }

    #[test]
    fn rarer_levels_are_higher_and_equal_values_have_no_tail() {
        let sample: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(level(&sample, usize::MAX, 0.001) > level(&sample, usize::MAX, 0.01));
        assert_eq!(level(&[5.0; 40], 40, 0.001), 5.0);
    }
}

//! How late can an ordinary delivery be?
//!
//! A few hundred delays don't show their 99.9 % quantile. Above the 90 %
//! quantile the excesses follow a generalised Pareto distribution (Pickands
//! 1975), fitted by probability-weighted moments (Hosking & Wallis 1987); its
//! shape is drawn toward that of an exponential tail where excesses are few.

use super::quantile::of_sorted;

/// Where the tail begins.
const TAIL_FROM: f64 = 0.9;
/// Excesses' worth of belief in an exponential tail.
const PRIOR_EXCESSES: f64 = 40.0;
/// Shapes outside are fits to noise.
const SHAPES: (f64, f64) = (-0.4, 0.4);

/// The level that an ordinary value passes with probability `exceedance`,
/// from an ascending, non-empty sample without incidents.
pub(crate) fn level(sorted: &[f64], exceedance: f64) -> f64 {
    let start = of_sorted(sorted, TAIL_FROM);
    let excesses: Vec<f64> = sorted
        .iter()
        .map(|value| value - start)
        .filter(|excess| *excess > 0.0)
        .collect();
    if exceedance >= 1.0 - TAIL_FROM || excesses.is_empty() {
        return of_sorted(sorted, 1.0 - exceedance);
    }
    let n = excesses.len() as f64;
    let mean = excesses.iter().sum::<f64>() / n;
    // Ascending excesses weigh by the share above them (plotting positions).
    let weighted = excesses
        .iter()
        .enumerate()
        .map(|(i, excess)| excess * (1.0 - (i as f64 + 0.65) / n))
        .sum::<f64>()
        / n;
    let own = match mean - 2.0 * weighted {
        gap if gap > 1e-12 => 2.0 - mean / gap,
        _ => 0.0,
    };
    let shape = own.clamp(SHAPES.0, SHAPES.1) * n / (n + PRIOR_EXCESSES);
    let scale = mean * (1.0 - shape);
    let ratio = exceedance / (n / sorted.len() as f64);
    let excess = match shape.abs() < 1e-6 {
        true => -scale * ratio.ln(),
        false => scale / shape * (ratio.powf(-shape) - 1.0),
    };
    start + excess.max(0.0)
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
        let found = level(&sample, 0.001);
        assert!((found - 6.9).abs() < 0.7, "{found}");
    }

    #[test]
    fn rarer_levels_are_higher_and_equal_values_have_no_tail() {
        let sample: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(level(&sample, 0.001) > level(&sample, 0.01));
        assert_eq!(level(&[5.0; 40], 0.001), 5.0);
    }
}

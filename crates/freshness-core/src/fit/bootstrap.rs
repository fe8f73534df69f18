//! How well does the data pin a threshold down?
//!
//! The bootstrap distribution of an order statistic needs no resampling: the
//! k-th of n resampled values is the order statistic at a Beta(k, n − k + 1)
//! position of the sample (Hutson & Ernst 2000). Drawn from a seeded generator,
//! so that the band is the same on every machine.

use super::quantile::of_sorted;
use super::tail;

const N_DRAWS: usize = 200;

/// The 5 % and 95 % quantiles, over bootstrap resamples of an ascending,
/// non-empty sample whose second habit begins at `n_first_habit`, of its
/// [`tail::level`] at `exceedance`.
///
/// The uncertainty of the level is that of the quantile where the sample still
/// holds ten values above, carried to the level in proportion.
pub(crate) fn band(sorted: &[f64], n_first_habit: usize, exceedance: f64, seed: u64) -> (f64, f64) {
    let n = sorted.len();
    let level = tail::level(sorted, n_first_habit, exceedance);
    let center = of_sorted(sorted, 0.5);
    let share = 1.0 - exceedance.max(10.0 / n as f64).min(0.5);
    let pinned = of_sorted(sorted, share);
    let stretch = if pinned > center {
        (level - center) / (pinned - center)
    } else {
        1.0
    };
    let k = (share * n as f64).clamp(1.0, n as f64);
    let mut random = SplitMix(seed);
    let mut levels: Vec<f64> = (0..N_DRAWS)
        .map(|_| {
            let position = random.beta(k, n as f64 - k + 1.0);
            center + (of_sorted(sorted, position) - center) * stretch
        })
        .collect();
    levels.sort_by(f64::total_cmp);
    (
        of_sorted(&levels, 0.05).min(level),
        of_sorted(&levels, 0.95).max(level),
    )
}

/// Steele, Lea & Flood 2014.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Marsaglia & Tsang 2000, for shapes of at least 1.
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    fn beta(&mut self, a: f64, b: f64) -> f64 {
        let (x, y) = (self.gamma(a), self.gamma(b));
        x / (x + y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_holds_the_level_narrows_with_data_and_repeats_with_its_seed() {
        let sample = |n: i32| -> Vec<f64> {
            (0..n)
                .map(|i| -(1.0 - (f64::from(i) + 0.5) / f64::from(n)).ln())
                .collect()
        };
        let width = |n: i32| {
            let (low, high) = band(&sample(n), usize::MAX, 0.01, 7);
            let level = tail::level(&sample(n), usize::MAX, 0.01);
            assert!(low <= level && level <= high);
            high - low
        };
        assert!(width(2_000) < width(100));
        assert_eq!(
            band(&sample(100), usize::MAX, 0.01, 7),
            band(&sample(100), usize::MAX, 0.01, 7)
        );
    }
}

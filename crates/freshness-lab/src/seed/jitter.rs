//! How far from its usual time does an ordinary delivery come?
//!
//! Five shapes, because a program that fits one of them is not yet any good.
//! Each is scaled to a standard deviation and centred, so that its location is
//! the usual time: the median, and of the bimodal shape the mode that is more
//! frequent.

use rand_distr::{Gamma, LogNormal, Normal, StandardNormal};

use super::chance::Chance;

/// The shape of the noise. Minutes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Jitter {
    /// Many small causes.
    Normal { spread: f64 },
    /// Factors that multiply; `sigma` is that of the logarithm.
    LogNormal { spread: f64, sigma: f64 },
    /// A queue of some steps.
    Gamma { spread: f64, steps: f64 },
    /// Sharp, with long tails on both sides.
    Laplace { spread: f64 },
    /// Now and then a second, slower way: `gap` minutes later.
    Bimodal { spread: f64, gap: f64, slow: f64 },
}

/// Draws from which the quantiles of a shape are read.
const DRAWS: usize = 4_000;

impl Jitter {
    /// Minutes after (or before) the usual time.
    pub(super) fn draw(&self, chance: &mut Chance) -> f64 {
        match *self {
            Jitter::Normal { spread } => spread * chance.draw(&StandardNormal),
            Jitter::LogNormal { spread, sigma } => {
                let unit = LogNormal::new(0.0, sigma).expect("a positive sigma");
                spread * (chance.draw(&unit) - 1.0) / log_normal_deviation(sigma)
            }
            Jitter::Gamma { spread, steps } => {
                let unit = Gamma::new(steps, 1.0).expect("a positive number of steps");
                spread * (chance.draw(&unit) - gamma_median(steps)) / steps.sqrt()
            }
            Jitter::Laplace { spread } => {
                let size = -chance.between(f64::MIN_POSITIVE, 1.0).ln();
                spread * chance.sign() * size / std::f64::consts::SQRT_2
            }
            Jitter::Bimodal { spread, gap, slow } => {
                let mode = if chance.happens(slow) { gap } else { 0.0 };
                let around = Normal::new(mode, spread).expect("a finite spread");
                chance.draw(&around)
            }
        }
    }

    /// The quantiles of the noise at the levels, from a fixed sample.
    pub(super) fn quantiles<const N: usize>(&self, levels: [f64; N]) -> [f64; N] {
        let mut chance = Chance::new(0, u64::MAX);
        let mut drawn: Vec<f64> = (0..DRAWS).map(|_| self.draw(&mut chance)).collect();
        drawn.sort_unstable_by(f64::total_cmp);
        levels.map(|level| drawn[((DRAWS - 1) as f64 * level).round() as usize])
    }
}

/// Of a lognormal with median 1.
fn log_normal_deviation(sigma: f64) -> f64 {
    let square = (sigma * sigma).exp();
    ((square - 1.0) * square).sqrt()
}

/// Method: Wilson and Hilferty (1931); within half a percent from two steps on.
fn gamma_median(steps: f64) -> f64 {
    steps * (1.0 - 1.0 / (9.0 * steps)).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Jitter; 5] = [
        Jitter::Normal { spread: 10.0 },
        Jitter::LogNormal {
            spread: 10.0,
            sigma: 0.5,
        },
        Jitter::Gamma {
            spread: 10.0,
            steps: 3.0,
        },
        Jitter::Laplace { spread: 10.0 },
        Jitter::Bimodal {
            spread: 10.0,
            gap: 60.0,
            slow: 0.25,
        },
    ];

    /// Standard deviation, skewness and excess kurtosis of many draws.
    fn moments(jitter: Jitter) -> [f64; 3] {
        const N: usize = 200_000;
        let mut chance = Chance::new(7, 7);
        let drawn: Vec<f64> = (0..N).map(|_| jitter.draw(&mut chance)).collect();
        let mean = drawn.iter().sum::<f64>() / N as f64;
        let moment = |k: i32| drawn.iter().map(|x| (x - mean).powi(k)).sum::<f64>() / N as f64;
        let deviation = moment(2).sqrt();
        [
            deviation,
            moment(3) / deviation.powi(3),
            moment(4) / deviation.powi(4) - 3.0,
        ]
    }

    #[test]
    fn the_middle_of_the_noise_is_the_usual_time() {
        for jitter in &SHAPES[..4] {
            let [median] = jitter.quantiles([0.5]);
            assert!(median.abs() < 0.6, "{jitter:?}: {median}");
        }
        // Of two modes the more frequent one: its middle is at 3/8 of all.
        let [middle] = SHAPES[4].quantiles([0.375]);
        assert!(middle.abs() < 0.6, "{middle}");
    }

    #[test]
    fn each_shape_has_its_spread_its_skewness_and_its_tails() {
        let close = |got: f64, expected: f64, by: f64| (got - expected).abs() <= by;
        // Textbook values; those of the lognormal for sigma 0.5.
        for (jitter, skewness, kurtosis) in [
            (SHAPES[0], 0.0, 0.0),
            (SHAPES[1], 1.750, 5.898),
            (SHAPES[2], 2.0 / 3.0_f64.sqrt(), 2.0),
            (SHAPES[3], 0.0, 3.0),
        ] {
            let [spread, skew, tails] = moments(jitter);
            assert!(close(spread, 10.0, 0.2), "{jitter:?}: {spread}");
            assert!(close(skew, skewness, 0.15), "{jitter:?}: {skew}");
            assert!(
                close(tails, kurtosis, 0.2 + 0.15 * kurtosis),
                "{jitter:?}: {tails}"
            );
        }
        // Two modes: flatter than a normal.
        let [_, skew, tails] = moments(SHAPES[4]);
        assert!(skew > 0.5 && tails < 0.0, "{skew} {tails}");
    }
}

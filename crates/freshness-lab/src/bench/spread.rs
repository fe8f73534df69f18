//! How do the times of many runs spread?

use serde::{Deserialize, Serialize};

/// Times, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Runs.
    pub n: usize,
    /// The least.
    pub best: f64,
    /// The median.
    pub p50: f64,
    /// 95 % were not longer.
    pub p95: f64,
    /// 99 % were not longer.
    pub p99: f64,
}

impl Spread {
    /// Of times in seconds; `None` without any.
    pub fn of(mut seconds: Vec<f64>) -> Option<Spread> {
        seconds.sort_by(f64::total_cmp);
        let last = seconds.len().checked_sub(1)?;
        // The nearest rank: a time that was measured.
        let at = |level: f64| {
            let rank = (level * seconds.len() as f64).ceil() as usize;
            milliseconds(seconds[rank.saturating_sub(1).min(last)])
        };
        Some(Spread {
            n: seconds.len(),
            best: at(0.0),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
        })
    }
}

/// To the microsecond.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_times_that_were_measured() {
        let spread = Spread::of((1..=200).rev().map(f64::from).collect()).unwrap();
        assert_eq!(
            spread,
            Spread {
                n: 200,
                best: 1_000.0,
                p50: 100_000.0,
                p95: 190_000.0,
                p99: 198_000.0
            }
        );
        assert_eq!(Spread::of(vec![0.25]).unwrap().p99, 250.0);
        assert_eq!(Spread::of(Vec::new()), None);
    }
}

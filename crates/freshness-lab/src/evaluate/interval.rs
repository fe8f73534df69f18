//! How sure is a share that was counted?

use statrs::distribution::{Beta, Binomial, ContinuousCDF, DiscreteCDF};

/// The interval that holds the true share with probability `confidence` (0–1),
/// whatever it is, when `k` of `n` were counted (Clopper & Pearson 1934).
/// `None` if nothing was counted.
pub fn clopper_pearson(k: u64, n: u64, confidence: f64) -> Option<(f64, f64)> {
    if n == 0 || k > n {
        return None;
    }
    let tail = (1.0 - confidence) / 2.0;
    let quantile =
        |a: u64, b: u64, p: f64| Some(Beta::new(a as f64, b as f64).ok()?.inverse_cdf(p));
    let low = match k {
        0 => 0.0,
        _ => quantile(k, n - k + 1, tail)?,
    };
    let high = match n - k {
        0 => 1.0,
        _ => quantile(k + 1, n - k, 1.0 - tail)?,
    };
    Some((low, high))
}

/// The counts between which a count of `n` with chance `p` each lies, but for
/// `1 - confidence`: at most half of that is left out on either side. `None`
/// if there is nothing to count or `p` is no chance.
pub fn binomial_band(n: u64, p: f64, confidence: f64) -> Option<(u64, u64)> {
    if n == 0 {
        return None;
    }
    let binomial = Binomial::new(p, n).ok()?;
    let tail = (1.0 - confidence) / 2.0;
    Some((binomial.inverse_cdf(tail), binomial.inverse_cdf(1.0 - tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_interval(k: u64, n: u64, low: f64, high: f64) {
        let found = clopper_pearson(k, n, 0.95).unwrap();
        assert!((found.0 - low).abs() < 5e-5, "{found:?}");
        assert!((found.1 - high).abs() < 5e-5, "{found:?}");
    }

    #[test]
    fn the_interval_of_a_share_is_that_of_the_tables() {
        // R: binom.test(k, n)$conf.int
        check_interval(8, 10, 0.4439, 0.9748);
        check_interval(0, 10, 0.0, 0.3085);
        check_interval(10, 10, 0.6915, 1.0);
        check_interval(95, 100, 0.8872, 0.9836);
        assert_eq!(clopper_pearson(0, 0, 0.95), None);
    }

    #[test]
    fn a_band_leaves_out_no_more_than_it_says() {
        for (n, p) in [(45, 0.1), (1_000, 0.001), (3, 0.5), (20_000, 0.9)] {
            let (low, high) = binomial_band(n, p, 0.99).unwrap();
            let binomial = Binomial::new(p, n).unwrap();
            if low > 0 {
                assert!(binomial.cdf(low - 1) <= 0.005 + 1e-12);
            }
            assert!(binomial.cdf(low) >= 0.005 - 1e-12);
            assert!(1.0 - binomial.cdf(high) <= 0.005 + 1e-12);
        }
        assert_eq!(binomial_band(0, 0.1, 0.99), None);
        assert_eq!(binomial_band(10, f64::NAN, 0.99), None);
        assert_eq!(binomial_band(10, 0.0, 0.99), Some((0, 0)));
    }
}

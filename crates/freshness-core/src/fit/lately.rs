//! Where do deliveries stand lately?
//!
//! A schedule drifts between its moves, and so does its noise: a runner gets
//! slower by a minute a week, a quiet month follows a busy one. Level and
//! spread are therefore read from the last deliveries as well. How many count
//! is decided by forecasting: each delivery is told from the ones before it by
//! every window, and a shorter window is taken only if its forecasts were
//! clearly better. What is left over is a forecast error, so the tail that is
//! read from it holds what following a schedule costs.

use std::ops::Range;

use super::quantile::{shrinkage, spread};
use super::window::Window;

/// Deliveries that may count, beside all of the regime. Halving as far as a
/// median is still worth something.
const WINDOWS: [usize; 4] = [64, 32, 16, 8];
/// The same for spreads, which need more.
const SPREAD_WINDOWS: [usize; 3] = [128, 64, 32];
/// Standard errors by which a shorter window must forecast better.
const MIN_ERRORS: f64 = 2.0;
/// Deliveries' worth of belief in the level of the regime, …
const LEVEL_PRIOR: f64 = 2.0;
/// … and in its spread.
const SPREAD_PRIOR: f64 = 16.0;
/// Two deliveries make a level by themselves if they differ by no more than this
/// share of it, or by a spread.
const AGREEMENT: f64 = 0.25;
/// Forecasts that are compared: the newest ones.
const MAX_COMPARED: usize = 512;
/// Forecasts below which nothing is chosen.
const MIN_COMPARED: usize = 16;

/// What the deliveries before say of each delivery, and of the next one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lately {
    /// Level before each delivery, and before the next.
    pub(crate) levels: Vec<f64>,
    /// The level that a deadline counts from, before each delivery: that of the
    /// two before, if they agree and are later (a schedule that has just moved).
    pub(crate) uppers: Vec<f64>,
    /// The level of the last two, in minutes, if they agree.
    pub(crate) agreed_minutes: Option<f64>,
    /// Spread before each delivery relative to all, and before the next.
    pub(crate) spreads: Vec<f64>,
}

/// Follows the noise of deliveries (minutes, oldest first; zero is the level of
/// their regime) from the one at `since` on. `units` are the spreads of their
/// cells, `regimes` tells which belong together, `least` is the least spread in
/// units, and `per_day` how many deliveries are expected in a day (0 for less
/// than one).
pub(crate) fn follow(
    minutes: &[f64],
    units: &[f64],
    regimes: &[usize],
    since: usize,
    least: f64,
    per_day: usize,
) -> Lately {
    let noise: Vec<f64> = (minutes.iter().zip(units))
        .map(|(minutes, unit)| minutes / unit)
        .collect();
    let noise = &noise[..];
    let n = noise.len();
    let still = vec![0.0; n + 1];
    let even = vec![1.0; n + 1];
    let from = n.saturating_sub(MAX_COMPARED);
    let compared = from..n;
    let since = since.min(from);
    let mut best = Lately {
        uppers: still.clone(),
        agreed_minutes: None,
        levels: still,
        spreads: even,
    };
    if compared.len() < MIN_COMPARED {
        return best;
    }
    let mut loss = losses(noise, &best.levels, &best.spreads, compared.clone());
    // An outage of some hours is no level, and no spread.
    let longer = (per_day / 4).max(1);
    // Windows are tried on what is compared; the best is then told for all.
    let mut window = Window::on(noise, since.saturating_sub(WINDOWS[0] * longer));
    let mut levels = |size: usize, told_from: usize| {
        let reach = Reach {
            from: since,
            told_from,
            size,
        };
        trailing(&mut window, regimes, reach, 0.0, |window| {
            shrinkage(window.len(), LEVEL_PRIOR) * window.median()
        })
    };
    let mut chosen = None;
    for size in WINDOWS.map(|size| size * longer) {
        let tried = levels(size, from);
        let other = losses(noise, &tried, &best.spreads, compared.clone());
        if is_better(&other, &loss) {
            (chosen, loss) = (Some(size), other);
        }
    }
    if let Some(size) = chosen {
        best.levels = levels(size, since);
    }
    let errors: Vec<f64> = noise
        .iter()
        .zip(&best.levels)
        .map(|(noise, level)| noise - level)
        .collect();
    let all = spread(&mut errors[from..].to_vec())
        .unwrap_or(1.0)
        .max(1e-9);
    // A move changes when deliveries come, seldom how steadily.
    let together = vec![0; n];
    let mut window = Window::on(&errors, since.saturating_sub(SPREAD_WINDOWS[0] * longer));
    let mut spreads = |size: usize, told_from: usize| {
        let reach = Reach {
            from: since,
            told_from,
            size,
        };
        trailing(&mut window, &together, reach, 1.0, |window| {
            let own = window.spread().unwrap_or(all).max(all / 32.0).max(least);
            (shrinkage(window.len(), SPREAD_PRIOR) * (own / all).ln()).exp()
        })
    };
    let mut chosen = None;
    for size in SPREAD_WINDOWS.map(|size| size * longer) {
        let tried = spreads(size, from);
        let other = losses(noise, &best.levels, &tried, compared.clone());
        if is_better(&other, &loss) {
            (chosen, loss) = (Some(size), other);
        }
    }
    if let Some(size) = chosen {
        best.spreads = spreads(size, since);
    }
    best.uppers.clone_from(&best.levels);
    if per_day <= 1 {
        // In minutes: a move is the same for cells that scatter and those that don't.
        let least = all * units.iter().sum::<f64>() / n as f64;
        let agreed = |i: usize| {
            let last_two = minutes[..i].last_chunk()?;
            let is_one_regime =
                regimes[i - last_two.len()..n.min(i + 1)].is_sorted_by(PartialEq::eq);
            agreed(*last_two, least).filter(|_| is_one_regime)
        };
        for (i, upper) in best.uppers.iter_mut().enumerate().take(n).skip(since) {
            *upper = agreed(i).map_or(*upper, |minutes| upper.max(minutes / units[i]));
        }
        best.agreed_minutes = agreed(n);
    }
    best
}

/// The level on which the last deliveries agree: two incidents are seldom
/// equally late.
fn agreed([a, b]: [f64; 2], least: f64) -> Option<f64> {
    let (low, high) = (a.min(b), a.max(b));
    (high - low <= (AGREEMENT * low).max(least)).then_some(low)
}

/// What each forecast cost: the negative logarithm of a Student density with
/// three degrees of freedom, whose tails forgive incidents.
fn losses(noise: &[f64], levels: &[f64], spreads: &[f64], compared: Range<usize>) -> Vec<f64> {
    let errors = |i: usize| noise[i] - levels[i];
    let mut all: Vec<f64> = compared.clone().map(errors).collect();
    let unit = spread(&mut all).unwrap_or(1.0).max(1e-9);
    // Spreads are told for many at a time.
    let mut told = (1.0, 0.0);
    compared
        .map(|i| {
            let scale = unit * spreads[i];
            if scale != told.0 {
                told = (scale, scale.ln());
            }
            let z = errors(i) / scale;
            told.1 + 2.0 * (1.0 + z * z / 3.0).ln()
        })
        .collect()
}

/// Are the losses lower, by more than chance makes them?
fn is_better(candidate: &[f64], than: &[f64]) -> bool {
    let n = candidate.len() as f64;
    let gains: Vec<f64> = than.iter().zip(candidate).map(|(a, b)| a - b).collect();
    let mean = gains.iter().sum::<f64>() / n;
    let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (n - 1.0);
    mean > MIN_ERRORS * (variance / n).sqrt()
}

/// Over which values a statistic is followed.
#[derive(Debug, Clone, Copy)]
struct Reach {
    /// It is looked at from here on, …
    from: usize,
    /// … and told from here on.
    told_from: usize,
    /// Values before that count.
    size: usize,
}

/// A statistic of the window of up to `size` values before each from `told_from`
/// on, and of the last ones for the next; `fallback` before. Values of other regimes
/// don't count. Long windows are looked at every sixteenth of their length.
fn trailing(
    window: &mut Window,
    regimes: &[usize],
    reach: Reach,
    fallback: f64,
    statistic: impl Fn(&Window) -> f64,
) -> Vec<f64> {
    let Reach {
        from,
        told_from,
        size,
    } = reach;
    let n = regimes.len();
    let stride = (size / 16).max(1);
    let first = from.saturating_sub(size);
    let mut begins = first;
    let mut found = vec![fallback; n + 1];
    let mut looked_at = None;
    let mut told = None;
    for i in first..=n {
        let is_edge = i > begins && i < n && regimes[i] != regimes[i - 1];
        if is_edge {
            (begins, looked_at) = (i, None);
        }
        if i < from {
            continue;
        }
        let at = match looked_at {
            Some(at) if i < at + stride && i < n => at,
            _ => i,
        };
        looked_at = Some(at);
        if i < told_from {
            continue;
        }
        found[i] = match told {
            Some((told_at, statistic)) if told_at == at => statistic,
            _ => {
                window.move_to(begins.max(at.saturating_sub(size))..at);
                match window.len() {
                    0 => fallback,
                    _ => statistic(window),
                }
            }
        };
        told = Some((at, found[i]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise of up to 0.5, and what is added to it.
    fn noise(n: usize, added: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..n)
            .map(|i| (i * 7_919 % 101) as f64 / 100.0 - 0.5 + added(i))
            .collect()
    }

    fn followed(noise: &[f64], per_day: usize) -> (f64, f64) {
        let n = noise.len();
        let told = follow(noise, &vec![1.0; n], &vec![0; n], 0, 0.01, per_day);
        (told.levels[n], told.agreed_minutes.unwrap_or(0.0))
    }

    #[test]
    fn a_drift_is_followed_and_noise_is_not() {
        let steady = noise(200, |_| 0.0);
        assert_eq!(followed(&steady, 1).0, 0.0);
        let (level, _) = followed(&noise(200, |i| i as f64 / 20.0 - 5.0), 1);
        assert!((4.0..5.5).contains(&level), "{level}");
    }

    #[test]
    fn two_that_agree_are_a_new_level_and_two_incidents_are_not() {
        let late = |sizes: [f64; 2]| {
            let noise = noise(200, |i| if i < 198 { 0.0 } else { sizes[i - 198] });
            followed(&noise, 1).1
        };
        assert!(late([30.0, 31.0]) > 25.0);
        assert!(late([30.0, 80.0]) < 1.0);
        // Six late hours are an outage.
        let hours = noise(400, |i| if i < 394 { 0.0 } else { 30.0 });
        assert!(followed(&hours, 24).1 < 1.0);
    }

    #[test]
    fn a_noisier_time_has_a_wider_spread() {
        let calm = noise(300, |_| 0.0);
        let noisy: Vec<f64> = (calm.iter().enumerate())
            .map(|(i, noise)| if i < 150 { *noise } else { noise * 8.0 })
            .collect();
        let told = follow(&noisy, &[1.0; 300], &[0; 300], 0, 0.01, 1);
        assert!(told.spreads[300] > 2.0 * told.spreads[100]);
    }
}

//! How late is each kind of cycle, and when is it late for real?
//!
//! A delay is the level of its regime, plus the shift of its cell, plus the
//! effects that apply (a slow month end), plus noise in units of its cell's
//! spread. Levels and spreads of a cell are drawn toward those of all cells by
//! n / (n + k), the noise is pooled over cells and regimes, incidents are
//! trimmed, and the threshold is read from the tail of what is left. Every
//! published number is a cell's median plus a multiple of its spread.

use std::collections::BTreeMap;

use super::model::{Cell, CellKey, Effect};
use super::quantile::{median, of_sorted, shrinkage, spread};
use super::{bootstrap, effects, tail, trim};
use crate::civil::Day;
use crate::schedule::{Calendar, Grain};

/// One delivered cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Delivery {
    pub(crate) key: CellKey,
    pub(crate) day: Day,
    /// Which regime; the last is the current one.
    pub(crate) regime: usize,
    /// Minutes from the start of the cycle.
    pub(crate) delay: f64,
}

/// What the cells and effects of a model are learned with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellParameters {
    pub(crate) grain: Grain,
    pub(crate) false_alarm_rate: f64,
    pub(crate) seed: u64,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LearnedCells {
    pub(crate) cells: Vec<Cell>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) n_trimmed: usize,
    pub(crate) false_alarm_rate: f64,
    /// Noise of the deliveries, in order, in spreads of their cell.
    pub(crate) noise: Vec<f64>,
    /// The 10 % and 90 % quantile of the noise.
    pub(crate) noise_window: (f64, f64),
}

/// Delays' worth of belief in the level of all cells, …
const LEVEL_PRIOR: f64 = 6.0;
/// … in their spread, …
const SPREAD_PRIOR: f64 = 20.0;
/// … and in the shape of their noise.
const SHAPE_PRIOR: f64 = 40.0;

/// The least spread in minutes: a minute for a daily feed. A finer clock than
/// that says nothing about lateness.
pub(crate) fn least_spread(grain: Grain) -> f64 {
    grain.seconds() as f64 / 86_400.0
}

/// The least distance in minutes from the median to the threshold: 15 minutes
/// for a daily feed, 3 for an hourly one; it grows with the square root of the
/// period. Nobody acts on less.
pub(crate) fn least_margin(grain: Grain) -> f64 {
    15.0 * (grain.seconds() as f64 / 86_400.0).sqrt()
}

/// Learns from the deliveries of the last cadence; not empty.
/// `expected` counts the expected cycles of the current regime by cell, and
/// how many of them were skipped alone or in pairs.
pub(crate) fn learn(
    deliveries: &[Delivery],
    expected: &BTreeMap<CellKey, (usize, usize)>,
    calendar: &Calendar,
    parameters: CellParameters,
) -> LearnedCells {
    let current = deliveries[deliveries.len() - 1].regime;
    let levels = regime_levels(deliveries);
    let mut rest: Vec<f64> = deliveries
        .iter()
        .map(|delivery| delivery.delay - levels[&delivery.regime])
        .collect();
    // Shifts of cells and effects are estimated in turns, each on what the
    // other leaves (Tukey's median polish); two turns settle.
    let mut shifts = cell_shifts(deliveries, &rest);
    let mut effects = Vec::new();
    for _ in 0..2 {
        let without_cells: Vec<f64> = deliveries
            .iter()
            .zip(&rest)
            .map(|(delivery, rest)| rest - shifts[&delivery.key])
            .collect();
        effects = effects::find(deliveries, &without_cells, calendar, parameters.grain);
        if effects.is_empty() {
            break;
        }
        let without_effects: Vec<f64> = effects::sums(deliveries, &effects)
            .iter()
            .zip(&rest)
            .map(|(effect, rest)| rest - effect)
            .collect();
        shifts = cell_shifts(deliveries, &without_effects);
    }
    let sums = effects::sums(deliveries, &effects);
    for ((rest, delivery), effect) in rest.iter_mut().zip(deliveries).zip(&sums) {
        *rest -= shifts[&delivery.key] + effect;
    }
    let spreads = Spreads::of(deliveries, &rest, parameters.grain);
    let noise: Vec<f64> = deliveries
        .iter()
        .zip(&rest)
        .map(|(delivery, rest)| rest / spreads.at(delivery.key, delivery.regime))
        .collect();
    let mut sorted = noise.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let n_inside = trim::n_inside(&sorted);
    let ordinary = &sorted[..n_inside];
    let false_alarm_rate = parameters.false_alarm_rate.max(supported_rate(n_inside));
    let threshold = tail::level(ordinary, false_alarm_rate);
    let band = bootstrap::band(ordinary, false_alarm_rate, parameters.seed);
    let pooled = [0.1, 0.5, 0.9].map(|level| of_sorted(ordinary, level));

    let mut keys: Vec<CellKey> = expected
        .keys()
        .copied()
        .chain(shifts.keys().copied())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    // A cell's own shape is that of its ordinary deliveries, like the pooled one.
    let most = ordinary.last().copied().unwrap_or(f64::INFINITY);
    let of_current = deliveries
        .iter()
        .zip(rest.iter().zip(&noise))
        .filter(|(delivery, (_, noise))| delivery.regime == current && **noise <= most);
    let mut by_cell = group(of_current.map(|(delivery, (rest, _))| (delivery.key, *rest)));
    let cells = keys
        .into_iter()
        .map(|key| {
            let mut own = by_cell.remove(&key).unwrap_or_default();
            let n = own.len();
            let spread = spreads.at(key, current);
            // What the current regime says of this cell beyond the pooled shift.
            let correction = shrinkage(n, LEVEL_PRIOR) * median(&mut own).unwrap_or(0.0);
            let level = levels[&current] + shifts.get(&key).copied().unwrap_or(0.0) + correction;
            own.iter_mut().for_each(|rest| *rest -= correction);
            own.sort_unstable_by(f64::total_cmp);
            let weight = shrinkage(n, SHAPE_PRIOR);
            let quantile = |share: f64, pooled: f64| match own.is_empty() {
                true => level + spread * pooled,
                false => level + weight * of_sorted(&own, share) + (1.0 - weight) * spread * pooled,
            };
            let (p10, p50, p90) = (
                quantile(0.1, pooled[0]),
                quantile(0.5, pooled[1]),
                quantile(0.9, pooled[2]),
            );
            let at_least = p90.max(p50 + least_margin(parameters.grain));
            let (n_expected, n_skipped) = expected.get(&key).copied().unwrap_or((n, 0));
            Cell {
                key,
                n: n as u32,
                delivered: if n_expected == 0 {
                    1.0
                } else {
                    round(n as f64 / n_expected.max(n) as f64)
                },
                skipped: round(usual_skips(n_expected, n_skipped)),
                p10: round(p10),
                p50: round(p50),
                p90: round(p90),
                threshold: round((level + spread * threshold).max(at_least)),
                band: (
                    round((level + spread * band.0).max(at_least)),
                    round((level + spread * band.1).max(at_least)),
                ),
            }
        })
        .collect();
    LearnedCells {
        cells,
        effects,
        n_trimmed: sorted.len() - n_inside,
        false_alarm_rate,
        noise,
        noise_window: (pooled[0], pooled[2]),
    }
}

/// Thousandths of a minute are noise.
pub(crate) fn round(minutes: f64) -> f64 {
    (minutes * 1_000.0).round() / 1_000.0
}

/// The smallest share of ordinary cycles that `n` delays say anything about: a
/// parametric tail reaches about ten times beyond the sample.
fn supported_rate(n: usize) -> f64 {
    (1e5 / n.max(1) as f64).ceil() / 1e6
}

/// Skips are taken as normal above this share: below it they are incidents.
const USUAL_SKIPS: f64 = 0.05;

/// The share of skipped cycles, if it is a habit: if even the lower end of its
/// interval (Wilson 1927, one-sided 95 %) lies above [`USUAL_SKIPS`].
fn usual_skips(n_expected: usize, n_skipped: usize) -> f64 {
    /// 95 % quantile of a standard normal.
    const Z: f64 = 1.645;
    let n = n_expected.max(1) as f64;
    let share = n_skipped as f64 / n;
    let center = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let at_least = (center - reach) / (1.0 + Z * Z / n);
    if at_least > USUAL_SKIPS {
        round(share)
    } else {
        0.0
    }
}

fn regime_levels(deliveries: &[Delivery]) -> BTreeMap<usize, f64> {
    group(
        deliveries
            .iter()
            .map(|delivery| (delivery.regime, delivery.delay)),
    )
    .into_iter()
    .filter_map(|(regime, mut delays)| Some((regime, median(&mut delays)?)))
    .collect()
}

fn cell_shifts(deliveries: &[Delivery], rest: &[f64]) -> BTreeMap<CellKey, f64> {
    group(
        deliveries
            .iter()
            .zip(rest)
            .map(|(delivery, rest)| (delivery.key, *rest)),
    )
    .into_iter()
    .filter_map(|(key, mut values)| {
        let n = values.len();
        Some((key, shrinkage(n, LEVEL_PRIOR) * median(&mut values)?))
    })
    .collect()
}

fn group<K: Ord>(values: impl Iterator<Item = (K, f64)>) -> BTreeMap<K, Vec<f64>> {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    values.for_each(|(key, value)| groups.entry(key).or_default().push(value));
    groups
}

/// Spreads of cells and regimes, in minutes.
struct Spreads {
    by_cell: BTreeMap<CellKey, f64>,
    /// Of the regime relative to all.
    by_regime: BTreeMap<usize, f64>,
    all: f64,
}

impl Spreads {
    fn of(deliveries: &[Delivery], rest: &[f64], grain: Grain) -> Spreads {
        let least = least_spread(grain);
        let all = spread(&mut rest.to_vec())
            .unwrap_or(least_margin(grain) / 3.0)
            .max(least);
        let toward_all = |mut values: Vec<f64>| {
            let n = values.len();
            let own = spread(&mut values).unwrap_or(all).max(least);
            let weight = shrinkage(n, SPREAD_PRIOR);
            weight * own + (1.0 - weight) * all
        };
        let by_cell = group(
            deliveries
                .iter()
                .zip(rest)
                .map(|(delivery, rest)| (delivery.key, *rest)),
        )
        .into_iter()
        .map(|(key, values)| (key, toward_all(values)))
        .collect();
        let by_regime = group(
            deliveries
                .iter()
                .zip(rest)
                .map(|(delivery, rest)| (delivery.regime, *rest)),
        )
        .into_iter()
        .map(|(regime, values)| (regime, toward_all(values) / all))
        .collect();
        Spreads {
            by_cell,
            by_regime,
            all,
        }
    }

    fn at(&self, key: CellKey, regime: usize) -> f64 {
        self.by_cell.get(&key).copied().unwrap_or(self.all)
            * self.by_regime.get(&regime).copied().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_skip_is_an_incident_and_a_frequent_one_a_habit() {
        assert_eq!(usual_skips(28, 2), 0.0);
        assert_eq!(usual_skips(16, 8), 0.5);
        assert_eq!(usual_skips(0, 0), 0.0);
    }

    #[test]
    fn an_incident_does_not_widen_the_window_of_its_small_cell() {
        let deliveries: Vec<Delivery> = (0..84)
            .map(|i| Delivery {
                key: CellKey::Weekday(crate::civil::Weekday::from_index(i % 7)),
                day: Day(20_000 + i as i32),
                regime: 0,
                // Two late by hours, on one weekday.
                delay: 420.0
                    + (i * 7_919 % 11) as f64
                    + if i == 18 || i == 53 { 150.0 } else { 0.0 },
            })
            .collect();
        let parameters = CellParameters {
            grain: Grain::Day,
            false_alarm_rate: 0.001,
            seed: 0,
        };
        let calendar = "daily".parse().unwrap();
        let learned = learn(&deliveries, &BTreeMap::new(), &calendar, parameters);
        assert_eq!(learned.n_trimmed, 2);
        assert!(
            learned.cells.iter().all(|cell| cell.p90 < 440.0),
            "{:?}",
            learned.cells
        );
    }
}

//! How late is each kind of cycle, and when is it late for real?
//!
//! A delay is what is usual for its regime, its cell and its day, plus noise in
//! units of its cell's spread. Levels and spreads of a cell are drawn toward those
//! of all cells by n / (n + k), the noise is pooled over cells and regimes, incidents are
//! trimmed, and the threshold is read from the tail of what is left. Every
//! published number is a cell's median plus a multiple of its spread.

use std::collections::BTreeMap;

use super::groups::Groups;
use super::location::{LEVEL_PRIOR, Location};
use super::model::{Cell, CellKey, Effect};
use super::quantile::{at_least, median_of_sorted, of_sorted, shrinkage};
use super::spreads::Spreads;
use super::{bootstrap, lately, tail, trim};
use crate::civil::{DAY, Day};
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

/// What became of the expected cycles of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Turnout {
    pub(crate) n_delivered: usize,
    /// Skipped alone or in pairs.
    pub(crate) n_skipped: usize,
    /// Lost in longer silences.
    pub(crate) n_silent: usize,
}

/// What the cells and effects of a model are learned with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellParameters {
    pub(crate) grain: Grain,
    pub(crate) false_alarm_rate: f64,
    /// Did the user say how many they bear?
    pub(crate) is_stated: bool,
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

/// Delays' worth of belief in the shape of the noise of all cells.
const SHAPE_PRIOR: f64 = 40.0;

/// Interquartile ranges beyond the median within which a delivery is ordinary,
/// whatever the tail says.
const FAR_OUT: f64 = 3.0;

/// The tail is that of the last so many days, …
const TAIL_DAYS: i32 = 90;
/// … and at least so many deliveries.
const TAIL_DELIVERIES: usize = 512;

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
/// `turnout` says what became of the expected cycles lately.
pub(crate) fn learn(
    deliveries: &[Delivery],
    turnout: &BTreeMap<CellKey, Turnout>,
    calendar: &Calendar,
    parameters: CellParameters,
) -> LearnedCells {
    let current = deliveries[deliveries.len() - 1].regime;
    let by_cell = Groups::of(deliveries.iter().map(|delivery| delivery.key));
    let Location {
        level,
        shifts,
        effects,
        rest,
    } = Location::of(deliveries, &by_cell, calendar, parameters.grain);
    let spreads = Spreads::of(&by_cell, &rest, parameters.grain);
    let units: Vec<f64> = (by_cell.each()).map(|cell| spreads.by_cell[cell]).collect();
    // What the tail is read from: the newest deliveries.
    let newest = newest(deliveries);
    let of_regimes: Vec<usize> = deliveries.iter().map(|delivery| delivery.regime).collect();
    let lately = lately::follow(
        &rest,
        &units,
        &of_regimes,
        newest,
        least_spread(parameters.grain) / spreads.all,
        (DAY / parameters.grain.seconds()) as usize,
    );
    let (level_now, spread_now) = (lately.levels[rest.len()], lately.spreads[rest.len()]);
    let over = |i: usize, level: f64| (rest[i] / units[i] - level) / lately.spreads[i];
    let errors: Vec<f64> = (0..rest.len()).map(|i| over(i, lately.levels[i])).collect();
    let ascending = |levels: &[f64]| {
        let newest = newest..rest.len();
        let mut errors: Vec<f64> = newest.map(|i| over(i, levels[i])).collect();
        errors.sort_unstable_by(f64::total_cmp);
        errors
    };
    let sorted = ascending(&lately.uppers);
    let trim::Trimmed {
        n_inside,
        n_first_habit,
    } = trim::trim(&sorted);
    let ordinary = &sorted[..n_inside];
    let false_alarm_rate = parameters.false_alarm_rate.max(supported_rate(n_inside));
    let threshold = tail::level(ordinary, n_first_habit, false_alarm_rate);
    let band = bootstrap::band(ordinary, n_first_habit, false_alarm_rate, parameters.seed);
    // Who asks for more alarms means ordinary deliveries too.
    let far_out = match parameters.is_stated {
        true => 0.0,
        false => FAR_OUT * (of_sorted(ordinary, 0.75) - of_sorted(ordinary, 0.25)),
    };
    let threshold = threshold.max(far_out);
    let band = (band.0.max(far_out), band.1.max(far_out));
    // Where nothing has just moved, deadlines count from the level itself.
    let usual = match lately.uppers == lately.levels {
        true => &sorted,
        false => &ascending(&lately.levels),
    };
    let usual = &usual[..n_inside];
    let pooled = [0.1, 0.5, 0.9].map(|level| of_sorted(usual, level));

    let mut keys: Vec<CellKey> = turnout
        .keys()
        .copied()
        .chain(by_cell.keys().iter().copied())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    // A cell's own shape is that of its ordinary deliveries, like the pooled one.
    let most = usual.last().copied().unwrap_or(f64::INFINITY);
    let mut of_cells = vec![Vec::new(); by_cell.keys().len()];
    for (i, cell) in by_cell.each().enumerate() {
        if deliveries[i].regime == current && errors[i] <= most {
            of_cells[cell].push((rest[i] - lately.levels[i] * units[i]) / lately.spreads[i]);
        }
    }
    let n_skipped = turnout.values().map(|turnout| turnout.n_skipped).sum();
    let n_all = turnout.values().map(Turnout::n_steady).sum();
    let skipped_of_all = usual_skips(n_all, n_skipped, USUAL_SKIPS_OF_ALL);
    let cells = keys
        .into_iter()
        .map(|key| {
            let cell = by_cell.keys().iter().position(|known| *known == key);
            let mut own = cell.map_or_else(Vec::new, |cell| std::mem::take(&mut of_cells[cell]));
            own.sort_unstable_by(f64::total_cmp);
            let n = own.len();
            let unit = cell.map_or(spreads.all, |cell| spreads.by_cell[cell]);
            let spread = unit * spread_now;
            // What the current regime says of this cell beyond the pooled shift.
            let correction = match own.is_empty() {
                true => 0.0,
                false => shrinkage(n, LEVEL_PRIOR) * median_of_sorted(&own),
            };
            let level =
                level + cell.map_or(0.0, |cell| shifts[cell]) + level_now * unit + correction;
            own.iter_mut()
                .for_each(|rest| *rest = (*rest - correction) * spread_now);
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
            // A schedule that has just moved is awaited where it moved to.
            let later = lately.agreed_minutes.unwrap_or(0.0) - level_now * unit;
            let later = later.max(0.0);
            let at_least = p90.max(p50 + least_margin(parameters.grain));
            let deadline =
                |threshold: f64| round((level + spread * threshold).max(at_least) + later);
            let turnout = turnout.get(&key).copied().unwrap_or_default();
            let n_expected = turnout.n_steady() + turnout.n_silent;
            let skipped = usual_skips(turnout.n_steady(), turnout.n_skipped, USUAL_SKIPS);
            Cell {
                key,
                n: n as u32,
                delivered: match n_expected {
                    0 => 1.0,
                    _ => round(turnout.n_delivered as f64 / n_expected as f64),
                },
                skipped: skipped.max(skipped_of_all),
                p10: round(p10),
                p50: round(p50),
                p90: round(p90),
                threshold: deadline(threshold),
                band: (deadline(band.0), deadline(band.1)),
            }
        })
        .collect();
    LearnedCells {
        cells,
        effects,
        n_trimmed: sorted.len() - n_inside,
        false_alarm_rate,
        noise: errors,
        noise_window: (pooled[0], pooled[2]),
    }
}

/// Where the deliveries begin that the tail is read from.
fn newest(deliveries: &[Delivery]) -> usize {
    let day = deliveries[deliveries.len() - 1].day.0;
    let of_days = deliveries.partition_point(|delivery| delivery.day.0 < day - TAIL_DAYS);
    of_days.min(deliveries.len().saturating_sub(TAIL_DELIVERIES))
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

/// Skips are taken as normal above this share of a cell's cycles, …
const USUAL_SKIPS: f64 = 0.05;
/// … or of all: below it they are incidents.
const USUAL_SKIPS_OF_ALL: f64 = 0.025;

impl Turnout {
    /// Cycles outside of longer silences.
    fn n_steady(&self) -> usize {
        self.n_delivered + self.n_skipped
    }
}

/// The share of skipped cycles, if it is a habit: if it surely is more than
/// what is usual.
fn usual_skips(n_expected: usize, n_skipped: usize, usual: f64) -> f64 {
    match at_least(n_expected, n_skipped) > usual {
        true => round(n_skipped as f64 / n_expected as f64),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_skip_is_an_incident_and_a_frequent_one_a_habit() {
        assert_eq!(usual_skips(28, 2, USUAL_SKIPS), 0.0);
        assert_eq!(usual_skips(16, 8, USUAL_SKIPS), 0.5);
        assert_eq!(usual_skips(0, 0, USUAL_SKIPS), 0.0);
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
            is_stated: false,
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

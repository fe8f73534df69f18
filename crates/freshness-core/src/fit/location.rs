//! When does each delivery usually come?
//!
//! At the level of its regime, plus the shift of its cell, plus the effects that
//! apply. Shifts are drawn toward none by n / (n + k).

use std::collections::BTreeMap;

use super::cells::{Delivery, group};
use super::effects;
use super::model::{CellKey, Effect};
use super::quantile::{median, shrinkage};
use crate::schedule::{Calendar, Grain};

/// Delays' worth of belief in the level of all cells.
pub(super) const LEVEL_PRIOR: f64 = 6.0;

/// Where deliveries stand, in minutes.
pub(crate) struct Location {
    /// Of each regime.
    pub(crate) levels: BTreeMap<usize, f64>,
    /// Of each cell, beyond that.
    pub(crate) shifts: BTreeMap<CellKey, f64>,
    pub(crate) effects: Vec<Effect>,
    /// What is left of each delivery when all of that is taken away.
    pub(crate) rest: Vec<f64>,
}

impl Location {
    /// Of deliveries in order of time.
    pub(crate) fn of(deliveries: &[Delivery], calendar: &Calendar, grain: Grain) -> Location {
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
            effects = effects::find(deliveries, &without_cells, calendar, grain);
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
        Location {
            levels,
            shifts,
            effects,
            rest,
        }
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

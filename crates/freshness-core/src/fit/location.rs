//! When does each delivery usually come?
//!
//! At the level of its regime, plus the shift of its cell, plus the effects that
//! apply. Shifts are drawn toward none by n / (n + k).

use super::cells::Delivery;
use super::effects;
use super::groups::Groups;
use super::model::{CellKey, Effect};
use super::quantile::{median, shrinkage};
use crate::schedule::{Calendar, Grain};

/// Delays' worth of belief in the level of all cells.
pub(super) const LEVEL_PRIOR: f64 = 6.0;

/// Where deliveries stand, in minutes.
pub(crate) struct Location {
    /// Of the last regime.
    pub(crate) level: f64,
    /// Of each cell, beyond that.
    pub(crate) shifts: Vec<f64>,
    pub(crate) effects: Vec<Effect>,
    /// What is left of each delivery when all of that is taken away.
    pub(crate) rest: Vec<f64>,
}

impl Location {
    /// Of deliveries in order of time, by cell.
    pub(crate) fn of(
        deliveries: &[Delivery],
        cells: &Groups<CellKey>,
        calendar: &Calendar,
        grain: Grain,
    ) -> Location {
        let mut level = 0.0;
        let mut rest: Vec<f64> = Vec::with_capacity(deliveries.len());
        for regime in deliveries.chunk_by(|a, b| a.regime == b.regime) {
            let delays = regime.iter().map(|delivery| delivery.delay);
            level = median(&mut delays.clone().collect::<Vec<f64>>()).unwrap_or(0.0);
            rest.extend(delays.map(|delay| delay - level));
        }
        // Shifts of cells and effects are estimated in turns, each on what the
        // other leaves (Tukey's median polish); two turns settle.
        let mut shifts = cell_shifts(cells, rest.iter().copied());
        let mut effects = Vec::new();
        for _ in 0..2 {
            let without_cells: Vec<f64> = (cells.each().zip(&rest))
                .map(|(cell, rest)| rest - shifts[cell])
                .collect();
            effects = effects::find(deliveries, &without_cells, calendar, grain);
            if effects.is_empty() {
                break;
            }
            let sums = effects::sums(deliveries, &effects);
            let without_effects = rest.iter().zip(&sums).map(|(rest, effect)| rest - effect);
            shifts = cell_shifts(cells, without_effects);
        }
        let sums = effects::sums(deliveries, &effects);
        for ((rest, cell), effect) in rest.iter_mut().zip(cells.each()).zip(&sums) {
            *rest -= shifts[cell] + effect;
        }
        Location {
            level,
            shifts,
            effects,
            rest,
        }
    }
}

fn cell_shifts(cells: &Groups<CellKey>, rest: impl Iterator<Item = f64>) -> Vec<f64> {
    cells.told(rest, |values| {
        shrinkage(values.len(), LEVEL_PRIOR) * median(values).unwrap_or(0.0)
    })
}

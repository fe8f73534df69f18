//! How much do the delays of each cell scatter?
//!
//! The spread of a cell is that of all cells times a ratio, which is drawn
//! toward one where the cell has few deliveries.

use super::cells::{least_margin, least_spread};
use super::groups::Groups;
use super::model::CellKey;
use super::quantile::{shrinkage, spread, wide_spread};
use crate::schedule::Grain;

/// Delays' worth of belief in the spread of all cells.
const SPREAD_PRIOR: f64 = 20.0;

/// Spreads in minutes.
pub(crate) struct Spreads {
    /// Of each cell.
    pub(crate) by_cell: Vec<f64>,
    pub(crate) all: f64,
}

impl Spreads {
    /// Of what is left of deliveries when level, cell and effects are taken away.
    pub(crate) fn of(cells: &Groups<CellKey>, rest: &[f64], grain: Grain) -> Spreads {
        let least = least_spread(grain);
        let mut values = rest.to_vec();
        let all = spread(&mut values)
            .unwrap_or(least_margin(grain) / 3.0)
            .max(least);
        let wide = wide_spread(&mut values).unwrap_or(all).max(least);
        let by_cell = cells.told(rest.iter().copied(), |values| {
            let (own, of_all) = match wide_spread(values) {
                Some(own) => (own.max(least), wide),
                None => (spread(values).unwrap_or(all).max(least), all),
            };
            all * (shrinkage(values.len(), SPREAD_PRIOR) * (own / of_all).ln()).exp()
        });
        Spreads { by_cell, all }
    }
}

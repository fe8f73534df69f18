//! How much do the delays of each cell scatter?
//!
//! The spread of a cell is that of all cells times a ratio, which is drawn
//! toward one where the cell has few deliveries.

use std::collections::BTreeMap;

use super::cells::{Delivery, group, least_margin, least_spread};
use super::model::CellKey;
use super::quantile::{shrinkage, spread, wide_spread};
use crate::schedule::Grain;

/// Delays' worth of belief in the spread of all cells.
const SPREAD_PRIOR: f64 = 20.0;

/// Spreads of cells, in minutes.
pub(crate) struct Spreads {
    by_cell: BTreeMap<CellKey, f64>,
    pub(crate) all: f64,
}

impl Spreads {
    /// Of what is left of deliveries when level, cell and effects are taken away.
    pub(crate) fn of(deliveries: &[Delivery], rest: &[f64], grain: Grain) -> Spreads {
        let least = least_spread(grain);
        let all = spread(&mut rest.to_vec())
            .unwrap_or(least_margin(grain) / 3.0)
            .max(least);
        let wide = wide_spread(&mut rest.to_vec()).unwrap_or(all).max(least);
        let by_key = group(
            deliveries
                .iter()
                .zip(rest)
                .map(|(delivery, rest)| (delivery.key, *rest)),
        );
        let by_cell = by_key
            .into_iter()
            .map(|(key, mut values)| {
                let n = values.len();
                let (own, of_all) = match wide_spread(&mut values) {
                    Some(own) => (own.max(least), wide),
                    None => (spread(&mut values).unwrap_or(all).max(least), all),
                };
                let ratio = (shrinkage(n, SPREAD_PRIOR) * (own / of_all).ln()).exp();
                (key, all * ratio)
            })
            .collect();
        Spreads { by_cell, all }
    }

    pub(crate) fn at(&self, key: CellKey) -> f64 {
        self.by_cell.get(&key).copied().unwrap_or(self.all)
    }
}

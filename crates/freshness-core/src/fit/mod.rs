//! What is normal?
//!
//! [`fit`] learns one dataset from its own history and nothing else, so that a
//! warehouse is fitted on all cores, or by a cluster, without a second
//! implementation.

mod model;

pub use crate::calendar::Source;
pub use model::{
    ArrivalModel, Cell, CellKey, Change, ColdStart, Effect, EffectKey, Expectation, Fitted,
    GapCell, GapModel, Model, Move, ShiftNote,
};

use crate::arrivals::ArrivalHistory;
use crate::civil::Holidays;
use crate::dataset::Dataset;

/// What the user can set about learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The share of ordinary cycles that may pass the deadline.
    pub false_alarm_rate: f64,
    /// Seed of the bootstrap.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            false_alarm_rate: 0.001,
            seed: 0,
        }
    }
}

/// Learns what is normal for a dataset from the arrivals up to `as_of` (UTC
/// seconds); later ones are not looked at.
pub fn fit(
    dataset: &Dataset,
    history: &ArrivalHistory,
    holidays: &Holidays,
    as_of: i64,
    parameters: &Parameters,
) -> Model {
    let _ = (dataset, history, holidays, as_of, parameters);
    todo!()
}

//! Is a dataset late at an instant?

use super::{CycleVerdict, DatasetState};
use crate::arrivals::ArrivalHistory;
use crate::civil::Holidays;
use crate::dataset::Dataset;
use crate::fit::Model;

/// Judges a dataset at `now` (UTC seconds). `history` may hold only the recent
/// arrivals; those after `now` are not looked at. `None` for the model means
/// that the dataset was never fitted.
pub fn judge(
    dataset: &Dataset,
    model: Option<&Model>,
    history: &ArrivalHistory,
    holidays: &Holidays,
    now: i64,
) -> DatasetState {
    let _ = (dataset, model, history, holidays, now);
    todo!()
}

/// The verdicts of the expected cycles that begin in `[from, to)`, as of
/// `now` (all UTC seconds), oldest first.
pub fn cycles_until(
    model: &Model,
    history: &ArrivalHistory,
    holidays: &Holidays,
    from: i64,
    to: i64,
    now: i64,
) -> Vec<CycleVerdict> {
    let _ = (model, history, holidays, from, to, now);
    todo!()
}

//! What happened?

mod arrival;
mod history;

pub use arrival::{Arrival, ArrivalDetail, CycleName, CycleNameError};
pub use history::ArrivalHistory;

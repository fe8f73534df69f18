//! What happened?

mod arrival;
mod history;
mod matching;

pub use arrival::{Arrival, ArrivalDetail, CycleName, CycleNameError};
pub use history::ArrivalHistory;
pub use matching::{Opening, match_in_order};

//! What is wrong now?

mod judge;
mod verdict;

pub use judge::{cycles_until, judge};
pub use verdict::{CycleVerdict, DatasetState, Severity, State};

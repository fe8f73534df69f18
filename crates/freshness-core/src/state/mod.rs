//! What is wrong now?

mod judge;
mod reason;
mod silence;
mod verdict;

pub use judge::{cycles_until, judge};
pub use reason::{STOPPED_SECONDS, duration};
pub use verdict::{CycleVerdict, DatasetState, Severity, State};

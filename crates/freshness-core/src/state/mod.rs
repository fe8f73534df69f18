//! What is wrong now?

mod cycles;
mod judge;
mod promised;
mod reason;
mod replay;
mod silence;
mod upstream;
mod verdict;

pub use cycles::{cycles_until, deadlines};
pub use judge::{MIN_ARRIVALS, judge};
pub use promised::{
    Comparison, Habit, Kept, PromiseRemark, ReckonedBy, arrival_model, compare, habit,
};
pub use reason::{STOPPED_SECONDS, duration, duration_to_the_minute};
pub use replay::{Replayed, Walk, replay};
pub use upstream::{Upstream, as_upstream, in_generations, parents_first};
pub use verdict::{CycleVerdict, DatasetState, Excused, Overdue, Severity, State};

//! What can be said of a dataset at an instant?

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::dataset::DatasetId;
use crate::fit::Expectation;
use crate::schedule::PutOff;

/// The state of a cycle, or of a dataset at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Arrived before the deadline.
    Ok,
    /// Not due yet.
    Pending,
    /// Not arrived, and past the deadline.
    Late,
    /// Arrived past the deadline.
    LateArrival,
    /// The cycle ended without an arrival, and nothing has arrived since.
    Missed,
    /// Before the first arrival: nothing is known.
    Unknown,
    /// Too few arrivals to say anything at all.
    InsufficientHistory,
    /// There is no model, or the feed supports no promise.
    NotEvaluated,
}

/// How much lateness matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A hint: cold start or provisional model.
    Advisory,
    /// A learned model says late.
    Warning,
    /// … of a critical dataset.
    Critical,
}

/// What became of one cycle, and why it is said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CycleVerdict {
    /// Its name, as in `2026-03-01`.
    pub cycle: String,
    /// When it began.
    pub cycle_start: Timestamp,
    /// When half of its kind have come; `None` for gap models and cold starts.
    pub usual_at: Option<Timestamp>,
    /// When lateness begins; `None` if the model cannot say.
    pub deadline: Option<Timestamp>,
    /// When it would begin if nothing had brought it forward or put it off.
    #[serde(skip)]
    pub learned_deadline: Option<Timestamp>,
    /// The dataset whose overdue delivery brought the deadline forward; its own
    /// name if it was the delivery before. `None` if it is the learned one.
    pub held_up_by: Option<DatasetId>,
    /// The dataset whose delivery, slow but not late, put the deadline off; `None`
    /// if it is the learned one, or earlier.
    pub waits_for: Option<DatasetId>,
    /// The maintenance that put the deadline off, of the dataset itself or of what it
    /// waits for; the last, if there were several.
    pub maintenance: Option<PutOff>,
    /// The arrival matched to it.
    pub arrived_at: Option<Timestamp>,
    /// What became of it.
    pub state: State,
    /// What the deadline rests on; `None` for gap models and cold starts.
    pub because: Option<Expectation>,
}

/// A cycle that is awaited past its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overdue {
    /// When half of its kind have come; its deadline if that is not known.
    pub usual_by: Timestamp,
    /// Its deadline.
    pub deadline: Timestamp,
}

impl Overdue {
    /// An overdue cycle; `None` if its model knows no deadline.
    pub(super) fn of(cycle: &CycleVerdict) -> Option<Overdue> {
        let deadline = cycle.deadline?;
        Some(Overdue {
            usual_by: cycle.usual_at.unwrap_or(deadline),
            deadline,
        })
    }
}

/// Lateness that maintenance excuses: nobody is told of it, but data are as old as
/// they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excused {
    /// Seconds past the deadline that there would be without it.
    pub seconds: i64,
    /// How much that would matter.
    pub severity: Severity,
}

/// What can be said of a dataset at an instant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatasetState {
    /// Whose state it is.
    pub dataset_id: DatasetId,
    /// The state.
    pub state: State,
    /// How much it matters; `None` unless late, missed or arrived late.
    pub severity: Option<Severity>,
    /// `learned`, `provisional`, `irregular`, `cold_start` or `none`.
    pub model_status: &'static str,
    /// The last arrival before the instant.
    pub last_arrival: Option<Timestamp>,
    /// The cycle the state is about: the overdue one if there is one, else the
    /// newest that has begun.
    pub current: Option<CycleVerdict>,
    /// Seconds past the deadline; `None` unless late or missed.
    pub late_seconds: Option<i64>,
    /// The lateness that maintenance excuses; `None` unless pending because of it.
    #[serde(skip)]
    pub excused: Option<Excused>,
    /// How many cycles in a row are overdue.
    pub n_overdue: u32,
    /// The newest of them; `None` unless late or missed.
    #[serde(skip)]
    pub newest_overdue: Option<Overdue>,
    /// One sentence that says why.
    pub reason: String,
}

//! What must be known of a late dataset to say why it is late?

use crate::dataset::DatasetId;
use crate::state::{DatasetState, Severity, State};

/// A dataset that is late, or was until its delivery came. Times are UTC
/// seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct LateDataset {
    /// Which.
    pub dataset_id: DatasetId,
    /// `late` or `missed`; or `late_arrival`: what is made from it may still
    /// be waiting.
    pub state: State,
    /// How much it matters.
    pub severity: Option<Severity>,
    /// The cycle it is late with.
    pub cycle: String,
    /// Its deadline.
    pub since: i64,
    /// A delivery of the cycle usually comes at this instant, or after it …
    pub usual_from: i64,
    /// … and until this one. The same where a model knows the middle.
    pub usual_by: i64,
    /// How many cycles in a row are overdue.
    pub n_overdue: u32,
    /// When it came after all.
    pub arrived_at: Option<i64>,
    /// Is it late no more, and named only for what it held up?
    pub is_past: bool,
    /// The incident that it was part of and that still holds it.
    pub held_by: Option<Held>,
}

/// What a late dataset was explained by before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The root.
    pub root: DatasetId,
    /// Edges from there.
    pub hops: u32,
}

impl LateDataset {
    /// What a state says; `None` if it is not about lateness.
    pub fn of(state: &DatasetState) -> Option<LateDataset> {
        match state.state {
            State::Late | State::Missed | State::LateArrival => {}
            State::Ok
            | State::Pending
            | State::Unknown
            | State::InsufficientHistory
            | State::NotEvaluated => return None,
        }
        let current = state.current.as_ref()?;
        let since = current.deadline?.as_second();
        let (usual_from, usual_by) = match current.usual_at {
            Some(usual) => (usual.as_second(), usual.as_second()),
            // A cold start or a feed without a calendar: any time from the
            // start of the cycle, or of the silence.
            None => (current.cycle_start.as_second().min(since), since),
        };
        Some(LateDataset {
            dataset_id: state.dataset_id.clone(),
            state: state.state,
            severity: state.severity,
            cycle: current.cycle.clone(),
            since,
            usual_from,
            usual_by,
            n_overdue: state.n_overdue,
            arrived_at: current.arrived_at.map(jiff::Timestamp::as_second),
            is_past: false,
            held_by: None,
        })
    }

    /// Has nothing come yet?
    pub fn is_overdue(&self) -> bool {
        matches!(self.state, State::Late | State::Missed)
    }
}

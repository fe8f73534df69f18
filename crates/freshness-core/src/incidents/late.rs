//! What must be known of a late dataset to say why it is late?

use super::broken::{Breach, Broken};
use crate::dataset::DatasetId;
use crate::state::{DatasetState, Severity, State};

/// A dataset that is late, or was until its delivery came, or that does not keep
/// what is promised of it. Times are UTC seconds.
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
    /// Of the newest of them: until when it usually comes, and its deadline.
    pub newest: (i64, i64),
    /// When it came after all.
    pub arrived_at: Option<i64>,
    /// Is it late no more, and named only for what it held up?
    pub is_past: bool,
    /// What explained it before and still does.
    pub held_by: Vec<Held>,
    /// The promises that it does not keep.
    pub breaches: Vec<Broken>,
}

/// A root that a late dataset was explained by before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The root.
    pub root: DatasetId,
    /// Edges from there.
    pub hops: u32,
    /// Has the dataset missed a further cycle since the root came back? That one
    /// must have another reason.
    pub has_missed_more: bool,
}

impl LateDataset {
    /// A dataset of which one cycle is told and nothing else: usually delivered at an
    /// instant, late from another on (UTC seconds).
    pub fn new(dataset_id: DatasetId, state: State, usual: i64, since: i64) -> LateDataset {
        LateDataset {
            dataset_id,
            state,
            severity: None,
            cycle: String::new(),
            since,
            usual_from: usual,
            usual_by: usual,
            n_overdue: u32::from(is_overdue(state)),
            newest: (usual, since),
            arrived_at: None,
            is_past: false,
            held_by: Vec::new(),
            breaches: Vec::new(),
        }
    }

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
            severity: state.severity,
            cycle: current.cycle.clone(),
            usual_from,
            n_overdue: state.n_overdue,
            newest: state.newest_overdue.map_or((usual_by, since), |newest| {
                (newest.usual_by.as_second(), newest.deadline.as_second())
            }),
            arrived_at: current.arrived_at.map(jiff::Timestamp::as_second),
            ..LateDataset::new(state.dataset_id.clone(), state.state, usual_by, since)
        })
    }

    /// What a dataset is to be looked at for: its state, or its promises, or both.
    /// One that is in time by what is learned stands where its breach began.
    pub fn or_broken(state: &DatasetState, breach: Option<&Breach>) -> Option<LateDataset> {
        let late = LateDataset::of(state);
        let Some(breach) = breach else {
            return late;
        };
        let late = late.unwrap_or_else(|| {
            let id = state.dataset_id.clone();
            LateDataset::new(id, state.state, breach.since, breach.since)
        });
        Some(LateDataset {
            severity: late.severity.max(Some(breach.severity)),
            breaches: breach.broken.clone(),
            ..late
        })
    }

    /// Has nothing come yet?
    pub fn is_overdue(&self) -> bool {
        is_overdue(self.state)
    }

    /// Must somebody look at it: is it overdue, or does it break a promise?
    pub fn needs_a_look(&self) -> bool {
        self.is_overdue() || (!self.breaches.is_empty() && !self.is_past)
    }

    /// Is it in time by what is learned, and breaks a promise? Then it holds up
    /// nothing.
    pub(super) fn is_only_broken(&self) -> bool {
        let was_late = self.state == State::LateArrival;
        !self.breaches.is_empty() && !self.is_overdue() && !was_late && !self.is_past
    }
}

/// Is something awaited in this state?
pub(super) fn is_overdue(state: State) -> bool {
    matches!(state, State::Late | State::Missed)
}

//! What is true of a warehouse?
//!
//! Which cycles were due, when an ordinary delivery of each would have come,
//! and which were late for a reason. Nothing but the evaluation reads it. Of a
//! real history only what was done to it is known: its datasets list nothing
//! but the cycles that were tampered with, and the outages that somebody noted.

mod files;

use std::collections::BTreeMap;

use freshness_core::civil::Zone;
use freshness_core::dataset::DatasetId;
use freshness_core::schedule::Calendar;

pub use files::{TruthError, TruthFault};

/// The truth about every dataset of a warehouse.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Truth {
    /// By dataset.
    pub datasets: BTreeMap<DatasetId, DatasetTruth>,
}

/// The truth about one dataset. Times are UTC seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetTruth {
    /// Datasets of a class are reported together: `hourly`, `daily`, `weekdays`,
    /// `business_days`, `weekly`, `monthly`, … or the class of a real history.
    pub class: String,
    /// The calendar and zone that its deliveries really follow; `None` where
    /// nobody knows (a real history).
    pub schedule: Option<(Calendar, Zone)>,
    /// Real moves of the schedule, oldest first: when, and by how many minutes.
    pub moves: Vec<(i64, f64)>,
    /// Its cycles, oldest first: all that were due, or of a real history the
    /// tampered ones.
    pub cycles: Vec<CycleTruth>,
    /// Known outages that are nobody's test: from the last arrival before to
    /// the first after. An alert inside is neither right nor wrong.
    pub outages: Vec<(i64, i64)>,
}

/// One cycle on which a delivery was due. Times are UTC seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleTruth {
    /// Start of the cycle.
    pub start: i64,
    /// When a delivery of it comes on an ordinary day: the true location,
    /// without noise.
    pub usual_at: i64,
    /// When it would have come, had nothing gone wrong; `None` for a cycle
    /// that its owner skips.
    pub due_at: Option<i64>,
    /// When it came; `None` if it never did.
    pub arrived_at: Option<i64>,
    /// What went wrong; `None` for an ordinary cycle.
    pub incident: Option<Incident>,
}

/// Why a cycle was late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// The dataset it began with: itself, or one upstream.
    pub root: DatasetId,
    /// What happened.
    pub kind: IncidentKind,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IncidentKind {
    /// It came late.
    Late,
    /// It never came.
    Missed,
    /// It came late because one upstream did.
    Propagated,
    /// It came together with others after an outage.
    Backlog,
    /// Its feed has stopped for good.
    Stopped,
}

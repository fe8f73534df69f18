//! Is a promise kept, and by which numbers?
//!
//! Every objective has one verdict, with all that it was judged against.
//! Missing knowledge is an outcome of its own and never a kept promise.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::service_levels::{AnomalyMethod, CountField, Objective};
use crate::schedule::PutOff;

/// What can be said of one objective, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Which.
    pub objective: Objective,
    /// Is it kept?
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What it was judged against.
    pub evidence: Evidence,
}

/// Is a promise kept?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It holds.
    Kept,
    /// It does not hold.
    Breached {
        /// How much that matters.
        severity: BreachSeverity,
        /// What is odd about it, if more than a limit that was passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<Reason>,
    },
    /// Nobody knows.
    CouldNotTell {
        /// Why.
        because: Reason,
    },
    /// Nothing is owed at this instant.
    NotDue {
        /// Why.
        because: Reason,
    },
}

/// How much a breach matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreachSeverity {
    /// Somebody should know, and no check fails: the objective only warns.
    Advisory,
    /// The promise is broken.
    Warning,
    /// … and all rows are gone, or nearly all.
    Critical,
}

/// Why an outcome is no plain comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// No run is known.
    NeverRun,
    /// No run looked at what the objective needs.
    NotMeasured,
    /// The table is empty.
    NoRows,
    /// Every value is null.
    AllNull,
    /// The table has no such column.
    NoColumn {
        /// As it was declared.
        column: String,
    },
    /// A value that is no time.
    Unreadable {
        /// Quoted.
        value: String,
    },
    /// The newest value lies in the future, past [`SKEW_TOLERANCE_SECONDS`].
    Future {
        /// How far ahead of the look, seconds.
        ahead_seconds: i64,
    },
    /// Too few earlier runs for a usual number of rows.
    NotEnoughRuns {
        /// So many there are.
        n: u32,
        /// So many it takes.
        least: u32,
    },
    /// The usual number of rows is none.
    UsuallyNothing,
    /// A count is missing.
    NotCounted {
        /// Which.
        count: String,
    },
    /// Owed today, later.
    NotDueYet {
        /// When.
        due_at: Timestamp,
    },
    /// Nothing is owed on this day.
    NothingOwed {
        /// When something is; `None` if not within a year.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_due_at: Option<Timestamp>,
    },
    /// Maintenance keeps it from being kept; it is broken if nothing has come by
    /// `due_at`.
    PutOff {
        /// When the maintenance is over, or was.
        until: Timestamp,
        /// Why it is, in the words of whoever set it.
        why: String,
        /// When the promise is broken.
        due_at: Timestamp,
    },
    /// The last was late and has come; nothing is owed until the next.
    CameLate {
        /// When it was owed.
        due_at: Timestamp,
        /// By so many seconds.
        late_seconds: i64,
    },
}

/// A clock may be this much ahead: newer data is from the future.
pub const SKEW_TOLERANCE_SECONDS: i64 = 300;

/// What a verdict was judged against. What does not apply is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// Where the runs were.
    pub environment: String,
    /// The run that was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// When that was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_at: Option<Timestamp>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Its greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Timestamp>,
    /// How old that is, seconds; on a calendar only the time that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<i64>,
    /// … by the clock, if a calendar made the age another; seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_seconds: Option<i64>,
    /// How old it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_seconds: Option<f64>,
    /// Values that are no times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_unreadable: Option<u64>,
    /// One of them, quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// When it was owed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// When it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came_at: Option<Timestamp>,
    /// Which count was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<CountField>,
    /// Rows of the run, or percent that are filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<f64>,
    /// The usual number of rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// The least that keeps the promise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// The most that does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<f64>,
    /// Actual over expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// How the usual number came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<AnomalyMethod>,
    /// Which runs it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season: Option<Season>,
    /// How many runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// On which side of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Rows in all, that a share is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_rows: Option<u64>,
    /// Share of good rows, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good_ratio: Option<f64>,
    /// Its least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good_ratio_min: Option<f64>,
    /// Share of quarantined rows, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine_ratio: Option<f64>,
    /// Its greatest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine_ratio_max: Option<f64>,
}

/// Which earlier runs a run is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Season {
    /// All in the window.
    Window,
    /// Those of the same weekday, in UTC.
    Weekday,
    /// Those of the same day of earlier months, in UTC.
    DayOfMonth,
}

/// On which side of the usual number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Fewer.
    Drop,
    /// More.
    Spike,
}

impl Outcome {
    /// Its word, the same in the store, tables and JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Kept => "kept",
            Outcome::Breached { .. } => "breached",
            Outcome::CouldNotTell { .. } => "could_not_tell",
            Outcome::NotDue { .. } => "not_due",
        }
    }

    /// Is the promise broken?
    pub fn is_breach(&self) -> bool {
        matches!(self, Outcome::Breached { .. })
    }

    /// How much it matters, if it is a breach.
    pub fn severity(&self) -> Option<BreachSeverity> {
        match self {
            Outcome::Breached { severity, .. } => Some(*severity),
            Outcome::Kept | Outcome::CouldNotTell { .. } | Outcome::NotDue { .. } => None,
        }
    }

    /// Why, if more is to be said than a limit.
    pub fn because(&self) -> Option<&Reason> {
        match self {
            Outcome::Kept => None,
            Outcome::Breached { because, .. } => because.as_ref(),
            Outcome::CouldNotTell { because } | Outcome::NotDue { because } => Some(because),
        }
    }

    /// Not broken before an instant (UTC seconds), because of maintenance.
    pub(super) fn put_off((due_at, PutOff { until, reason }): (i64, PutOff)) -> Outcome {
        Outcome::NotDue {
            because: Reason::PutOff {
                until,
                why: reason,
                due_at: instant(due_at),
            },
        }
    }

    /// Does it leave open what an owner wants to know? Too few runs do not: so
    /// many were asked for before anything is enforced.
    pub fn is_doubt(&self) -> bool {
        match self {
            Outcome::CouldNotTell { because } => !matches!(because, Reason::NotEnoughRuns { .. }),
            Outcome::Kept | Outcome::Breached { .. } | Outcome::NotDue { .. } => false,
        }
    }
}

impl Verdict {
    /// Does it hold? `None` if that is unknown or nothing is owed.
    pub fn passes(&self) -> Option<bool> {
        match self.outcome {
            Outcome::Kept => Some(true),
            Outcome::Breached { .. } => Some(false),
            Outcome::CouldNotTell { .. } | Outcome::NotDue { .. } => None,
        }
    }
}

/// An instant for people; one that no calendar reaches is its end.
pub(super) fn instant(utc: i64) -> Timestamp {
    Timestamp::from_second(utc).unwrap_or(match utc < 0 {
        true => Timestamp::MIN,
        false => Timestamp::MAX,
    })
}

//! What is one delivery?

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

/// One delivery of a dataset, to the second.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    /// When it arrived: UTC seconds since the epoch.
    pub at: i64,
    /// What else its sender said.
    pub detail: ArrivalDetail,
}

/// What a sender may say of an arrival besides its time.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArrivalDetail {
    /// The cycle it was made for.
    pub cycle: Option<CycleName>,
    /// The run that made it.
    pub run_id: Option<Box<str>>,
    /// Up to when the data in it is complete: UTC seconds.
    pub covers_through: Option<i64>,
    /// Rows delivered.
    pub rows: Option<u64>,
}

/// A cycle as a sender names it, by any time in it: on the wall clock of the
/// dataset's zone (`2026-03-01`, `2026-03-01T05:00`), or as an instant
/// (`2026-03-01T04:00:00Z`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CycleName {
    /// Local seconds.
    Civil(i64),
    /// UTC seconds.
    Instant(i64),
}

/// The text does not name a cycle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unreadable cycle: {0} (expected a date, a local time or a time with an offset)")]
pub struct CycleNameError(pub String);

impl ArrivalDetail {
    /// Did the sender say nothing but the time?
    pub fn is_empty(&self) -> bool {
        let ArrivalDetail {
            cycle,
            run_id,
            covers_through,
            rows,
        } = self;
        cycle.is_none() && run_id.is_none() && covers_through.is_none() && rows.is_none()
    }
}

impl CycleName {
    /// The time that names it, in seconds: local or UTC.
    pub fn seconds(self) -> i64 {
        let (CycleName::Civil(seconds) | CycleName::Instant(seconds)) = self;
        seconds
    }
}

impl FromStr for CycleName {
    type Err = CycleNameError;

    fn from_str(text: &str) -> Result<CycleName, CycleNameError> {
        let text = text.trim();
        if let Ok(instant) = text.parse::<Timestamp>() {
            return Ok(CycleName::Instant(instant.as_second()));
        }
        // A time with an offset that is not an instant must not pass as local.
        text.parse::<DateTime>()
            .ok()
            .and_then(|datetime| Offset::UTC.to_timestamp(datetime).ok())
            .map(|utc| CycleName::Civil(utc.as_second()))
            .ok_or_else(|| CycleNameError(text.to_owned()))
    }
}

impl fmt::Display for CycleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.seconds();
        let Ok(timestamp) = Timestamp::from_second(seconds) else {
            return Err(fmt::Error);
        };
        match self {
            CycleName::Civil(_) => write!(f, "{}", Offset::UTC.to_datetime(timestamp)),
            CycleName::Instant(_) => write!(f, "{timestamp}"),
        }
    }
}

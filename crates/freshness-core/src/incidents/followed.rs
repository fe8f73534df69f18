//! What is kept of an incident from check to check?
//!
//! What it is now, who looks after it, and what happened to it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::incident::Incident;
use crate::dataset::DatasetId;

/// An incident that is followed from check to check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Followed {
    /// Its id: the same in every check.
    pub id: String,
    /// As the last check that found it saw it.
    pub incident: Incident,
    /// When a check first found it.
    pub opened_at: Timestamp,
    /// When a check found it gone.
    pub resolved_at: Option<Timestamp>,
    /// The most late datasets it ever counted.
    pub n_late_most: u64,
    /// Who looks after it.
    pub ack: Option<Ack>,
    /// The number of the silence that covers it.
    pub silence: Option<u64>,
}

/// Somebody looks after an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// Who.
    pub by: String,
    /// Why it may wait.
    pub why: String,
    /// Since when.
    pub at: Timestamp,
    /// Until when; `None`: until it is resolved.
    pub until: Option<Timestamp>,
}

/// How an incident stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has said that they look after it.
    Open,
    /// Somebody has.
    Acknowledged,
    /// Nobody wants to hear of it for a while.
    Silenced,
    /// It is over.
    Resolved,
}

/// Something that happened to an incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// To which.
    pub incident: String,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum What {
    /// A check found it.
    Opened {
        /// Late datasets counted in it.
        n_late: u64,
    },
    /// More datasets are late because of it.
    Grew {
        /// How many more.
        n_more: u64,
        /// The first few of them.
        datasets: Vec<DatasetId>,
        /// Late datasets counted in it now.
        n_late: u64,
    },
    /// It began further up.
    Moved {
        /// The root it was thought to have.
        from: Option<DatasetId>,
        /// The root it has; `None`: the feed of arrivals.
        to: Option<DatasetId>,
    },
    /// It turned out to be part of another.
    Merged {
        /// Which.
        into: String,
    },
    /// Somebody looks after it.
    Acknowledged {
        /// Who.
        by: String,
        /// Why it may wait.
        why: String,
        /// Until when.
        until: Option<Timestamp>,
    },
    /// The time for which it was acknowledged is over.
    AckEnded {
        /// Who had acknowledged it.
        by: String,
    },
    /// A silence covers it.
    Silenced {
        /// The number of the silence.
        silence: u64,
    },
    /// No silence covers it any more.
    Unsilenced,
    /// It is over.
    Resolved {
        /// The most late datasets it ever counted.
        n_late_most: u64,
    },
    /// It is back.
    Reopened {
        /// Late datasets counted in it.
        n_late: u64,
    },
}

impl Followed {
    /// How it stands at an instant.
    pub fn status(&self, now: Timestamp) -> Status {
        if self.resolved_at.is_some() {
            return Status::Resolved;
        }
        match (&self.ack, self.silence) {
            (_, Some(_)) => Status::Silenced,
            (Some(ack), None) if ack.holds(now) => Status::Acknowledged,
            (_, None) => Status::Open,
        }
    }
}

impl Ack {
    /// Does it hold at an instant?
    pub fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

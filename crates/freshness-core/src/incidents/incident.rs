//! What is told of an incident?
//!
//! The root, since when, what it explains by hops, when that should recover
//! after the root does, and which edge takes longest.

use arrayvec::ArrayVec;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::broken::Broken;
use super::claim::ROOTS_NAMED;
use super::late::is_overdue;
use super::mass::Mass;
use crate::dataset::DatasetId;
use crate::fit::to_timestamp;
use crate::state::{Severity, State};

/// What a person must look at, of all that is late.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Incidents {
    /// The worst first: by severity, by how many datasets are counted in it,
    /// by age, by name.
    pub incidents: Vec<Incident>,
    /// Datasets that are late or missed, or break a promise; each is counted in one
    /// incident.
    pub n_late: u64,
}

/// One root cause and the late datasets it explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    /// What kind it is.
    pub kind: IncidentKind,
    /// The dataset it began with; `None` if the feed of arrivals is suspect.
    pub root: Option<DatasetId>,
    /// The state of the root: `late`, `missed`, or `late_arrival` while what is
    /// made from it is still late; any other if it only breaks a promise.
    pub state: State,
    /// The highest of the root and what is counted with it.
    pub severity: Option<Severity>,
    /// The cycle the root is late with.
    pub cycle: Option<String>,
    /// The promises that the root does not keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaches: Vec<Broken>,
    /// The deadline of the root; of many, the first.
    pub since: Timestamp,
    /// When the root came after all.
    pub arrived_at: Option<Timestamp>,
    /// Late datasets counted in it, the root with them if it is late still.
    pub n_late: u64,
    /// What it explains: nearest first, then by name.
    pub members: Vec<Member>,
    /// The edge that holds up the recovery most.
    pub bottleneck: Option<Bottleneck>,
}

/// Kinds of incidents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IncidentKind {
    /// Nothing that it is made from is late.
    Root,
    /// Something that it is made from is late too, and does not explain it.
    Secondary {
        /// What that is.
        below: DatasetId,
    },
    /// So many datasets turned late at once that the feed of arrivals itself is
    /// suspect.
    Feed {
        /// How many, and how many were to be expected.
        #[serde(flatten)]
        mass: Mass,
    },
}

/// The roots that are named beside one.
pub type OtherRoots = ArrayVec<DatasetId, { ROOTS_NAMED - 1 }>;

/// A late dataset that an incident explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Which.
    pub dataset_id: DatasetId,
    /// Edges below the root; 0 for one of many roots.
    pub hops: u32,
    /// `late` or `missed`; any other if it only breaks a promise.
    pub state: State,
    /// Its deadline.
    pub since: Timestamp,
    /// How many of its cycles in a row are overdue.
    pub n_overdue: u32,
    /// The promises that it does not keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaches: Vec<Broken>,
    /// Is it counted in this incident?
    pub counted: bool,
    /// The other roots that explain it; if it is counted elsewhere, only the root
    /// that it is counted under.
    pub also: OtherRoots,
    /// Are there further roots, that are not named?
    pub more: bool,
    /// How long after the root it should come; `None` if the lag of an edge on
    /// the way is unknown.
    pub wait: Option<Wait>,
}

/// How long after the root's arrival that of a dataset should come: nine times
/// in ten between the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Seconds, at least.
    pub from_seconds: i64,
    /// Seconds, at most.
    pub to_seconds: i64,
}

/// The slowest edge on the way that takes longest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bottleneck {
    /// From here …
    pub upstream: DatasetId,
    /// … to here.
    pub downstream: DatasetId,
    /// Its usual lag, in seconds.
    pub lag_seconds: i64,
}

impl Incident {
    /// Is the dataset counted in it? `None` if it is not part of it.
    pub fn counts(&self, id: &DatasetId) -> Option<bool> {
        if self.root.as_ref() == Some(id) {
            return Some(true);
        }
        self.member(id).map(|member| member.counted)
    }

    /// What is told of a dataset below the root.
    pub fn member(&self, id: &DatasetId) -> Option<&Member> {
        self.members.iter().find(|member| member.dataset_id == *id)
    }

    /// When a member should have come, if the root has; from and to.
    pub fn expected(&self, member: &Member) -> Option<(Timestamp, Timestamp)> {
        let came = self.arrived_at?.as_second();
        let wait = member.wait?;
        let at = |seconds: i64| to_timestamp(came.saturating_add(seconds));
        Some((at(wait.from_seconds), at(wait.to_seconds)))
    }

    /// When all below the root should be there: how long after it.
    pub fn recovery(&self) -> Option<Wait> {
        let waits = self.members.iter().filter(|member| member.hops > 0);
        let waits = waits
            .map(|member| member.wait)
            .collect::<Option<Vec<_>>>()?;
        let longest = |of: fn(&Wait) -> i64| waits.iter().map(of).max();
        Some(Wait {
            from_seconds: longest(|wait| wait.from_seconds)?,
            to_seconds: longest(|wait| wait.to_seconds)?,
        })
    }

    /// Of what is counted in it, how many are in time by what is learned and only
    /// break a promise.
    pub fn n_only_broken(&self) -> u64 {
        let is = |state: State, breaches: &[Broken]| !is_overdue(state) && !breaches.is_empty();
        let root = self.root.is_some() && is(self.state, &self.breaches);
        let members = self.members.iter().filter(|of| of.counted);
        let members = members.filter(|of| is(of.state, &of.breaches));
        u64::from(root) + members.count() as u64
    }

    /// How many members there are at each distance from the root, nearest
    /// first.
    pub fn by_hops(&self) -> Vec<(u32, u64)> {
        let mut by_hops: Vec<(u32, u64)> = Vec::new();
        for member in &self.members {
            match by_hops.last_mut() {
                Some((hops, n)) if *hops == member.hops => *n += 1,
                _ => by_hops.push((member.hops, 1)),
            }
        }
        by_hops
    }
}

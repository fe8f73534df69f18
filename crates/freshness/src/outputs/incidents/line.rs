//! Which fields does an incident have as JSON?

use freshness_core::dataset::DatasetId;
use freshness_core::incidents::{
    Ack, Bottleneck, Broken, Followed, IncidentKind, Mass, Member, Status, Wait,
};
use freshness_core::state::{Severity, State};
use jiff::Timestamp;
use serde::Serialize;

use super::late_seconds;

/// One incident as JSON; the fields are described by [`INCIDENT_FIELDS`].
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "INCIDENT_FIELDS describes them")]
pub struct IncidentLine<'a> {
    pub id: &'a str,
    pub status: Status,
    pub kind: &'static str,
    pub root: Option<&'a DatasetId>,
    pub below: Option<&'a DatasetId>,
    pub mass: Option<&'a Mass>,
    pub state: State,
    pub severity: Option<Severity>,
    pub cycle: Option<&'a str>,
    pub breaches: &'a [Broken],
    pub since: Timestamp,
    pub late_seconds: i64,
    pub arrived_at: Option<Timestamp>,
    pub opened_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub n_late: u64,
    pub n_late_most: u64,
    pub by_hops: Vec<ByHops>,
    pub members: &'a [Member],
    pub recovery: Option<Wait>,
    pub bottleneck: Option<&'a Bottleneck>,
    pub ack: Option<&'a Ack>,
    pub silence: Option<u64>,
}

/// How many members there are at a distance from the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "INCIDENT_FIELDS describes them")]
pub struct ByHops {
    pub hops: u32,
    pub n: u64,
}

/// The fields of [`IncidentLine`], for the documentation; a test compares them
/// with what is written.
pub const INCIDENT_FIELDS: [(&str, &str); 23] = [
    ("id", "the same in every check"),
    ("status", "`open`, `acknowledged`, `silenced` or `resolved`"),
    (
        "kind",
        "`root`; `secondary`: late on its own below a dataset that is late too; `feed`: so many turned late at once that the feed of arrivals itself is suspect",
    ),
    ("root", "the dataset it began with; null for `feed`"),
    (
        "below",
        "for `secondary`: what is late too and does not explain it",
    ),
    (
        "mass",
        "for `feed`: from `from` to `to` (seconds), `n_late` of `n_due` datasets turned late on their own, where so many were `expected`",
    ),
    (
        "state",
        "of the root: `late`, `missed`, or `late_arrival` while what is made from it is late still",
    ),
    (
        "severity",
        "the highest of the root and what is counted with it",
    ),
    ("cycle", "the cycle that the root is late with"),
    (
        "breaches",
        "the objectives of its service levels that the root does not keep, and the scopes that feed it and are not covered (`coverage:SOURCE/SCOPE`); if it is in time by what is learned, `state` says so and these are what the incident is about",
    ),
    ("since", "the deadline of the root"),
    (
        "late_seconds",
        "seconds from then until now, or until it was resolved",
    ),
    ("arrived_at", "when the root came after all"),
    ("opened_at", "when a check first found it"),
    ("resolved_at", "when a check found it gone"),
    (
        "n_late",
        "datasets counted in it that are late or break a promise, the root with them; each is counted in one incident",
    ),
    ("n_late_most", "the most it ever counted"),
    (
        "by_hops",
        "how many members (`n`) lie how many edges below the root (`hops`)",
    ),
    (
        "members",
        "what it explains: `dataset_id`, `hops`, `state`, `since`, `n_overdue`, `breaches` (absent: none), `counted` (here, or in the incident of a nearer root), `also` (other roots; counted elsewhere: the one it is counted under) and `more` (are there roots that are not named?), `wait` (null: a lag on the way is not known): it should come `from_seconds` to `to_seconds` after the root, nine times in ten",
    ),
    (
        "recovery",
        "when all of them should be there, counted from the root's arrival",
    ),
    (
        "bottleneck",
        "the slowest edge on the way that takes longest: `upstream`, `downstream`, its usual `lag_seconds`",
    ),
    (
        "ack",
        "who looks after it: `by`, `why`, `at`, `until` (null: until it is resolved)",
    ),
    ("silence", "the number of the silence that covers it"),
];

impl<'a> IncidentLine<'a> {
    /// The JSON form of an incident at an instant.
    pub fn new(followed: &'a Followed, now: Timestamp) -> IncidentLine<'a> {
        let Followed {
            id,
            incident,
            opened_at,
            resolved_at,
            n_late_most,
            ack,
            silence,
        } = followed;
        let (kind, below, mass) = match &incident.kind {
            IncidentKind::Root => ("root", None, None),
            IncidentKind::Secondary { below } => ("secondary", Some(below), None),
            IncidentKind::Feed { mass } => ("feed", None, Some(mass)),
        };
        let by_hops = incident.by_hops().into_iter();
        IncidentLine {
            id,
            status: followed.status(now),
            kind,
            root: incident.root.as_ref(),
            below,
            mass,
            state: incident.state,
            severity: incident.severity,
            cycle: incident.cycle.as_deref(),
            breaches: &incident.breaches,
            since: incident.since,
            late_seconds: late_seconds(followed, now),
            arrived_at: incident.arrived_at,
            opened_at: *opened_at,
            resolved_at: *resolved_at,
            n_late: incident.n_late,
            n_late_most: *n_late_most,
            by_hops: by_hops.map(|(hops, n)| ByHops { hops, n }).collect(),
            members: &incident.members,
            recovery: incident.recovery(),
            bottleneck: incident.bottleneck.as_ref(),
            ack: ack.as_ref(),
            silence: *silence,
        }
    }
}

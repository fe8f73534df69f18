//! What is the score of a dashboard, and what is behind it?
//!
//! A part loses what its datasets lose, by the rule of the lineage; the report
//! loses the mean of its parts. Points are whole and rounded down, so that only
//! a report with nothing late behind it has all 100.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::blame::{Loser, Walk};
use super::caveat;
use super::losses::Warehouse;
use super::own::{self, Loss};
use super::recovery::Whole;
use crate::dashboard::{Dashboard, DashboardId};
use crate::dataset::DatasetId;
use crate::fit::to_timestamp;
use crate::incidents::Broken;
use crate::schedule::PutOff;
use crate::state::{Severity, State};

/// How far a dashboard can be believed, and why no further.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trust {
    /// Which.
    pub dashboard_id: DashboardId,
    /// How it stands, in a word.
    pub standing: Standing,
    /// 0–100; `None` if too much behind it cannot be judged to say one number.
    pub score: Option<u8>,
    /// The score if all that cannot be judged is lost.
    pub at_least: u8,
    /// The score if all that cannot be judged is in time.
    pub at_most: u8,
    /// Datasets behind it, over any number of edges.
    pub n_datasets: u32,
    /// Its parts, by name.
    pub parts: Vec<PartTrust>,
    /// The late datasets that are to blame, most points lost first.
    pub causes: Vec<Cause>,
    /// Datasets behind it that cannot be judged, nearest first.
    pub doubts: Vec<Doubted>,
    /// By when it should have lost nothing, if the causes that have not come do
    /// by their next deadline; `None` if that cannot be said.
    pub recovers: Option<Timestamp>,
    /// What its reader should know; `None` if there is nothing to say.
    pub caveat: Option<String>,
}

/// How a dashboard stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Something behind it is late, or breaks a promise.
    Late,
    /// Nothing is known to be late, but not everything can be judged.
    CouldNotTell,
    /// Everything behind it is in time.
    Healthy,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartTrust {
    /// Its name.
    pub part: String,
    /// What it shows.
    pub datasets: Vec<DatasetId>,
    /// As of the whole, for this part alone.
    pub at_least: u8,
    /// As of the whole, for this part alone.
    pub at_most: u8,
}

/// A root: a dataset that is late because of nothing else, or came so late that
/// what is made from it still is, or that does not keep what is promised of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// Which.
    pub dataset_id: DatasetId,
    /// How it stands.
    pub state: State,
    /// How much that matters.
    pub severity: Option<Severity>,
    /// The promises that it does not keep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaches: Vec<Broken>,
    /// The deadline that passed; of one that is in time and breaks a promise, when
    /// that was found.
    pub since: Option<Timestamp>,
    /// Seconds past it; `None` once it has come.
    pub late_seconds: Option<i64>,
    /// The maintenance that holds it up: nobody is told, but it is as old as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<PutOff>,
    /// When it came after all.
    pub arrived_at: Option<Timestamp>,
    /// Points that the dashboard loses by it.
    pub points: f64,
    /// Edges from it to the nearest dataset that the dashboard shows.
    pub hops: u32,
    /// The parts that lose by it.
    pub parts: Vec<String>,
    /// The deadline of its next delivery, unless it has come.
    pub next_due: Option<Timestamp>,
    /// How long after it everything should be there that is behind the dashboard
    /// and late because of it, at most; `None` if that cannot be said.
    pub wait_seconds: Option<i64>,
}

/// A dataset that cannot be judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Doubted {
    /// Which.
    pub dataset_id: DatasetId,
    /// How it stands.
    pub state: State,
    /// Why it cannot be judged.
    pub reason: String,
    /// Edges from it to the nearest dataset that the dashboard shows.
    pub hops: u32,
    /// The parts that it is behind.
    pub parts: Vec<String>,
}

/// A dataset that matters, and what it has to do with the parts of the report.
#[derive(Default)]
struct Found<'a> {
    points: f64,
    hops: u32,
    parts: Vec<&'a str>,
    blamed_by: Vec<&'a str>,
}

/// The trust in one dashboard.
pub(super) fn of(dashboard: &Dashboard, warehouse: &Warehouse<'_>, walk: &mut Walk) -> Trust {
    let n_parts = dashboard.parts().len();
    let mut lost = Loss::default();
    let mut whole = Whole::Now;
    let mut parts = Vec::with_capacity(n_parts);
    let mut losers = Vec::with_capacity(n_parts);
    for part in dashboard.parts() {
        let place = |id| warehouse.place(id).expect("every dataset has a node");
        let feeds: Vec<u32> = part.datasets.iter().map(place).collect();
        let loss = warehouse.inherited(&feeds);
        let fed = feeds
            .iter()
            .map(|&place| warehouse.nodes[place as usize].whole);
        whole = fed.fold(whole, Whole::and);
        lost.known += loss.known;
        lost.worst += loss.worst;
        parts.push(PartTrust {
            part: part.name.clone(),
            datasets: part.datasets.clone(),
            at_least: points_left(loss.worst),
            at_most: points_left(loss.known),
        });
        losers.push(Loser {
            feeds,
            points: 100.0 * loss.known / n_parts as f64,
        });
    }
    let mut found: BTreeMap<u32, Found<'_>> = BTreeMap::new();
    let mut waits: BTreeMap<&DatasetId, Option<i64>> = BTreeMap::new();
    let n_datasets = walk.blame(warehouse, &losers, |place, behind, first| {
        let node = &warehouse.nodes[place as usize];
        for root in node.seen.map_or(&[][..], |seen| seen.roots) {
            let longest = waits.entry(&root.dataset_id).or_insert(Some(0));
            *longest = longest.zip(root.wait_seconds).map(|(a, b)| a.max(b));
        }
        if behind.blamed_by == 0 && !node.is_doubtful() {
            return;
        }
        let named = |bits: u64| {
            let bits = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            bits.map(|bit| dashboard.parts()[first + bit].name.as_str())
        };
        let found = found.entry(place).or_default();
        found.points += behind.points;
        found.hops = behind.hops;
        found.parts.extend(named(behind.parts));
        found.blamed_by.extend(named(behind.blamed_by));
    });
    let lost = match n_parts {
        0 => Loss::UNKNOWN,
        n => Loss {
            known: lost.known / n as f64,
            worst: lost.worst / n as f64,
        },
    };
    let (at_least, at_most) = (points_left(lost.worst), points_left(lost.known));
    let mut trust = Trust {
        dashboard_id: dashboard.id.clone(),
        standing: match (at_least, at_most) {
            (_, ..100) => Standing::Late,
            (..100, _) => Standing::CouldNotTell,
            _ => Standing::Healthy,
        },
        score: (at_least == at_most).then_some(at_most),
        at_least,
        at_most,
        n_datasets: n_datasets as u32,
        parts,
        recovers: match whole {
            Whole::By(at) => Some(at),
            Whole::Now | Whole::Unknown => None,
        },
        causes: causes(warehouse, &found, &waits),
        doubts: doubts(warehouse, &found),
        caveat: None,
    };
    trust.caveat = caveat::of(&trust);
    trust
}

/// Whole points of 100, rounded down.
fn points_left(loss: f64) -> u8 {
    /// What a product of shares rounds up costs no point.
    const ROUNDING: f64 = 1e-9;
    let least = if loss > 0.0 { 1.0 } else { 0.0 };
    let lost = (100.0 * loss - ROUNDING).ceil().clamp(least, 100.0);
    100 - lost as u8
}

fn causes(
    warehouse: &Warehouse<'_>,
    found: &BTreeMap<u32, Found<'_>>,
    waits: &BTreeMap<&DatasetId, Option<i64>>,
) -> Vec<Cause> {
    let mut causes: Vec<Cause> = found
        .iter()
        .filter(|(_, found)| !found.blamed_by.is_empty())
        .filter_map(|(&place, found)| {
            let seen = warehouse.nodes[place as usize].seen?;
            let current = seen.state.current.as_ref();
            let was_late = matches!(
                seen.state.state,
                State::Late | State::Missed | State::LateArrival
            );
            let excused = seen.state.excused;
            let held_up = current.filter(|_| excused.is_some());
            // In time by what is learned, it stands where its breach began.
            let current = current.filter(|_| was_late);
            let breach = seen.breach.filter(|breach| breach.lost > 0.0);
            let overdue = own::overdue(seen.state);
            let severity = seen
                .state
                .severity
                .max(overdue.map(|overdue| overdue.severity))
                .max(breach.map(|breach| breach.severity));
            let broken_since = breach.map(|breach| to_timestamp(breach.since));
            Some(Cause {
                dataset_id: seen.state.dataset_id.clone(),
                state: seen.state.state,
                severity,
                breaches: breach.map_or_else(Vec::new, |breach| breach.broken.clone()),
                since: current
                    .and_then(|of| of.deadline)
                    .or(held_up.and_then(|of| of.learned_deadline))
                    .or(broken_since),
                late_seconds: overdue.map(|overdue| overdue.seconds),
                maintenance: held_up.and_then(|of| of.maintenance.clone()),
                arrived_at: current.and_then(|of| of.arrived_at),
                points: found.points,
                hops: found.hops,
                parts: named(&found.blamed_by),
                next_due: seen.next_due.filter(|_| overdue.is_some()),
                wait_seconds: *waits.get(&seen.state.dataset_id).unwrap_or(&Some(0)),
            })
        })
        .collect();
    causes.sort_by(|a, b| {
        let by_points = b.points.total_cmp(&a.points);
        by_points.then_with(|| a.dataset_id.cmp(&b.dataset_id))
    });
    causes
}

fn doubts(warehouse: &Warehouse<'_>, found: &BTreeMap<u32, Found<'_>>) -> Vec<Doubted> {
    let mut doubts: Vec<Doubted> = found
        .iter()
        .map(|(&place, found)| (&warehouse.nodes[place as usize], found))
        .filter(|(node, _)| node.is_doubtful())
        .map(|(node, found)| Doubted {
            dataset_id: node.id.clone(),
            state: node
                .seen
                .map_or(State::NotEvaluated, |seen| seen.state.state),
            reason: match node.seen {
                Some(seen) => seen.state.reason.clone(),
                None => "nothing is known of it".to_owned(),
            },
            hops: found.hops,
            parts: named(&found.parts),
        })
        .collect();
    doubts.sort_by(|a, b| (a.hops, &a.dataset_id).cmp(&(b.hops, &b.dataset_id)));
    doubts
}

fn named(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|&part| part.to_owned()).collect()
}

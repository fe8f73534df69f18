//! What does each dataset lose by itself and by what it is made from?
//!
//! By itself or by its inputs, whichever is more: a table that waits for a late
//! one is late too, and that is one loss, not two. Of its inputs it loses the
//! mean, so the further away and the fewer among many, the less; but what a
//! critical input loses is lost in full, since nothing may be made without it.

use std::collections::BTreeMap;

use super::own::{self, Loss};
use super::recovery::{Whole, whole};
use super::{Root, Seen};
use crate::dashboard::Dashboard;
use crate::dataset::DatasetId;
use crate::lineage::Lineage;
use crate::state::State;

/// All datasets, and what they lose.
pub(super) struct Warehouse<'a> {
    /// By name.
    pub(super) nodes: Vec<Node<'a>>,
}

/// A dataset.
pub(super) struct Node<'a> {
    pub(super) id: &'a DatasetId,
    /// `None`: nothing is known of it.
    pub(super) seen: Option<Seen<'a>>,
    /// Places of what it is made from.
    pub(super) parents: Vec<u32>,
    /// Parents have a lower rank than what is made from them.
    pub(super) rank: u32,
    pub(super) own: Loss,
    /// … with what it is made from.
    pub(super) total: Loss,
    /// When it loses nothing any more.
    pub(super) whole: Whole,
}

/// What something loses by its inputs. Each input alone would cost it its own
/// loss if it is critical, else that loss over the number of inputs.
pub(super) fn inherited(inputs: impl Iterator<Item = (f64, bool)> + Clone) -> f64 {
    let n = inputs.clone().count();
    let sum: f64 = inputs.clone().map(|(loss, _)| loss).sum();
    let mean = match n {
        0 => 0.0,
        // A loss that is spread thin stays one.
        _ if sum > 0.0 => (sum / n as f64).max(f64::MIN_POSITIVE),
        _ => 0.0,
    };
    inputs
        .filter(|&(_, critical)| critical)
        .fold(mean, |most, (loss, _)| most.max(loss))
        .min(1.0)
}

impl<'a> Warehouse<'a> {
    pub(super) fn new(
        seen: &[Seen<'a>],
        lineage: &'a Lineage,
        dashboards: &'a [Dashboard],
    ) -> Warehouse<'a> {
        let nodes = nodes(seen, lineage, dashboards);
        let mut warehouse = Warehouse { nodes };
        let in_lineage: Vec<u32> = lineage
            .datasets()
            .iter()
            .map(|id| warehouse.place(id).expect("every dataset has a node"))
            .collect();
        for (rank, &index) in (1..).zip(lineage.topological_indices()) {
            let parents = lineage.parent_indices(index as usize);
            let node = &mut warehouse.nodes[in_lineage[index as usize] as usize];
            node.rank = rank;
            node.parents = parents.iter().map(|&p| in_lineage[p as usize]).collect();
        }
        let mut by_rank: Vec<u32> = (0..warehouse.nodes.len() as u32).collect();
        by_rank.sort_by_key(|&place| warehouse.nodes[place as usize].rank);
        for place in by_rank.into_iter().map(|place| place as usize) {
            warehouse.nodes[place].total = warehouse.total(place);
            warehouse.nodes[place].whole = whole(&warehouse.nodes[place], &warehouse);
        }
        warehouse
    }

    /// What explains why a dataset is late, by what its incidents say and what
    /// is so still, and how long after it the dataset should be there.
    pub(super) fn roots(&self, seen: &Seen<'_>) -> impl Iterator<Item = (u32, Option<i64>)> {
        let explains = |&(place, _): &(u32, Option<i64>)| {
            let root = self.nodes[place as usize].seen;
            root.is_some_and(|root| match root.state.state {
                State::Late | State::Missed | State::LateArrival => true,
                State::Ok
                | State::Pending
                | State::Unknown
                | State::InsufficientHistory
                | State::NotEvaluated => root.is_broken(),
            })
        };
        let placed = |root: &Root| Some((self.place(&root.dataset_id)?, root.wait_seconds));
        seen.roots.iter().filter_map(placed).filter(explains)
    }

    pub(super) fn place(&self, id: &DatasetId) -> Option<u32> {
        let found = self.nodes.binary_search_by(|node| node.id.cmp(id));
        found.ok().map(|place| place as u32)
    }

    /// The losses of some datasets, as the inputs of something.
    pub(super) fn inputs<'b>(
        &'b self,
        places: &'b [u32],
        of: fn(&Loss) -> f64,
    ) -> impl Iterator<Item = (f64, bool)> + Clone + 'b {
        places.iter().map(move |&place| {
            let node = &self.nodes[place as usize];
            (of(&node.total), node.is_critical())
        })
    }

    pub(super) fn inherited(&self, places: &[u32]) -> Loss {
        Loss {
            known: inherited(self.inputs(places, |loss| loss.known)),
            worst: inherited(self.inputs(places, |loss| loss.worst)),
        }
    }

    fn total(&self, place: usize) -> Loss {
        let node = &self.nodes[place];
        let inherited = self.inherited(&node.parents);
        Loss {
            known: node.own.known.max(inherited.known),
            worst: node.own.worst.max(inherited.worst),
        }
    }
}

impl Node<'_> {
    pub(super) fn is_critical(&self) -> bool {
        self.seen.is_some_and(|seen| seen.critical)
    }

    /// Can nobody tell how much it loses by itself?
    pub(super) fn is_doubtful(&self) -> bool {
        self.own.worst > self.own.known
    }
}

/// A node for every dataset that anybody names.
fn nodes<'a>(
    seen: &[Seen<'a>],
    lineage: &'a Lineage,
    dashboards: &'a [Dashboard],
) -> Vec<Node<'a>> {
    let mut known: BTreeMap<&DatasetId, Option<Seen<'_>>> = BTreeMap::new();
    let behind = dashboards
        .iter()
        .flat_map(Dashboard::parts)
        .flat_map(|part| &part.datasets);
    known.extend(lineage.datasets().iter().chain(behind).map(|id| (id, None)));
    known.extend(
        seen.iter()
            .map(|seen| (&seen.state.dataset_id, Some(*seen))),
    );
    known
        .into_iter()
        .map(|(id, seen)| {
            let own = seen.as_ref().map_or(Loss::UNKNOWN, own::loss);
            Node {
                id,
                seen,
                parents: Vec::new(),
                rank: 0,
                own,
                total: own,
                whole: Whole::Unknown,
            }
        })
        .collect()
}

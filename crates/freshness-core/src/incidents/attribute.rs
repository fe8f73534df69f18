//! Which of the late datasets began it?
//!
//! One walk over the late datasets, parents first. A dataset takes over the
//! roots of every parent that explains it; one that no parent explains is a
//! root. Only late datasets are walked, so a late ancestor behind one that is
//! on time explains nothing.
//!
//! A parent that is still awaited explains its child if the cycle it is late
//! with usually comes before that of the child: what was due later cannot have
//! held up what was due earlier. A parent that came late explains it unless the
//! child could still have been in time, as long as the child has not taken longer
//! since than the edge ever does; after that the child is late on its own.

use super::claim::{Claim, Step, merge};
use super::lag::{EdgeLag, EdgeLags};
use super::late::LateDataset;
use crate::lineage::Lineage;
use crate::state::State;

/// Where the lateness of datasets began. All numbers are places in the slice of
/// late datasets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attribution {
    /// Of each late dataset, from where to where its claims are.
    ranges: Vec<(u32, u32)>,
    claims: Vec<Claim>,
    /// Roots beyond those named?
    more: Vec<bool>,
    /// A late parent that does not explain it.
    below: Vec<Option<u32>>,
}

/// Attributes late datasets. They are sorted by name; `now` is UTC seconds.
pub fn attribute(
    lineage: &Lineage,
    late: &[LateDataset],
    lags: &EdgeLags,
    now: i64,
) -> Attribution {
    const NOWHERE: u32 = u32::MAX;
    let mut place_of = vec![NOWHERE; lineage.datasets().len()];
    let mut strangers = Vec::new();
    let mut from = 0;
    for (i, dataset) in late.iter().enumerate() {
        match find(lineage, dataset, &mut from) {
            Some(node) => place_of[node] = i as u32,
            None => strangers.push(i as u32),
        }
    }
    let late_nodes = lineage.topological_indices().iter();
    let late_nodes = late_nodes.filter(|&&node| place_of[node as usize] != NOWHERE);
    let walk = late_nodes.map(|&node| (place_of[node as usize], Some(node)));
    let walk = walk.chain(strangers.iter().map(|&i| (i, None)));

    let mut attribution = Attribution {
        ranges: vec![(0, 0); late.len()],
        claims: Vec::with_capacity(late.len()),
        more: vec![false; late.len()],
        below: vec![None; late.len()],
    };
    let mut heard: Vec<Claim> = Vec::new();
    for (i, node) in walk {
        let child = &late[i as usize];
        heard.clear();
        // Has a parent come that it does not follow?
        let mut is_news = false;
        let parents = node.map_or(&[][..], |node| lineage.parent_indices(node as usize));
        let edges = node.map_or(0..0, |node| lineage.parent_edges(node as usize));
        for (&parent_node, edge) in parents.iter().zip(edges) {
            let parent = place_of[parent_node as usize];
            if parent == NOWHERE {
                continue;
            }
            let lag = lags.get(edge);
            let of = &late[parent as usize];
            // A promise that is broken holds up no delivery.
            if of.is_only_broken() && child.is_overdue() {
                continue;
            }
            let is_due = is_due_before(of, child, lag);
            if !is_due || !is_waiting(of, child, lag, now) {
                if !of.is_past {
                    let below = &mut attribution.below[i as usize];
                    *below = Some(below.map_or(parent, |other| other.min(parent)));
                    is_news |= is_due;
                }
                continue;
            }
            attribution.more[i as usize] |= attribution.more[parent as usize];
            let claims = attribution.claims(parent as usize);
            let step = Step::new(parent, i, lag, skips(of, lag, now));
            heard.extend(claims.iter().map(|claim| step.further(claim)));
        }
        if !child.held_by.is_empty() && !is_news {
            hold(late, i, &mut heard);
        }
        let start = attribution.claims.len();
        if heard.is_empty() {
            attribution.claims.push(Claim::of_itself(i));
        } else {
            attribution.more[i as usize] |= merge(&mut heard);
            attribution.claims.extend_from_slice(&heard);
        }
        attribution.ranges[i as usize] = (start as u32, attribution.claims.len() as u32);
    }
    if late.iter().any(|of| !of.held_by.is_empty()) {
        attribution.settle();
    }
    attribution
}

/// Adds what a late dataset was explained by before to what explains it now. A root
/// that has come holds up nothing more: what was late before it came has another
/// reason. One that has missed a further cycle needs a reason for that too.
fn hold(late: &[LateDataset], child: u32, heard: &mut Vec<Claim>) {
    let held_by = &late[child as usize].held_by;
    let root = |claim: &Claim| &late[claim.root as usize];
    let is_held = |claim: &Claim| {
        let mut held_by = held_by.iter();
        held_by.any(|held| held.root == root(claim).dataset_id)
    };
    if held_by.iter().any(|held| !held.has_missed_more) {
        heard.retain(|claim| root(claim).arrived_at.is_none() || is_held(claim));
    } else if heard.is_empty() {
        return;
    }
    let n_heard = heard.len();
    for held in held_by {
        let mut known = heard[..n_heard].iter();
        if known.any(|claim| root(claim).dataset_id == held.root) {
            continue;
        }
        let place = late.binary_search_by(|of| of.dataset_id.cmp(&held.root));
        heard.extend(place.ok().map(|root| Claim::of_old(root as u32, held.hops)));
    }
}

impl Attribution {
    /// What was a root may have turned out to be explained by something further up:
    /// that is the root then of all it held.
    fn settle(&mut self) {
        for i in 0..self.ranges.len() {
            let is_moved = |claim: &Claim| claim.hops > 0 && !self.is_root(claim.root as usize);
            if !self.claims(i).iter().any(is_moved) {
                continue;
            }
            let mut settled: Vec<Claim> = self.claims(i).to_vec();
            for claim in &mut settled {
                // No longer than there are datasets, if what was told went in a circle.
                for _ in 0..self.ranges.len() {
                    if claim.root as usize == i || self.is_root(claim.root as usize) {
                        break;
                    }
                    let up = self.claims(claim.root as usize)[0];
                    *claim = Claim::of_old(up.root, claim.hops + up.hops);
                }
            }
            settled.retain(|claim| claim.root as usize != i && self.is_root(claim.root as usize));
            merge(&mut settled);
            if settled.is_empty() {
                settled.push(Claim::of_itself(i as u32));
            }
            let start = self.ranges[i].0;
            let n = settled.len() as u32;
            self.claims[start as usize..(start + n) as usize].copy_from_slice(&settled);
            self.ranges[i] = (start, start + n);
        }
    }

    /// The roots that explain late dataset `i`, nearest first; of a root itself
    /// only that.
    pub fn claims(&self, i: usize) -> &[Claim] {
        let (start, end) = self.ranges[i];
        &self.claims[start as usize..end as usize]
    }

    /// Are there more roots than are named?
    pub fn has_more(&self, i: usize) -> bool {
        self.more[i]
    }

    /// Is late dataset `i` one that began it?
    pub fn is_root(&self, i: usize) -> bool {
        self.claims(i)[0].hops == 0
    }

    /// A late parent of root `i` that does not explain it: it is late on its
    /// own below that one.
    pub fn below(&self, i: usize) -> Option<usize> {
        let below = self.below[i].filter(|_| self.is_root(i));
        below.map(|parent| parent as usize)
    }

    /// The number of late datasets.
    pub fn len(&self) -> usize {
        self.more.len()
    }

    /// Is nothing late?
    pub fn is_empty(&self) -> bool {
        self.more.is_empty()
    }
}

/// Could the cycle that a parent is late with have held up that of its child?
/// The child's is made from that one of the parent which usually comes nearest
/// to one lag before it.
fn is_due_before(parent: &LateDataset, child: &LateDataset, lag: Option<&EdgeLag>) -> bool {
    // Something else explains the cycle it was late with first.
    let (usual_by, since) = match child.held_by.is_empty() {
        true => (child.usual_by, child.since),
        false => child.newest,
    };
    let begun_by = match lag {
        Some(lag) => usual_by - lag.p50 + lag.parent_period.unwrap_or(0) / 2,
        // Of what is past only the deadline is known.
        None if parent.is_past => since,
        None => usual_by,
    };
    parent.usual_from <= begun_by
}

/// Is the child still waiting for its parent, or has it not taken longer since
/// than it ever does?
fn is_waiting(parent: &LateDataset, child: &LateDataset, lag: Option<&EdgeLag>, now: i64) -> bool {
    let Some(came) = parent.arrived_at else {
        return true;
    };
    let waited_until = child.arrived_at.unwrap_or(now);
    let patience = match lag {
        // It came in time for its child to be in time.
        Some(lag) if came.saturating_add(lag.wait_to) <= child.since => return false,
        Some(lag) => lag.abnormal,
        // As long after its usual time as the child's deadline allows.
        None => (child.since - child.usual_from).max(0),
    };
    waited_until - came <= patience
}

/// Is the next cycle of a root nearer than the one it is late with?
fn skips(root: &LateDataset, lag: Option<&EdgeLag>, now: i64) -> bool {
    let period = lag.and_then(|lag| lag.parent_period);
    let is_nearer = period.is_some_and(|period| now.saturating_sub(root.usual_from) > period / 2);
    root.arrived_at.is_none() && (root.state == State::Missed || is_nearer)
}

/// The index of a late dataset; `from` is where the one before it was found, so
/// that all of a sorted list cost no more than a walk, and few no more than as
/// many searches.
fn find(lineage: &Lineage, dataset: &LateDataset, from: &mut usize) -> Option<usize> {
    let names = lineage.datasets();
    let id = &dataset.dataset_id;
    // Not sorted after all: from the start again.
    if *from > 0 && names.get(*from - 1).is_some_and(|before| before >= id) {
        *from = 0;
    }
    let mut reach = 1;
    while names.get(*from + reach - 1).is_some_and(|name| name < id) {
        *from += reach;
        reach *= 2;
    }
    let within = &names[*from..(*from + reach).min(names.len())];
    *from += within.partition_point(|name| name < id);
    let is_it = names.get(*from) == Some(id);
    let at = *from;
    *from += usize::from(is_it);
    is_it.then_some(at)
}

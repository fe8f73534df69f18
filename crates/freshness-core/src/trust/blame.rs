//! Which datasets is a loss to be blamed on, and how much of it on each?
//!
//! From a part of a report up the lineage, what was lost is shared among the
//! inputs in proportion to what each alone would cost. The share of a dataset
//! that is late because of others goes to the roots of its incidents; one that
//! is a root itself keeps it. So every loss ends at a root, and what the roots
//! lose adds up to the whole.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::losses::Warehouse;

/// What one part of a report owes to the datasets behind it.
pub(super) struct Blamed {
    /// Points by the place of the dataset.
    pub(super) points: BTreeMap<u32, f64>,
    /// Everything behind the part, and over how many edges at least.
    pub(super) hops: BTreeMap<u32, u32>,
}

/// Shares the `points` that a part fed by `feeds` has lost.
pub(super) fn blame(warehouse: &Warehouse<'_>, feeds: &[u32], points: f64) -> Blamed {
    let mut blamed = Blamed {
        points: BTreeMap::new(),
        hops: hops(warehouse, feeds),
    };
    // By rank, so that all shares of a dataset have come before it is asked.
    let mut charged: BTreeMap<(Reverse<u32>, u32), f64> = BTreeMap::new();
    let place_in_line = |place: u32| (Reverse(warehouse.nodes[place as usize].rank), place);
    let hand_on = |to: Vec<(u32, f64)>, points: f64, charged: &mut BTreeMap<_, f64>| {
        let sum: f64 = to.iter().map(|&(_, cost)| cost).sum();
        for (place, cost) in to {
            *charged.entry(place_in_line(place)).or_insert(0.0) += points * (cost / sum);
        }
    };
    let costs = costs(warehouse, feeds);
    if !costs.is_empty() {
        hand_on(costs, points, &mut charged);
    }
    while let Some(((_, place), points)) = charged.pop_first() {
        let node = &warehouse.nodes[place as usize];
        let own = node.own.known;
        let inherited = warehouse.inherited(&node.parents).known;
        let own_points = points * (own / (own + inherited));
        if own_points < points {
            hand_on(
                costs_of(warehouse, place),
                points - own_points,
                &mut charged,
            );
        }
        if own_points > 0.0 {
            let roots = roots(warehouse, place, &blamed.hops);
            let share = own_points / roots.len() as f64;
            for root in roots {
                *blamed.points.entry(root).or_insert(0.0) += share;
            }
        }
    }
    blamed
}

/// What a late dataset is late because of: itself, if nothing else that is
/// behind the part.
fn roots(warehouse: &Warehouse<'_>, place: u32, behind: &BTreeMap<u32, u32>) -> Vec<u32> {
    let seen = warehouse.nodes[place as usize].seen;
    let named = seen.map_or(&[][..], |seen| seen.roots);
    let roots = named
        .iter()
        .filter_map(|root| warehouse.place(&root.dataset_id))
        .filter(|root| behind.contains_key(root));
    let roots: Vec<u32> = roots.collect();
    match roots.is_empty() {
        true => vec![place],
        false => roots,
    }
}

/// The parents of a dataset that lose anything, and what each alone costs it.
fn costs_of(warehouse: &Warehouse<'_>, place: u32) -> Vec<(u32, f64)> {
    costs(warehouse, &warehouse.nodes[place as usize].parents)
}

fn costs(warehouse: &Warehouse<'_>, inputs: &[u32]) -> Vec<(u32, f64)> {
    let n = inputs.len() as f64;
    inputs
        .iter()
        .filter_map(|&place| {
            let node = &warehouse.nodes[place as usize];
            let loss = node.total.known;
            let cost = match node.is_critical() {
                true => loss,
                false => (loss / n).max(f64::MIN_POSITIVE),
            };
            (loss > 0.0).then_some((place, cost))
        })
        .collect()
}

fn hops(warehouse: &Warehouse<'_>, feeds: &[u32]) -> BTreeMap<u32, u32> {
    let mut hops = BTreeMap::new();
    let feeds: BTreeSet<u32> = feeds.iter().copied().collect();
    let mut next: VecDeque<(u32, u32)> = feeds.into_iter().map(|place| (place, 0)).collect();
    while let Some((place, n)) = next.pop_front() {
        if let std::collections::btree_map::Entry::Vacant(entry) = hops.entry(place) {
            entry.insert(n);
            let parents = &warehouse.nodes[place as usize].parents;
            next.extend(parents.iter().map(|&parent| (parent, n + 1)));
        }
    }
    hops
}

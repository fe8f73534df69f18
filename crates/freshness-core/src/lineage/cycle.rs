//! Which datasets go in a circle?
//!
//! A person who is told one has to find the edge that is wrong, so the cycle is
//! short, and begins at the same dataset whatever the order of the edges.

use std::collections::{HashMap, VecDeque};

use super::Neighbours;
use crate::dataset::DatasetId;

/// A cycle among the datasets that have no place in the topological order,
/// from its first name on: no shorter one goes through any dataset on it (of
/// the first [`TRIED_FOR_SHORTER`]).
pub(super) fn short_cycle(children: &Neighbours, parents: &Neighbours, order: &[u32]) -> Vec<u32> {
    let mut stuck = vec![true; children.starts.len() - 1];
    for &i in order {
        stuck[i as usize] = false;
    }
    // Each stuck dataset has a stuck parent: walking up must come round.
    let mut at = stuck.iter().position(|&stuck| stuck).expect("a cycle") as u32;
    let mut place_in_walk: HashMap<u32, usize> = HashMap::new();
    let mut walk = Vec::new();
    let begin = loop {
        if let Some(&begin) = place_in_walk.get(&at) {
            break begin;
        }
        place_in_walk.insert(at, walk.len());
        walk.push(at);
        at = *parents
            .row(at as usize)
            .iter()
            .find(|&&parent| stuck[parent as usize])
            .expect("a stuck dataset has a stuck parent");
    };
    let mut found: Vec<u32> = walk.split_off(begin);
    found.reverse();
    for &through in found.clone().iter().take(TRIED_FOR_SHORTER) {
        let other = shortest_cycle_through(through, children, &stuck);
        if other.len() < found.len() {
            found = other;
        }
    }
    let first = (0..found.len()).min_by_key(|&i| found[i]).unwrap_or(0);
    found.rotate_left(first);
    found
}

/// Each try may walk all edges.
const TRIED_FOR_SHORTER: usize = 32;

/// Breadth first from a dataset known to lie on a cycle, back to itself.
fn shortest_cycle_through(start: u32, children: &Neighbours, stuck: &[bool]) -> Vec<u32> {
    let mut from: HashMap<u32, u32> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &child in children.row(at as usize) {
            if child == start {
                let mut path = vec![at];
                while path[path.len() - 1] != start {
                    path.push(from[&path[path.len() - 1]]);
                }
                path.reverse();
                return path;
            }
            if stuck[child as usize] && !from.contains_key(&child) {
                from.insert(child, at);
                queue.push_back(child);
            }
        }
    }
    unreachable!("the dataset lies on a cycle")
}

/// `a → b → a`; a long cycle is shortened in its middle.
pub(super) fn shown(cycle: &[DatasetId]) -> String {
    let mut names: Vec<&str> = cycle.iter().map(DatasetId::as_str).collect();
    names.extend(names.first().copied());
    if names.len() <= 12 {
        return names.join(" → ");
    }
    format!(
        "{} → … {} more … → {}",
        names[..6].join(" → "),
        names.len() - 11,
        names[names.len() - 5..].join(" → ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{edges, id};
    use super::super::{Lineage, LineageError};

    #[track_caller]
    fn check_cycle(text: &str, message: &str) {
        let error = Lineage::new(edges(text)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_cycle_names_its_datasets_in_order() {
        check_cycle(
            "b -> c -> a -> b\nb -> z\ny -> a",
            "lineage has a cycle: a → b → c → a",
        );
        check_cycle("x -> y\nq -> q -> r", "lineage has a cycle: q → q");
    }

    #[test]
    fn of_two_cycles_through_a_dataset_the_shorter_is_named() {
        check_cycle(
            "a -> b -> c -> d -> e -> a\nc -> b",
            "lineage has a cycle: b → c → b",
        );
    }

    #[test]
    fn a_long_cycle_is_shortened_in_the_message_only() {
        let n = 1_000;
        let ring = (0..n).map(|i| (id(&format!("d{i:04}")), id(&format!("d{:04}", (i + 1) % n))));
        let LineageError::Cycle(cycle) = Lineage::new(ring).unwrap_err();
        assert_eq!(cycle.len(), n);
        assert!(LineageError::Cycle(cycle).to_string().contains("990 more"));
    }
}

//! What if the edges that somebody else told go in a circle?
//!
//! Jobs that are watched from outside read what they write: a graph of what was
//! seen need not be a lineage. Datasets that lie on circles with each other are
//! then taken for one step (a strongly connected component): told edges among
//! them count for nothing, and whatever one of them is made from, all are. So
//! whoever is late above the circle explains every dataset in it, and nothing in
//! it explains another. Edges that somebody vouches for stay.

use std::collections::BTreeSet;

use super::{Lineage, LineageError, Neighbours, numbered};
use crate::dataset::DatasetId;

/// From what it is made from to what is made.
type Edge = (DatasetId, DatasetId);

/// How told edges become a lineage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Straightened {
    /// Told edges within a circle, which count for nothing; sorted.
    pub left_out: Vec<Edge>,
    /// Edges from before a circle to everything in it; sorted.
    pub added: Vec<Edge>,
    /// The circles: the datasets of each by name, in the order of their first.
    pub circles: Vec<Vec<DatasetId>>,
}

/// Parents from before a circle that its datasets inherit, counted for each of them.
/// Past it each keeps its own: of a hundred thousand tables that all depend on each
/// other nobody learns what any waits for, and the edges would fill the memory.
const INHERITED_MAX: usize = 100_000;

/// Straightens `told` edges beside `firm` ones; an error if the firm ones alone
/// go in a circle. A dataset that is told to be made from itself is no circle:
/// the edge is left out. The order of the edges never shows.
pub fn straighten(firm: &[Edge], told: &[Edge]) -> Result<Straightened, LineageError> {
    Lineage::new(firm.iter().cloned())?;
    let firm_pairs: BTreeSet<&Edge> = firm.iter().collect();
    let (names, mut edges) = numbered(firm.iter().chain(told).cloned());
    edges.sort_unstable();
    edges.dedup();
    let children = Neighbours::of(names.len(), &edges);
    let component = components(&children);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); names.len()];
    for (dataset, &of) in component.iter().enumerate() {
        members[of as usize].push(dataset as u32);
    }
    let named = |(from, to): (u32, u32)| (names[from as usize].clone(), names[to as usize].clone());
    let mut straightened = Straightened::default();
    let mut added = BTreeSet::new();
    let mut n_above = vec![0_usize; names.len()];
    for &(from, to) in &edges {
        if component[from as usize] != component[to as usize] {
            n_above[component[to as usize] as usize] += 1;
        }
    }
    let inherits = |circle: usize| {
        let n = members[circle].len();
        n > 1 && n.saturating_mul(n_above[circle]) <= INHERITED_MAX
    };
    for &(from, to) in &edges {
        let (above, below) = (component[from as usize], component[to as usize]);
        if above == below {
            let edge = named((from, to));
            if !firm_pairs.contains(&edge) {
                straightened.left_out.push(edge);
            }
        } else if inherits(below as usize) {
            let beside = members[below as usize].iter();
            added.extend(beside.map(|&member| (from, member)));
        }
    }
    added.retain(|edge| edges.binary_search(edge).is_err());
    straightened.added = added.into_iter().map(named).collect();
    let mut circles: Vec<Vec<u32>> = members;
    circles.retain(|circle| circle.len() > 1);
    circles.sort_unstable();
    let by_name = |circle: Vec<u32>| circle.iter().map(|&i| names[i as usize].clone()).collect();
    straightened.circles = circles.into_iter().map(by_name).collect();
    Ok(straightened)
}

/// For each dataset the number of its strongly connected component, below the
/// number of datasets (Tarjan 1972, with a stack of its own, so that a long
/// chain cannot exhaust the program's).
fn components(children: &Neighbours) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let n = children.starts.len() - 1;
    let mut seen_as = vec![UNSEEN; n];
    let mut lowest = vec![0u32; n];
    let mut component = vec![UNSEEN; n];
    let mut open: Vec<u32> = Vec::new();
    let (mut n_seen, mut n_components) = (0, 0);
    for root in 0..n as u32 {
        if seen_as[root as usize] != UNSEEN {
            continue;
        }
        // A dataset, and how many of its children were followed.
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((at, followed)) = path.last_mut() {
            let dataset = *at as usize;
            if *followed == 0 {
                seen_as[dataset] = n_seen;
                lowest[dataset] = n_seen;
                n_seen += 1;
                open.push(dataset as u32);
            }
            if let Some(&child) = children.row(dataset).get(*followed) {
                *followed += 1;
                match seen_as[child as usize] {
                    UNSEEN => path.push((child, 0)),
                    seen if component[child as usize] == UNSEEN => {
                        lowest[dataset] = lowest[dataset].min(seen);
                    }
                    _ => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                let parent = parent as usize;
                lowest[parent] = lowest[parent].min(lowest[dataset]);
            }
            if lowest[dataset] == seen_as[dataset] {
                while let Some(member) = open.pop() {
                    component[member as usize] = n_components;
                    if member as usize == dataset {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(text: &str) -> Vec<Edge> {
        let edge = |pair: &str| {
            let (from, to) = pair.split_once('>').unwrap();
            let id = |name| DatasetId::try_from(name).unwrap();
            (id(from), id(to))
        };
        text.split_whitespace().map(edge).collect()
    }

    fn text(edges: &[Edge]) -> String {
        let pairs: Vec<String> = edges.iter().map(|(a, b)| format!("{a}>{b}")).collect();
        pairs.join(" ")
    }

    #[track_caller]
    fn check(firm: &str, told: &str, left_out: &str, added: &str) -> Straightened {
        let (firm, told) = (edges(firm), edges(told));
        let straight = straighten(&firm, &told).unwrap();
        assert_eq!(text(&straight.left_out), left_out);
        assert_eq!(text(&straight.added), added);
        let mut all: Vec<Edge> = [firm.clone(), told.clone(), straight.added.clone()].concat();
        all.retain(|edge| !straight.left_out.contains(edge));
        Lineage::new(all).unwrap();
        let backwards: Vec<Edge> = told.into_iter().rev().collect();
        assert_eq!(straighten(&firm, &backwards).unwrap(), straight);
        straight
    }

    #[test]
    fn a_graph_without_circles_stays_as_it_is() {
        let straight = check("a>b", "b>c a>c", "", "");
        assert!(straight.circles.is_empty());
    }

    #[test]
    fn what_a_circle_is_made_from_all_in_it_are() {
        let straight = check("", "raw>a a>b b>c c>a c>out", "a>b b>c c>a", "raw>b raw>c");
        assert_eq!(straight.circles.len(), 1);
    }

    #[test]
    fn one_circle_below_another_is_made_from_what_that_is_made_from_one_step_up() {
        check("", "a>b b>a b>c c>d d>c", "a>b b>a c>d d>c", "b>d");
    }

    #[test]
    fn what_reads_itself_is_no_circle() {
        let straight = check("", "a>a a>b", "a>a", "");
        assert!(straight.circles.is_empty());
    }

    #[test]
    fn edges_that_somebody_vouches_for_stay_in_a_circle() {
        check("a>b", "b>a raw>a", "b>a", "raw>b");
        let error = straighten(&edges("a>b b>a"), &[]).unwrap_err();
        assert!(matches!(error, LineageError::Cycle(_)));
    }

    #[test]
    fn a_circle_of_many_datasets_needs_no_deep_stack() {
        let id = |n: usize| DatasetId::try_from(format!("d{n}").as_str()).unwrap();
        const N: usize = 200_000;
        let told: Vec<Edge> = (0..N).map(|n| (id(n), id((n + 1) % N))).collect();
        let straight = straighten(&[], &told).unwrap();
        assert_eq!(straight.left_out.len(), N);
        assert_eq!(straight.circles[0].len(), N);
    }

    #[test]
    fn a_circle_of_many_below_many_inherits_nothing_and_is_straightened_at_once() {
        let id = |n: usize| DatasetId::try_from(format!("d{n}").as_str()).unwrap();
        const N: usize = 20_000;
        let circle = (0..N).map(|n| (id(n), id((n + 1) % N)));
        let above = (0..N).map(|n| (id(N + n), id(0)));
        let straight = straighten(&[], &circle.chain(above).collect::<Vec<_>>()).unwrap();
        assert_eq!((straight.left_out.len(), straight.added.len()), (N, 0));
        assert_eq!(straight.circles.len(), 1);
    }
}

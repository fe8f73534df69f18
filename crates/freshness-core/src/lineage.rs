//! What is made from what?
//!
//! Datasets and the edges from each to what is made from it: a graph without
//! cycles, checked once when it is built. Datasets are numbered in the order of
//! their names and neighbours kept in two flat arrays (compressed sparse rows),
//! so a warehouse of 100,000 datasets costs a few megabytes, and the order of
//! the edges in the input never shows.

mod circles;
mod cycle;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::dataset::DatasetId;

pub use circles::{Straightened, straighten};
use cycle::{short_cycle, shown};

/// Who is made from whom, without cycles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    /// Sorted; a dataset's place here is its index everywhere below.
    names: Vec<DatasetId>,
    children: Neighbours,
    parents: Neighbours,
    /// Indices, parents before children.
    order: Vec<u32>,
}

/// The edges are not a lineage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineageError {
    /// Each of these datasets is made from the one before it, and the first
    /// from the last. One dataset: it is made from itself.
    #[error("lineage has a cycle: {}", shown(.0))]
    Cycle(Vec<DatasetId>),
}

/// Rows of neighbours, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Neighbours {
    /// Row `i` is `flat[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    flat: Vec<u32>,
}

impl Default for Lineage {
    fn default() -> Lineage {
        Lineage {
            names: Vec::new(),
            children: Neighbours::of(0, &[]),
            parents: Neighbours::of(0, &[]),
            order: Vec::new(),
        }
    }
}

impl Lineage {
    /// A lineage from its edges `(upstream, downstream)`; an edge given twice
    /// is one edge.
    pub fn new(
        edges: impl IntoIterator<Item = (DatasetId, DatasetId)>,
    ) -> Result<Lineage, LineageError> {
        let (names, mut edges) = numbered(edges);
        edges.sort_unstable();
        edges.dedup();
        let children = Neighbours::of(names.len(), &edges);
        for edge in &mut edges {
            *edge = (edge.1, edge.0);
        }
        edges.sort_unstable();
        let parents = Neighbours::of(names.len(), &edges);
        let order = topological(&children, &parents);
        if order.len() < names.len() {
            let cycle = short_cycle(&children, &parents, &order);
            let named = |i: u32| names[i as usize].clone();
            return Err(LineageError::Cycle(cycle.into_iter().map(named).collect()));
        }
        Ok(Lineage {
            names,
            children,
            parents,
            order,
        })
    }

    /// Every dataset that has an edge, by name. The place of a dataset in this
    /// slice is its index in the methods that speak of indices.
    pub fn datasets(&self) -> &[DatasetId] {
        &self.names
    }

    /// The index of a dataset; `None` if it has no edge.
    pub fn index(&self, id: &str) -> Option<usize> {
        self.names
            .binary_search_by(|name| name.as_str().cmp(id))
            .ok()
    }

    /// Every edge once: by upstream, then by downstream name.
    pub fn edges(&self) -> impl Iterator<Item = (&DatasetId, &DatasetId)> {
        (0..self.names.len()).flat_map(move |i| {
            self.named(self.children.row(i))
                .map(move |child| (&self.names[i], child))
        })
    }

    /// The number of edges.
    pub fn n_edges(&self) -> usize {
        self.children.flat.len()
    }

    /// What the dataset is made from directly, by name.
    pub fn parents<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a DatasetId> + use<'a> {
        self.named(self.index(id).map_or(&[], |i| self.parents.row(i)))
    }

    /// What is made from the dataset directly, by name.
    pub fn children<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a DatasetId> + use<'a> {
        self.named(self.index(id).map_or(&[], |i| self.children.row(i)))
    }

    /// Everything the dataset is made from, and over how many edges at least:
    /// nearest first, then by name.
    pub fn ancestors(&self, id: &str) -> Vec<(&DatasetId, u32)> {
        self.reached(id, &self.parents)
    }

    /// Everything made from the dataset, and over how many edges at least:
    /// nearest first, then by name.
    pub fn descendants(&self, id: &str) -> Vec<(&DatasetId, u32)> {
        self.reached(id, &self.children)
    }

    /// Every dataset, parents before children; of those free to come next,
    /// the first by name.
    pub fn topological(&self) -> impl Iterator<Item = &DatasetId> {
        self.named(&self.order)
    }

    /// The places of `ids` in generations: each dataset stands in a later one
    /// than all it is made from; those without lineage in the first.
    pub fn generations(&self, ids: &[&DatasetId]) -> Vec<Vec<usize>> {
        let mut depth = vec![0usize; self.datasets().len()];
        for &i in &self.order {
            let parents = self.parent_indices(i as usize).iter();
            let below = parents.map(|&parent| depth[parent as usize] + 1).max();
            depth[i as usize] = below.unwrap_or(0);
        }
        let mut generations = Vec::new();
        for (place, id) in ids.iter().enumerate() {
            let depth = self.index(id.as_str()).map_or(0, |i| depth[i]);
            if generations.len() <= depth {
                generations.resize_with(depth + 1, Vec::new);
            }
            generations[depth].push(place);
        }
        generations
    }

    /// [`Lineage::topological`] as indices.
    pub fn topological_indices(&self) -> &[u32] {
        &self.order
    }

    /// Indices of the parents of the dataset with index `i`, ascending.
    pub fn parent_indices(&self, i: usize) -> &[u32] {
        self.parents.row(i)
    }

    /// Numbers of the edges that lead to the dataset with index `i`, in the
    /// order of [`Lineage::parent_indices`]; each edge has one below
    /// [`Lineage::n_edges`].
    pub fn parent_edges(&self, i: usize) -> std::ops::Range<usize> {
        self.parents.starts[i] as usize..self.parents.starts[i + 1] as usize
    }

    /// Indices of the children of the dataset with index `i`, ascending.
    pub fn child_indices(&self, i: usize) -> &[u32] {
        self.children.row(i)
    }

    fn named<'a>(&'a self, indices: &'a [u32]) -> impl Iterator<Item = &'a DatasetId> {
        indices.iter().map(|&i| &self.names[i as usize])
    }

    fn reached(&self, id: &str, neighbours: &Neighbours) -> Vec<(&DatasetId, u32)> {
        let Some(start) = self.index(id) else {
            return Vec::new();
        };
        let mut seen = vec![false; self.names.len()];
        seen[start] = true;
        let mut reached = Vec::new();
        let mut level = vec![start as u32];
        let mut hops = 0;
        while !level.is_empty() {
            hops += 1;
            let mut next = Vec::new();
            for &from in &level {
                for &to in neighbours.row(from as usize) {
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        next.push(to);
                    }
                }
            }
            next.sort_unstable();
            reached.extend(next.iter().map(|&i| (&self.names[i as usize], hops)));
            level = next;
        }
        reached
    }
}

impl Neighbours {
    /// Rows of `n` datasets from edges sorted by their first end.
    fn of(n: usize, edges: &[(u32, u32)]) -> Neighbours {
        let mut starts = vec![0; n + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        Neighbours {
            starts,
            flat: edges.iter().map(|&(_, to)| to).collect(),
        }
    }

    fn row(&self, i: usize) -> &[u32] {
        &self.flat[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// The names in order, and the edges between their places.
fn numbered(
    edges: impl IntoIterator<Item = (DatasetId, DatasetId)>,
) -> (Vec<DatasetId>, Vec<(u32, u32)>) {
    // Numbered as they come, then renumbered by name; the map is only looked
    // up, never walked, so its order cannot show.
    let mut numbers: HashMap<DatasetId, u32> = HashMap::new();
    let mut names: Vec<DatasetId> = Vec::new();
    let mut number = |id: DatasetId| {
        *numbers.entry(id).or_insert_with_key(|id| {
            names.push(id.clone());
            u32::try_from(names.len() - 1).expect("fewer than 2^32 datasets")
        })
    };
    let mut edges: Vec<(u32, u32)> = edges
        .into_iter()
        .map(|(upstream, downstream)| (number(upstream), number(downstream)))
        .collect();
    let mut by_name: Vec<u32> = (0..names.len() as u32).collect();
    by_name.sort_unstable_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
    let mut place = vec![0; names.len()];
    for (new, &old) in by_name.iter().enumerate() {
        place[old as usize] = new as u32;
    }
    for edge in &mut edges {
        *edge = (place[edge.0 as usize], place[edge.1 as usize]);
    }
    names.sort_unstable();
    (names, edges)
}

/// Kahn's algorithm with a heap, so that ties go by name. Datasets on or below
/// a cycle are left out.
fn topological(children: &Neighbours, parents: &Neighbours) -> Vec<u32> {
    let n = children.starts.len() - 1;
    let mut waiting: Vec<usize> = (0..n).map(|i| parents.row(i).len()).collect();
    let mut free: BinaryHeap<Reverse<u32>> = (0..n as u32)
        .filter(|&i| waiting[i as usize] == 0)
        .map(Reverse)
        .collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse(i)) = free.pop() {
        order.push(i);
        for &child in children.row(i as usize) {
            waiting[child as usize] -= 1;
            if waiting[child as usize] == 0 {
                free.push(Reverse(child));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(super) fn id(name: &str) -> DatasetId {
        DatasetId::try_from(name).unwrap()
    }

    /// Lines of `a -> b -> c`.
    pub(super) fn edges(text: &str) -> Vec<(DatasetId, DatasetId)> {
        text.lines()
            .flat_map(|line| {
                let names: Vec<&str> = line.split("->").map(str::trim).collect();
                names
                    .windows(2)
                    .map(|pair| (id(pair[0]), id(pair[1])))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    fn hops(reached: &[(&DatasetId, u32)]) -> String {
        let shown = reached.iter().map(|(id, hops)| format!("{id} {hops}"));
        shown.collect::<Vec<_>>().join(", ")
    }

    fn names<'a>(ids: impl Iterator<Item = &'a DatasetId>) -> String {
        ids.map(DatasetId::as_str).collect::<Vec<_>>().join(" ")
    }

    const SHOP: &str = "raw_orders -> stg_orders -> fct_orders -> revenue
                        raw_users -> stg_users -> fct_orders
                        raw_orders -> revenue";

    #[test]
    fn hops_count_the_shortest_way() {
        let shop = Lineage::new(edges(SHOP)).unwrap();
        assert_eq!(
            hops(&shop.ancestors("revenue")),
            "fct_orders 1, raw_orders 1, stg_orders 2, stg_users 2, raw_users 3"
        );
        assert_eq!(
            hops(&shop.descendants("raw_orders")),
            "revenue 1, stg_orders 1, fct_orders 2"
        );
        assert_eq!(names(shop.parents("fct_orders")), "stg_orders stg_users");
        assert_eq!(names(shop.children("raw_orders")), "revenue stg_orders");
        assert_eq!(hops(&shop.ancestors("nowhere")), "");
    }

    #[test]
    fn parents_come_before_children_and_ties_go_by_name() {
        let shop = Lineage::new(edges(SHOP)).unwrap();
        assert_eq!(
            names(shop.topological()),
            "raw_orders raw_users stg_orders stg_users fct_orders revenue"
        );
    }

    #[test]
    fn an_edge_given_twice_is_one_edge() {
        let twice = Lineage::new(edges("a -> b\na -> b")).unwrap();
        assert_eq!(twice.n_edges(), 1);
        assert_eq!(names(twice.children("a")), "b");
    }

    #[test]
    fn no_edges_are_a_lineage() {
        assert_eq!(Lineage::new([]).unwrap(), Lineage::default());
    }

    #[test]
    fn a_large_warehouse_has_every_dataset_in_order() {
        let n = 100_000_u64;
        let name = |i: u64| id(&format!("dataset_{i}"));
        let ids: Vec<DatasetId> = (0..n).map(name).collect();
        let edges = (0..5 * n).map(|k| {
            // 7,919 is prime to n, so it scatters the upstreams.
            let upstream = k * 7_919 % (n - 100);
            let downstream = upstream + 1 + k / n * 13;
            (
                ids[upstream as usize].clone(),
                ids[downstream as usize].clone(),
            )
        });
        let lineage = Lineage::new(edges).unwrap();
        assert!(lineage.n_edges() > 400_000);
        assert_eq!(lineage.topological().count(), lineage.datasets().len());
    }

    proptest! {
        #[test]
        fn any_edges_are_a_lineage_or_have_a_cycle_of_them(
            pairs in proptest::collection::vec((0u8..12, 0u8..12), 0..30)
        ) {
            let name = |i: u8| id(&format!("d{i:02}"));
            let given: Vec<_> = pairs.iter().map(|&(a, b)| (name(a), name(b))).collect();
            match Lineage::new(given.clone()) {
                Ok(lineage) => {
                    let place = |id: &DatasetId| {
                        lineage.topological().position(|other| other == id).unwrap()
                    };
                    for (upstream, downstream) in &given {
                        prop_assert!(place(upstream) < place(downstream));
                        prop_assert!(lineage.descendants(upstream.as_str())
                            .contains(&(downstream, 1)));
                        prop_assert!(lineage.ancestors(downstream.as_str())
                            .contains(&(upstream, 1)));
                    }
                    let mut once = given;
                    once.sort();
                    once.dedup();
                    let edges: Vec<_> =
                        lineage.edges().map(|(a, b)| (a.clone(), b.clone())).collect();
                    prop_assert_eq!(edges, once);
                }
                Err(LineageError::Cycle(cycle)) => {
                    for i in 0..cycle.len() {
                        let next = &cycle[(i + 1) % cycle.len()];
                        prop_assert!(given.contains(&(cycle[i].clone(), next.clone())));
                    }
                }
            }
        }

        #[test]
        fn the_order_of_the_edges_never_shows(
            pairs in proptest::collection::vec((0u8..12, 0u8..12), 0..30)
        ) {
            let name = |i: u8| id(&format!("d{i:02}"));
            let forward = pairs.iter().map(|&(a, b)| (name(a), name(b)));
            let backward = pairs.iter().rev().map(|&(a, b)| (name(a), name(b)));
            prop_assert_eq!(Lineage::new(forward), Lineage::new(backward));
        }
    }
}

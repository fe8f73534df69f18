//! What is made from what, if only datasets count?
//!
//! Between datasets dbt has things that are never stored: ephemeral models,
//! metrics, semantic models. An edge goes through them. Tests and exposures
//! are ends and no part of it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use freshness_core::dataset::DatasetId;
use freshness_core::lineage::{Lineage, LineageError};

use super::fault::Fault;

/// A project of 100,000 nodes has half a million edges; layers of ephemeral
/// models could make billions of a file of a few MiB.
const EDGES_MAX: usize = 2_000_000;

/// Nodes by unique id, each with what it is made from.
#[derive(Default)]
pub(super) struct Graph<'a> {
    ids: Vec<&'a str>,
    index: HashMap<&'a str, usize>,
    is_dataset: Vec<bool>,
    parents: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    pub(super) fn node(&mut self, id: &'a str, is_dataset: bool) {
        if let Entry::Vacant(free) = self.index.entry(id) {
            free.insert(self.ids.len());
            self.ids.push(id);
            self.is_dataset.push(is_dataset);
            self.parents.push(Vec::new());
        }
    }

    /// Says what a node is made from; what is not a node is passed over.
    pub(super) fn made_from<'b>(&mut self, id: &str, parents: impl Iterator<Item = &'b str>) {
        let Some(&child) = self.index.get(id) else {
            return;
        };
        let known = parents.filter_map(|parent| self.index.get(parent).copied());
        self.parents[child].extend(known);
    }

    /// For each node the datasets that it is made from, through all that is none.
    pub(super) fn through(mut self) -> Result<Through<'a>, Fault> {
        for parents in &mut self.parents {
            parents.sort_unstable();
            parents.dedup();
        }
        let order = self.order()?;
        let mut datasets: Vec<Vec<usize>> = vec![Vec::new(); self.ids.len()];
        let mut n_edges = 0;
        for child in order {
            let mut of: Vec<usize> = Vec::new();
            for &parent in &self.parents[child] {
                match self.is_dataset[parent] {
                    true => of.push(parent),
                    false => of.extend(&datasets[parent]),
                }
                if of.len() > EDGES_MAX {
                    return Err(Fault::Edges(EDGES_MAX));
                }
            }
            of.sort_unstable();
            of.dedup();
            n_edges += of.len();
            if n_edges > EDGES_MAX {
                return Err(Fault::Edges(EDGES_MAX));
            }
            datasets[child] = of;
        }
        Ok(Through {
            ids: self.ids,
            index: self.index,
            datasets,
        })
    }

    /// Every node, parents first; an error names a circle.
    fn order(&self) -> Result<Vec<usize>, Fault> {
        let n = self.ids.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut n_awaited: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        for (child, parents) in self.parents.iter().enumerate() {
            for &parent in parents {
                children[parent].push(child);
            }
        }
        let mut order: Vec<usize> = (0..n).filter(|&i| n_awaited[i] == 0).collect();
        let mut next = 0;
        while let Some(&parent) = order.get(next) {
            next += 1;
            for &child in &children[parent] {
                n_awaited[child] -= 1;
                if n_awaited[child] == 0 {
                    order.push(child);
                }
            }
        }
        match order.len() == n {
            true => Ok(order),
            false => Err(self.circle(&n_awaited)),
        }
    }

    /// A short circle among the nodes that still wait for another.
    fn circle(&self, n_awaited: &[usize]) -> Fault {
        let id = |i: usize| DatasetId::try_from(self.ids[i]).ok();
        let waiting = (0..self.ids.len()).filter(|&i| n_awaited[i] > 0);
        let edges = waiting.flat_map(|child| {
            let parents = self.parents[child].iter();
            parents.filter_map(move |&parent| Some((id(parent)?, id(child)?)))
        });
        match Lineage::new(edges) {
            Err(error) => Fault::Lineage(error),
            // Only ids that name nothing: as much is known, and no more.
            Ok(_) => Fault::Lineage(LineageError::Cycle(Vec::new())),
        }
    }
}

/// The datasets behind each node.
pub(super) struct Through<'a> {
    ids: Vec<&'a str>,
    index: HashMap<&'a str, usize>,
    datasets: Vec<Vec<usize>>,
}

impl<'a> Through<'a> {
    /// The datasets that a node is made from, by unique id.
    pub(super) fn of(&self, id: &str) -> impl Iterator<Item = &'a str> {
        let parents = self.index.get(id).map(|&i| self.datasets[i].as_slice());
        parents.unwrap_or_default().iter().map(|&i| self.ids[i])
    }
}

//! Which dataset is made from which?
//!
//! The store keeps edges and judges none: whoever imports them says, inside
//! the transaction and over all edges, whether the whole still holds.

use std::collections::HashSet;

use freshness_core::dataset::DatasetId;

use crate::datasets::{dataset_id, number};
use crate::error::{Fault, StoreError};
use crate::store::Store;

/// One dataset is made from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineageEdge {
    /// What it is made from.
    pub upstream: DatasetId,
    /// What is made.
    pub downstream: DatasetId,
}

/// What becomes of the edges that are stored already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineageMode {
    /// They stay.
    Add,
    /// They go: the new ones are all there are.
    Replace,
}

/// What an import of lineage did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineageCounts {
    /// Edges not known before.
    pub new: u64,
    /// Edges known before, or given twice.
    pub duplicate: u64,
    /// Edges that went.
    pub removed: u64,
    /// Datasets first named by an edge.
    pub datasets_new: u64,
    /// The first few of them.
    pub datasets_named: Vec<DatasetId>,
}

/// So many are named.
const NAMED: usize = 5;

impl Store {
    /// Stores edges. `validate` sees all edges as they would stand, sorted;
    /// if it refuses them, nothing is stored.
    pub fn import_lineage<E: From<StoreError>>(
        &mut self,
        edges: &[LineageEdge],
        mode: LineageMode,
        validate: impl FnOnce(&[LineageEdge]) -> Result<(), E>,
    ) -> Result<LineageCounts, E> {
        let stored = self.write(|transaction| {
            let before: HashSet<LineageEdge> = read_edges(transaction)?.into_iter().collect();
            let mut after: Vec<LineageEdge> = edges.to_vec();
            if mode == LineageMode::Add {
                after.extend(before.iter().cloned());
            }
            after.sort_unstable();
            after.dedup();
            // Nothing is written yet, so there is nothing to take back.
            if let Err(refused) = validate(&after) {
                return Ok(Err(refused));
            }
            let mut counts = LineageCounts::default();
            if mode == LineageMode::Replace {
                transaction.execute("DELETE FROM lineage", [])?;
                let kept = after.iter().filter(|edge| before.contains(edge)).count();
                counts.removed = (before.len() - kept) as u64;
            }
            let mut insert =
                transaction.prepare("INSERT OR IGNORE INTO lineage VALUES (?1, ?2)")?;
            for edge in &after {
                let mut numbered = |id: &DatasetId| {
                    let (no, is_new) = number(transaction, id)?;
                    counts.datasets_new += u64::from(is_new);
                    if is_new && counts.datasets_named.len() < NAMED {
                        counts.datasets_named.push(id.clone());
                    }
                    Ok::<_, Fault>(no.0)
                };
                let ends = [numbered(&edge.upstream)?, numbered(&edge.downstream)?];
                insert.execute(ends)?;
                counts.new += u64::from(!before.contains(edge));
            }
            counts.duplicate = edges.len() as u64 - counts.new;
            Ok(Ok(counts))
        });
        stored?
    }

    /// All edges, sorted.
    pub fn lineage(&self) -> Result<Vec<LineageEdge>, StoreError> {
        self.explain(|| read_edges(&self.connection))
    }
}

fn read_edges(connection: &rusqlite::Connection) -> Result<Vec<LineageEdge>, Fault> {
    let mut all = connection.prepare_cached(
        "SELECT u.id, d.id FROM lineage
         JOIN datasets u ON u.no = upstream JOIN datasets d ON d.no = downstream
         ORDER BY u.id, d.id",
    )?;
    let edges = all.query_map([], |row| {
        Ok(LineageEdge {
            upstream: dataset_id(row, 0)?,
            downstream: dataset_id(row, 1)?,
        })
    })?;
    Ok(edges.collect::<Result<_, _>>()?)
}

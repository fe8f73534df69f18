//! Which dataset is made from which?
//!
//! The store keeps edges and judges none: whoever imports them says, inside
//! the transaction and over all edges, whether the whole still holds, and how
//! circles are straightened that others told.

use std::collections::HashSet;

use freshness_core::dataset::DatasetId;
use rusqlite::{Connection, Transaction};

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

/// How edges that other tools told in passing, and that go in a circle, are
/// straightened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StraightEdges {
    /// Told edges that count for nothing.
    pub left_out: Vec<LineageEdge>,
    /// Edges that stand for them.
    pub added: Vec<LineageEdge>,
}

/// So many are named.
const NAMED: usize = 5;

impl Store {
    /// Stores edges. `straighten` sees the edges that somebody vouches for, as
    /// they would stand, and those that other tools told in passing, both sorted;
    /// if it refuses them, nothing is stored.
    pub fn import_lineage<E: From<StoreError>>(
        &mut self,
        edges: &[LineageEdge],
        mode: LineageMode,
        straighten: impl FnOnce(&[LineageEdge], &[LineageEdge]) -> Result<StraightEdges, E>,
    ) -> Result<LineageCounts, E> {
        let stored = self.write(|transaction| {
            let before: HashSet<LineageEdge> = own_edges(transaction)?.into_iter().collect();
            let mut after: Vec<LineageEdge> = edges.to_vec();
            if mode == LineageMode::Add {
                after.extend(before.iter().cloned());
            }
            after.sort_unstable();
            after.dedup();
            let (firm, loose) = beside_told(transaction, after.clone())?;
            // Nothing is written yet, so there is nothing to take back.
            let straight = match straighten(&firm, &loose) {
                Ok(straight) => straight,
                Err(refused) => return Ok(Err(refused)),
            };
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
            keep_straight(transaction, &straight)?;
            counts.duplicate = edges.len() as u64 - counts.new;
            Ok(Ok(counts))
        });
        stored?
    }

    /// All edges that count, sorted: the user's and those told, without circles.
    pub fn lineage(&self) -> Result<Vec<LineageEdge>, StoreError> {
        self.explain(|| read_edges(&self.connection, "edges"))
    }
}

/// The edges that the user imported, sorted.
pub(crate) fn own_edges(connection: &Connection) -> Result<Vec<LineageEdge>, Fault> {
    read_edges(connection, "lineage")
}

/// Edges that somebody vouches for, `own` among them, and those that were told in
/// passing; sorted.
pub(crate) fn beside_told(
    connection: &Connection,
    own: Vec<LineageEdge>,
) -> Result<(Vec<LineageEdge>, Vec<LineageEdge>), Fault> {
    let mut firm = own;
    firm.extend(read_edges(connection, "edges_told WHERE is_firm = 1")?);
    firm.sort_unstable();
    firm.dedup();
    let mut loose = read_edges(connection, "edges_told WHERE is_firm = 0")?;
    loose.dedup();
    loose.retain(|edge| firm.binary_search(edge).is_err());
    Ok((firm, loose))
}

/// Keeps how circles are straightened, in place of how they were.
pub(crate) fn keep_straight(
    transaction: &Transaction<'_>,
    straight: &StraightEdges,
) -> Result<(), Fault> {
    transaction.execute("DELETE FROM circle_edges", [])?;
    let mut keep = transaction.prepare_cached("INSERT INTO circle_edges VALUES (?1, ?2, ?3)")?;
    for (edges, is_added) in [(&straight.left_out, false), (&straight.added, true)] {
        for edge in edges {
            let (upstream, _) = number(transaction, &edge.upstream)?;
            let (downstream, _) = number(transaction, &edge.downstream)?;
            keep.execute((upstream.0, downstream.0, is_added))?;
        }
    }
    Ok(())
}

/// The edges of a table or view, sorted by name.
fn read_edges(connection: &Connection, from: &str) -> Result<Vec<LineageEdge>, Fault> {
    let mut all = connection.prepare_cached(&format!(
        "SELECT u.id, d.id FROM (SELECT upstream, downstream FROM {from})
         JOIN datasets u ON u.no = upstream JOIN datasets d ON d.no = downstream
         ORDER BY u.id, d.id"
    ))?;
    let edges = all.query_map([], |row| {
        Ok(LineageEdge {
            upstream: dataset_id(row, 0)?,
            downstream: dataset_id(row, 1)?,
        })
    })?;
    Ok(edges.collect::<Result<_, _>>()?)
}

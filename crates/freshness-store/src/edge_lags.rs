//! How long after its parent does a dataset come, as the last fit learned?

use freshness_core::dataset::DatasetId;
use freshness_core::incidents::EdgeLag;
use rusqlite::Transaction;

use crate::datasets::{DatasetNo, dataset_id};
use crate::error::{Fault, StoreError};
use crate::store::Store;

/// An edge of the lineage by the numbers of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberedEdge {
    /// What it is made from.
    pub upstream: DatasetNo,
    /// What is made.
    pub downstream: DatasetNo,
}

impl Store {
    /// All edges of the lineage, by number of the downstream dataset, then of
    /// the upstream one.
    pub fn numbered_lineage(&self) -> Result<Vec<NumberedEdge>, StoreError> {
        self.explain(|| {
            let mut all = self
                .connection
                .prepare_cached("SELECT upstream, downstream FROM edges")?;
            let edges = all.query_map([], |row| {
                Ok(NumberedEdge {
                    upstream: DatasetNo(row.get(0)?),
                    downstream: DatasetNo(row.get(1)?),
                })
            })?;
            let mut edges = edges.collect::<Result<Vec<_>, _>>()?;
            edges.sort_unstable_by_key(|edge| (edge.downstream, edge.upstream));
            Ok(edges)
        })
    }

    /// The learned lags, by upstream and downstream name.
    pub fn edge_lags(&self) -> Result<Vec<(DatasetId, DatasetId, EdgeLag)>, StoreError> {
        self.explain(|| {
            let mut all = self.connection.prepare_cached(
                "SELECT u.id, d.id, n, p10, p50, p90, n_held, wait_from, wait_to, abnormal,
                     parent_period
                 FROM edge_lags
                 JOIN datasets u ON u.no = upstream JOIN datasets d ON d.no = downstream
                 ORDER BY u.id, d.id",
            )?;
            let lags = all.query_map([], |row| {
                Ok((dataset_id(row, 0)?, dataset_id(row, 1)?, lag(row, 2)?))
            })?;
            Ok(lags.collect::<Result<_, _>>()?)
        })
    }

    /// The learned lag of one edge.
    pub fn edge_lag(&self, edge: NumberedEdge) -> Result<Option<EdgeLag>, StoreError> {
        self.explain(|| {
            let mut one = self.connection.prepare_cached(
                "SELECT n, p10, p50, p90, n_held, wait_from, wait_to, abnormal, parent_period
                 FROM edge_lags WHERE upstream = ?1 AND downstream = ?2",
            )?;
            let mut rows = one.query([edge.upstream.0, edge.downstream.0])?;
            let found = rows.next()?.map(|row| lag(row, 0)).transpose();
            Ok(found?)
        })
    }
}

fn lag(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<EdgeLag> {
    Ok(EdgeLag {
        n: row.get(from)?,
        p10: row.get(from + 1)?,
        p50: row.get(from + 2)?,
        p90: row.get(from + 3)?,
        n_held: row.get(from + 4)?,
        wait_from: row.get(from + 5)?,
        wait_to: row.get(from + 6)?,
        abnormal: row.get(from + 7)?,
        parent_period: row.get(from + 8)?,
    })
}

/// Replaces all lags: a fit learns every edge anew.
pub(crate) fn write_edge_lags(
    transaction: &Transaction<'_>,
    fit_run: i64,
    lags: &[(NumberedEdge, EdgeLag)],
) -> Result<(), Fault> {
    transaction.execute("DELETE FROM edge_lags", [])?;
    let mut insert = transaction.prepare(
        "INSERT INTO edge_lags VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    for (edge, lag) in lags {
        let EdgeLag {
            n,
            p10,
            p50,
            p90,
            n_held,
            wait_from,
            wait_to,
            abnormal,
            parent_period,
        } = lag;
        insert.execute((
            edge.upstream.0,
            edge.downstream.0,
            fit_run,
            n,
            p10,
            p50,
            p90,
            n_held,
            wait_from,
            wait_to,
            abnormal,
            parent_period,
        ))?;
    }
    Ok(())
}

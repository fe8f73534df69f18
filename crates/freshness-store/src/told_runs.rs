//! Which runs may be told further, and what was told of them so far?
//!
//! A tool may tell of a run in parts, which are imported one after the other and in
//! any order. What is known of it is kept in the tool's own words, so that the next
//! part is understood together with it. Of what followed from the parts before some
//! may not hold any more: that is withdrawn.

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory, CycleName};
use freshness_core::dataset::DatasetId;
use rusqlite::{OptionalExtension, Transaction};

use crate::chunk;
use crate::datasets::DatasetNo;
use crate::error::{Fault, StoreError};
use crate::history::{SECOND_BITS, first_key, key, last_key, unpack};
use crate::import::chunks_between;
use crate::store::Store;

/// Bytes of words that are kept of all runs: about fifty thousand of them.
const BYTES_MAX: i64 = 16 << 20;

/// What is known of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSoFar {
    /// What it is called.
    pub run_id: String,
    /// Are both its beginning and its end told? Then little more will come.
    pub is_whole: bool,
    /// What was told, in the tool's own words.
    pub told: String,
}

/// An arrival that followed from less than is known now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithdrawnArrival {
    /// Of what.
    pub dataset: DatasetId,
    /// UTC seconds.
    pub at: i64,
    /// For which cycle it was.
    pub cycle: Option<CycleName>,
    /// The run that brought it.
    pub run_id: String,
}

/// What is known of the runs of a tool, to be kept with what follows from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunsSoFar {
    /// The tool.
    pub tool: &'static str,
    /// What is known now of runs that may be told further.
    pub runs: Vec<RunSoFar>,
    /// Arrivals that do not hold any more.
    pub arrivals_withdrawn: Vec<WithdrawnArrival>,
    /// Measurements that do not: dataset, environment, run.
    pub runs_withdrawn: Vec<(DatasetId, String, String)>,
}

impl Store {
    /// Was every arrival of a dataset withdrawn, and has none come since? Then there is
    /// nothing to judge, and nothing is lost.
    pub fn is_emptied(&self, no: DatasetNo) -> Result<bool, StoreError> {
        self.explain(|| {
            let mut find = self
                .connection
                .prepare_cached("SELECT 1 FROM emptied WHERE dataset_no = ?1")?;
            Ok(find.exists([no.0])?)
        })
    }
}

/// The runs of a tool of which earlier imports told.
pub(crate) fn known(transaction: &Transaction<'_>, tool: &str) -> Result<Vec<RunSoFar>, Fault> {
    let mut all = transaction.prepare_cached(
        "SELECT run_id, is_whole, told FROM told_runs WHERE tool = ?1 ORDER BY run_id",
    )?;
    let runs = all.query_map([tool], |row| {
        Ok(RunSoFar {
            run_id: row.get(0)?,
            is_whole: row.get(1)?,
            told: row.get(2)?,
        })
    })?;
    Ok(runs.collect::<Result<_, _>>()?)
}

/// Keeps what is known, and withdraws what does not hold any more.
pub(crate) fn keep(transaction: &Transaction<'_>, so_far: &RunsSoFar) -> Result<(), Fault> {
    let RunsSoFar {
        tool,
        runs,
        arrivals_withdrawn,
        runs_withdrawn,
    } = so_far;
    let mut find = transaction.prepare_cached("SELECT no FROM datasets WHERE id = ?1")?;
    let mut no_of = |dataset: &DatasetId| -> Result<Option<DatasetNo>, Fault> {
        let no = find.query_row([dataset.as_str()], |row| row.get(0));
        Ok(no.optional()?.map(DatasetNo))
    };
    for same in arrivals_withdrawn.chunk_by(|a, b| a.dataset == b.dataset) {
        if let Some(no) = no_of(&same[0].dataset)? {
            withdraw_arrivals(transaction, no, same)?;
        }
    }
    let mut forget = transaction.prepare_cached(
        "DELETE FROM runs WHERE dataset_no = ?1 AND run_id = ?3
         AND environment_no = (SELECT no FROM environments WHERE name = ?2)",
    )?;
    for (dataset, environment, run_id) in runs_withdrawn {
        if let Some(no) = no_of(dataset)? {
            forget.execute((no.0, environment, run_id))?;
        }
    }
    let mut tell = transaction.prepare_cached(
        "INSERT INTO told_runs (tool, run_id, is_whole, told_in, bytes, told)
         VALUES (?1, ?2, ?3, (SELECT n FROM generation), ?4, ?5)
         ON CONFLICT DO UPDATE SET is_whole = excluded.is_whole, told_in = excluded.told_in,
             bytes = excluded.bytes, told = excluded.told
         WHERE told <> excluded.told OR is_whole <> excluded.is_whole",
    )?;
    let mut n_told = 0;
    for run in runs {
        let bytes = (run.run_id.len() + run.told.len()) as i64;
        n_told += tell.execute((tool, &run.run_id, run.is_whole, bytes, &run.told))?;
    }
    if n_told > 0 {
        transaction
            .prepare_cached(
                "DELETE FROM told_runs WHERE (tool, run_id) IN (
                     SELECT tool, run_id FROM (
                         SELECT tool, run_id, sum(bytes) OVER (
                             ORDER BY is_whole, told_in DESC, tool, run_id) AS total
                         FROM told_runs)
                     WHERE total > ?1)",
            )?
            .execute([BYTES_MAX])?;
    }
    Ok(())
}

/// Takes out arrivals of one dataset. One that is not there, or lies in a damaged
/// chunk, is left as it is.
fn withdraw_arrivals(
    transaction: &Transaction<'_>,
    no: DatasetNo,
    withdrawn: &[WithdrawnArrival],
) -> Result<(), Fault> {
    let possible = |gone: &&WithdrawnArrival| gone.at >= 0 && gone.at >> SECOND_BITS == 0;
    let mut n_withdrawn = 0;
    for gone in withdrawn.iter().filter(possible) {
        // A second is never cut in two, so it is in one chunk.
        let chunks = chunks_between(transaction, no, gone.at, gone.at)?;
        let Some((old_key, packed)) = chunks.into_iter().next() else {
            continue;
        };
        let Ok(old) = unpack(&packed, old_key) else {
            continue;
        };
        let (at, details) = old.columns();
        let all = at.iter().enumerate().map(|(i, &at)| Arrival {
            at,
            detail: details.get(i).cloned().unwrap_or(ArrivalDetail::default()),
        });
        let stay: Vec<Arrival> = all
            .filter(|Arrival { at, detail }| {
                let is_run = detail.run_id.as_deref() == Some(gone.run_id.as_str());
                !(*at == gone.at && detail.cycle == gone.cycle && is_run)
            })
            .collect();
        if stay.len() == old.len() {
            continue;
        }
        transaction
            .prepare_cached("DELETE FROM chunks WHERE key = ?1")?
            .execute([old_key])?;
        n_withdrawn += old.len() - stay.len();
        let stay = ArrivalHistory::new(stay);
        let (at, details) = stay.columns();
        if let Some(&first) = at.first() {
            let packed = chunk::encode(at, details);
            transaction
                .prepare_cached("INSERT INTO chunks VALUES (?1, ?2, ?3)")?
                .execute((key(no, first), at.len() as i64, packed))?;
        }
    }
    if n_withdrawn > 0 {
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO emptied
                 SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE key BETWEEN ?2 AND ?3)",
            )?
            .execute((no.0, first_key(no), last_key(no)))?;
    }
    Ok(())
}

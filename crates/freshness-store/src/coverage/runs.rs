//! Which runs were begun, and have not ended?

use freshness_core::coverage::{Begun, Proposal};
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::error::{Fault, StoreError};
use crate::store::{Store, instant};

/// A run that was begun and has neither published nor been aborted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRun {
    /// What it said it would publish; names source, scope and run.
    pub plan: Proposal,
    /// When it was begun.
    pub begun_at: Timestamp,
}

impl Store {
    /// The runs that are open, the oldest first.
    pub fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        self.explain(|| {
            let mut open = self.connection.prepare_cached(
                "SELECT plan, begun_at FROM begun_runs WHERE ended_at IS NULL
                 ORDER BY begun_at, scope_no, run_id",
            )?;
            let runs = open.query_map([], |row| {
                Ok(OpenRun {
                    plan: plan(row, 0)?,
                    begun_at: instant(row, 1)?,
                })
            })?;
            Ok(runs.collect::<Result<_, _>>()?)
        })
    }
}

/// Was any run of the scope ever begun?
pub(super) fn any_begun(connection: &Connection, scope_no: i64) -> Result<bool, Fault> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM begun_runs WHERE scope_no = ?1)")?
        .query_row([scope_no], |row| row.get(0))?)
}

pub(super) fn begun(
    connection: &Connection,
    scope_no: i64,
    run_id: &str,
) -> Result<Option<Begun>, Fault> {
    let found = connection
        .prepare_cached("SELECT plan, aborted FROM begun_runs WHERE scope_no = ?1 AND run_id = ?2")?
        .query_row((scope_no, run_id), |row| {
            Ok(Begun {
                plan: plan(row, 0)?,
                aborted: row.get(1)?,
            })
        })
        .optional()?;
    Ok(found)
}

/// Begins a run, also one that was aborted before.
pub(super) fn begin(
    transaction: &Transaction<'_>,
    scope_no: i64,
    plan: &Proposal,
    at: Timestamp,
) -> Result<(), Fault> {
    let json = serde_json::to_string(plan).expect("it has only text keys");
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO begun_runs (scope_no, run_id, begun_at, plan)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute((scope_no, &plan.run_id, at.as_second(), json))?;
    Ok(())
}

/// Ends a run if it is open; `aborted` says why it did not publish.
pub(super) fn end(
    transaction: &Transaction<'_>,
    scope_no: i64,
    run_id: &str,
    aborted: Option<&str>,
    at: Timestamp,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "UPDATE begun_runs SET ended_at = ?3, aborted = ?4
             WHERE scope_no = ?1 AND run_id = ?2 AND ended_at IS NULL",
        )?
        .execute((scope_no, run_id, at.as_second(), aborted))?;
    Ok(())
}

fn plan(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Proposal> {
    serde_json::from_str(row.get_ref(column)?.as_str()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

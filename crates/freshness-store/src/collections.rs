//! How far is each configured source collected, and how did it go?

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction};

use crate::error::{Fault, StoreError};
use crate::store::{Store, instant};

/// How far a configured source is read with what is stored beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    /// Its name.
    pub name: String,
    /// Where to go on next time; `None`: from the beginning.
    pub cursor: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// How the collection of a source went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// Where to go on next time; `None`: from the beginning.
    pub cursor: Option<String>,
    /// When it was last tried.
    pub tried_at: Timestamp,
    /// When it last succeeded; `None`: never.
    pub succeeded_at: Option<Timestamp>,
    /// Why the last try failed; `None`: it succeeded.
    pub error: Option<String>,
    /// New arrivals of the last success.
    pub n_arrivals: u64,
}

impl Store {
    /// How each source went that was ever tried, by name.
    pub fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        self.explain(|| {
            let mut all = self.connection.prepare_cached(
                "SELECT name, cursor, tried_at, succeeded_at, error, n_arrivals
                 FROM collections ORDER BY name",
            )?;
            let rows = all.query_map([], |row| {
                let succeeded: Option<i64> = row.get(3)?;
                Ok(Collection {
                    name: row.get(0)?,
                    cursor: row.get(1)?,
                    tried_at: instant(row, 2)?,
                    succeeded_at: succeeded.map(|_| instant(row, 3)).transpose()?,
                    error: row.get(4)?,
                    n_arrivals: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Where to go on with a source; `None`: from the beginning.
    pub fn cursor(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.explain(|| {
            let mut find = self
                .connection
                .prepare_cached("SELECT cursor FROM collections WHERE name = ?1")?;
            Ok(find
                .query_row([name], |row| row.get(0))
                .optional()?
                .flatten())
        })
    }

    /// Keeps that a source could not be collected; its cursor stays.
    pub fn record_failure(
        &mut self,
        name: &str,
        error: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO collections (name, tried_at, error, n_arrivals) VALUES (?1, ?2, ?3, 0)
                 ON CONFLICT DO UPDATE SET tried_at = excluded.tried_at, error = excluded.error",
                (name, at.as_second(), error),
            )?;
            Ok(())
        })
    }
}

/// Keeps that a source was collected, in the transaction of what it told.
pub(crate) fn record_success(
    transaction: &Transaction<'_>,
    collected: &Collected,
    n_arrivals: u64,
) -> Result<(), Fault> {
    let Collected { name, cursor, at } = collected;
    transaction.execute(
        "INSERT INTO collections (name, cursor, tried_at, succeeded_at, n_arrivals)
         VALUES (?1, ?2, ?3, ?3, ?4)
         ON CONFLICT DO UPDATE SET cursor = excluded.cursor, tried_at = excluded.tried_at,
             succeeded_at = excluded.succeeded_at, error = NULL, n_arrivals = excluded.n_arrivals",
        (name, cursor, at.as_second(), n_arrivals),
    )?;
    Ok(())
}

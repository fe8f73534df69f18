//! What did `freshness run` do last of each step, and how did it go?

use jiff::Timestamp;
use rusqlite::OptionalExtension;

use crate::error::StoreError;
use crate::store::{Store, instant};

/// How a step went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRecord {
    /// Which: `collect`, `fit`, `check` or `report`.
    pub name: String,
    /// When it was begun; when it is due next is counted from here.
    pub begun_at: Timestamp,
    /// When it had ended.
    pub ended_at: Timestamp,
    /// `healthy`, `late` or `could_not_tell`.
    pub answer: String,
    /// Why it failed; `None`: it did not.
    pub error: Option<String>,
}

impl Store {
    /// How each step went that was ever done, by name.
    pub fn steps(&self) -> Result<Vec<StepRecord>, StoreError> {
        self.explain(|| {
            let mut all = self.connection.prepare_cached(
                "SELECT name, begun_at, ended_at, answer, error FROM steps ORDER BY name",
            )?;
            let rows = all.query_map([], |row| {
                Ok(StepRecord {
                    name: row.get(0)?,
                    begun_at: instant(row, 1)?,
                    ended_at: instant(row, 2)?,
                    answer: row.get(3)?,
                    error: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The step that was begun and has not ended, and since when, if any: somebody is at
    /// work on it, or it was cut short.
    pub fn step_in_hand(&self) -> Result<Option<(String, Timestamp)>, StoreError> {
        self.explain(|| {
            let mut find = self
                .connection
                .prepare_cached("SELECT name, begun_at FROM step_in_hand")?;
            let found = find.query_row([], |row| Ok((row.get(0)?, instant(row, 1)?)));
            Ok(found.optional()?)
        })
    }

    /// Keeps that a step is begun.
    pub fn begin_step(&mut self, name: &str, begun_at: Timestamp) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO step_in_hand VALUES (1, ?1, ?2)",
                (name, begun_at.as_second()),
            )?;
            Ok(())
        })
    }

    /// Keeps how a step went, instead of how it went before: it is in hand no more.
    pub fn record_step(&mut self, step: &StepRecord) -> Result<(), StoreError> {
        let StepRecord {
            name,
            begun_at,
            ended_at,
            answer,
            error,
        } = step;
        self.write(|transaction| {
            transaction.execute("DELETE FROM step_in_hand", [])?;
            transaction.execute(
                "INSERT OR REPLACE INTO steps (name, begun_at, ended_at, answer, error)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                (
                    name,
                    begun_at.as_second(),
                    ended_at.as_second(),
                    answer,
                    error,
                ),
            )?;
            Ok(())
        })
    }
}

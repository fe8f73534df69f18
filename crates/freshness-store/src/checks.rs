//! What did the checks say, and since when?

use std::collections::HashMap;

use freshness_core::incidents::{Advanced, Followed, Silence};
use freshness_core::state::{Severity, State};
use jiff::Timestamp;
use rusqlite::OptionalExtension;
use rusqlite::types::{FromSqlError, Type};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::datasets::DatasetNo;
use crate::error::{Fault, StoreError};
use crate::incidents::{read_followed, reopens_since, write_advanced};
use crate::silences::read_silences;
use crate::store::{Store, instant};

/// One check that has been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRecord {
    /// The instant it judged.
    pub now: Timestamp,
    /// When it ran.
    pub at: Timestamp,
    /// Datasets judged.
    pub n_datasets: u64,
    /// Of these, late or missed.
    pub n_late: u64,
    /// Of these, critical.
    pub n_critical: u64,
}

/// What is true of a dataset since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentState {
    /// Its number.
    pub no: DatasetNo,
    /// Its state.
    pub state: State,
    /// How much it matters.
    pub severity: Option<Severity>,
    /// The instant judged by the first check in a row that said so.
    pub since: Timestamp,
}

/// A state that a check changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateChange {
    /// Whose.
    pub no: DatasetNo,
    /// What the check before said; `None` if there was none.
    pub from: Option<(State, Option<Severity>)>,
    /// What this check says.
    pub to: (State, Option<Severity>),
}

/// What a check changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// States that differ from the last check's.
    pub changes: Vec<StateChange>,
    /// What became of the incidents.
    pub advanced: Advanced,
}

/// A check a minute for a week.
const CHECKS_KEPT: i64 = 10_080;

impl Store {
    /// Stores a check, the states it found and what became of the incidents in
    /// one transaction, and gives what changed. `follow` is told which incidents
    /// stood, or may open again, and which silences there are; what it says is
    /// stored. A check of an earlier instant than the last one is stored too, but
    /// changes no state and no incident.
    pub fn record_check(
        &mut self,
        check: &CheckRecord,
        states: &[(DatasetNo, State, Option<Severity>)],
        follow: impl FnOnce(Vec<Followed>, &[Silence]) -> Advanced,
    ) -> Result<Recorded, StoreError> {
        let CheckRecord {
            now,
            at,
            n_datasets,
            n_late,
            n_critical,
        } = check;
        self.write(|transaction| {
            let last: Option<i64> =
                transaction.query_row("SELECT max(now) FROM checks", [], |row| row.get(0))?;
            transaction.execute(
                "INSERT INTO checks (now, at, n_datasets, n_late, n_critical)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                (
                    now.as_second(),
                    at.as_second(),
                    n_datasets,
                    n_late,
                    n_critical,
                ),
            )?;
            // The newest instant stays, or a clock could be set back unnoticed.
            transaction.execute(
                "DELETE FROM checks WHERE no <= ?1
                 AND now < (SELECT max(now) FROM checks)",
                [transaction.last_insert_rowid() - CHECKS_KEPT],
            )?;
            if last.is_some_and(|last| now.as_second() < last) {
                return Ok(Recorded::default());
            }
            let before: HashMap<DatasetNo, CurrentState> = read_states(transaction)?
                .into_iter()
                .map(|current| (current.no, current))
                .collect();
            let mut replace =
                transaction.prepare("INSERT OR REPLACE INTO states VALUES (?1, ?2, ?3, ?4)")?;
            let mut changes = Vec::new();
            for &(no, state, severity) in states {
                let from = before
                    .get(&no)
                    .map(|before| (before.state, before.severity));
                let to = (state, severity);
                if from == Some(to) {
                    continue;
                }
                // A new severity of the same state is no new beginning.
                let since = match before.get(&no) {
                    Some(before) if before.state == state => before.since,
                    _ => *now,
                };
                replace.execute((
                    no.0,
                    word(&state),
                    severity.as_ref().map(word),
                    since.as_second(),
                ))?;
                changes.push(StateChange { no, from, to });
            }
            let stood = read_followed(transaction, reopens_since(*now))?;
            let silences = read_silences(transaction, *now)?;
            let advanced = follow(stood.clone(), &silences);
            write_advanced(transaction, &stood, &advanced)?;
            Ok(Recorded { changes, advanced })
        })
    }

    /// The check that judged the latest instant; `None` before the first.
    pub fn last_check(&self) -> Result<Option<CheckRecord>, StoreError> {
        self.explain(|| {
            let mut last = self.connection.prepare_cached(
                "SELECT now, at, n_datasets, n_late, n_critical
                 FROM checks ORDER BY now DESC, no DESC LIMIT 1",
            )?;
            let check = last.query_row([], |row| {
                Ok(CheckRecord {
                    now: instant(row, 0)?,
                    at: instant(row, 1)?,
                    n_datasets: row.get(2)?,
                    n_late: row.get(3)?,
                    n_critical: row.get(4)?,
                })
            });
            Ok(check.optional()?)
        })
    }

    /// What the last check said of each dataset, by number.
    pub fn states(&self) -> Result<Vec<CurrentState>, StoreError> {
        self.explain(|| read_states(&self.connection))
    }
}

fn read_states(connection: &rusqlite::Connection) -> Result<Vec<CurrentState>, Fault> {
    let mut all = connection.prepare_cached(
        "SELECT dataset_no, state, severity, since FROM states ORDER BY dataset_no",
    )?;
    let states = all.query_map([], |row| {
        Ok(CurrentState {
            no: DatasetNo(row.get(0)?),
            state: from_word(row, 1)?,
            severity: match row.get_ref(2)? {
                rusqlite::types::ValueRef::Null => None,
                _ => Some(from_word(row, 2)?),
            },
            since: instant(row, 3)?,
        })
    })?;
    Ok(states.collect::<Result<_, _>>()?)
}

/// The word that all outputs use too.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => unreachable!("states and severities are words"),
    }
}

pub(crate) fn from_word<T: DeserializeOwned>(
    row: &rusqlite::Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let word: String = row.get(column)?;
    serde_json::from_value(serde_json::Value::String(word)).map_err(|error| {
        let error = FromSqlError::other(error);
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

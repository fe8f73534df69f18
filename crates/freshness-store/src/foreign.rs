//! What does somebody else's SQLite file say?
//!
//! Only the store links SQLite, so files of other programs are asked here too.
//! They are opened for reading only, and a statement that would change one is
//! refused before it runs.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ForeignValue<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// A text, which need not be UTF-8.
    Text(&'a [u8]),
    /// Bytes.
    Blob(&'a [u8]),
}

/// Why a file gave no answer. Holds no value of a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ForeignError {
    #[error("no such file")]
    NoFile,
    #[error("not a SQLite database, or a damaged one")]
    NotSqlite,
    #[error("not allowed to read the file")]
    NoPermission,
    #[error("another program holds the file locked")]
    Locked,
    #[error("not answered in time")]
    TimedOut,
    #[error("the statement answers no rows, or would change something")]
    NotReading,
    #[error("{0}")]
    Refused(String),
}

/// The longest value; a longer one is an error of its query.
const VALUE_BYTES_MAX: i32 = 16 << 20;

/// How often a query that is over its limit is told to stop.
const TELL_AGAIN: Duration = Duration::from_millis(200);

/// Asks a file one question, for `limit` at most. `on_columns` hears the names of
/// the columns first and may refuse them; then `on_row` hears each row, and
/// says whether to go on.
pub fn query_foreign<E>(
    file: &Path,
    sql: &str,
    limit: Duration,
    on_columns: impl FnOnce(&[String]) -> Result<(), E>,
    on_row: &mut dyn FnMut(&[ForeignValue<'_>]) -> bool,
) -> Result<Result<(), E>, ForeignError> {
    if !file.exists() {
        return Err(ForeignError::NoFile);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // SQLite has names of its own, such as `:memory:`.
    let connection =
        Connection::open_with_flags(Path::new(".").join(file), flags).map_err(in_words)?;
    connection.busy_timeout(limit).map_err(in_words)?;
    connection
        .set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
        .map_err(in_words)?;
    let interrupt = connection.get_interrupt_handle();
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut wait = limit;
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(wait) {
                interrupt.interrupt();
                wait = TELL_AGAIN;
            }
        });
        let answered = ask(&connection, sql, on_columns, on_row);
        drop(done);
        answered
    })
}

fn ask<E>(
    connection: &Connection,
    sql: &str,
    on_columns: impl FnOnce(&[String]) -> Result<(), E>,
    on_row: &mut dyn FnMut(&[ForeignValue<'_>]) -> bool,
) -> Result<Result<(), E>, ForeignError> {
    let mut statement = connection.prepare(sql).map_err(in_words)?;
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(ForeignError::NotReading);
    }
    let names = statement.column_names();
    let names: Vec<String> = names.map(str::to_owned).collect();
    if let Err(refused) = on_columns(&names) {
        return Ok(Err(refused));
    }
    let mut rows = statement.query([]).map_err(in_words)?;
    while let Some(row) = rows.next().map_err(in_words)? {
        let mut values = Vec::with_capacity(names.len());
        for i in 0..names.len() {
            values.push(match row.get_ref(i).map_err(in_words)? {
                ValueRef::Null => ForeignValue::Null,
                ValueRef::Integer(n) => ForeignValue::Integer(n),
                ValueRef::Real(n) => ForeignValue::Real(n),
                ValueRef::Text(text) => ForeignValue::Text(text),
                ValueRef::Blob(bytes) => ForeignValue::Blob(bytes),
            });
        }
        if !on_row(&values) {
            break;
        }
    }
    Ok(Ok(()))
}

fn in_words(error: rusqlite::Error) -> ForeignError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => ForeignError::NotSqlite,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ForeignError::Locked,
        Some(ErrorCode::OperationInterrupted) => ForeignError::TimedOut,
        Some(ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => ForeignError::NoPermission,
        Some(ErrorCode::ReadOnly) => ForeignError::NotReading,
        _ => match error {
            rusqlite::Error::SqliteFailure(_, Some(words)) => ForeignError::Refused(words),
            rusqlite::Error::SqlInputError { msg, .. } => ForeignError::Refused(msg),
            rusqlite::Error::MultipleStatement => {
                ForeignError::Refused("more than one statement".to_owned())
            }
            other => ForeignError::Refused(other.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::time::Instant;

    fn asked(sql: &str) -> Result<Vec<String>, ForeignError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("loads.db");
        let connection = Connection::open(&file).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE loads (t, n); INSERT INTO loads VALUES ('a', 1), (NULL, 2.5)",
            )
            .unwrap();
        drop(connection);
        let mut rows = Vec::new();
        let limit = Duration::from_millis(300);
        query_foreign::<Infallible>(&file, sql, limit, |_| Ok(()), &mut |row| {
            rows.push(format!("{row:?}"));
            true
        })?
        .unwrap();
        Ok(rows)
    }

    #[test]
    fn rows_come_with_the_types_that_they_have() {
        assert_eq!(
            asked("SELECT t, n FROM loads").unwrap(),
            ["[Text([97]), Integer(1)]", "[Null, Real(2.5)]"]
        );
    }

    #[test]
    fn what_would_change_the_file_is_refused() {
        for sql in [
            "DELETE FROM loads",
            "INSERT INTO loads VALUES (1, 2) RETURNING t",
            "CREATE TABLE x (y)",
            "PRAGMA user_version = 3",
        ] {
            assert_eq!(asked(sql).unwrap_err(), ForeignError::NotReading, "{sql}");
        }
        let two = asked("SELECT 1; DELETE FROM loads").unwrap_err();
        assert_eq!(two.to_string(), "more than one statement");
    }

    #[test]
    fn a_query_that_never_ends_is_stopped() {
        let started = Instant::now();
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                       SELECT max(i) FROM n";
        assert_eq!(asked(endless).unwrap_err(), ForeignError::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_is_no_database_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.db");
        let ask = |file: &Path| {
            let limit = Duration::from_secs(1);
            query_foreign::<Infallible>(file, "SELECT 1 FROM t", limit, |_| Ok(()), &mut |_| true)
        };
        assert_eq!(ask(&file).unwrap_err(), ForeignError::NoFile);
        std::fs::write(
            &file,
            "no database, but long enough to look like one".repeat(99),
        )
        .unwrap();
        assert_eq!(ask(&file).unwrap_err(), ForeignError::NotSqlite);
    }
}

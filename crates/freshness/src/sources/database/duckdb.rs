//! How is DuckDB asked?
//!
//! Through its own library, which the user has and names: it speaks ADBC, so
//! nothing of DuckDB is built into this program. A database file is opened for
//! reading only; Parquet files are read by a database in memory.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use adbc_core::options::{AdbcVersion, OptionDatabase, OptionValue};
use adbc_core::{CancelHandle, Connection as _, Database as _, Driver as _, Statement as _};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedDriver};
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Schema};

use super::adbc;
use super::answer::{Question, Unanswered};
use super::column::{Column, Kind};
use super::duckdb_sql;
use super::look::Look;
use super::query::Query;
use super::refusal::Refusal;
use super::rows::{self, Field};
use super::session::{Rows, answered};
use super::table_name::{TableName, literal, quoted_path};
use super::target::Target;
use crate::sources::table::{OnRow, TableRead};

/// Where DuckDB's library begins to speak ADBC.
const ENTRY_POINT: &[u8] = b"duckdb_adbc_init";

/// How the library is called where the system finds libraries.
const LIBRARY: &str = "duckdb";

/// In the path of Parquet files, stands for the table.
const TABLE: &str = "{table}";

/// How often a query that is over its limit is told to stop.
const TELL_AGAIN: Duration = Duration::from_millis(200);

/// A session with a database of DuckDB.
pub(super) struct Duckdb {
    connection: ManagedConnection,
    /// Kept for the connection.
    _database: ManagedDatabase,
    limit: Duration,
    /// The files that are read, if it is not a database file.
    files: Option<String>,
}

impl Duckdb {
    /// Opens a database file.
    pub(super) fn open(
        file: &Path,
        library: Option<&Path>,
        limit: Duration,
    ) -> Result<Duckdb, Refusal> {
        let path = file.display().to_string();
        if !file.exists() {
            return Err(Refusal::NoConnection {
                server: path,
                why: "no such file".to_owned(),
            });
        }
        let options = [("path", path.as_str()), ("access_mode", "READ_ONLY")];
        Duckdb::with(&options, &path, library, limit, None)
    }

    /// Reads Parquet files.
    pub(super) fn over_files(
        files: &str,
        library: Option<&Path>,
        limit: Duration,
    ) -> Result<Duckdb, Refusal> {
        let options = [("path", ":memory:")];
        Duckdb::with(&options, files, library, limit, Some(files.to_owned()))
    }

    fn with(
        options: &[(&str, &str)],
        server: &str,
        library: Option<&Path>,
        limit: Duration,
        files: Option<String>,
    ) -> Result<Duckdb, Refusal> {
        let version = AdbcVersion::V110;
        let loaded = match library {
            Some(file) => {
                ManagedDriver::load_dynamic_from_filename(file, Some(ENTRY_POINT), version)
            }
            None => ManagedDriver::load_dynamic_from_name(LIBRARY, Some(ENTRY_POINT), version),
        };
        let mut driver = loaded.map_err(|error| {
            Refusal::NoLibrary(match library {
                Some(file) => format!("{}: {}", file.display(), first_line(&error.message)),
                None => first_line(&error.message),
            })
        })?;
        let refused = |error: adbc_core::error::Error| Refusal::NoConnection {
            server: server.to_owned(),
            why: first_line(&error.message),
        };
        // Nothing is fetched from anywhere on its own.
        let offline = ("autoinstall_known_extensions", "false");
        let options = options.iter().chain([&offline]).map(|&(key, value)| {
            let key = OptionDatabase::Other(key.to_owned());
            (key, OptionValue::String(value.to_owned()))
        });
        let database = driver.new_database_with_opts(options).map_err(refused)?;
        let connection = database.new_connection().map_err(refused)?;
        Ok(Duckdb {
            connection,
            _database: database,
            limit,
            files,
        })
    }

    /// The query that looks at the table.
    pub(super) fn query(&mut self, target: &Target) -> Result<Query, Refusal> {
        let from = self.from(target)?;
        let columns = self.columns(&from)?;
        Ok(Query::new(
            target,
            &columns,
            &from,
            |kind, column, _| duckdb_sql::times(kind, column),
            duckdb_sql::count,
        ))
    }

    pub(super) fn look(&mut self, target: &Target) -> Result<Look, Refusal> {
        let query = self.query(target)?;
        let (_, rows) = self.run(&query.sql)?;
        answered(&query, rows)
    }

    /// All rows of some tables.
    pub(super) fn rows(&mut self, tables: &[(&TableName, &[Field])]) -> Result<Vec<Rows>, Refusal> {
        if self.files.is_some() {
            let why = "Parquet files hold no tables of contracts and releases";
            return Err(Refusal::NoTable(why.to_owned()));
        }
        let mut all = Vec::new();
        for (name, fields) in tables {
            let from = quoted_path(&name.exact());
            let columns = self.columns(&from)?;
            let sql = rows::sql(name, fields, &columns, &from, duckdb_sql::value)?;
            all.push(self.run(&sql)?.1);
        }
        Ok(all)
    }

    /// Asks a question of the user's own.
    pub(super) fn ask(
        &mut self,
        question: Question<'_>,
        on_row: &mut OnRow<'_>,
    ) -> Result<TableRead, Unanswered> {
        let in_words = |error: &adbc_core::error::Error| refusal(&error.message);
        // DuckDB stops when it is told to, between two rows at the latest.
        adbc::ask(&mut self.connection, question, on_row, &in_words).0
    }

    fn columns(&mut self, from: &str) -> Result<Vec<Column>, Refusal> {
        let (schema, _) = self.run(&format!("SELECT * FROM {from} LIMIT 0"))?;
        let column = |field: &arrow::datatypes::FieldRef| Column {
            name: field.name().clone(),
            kind: kind(field.data_type()),
        };
        Ok(schema.fields().iter().map(column).collect())
    }

    /// What stands after `FROM`.
    fn from(&self, target: &Target) -> Result<String, Refusal> {
        let none = || Refusal::NoTable("none is declared".to_owned());
        match &self.files {
            Some(files) => {
                let files = match &target.table {
                    Some(table) => files.replace(TABLE, &table.to_string()),
                    None if files.contains(TABLE) => return Err(none()),
                    None => files.clone(),
                };
                Ok(format!(
                    "read_parquet({}, union_by_name = true)",
                    literal(&files)
                ))
            }
            None => {
                let table = target.table.as_ref().ok_or_else(none)?;
                Ok(quoted_path(&table.exact()))
            }
        }
    }

    /// Runs a query within the limit; its rows as text.
    fn run(&mut self, sql: &str) -> Result<(Schema, Rows), Refusal> {
        let mut statement = self
            .connection
            .new_statement()
            .map_err(|e| refusal(&e.message))?;
        let cancel = statement.get_cancel_handle();
        let (done, is_done) = mpsc::channel::<()>();
        let limit = self.limit;
        thread::scope(|scope| {
            let watch = scope.spawn(move || stop_after(limit, &is_done, cancel.as_ref()));
            let result = (|| {
                statement
                    .set_sql_query(sql)
                    .map_err(|e| refusal(&e.message))?;
                let reader = statement.execute().map_err(|e| refusal(&e.message))?;
                let schema = reader.schema().as_ref().clone();
                let mut rows = Vec::new();
                for batch in reader {
                    let batch = batch.map_err(|e| refusal(&e.to_string()))?;
                    rows.extend(texts(&batch).map_err(|e| refusal(&e.to_string()))?);
                }
                Ok((schema, rows))
            })();
            drop(done);
            match (result, watch.join()) {
                (Err(_), Ok(true)) => Err(Refusal::TimedOut(limit)),
                (result, _) => result,
            }
        })
    }
}

/// Tells a query to stop when it is over its limit; was it?
fn stop_after(limit: Duration, is_done: &mpsc::Receiver<()>, cancel: &dyn CancelHandle) -> bool {
    let mut wait = limit;
    let mut told = false;
    while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(wait) {
        // It may not have begun, or may not listen at this moment.
        let _ = cancel.try_cancel();
        told = true;
        wait = TELL_AGAIN;
    }
    told
}

fn kind(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Timestamp(_, Some(_)) => Kind::Instant,
        DataType::Timestamp(_, None) => Kind::Local,
        DataType::Date32 | DataType::Date64 => Kind::Day,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
        DataType::Dictionary(_, value) => kind(value),
        number if number.is_numeric() => Kind::Number,
        other => Kind::Other(other.to_string().to_lowercase()),
    }
}

fn texts(batch: &RecordBatch) -> Result<Rows, arrow::error::ArrowError> {
    let columns = batch
        .columns()
        .iter()
        .map(|column| cast(column, &DataType::Utf8))
        .collect::<Result<Vec<_>, _>>()?;
    let cell = |column: &dyn Array, i: usize| {
        let column = column.as_string::<i32>();
        column.is_valid(i).then(|| column.value(i).to_owned())
    };
    Ok((0..batch.num_rows())
        .map(|i| columns.iter().map(|column| cell(column, i)).collect())
        .collect())
}

/// What DuckDB says of a query, by how its message begins. Conversion errors
/// quote values of rows, so they are named and not repeated; what is wrong with
/// a file is.
fn refusal(message: &str) -> Refusal {
    let line = first_line(message);
    let missing = line.starts_with("Catalog Error") && line.contains("does not exist");
    if missing && line.contains("Table with name") || line.contains("No files found") {
        return Refusal::NoTable(line);
    }
    if line.contains("Permission denied") {
        return Refusal::NoPermission(line);
    }
    let of_file = [
        "magic bytes",
        "not a Parquet file",
        "too small to be a Parquet file",
    ]
    .iter()
    .any(|words| line.contains(words));
    let of_value = line.starts_with("Conversion Error") || line.starts_with("Invalid Input Error");
    match of_value && !of_file {
        true => Refusal::QueryFailed("a value of the table cannot be used".to_owned()),
        false => Refusal::QueryFailed(line),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}

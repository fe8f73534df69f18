//! Why could a table not be looked at?

use std::time::Duration;

use super::table_name::BadTableName;

/// Why there is no [`Look`](super::Look) at a table. Holds no secret and no
/// value of a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such table.
    #[error("no table: {0}")]
    NoTable(String),
    /// What is declared as its name is none.
    #[error(transparent)]
    BadName(#[from] BadTableName),
    /// The user may not read it.
    #[error("not allowed to read: {0}")]
    NoPermission(String),
    /// The query took too long.
    #[error("not answered within {}", seconds(.0))]
    TimedOut(Duration),
    /// The server ended the connection before it answered.
    #[error("the server went away: {0}")]
    ServerGone(String),
    /// There is no connection to ask.
    #[error("cannot connect: {server}: {why}")]
    NoConnection {
        /// Which server or file, without secrets.
        server: String,
        /// Why.
        why: String,
    },
    /// The database refused the query.
    #[error("the query failed: {0}")]
    QueryFailed(String),
    /// DuckDB's library cannot be loaded.
    #[error("cannot load the library of DuckDB: {0}")]
    NoLibrary(String),
    /// A driver of ADBC cannot be loaded.
    #[error("cannot load the ADBC driver: {0}")]
    NoDriver(String),
    /// Such a database is asked questions, and not measured.
    #[error("tables of {0} are not measured")]
    NotMeasured(&'static str),
}

impl Refusal {
    /// The word for it in tables and JSON.
    pub fn state(&self) -> &'static str {
        match self {
            Refusal::NoTable(_) | Refusal::BadName(_) => "no_table",
            Refusal::NoPermission(_) => "no_permission",
            Refusal::TimedOut(_) => "timed_out",
            Refusal::ServerGone(_) => "server_gone",
            Refusal::NoConnection { .. } => "no_connection",
            Refusal::QueryFailed(_) => "query_failed",
            Refusal::NoLibrary(_) => "no_library",
            Refusal::NoDriver(_) => "no_driver",
            Refusal::NotMeasured(_) => "not_measured",
        }
    }

    /// What can be done about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Refusal::NoPermission(_) => Some(
                "the user of the connection needs `grant usage` on the schema and `grant select` on the table",
            ),
            Refusal::BadName(_) => Some(
                "a table is catalog.schema.table; put a part that holds a dot or a quote in double quotes, quotes doubled",
            ),
            Refusal::TimedOut(_) => Some(
                "allow more with --timeout, or say in `partition_filter` which rows are new enough to matter",
            ),
            Refusal::NoLibrary(_) => Some(
                "DuckDB's library (libduckdb) is on DuckDB's own download page, and in the npm package @duckdb/node-bindings-linux-x64; name the file in FRESHNESS_DUCKDB_LIBRARY, or as `duckdb_library` in freshness.yaml",
            ),
            Refusal::NoDriver(_) => Some(
                "install the driver of your warehouse (`pip install adbc-driver-snowflake` holds a file libadbc_driver_snowflake.so) and name that file as `driver`",
            ),
            Refusal::NotMeasured(_) => {
                Some("let a query tell when its tables were loaded: `freshness sources recipes`")
            }
            Refusal::NoTable(_)
            | Refusal::ServerGone(_)
            | Refusal::NoConnection { .. }
            | Refusal::QueryFailed(_) => None,
        }
    }

    /// Will every table of the connection be refused likewise?
    pub fn is_of_connection(&self) -> bool {
        match self {
            Refusal::NoConnection { .. }
            | Refusal::NoLibrary(_)
            | Refusal::NoDriver(_)
            | Refusal::NotMeasured(_) => true,
            Refusal::NoTable(_)
            | Refusal::BadName(_)
            | Refusal::NoPermission(_)
            | Refusal::TimedOut(_)
            | Refusal::ServerGone(_)
            | Refusal::QueryFailed(_) => false,
        }
    }
}

fn seconds(of: &Duration) -> String {
    format!("{} s", of.as_secs_f64())
}

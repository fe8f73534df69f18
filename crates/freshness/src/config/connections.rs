//! Which databases does `freshness.yaml` name, and how are they reached?
//!
//! ```yaml
//! connections:
//!   warehouse: {postgres: {url_env: WAREHOUSE_URL}}
//!   reports: {postgres: {host: db.example, database: sales, user: monitor, password_file: secret}}
//!   lake: {duckdb: {path: lake.duckdb}}
//!   files: {parquet: {path: "lake/{table}/*.parquet"}}
//!   app: {sqlite: {path: app.db}}
//!   cloud: {adbc: {driver: libadbc_driver_snowflake.so, options: {username: monitor}, options_env: {password: SNOW}}}
//! ```
//!
//! A secret is never in this file: it is named, and read when it is needed.

mod adbc;
mod postgres;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

pub use self::adbc::AdbcSection;
pub use self::postgres::PostgresSection;
use crate::sources::database::Address;

/// A database as typed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionSection {
    /// A PostgreSQL server.
    Postgres(PostgresSection),
    /// A file of DuckDB.
    Duckdb(FileSection),
    /// Parquet files.
    Parquet(FileSection),
    /// A file of SQLite, which queries may ask.
    Sqlite(FileSection),
    /// Whatever a driver of ADBC leads to, which queries may ask: Snowflake,
    /// BigQuery, Databricks, Flight SQL.
    Adbc(AdbcSection),
}

/// Files as typed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSection {
    /// The file; of Parquet a glob, in which `{table}` stands for the table.
    pub path: PathBuf,
}

/// A named database, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    section: ConnectionSection,
    /// The library of DuckDB, if one is named.
    library: Option<PathBuf>,
}

/// The kinds, as they are typed.
pub(super) const KINDS: [&str; 5] = ["postgres", "duckdb", "parquet", "sqlite", "adbc"];

impl ConnectionSection {
    /// What is wrong with it, if anything.
    fn fault(&self) -> Option<&'static str> {
        match self {
            ConnectionSection::Postgres(postgres) => postgres.fault(),
            ConnectionSection::Adbc(adbc) => adbc.fault(),
            ConnectionSection::Duckdb(_)
            | ConnectionSection::Parquet(_)
            | ConnectionSection::Sqlite(_) => None,
        }
    }
}

/// Connections by name, each checked where it stands in the file.
pub(super) fn checked<'de, D: Deserializer<'de>>(typed: D) -> Result<ConnectionSection, D::Error> {
    let section = ConnectionSection::deserialize(typed)?;
    match section.fault() {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(section),
    }
}

impl Connection {
    /// A connection whose paths are meant from `home`.
    pub(super) fn new(
        mut section: ConnectionSection,
        home: Option<&Path>,
        library: Option<PathBuf>,
    ) -> Connection {
        if let Some(home) = home {
            match &mut section {
                ConnectionSection::Postgres(postgres) => {
                    postgres.paths().for_each(|path| *path = home.join(&*path));
                }
                ConnectionSection::Duckdb(file)
                | ConnectionSection::Parquet(file)
                | ConnectionSection::Sqlite(file) => file.path = home.join(&file.path),
                ConnectionSection::Adbc(adbc) => adbc.settle_in(home),
            }
        }
        Connection { section, library }
    }

    /// Does a target need no table here?
    pub fn is_one_table(&self) -> bool {
        match &self.section {
            ConnectionSection::Parquet(files) => !files.path.to_string_lossy().contains("{table}"),
            ConnectionSection::Postgres(_)
            | ConnectionSection::Duckdb(_)
            | ConnectionSection::Sqlite(_)
            | ConnectionSection::Adbc(_) => false,
        }
    }

    /// The variables that hold its secrets.
    pub fn variables(&self) -> Vec<&str> {
        match &self.section {
            ConnectionSection::Postgres(postgres) => postgres.variables().collect(),
            ConnectionSection::Adbc(adbc) => adbc.variables().collect(),
            ConnectionSection::Duckdb(_)
            | ConnectionSection::Parquet(_)
            | ConnectionSection::Sqlite(_) => Vec::new(),
        }
    }

    /// Where it is, with its secrets, which are read now. An error names where
    /// a secret should be and never what is there.
    pub fn address(&self) -> Result<Address, String> {
        let library = self.library.clone();
        match &self.section {
            ConnectionSection::Postgres(postgres) => postgres.address(),
            ConnectionSection::Duckdb(file) => Ok(Address::Duckdb {
                file: file.path.clone(),
                library,
            }),
            ConnectionSection::Parquet(files) => Ok(Address::Parquet {
                files: files.path.display().to_string(),
                library,
            }),
            ConnectionSection::Sqlite(file) => Ok(Address::Sqlite(file.path.clone())),
            ConnectionSection::Adbc(adbc) => adbc.address(),
        }
    }
}

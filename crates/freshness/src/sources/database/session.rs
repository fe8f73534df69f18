//! How is a database asked, whichever it is?

use std::path::PathBuf;
use std::time::Duration;

use super::duckdb::Duckdb;
use super::look::Look;
use super::postgres::Postgres;
use super::query::Query;
use super::refusal::Refusal;
use super::rows::Field;
use super::table_name::TableName;
use super::target::Target;

/// Where a database is. Holds secrets, so it is made when it is needed and
/// shown to nobody.
#[derive(Clone)]
pub enum Address {
    /// A PostgreSQL server.
    Postgres {
        /// Server, database, user, secrets.
        config: Box<tokio_postgres::Config>,
        /// Certificates to trust instead of those that the machine trusts.
        authority: Option<PathBuf>,
        /// Where the address is from, if all of it is a secret: messages say
        /// this, and no part of the address.
        secret_in: Option<String>,
    },
    /// A file of DuckDB.
    Duckdb {
        /// The file.
        file: PathBuf,
        /// The library that reads it; the system's if absent.
        library: Option<PathBuf>,
    },
    /// Parquet files.
    Parquet {
        /// A glob; `{table}` in it stands for the table.
        files: String,
        /// The library of DuckDB, which reads them; the system's if absent.
        library: Option<PathBuf>,
    },
}

/// How long a database may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// To let us in.
    pub connect: Duration,
    /// To answer a query.
    pub query: Duration,
}

/// A connection that only reads.
pub struct Session(Inner);

enum Inner {
    Postgres(Box<Postgres>),
    Duckdb(Duckdb),
}

impl Session {
    /// Connects.
    pub fn open(address: &Address, limits: Limits) -> Result<Session, Refusal> {
        Ok(Session(match address {
            Address::Postgres {
                config,
                authority,
                secret_in,
            } => {
                let (authority, secret_in) = (authority.as_deref(), secret_in.as_deref());
                let session = Postgres::connect(config, authority, secret_in, limits)?;
                Inner::Postgres(Box::new(session))
            }
            Address::Duckdb { file, library } => {
                Inner::Duckdb(Duckdb::open(file, library.as_deref(), limits.query)?)
            }
            Address::Parquet { files, library } => {
                Inner::Duckdb(Duckdb::over_files(files, library.as_deref(), limits.query)?)
            }
        }))
    }

    /// The SQL that [`look`](Session::look) runs.
    pub fn sql(&mut self, target: &Target) -> Result<String, Refusal> {
        let query = match &mut self.0 {
            Inner::Postgres(session) => session.query(target),
            Inner::Duckdb(session) => session.query(target),
        }?;
        Ok(query.sql)
    }

    /// Looks at the table, with one scan of it.
    pub fn look(&mut self, target: &Target) -> Result<Look, Refusal> {
        match &mut self.0 {
            Inner::Postgres(session) => session.look(target),
            Inner::Duckdb(session) => session.look(target),
        }
    }

    /// All rows of some tables, as they are at one instant: for each field a
    /// text or null.
    pub(super) fn rows(&mut self, tables: &[(&TableName, &[Field])]) -> Result<Vec<Rows>, Refusal> {
        match &mut self.0 {
            Inner::Postgres(session) => session.rows(tables),
            Inner::Duckdb(session) => session.rows(tables),
        }
    }

    /// Can it be asked again? Not after it fell silent or went away.
    pub fn is_usable(&self) -> bool {
        match &self.0 {
            Inner::Postgres(session) => session.is_usable(),
            Inner::Duckdb(_) => true,
        }
    }
}

/// Rows of an answer, every cell a text or null.
pub(super) type Rows = Vec<Vec<Option<String>>>;

/// A query and its answer, for both kinds of session.
pub(super) fn answered(query: &Query, rows: Rows) -> Result<Look, Refusal> {
    let row = rows
        .into_iter()
        .next()
        .ok_or_else(|| Refusal::QueryFailed("no answer".to_owned()))?;
    query.read(row)
}

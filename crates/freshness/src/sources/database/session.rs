//! How is a database asked, whichever it is?

use std::path::PathBuf;
use std::time::Duration;

use super::adbc::{Adbc, AdbcAddress};
use super::answer::{Question, Unanswered};
use super::duckdb::Duckdb;
use super::look::Look;
use super::postgres::Postgres;
use super::query::Query;
use super::question::one_question;
use super::refusal::Refusal;
use super::rows::Field;
use super::sqlite::Sqlite;
use super::table_name::TableName;
use super::target::Target;
use crate::sources::table::{OnRow, TableRead};

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
    /// A file of SQLite.
    Sqlite(PathBuf),
    /// Whatever a driver of ADBC leads to.
    Adbc(AdbcAddress),
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
    Sqlite(Sqlite),
    Adbc(Adbc),
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
            Address::Sqlite(file) => Inner::Sqlite(Sqlite::open(file)),
            // A warehouse that sleeps is woken by whoever comes.
            Address::Adbc(address) => Inner::Adbc(Adbc::open(address, limits.query)?),
        }))
    }

    /// The SQL that [`look`](Session::look) runs.
    pub fn sql(&mut self, target: &Target) -> Result<String, Refusal> {
        let query = match &mut self.0 {
            Inner::Postgres(session) => session.query(target),
            Inner::Duckdb(session) => session.query(target),
            other => Err(other.not_measured()),
        }?;
        Ok(query.sql)
    }

    /// Looks at the table, with one scan of it.
    pub fn look(&mut self, target: &Target) -> Result<Look, Refusal> {
        match &mut self.0 {
            Inner::Postgres(session) => session.look(target),
            Inner::Duckdb(session) => session.look(target),
            other => Err(other.not_measured()),
        }
    }

    /// All rows of some tables, as they are at one instant: for each field a
    /// text or null.
    pub(super) fn rows(&mut self, tables: &[(&TableName, &[Field])]) -> Result<Vec<Rows>, Refusal> {
        match &mut self.0 {
            Inner::Postgres(session) => session.rows(tables),
            Inner::Duckdb(session) => session.rows(tables),
            other => Err(other.not_measured()),
        }
    }

    /// Asks a question of the user's own; its rows one by one, as cells.
    pub(in crate::sources) fn ask(
        &mut self,
        question: Question<'_>,
        on_row: &mut OnRow<'_>,
    ) -> Result<TableRead, Unanswered> {
        let sql = one_question(question.sql).map_err(Unanswered::NoQuestion)?;
        let question = Question { sql, ..question };
        match &mut self.0 {
            Inner::Postgres(session) => session.ask(question, on_row),
            Inner::Duckdb(session) => session.ask(question, on_row),
            Inner::Sqlite(session) => session.ask(question, on_row),
            Inner::Adbc(session) => session.ask(question, on_row),
        }
    }

    /// Can it be asked again? Not after it fell silent or went away.
    pub fn is_usable(&self) -> bool {
        match &self.0 {
            Inner::Postgres(session) => session.is_usable(),
            Inner::Duckdb(_) | Inner::Sqlite(_) => true,
            Inner::Adbc(session) => session.is_usable(),
        }
    }
}

impl Inner {
    fn not_measured(&self) -> Refusal {
        Refusal::NotMeasured(match self {
            Inner::Postgres(_) => "PostgreSQL",
            Inner::Duckdb(_) => "DuckDB",
            Inner::Sqlite(_) => "SQLite",
            Inner::Adbc(_) => "ADBC",
        })
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

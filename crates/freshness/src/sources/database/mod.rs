//! What does a database say of its tables?
//!
//! A [`Target`] says which table to look at and for what; a [`Session`] looks,
//! with one query and so one scan, and answers with a [`Look`]. PostgreSQL is
//! spoken to directly, DuckDB (its files, and Parquet) through its library.
//! A question of the user's own may also go to a file of SQLite, or through an
//! ADBC driver to any warehouse. Sessions only read. What cannot be looked at is a [`Refusal`] of that table
//! and of no other; a column that tells no time has a [`Reading`] of its own.

mod adbc;
mod answer;
mod column;
mod coverage;
mod duckdb;
mod duckdb_sql;
mod look;
mod postgres;
mod postgres_answer;
mod postgres_sql;
mod query;
mod question;
mod refusal;
mod rows;
mod session;
mod sqlite;
mod table_name;
mod target;
mod tls;

pub use adbc::AdbcAddress;
pub(super) use answer::Question;
pub use answer::Unanswered;
pub use coverage::{PulledRelease, read_coverage};
pub use look::{Look, Reading};
pub(super) use question::SINCE;
pub use question::{NoQuestion, one_question};
pub use refusal::Refusal;
pub use session::{Address, Limits, Session};
pub use table_name::{BadTableName, TableName};
pub use target::Target;

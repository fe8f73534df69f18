//! A real DuckDB, through the library that the program uses.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use adbc_core::options::{AdbcVersion, OptionDatabase};
use adbc_core::{Connection as _, Database as _, Driver as _, Statement as _};
use adbc_driver_manager::{ManagedDatabase, ManagedDriver};
use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;

use super::postgres::Row;

/// The library: the one that is named, or the one that `scripts/test` fetched.
pub(crate) fn library() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_DUCKDB_LIBRARY") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let target = test.ancestors().nth(3).unwrap();
    let fetched = target.join("duckdb/node_modules/@duckdb");
    let packages = fs::read_dir(fetched).into_iter().flatten();
    packages
        .filter_map(|package| {
            let package = package.ok()?.path();
            ["libduckdb.so", "libduckdb.dylib"]
                .into_iter()
                .map(|name| package.join(name))
                .find(|library| library.exists())
        })
        .next()
        .expect(
            "no DuckDB here: run scripts/test once, or name libduckdb in FRESHNESS_DUCKDB_LIBRARY",
        )
}

/// Holds a database file open for writing until it is dropped, as a loader does.
pub(crate) fn hold(file: &Path) -> impl Sized + use<> {
    let database = open(file);
    let connection = database.new_connection().unwrap();
    (connection, database)
}

fn open(file: &Path) -> ManagedDatabase {
    let mut driver = ManagedDriver::load_dynamic_from_filename(
        library(),
        Some(b"duckdb_adbc_init"),
        AdbcVersion::V110,
    )
    .unwrap();
    let path = OptionDatabase::Other("path".to_owned());
    let path = [(path, file.to_str().unwrap().into())];
    driver.new_database_with_opts(path).unwrap()
}

/// Runs a script of statements, one ended by each `;` at the end of a line, in
/// a database file; the rows of all of them as text.
#[track_caller]
pub(crate) fn run(file: &Path, script: &str) -> Vec<Row> {
    let database = open(file);
    let mut connection = database.new_connection().unwrap();
    let mut rows = Vec::new();
    for sql in script.split(";\n").filter(|sql| !sql.trim().is_empty()) {
        let mut statement = connection.new_statement().unwrap();
        statement.set_sql_query(sql).unwrap();
        let reader = statement
            .execute()
            .unwrap_or_else(|error| panic!("{error}\n{sql}"));
        for batch in reader {
            let batch = batch.unwrap();
            let columns: Vec<_> = batch
                .columns()
                .iter()
                .map(|column| cast(column, &DataType::Utf8).unwrap())
                .collect();
            rows.extend((0..batch.num_rows()).map(|i| -> Row {
                columns
                    .iter()
                    .map(|column| {
                        let column = column.as_string::<i32>();
                        column.is_valid(i).then(|| column.value(i).to_owned())
                    })
                    .collect()
            }));
        }
    }
    rows
}

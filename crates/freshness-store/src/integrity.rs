//! Is the store itself healthy?

use serde::Serialize;

use crate::error::StoreError;
use crate::schema::SCHEMA_VERSION;
use crate::store::Store;

/// What `freshness doctor` says of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Integrity {
    /// What SQLite's own check and ours found wrong; empty if nothing.
    pub problems: Vec<String>,
    /// The form of the store.
    pub schema_version: u32,
    /// The version of SQLite.
    pub sqlite_version: String,
    /// `wal`, or on a read-only disk another.
    pub journal_mode: String,
    /// Size of the file.
    pub bytes: u64,
    /// Datasets known.
    pub n_datasets: u64,
    /// Arrivals stored.
    pub n_arrivals: u64,
    /// Edges of the lineage.
    pub n_edges: u64,
    /// Dashboards told.
    pub n_dashboards: u64,
    /// Models stored.
    pub n_models: u64,
    /// Files imported.
    pub n_imports: u64,
}

impl Store {
    /// Reads the whole store and says what is wrong with it.
    pub fn integrity(&self) -> Result<Integrity, StoreError> {
        self.at_one_instant(|store| {
            let mut problems = store.sqlite_problems()?;
            for no in store.dataset_numbers()? {
                if let Err(error) = store.history(no) {
                    problems.push(error.to_string());
                }
            }
            problems.extend(
                store
                    .datasets()?
                    .into_iter()
                    .filter_map(|entry| entry.declared.err())
                    .map(|error| error.to_string()),
            );
            problems.extend(
                store
                    .model_rows()?
                    .iter()
                    .filter_map(|row| row.model().err())
                    .map(|error| error.to_string()),
            );
            problems.extend(store.ledger_problems()?);
            let count = |sql: &str| {
                store.explain(|| Ok(store.connection.query_row(sql, [], |row| row.get(0))?))
            };
            Ok(Integrity {
                problems,
                schema_version: SCHEMA_VERSION,
                sqlite_version: rusqlite::version().to_owned(),
                journal_mode: store.explain(|| {
                    let mode = "journal_mode";
                    Ok(store
                        .connection
                        .pragma_query_value(None, mode, |row| row.get(0))?)
                })?,
                bytes: count(
                    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                )?,
                n_datasets: count("SELECT count(*) FROM datasets")?,
                n_arrivals: count("SELECT coalesce(sum(n), 0) FROM chunks")?,
                n_edges: count("SELECT count(*) FROM edges")?,
                n_dashboards: count(
                    "SELECT count(*) FROM (SELECT id FROM dashboards UNION SELECT id FROM dashboards_told)",
                )?,
                n_models: count("SELECT count(*) FROM models")?,
                n_imports: count("SELECT count(*) FROM imports")?,
            })
        })
    }

    fn sqlite_problems(&self) -> Result<Vec<String>, StoreError> {
        self.explain(|| {
            let mut check = self.connection.prepare("PRAGMA quick_check(20)")?;
            let found = check.query_map([], |row| row.get::<_, String>(0))?;
            let found = found.collect::<Result<Vec<_>, _>>()?;
            Ok(found.into_iter().filter(|line| line != "ok").collect())
        })
    }
}

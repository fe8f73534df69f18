//! What is promised of datasets, and which folder said so?

use std::collections::BTreeMap;

use freshness_core::dataset::DatasetId;
use freshness_core::schedule::Maintenance;
use freshness_core::slo::{Declaration, Origin};
use rusqlite::Transaction;

use crate::datasets::{DatasetNo, dataset_id, number};
use crate::error::{Fault, StoreError};
use crate::store::Store;

/// A declaration as it is imported.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// What it means.
    pub declaration: Declaration,
    /// The folder or file that was imported.
    pub folder: String,
    /// Every value of it, and where it was said.
    pub origins: Vec<Origin>,
}

/// A declaration that is stored.
#[derive(Debug)]
pub struct DeclarationEntry {
    /// The number of its dataset.
    pub no: DatasetNo,
    /// Its dataset.
    pub dataset: DatasetId,
    /// Where that runs.
    pub environment: String,
    /// The folder or file that was imported.
    pub folder: String,
    /// What it means; the error concerns this one only.
    pub declaration: Result<Declaration, StoreError>,
    /// When somebody works on what delivers the dataset.
    pub maintenance: Maintenance,
}

/// What an import of declarations did, each by dataset and environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclarationChanges {
    /// Not declared before.
    pub added: Vec<(DatasetId, String)>,
    /// Declared differently before.
    pub changed: Vec<(DatasetId, String)>,
    /// No longer declared.
    pub removed: Vec<(DatasetId, String)>,
    /// Declared just so before; where a value stands may have moved.
    pub n_unchanged: u64,
    /// Datasets that nobody knew before.
    pub datasets_new: Vec<DatasetId>,
}

impl Store {
    /// Stores what folders declare, in place of what they declared before.
    /// Repeating it changes nothing. A dataset that is declared by another
    /// folder is an error, and then nothing is stored.
    pub fn declare(
        &mut self,
        folders: &[String],
        declared: &[Declared],
    ) -> Result<DeclarationChanges, StoreError> {
        self.write(|transaction| {
            let mut changes = DeclarationChanges::default();
            let mut before = BTreeMap::new();
            for folder in folders {
                before.append(&mut forget(transaction, folder)?);
            }
            for Declared {
                declaration,
                folder,
                origins,
            } in declared
            {
                let (no, is_new) = number(transaction, &declaration.dataset)?;
                if is_new {
                    changes.datasets_new.push(declaration.dataset.clone());
                }
                refuse_another(transaction, no, declaration)?;
                let key = (declaration.dataset.clone(), declaration.environment.clone());
                let told = json(declaration);
                match before.remove(&key) {
                    Some(before) if before == told => changes.n_unchanged += 1,
                    Some(_) => changes.changed.push(key),
                    None => changes.added.push(key),
                }
                transaction
                    .prepare_cached("INSERT INTO declarations VALUES (?1, ?2, ?3, ?4, ?5)")?
                    .execute((no.0, &declaration.environment, folder, told, json(origins)))?;
            }
            changes.removed = before.into_keys().collect();
            Ok(changes)
        })
    }

    /// All declarations, by dataset and environment.
    pub fn declarations(&self) -> Result<Vec<DeclarationEntry>, StoreError> {
        self.declarations_of(|_, _| true)
    }

    /// How many declarations there are.
    pub fn n_declarations(&self) -> Result<u64, StoreError> {
        self.explain(|| {
            let count = "SELECT count(*) FROM declarations";
            Ok(self.connection.query_row(count, [], |row| row.get(0))?)
        })
    }

    /// The environments in which anything is promised, by name.
    pub fn environments_declared(&self) -> Result<Vec<String>, StoreError> {
        self.explain(|| {
            let mut all = self.connection.prepare_cached(
                "SELECT DISTINCT environment FROM declarations ORDER BY environment",
            )?;
            let names = all.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }

    /// Those that are wanted, by dataset and environment. What others mean is not
    /// read.
    pub fn declarations_of(
        &self,
        is_wanted: impl Fn(&DatasetId, &str) -> bool,
    ) -> Result<Vec<DeclarationEntry>, StoreError> {
        let windows = self.windows()?;
        self.explain(|| {
            let mut all = self.connection.prepare_cached(
                "SELECT no, id, environment, folder, told
                 FROM declarations JOIN datasets ON no = dataset_no ORDER BY id, environment",
            )?;
            let rows = all.query_map([], |row| {
                let dataset = dataset_id(row, 1)?;
                let environment: String = row.get(2)?;
                if !is_wanted(&dataset, &environment) {
                    return Ok(None);
                }
                let told = serde_json::from_str(row.get_ref(4)?.as_str()?);
                Ok(Some(DeclarationEntry {
                    no: DatasetNo(row.get(0)?),
                    environment,
                    folder: row.get(3)?,
                    maintenance: windows.of(&dataset),
                    declaration: told.map_err(|error| StoreError::BadPromise {
                        dataset: dataset.clone(),
                        reason: error.to_string(),
                    }),
                    dataset,
                }))
            })?;
            let rows = rows.collect::<Result<Vec<_>, _>>()?;
            Ok(rows.into_iter().flatten().collect())
        })
    }

    /// Where every value of a declaration was said.
    pub fn origins(&self, entry: &DeclarationEntry) -> Result<Vec<Origin>, StoreError> {
        let text: String = self.explain(|| {
            let mut find = self.connection.prepare_cached(
                "SELECT origins FROM declarations WHERE dataset_no = ?1 AND environment = ?2",
            )?;
            Ok(find.query_row((entry.no.0, &entry.environment), |row| row.get(0))?)
        })?;
        serde_json::from_str(&text).map_err(|error| StoreError::BadPromise {
            dataset: entry.dataset.clone(),
            reason: error.to_string(),
        })
    }
}

/// Forgets what a folder declared; says what that was.
fn forget(
    transaction: &Transaction<'_>,
    folder: &str,
) -> Result<BTreeMap<(DatasetId, String), String>, Fault> {
    let mut select = transaction.prepare_cached(
        "SELECT id, environment, told
         FROM declarations JOIN datasets ON no = dataset_no WHERE folder = ?1",
    )?;
    let before = select
        .query_map([folder], |row| {
            Ok(((dataset_id(row, 0)?, row.get(1)?), row.get(2)?))
        })?
        .collect::<Result<_, _>>()?;
    transaction
        .prepare_cached("DELETE FROM declarations WHERE folder = ?1")?
        .execute([folder])?;
    Ok(before)
}

fn refuse_another(
    transaction: &Transaction<'_>,
    no: DatasetNo,
    declaration: &Declaration,
) -> Result<(), Fault> {
    let mut find = transaction.prepare_cached(
        "SELECT folder FROM declarations WHERE dataset_no = ?1 AND environment = ?2",
    )?;
    let mut found = find.query((no.0, &declaration.environment))?;
    match found.next()? {
        None => Ok(()),
        Some(row) => Err(Fault::Words(StoreError::DeclaredTwice {
            dataset: declaration.dataset.clone(),
            environment: declaration.environment.clone(),
            folder: row.get(0)?,
        })),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a declaration has only text keys and finite numbers")
}

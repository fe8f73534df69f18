//! Which datasets does the store know, and what is declared of them?

use std::collections::HashMap;

use freshness_core::dataset::{Dataset, DatasetId};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::error::{Fault, StoreError};
use crate::store::{Overrides, Store};

/// The number of a dataset inside its store; it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatasetNo(pub(crate) i64);

/// Something of each dataset, by number; an error concerns its dataset only.
pub type PerDataset<T> = Vec<(DatasetNo, Result<T, StoreError>)>;

/// A dataset that the store knows.
#[derive(Debug)]
pub struct DatasetEntry {
    /// Its number.
    pub no: DatasetNo,
    /// Its name.
    pub id: DatasetId,
    /// What is declared of it; the error concerns this dataset only.
    pub declared: Result<Dataset, StoreError>,
}

/// What an import of datasets did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatasetCounts {
    /// Not known before.
    pub new: u64,
    /// Known, and declared differently before.
    pub changed: u64,
    /// Declared just so before.
    pub unchanged: u64,
}

impl Store {
    /// Declares datasets; a declaration replaces the one before. Repeating it
    /// changes nothing.
    pub fn import_datasets(&mut self, datasets: &[Dataset]) -> Result<DatasetCounts, StoreError> {
        let declared: Vec<(&DatasetId, String)> = datasets
            .iter()
            .map(|dataset| (&dataset.id, json(dataset)))
            .collect();
        self.write(|transaction| {
            let mut counts = DatasetCounts::default();
            let mut find =
                transaction.prepare("SELECT no, declared FROM datasets WHERE id = ?1")?;
            let mut declare =
                transaction.prepare("UPDATE datasets SET declared = ?2 WHERE no = ?1")?;
            for (id, declared) in declared {
                let known: Option<(i64, Option<String>)> = find
                    .query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()?;
                let no = match known {
                    Some((_, Some(before))) if before == declared => {
                        counts.unchanged += 1;
                        continue;
                    }
                    Some((no, _)) => {
                        counts.changed += 1;
                        no
                    }
                    None => {
                        counts.new += 1;
                        number(transaction, id)?.0.0
                    }
                };
                declare.execute((no, declared))?;
            }
            Ok(counts)
        })
    }

    /// All datasets, by name, without those that are gone. What the user did not
    /// declare of one is what others tell of it.
    pub fn datasets(&self) -> Result<Vec<DatasetEntry>, StoreError> {
        self.explain(|| {
            let told = read_told(&self.connection)?;
            let mut all = self.connection.prepare_cached(
                "SELECT no, id, declared FROM datasets
                 WHERE no NOT IN (SELECT dataset_no FROM gone) ORDER BY id",
            )?;
            let rows = all.query_map([], |row| {
                let no = row.get(0)?;
                let id = dataset_id(row, 1)?;
                let declared = match row.get_ref(2)?.as_str_or_null() {
                    Ok(None) => Ok(Dataset::undeclared(id.clone())),
                    Ok(Some(text)) => serde_json::from_str(text).map_err(|e| e.to_string()),
                    Err(error) => Err(error.to_string()),
                };
                let told = told.get(&no).map(Vec::as_slice).unwrap_or_default();
                let told: Result<Dataset, String> =
                    told.iter()
                        .try_fold(Dataset::undeclared(id.clone()), |known, told| {
                            let told =
                                serde_json::from_str(told).map_err(|error| error.to_string());
                            Ok(known.or(told?))
                        });
                let declared = match &self.overrides {
                    None => declared.and_then(|declared| Ok(declared.or(told?))),
                    Some(Overrides {
                        over,
                        under,
                        has_windows: _,
                    }) => declared.and_then(|declared| Ok(under(declared.or(over(told?))))),
                };
                Ok(DatasetEntry {
                    no: DatasetNo(no),
                    declared: declared.map_err(|reason| StoreError::BadDeclaration {
                        dataset: id.clone(),
                        reason,
                    }),
                    id,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The number of a dataset; `None` if it is not known.
    pub fn dataset_no(&self, id: &str) -> Result<Option<DatasetNo>, StoreError> {
        self.explain(|| {
            let found = self
                .connection
                .prepare_cached("SELECT no FROM datasets WHERE id = ?1")?
                .query_row([id], |row| row.get(0))
                .optional()?;
            Ok(found.map(DatasetNo))
        })
    }

    /// The name behind a number, for an error about it.
    pub(crate) fn name(&self, no: DatasetNo) -> Result<DatasetId, Fault> {
        let mut find = self
            .connection
            .prepare_cached("SELECT id FROM datasets WHERE no = ?1")?;
        Ok(find.query_row([no.0], |row| dataset_id(row, 0))?)
    }
}

/// What others tell of datasets, as JSON by number; of each dataset in the order
/// of the names of its sources.
fn read_told(connection: &Connection) -> Result<HashMap<i64, Vec<String>>, Fault> {
    let mut told: HashMap<i64, Vec<String>> = HashMap::new();
    let mut all = connection
        .prepare_cached("SELECT dataset_no, told FROM datasets_told ORDER BY dataset_no, source")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        told.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(told)
}

/// The number of a dataset, given now if it is new, and whether it is.
pub(crate) fn number(
    transaction: &Transaction<'_>,
    id: &DatasetId,
) -> Result<(DatasetNo, bool), Fault> {
    let found = transaction
        .prepare_cached("SELECT no FROM datasets WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(no) = found {
        return Ok((DatasetNo(no), false));
    }
    transaction
        .prepare_cached("INSERT INTO datasets (id) VALUES (?1)")?
        .execute([id.as_str()])?;
    Ok((DatasetNo(transaction.last_insert_rowid()), true))
}

pub(crate) fn dataset_id(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<DatasetId> {
    let text = row.get_ref(column)?.as_str()?;
    DatasetId::try_from(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

pub(crate) fn json(dataset: &Dataset) -> String {
    serde_json::to_string(dataset).expect("a dataset has only text keys")
}

//! Which contracts are there?

use std::collections::BTreeMap;

use freshness_core::coverage::ContractRow;
use freshness_core::dataset::DatasetId;
use rusqlite::{Connection, Params, Transaction};

use super::scopes;
use crate::datasets;
use crate::error::{Fault, StoreError};
use crate::store::Store;

/// What becomes of what is declared already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclareMode {
    /// It stays, unless it is declared anew.
    Add,
    /// It goes: the new declarations are all there are.
    Replace,
}

/// What an import of contracts, or of an inventory, did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContractCounts {
    /// Not known before.
    pub new: u64,
    /// Known, and written differently before.
    pub changed: u64,
    /// Written just so before.
    pub unchanged: u64,
    /// That went.
    pub removed: u64,
}

type Key = (String, String);

impl Store {
    /// Stores contracts; each replaces those of its scope, and several of a
    /// scope stay several, also if they say the same. Repeating it changes nothing, and a ledger stays whatever becomes of its contract. A
    /// dataset that a contract names is known from then on.
    pub fn import_contracts(
        &mut self,
        contracts: &[ContractRow],
        mode: DeclareMode,
    ) -> Result<ContractCounts, StoreError> {
        let mut told: BTreeMap<Key, Vec<&ContractRow>> = BTreeMap::new();
        for contract in contracts {
            told.entry(key(contract)).or_default().push(contract);
        }
        told.values_mut().for_each(|contracts| contracts.sort());
        self.write(|transaction| {
            let mut counts = ContractCounts::default();
            let mut before: BTreeMap<Key, Vec<ContractRow>> = BTreeMap::new();
            for contract in read_contracts(transaction)? {
                before.entry(key(&contract)).or_default().push(contract);
            }
            before.values_mut().for_each(|contracts| contracts.sort());
            if mode == DeclareMode::Replace {
                for (key, gone) in &before {
                    if !told.contains_key(key) {
                        forget(transaction, key)?;
                        counts.removed += gone.len() as u64;
                    }
                }
            }
            for (key, contracts) in &told {
                *match before.get(key) {
                    Some(before) if before.iter().eq(contracts.iter().copied()) => {
                        counts.unchanged += 1;
                        continue;
                    }
                    Some(_) => {
                        forget(transaction, key)?;
                        &mut counts.changed
                    }
                    None => &mut counts.new,
                } += 1;
                for contract in contracts {
                    insert(transaction, contract)?;
                }
            }
            Ok(counts)
        })
    }

    /// How many contracts there are.
    pub fn n_contracts(&self) -> Result<u64, StoreError> {
        self.explain(|| {
            let count = "SELECT count(*) FROM contracts";
            Ok(self.connection.query_row(count, [], |row| row.get(0))?)
        })
    }

    /// All contracts, by source and scope.
    pub fn contracts(&self) -> Result<Vec<ContractRow>, StoreError> {
        self.explain(|| read_contracts(&self.connection))
    }
}

/// The contracts of one scope.
pub(super) fn of_scope(connection: &Connection, scope_no: i64) -> Result<Vec<ContractRow>, Fault> {
    select(connection, "WHERE scope_no = ?1 ORDER BY c.no", [scope_no])
}

/// A contract, from the first columns of a row.
pub(super) fn contract(row: &rusqlite::Row<'_>) -> rusqlite::Result<ContractRow> {
    Ok(ContractRow {
        source: row.get(0)?,
        scope: row.get(1)?,
        max_source_lag_minutes: row.get(2)?,
        max_publication_gap_minutes: row.get(3)?,
        dataset: row.get(4)?,
        calendar: row.get(5)?,
        timezone: row.get(6)?,
        skew_tolerance_minutes: row.get(7)?,
        owner: row.get(8)?,
    })
}

fn read_contracts(connection: &Connection) -> Result<Vec<ContractRow>, Fault> {
    select(connection, "ORDER BY source, scope, c.no", [])
}

/// The contracts that `which` says, in its order.
fn select(
    connection: &Connection,
    which: &str,
    parameters: impl Params,
) -> Result<Vec<ContractRow>, Fault> {
    let mut select = connection.prepare_cached(&format!(
        "SELECT source, scope, max_source_lag_minutes, max_publication_gap_minutes, dataset,
                calendar, timezone, skew_tolerance_minutes, owner
         FROM contracts c JOIN scopes s ON s.no = scope_no {which}"
    ))?;
    let rows = select.query_map(parameters, contract)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn key(contract: &ContractRow) -> Key {
    (contract.source.clone(), contract.scope.clone())
}

fn forget(transaction: &Transaction<'_>, (source, scope): &Key) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "DELETE FROM contracts
             WHERE scope_no = (SELECT no FROM scopes WHERE source = ?1 AND scope = ?2)",
        )?
        .execute([source, scope])?;
    Ok(())
}

fn insert(transaction: &Transaction<'_>, contract: &ContractRow) -> Result<(), Fault> {
    let ContractRow {
        source,
        scope,
        max_source_lag_minutes,
        max_publication_gap_minutes,
        dataset,
        calendar,
        timezone,
        skew_tolerance_minutes,
        owner,
    } = contract;
    let named = dataset.as_deref().map(DatasetId::try_from);
    if let Some(Ok(dataset)) = named {
        datasets::number(transaction, &dataset)?;
    }
    let scope_no = scopes::number(transaction, source, scope)?;
    transaction
        .prepare_cached(
            "INSERT INTO contracts
                 (scope_no, max_source_lag_minutes, max_publication_gap_minutes, dataset,
                  calendar, timezone, skew_tolerance_minutes, owner)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            scope_no,
            max_source_lag_minutes,
            max_publication_gap_minutes,
            dataset,
            calendar,
            timezone,
            skew_tolerance_minutes,
            owner,
        ))?;
    Ok(())
}

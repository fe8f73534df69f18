//! Which scopes are known to be needed, whoever has a contract?

use std::collections::BTreeSet;

use freshness_core::coverage::ScopeKey;
use rusqlite::Connection;
use rusqlite::types::{FromSqlError, Type};

use super::contracts::{ContractCounts, DeclareMode};
use super::scopes;
use crate::error::{Fault, StoreError};
use crate::store::Store;

impl Store {
    /// Declares an inventory; repeating it changes nothing.
    pub fn import_inventory(
        &mut self,
        inventory: &[ScopeKey],
        mode: DeclareMode,
    ) -> Result<ContractCounts, StoreError> {
        let told: BTreeSet<&ScopeKey> = inventory.iter().collect();
        self.write(|transaction| {
            let before: BTreeSet<ScopeKey> = read_inventory(transaction)?.into_iter().collect();
            let mut counts = ContractCounts::default();
            if mode == DeclareMode::Replace {
                let kept = told.iter().filter(|key| before.contains(**key)).count();
                counts.removed = (before.len() - kept) as u64;
                transaction.execute("DELETE FROM inventory", [])?;
            }
            for key in told {
                match before.contains(key) {
                    true => counts.unchanged += 1,
                    false => counts.new += 1,
                }
                let no = scopes::number(transaction, key.source(), key.scope())?;
                transaction
                    .prepare_cached("INSERT OR IGNORE INTO inventory VALUES (?1)")?
                    .execute([no])?;
            }
            Ok(counts)
        })
    }

    /// The inventory, sorted; empty if none was declared.
    pub fn inventory(&self) -> Result<Vec<ScopeKey>, StoreError> {
        self.explain(|| read_inventory(&self.connection))
    }
}

fn read_inventory(connection: &Connection) -> Result<Vec<ScopeKey>, Fault> {
    let mut all = connection.prepare_cached(
        "SELECT source, scope FROM inventory JOIN scopes ON no = scope_no ORDER BY source, scope",
    )?;
    let rows = all.query_map([], |row| {
        let (source, scope): (String, String) = (row.get(0)?, row.get(1)?);
        ScopeKey::new(&source, &scope).map_err(|error| {
            let error = FromSqlError::other(error);
            rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error))
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

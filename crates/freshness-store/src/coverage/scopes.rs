//! Which number has a source and scope?

use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::error::Fault;

/// The number of a scope; `None` if nothing has named it.
pub(super) fn find(
    connection: &Connection,
    source: &str,
    scope: &str,
) -> Result<Option<i64>, Fault> {
    let found = connection
        .prepare_cached("SELECT no FROM scopes WHERE source = ?1 AND scope = ?2")?
        .query_row([source, scope], |row| row.get(0))
        .optional()?;
    Ok(found)
}

/// The number of a scope, given now if it is new.
pub(super) fn number(
    transaction: &Transaction<'_>,
    source: &str,
    scope: &str,
) -> Result<i64, Fault> {
    if let Some(no) = find(transaction, source, scope)? {
        return Ok(no);
    }
    transaction
        .prepare_cached("INSERT INTO scopes (source, scope) VALUES (?1, ?2)")?
        .execute([source, scope])?;
    Ok(transaction.last_insert_rowid())
}

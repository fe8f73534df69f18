//! Which form does the store have, and how does it get the newest?
//!
//! Numbered files, applied in order in one transaction, never edited: a test
//! pins what they say. `user_version` counts them; `application_id` tells our
//! file from another program's SQLite database.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::Fault;

/// The form this program writes: how many migrations there are.
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_house.sql"),
    include_str!("../migrations/0002_dashboards.sql"),
    include_str!("../migrations/0003_incidents.sql"),
    include_str!("../migrations/0004_overdue_members.sql"),
    include_str!("../migrations/0005_runs.sql"),
    include_str!("../migrations/0006_declarations.sql"),
    include_str!("../migrations/0007_coverage.sql"),
    include_str!("../migrations/0008_breached_members.sql"),
    include_str!("../migrations/0009_told.sql"),
    include_str!("../migrations/0010_called.sql"),
    include_str!("../migrations/0011_told_runs.sql"),
    include_str!("../migrations/0012_steps.sql"),
    include_str!("../migrations/0013_emptied.sql"),
    include_str!("../migrations/0014_step_in_hand.sql"),
];

/// `Frsh`: marks a SQLite file as a store.
const APPLICATION_ID: u32 = 0x4672_7368;

/// What an opened file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Nothing in it yet.
    Empty,
    /// A database of another program.
    Foreign,
    /// A store after this many migrations.
    Version(u32),
}

pub(crate) fn form(connection: &Connection) -> Result<Form, Fault> {
    if !connection.is_autocommit() {
        return form_inside(connection);
    }
    // One view for all questions: another process may be making the store.
    form_inside(&*connection.unchecked_transaction()?)
}

fn form_inside(connection: &Connection) -> Result<Form, Fault> {
    // Ours is below 2³¹; those of others may be negative.
    let application_id: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application_id == i64::from(APPLICATION_ID) {
        let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        return Ok(Form::Version(version));
    }
    let n_objects: u64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application_id, n_objects) {
        (0, 0) => Form::Empty,
        _ => Form::Foreign,
    })
}

/// Applies what is missing. Of two processes that open at once the second
/// waits for the lock and finds nothing left to do.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), Fault> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let missing = match form(&transaction)? {
        Form::Empty => MIGRATIONS,
        Form::Version(version) => MIGRATIONS.get(version as usize..).unwrap_or_default(),
        Form::Foreign => &[],
    };
    if !missing.is_empty() {
        for migration in missing {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_is_never_edited() {
        // A new migration adds a line; no line ever changes.
        let pinned: &[u32] = &[
            1_539_678_711,
            2_192_300_536,
            1_755_582_808,
            2_418_533_417,
            2_927_501_083,
            950_821_503,
            2_039_730_596,
            2_850_704_796,
            715_285_031,
            2_577_245_022,
            1_585_812_002,
            3_361_588_827,
            578_618_457,
            1_597_915_827,
        ];
        let found: Vec<u32> = MIGRATIONS
            .iter()
            .map(|migration| crc32fast::hash(migration.as_bytes()))
            .collect();
        assert_eq!(found, pinned);
    }
}

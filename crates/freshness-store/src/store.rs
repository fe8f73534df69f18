//! How is the store opened, and what does a transaction promise?
//!
//! WAL, so that readers never wait; `synchronous=FULL`, so that what was
//! reported as stored survives a power loss; a writing transaction takes the
//! lock at its start, so that it never fails half way for want of it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshness_core::dataset::Dataset;
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{Fault, StoreError, is_full};
use crate::schema::{self, Form, SCHEMA_VERSION};

/// What the store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading, also on a read-only disk, also while others write.
    ReadOnly,
    /// Reading and writing; the store must exist.
    ReadWrite,
    /// Reading and writing; made, with its folder, if it is missing.
    Create,
}

/// An open store. It may be sent to another thread, and is not shared between
/// threads: see [`Store::readers`].
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
    access: Access,
    busy_timeout: Duration,
    pub(crate) overrides: Option<Overrides>,
}

/// What somebody says of datasets that is in no store.
#[derive(Clone)]
pub struct Overrides {
    /// Over what was told of a dataset; what the user imported wins over that.
    pub over: Arc<dyn Fn(Dataset) -> Dataset + Send + Sync>,
    /// Where nothing is known after all.
    pub under: Arc<dyn Fn(Dataset) -> Dataset + Send + Sync>,
    /// Do they name windows of maintenance?
    pub has_windows: bool,
}

impl fmt::Debug for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Overrides")
    }
}

/// How long a writer waits for the others.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// A chunk has about 2 KiB: three fit on a page, and the tail of a dataset
/// costs one page.
const PAGE_BYTES: u32 = 8_192;

/// What the -wal file is cut back to after a large import.
const WAL_BYTES_KEPT: u32 = 64 << 20;

impl Store {
    /// Opens the store.
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<Store, StoreError> {
        Store::open_waiting(path, access, BUSY_TIMEOUT)
    }

    /// Opens the store; `busy_timeout` is how long a write waits for others.
    pub fn open_waiting(
        path: impl AsRef<Path>,
        access: Access,
        busy_timeout: Duration,
    ) -> Result<Store, StoreError> {
        let path = path.as_ref();
        match access {
            Access::Create => make_folder(path)?,
            Access::ReadOnly | Access::ReadWrite => must_exist(path, access)?,
        }
        connect(path, access, busy_timeout)
            .map(|connection| Store {
                connection,
                path: path.to_owned(),
                access,
                busy_timeout,
                overrides: None,
            })
            .map_err(|fault| fault.at(path, access, busy_timeout))
    }

    /// From now on, [`Store::datasets`] says what these say, too.
    pub fn override_datasets(&mut self, overrides: Overrides) {
        self.overrides = Some(overrides);
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens `n` read-only stores that all see the same instant until they are
    /// dropped: one for each thread of a long read.
    pub fn readers(&self, n: usize) -> Result<Vec<Store>, StoreError> {
        let reader = |_| {
            let opened = Store::open_waiting(&self.path, Access::ReadOnly, self.busy_timeout);
            opened.map(|store| Store {
                overrides: self.overrides.clone(),
                ..store
            })
        };
        let readers = (0..n).map(reader).collect::<Result<Vec<_>, _>>()?;
        let started = Instant::now();
        loop {
            let mut seen = Vec::with_capacity(n);
            for reader in &readers {
                seen.push(reader.explain(|| reader.begin_reading())?);
            }
            if seen.windows(2).all(|pair| pair[0] == pair[1]) {
                return Ok(readers);
            }
            if started.elapsed() > self.busy_timeout {
                return Err(StoreError::Locked {
                    path: self.path.clone(),
                    waited: started.elapsed(),
                });
            }
            for reader in &readers {
                reader.explain(|| Ok(reader.connection.execute_batch("ROLLBACK")?))?;
            }
        }
    }

    /// Runs several reads that all see the same instant.
    pub fn at_one_instant<T, E: From<StoreError>>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, E>,
    ) -> Result<T, E> {
        // A reader of `readers` is inside a transaction already.
        if !self.connection.is_autocommit() {
            return read(self);
        }
        let transaction = self.explain(|| Ok(self.connection.unchecked_transaction()?))?;
        let found = read(self);
        drop(transaction);
        found
    }

    /// One writing transaction: all of it, or on any error nothing.
    pub(crate) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        if self.access == Access::ReadOnly {
            return Err(StoreError::ReadOnly {
                path: self.path.clone(),
            });
        }
        write(&mut self.connection, change)
            .map_err(|fault| fault.at(&self.path, self.access, self.busy_timeout))
    }

    /// Puts what a read ran into in words.
    pub(crate) fn explain<T>(
        &self,
        read: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        read().map_err(|fault| fault.at(&self.path, self.access, self.busy_timeout))
    }

    fn begin_reading(&self) -> Result<u64, Fault> {
        self.connection.execute_batch("BEGIN")?;
        Ok(self
            .connection
            .query_row("SELECT n FROM generation", [], |row| row.get(0))?)
    }
}

fn write<T>(
    connection: &mut Connection,
    change: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let changed = change(&transaction)?;
    transaction.execute("UPDATE generation SET n = n + 1", [])?;
    transaction.commit()?;
    Ok(changed)
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|reason| {
        let path = path.to_owned();
        match reason.kind() {
            io::ErrorKind::StorageFull => StoreError::DiskFull { path },
            io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { path },
            _ => StoreError::CannotOpen {
                path,
                access: Access::Create,
                reason,
            },
        }
    })
}

fn must_exist(path: &Path, access: Access) -> Result<(), StoreError> {
    let wrong = |reason: io::Error| StoreError::CannotOpen {
        path: path.to_owned(),
        access,
        reason,
    };
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(wrong(io::ErrorKind::IsADirectory.into())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::Missing {
            path: path.to_owned(),
        }),
        Err(error) => Err(wrong(error)),
    }
}

fn connect(path: &Path, access: Access, busy_timeout: Duration) -> Result<Connection, Fault> {
    match access {
        Access::ReadOnly => connect_to_read(path, busy_timeout),
        Access::ReadWrite | Access::Create => connect_to_write(path, access, busy_timeout),
    }
}

fn connect_to_read(path: &Path, busy_timeout: Duration) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(on_disk(path), flags).and_then(|connection| {
        connection.busy_timeout(busy_timeout)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    });
    let connection = match opened {
        Err(error) if wants_files_beside(&error) && !has_pending_writes(path) => {
            // A disk that cannot be written, or is full: no -shm file can be
            // made, and none is needed as long as no writer has left a -wal
            // file.
            let uri = format!("file:{}?immutable=1", escaped(&on_disk(path)));
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
        }
        opened => opened?,
    };
    match schema::form(&connection)? {
        Form::Version(SCHEMA_VERSION) => Ok(connection),
        Form::Version(found) if found < SCHEMA_VERSION => Err(StoreError::Older {
            path: path.to_owned(),
            found,
            known: SCHEMA_VERSION,
        }
        .into()),
        form => Err(refusal(path, form).into()),
    }
}

fn connect_to_write(
    path: &Path,
    access: Access,
    busy_timeout: Duration,
) -> Result<Connection, Fault> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if access == Access::Create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let mut connection = Connection::open_with_flags(on_disk(path), flags)?;
    connection.busy_timeout(busy_timeout)?;
    // SQLite falls back to reading in silence.
    if connection.is_readonly("main")? {
        return Err(StoreError::ReadOnly {
            path: path.to_owned(),
        }
        .into());
    }
    match schema::form(&connection)? {
        Form::Empty if access == Access::Create => {
            connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        }
        Form::Version(found) if found <= SCHEMA_VERSION => {}
        form => return Err(refusal(path, form).into()),
    }
    use_wal(&connection, busy_timeout)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES_KEPT)?;
    if schema::form(&connection)? != Form::Version(SCHEMA_VERSION) {
        schema::migrate(&mut connection)?;
    }
    Ok(connection)
}

/// Two processes that create the store at once meet here; SQLite does not wait
/// by itself for this change.
fn use_wal(connection: &Connection, busy_timeout: Duration) -> Result<(), Fault> {
    let started = Instant::now();
    loop {
        let changed = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match changed {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < busy_timeout =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            changed => return changed.map(drop).map_err(Fault::from),
        }
    }
}

fn refusal(path: &Path, form: Form) -> StoreError {
    let path = path.to_owned();
    match form {
        Form::Empty => StoreError::Missing { path },
        Form::Foreign => StoreError::NotAStore { path },
        Form::Version(found) => StoreError::Newer {
            path,
            found,
            known: SCHEMA_VERSION,
        },
    }
}

fn wants_files_beside(error: &rusqlite::Error) -> bool {
    is_full(error)
        || matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
        )
}

fn has_pending_writes(path: &Path) -> bool {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    std::fs::metadata(wal).is_ok_and(|wal| wal.len() > 0)
}

/// SQLite has names of its own, such as `:memory:`; ours are files.
fn on_disk(path: &Path) -> PathBuf {
    Path::new(".").join(path)
}

/// The path inside a `file:` URI.
fn escaped(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

/// An instant kept as UTC seconds.
pub(crate) fn instant(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Timestamp::from_second(row.get(column)?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_store_is_said_and_stores_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let mut store = Store::open(&path, Access::Create).unwrap();
        let full = store
            .connection
            .pragma_update_and_check(None, "max_page_count", 1, |row| row.get::<_, u32>(0));
        assert!(full.is_ok());
        let stored = store.write(|transaction| {
            transaction.execute("INSERT INTO chunks VALUES (1, 1, zeroblob(100000))", [])?;
            Ok(())
        });
        assert!(
            matches!(stored, Err(StoreError::DiskFull { .. })),
            "{stored:?}"
        );
        assert_eq!(store.integrity().unwrap().n_arrivals, 0);
    }

    #[test]
    fn what_is_reported_as_stored_survives_a_power_loss() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        for access in [Access::Create, Access::ReadWrite] {
            let store = Store::open(&path, access).unwrap();
            let level: u32 = store
                .connection
                .pragma_query_value(None, "synchronous", |row| row.get(0))
                .unwrap();
            const FULL: u32 = 2;
            assert_eq!(level, FULL);
        }
    }
}

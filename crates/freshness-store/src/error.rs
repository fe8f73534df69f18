//! What can go wrong with a store, in words?

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use freshness_core::dataset::DatasetId;
use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::chunk::ChunkError;
use crate::store::Access;

/// Why the store could not do what was asked. [`StoreError::hint`] says what
/// helps.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum StoreError {
    #[error("no store: {}", .path.display())]
    Missing { path: PathBuf },
    #[error("cannot open the store: {}: {reason}", .path.display())]
    CannotOpen {
        path: PathBuf,
        access: Access,
        reason: io::Error,
    },
    #[error("not a store of freshness: {}", .path.display())]
    NotAStore { path: PathBuf },
    #[error("the store is damaged: {}", .path.display())]
    Damaged { path: PathBuf },
    #[error(
        "the store was written by a newer version of freshness: {} (its format is {found}, this program knows up to {known})",
        .path.display()
    )]
    Newer {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error(
        "the store has an older format and cannot be brought up to date while it is only read: {} (its format is {found}, this program needs {known})",
        .path.display()
    )]
    Older {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error("the store is read-only: {}", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("the store is locked: {} (waited {} s)", .path.display(), .waited.as_secs_f64())]
    Locked { path: PathBuf, waited: Duration },
    #[error("the disk is full: {}", .path.display())]
    DiskFull { path: PathBuf },
    #[error("the disk is full, and reading the store needs a little room: {}", .path.display())]
    NoRoomToRead { path: PathBuf },
    #[error("the disk failed under the store: {}: {reason}", .path.display())]
    Disk { path: PathBuf, reason: String },
    #[error("the stored arrivals of {dataset} cannot be read: {reason}")]
    BadChunk {
        dataset: DatasetId,
        reason: ChunkError,
    },
    #[error("the stored declaration of {dataset} cannot be read: {reason}")]
    BadDeclaration { dataset: DatasetId, reason: String },
    #[error("the stored promises of {dataset} cannot be read: {reason}")]
    BadPromise { dataset: DatasetId, reason: String },
    #[error("{dataset} ({environment}) is declared twice, also in {folder}")]
    DeclaredTwice {
        dataset: DatasetId,
        environment: String,
        folder: String,
    },
    #[error("the stored model of {dataset} cannot be read: {reason}")]
    BadModel { dataset: DatasetId, reason: String },
    #[error(
        "the model of {dataset} was made by another version of freshness: {found} (this program reads {known})"
    )]
    ModelVersion {
        dataset: DatasetId,
        found: u32,
        known: u32,
    },
    #[error("an arrival of {dataset} is outside the years 1970 to 2514: {at} seconds since 1970")]
    TimeOutOfRange { dataset: DatasetId, at: i64 },
    #[error("the store failed: {}: {reason}", .path.display())]
    Unexpected { path: PathBuf, reason: String },
}

impl StoreError {
    /// What helps, if it is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::Missing { .. } => {
                Some("create it by importing: `freshness import arrivals FILE`")
            }
            StoreError::CannotOpen { access, reason, .. } => match reason.kind() {
                io::ErrorKind::PermissionDenied => Some(match access {
                    Access::ReadOnly => "give this user the right to read the file and its folder",
                    Access::ReadWrite | Access::Create => {
                        "give this user the right to write the file and its folder, or name another with --store"
                    }
                }),
                io::ErrorKind::NotFound => Some("create the folder, or name another with --store"),
                _ => None,
            },
            StoreError::NotAStore { .. } => {
                Some("the file is something else and was left alone; name another with --store")
            }
            StoreError::Damaged { .. } => Some(
                "restore it from a backup, or remove it with its -wal and -shm files and import again",
            ),
            StoreError::Newer { .. } => {
                Some("use the newer version of freshness, or another store with --store")
            }
            StoreError::Older { .. } => {
                Some("run a command that writes, such as `freshness fit`, once")
            }
            StoreError::ReadOnly { .. } => Some(
                "make the file and its folder writable for this user; SQLite writes -wal and -shm files beside it",
            ),
            StoreError::Locked { .. } => {
                Some("another process has been writing all the while; try again when it has ended")
            }
            StoreError::DiskFull { .. } => {
                Some("nothing of this command was stored; free some space and run it again")
            }
            StoreError::NoRoomToRead { .. } => {
                Some("free some space: 100 kB for the -shm file beside the store are enough")
            }
            StoreError::BadChunk { .. } | StoreError::BadDeclaration { .. } => Some(
                "`freshness doctor` shows how much is damaged; restore the store from a backup",
            ),
            StoreError::BadPromise { .. } => Some("import it again: `freshness import slo DIR`"),
            StoreError::DeclaredTwice { .. } => Some(
                "nothing was imported; take it out of one of them (an import of a folder without it forgets it), or give one another `environment`",
            ),
            StoreError::BadModel { .. } | StoreError::ModelVersion { .. } => {
                Some("run `freshness fit`")
            }
            StoreError::Disk { .. }
            | StoreError::TimeOutOfRange { .. }
            | StoreError::Unexpected { .. } => None,
        }
    }
}

/// What happens inside the crate: SQLite's own error, or one already in words.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Words(StoreError),
    /// The caller refused what it was shown; it knows why.
    TakenBack,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sql(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Words(error)
    }
}

impl Fault {
    /// Puts it in words.
    pub(crate) fn at(self, path: &Path, access: Access, waited: Duration) -> StoreError {
        let error = match self {
            Fault::Words(error) => return error,
            Fault::Sql(error) => error,
            Fault::TakenBack => {
                return StoreError::Unexpected {
                    path: path.to_owned(),
                    reason: "taken back".to_owned(),
                };
            }
        };
        let path = path.to_owned();
        let Some(code) = error.sqlite_error() else {
            // A value of a type that no writer of ours puts there.
            return match error {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::Utf8Error(..) => StoreError::Damaged { path },
                other => StoreError::Unexpected {
                    path,
                    reason: other.to_string(),
                },
            };
        };
        match (code.code, code.extended_code) {
            (ErrorCode::NotADatabase, _) => StoreError::NotAStore { path },
            (ErrorCode::DatabaseCorrupt, _) | (_, ffi::SQLITE_IOERR_SHORT_READ) => {
                StoreError::Damaged { path }
            }
            _ if is_full(&error) => match access {
                Access::ReadOnly => StoreError::NoRoomToRead { path },
                Access::ReadWrite | Access::Create => StoreError::DiskFull { path },
            },
            (ErrorCode::ReadOnly, _) => StoreError::ReadOnly { path },
            (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => {
                StoreError::Locked { path, waited }
            }
            (ErrorCode::CannotOpen | ErrorCode::PermissionDenied, _) => {
                let reason = why_unopened(&path);
                StoreError::CannotOpen {
                    path,
                    access,
                    reason,
                }
            }
            (ErrorCode::SystemIoFailure, _) => StoreError::Disk {
                path,
                reason: error.to_string(),
            },
            _ => StoreError::Unexpected {
                path,
                reason: error.to_string(),
            },
        }
    }
}

/// Is there no room on the disk, be it for the store or for a file beside it?
pub(crate) fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull || error.extended_code == ffi::SQLITE_IOERR_SHMSIZE
    })
}

/// SQLite says only that it could not open; the system knows why.
fn why_unopened(path: &Path) -> io::Error {
    match std::fs::File::open(path) {
        Ok(_) if path.is_dir() => io::ErrorKind::IsADirectory.into(),
        // The file opens, so it is the files beside it that do not.
        Ok(_) => io::ErrorKind::PermissionDenied.into(),
        Err(error)
            if error.kind() == io::ErrorKind::NotFound
                && path
                    .parent()
                    .is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir()) =>
        {
            io::ErrorKind::PermissionDenied.into()
        }
        Err(error) => error,
    }
}

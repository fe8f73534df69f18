//! What do the logs of table formats say arrived?
//!
//! A Delta table writes down every commit (`delta`, one of them in `commit`),
//! an Iceberg table every snapshot (`iceberg`, the file of them in `metadata`,
//! which of them came to its main branch in `snapshots`). Both become arrivals
//! where data came. What only moved data about, took some away, or went back
//! to an earlier state is no arrival: the table looks touched, and nothing new
//! is in it. What is one load is put together in `loads`.

mod commit;
mod cycles;
mod delta;
mod iceberg;
mod loads;
mod metadata;
mod metrics;
mod snapshots;

use std::io;

use super::place::PlaceError;
use super::told::Told;

pub use delta::read_delta;
pub use iceberg::read_iceberg;
pub use loads::Settle;

/// What a table's log says.
#[derive(Debug, Clone, Default)]
pub struct ReadTable {
    /// What arrived, and what is odd.
    pub told: Told,
    /// To be given to the next reading of the same table, which then begins
    /// where this one ended. A text without meaning for anybody else.
    pub cursor: Option<String>,
    /// Commits or snapshots that were looked at.
    pub n_read: u64,
    /// Those of them that brought data.
    pub n_brought: u64,
}

/// Why a table cannot be read: nothing of it counts.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct LakeError {
    /// The table or the file.
    pub place: String,
    /// What is wrong with it.
    pub fault: LakeFault,
}

/// What is wrong with a table or a file of it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LakeFault {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error("not a Delta table: there is no _delta_log in it")]
    NoDelta,
    #[error("the log of the table is empty")]
    NoCommits,
    #[error("not an Iceberg table: there is no metadata in it")]
    NoIceberg,
    #[error("line {line}: longer than {} MiB", commit::LINE_MIB_MAX)]
    LongLine { line: u64 },
    #[error("line {line}, column {column}: {message}")]
    Json {
        line: u64,
        column: u64,
        message: String,
    },
    #[error("the file is empty")]
    Empty,
    #[error("larger than {} MiB, unzipped", metadata::MIB_MAX)]
    TooLarge,
    #[error("damaged gzip: {0}")]
    Gzip(io::Error),
    #[error("format version {0} of Iceberg is not known (known: 1 to 3)")]
    Version(i64),
    #[error("the table has no partition column of this name: {column} (it has {found})")]
    NoColumn { column: String, found: String },
}

impl LakeFault {
    /// What helps, if it is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            LakeFault::Place(error) => error.hint().map(str::to_owned),
            LakeFault::NoDelta => {
                Some("name the folder of the table, the one that holds _delta_log".to_owned())
            }
            LakeFault::NoIceberg => Some(
                "name the folder of the table, the one that holds `metadata`, or a metadata.json"
                    .to_owned(),
            ),
            LakeFault::NoColumn { .. } => Some("--cycle names a partition column".to_owned()),
            LakeFault::Empty | LakeFault::Json { .. } | LakeFault::Gzip(_) => {
                Some("was the file still being written or copied?".to_owned())
            }
            LakeFault::NoCommits
            | LakeFault::LongLine { .. }
            | LakeFault::TooLarge
            | LakeFault::Version(_) => None,
        }
    }

    /// None of the columns that were found is the one that is asked for.
    fn no_column(column: &str, found: &[impl AsRef<str>]) -> LakeFault {
        let found: Vec<&str> = found.iter().map(AsRef::as_ref).collect();
        LakeFault::NoColumn {
            column: column.to_owned(),
            found: match found.is_empty() {
                true => "none".to_owned(),
                false => found.join(", "),
            },
        }
    }

    /// Bytes that cannot be had: the place does not give them, or they are no gzip.
    fn unread(error: io::Error) -> LakeFault {
        match error.kind() {
            io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof => LakeFault::Gzip(error),
            _ => LakeFault::Place(error.into()),
        }
    }

    /// A fault of JSON, in words that quote nothing of it.
    fn json(error: serde_json::Error, lines_before: u64) -> LakeFault {
        use serde_json::error::Category;
        let message = match error.classify() {
            Category::Io => return LakeFault::Place(io::Error::from(error).into()),
            Category::Eof => "the file ends in the middle".to_owned(),
            Category::Syntax => "not JSON".to_owned(),
            Category::Data => {
                let words = error.to_string();
                let end = words.rfind(" at line ").unwrap_or(words.len());
                super::problem::quoted(&words[..end])
                    .trim_matches('"')
                    .to_owned()
            }
        };
        LakeFault::Json {
            line: lines_before + error.line() as u64,
            column: error.column() as u64,
            message,
        }
    }
}

//! Does what is learned of real histories agree with what people know of them?
//!
//! A folder holds histories (`arrivals.csv` or `arrivals.csv.gz`, and
//! `datasets.csv` with their names); a truth file holds what is known of each:
//! its calendar at the end of the history, its zone, and when its schedule
//! moved. Each history is fitted with nothing declared, as of its last arrival.

mod compare;
mod folder;
mod page;
mod truth;

pub use compare::{Agreement, Compared, ComparedMove, Stray, compare};
pub use folder::{Folder, read_folder};
pub use page::page;
pub use truth::{Confidence, Known, KnownMove, MoveKind, View, ZoneFamily, read_truth, read_views};

use std::path::PathBuf;

/// Why the comparison cannot be made.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum AgreementError {
    #[error("cannot read: {path}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("unreadable row in {path}")]
    Row { path: PathBuf, source: csv::Error },
    #[error("unreadable value in {path}, row {row}: {value}")]
    Value {
        path: PathBuf,
        row: usize,
        value: String,
    },
    #[error("unreadable fact in line {line}")]
    Fact {
        line: usize,
        source: serde_json::Error,
    },
    #[error("no such calendar in line {line}: {calendar}")]
    Calendar { line: usize, calendar: String },
    #[error("nothing is known of a dataset of the folder: {0}")]
    Unknown(String),
}

//! Which promises do files make?
//!
//! A folder holds service levels (`_domain.yaml`, `_system.yaml`, contracts),
//! data contracts of the Open Data Contract Standard, or what dbt says of the
//! freshness of sources. Which of them a file is, its content tells; each
//! becomes a tree of the same keys, is merged under the levels above it, and
//! then means the same to everybody else.

mod dbt;
mod disk;
mod folder;
mod foreign;
mod odcs;
mod yaml;

use std::fmt;

use freshness_core::slo::{Declaration, Fault, Oddity, Origin, Place, Problem, ValueError};

pub use folder::read_promises;
pub(super) use yaml::read as tree;

use crate::hint::did_you_mean;

/// What the files of one folder, or one file, promise.
#[derive(Debug, Default)]
pub struct ReadPromises {
    /// One for each dataset and environment, by those.
    pub declarations: Vec<ReadDeclaration>,
    /// What is wrong. Nothing counts if there is any.
    pub troubles: Vec<Remark>,
    /// What is odd, or could not be mapped.
    pub notes: Vec<Remark>,
    /// Files that were read.
    pub n_files: u64,
}

/// What one file promises of one dataset.
#[derive(Debug)]
pub struct ReadDeclaration {
    /// What it means.
    pub declaration: Declaration,
    /// Every value, and where it was said.
    pub origins: Vec<Origin>,
    /// Where the dataset is named.
    pub place: Place,
}

/// Something to be said of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Where.
    pub place: Place,
    /// What.
    pub what: String,
    /// What helps, if it is known.
    pub hint: Option<String>,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl From<Oddity> for Remark {
    fn from(oddity: Oddity) -> Remark {
        Remark {
            what: format!("{}: {}", oddity.key, oddity.what),
            place: oddity.place,
            hint: None,
        }
    }
}

impl From<Fault> for Remark {
    fn from(fault: Fault) -> Remark {
        let hint = match &fault.problem {
            Problem::UnknownKey { known } => {
                let typed = fault.key.rsplit('.').next().unwrap_or_default();
                Some(meant(typed, known, "known keys here"))
            }
            Problem::Value(ValueError::NotOneOf { found, known }) => {
                did_you_mean(found, known.iter().copied())
                    .map(|word| format!("did you mean `{word}`?"))
            }
            _ => None,
        };
        Remark {
            place: fault.place,
            what: format!("{}: {}", fault.key, fault.problem),
            hint,
        }
    }
}

fn meant(typed: &str, known: &[&str], all: &str) -> String {
    match did_you_mean(typed, known.iter().copied()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("{all}: {}", known.join(", ")),
    }
}

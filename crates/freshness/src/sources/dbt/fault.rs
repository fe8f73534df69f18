//! Why can a file of dbt not be read?

use std::io;

use freshness_core::lineage::LineageError;

use super::archive::Bomb;
use super::find::FILE_BYTES_MAX;

/// A file or folder that cannot be read, and why.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct DbtError {
    /// As the user named it; `archive.tar:manifest.json` in a tar.
    pub place: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a file of dbt.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Fault {
    #[error("{}", in_words(.0))]
    Io(io::Error),
    #[error("larger than {} MiB", FILE_BYTES_MAX >> 20)]
    TooLarge,
    #[error("not a tar that can be read: {}", in_words(.0))]
    Archive(io::Error),
    #[error("a name in the tar is too long")]
    LongHeader,
    #[error("a name in the tar leads out of it: {0}")]
    ClimbsOut(String),
    #[error("a tar in a tar in a tar")]
    Nested,
    #[error("not JSON as dbt writes it: {0}")]
    Json(String),
    #[error("unknown version of {kind}: {version} (known: {known})")]
    Version {
        kind: &'static str,
        version: String,
        known: &'static str,
    },
    #[error("{0}: no value")]
    Lacks(&'static str),
    #[error("{key}: not a time: {value}")]
    Time { key: String, value: String },
    #[error("{key}: in the future (more than 5 minutes from now): {value}")]
    Future { key: &'static str, value: String },
    #[error("{0}")]
    Lineage(#[from] LineageError),
    #[error("more than {0} edges between datasets")]
    Edges(usize),
    #[error("no sources in it: it is no manifest.json of dbt, or its project has none")]
    NoSources,
    #[error(
        "no manifest.json, sources.json, freshness.json or run_results.json of dbt in it{noted}"
    )]
    Nothing {
        /// What was left out first, with why, if anything was.
        noted: String,
    },
    #[error("a zip, which is not read")]
    Zip,
}

impl DbtError {
    pub(super) fn new(place: &str, fault: Fault) -> DbtError {
        DbtError {
            place: place.to_owned(),
            fault,
        }
    }

    /// What to do about it, if that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.fault {
            Fault::Version { .. } => {
                Some("write it anew with a version of dbt from 1.3 on, or update freshness")
            }
            Fault::Zip => Some("name the folder itself, or pack it as a .tar.gz"),
            Fault::Nothing { .. } => Some(
                "name the folder that dbt writes to (target), a folder of archived ones, or a tar of them",
            ),
            Fault::Lineage(_) => Some("dbt writes no such manifest: was it edited?"),
            Fault::Future { .. } => Some(
                "is the clock of the machine that wrote it right? --now pins the clock of this command",
            ),
            Fault::Json(_) => Some("was it written to its end?"),
            _ => None,
        }
    }
}

fn in_words(error: &io::Error) -> String {
    let is_bomb = error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<Bomb>);
    match error.kind() {
        _ if is_bomb => Bomb.to_string(),
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

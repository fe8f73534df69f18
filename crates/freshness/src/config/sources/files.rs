//! How are files named that are themselves the deliveries?

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::lake::in_home;
use crate::config::{schemas, values};
use crate::sources::files::FilePattern;

/// Files as typed, each an arrival of one dataset: what `import files` reads.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesSection {
    /// On this machine, or s3://, gs://, az://, abfss://, file://; with `*`, `?`, `[a-z]`,
    /// `{a,b}`, `**` for any folders, and `{date:%Y-%m-%d}` for the day that it is for.
    pub glob: String,
    /// What the dataset is called.
    pub dataset: String,
    /// How the day is written that stands anywhere in the path, such as `%Y%m%d`.
    pub date: Option<String>,
    /// A file counts once nothing was written to it for so long, such as `15m`; 2m on a
    /// disk and 0s in an object store if absent.
    #[serde(default, deserialize_with = "values::typed_wait")]
    #[schemars(with = "Option<schemas::Wait>")]
    pub unchanged_for: Option<values::Age>,
    /// Do files of no bytes count too, such as a `_SUCCESS` that marks a delivery?
    #[serde(default)]
    pub allow_empty: bool,
}

impl FilesSection {
    pub(super) fn fault(&self) -> Option<String> {
        let id = freshness_core::dataset::DatasetId::try_from(self.dataset.as_str());
        let pattern = FilePattern::parse(&self.glob, self.date.as_deref());
        match (id, pattern) {
            (Err(error), _) => Some(error.to_string()),
            (_, Err(error)) => Some(error.to_string()),
            (Ok(_), Ok(_)) => None,
        }
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        self.glob = in_home(&self.glob, home);
    }
}

//! How are files of OpenLineage's events named?

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use super::arrivals::no_wild_folder;

/// Files of events as typed: what `import openlineage` reads. They are read
/// together, since each may hold a part of what a run tells, and read again when
/// one of them has changed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenlineageSection {
    /// The files; `*` and `?` in a name stand for any part of it.
    #[schemars(length(min = 1))]
    pub files: Vec<PathBuf>,
}

impl OpenlineageSection {
    pub(super) fn fault(&self) -> Option<String> {
        no_wild_folder(&self.files)
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        for file in &mut self.files {
            *file = home.join(&*file);
        }
    }
}

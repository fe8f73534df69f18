//! How are files of arrivals named?

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::values;

/// Files of arrivals as typed: what `import arrivals` reads.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrivalsSection {
    /// The files; `*` and `?` in a name stand for any part of it.
    #[schemars(length(min = 1))]
    pub files: Vec<PathBuf>,
    /// What times without a zone mean, such as `UTC`; without it they are refused.
    #[serde(default, deserialize_with = "values::typed_zone")]
    #[schemars(with = "Option<String>")]
    pub assume_zone: Option<freshness_core::civil::Zone>,
}

impl ArrivalsSection {
    pub(super) fn fault(&self) -> Option<String> {
        no_wild_folder(&self.files)
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        for file in &mut self.files {
            *file = home.join(&*file);
        }
    }
}

/// What is wrong with files in whose names patterns may stand, if anything.
pub(super) fn no_wild_folder(files: &[PathBuf]) -> Option<String> {
    if files.is_empty() {
        return Some("expected at least one file".to_owned());
    }
    let has_wild_folder = |file: &&PathBuf| {
        let folder = file.parent().map(|folder| folder.to_string_lossy());
        folder.is_some_and(|folder| folder.contains(['*', '?']))
    };
    let file = files.iter().find(has_wild_folder)?;
    Some(format!(
        "`*` and `?` may stand in the name of a file, not of its folder: {}",
        file.display()
    ))
}

//! Which folders does dbt write to?

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

/// What dbt wrote, as typed: what `import dbt` reads.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DbtSection {
    /// Target folders, folders of archived ones, tars of them, or files.
    #[schemars(length(min = 1))]
    pub targets: Vec<PathBuf>,
    /// Leave out files that cannot be read, instead of reading nothing.
    #[serde(default)]
    pub skip_unreadable: bool,
}

impl DbtSection {
    pub(super) fn fault(&self) -> Option<String> {
        (self.targets.is_empty()).then(|| "expected at least one target folder".to_owned())
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        for target in &mut self.targets {
            *target = home.join(&*target);
        }
    }
}

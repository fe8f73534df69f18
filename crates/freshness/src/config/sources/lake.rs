//! How are tables of Delta and Iceberg named?

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::{schemas, values};

/// Tables as typed: what `import delta` and `import iceberg` read.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LakeSection {
    /// Folders of tables: on this machine, or s3://, gs://, az://, abfss://, file://.
    #[schemars(length(min = 1))]
    pub tables: Vec<String>,
    /// What the dataset is called, of one table; the name of its folder if absent.
    pub dataset: Option<String>,
    /// The partition column whose values are cycles.
    pub cycle: Option<String>,
    /// Commits that follow each other within this time are one load, which is there
    /// with the last of them, once nothing more came for so long, such as `15m`.
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub settle: Option<values::Age>,
}

impl LakeSection {
    pub(super) fn fault(&self) -> Option<String> {
        match (self.tables.len(), &self.dataset) {
            (0, _) => Some("expected at least one table".to_owned()),
            (2.., Some(_)) => Some("one name for several tables: `dataset`".to_owned()),
            _ => self.namesakes(),
        }
    }

    /// Two folders of one name would be one dataset.
    fn namesakes(&self) -> Option<String> {
        let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
        self.tables.iter().find_map(|table| {
            let table = table.trim_end_matches('/');
            let name = table.rsplit('/').next().unwrap_or(table);
            let other = taken.insert(name, table).filter(|other| *other != table)?;
            Some(format!(
                "two tables would be one dataset, {name}: {other} and {table}; \
                 make each a source with a `dataset` of its own"
            ))
        })
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        for table in &mut self.tables {
            *table = in_home(table, home);
        }
    }
}

/// A place on this machine is meant from the file; one elsewhere stays.
pub(super) fn in_home(place: &str, home: &Path) -> String {
    match place.contains("://") {
        true => place.to_owned(),
        false => home.join(place).display().to_string(),
    }
}

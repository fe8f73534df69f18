//! How is a query named that tells what arrived?

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::{schemas, values};
use crate::sources::database::one_question;

/// A query as typed. It gives the columns dataset_id, arrived_at, and if it has them
/// cycle, rows, run_id, covers_through, for any number of datasets.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["sql"]}, {"required": ["sql_file"]}]))]
pub struct QuerySection {
    /// One of the connections.
    pub connection: String,
    /// The query. `{since}` in it stands for the newest arrival that was read
    /// before, less the overlap; `{since_epoch}` for the same in seconds since 1970.
    pub sql: Option<String>,
    /// … or the file that holds it.
    pub sql_file: Option<PathBuf>,
    /// What `{since}` is the first time: so long ago, such as `400d` (the default).
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub since: Option<values::Age>,
    /// How far behind the newest arrival `{since}` is later, since logs of loads
    /// are not written in order, such as `2d` (the default).
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub overlap: Option<values::Age>,
    /// How long the answer may take, such as `60s` (the default).
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub timeout: Option<values::Age>,
    /// What times without a zone mean, such as `UTC`; without it they are refused.
    #[serde(default, deserialize_with = "values::typed_zone")]
    #[schemars(with = "Option<String>")]
    pub assume_zone: Option<freshness_core::civil::Zone>,
}

impl QuerySection {
    pub(super) fn fault(&self) -> Option<String> {
        match (&self.sql, &self.sql_file) {
            (None, None) => Some("expected `sql` or `sql_file`".to_owned()),
            (Some(_), Some(_)) => Some("expected one of `sql` and `sql_file`".to_owned()),
            (Some(sql), None) => one_question(sql).err().map(|error| error.to_string()),
            (None, Some(_)) => None,
        }
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        if let Some(file) = &mut self.sql_file {
            *file = home.join(&*file);
        }
    }
}

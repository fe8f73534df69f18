//! What is declared of a dataset: its promises, where it is measured, and
//! where each value was said.

use serde::{Deserialize, Serialize};

use super::ServiceLevels;
use super::node::Scalar;
use crate::civil::Zone;
use crate::dataset::DatasetId;

/// All that is declared of one dataset in one environment, its levels merged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    /// Of which dataset.
    pub dataset: DatasetId,
    /// Where it runs; only runs of this environment are judged.
    pub environment: String,
    /// Where it can be measured.
    #[serde(default)]
    pub measured: Measured,
    /// What is promised.
    pub levels: ServiceLevels,
}

/// Where a dataset is measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The table or file, as the database names it: `schema.table`, parts in
    /// double quotes where they need it. The dataset's own name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The connection of the configuration that leads to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// A condition in the database's SQL: only rows that meet it are looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_filter: Option<String>,
    /// The zone in which times without one, and dates, are meant; without it
    /// they tell nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<Zone>,
}

/// A value of the merged result, and where it was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Its key, such as `service_levels.freshness.threshold`.
    pub key: String,
    /// As it was typed; `None` where it was cleared. A list is its items.
    pub value: Option<Vec<Scalar>>,
    /// The file, below the folder that was imported, with `/`.
    pub file: String,
    /// Its line, from 1; 0 is not known.
    pub line: u32,
    /// Its column, from 1; 0 is not known.
    pub column: u32,
}

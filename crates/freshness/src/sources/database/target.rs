//! What is to be looked at, and for what?

use freshness_core::civil::Zone;
use freshness_core::dataset::DatasetId;

use super::table_name::TableName;

/// A table and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The dataset that the table holds.
    pub dataset: DatasetId,
    /// Name of the connection, as configured.
    pub connection: String,
    /// The table; `None` where the connection itself is one (Parquet files).
    pub table: Option<TableName>,
    /// Which rows count: a condition in the database's SQL, in its owner's
    /// words.
    pub filter: Option<String>,
    /// Where times without a zone, and days, are meant.
    pub zone: Option<Zone>,
    /// The column whose greatest time says how fresh the table is.
    pub field: Option<String>,
    /// The column that says when the source made the row.
    pub source_field: Option<String>,
    /// The column that should be filled.
    pub availability_field: Option<String>,
}

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

impl Target {
    /// One target that asks all that both ask, if one query can: of the same rows of
    /// one table, and no two columns for one purpose.
    pub fn with(&self, other: &Target) -> Option<Target> {
        let Target {
            dataset: _,
            connection,
            table,
            filter,
            zone,
            field,
            source_field,
            availability_field,
        } = other;
        let is_same = (connection, table, filter, zone)
            == (&self.connection, &self.table, &self.filter, &self.zone);
        let both = |one: &Option<String>, other: &Option<String>| match (one, other) {
            (Some(one), Some(other)) if one != other => None,
            (one, other) => Some(one.clone().or_else(|| other.clone())),
        };
        Some(Target {
            field: both(&self.field, field)?,
            source_field: both(&self.source_field, source_field)?,
            availability_field: both(&self.availability_field, availability_field)?,
            ..self.clone()
        })
        .filter(|_| is_same)
    }
}

//! Which sources does `freshness.yaml` name, and how is each read?
//!
//! ```yaml
//! sources:
//!   loads:
//!     query: {connection: warehouse, sql_file: loads.sql}
//!   drops:
//!     arrivals: {files: ["drops/*.csv"], assume_zone: UTC}
//!   shop:
//!     dbt: {targets: [target]}
//! ```
//!
//! Each is of one kind, with the kind's own keys in a file of its own.

mod arrivals;
mod dbt;
mod query;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

pub use self::arrivals::ArrivalsSection;
pub use self::dbt::DbtSection;
pub use self::query::QuerySection;

/// A source as typed. A new kind is a line here, a file beside this one, and an
/// arm in `cli/collect/kinds.rs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceSection {
    /// A query that tells what arrived, on one of the connections.
    Query(QuerySection),
    /// Files of arrivals: CSV, NDJSON or Parquet.
    Arrivals(ArrivalsSection),
    /// What dbt wrote: target folders and archives of them.
    Dbt(DbtSection),
}

impl SourceSection {
    /// The kind, as it is typed.
    pub fn kind(&self) -> &'static str {
        match self {
            SourceSection::Query(_) => "query",
            SourceSection::Arrivals(_) => "arrivals",
            SourceSection::Dbt(_) => "dbt",
        }
    }

    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        match self {
            SourceSection::Query(query) => query.fault(),
            SourceSection::Arrivals(arrivals) => arrivals.fault(),
            SourceSection::Dbt(dbt) => dbt.fault(),
        }
    }

    /// Means its paths from `home`.
    pub(super) fn settle_in(&mut self, home: &Path) {
        match self {
            SourceSection::Query(query) => query.settle_in(home),
            SourceSection::Arrivals(arrivals) => arrivals.settle_in(home),
            SourceSection::Dbt(dbt) => dbt.settle_in(home),
        }
    }

    /// The connection that it names, if it does.
    pub fn connection(&self) -> Option<&str> {
        match self {
            SourceSection::Query(query) => Some(&query.connection),
            SourceSection::Arrivals(_) | SourceSection::Dbt(_) => None,
        }
    }
}

/// A source, checked where it stands in the file.
pub(super) fn checked<'de, D: Deserializer<'de>>(typed: D) -> Result<SourceSection, D::Error> {
    let section = SourceSection::deserialize(typed)?;
    match section.fault() {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(section),
    }
}

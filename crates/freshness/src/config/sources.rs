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
//!   nightly:
//!     airflow: {url: https://airflow.example, user: viewer, password_env: AIRFLOW_PASSWORD}
//! ```
//!
//! Each is of one kind, with the kind's own keys in a file of its own.

mod airflow;
mod arrivals;
mod dbt;
mod files;
mod lake;
mod openlineage;
mod dagster;
mod query;

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

pub use self::airflow::AirflowSection;
pub use self::arrivals::ArrivalsSection;
pub use self::dagster::DagsterSection;
pub use self::dbt::DbtSection;
pub use self::files::FilesSection;
pub use self::lake::LakeSection;
pub use self::openlineage::OpenlineageSection;
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
    /// Files that are themselves the deliveries.
    Files(FilesSection),
    /// Delta tables.
    Delta(LakeSection),
    /// Iceberg tables.
    Iceberg(LakeSection),
    /// What dbt wrote: target folders and archives of them.
    Dbt(DbtSection),
    /// Files of events of OpenLineage.
    Openlineage(OpenlineageSection),
    /// Assets and DAGs of an Airflow.
    Airflow(AirflowSection),
    /// Assets of a Dagster.
    Dagster(DagsterSection),
}

/// How far back the first reading of a source goes if nobody says: long enough to
/// learn a year.
pub(crate) const SINCE: Duration = Duration::from_secs(400 * 86_400);

/// How long an answer may take if nobody says.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The kinds, as they are typed.
pub(super) const KINDS: [&str; 9] = [
    "query",
    "arrivals",
    "files",
    "delta",
    "iceberg",
    "dbt",
    "openlineage",
    "airflow",
    "dagster",
];

impl SourceSection {
    /// The kind, as it is typed.
    pub fn kind(&self) -> &'static str {
        match self {
            SourceSection::Query(_) => "query",
            SourceSection::Arrivals(_) => "arrivals",
            SourceSection::Files(_) => "files",
            SourceSection::Delta(_) => "delta",
            SourceSection::Iceberg(_) => "iceberg",
            SourceSection::Dbt(_) => "dbt",
            SourceSection::Openlineage(_) => "openlineage",
            SourceSection::Airflow(_) => "airflow",
            SourceSection::Dagster(_) => "dagster",
        }
    }

    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        match self {
            SourceSection::Query(query) => query.fault(),
            SourceSection::Arrivals(arrivals) => arrivals.fault(),
            SourceSection::Files(files) => files.fault(),
            SourceSection::Delta(lake) | SourceSection::Iceberg(lake) => lake.fault(),
            SourceSection::Dbt(dbt) => dbt.fault(),
            SourceSection::Openlineage(events) => events.fault(),
            SourceSection::Airflow(airflow) => airflow.fault(),
            SourceSection::Dagster(dagster) => dagster.fault(),
        }
    }

    /// Means its paths from `home`.
    pub(super) fn settle_in(&mut self, home: &Path) {
        match self {
            SourceSection::Query(query) => query.settle_in(home),
            SourceSection::Arrivals(arrivals) => arrivals.settle_in(home),
            SourceSection::Files(files) => files.settle_in(home),
            SourceSection::Delta(lake) | SourceSection::Iceberg(lake) => lake.settle_in(home),
            SourceSection::Dbt(dbt) => dbt.settle_in(home),
            SourceSection::Openlineage(events) => events.settle_in(home),
            SourceSection::Airflow(airflow) => airflow.settle_in(home),
            SourceSection::Dagster(dagster) => dagster.settle_in(home),
        }
    }

    /// The variables that hold its secrets.
    pub fn variables(&self) -> Vec<&str> {
        match self {
            SourceSection::Airflow(airflow) => airflow.variables().collect(),
            SourceSection::Dagster(dagster) => dagster.variables().collect(),
            _ => Vec::new(),
        }
    }

    /// The connection that it names, if it does.
    pub fn connection(&self) -> Option<&str> {
        match self {
            SourceSection::Query(query) => Some(&query.connection),
            _ => None,
        }
    }

    /// The files and folders on this machine that it names; the last part of each
    /// may be a pattern.
    pub fn paths(&self) -> Vec<&Path> {
        let here = |place: &'_ String| !place.contains("://");
        match self {
            SourceSection::Query(_)
            | SourceSection::Files(_)
            | SourceSection::Airflow(_)
            | SourceSection::Dagster(_) => Vec::new(),
            SourceSection::Arrivals(arrivals) => paths(&arrivals.files),
            SourceSection::Openlineage(events) => paths(&events.files),
            SourceSection::Dbt(dbt) => paths(&dbt.targets),
            SourceSection::Delta(lake) | SourceSection::Iceberg(lake) => {
                let tables = lake.tables.iter().filter(|place| here(place));
                tables.map(Path::new).collect()
            }
        }
    }
}

fn paths(of: &[PathBuf]) -> Vec<&Path> {
    of.iter().map(PathBuf::as_path).collect()
}

/// A source, checked where it stands in the file.
pub(super) fn checked<'de, D: Deserializer<'de>>(typed: D) -> Result<SourceSection, D::Error> {
    let section = SourceSection::deserialize(typed)?;
    match section.fault() {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(section),
    }
}

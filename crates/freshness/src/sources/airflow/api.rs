//! What do the answers of Airflow say?
//!
//! Only what is used is read; times are instants with an offset.

use freshness_core::arrivals::CycleName;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::cycle_at;

#[derive(Deserialize)]
pub(super) struct Token {
    pub(super) access_token: String,
}

/// An asset was updated.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct AssetEvent {
    pub(super) id: i64,
    pub(super) uri: Option<String>,
    pub(super) name: Option<String>,
    pub(super) extra: Option<Map<String, Value>>,
    pub(super) source_dag_id: Option<String>,
    pub(super) source_task_id: Option<String>,
    pub(super) source_run_id: Option<String>,
    pub(super) source_map_index: Option<i64>,
    pub(super) timestamp: Timestamp,
    pub(super) partition_key: Option<String>,
}

/// A DAG was run, or is.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct DagRun {
    pub(super) dag_id: String,
    pub(super) dag_run_id: String,
    pub(super) state: String,
    pub(super) logical_date: Option<Timestamp>,
    pub(super) data_interval_start: Option<Timestamp>,
    pub(super) end_date: Option<Timestamp>,
}

/// A task was run.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct TaskInstance {
    pub(super) id: String,
    pub(super) dag_id: String,
    pub(super) dag_run_id: String,
    pub(super) task_id: String,
    pub(super) map_index: i64,
    pub(super) logical_date: Option<Timestamp>,
    pub(super) end_date: Option<Timestamp>,
}

/// Something that tasks produce and consume.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Asset {
    pub(super) id: i64,
    pub(super) uri: Option<String>,
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) scheduled_dags: Vec<OfDag>,
    #[serde(default)]
    pub(super) producing_tasks: Vec<OfTask>,
    #[serde(default)]
    pub(super) consuming_tasks: Vec<OfTask>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct OfDag {
    pub(super) dag_id: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct OfTask {
    pub(super) dag_id: String,
    pub(super) task_id: String,
}

impl AssetEvent {
    /// What was updated.
    pub(super) fn dataset(&self) -> &str {
        asset_name(self.uri.as_deref(), self.name.as_deref())
    }

    /// What updated it: two updates by one run are told apart by their tasks.
    pub(super) fn run_id(&self) -> String {
        let (Some(dag), Some(run)) = (&self.source_dag_id, &self.source_run_id) else {
            // It came from outside.
            return format!("event {}", self.id);
        };
        let task = self.source_task_id.as_deref().unwrap_or_default();
        match self.source_map_index {
            Some(index) if index >= 0 => format!("{dag}/{run}/{task}/{index}"),
            _ => format!("{dag}/{run}/{task}"),
        }
    }

    /// The cycle, where the key of a partition is a date or a time.
    pub(super) fn partition(&self) -> Option<CycleName> {
        self.partition_key.as_ref()?.parse().ok()
    }

    /// Rows, if whoever updated it noted them.
    pub(super) fn rows(&self) -> Option<u64> {
        let extra = self.extra.as_ref()?;
        let keys = ["rows", "row_count", "rowCount"];
        keys.iter().find_map(|key| extra.get(*key)?.as_u64())
    }
}

impl Asset {
    pub(super) fn dataset(&self) -> &str {
        asset_name(self.uri.as_deref(), self.name.as_deref())
    }
}

impl DagRun {
    /// The begin of the data it is for, or the time it is run for.
    pub(super) fn cycle(&self) -> Option<CycleName> {
        self.data_interval_start.or(self.logical_date).map(cycle_at)
    }
}

impl TaskInstance {
    pub(super) fn dataset(&self) -> String {
        format!("airflow:{}.{}", self.dag_id, self.task_id)
    }

    pub(super) fn run_id(&self) -> String {
        match self.map_index {
            0.. => format!("{}/{}", self.dag_run_id, self.map_index),
            _ => self.dag_run_id.clone(),
        }
    }
}

/// What an asset is called: its address, as OpenLineage calls it too, or its name.
fn asset_name<'a>(uri: Option<&'a str>, name: Option<&'a str>) -> &'a str {
    let is_some = |text: &&str| !text.trim().is_empty();
    let uri = uri.filter(is_some);
    uri.or(name).unwrap_or_default()
}

//! What does the run log say of promises?

use freshness_core::dataset::DatasetId;
use jiff::Timestamp;
use serde::Serialize;

use crate::datasets::{DatasetNo, dataset_id};
use crate::error::StoreError;
use crate::store::{Store, instant};

/// What was said when a run was judged last: a row of the run log. A promise that
/// was not judged, or of which nobody knows, neither passes nor fails.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the names are those of the run log")]
pub struct SloResult {
    pub judged_at: Timestamp,
    pub dataset_id: DatasetId,
    pub environment: String,
    /// `None`: nothing ever ran.
    pub run_id: Option<String>,
    pub slo_freshness_seconds: Option<i64>,
    pub slo_freshness_pass: Option<bool>,
    pub slo_row_count_min: Option<f64>,
    pub slo_row_count_max: Option<f64>,
    pub slo_row_count_pass: Option<bool>,
    pub slo_row_count_anomaly_pass: Option<bool>,
    pub slo_availability_pass: Option<bool>,
    pub slo_quality_pass: Option<bool>,
    /// The verdicts with their evidence, as they were written.
    pub evidence: serde_json::Value,
}

impl Store {
    /// The run log, by the instant that was judged; of all datasets, or of one.
    pub fn slo_results(&self, no: Option<DatasetNo>) -> Result<Vec<SloResult>, StoreError> {
        self.explain(|| {
            let mut results = self.connection.prepare_cached(
                "SELECT judged_at, d.id, e.name, run_id, slo_freshness_seconds,
                        slo_freshness_pass, slo_row_count_min, slo_row_count_max,
                        slo_row_count_pass, slo_row_count_anomaly_pass,
                        slo_availability_pass, slo_quality_pass, evidence
                 FROM slo_results JOIN datasets d ON d.no = dataset_no
                 JOIN environments e ON e.no = environment_no
                 WHERE ?1 IS NULL OR dataset_no = ?1
                 ORDER BY judged_at, d.id, e.name, run_id",
            )?;
            let results = results.query_map([no.map(|no| no.0)], |row| {
                let run_id: String = row.get(3)?;
                let evidence: String = row.get(12)?;
                Ok(SloResult {
                    judged_at: instant(row, 0)?,
                    dataset_id: dataset_id(row, 1)?,
                    environment: row.get(2)?,
                    run_id: (!run_id.is_empty()).then_some(run_id),
                    slo_freshness_seconds: row.get(4)?,
                    slo_freshness_pass: row.get(5)?,
                    slo_row_count_min: row.get(6)?,
                    slo_row_count_max: row.get(7)?,
                    slo_row_count_pass: row.get(8)?,
                    slo_row_count_anomaly_pass: row.get(9)?,
                    slo_availability_pass: row.get(10)?,
                    slo_quality_pass: row.get(11)?,
                    evidence: serde_json::from_str(&evidence).unwrap_or_default(),
                })
            })?;
            Ok(results.collect::<Result<_, _>>()?)
        })
    }
}

//! What has been learned, when, and by which version?

use freshness_core::dataset::DatasetId;
use freshness_core::fit::{Fitted, Model};
use freshness_core::incidents::EdgeLag;
use jiff::Timestamp;
use rusqlite::OptionalExtension;

use crate::datasets::{DatasetNo, PerDataset, dataset_id};
use crate::edge_lags::{NumberedEdge, write_edge_lags};
use crate::error::StoreError;
use crate::store::{Store, instant};

/// One run of `fit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FitRun {
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// Arrivals after this instant were not seen.
    pub as_of: Timestamp,
    /// Datasets with a learned model.
    pub n_learned: u64,
    /// … a provisional one.
    pub n_provisional: u64,
    /// … one without a calendar.
    pub n_irregular: u64,
    /// … too little history.
    pub n_cold_start: u64,
    /// Datasets that could not be fitted; their former models stay.
    pub n_failed: u64,
}

/// A stored model, not yet read: reading may be shared among threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRow {
    /// The number of its dataset.
    pub no: DatasetNo,
    /// The name of its dataset.
    pub dataset: DatasetId,
    /// The version of its form.
    pub version: u32,
    /// Arrivals after this instant were not seen.
    pub as_of: Timestamp,
    /// `learned`, `provisional`, `irregular` or `cold_start`.
    pub status: String,
    /// The model.
    pub json: String,
}

impl FitRun {
    /// A run, with its models counted.
    pub fn new<'a>(
        started: Timestamp,
        finished: Timestamp,
        as_of: Timestamp,
        models: impl IntoIterator<Item = &'a Model>,
        n_failed: u64,
    ) -> FitRun {
        let mut run = FitRun {
            started,
            finished,
            as_of,
            n_learned: 0,
            n_provisional: 0,
            n_irregular: 0,
            n_cold_start: 0,
            n_failed,
        };
        for model in models {
            *match model.fitted {
                Fitted::Learned(_) => &mut run.n_learned,
                Fitted::Provisional { .. } => &mut run.n_provisional,
                Fitted::Irregular(_) => &mut run.n_irregular,
                Fitted::ColdStart(_) => &mut run.n_cold_start,
            } += 1;
        }
        run
    }
}

impl ModelRow {
    /// Reads the model.
    pub fn model(&self) -> Result<Model, StoreError> {
        let dataset = self.dataset.clone();
        if self.version != Model::VERSION {
            return Err(StoreError::ModelVersion {
                dataset,
                found: self.version,
                known: Model::VERSION,
            });
        }
        let model = serde_json::from_str(&self.json).map_err(|error| error.to_string());
        match model {
            Ok(Model { dataset_id, .. }) if dataset_id != self.dataset => {
                Err(format!("it belongs to another dataset: {dataset_id}"))
            }
            model => model,
        }
        .map_err(|reason| StoreError::BadModel { dataset, reason })
    }
}

impl Store {
    /// Stores a run, its models and the lags of all edges in one transaction.
    /// The models of other datasets stay as they are.
    pub fn record_fit(
        &mut self,
        run: &FitRun,
        models: &[(DatasetNo, Model)],
        lags: &[(NumberedEdge, EdgeLag)],
    ) -> Result<(), StoreError> {
        let texts: Vec<String> = models
            .iter()
            .map(|(_, model)| serde_json::to_string(model).expect("a model has only text keys"))
            .collect();
        let FitRun {
            started,
            finished,
            as_of,
            n_learned,
            n_provisional,
            n_irregular,
            n_cold_start,
            n_failed,
        } = run;
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO fit_runs (started, finished, as_of, n_learned, n_provisional,
                     n_irregular, n_cold_start, n_failed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                (
                    started.as_second(),
                    finished.as_second(),
                    as_of.as_second(),
                    n_learned,
                    n_provisional,
                    n_irregular,
                    n_cold_start,
                    n_failed,
                ),
            )?;
            let run_no = transaction.last_insert_rowid();
            let mut insert = transaction
                .prepare("INSERT OR REPLACE INTO models VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for ((no, model), text) in models.iter().zip(&texts) {
                insert.execute((
                    no.0,
                    run_no,
                    model.version,
                    model.as_of.as_second(),
                    model.fitted.status(),
                    text,
                ))?;
            }
            write_edge_lags(transaction, run_no, lags)
        })
    }

    /// The last run of `fit`; `None` before the first.
    pub fn last_fit(&self) -> Result<Option<FitRun>, StoreError> {
        self.explain(|| {
            let mut last = self.connection.prepare_cached(
                "SELECT started, finished, as_of, n_learned, n_provisional, n_irregular,
                     n_cold_start, n_failed
                 FROM fit_runs ORDER BY no DESC LIMIT 1",
            )?;
            let run = last.query_row([], |row| {
                Ok(FitRun {
                    started: instant(row, 0)?,
                    finished: instant(row, 1)?,
                    as_of: instant(row, 2)?,
                    n_learned: row.get(3)?,
                    n_provisional: row.get(4)?,
                    n_irregular: row.get(5)?,
                    n_cold_start: row.get(6)?,
                    n_failed: row.get(7)?,
                })
            });
            Ok(run.optional()?)
        })
    }

    /// How many models are of datasets that nobody names any more.
    pub fn n_models_of_gone(&self) -> Result<u64, StoreError> {
        self.explain(|| {
            let count = "SELECT count(*) FROM models
                         WHERE dataset_no IN (SELECT dataset_no FROM gone)";
            Ok(self.connection.query_row(count, [], |row| row.get(0))?)
        })
    }

    /// The latest instant that any model has seen; `None` without models.
    pub fn newest_model(&self) -> Result<Option<Timestamp>, StoreError> {
        self.explain(|| {
            let newest = "SELECT max(as_of) FROM models HAVING max(as_of) IS NOT NULL";
            let newest = self.connection.query_row(newest, [], |row| instant(row, 0));
            Ok(newest.optional()?)
        })
    }

    /// All models, by the number of their dataset. An error concerns its
    /// dataset only.
    pub fn models(&self) -> Result<PerDataset<Model>, StoreError> {
        let rows = self.model_rows()?;
        Ok(rows.iter().map(|row| (row.no, row.model())).collect())
    }

    /// The model of one dataset; `None` if it was never fitted.
    pub fn model(&self, no: DatasetNo) -> Result<Option<Model>, StoreError> {
        let rows = self.select_models(no.0, no.0)?;
        rows.first().map(ModelRow::model).transpose()
    }

    /// All models, not yet read, by the number of their dataset.
    pub fn model_rows(&self) -> Result<Vec<ModelRow>, StoreError> {
        self.select_models(i64::MIN, i64::MAX)
    }

    fn select_models(&self, from: i64, to: i64) -> Result<Vec<ModelRow>, StoreError> {
        self.explain(|| {
            let mut select = self.connection.prepare_cached(
                "SELECT dataset_no, id, version, as_of, status, model
                 FROM models JOIN datasets ON no = dataset_no
                 WHERE dataset_no BETWEEN ?1 AND ?2 ORDER BY dataset_no",
            )?;
            let rows = select.query_map([from, to], |row| {
                Ok(ModelRow {
                    no: DatasetNo(row.get(0)?),
                    dataset: dataset_id(row, 1)?,
                    version: row.get(2)?,
                    as_of: instant(row, 3)?,
                    status: row.get(4)?,
                    json: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

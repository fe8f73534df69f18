//! What is remembered, and where?
//!
//! One SQLite file, and all the SQL of the project. Several processes may use
//! it at once: readers never wait, writers wait for each other. Every write is
//! one transaction, on disk before it is reported.
//!
//! ```
//! use freshness_store::{Access, ArrivalBatch, ImportedFile, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("freshness.db");
//! let mut batch = ArrivalBatch::new();
//! let orders = batch.dataset("raw_orders")?;
//! batch.push(orders, 1_772_400_000);
//! let file = ImportedFile {
//!     name: "arrivals.csv".to_owned(),
//!     hash: "of its bytes".to_owned(),
//!     at: "2026-03-02T06:00:00Z".parse()?,
//! };
//!
//! let mut store = Store::open(&path, Access::Create)?;
//! assert_eq!(store.import_arrivals(batch, &file)?.new, 1);
//! for entry in store.datasets()? {
//!     let history = store.history(entry.no)?;
//!     println!("{}: {} arrivals", entry.id, history.len());
//! }
//! # Ok(())
//! # }
//! ```

mod batch;
mod checks;
mod chunk;
mod collections;
mod coverage;
mod dashboards;
mod datasets;
mod declarations;
mod edge_lags;
mod error;
mod foreign;
mod history;
mod import;
mod incidents;
mod integrity;
mod lineage;
mod models;
mod runs;
mod schema;
mod silences;
mod slo;
mod slo_log;
mod slo_results;
mod steps;
mod store;
mod told;
mod told_runs;
mod windows;

pub use batch::ArrivalBatch;
pub use checks::{CheckRecord, CurrentState, Recorded, StateChange};
pub use chunk::ChunkError;
pub use collections::{Collected, Collection};
pub use coverage::{
    Asked, Attempt, AttemptFilter, ContractCounts, CoverageCheck, DeclareMode, OpenRun, Outcome,
};
pub use dashboards::{DashboardCounts, DashboardMode};
pub use datasets::{DatasetCounts, DatasetEntry, DatasetNo, PerDataset};
pub use declarations::{DeclarationChanges, DeclarationEntry, Declared};
pub use edge_lags::NumberedEdge;
pub use error::StoreError;
pub use foreign::{ForeignError, ForeignValue, query_foreign};
pub use history::Tail;
pub use import::{ImportCounts, ImportRecord, ImportedFile};
pub use integrity::Integrity;
pub use lineage::{LineageCounts, LineageEdge, LineageMode, StraightEdges};
pub use models::{FitRun, ModelRow};
pub use runs::{EnvironmentNo, RunCounts, RunTail};
pub use schema::SCHEMA_VERSION;
pub use slo::{SloChange, SloCheck, SloEvent, SloJudged};
pub use slo_results::SloResult;
pub use steps::StepRecord;
pub use store::{Access, Overrides, Store};
pub use told::{Namesakes, ToldBatch, ToldCounts, ToldHouse};
pub use told_runs::{RunSoFar, RunsSoFar, WithdrawnArrival};

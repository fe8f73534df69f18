//! What is remembered, and where?
//!
//! One SQLite file, and all the SQL of the project. Several processes may use
//! it at once: readers never wait, writers wait for each other. Every write is
//! one transaction, on disk before it is reported.

mod batch;
mod checks;
mod chunk;
mod datasets;
mod error;
mod history;
mod import;
mod integrity;
mod lineage;
mod models;
mod schema;
mod store;

pub use batch::ArrivalBatch;
pub use checks::{CheckRecord, CurrentState, StateChange};
pub use chunk::ChunkError;
pub use datasets::{DatasetCounts, DatasetEntry, DatasetNo};
pub use error::StoreError;
pub use history::Tail;
pub use import::{ImportCounts, ImportRecord, ImportedFile};
pub use integrity::Integrity;
pub use lineage::{LineageCounts, LineageEdge, LineageMode};
pub use models::{FitRun, ModelRow};
pub use schema::SCHEMA_VERSION;
pub use store::{Access, Store};

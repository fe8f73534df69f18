//! How do bytes become values?
//!
//! A source is opened (`input`), its format told from its bytes, and read as a
//! table of cells (`csv`, `ndjson`, `parquet`), whatever it is. What the cells
//! mean is said once for all formats (`arrivals`, `datasets`, `lineage`,
//! `dashboards`, `runs`, `outages`, `contracts`); releases of coverage come line by
//! line (`publications`). A row that means nothing becomes a [`BadRow`]; a source that cannot be read at all
//! a [`SourceError`]. Promises are read from trees of keys (`slo`). What the
//! files of other tools say ends in one value too (`told`): the logs of tables
//! (`lake`) and files themselves (`files`), wherever they lie (`place`). Nothing here knows the store, and
//! nothing asks the clock.

mod airflow;
mod arrival_files;
mod arrivals;
mod arrow_cells;
mod collect;
mod contracts;
mod contracts_yaml;
mod csv;
mod dashboards;
mod dagster;
pub mod database;
mod datasets;
pub mod files;
mod holiday_lists;
mod dbt;

mod input;
mod instant;
pub mod lake;
mod lineage;
mod ndjson;
mod openlineage;
mod outages;
mod parquet;
pub mod place;
mod problem;
mod publications;
mod query;
mod query_collect;
mod regular;
mod runs;
mod slo;
mod surroundings;
mod table;
mod tables_collect;
mod told;
mod typed_keys;
mod web;

pub use airflow::{AirflowLogin, AirflowSource, collect_airflow};
pub use arrival_files::{ArrivalFiles, collect_arrival_files, without_match};
pub use arrivals::{ReadArrival, read_arrivals};
pub use collect::{Asked, Collected, NotCollected};
pub use contracts::{ReadContracts, read_contracts, read_inventory};
pub use dagster::{DagsterSource, collect_dagster};
pub use dashboards::{ReadDashboards, read_dashboards};
pub use datasets::{ReadDataset, read_datasets};
pub use dbt::{
    DbtError, DbtFiles, DbtSource, DbtTargets, Fault, WRITTEN_BY, collect_dbt, read_dbt,
    read_dbt_file, read_dbt_sources, read_dbt_tar,
};
pub use holiday_lists::read_holidays;
pub use input::{Format, Origin, Source, UnknownFormat};
pub use instant::{EARLIEST, FUTURE_TOLERANCE_SECONDS, TimeRules};
pub use lineage::{ReadEdge, read_lineage};
pub use openlineage::{Events, RunWords, ToldOfRuns};
pub use outages::{ReadOutage, read_outages};
pub use problem::{BadRow, BadRows, Problem, SourceError};
pub use publications::{ReadPublication, read_manifest, read_names, read_publications, told_time};
pub use query::{NotTold, QueryRead, QuerySource, is_incremental, read_query};
pub use query_collect::collect_query;
pub use runs::read_runs;
pub use slo::{ReadDeclaration, ReadPromises, Remark, read_promises};
pub use surroundings::{Surroundings, look_around};
pub use table::TableRead;
pub use tables_collect::{Lake, LakeTables, collect_events, collect_tables};
pub use told::{Extent, House, Told, ToldArrival, ToldRemark};
pub use typed_keys::{TypedKey, key_at, typed_keys};

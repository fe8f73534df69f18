//! What does a tool say of our world?
//!
//! Whatever a tool calls them (runs, commits, exposures), its files say what
//! arrived, which datasets exist, what is made from what and who reads it. A
//! reader of such files fills a [`Told`]; the store merges by time, so that the
//! order in which files are read, and reading one twice, never shows.

use std::collections::BTreeMap;

use freshness_core::arrivals::CycleName;
use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::slo::Run;

/// What the files of one source say.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Deliveries, in any order; the same one may be told twice.
    pub arrivals: Vec<ToldArrival>,
    /// What was measured.
    pub runs: Vec<(DatasetId, Run)>,
    /// What exists.
    pub houses: Vec<House>,
    /// What a person should know; no reason not to go on.
    pub remarks: Vec<ToldRemark>,
}

/// One delivery of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldArrival {
    /// Of what.
    pub dataset: DatasetId,
    /// When it was there: UTC seconds, from [`EARLIEST`](super::EARLIEST) to now.
    pub at: i64,
    /// Which cycle it is for, if the tool says so.
    pub cycle: Option<CycleName>,
    /// What brought it; tells two deliveries of one second apart.
    pub run_id: Option<Box<str>>,
    /// The data is complete to here: UTC seconds.
    pub covers_through: Option<i64>,
    /// Rows that came.
    pub rows: Option<u64>,
}

/// What exists, as of one instant.
#[derive(Debug, Clone)]
pub struct House {
    /// Who says so: `dbt:shop`, `openlineage:prod`. Two that say something of one
    /// dataset are two opinions, in the order of their names; what the user
    /// imported wins over both.
    pub source: String,
    /// When that was true: UTC seconds. Of two tellings of a source the later counts.
    pub as_of: i64,
    /// Is that all there is?
    pub extent: Extent,
    /// Datasets, with what is declared of them.
    pub datasets: Vec<Dataset>,
    /// What is made from what: upstream, downstream.
    pub edges: Vec<(DatasetId, DatasetId)>,
    /// Who reads it.
    pub dashboards: Vec<Dashboard>,
    /// What the source itself calls its datasets, where another of its kind may call
    /// different things alike: two that tell of one thing say the same.
    pub called: BTreeMap<DatasetId, String>,
}

/// How much of a source a telling is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it: what an earlier telling named and this one does not is gone.
    Whole,
    /// What happened to come up: the rest is as it was.
    Part,
}

/// Something to be said of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldRemark {
    /// File, and line or key where it is known: `target/manifest.json: nodes.model.shop.a`.
    pub place: String,
    /// What.
    pub what: String,
}

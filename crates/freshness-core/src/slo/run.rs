//! What was measured of a dataset when it was run?

use serde::{Deserialize, Serialize};

/// One run of a dataset, or one look at it: what was counted, and how new its
/// data was. Identified by dataset, environment and `run_id`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its name, unique in the dataset and environment.
    pub run_id: String,
    /// Where it ran, such as `prod`; never judged against runs elsewhere.
    pub environment: String,
    /// When it began: UTC seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// When it was over, or the look was taken: UTC seconds.
    pub finished_at: i64,
    /// What it did.
    pub stage: Stage,
    /// Rows.
    pub counts: Counts,
    /// The greatest value of the freshness field; `None` if it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<Newest>,
    /// The greatest value of the source field; `None` if it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_newest: Option<Newest>,
    /// How much of the availability field was filled; `None` if it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled: Option<Filled>,
}

/// What a run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Brought what was new.
    #[default]
    Normal,
    /// Made a span of the past anew.
    Reprocess {
        /// First instant of the span: UTC seconds.
        from: i64,
        /// Its end: UTC seconds.
        to: i64,
    },
    /// Found nothing new at the source.
    NoNewData,
}

/// Rows of a run; `None` is not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Read from the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u64>,
    /// In all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// That passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good: Option<u64>,
    /// That were set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<u64>,
}

/// Where a run took place if nobody says otherwise.
pub const USUAL_ENVIRONMENT: &str = "prod";

/// The greatest time in a column, or why there is none. Only [`Newest::At`] and
/// [`Newest::Partly`] can keep a promise. Fractions of a second are cut off, so
/// that data is never made younger than it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Newest {
    /// UTC seconds.
    At(i64),
    /// The greatest of the values that can be read; others cannot.
    Partly {
        /// UTC seconds.
        at: i64,
        /// How many values are no times.
        n_unreadable: u64,
        /// One of them, quoted.
        value: String,
    },
    /// The table has no rows.
    NoRows,
    /// Every value is null.
    AllNull,
    /// The table has no such column.
    NoColumn,
    /// A value that is no time, quoted.
    Unreadable(String),
}

/// How much of a column is filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filled {
    /// Counted.
    Rows {
        /// Rows with a value.
        non_null: u64,
        /// All rows.
        total: u64,
    },
    /// The table has no such column.
    NoColumn,
}

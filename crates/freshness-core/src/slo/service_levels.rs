//! What is promised of a dataset?
//!
//! The meaning of a declaration after its levels were merged: every value is
//! checked, a duration is seconds. An absent objective is not promised.

use serde::{Deserialize, Serialize};

use crate::civil::Zone;
use crate::schedule::Calendar;

/// The promises of one dataset in one environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServiceLevels {
    /// How old the newest data may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// How much of a column must be filled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub availability: Option<Availability>,
    /// How many rows a run must bring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_count: Option<RowCount>,
    /// How many of the rows must be good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
}

/// One kind of promise, judged on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The newest `field` is at most so old.
    Freshness,
    /// The newest `source_field` is at most so old.
    SourceFreshness,
    /// There by a time of day, on the days it is owed.
    Deadline,
    /// So many percent of a column are filled.
    Availability,
    /// Rows lie between two bounds.
    RowCount,
    /// Rows are as many as usual.
    RowCountAnomaly,
    /// Enough rows are good, few are quarantined.
    Quality,
}

/// What is said of a promise besides its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// In the owner's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whom to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Does its breach fail a check, or only warn? It fails it unless
    /// `severity: warning` says otherwise.
    #[serde(default = "yes")]
    pub critical: bool,
}

/// How old data may be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Freshness {
    /// See [`About`].
    #[serde(flatten)]
    pub about: About,
    /// Greatest age of the newest `field`, seconds, above 0.
    pub threshold: Option<f64>,
    /// The column whose greatest value counts.
    pub field: Option<String>,
    /// The column that says when the source made the row.
    pub source_field: Option<String>,
    /// Greatest age of the newest `source_field`, seconds, above 0.
    pub source_threshold: Option<f64>,
    /// The time of day by which it is owed, if one is.
    pub by: Option<DayPromise>,
    /// The days whose time counts towards an age, and those of `by`; all if
    /// absent. Days of the week, business days, or for `by` alone days of the month.
    pub calendar: Option<Calendar>,
    /// The zone in which days and times of day are meant, its own or that of the
    /// contract; UTC if absent.
    pub timezone: Option<Zone>,
}

/// A time of day by which the day's data is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayPromise {
    /// Minutes after local midnight.
    pub minutes: u16,
}

/// How much of a column must be filled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Availability {
    /// See [`About`].
    #[serde(flatten)]
    pub about: About,
    /// Least share of rows that are not null, percent, 0 to 100.
    pub threshold: f64,
    /// The column.
    pub field: String,
}

/// How many rows a run must bring.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RowCount {
    /// See [`About`].
    #[serde(flatten)]
    pub about: About,
    /// Fewest.
    pub min_rows: Option<u64>,
    /// Most.
    pub max_rows: Option<u64>,
    /// Which count is looked at.
    pub check_field: CountField,
    /// A reprocessed span longer than this, in days, is not judged.
    pub skip_reprocess_days: Option<u32>,
    /// A breach only warns.
    pub warn_only: bool,
    /// Are the rows as many as usual?
    pub anomaly: Option<Anomaly>,
}

/// A count of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountField {
    /// Rows read.
    #[default]
    CountsSource,
    /// Rows that passed.
    CountsGood,
    /// Rows in all.
    CountsTotal,
}

/// How a usual number of rows is reckoned, and how far from it is too far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Anomaly {
    /// How the usual number comes about.
    pub method: AnomalyMethod,
    /// Runs that `median` and `rolling_average` look back.
    pub lookback_runs: u32,
    /// Days that `seasonal_median` looks back.
    pub lookback_days: u32,
    /// Least share of the usual number.
    pub min_ratio: f64,
    /// Greatest multiple of the usual number.
    pub max_ratio: f64,
    /// A share below which a drop is critical; at 0 only a drop to nothing is.
    pub critical_ratio: f64,
    /// Fewer runs give no verdict.
    pub min_runs_before_enforcement: u32,
}

/// How a usual number of rows is reckoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyMethod {
    /// The median of the last runs.
    Median,
    /// The mean of the last runs.
    RollingAverage,
    /// The median of the same weekday.
    SeasonalMedian,
}

/// How many of the rows must be good.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// See [`About`].
    #[serde(flatten)]
    pub about: About,
    /// Least share of good rows, 0 to 1.
    pub min_good_ratio: Option<f64>,
    /// Greatest share of quarantined rows, 0 to 1.
    pub max_quarantine_ratio: Option<f64>,
}

impl Default for About {
    fn default() -> About {
        About {
            description: None,
            owner: None,
            critical: true,
        }
    }
}

fn yes() -> bool {
    true
}

/// What holds where nothing is said; the oracles of the tests know them too.
impl Default for Anomaly {
    fn default() -> Anomaly {
        Anomaly {
            method: AnomalyMethod::SeasonalMedian,
            lookback_runs: 14,
            lookback_days: 35,
            min_ratio: 0.5,
            max_ratio: 2.0,
            critical_ratio: 0.0,
            min_runs_before_enforcement: 5,
        }
    }
}

impl Objective {
    /// Its word, the same in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Objective::Freshness => "freshness",
            Objective::SourceFreshness => "source_freshness",
            Objective::Deadline => "deadline",
            Objective::Availability => "availability",
            Objective::RowCount => "row_count",
            Objective::RowCountAnomaly => "row_count_anomaly",
            Objective::Quality => "quality",
        }
    }
}

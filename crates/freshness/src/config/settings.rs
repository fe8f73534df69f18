//! What is a command told that is not its own argument?
//!
//! What the file, the environment and the flags mean together; all defaults are
//! on this page.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use freshness_core::civil::Holidays;
use freshness_core::fit::Parameters;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pictures::Protocol;
use super::scalars::Chosen;
use super::{
    Connection, DatasetRules, MaintenanceRules, Placed, Renames, RuleSection, ScheduleSettings,
    SourceSection, Tools,
};

/// Everything a command can be told that is not its own argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The configuration file that was read, if any.
    pub config_file: Option<PathBuf>,
    /// The store's file.
    pub store: PathBuf,
    /// The instant that stands for the present; `None` is the clock's.
    pub now: Option<Timestamp>,
    /// Form of the output.
    pub format: Format,
    /// Threads to use; `None` is all cores.
    pub threads: Option<u16>,
    /// How long to wait for another process that writes to the store.
    pub lock_timeout: Duration,
    /// When to use colour.
    pub color: ColorChoice,
    /// May more than ASCII be drawn?
    pub unicode: bool,
    /// How the terminal shows pictures, if it can.
    pub pictures: Option<Protocol>,
    /// Say nothing on stderr but errors.
    pub quiet: bool,
    /// How to learn.
    pub fit: Parameters,
    /// How to check.
    pub check: CheckSettings,
    /// How coverage is watched.
    pub coverage: CoverageSettings,
    /// How promises are watched.
    pub slo: SloSettings,
    /// How sources are collected.
    pub collect: CollectSettings,
    /// When the steps of `freshness run` are due.
    pub schedule: ScheduleSettings,
    /// The databases that hold datasets, by name.
    pub connections: BTreeMap<String, Connection>,
    /// Where arrivals are read from, by name; paths as this process takes them.
    pub sources: BTreeMap<String, Placed<SourceSection>>,
    /// What is said of datasets, by pattern and by team.
    pub rules: DatasetRules,
    /// … the patterns, as typed.
    pub rules_typed: Vec<Placed<RuleSection>>,
    /// When nothing is expected of which datasets.
    pub maintenance: MaintenanceRules,
    /// Under which names datasets are kept.
    pub renames: Renames,
    /// The holidays that calendars may name, the user's own first.
    pub holidays: Holidays,
    /// Which other tools the environment speaks of.
    pub tools: Tools,
    /// What each scalar is, and who said so.
    pub chosen: Vec<Chosen>,
}

/// How to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSettings {
    /// Are old models a reason not to tell?
    pub strict: bool,
    /// Age from which a model is old.
    pub max_model_age: SignedDuration,
}

impl Settings {
    /// Does a connection or a source name this variable for a secret?
    pub fn names_variable(&self, name: &str) -> bool {
        let connections = (self.connections.values()).flat_map(Connection::variables);
        let sources = (self.sources.values()).flat_map(|source| source.typed.variables());
        connections.chain(sources).any(|variable| variable == name)
    }
}

/// How coverage is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoverageSettings {
    /// Time since the last check of coverage after which the monitor is ill.
    pub max_check_age: SignedDuration,
    /// Time since a begin after which a run that is still open is forgotten.
    pub max_open_age: SignedDuration,
}

/// How promises are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SloSettings {
    /// Time since the last `slo check` after which the monitor is ill.
    pub max_check_age: SignedDuration,
}

/// How sources are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectSettings {
    /// Time since a source was last read after which the monitor is ill.
    pub max_age: SignedDuration,
}

/// Form of the output.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Columns for people
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One JSON object per line and dataset
    Ndjson,
}

/// When to use colour.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Where the store is, if nobody says otherwise.
pub(super) const DEFAULT_STORE: &str = ".freshness/freshness.db";

/// Longer than any import takes to store what it has read.
pub(super) const DEFAULT_LOCK_TIMEOUT: SignedDuration = SignedDuration::from_secs(60);

impl Default for CheckSettings {
    fn default() -> CheckSettings {
        CheckSettings {
            strict: false,
            // A daily fit may fail once before its models are called old.
            max_model_age: SignedDuration::from_hours(36),
        }
    }
}

impl Default for CoverageSettings {
    fn default() -> CoverageSettings {
        CoverageSettings {
            // Whoever has contracts checks them every day at least.
            max_check_age: SignedDuration::from_hours(24),
            // No load takes a day; one that ended and did not say so does.
            max_open_age: SignedDuration::from_hours(24),
        }
    }
}

impl Default for SloSettings {
    fn default() -> SloSettings {
        SloSettings {
            // Whoever has promises checks them every day at least.
            max_check_age: SignedDuration::from_hours(24),
        }
    }
}

impl Default for CollectSettings {
    fn default() -> CollectSettings {
        CollectSettings {
            // Whoever has sources reads them every day at least.
            max_age: SignedDuration::from_hours(24),
        }
    }
}

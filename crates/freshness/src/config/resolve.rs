//! What do the file, the environment and the flags mean together?
//!
//! A flag wins over a variable, a variable over the file, the file over the
//! default; all defaults are on this page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::ValueEnum;
use freshness_core::fit::Parameters;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pictures::{Protocol, terminal_protocol};
use super::{
    CheckSection, ConfigFile, Connection, CoverageSection, Environment, FitSection, GlobalFlags,
    Placed, SloSection, SourceSection, values,
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
    /// The databases that hold datasets, by name.
    pub connections: BTreeMap<String, Connection>,
    /// Where arrivals are read from, by name; paths as this process takes them.
    pub sources: BTreeMap<String, Placed<SourceSection>>,
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
    /// Does a connection name this variable for a secret?
    pub fn names_variable(&self, name: &str) -> bool {
        let mut all = (self.connections.values()).flat_map(Connection::variables);
        all.any(|variable| variable == name)
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
const DEFAULT_STORE: &str = ".freshness/freshness.db";

/// Longer than any import takes to store what it has read.
const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(60);

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

/// Reads the configuration file and settles every question.
pub fn resolve(flags: GlobalFlags, environment: &Environment) -> anyhow::Result<Settings> {
    let config = flags
        .config
        .clone()
        .or_else(|| environment.get("FRESHNESS_CONFIG").map(PathBuf::from));
    let (file, config_file) = ConfigFile::read(config.as_deref())?;
    settle(flags, environment, file, config_file)
}

fn settle(
    flags: GlobalFlags,
    environment: &Environment,
    file: ConfigFile,
    config_file: Option<PathBuf>,
) -> anyhow::Result<Settings> {
    let GlobalFlags {
        config: _,
        store,
        now,
        format,
        threads,
        lock_timeout,
        color,
        quiet,
    } = flags;
    let ConfigFile {
        store: file_store,
        format: file_format,
        threads: file_threads,
        color: file_color,
        fit:
            FitSection {
                false_alarm_rate,
                false_alarms_per_dataset_month,
                seed,
            },
        check: CheckSection {
            strict,
            max_model_age,
        },
        coverage: CoverageSection {
            max_check_age,
            max_open_age,
        },
        slo: SloSection {
            max_check_age: max_slo_check_age,
        },
        connections,
        sources,
        duckdb_library,
    } = file;
    // A path in a file is meant from where the file is.
    let home = config_file.as_deref().and_then(Path::parent);
    let from_home = |path: PathBuf| match home {
        Some(home) => home.join(path),
        None => path,
    };
    let file_store = file_store.map(from_home);
    let library = environment
        .get("FRESHNESS_DUCKDB_LIBRARY")
        .map(PathBuf::from)
        .or(duckdb_library.map(from_home));
    let no_color = environment.get("NO_COLOR").map(|_| ColorChoice::Never);
    let defaults = Parameters::default();
    let settings = Settings {
        store: store
            .or_else(|| environment.get("FRESHNESS_STORE").map(PathBuf::from))
            .or(file_store)
            .unwrap_or_else(|| PathBuf::from(DEFAULT_STORE)),
        now: now.or(variable(environment, "FRESHNESS_NOW", values::instant)?),
        format: format
            .or(variable(environment, "FRESHNESS_FORMAT", values::choice)?)
            .or(file_format)
            .unwrap_or_default(),
        threads: threads
            .or(variable(environment, "FRESHNESS_THREADS", values::threads)?)
            .or(file_threads),
        lock_timeout: lock_timeout
            .or(variable(
                environment,
                "FRESHNESS_LOCK_TIMEOUT",
                values::wait,
            )?)
            .map_or(Ok(DEFAULT_LOCK_TIMEOUT), |timeout| {
                Duration::try_from(timeout)
                    .with_context(|| format!("the lock timeout is negative: {timeout:#}"))
            })?,
        color: color
            .or(variable(environment, "FRESHNESS_COLOR", values::choice)?)
            .or(no_color)
            .or(file_color)
            .unwrap_or_default(),
        unicode: environment.shows_unicode(),
        pictures: terminal_protocol(environment),
        quiet,
        fit: Parameters {
            false_alarm_rate: variable(environment, "FRESHNESS_FALSE_ALARM_RATE", values::share)?
                .or(false_alarm_rate)
                .unwrap_or(defaults.false_alarm_rate),
            false_alarms_per_month: variable(
                environment,
                "FRESHNESS_FALSE_ALARMS_PER_DATASET_MONTH",
                values::alarms,
            )?
            .or(false_alarms_per_dataset_month),
            seed: variable(environment, "FRESHNESS_SEED", values::seed)?
                .or(seed)
                .unwrap_or(defaults.seed),
        },
        check: CheckSettings {
            strict: variable(environment, "FRESHNESS_STRICT", values::switch)?
                .or(strict)
                .unwrap_or(CheckSettings::default().strict),
            max_model_age: match max_model_age {
                Some(age) => age,
                None => CheckSettings::default().max_model_age,
            },
        },
        coverage: CoverageSettings {
            max_check_age: match max_check_age {
                Some(age) => age,
                None => CoverageSettings::default().max_check_age,
            },
            max_open_age: match max_open_age {
                Some(age) => age,
                None => CoverageSettings::default().max_open_age,
            },
        },
        slo: SloSettings {
            max_check_age: match max_slo_check_age {
                Some(age) => age,
                None => SloSettings::default().max_check_age,
            },
        },
        connections: connections
            .into_iter()
            .map(|(name, typed)| (name, Connection::new(typed, home, library.clone())))
            .collect(),
        sources: sources
            .into_iter()
            .map(|(name, mut source)| {
                if let Some(home) = home {
                    source.typed.from_home(home);
                }
                (name, source)
            })
            .collect(),
        config_file,
    };
    Ok(settings)
}

fn variable<T>(
    environment: &Environment,
    name: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> anyhow::Result<Option<T>> {
    environment
        .get(name)
        .map(|text| read(text).map_err(|why| anyhow!("{name} is unreadable: {text}: {why}")))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
        let file = || ConfigFile {
            store: Some("file.db".into()),
            ..ConfigFile::default()
        };
        let from = Some(PathBuf::from("etc/freshness.yaml"));
        let flags = GlobalFlags {
            store: Some("flag.db".into()),
            ..GlobalFlags::default()
        };
        let variables = environment(&[("FRESHNESS_STORE", "variable.db")]);
        let none = Environment::default();
        let store = |flags, environment, file| {
            settle(flags, environment, file, from.clone())
                .unwrap()
                .store
        };
        assert_eq!(store(flags, &variables, file()), Path::new("flag.db"));
        let flags = GlobalFlags::default;
        assert_eq!(store(flags(), &variables, file()), Path::new("variable.db"));
        assert_eq!(store(flags(), &none, file()), Path::new("etc/file.db"));
        assert_eq!(
            store(flags(), &none, ConfigFile::default()),
            Path::new(DEFAULT_STORE)
        );
    }

    #[test]
    fn an_unreadable_variable_is_named_with_its_value() {
        let refused = |name, value| {
            let variables = environment(&[(name, value)]);
            let flags = GlobalFlags::default();
            settle(flags, &variables, ConfigFile::default(), None)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused("FRESHNESS_FORMAT", "xml"),
            "FRESHNESS_FORMAT is unreadable: xml: expected one of table, json, ndjson"
        );
        assert_eq!(
            refused("FRESHNESS_THREADS", "many"),
            "FRESHNESS_THREADS is unreadable: many: expected a whole number from 1 to 1024, such as 4"
        );
        assert_eq!(
            refused("FRESHNESS_FALSE_ALARM_RATE", "1.5"),
            "FRESHNESS_FALSE_ALARM_RATE is unreadable: 1.5: expected a share between 0 and 1, such as 0.001"
        );
        assert_eq!(
            refused("FRESHNESS_FALSE_ALARMS_PER_DATASET_MONTH", "0"),
            "FRESHNESS_FALSE_ALARMS_PER_DATASET_MONTH is unreadable: 0: expected a number above 0 and up to 100, such as 0.1"
        );
        assert_eq!(
            refused("FRESHNESS_STRICT", "1"),
            "FRESHNESS_STRICT is unreadable: 1: expected `true` or `false`"
        );
    }

    #[test]
    fn colour_is_off_where_the_environment_asks_for_it() {
        let variables = environment(&[("NO_COLOR", "1")]);
        let settings = settle(
            GlobalFlags::default(),
            &variables,
            ConfigFile::default(),
            None,
        )
        .unwrap();
        assert_eq!(settings.color, ColorChoice::Never);
    }
}

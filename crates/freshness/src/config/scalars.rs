//! Which scalars are there, and who said what each is?
//!
//! A key of the file, the variable that says the same, and the flag if there is
//! one. The reference, `.env.example` and `config show` are made from this list.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::ValueEnum;
use freshness_core::civil::Zone;
use jiff::SignedDuration;
use serde::Serialize;

use super::{ColorChoice, Environment, Format, Timing};

/// A setting of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// Where it stands in the file; `None`: it cannot stand there.
    pub key: Option<&'static str>,
    /// The variable.
    pub variable: &'static str,
    /// The flag, if there is one.
    pub flag: Option<&'static str>,
    /// What it is if nobody says so, in words.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn scalar(
    key: &'static str,
    variable: &'static str,
    flag: Option<&'static str>,
    default: &'static str,
    meaning: &'static str,
) -> Scalar {
    Scalar {
        key: Some(key),
        variable,
        flag,
        default,
        meaning,
    }
}

/// All of them, in the order of the reference.
pub const SCALARS: [Scalar; 23] = [
    Scalar {
        key: None,
        variable: "FRESHNESS_CONFIG",
        flag: Some("--config"),
        default: "freshness.yaml, if there is one",
        meaning: "the configuration file",
    },
    Scalar {
        key: None,
        variable: "FRESHNESS_NOW",
        flag: Some("--now"),
        default: "the clock's",
        meaning: "the time to work with, such as 2026-03-01T07:00:00Z",
    },
    scalar(
        "store",
        "FRESHNESS_STORE",
        Some("--store"),
        ".freshness/freshness.db",
        "path of the store; in the file, from where the file is",
    ),
    scalar(
        "format",
        "FRESHNESS_FORMAT",
        Some("--format"),
        "table",
        "form of the output: table, json, ndjson",
    ),
    scalar(
        "threads",
        "FRESHNESS_THREADS",
        Some("--threads"),
        "all cores",
        "threads to use, 1 to 1024; for `collect` and `slo measure`, what is asked at once (4)",
    ),
    scalar(
        "lock_timeout",
        "FRESHNESS_LOCK_TIMEOUT",
        Some("--lock-timeout"),
        "1m",
        "how long to wait for another process that writes to the store",
    ),
    scalar(
        "color",
        "FRESHNESS_COLOR",
        Some("--color"),
        "auto",
        "when to use colour: auto, always, never; NO_COLOR says never too",
    ),
    scalar(
        "fit.false_alarm_rate",
        "FRESHNESS_FALSE_ALARM_RATE",
        None,
        "0.001",
        "share of ordinary cycles that may pass the deadline, between 0 and 1",
    ),
    scalar(
        "fit.false_alarms_per_dataset_month",
        "FRESHNESS_FALSE_ALARMS_PER_DATASET_MONTH",
        None,
        "not limited",
        "false alarms that a dataset may raise in a month, above 0 and up to 100",
    ),
    scalar(
        "fit.seed",
        "FRESHNESS_SEED",
        None,
        "0",
        "seed of the bootstrap",
    ),
    scalar(
        "check.strict",
        "FRESHNESS_STRICT",
        None,
        "false",
        "are old models, and critical datasets that cannot be judged, a reason not to tell?",
    ),
    scalar(
        "check.max_model_age",
        "FRESHNESS_CHECK_MAX_MODEL_AGE",
        None,
        "1d 12h",
        "age from which a model is old",
    ),
    scalar(
        "coverage.max_check_age",
        "FRESHNESS_COVERAGE_MAX_CHECK_AGE",
        None,
        "1d",
        "time since the last check of coverage after which `doctor` fails",
    ),
    scalar(
        "coverage.max_open_age",
        "FRESHNESS_COVERAGE_MAX_OPEN_AGE",
        None,
        "1d",
        "time since a begin after which `doctor` fails if the run is still open",
    ),
    scalar(
        "slo.max_check_age",
        "FRESHNESS_SLO_MAX_CHECK_AGE",
        None,
        "1d",
        "time since the last `slo check` after which `doctor` fails",
    ),
    scalar(
        "duckdb_library",
        "FRESHNESS_DUCKDB_LIBRARY",
        None,
        "the system's",
        "the library of DuckDB; in the file, from where the file is",
    ),
    scalar(
        "collect.max_age",
        "FRESHNESS_COLLECT_MAX_AGE",
        None,
        "1d",
        "time since a source was last read after which `doctor` fails",
    ),
    scalar(
        "schedule.timezone",
        "FRESHNESS_SCHEDULE_TIMEZONE",
        None,
        "UTC",
        "whose clock the times of cron below are meant on",
    ),
    scalar(
        "schedule.collect",
        "FRESHNESS_SCHEDULE_COLLECT",
        None,
        "*/15 * * * *",
        "when `freshness run` reads the sources, if there are any: cron, a duration such as 15m, or never",
    ),
    scalar(
        "schedule.fit",
        "FRESHNESS_SCHEDULE_FIT",
        None,
        "30 6 * * *",
        "when it learns",
    ),
    scalar(
        "schedule.check",
        "FRESHNESS_SCHEDULE_CHECK",
        None,
        "15 * * * *",
        "when it checks",
    ),
    scalar(
        "schedule.report",
        "FRESHNESS_SCHEDULE_REPORT",
        None,
        "never",
        "when it writes the console",
    ),
    scalar(
        "schedule.report_out",
        "FRESHNESS_SCHEDULE_REPORT_OUT",
        None,
        "report",
        "the folder that it writes it to; in the file, from where the file is",
    ),
];

/// Who said what a setting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A flag.
    Flag,
    /// A variable.
    Variable,
    /// The file.
    File,
    /// Nobody.
    Default,
}

/// What a setting is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its key.
    pub key: &'static str,
    /// Its value; `None`: not set.
    pub value: Option<String>,
    /// Who said so.
    pub origin: Origin,
    /// The flag or the variable, if one of them did.
    pub by: Option<&'static str>,
}

/// Settles scalars one by one, and remembers who settled them.
pub(super) struct Chooser<'a> {
    environment: &'a Environment,
    chosen: Vec<Chosen>,
}

/// A value that can be shown as it is typed.
pub(super) trait Typed {
    fn typed(&self) -> String;
}

impl<'a> Chooser<'a> {
    pub(super) fn new(environment: &'a Environment) -> Chooser<'a> {
        let chosen = Vec::new();
        Chooser {
            environment,
            chosen,
        }
    }

    pub(super) fn done(self) -> Vec<Chosen> {
        self.chosen
    }

    /// The value of a key that has a default.
    pub(super) fn or<T: Typed>(
        &mut self,
        key: &'static str,
        flag: Option<T>,
        read: impl Fn(&str) -> Result<T, String>,
        file: Option<T>,
        default: T,
    ) -> anyhow::Result<T> {
        let chosen = self.any(key, flag, read, file)?;
        if let (None, Some(last)) = (&chosen, self.chosen.last_mut()) {
            last.value = Some(default.typed());
        }
        Ok(chosen.unwrap_or(default))
    }

    /// The value of a key that may not be set.
    pub(super) fn any<T: Typed>(
        &mut self,
        key: &'static str,
        flag: Option<T>,
        read: impl Fn(&str) -> Result<T, String>,
        file: Option<T>,
    ) -> anyhow::Result<Option<T>> {
        let scalar = SCALARS.iter().find(|scalar| scalar.key == Some(key));
        let variable = scalar.map(|scalar| scalar.variable);
        let (value, origin, by) = match (flag, variable) {
            (Some(value), _) => (Some(value), Origin::Flag, scalar.and_then(|s| s.flag)),
            (None, Some(name)) if self.environment.get(name).is_some() => {
                (self.variable(name, read)?, Origin::Variable, variable)
            }
            (None, _) if file.is_some() => (file, Origin::File, None),
            (None, _) => (None, Origin::Default, None),
        };
        self.chosen.push(Chosen {
            key,
            value: value.as_ref().map(Typed::typed),
            origin,
            by,
        });
        Ok(value)
    }

    /// The last one was settled by this variable.
    pub(super) fn by_variable(&mut self, name: &'static str) {
        if let Some(last) = self.chosen.last_mut() {
            (last.origin, last.by) = (Origin::Variable, Some(name));
        }
    }

    /// The value of a variable.
    pub(super) fn variable<T>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<Option<T>> {
        let text = self.environment.get(name);
        text.map(|text| read(text).map_err(|why| anyhow!("{name} is unreadable: {text}: {why}")))
            .transpose()
    }
}

impl Typed for PathBuf {
    fn typed(&self) -> String {
        self.display().to_string()
    }
}

impl Typed for SignedDuration {
    fn typed(&self) -> String {
        format!("{self:#}")
    }
}

impl Typed for Format {
    fn typed(&self) -> String {
        word(self)
    }
}

impl Typed for ColorChoice {
    fn typed(&self) -> String {
        word(self)
    }
}

fn word(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

macro_rules! typed_as_shown {
    ($($of:ty),*) => {
        $(impl Typed for $of {
            fn typed(&self) -> String {
                self.to_string()
            }
        })*
    };
}

typed_as_shown!(u16, u64, f64, bool, Zone, Timing);

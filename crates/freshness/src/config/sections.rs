//! Which small groups of keys does `freshness.yaml` have?

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::file::read;
use super::{schemas, values};

/// How to learn, as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitSection {
    /// Share of ordinary cycles that may pass the deadline, in (0, 1).
    #[serde(default, deserialize_with = "values::typed_share")]
    #[schemars(with = "Option<schemas::Share>")]
    pub false_alarm_rate: Option<f64>,
    /// False alarms that a dataset may raise in a month, above 0.
    #[serde(default, deserialize_with = "values::typed_alarms")]
    #[schemars(with = "Option<schemas::Alarms>")]
    pub false_alarms_per_dataset_month: Option<f64>,
    /// Seed of the bootstrap.
    #[serde(default, deserialize_with = "seed")]
    #[schemars(with = "Option<schemas::Seed>")]
    pub seed: Option<u64>,
}

/// How to check, as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSection {
    /// Are old models a reason not to tell?
    #[serde(default, deserialize_with = "values::typed_switch")]
    pub strict: Option<bool>,
    /// Age from which a model is old, such as `36h`.
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub max_model_age: Option<values::Age>,
}

/// How coverage is watched, as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverageSection {
    /// Time since the last check of coverage after which `doctor` fails, such as `2h`.
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub max_check_age: Option<values::Age>,
    /// Time since a begin after which `doctor` fails if the run is still open, such as `2h`.
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub max_open_age: Option<values::Age>,
}

/// How promises are watched, as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SloSection {
    /// Time since the last `slo check` after which `doctor` fails, such as `2h`.
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub max_check_age: Option<values::Age>,
}

/// How sources are collected, as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectSection {
    /// Time since a source was last read after which `doctor` fails, such as `2h`.
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub max_age: Option<values::Age>,
}

pub(super) fn one_of<'de, T: ValueEnum, D: Deserializer<'de>>(
    typed: D,
) -> Result<Option<T>, D::Error> {
    read(typed, values::choice)
}

pub(super) fn threads<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<u16>, D::Error> {
    read(typed, values::threads)
}

fn seed<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<u64>, D::Error> {
    read(typed, values::seed)
}

//! How far may a scope lag?
//!
//! A [`ContractRow`] is what somebody wrote, a [`Contract`] what it means. A
//! table in a warehouse may hold rows that mean nothing: they are kept, and
//! their scope is unhealthy until they are mended.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use super::scope_key::{ScopeKey, ScopeKeyError};
use crate::civil::{Holidays, UnknownZone, Zone};
use crate::dataset::{DatasetId, DatasetIdError};
use crate::schedule::Calendar;

/// A contract as it was written; any value may be missing or wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContractRow {
    /// The feed.
    pub source: String,
    /// The part of it that is required on its own.
    pub scope: String,
    /// How long the source's coverage may lag behind now: minutes, above 0.
    pub max_source_lag_minutes: Option<i64>,
    /// How long coverage may go without a step forward: minutes, above 0.
    pub max_publication_gap_minutes: Option<i64>,
    /// The dataset it feeds.
    pub dataset: Option<String>,
    /// The days, or hours of the week, in which the limits run; always if
    /// absent.
    pub calendar: Option<String>,
    /// The zone of those days; UTC if absent.
    pub timezone: Option<String>,
    /// How far a sender's clock may be fast: minutes, from 0; 0 if absent.
    pub skew_tolerance_minutes: Option<i64>,
    /// Whom to ask.
    pub owner: Option<String>,
}

/// A contract that can be judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// What it is about.
    pub key: ScopeKey,
    /// How long the source's coverage may lag behind now: seconds.
    pub source_lag_seconds_max: i64,
    /// How long coverage may go without a step forward: seconds.
    pub publication_gap_seconds_max: i64,
    /// When the limits run.
    pub counted: Counted,
    /// How far a sender's clock may be fast: seconds.
    pub skew_tolerance_seconds: i64,
    /// The dataset it feeds.
    pub dataset: Option<DatasetId>,
}

/// No limit is longer: a hundred years of minutes.
pub const MINUTES_MAX: i64 = 100 * 366 * 24 * 60;

/// Why a contract means nothing: the first thing that is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ContractFault {
    #[error(transparent)]
    Key(#[from] ScopeKeyError),
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{field} is not a whole number of minutes from {least}: {found}")]
    Minutes {
        field: &'static str,
        least: i64,
        found: i64,
    },
    #[error("dataset: {0}")]
    Dataset(#[from] DatasetIdError),
    #[error("unknown calendar: {0}")]
    Calendar(String),
    #[error("a limit runs on days or hours of the week, not by the month: {0}")]
    NoDays(String),
    #[error("no holidays are known for the country {0} of the calendar")]
    Country(String),
    #[error(transparent)]
    Zone(#[from] UnknownZone),
    #[error("declared {0} times")]
    Duplicate(u64),
}

impl Contract {
    /// What a row means, or the first thing that is wrong with it.
    pub fn read(row: &ContractRow, holidays: &Holidays) -> Result<Contract, ContractFault> {
        let ContractRow {
            source,
            scope,
            max_source_lag_minutes,
            max_publication_gap_minutes,
            dataset,
            calendar,
            timezone,
            skew_tolerance_minutes,
            owner: _,
        } = row;
        let key = ScopeKey::new(source, scope)?;
        let limit = |field, minutes: Option<i64>| {
            minutes
                .ok_or(ContractFault::Missing(field))
                .and_then(|minutes| seconds(field, 1, minutes))
        };
        let source_lag_seconds_max = limit("max_source_lag_minutes", *max_source_lag_minutes)?;
        let publication_gap_seconds_max =
            limit("max_publication_gap_minutes", *max_publication_gap_minutes)?;
        let skew_tolerance_seconds = seconds(
            "skew_tolerance_minutes",
            0,
            skew_tolerance_minutes.unwrap_or_default(),
        )?;
        let zone = match timezone {
            Some(name) => Zone::named(name)?,
            None => Zone::universal(),
        };
        let counted = match calendar {
            None => Counted::always(zone),
            Some(text) => {
                let calendar: Calendar = text
                    .parse()
                    .map_err(|_| ContractFault::Calendar(text.clone()))?;
                if let Some(country) = calendar.country()
                    && holidays.get(country).is_none()
                {
                    return Err(ContractFault::Country(country.to_owned()));
                }
                Counted::on(&calendar, zone).ok_or_else(|| ContractFault::NoDays(text.clone()))?
            }
        };
        let dataset = dataset.as_deref().map(DatasetId::try_from).transpose()?;
        Ok(Contract {
            key,
            source_lag_seconds_max,
            publication_gap_seconds_max,
            counted,
            skew_tolerance_seconds,
            dataset,
        })
    }
}

impl ContractFault {
    /// The field that is wrong; `None` if it is the whole row.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            ContractFault::Key(
                ScopeKeyError::Blank(field)
                | ScopeKeyError::Control(field)
                | ScopeKeyError::Padded(field)
                | ScopeKeyError::TooLong { field, .. },
            )
            | ContractFault::Missing(field)
            | ContractFault::Minutes { field, .. } => Some(field),
            ContractFault::Dataset(_) => Some("dataset"),
            ContractFault::Calendar(_) | ContractFault::NoDays(_) | ContractFault::Country(_) => {
                Some("calendar")
            }
            ContractFault::Zone(_) => Some("timezone"),
            ContractFault::Duplicate(_) => None,
        }
    }
}

fn seconds(field: &'static str, least: i64, minutes: i64) -> Result<i64, ContractFault> {
    match (least..=MINUTES_MAX).contains(&minutes) {
        true => Ok(minutes * 60),
        false => Err(ContractFault::Minutes {
            field,
            least,
            found: minutes,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> ContractRow {
        ContractRow {
            source: "orders".to_owned(),
            scope: "FR".to_owned(),
            max_source_lag_minutes: Some(120),
            max_publication_gap_minutes: Some(60),
            ..ContractRow::default()
        }
    }

    #[track_caller]
    fn check_fault(change: impl FnOnce(&mut ContractRow), fault: &str) {
        let mut row = row();
        change(&mut row);
        let holidays = Holidays::builtin();
        let found = Contract::read(&row, &holidays).unwrap_err();
        assert_eq!(found.to_string(), fault);
    }

    #[test]
    fn a_tolerance_is_nothing_unless_it_is_stated() {
        let contract = Contract::read(&row(), &Holidays::builtin()).unwrap();
        assert_eq!(contract.skew_tolerance_seconds, 0);
        assert_eq!(contract.source_lag_seconds_max, 7_200);
        assert_eq!(contract.publication_gap_seconds_max, 3_600);
    }

    #[test]
    fn a_contract_that_means_nothing_says_why() {
        check_fault(|row| row.scope.clear(), "scope is blank");
        check_fault(
            |row| row.max_source_lag_minutes = None,
            "max_source_lag_minutes is missing",
        );
        check_fault(
            |row| row.max_publication_gap_minutes = Some(0),
            "max_publication_gap_minutes is not a whole number of minutes from 1: 0",
        );
        check_fault(
            |row| row.max_source_lag_minutes = Some(i64::MAX),
            "max_source_lag_minutes is not a whole number of minutes from 1: 9223372036854775807",
        );
        check_fault(
            |row| row.skew_tolerance_minutes = Some(-1),
            "skew_tolerance_minutes is not a whole number of minutes from 0: -1",
        );
        check_fault(
            |row| row.timezone = Some("Mars/Olympus".to_owned()),
            "unknown time zone: Mars/Olympus",
        );
        check_fault(
            |row| row.calendar = Some("now and then".to_owned()),
            "unknown calendar: now and then",
        );
        check_fault(
            |row| row.calendar = Some("monthly last day".to_owned()),
            "a limit runs on days or hours of the week, not by the month: monthly last day",
        );
    }
}

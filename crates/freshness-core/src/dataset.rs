//! Which datasets exist, and what do their owners say of them?

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::civil::Zone;
use crate::schedule::{Calendar, Grain, Maintenance};

/// A dataset's name: unique, any text of 1 to [`DatasetId::MAX_BYTES`] bytes
/// without control characters and without white space at its ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatasetId(Arc<str>);

/// The text cannot name a dataset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum DatasetIdError {
    #[error("dataset id is empty")]
    Empty,
    #[error(
        "dataset id is too long: {bytes} bytes (at most {}): {start}…",
        DatasetId::MAX_BYTES
    )]
    TooLong { bytes: usize, start: String },
    #[error("dataset id has a control character: {0:?}")]
    Control(String),
    #[error("dataset id begins or ends with white space: {0:?}")]
    Padded(String),
}

/// What is declared of a dataset. Declared fields win over inferred ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Its name.
    pub id: DatasetId,
    /// How often cycles come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grain: Option<Grain>,
    /// The zone its schedule is kept in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<Zone>,
    /// On which cycles a delivery is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<Calendar>,
    /// Does its lateness fail a check?
    #[serde(default)]
    pub critical: bool,
    /// Whom to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The team it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// When nothing is expected of it. No tool tells it and no file that is imported:
    /// who reads the configuration says it of each dataset.
    #[serde(skip)]
    pub maintenance: Maintenance,
}

impl DatasetId {
    /// The longest name.
    pub const MAX_BYTES: usize = 1_024;

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<&str> for DatasetId {
    type Error = DatasetIdError;

    fn try_from(text: &str) -> Result<DatasetId, DatasetIdError> {
        if text.is_empty() {
            return Err(DatasetIdError::Empty);
        }
        if text.len() > DatasetId::MAX_BYTES {
            let start = text
                .chars()
                .take(40)
                .collect::<String>()
                .escape_debug()
                .to_string();
            return Err(DatasetIdError::TooLong {
                bytes: text.len(),
                start,
            });
        }
        if text.chars().any(char::is_control) {
            return Err(DatasetIdError::Control(text.to_owned()));
        }
        if text.trim() != text {
            return Err(DatasetIdError::Padded(text.to_owned()));
        }
        Ok(DatasetId(text.into()))
    }
}

impl Borrow<str> for DatasetId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DatasetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for DatasetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for DatasetId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DatasetId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<DatasetId, D::Error> {
        let text = String::deserialize(deserializer)?;
        DatasetId::try_from(text.as_str()).map_err(serde::de::Error::custom)
    }
}

impl Dataset {
    /// What is declared here and, where nothing is, what `other` says: the grain
    /// goes with its calendar; a dataset is critical if either says so.
    pub fn or(self, other: Dataset) -> Dataset {
        let (grain, calendar) = match (&self.grain, &self.calendar) {
            (None, None) => (other.grain, other.calendar),
            _ => (self.grain, self.calendar),
        };
        Dataset {
            id: self.id,
            grain,
            timezone: self.timezone.or(other.timezone),
            calendar,
            critical: self.critical || other.critical,
            owner: self.owner.or(other.owner),
            team: self.team.or(other.team),
            tags: match self.tags.is_empty() {
                true => other.tags,
                false => self.tags,
            },
            maintenance: match self.maintenance.is_empty() {
                true => other.maintenance,
                false => self.maintenance,
            },
        }
    }

    /// A dataset of which only the name is known.
    pub fn undeclared(id: DatasetId) -> Dataset {
        Dataset {
            id,
            grain: None,
            timezone: None,
            calendar: None,
            critical: false,
            owner: None,
            team: None,
            tags: Vec::new(),
            maintenance: Maintenance::NONE,
        }
    }
}

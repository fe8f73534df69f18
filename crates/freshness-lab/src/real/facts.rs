//! What do people know of real histories, that a measurement on them needs?
//!
//! One JSON object per line; what else is in it is not looked at.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use crate::agreement::{AgreementError, Confidence};

/// What is known of one history.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Facts {
    /// Of which dataset.
    pub dataset_id: String,
    /// Datasets of a class are reported together.
    #[serde(rename = "cadence_class")]
    pub class: String,
    /// How sure people are of what they know.
    pub confidence: Confidence,
    /// Silences: from the last arrival before to the first after.
    #[serde(default)]
    pub outages: Vec<(Timestamp, Timestamp)>,
}

/// Reads a file of facts: by dataset.
pub fn read_facts(text: &str) -> Result<BTreeMap<String, Facts>, AgreementError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| {
            let facts: Facts =
                serde_json::from_str(line).map_err(|source| AgreementError::Fact {
                    line: i + 1,
                    source,
                })?;
            Ok((facts.dataset_id.clone(), facts))
        })
        .collect()
}

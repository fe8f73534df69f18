//! What is not kept of what was promised of a dataset?

use serde::{Deserialize, Serialize};

use crate::coverage::ScopeKey;
use crate::dataset::DatasetId;
use crate::slo::Objective;
use crate::state::Severity;

/// One promise that is not kept; in JSON a word, or the dataset of a scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Broken {
    /// A service level.
    Level(Objective),
    /// A scope that feeds the dataset is not covered as its contract asks: the
    /// dataset of its releases.
    Scope(DatasetId),
}

/// The promises that a dataset does not keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    /// When the first of them broke: UTC seconds.
    pub since: i64,
    /// How much it matters, of the worst of them.
    pub severity: Severity,
    /// Which, each once.
    pub broken: Vec<Broken>,
    /// The share of its data that cannot be believed because of them, 0–1.
    pub lost: f64,
}

impl Broken {
    /// In words: `row_count`, `coverage (orders / FR)`.
    pub fn words(&self) -> String {
        match self {
            Broken::Level(objective) => objective.word().to_owned(),
            Broken::Scope(id) => match ScopeKey::of_dataset(id) {
                Some(key) => format!("coverage ({key})"),
                None => format!("coverage ({id})"),
            },
        }
    }

    /// Is the data old because of it, rather than wrong?
    pub fn is_old(&self) -> bool {
        match self {
            Broken::Scope(_)
            | Broken::Level(
                Objective::Freshness | Objective::SourceFreshness | Objective::Deadline,
            ) => true,
            Broken::Level(
                Objective::Availability
                | Objective::RowCount
                | Objective::RowCountAnomaly
                | Objective::Quality,
            ) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_a_word_and_a_scope_is_named() {
        let json = r#"["row_count","coverage:orders/FR"]"#;
        let broken: Vec<Broken> = serde_json::from_str(json).unwrap();
        assert_eq!(broken[0], Broken::Level(Objective::RowCount));
        let words: Vec<String> = broken.iter().map(Broken::words).collect();
        assert_eq!(words, ["row_count", "coverage (orders / FR)"]);
        assert_eq!(serde_json::to_string(&broken).unwrap(), json);
    }
}

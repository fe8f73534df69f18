//! Which incidents does nobody want to hear of for a while?
//!
//! A silence has an end: what is silenced for good should not be watched. All
//! that it asks for must hold of the root of an incident; of a suspect feed, of
//! every dataset that turned late in it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::incident::Incident;
use crate::dataset::{Dataset, DatasetId};

/// Whoever set it does not want to hear of some incidents until an instant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// Its number.
    pub no: u64,
    /// Which.
    pub matchers: Matchers,
    /// Who set it.
    pub by: String,
    /// Why.
    pub why: String,
    /// When it was set.
    pub from: Timestamp,
    /// Until when it holds.
    pub until: Timestamp,
}

/// What a silence asks for; all of it must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matchers {
    /// A pattern for the whole name of the dataset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Its team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// One of its tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

impl Silence {
    /// Does it hold at an instant?
    pub fn holds(&self, now: Timestamp) -> bool {
        self.from <= now && now < self.until
    }

    /// Is the incident one of those? `is_named` says whether a name matches
    /// the silence's pattern, `declared` what is known of a dataset.
    pub fn covers<'a>(
        &self,
        incident: &Incident,
        is_named: impl Fn(&str) -> bool,
        declared: impl Fn(&DatasetId) -> Option<&'a Dataset>,
    ) -> bool {
        let matches = |id: &DatasetId| {
            let named = self.matchers.dataset.is_none() || is_named(id.as_str());
            named && declared(id).is_some_and(|dataset| self.matchers.hold_of(dataset))
        };
        match &incident.root {
            Some(root) => matches(root),
            None => incident
                .members
                .iter()
                .filter(|member| member.hops == 0)
                .all(|member| matches(&member.dataset_id)),
        }
    }
}

impl Matchers {
    /// Does it ask for nothing? Such a silence would cover everything.
    pub fn is_empty(&self) -> bool {
        *self == Matchers::default()
    }

    /// Does all but the name hold of a dataset?
    pub fn hold_of(&self, dataset: &Dataset) -> bool {
        let Matchers {
            dataset: _,
            team,
            tag,
            owner,
        } = self;
        let is = |asked: &Option<String>, of: &Option<String>| asked.is_none() || asked == of;
        is(team, &dataset.team)
            && is(owner, &dataset.owner)
            && tag.as_ref().is_none_or(|tag| dataset.tags.contains(tag))
    }
}

//! Whom does an incident concern, and where are they told?
//!
//! First whoever looks after the dataset that it began with; then those of the datasets
//! that it explains, and of the dashboards that show one of all these. A script that
//! sends takes it from here. An incident that is silenced or looked after says the same:
//! its `status` says what to do about it.

use std::collections::BTreeMap;

use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::incidents::{Followed, Incident};
use jiff::Timestamp;
use serde::Serialize;

use super::IncidentLine;
use crate::config::DatasetRules;

/// An incident as JSON, with whom it concerns.
#[derive(Debug, Serialize)]
pub struct Addressed<'a> {
    #[serde(flatten)]
    line: IncidentLine<'a>,
    to: Vec<Recipient<'a>>,
}

/// Somebody whom an incident concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recipient<'a> {
    /// The nearest reason why.
    pub because: Because,
    /// The team, if one is known.
    pub team: Option<&'a str>,
    /// The person, if one is known.
    pub owner: Option<&'a str>,
    /// Where the team is told, as configured.
    pub routes: &'a [String],
}

/// Why an incident concerns somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// Theirs is what it began with.
    Root,
    /// Theirs is late because of it.
    Member,
    /// Theirs is a dashboard that shows one of these.
    Dashboard,
}

/// Everybody, ready to be asked.
#[derive(Debug)]
pub struct Recipients<'a> {
    datasets: BTreeMap<&'a DatasetId, &'a Dataset>,
    /// The owners of the dashboards that show a dataset.
    readers: BTreeMap<&'a DatasetId, Vec<&'a str>>,
    rules: &'a DatasetRules,
}

impl<'a> Recipients<'a> {
    /// What is known of the datasets and dashboards there are, and of the teams.
    pub fn new(
        datasets: impl IntoIterator<Item = &'a Dataset>,
        dashboards: &'a [Dashboard],
        rules: &'a DatasetRules,
    ) -> Recipients<'a> {
        let mut readers: BTreeMap<&DatasetId, Vec<&str>> = BTreeMap::new();
        for dashboard in dashboards {
            let Some(owner) = dashboard.owner.as_deref() else {
                continue;
            };
            for dataset in dashboard.parts().iter().flat_map(|part| &part.datasets) {
                readers.entry(dataset).or_default().push(owner);
            }
        }
        let datasets = datasets.into_iter();
        Recipients {
            datasets: datasets.map(|dataset| (&dataset.id, dataset)).collect(),
            readers,
            rules,
        }
    }

    /// An incident at an instant, with whom it concerns.
    pub fn address(&self, followed: &'a Followed, now: Timestamp) -> Addressed<'a> {
        Addressed {
            line: IncidentLine::new(followed, now),
            to: self.of(&followed.incident),
        }
    }

    /// Whom an incident concerns, each once: those of the root first, then by name.
    pub fn of(&self, incident: &'a Incident) -> Vec<Recipient<'a>> {
        let mut found: BTreeMap<(Option<&str>, Option<&str>), Because> = BTreeMap::new();
        let mut add = |who: (Option<&'a str>, Option<&'a str>), because: Because| {
            if who != (None, None) {
                let nearest = found.entry(who).or_insert(because);
                *nearest = because.min(*nearest);
            }
        };
        let root = incident.root.iter().map(|root| (root, Because::Root));
        let members = incident.members.iter().map(|member| {
            let is_root = incident.root.is_none() && member.hops == 0;
            let because = if is_root {
                Because::Root
            } else {
                Because::Member
            };
            (&member.dataset_id, because)
        });
        for (id, because) in root.chain(members) {
            if let Some(dataset) = self.datasets.get(id) {
                add((dataset.team.as_deref(), dataset.owner.as_deref()), because);
            }
            for &owner in self.readers.get(id).into_iter().flatten() {
                // A dashboard has an owner only; that may be a team.
                let who = match self.rules.teams().any(|team| team == owner) {
                    true => (Some(owner), None),
                    false => (None, Some(owner)),
                };
                add(who, Because::Dashboard);
            }
        }
        let recipient = |((team, owner), because)| Recipient {
            because,
            team,
            owner,
            routes: team.map_or(&[][..], |team| self.rules.routes(team)),
        };
        let mut recipients: Vec<Recipient<'_>> = found.into_iter().map(recipient).collect();
        recipients.sort_by_key(|recipient| recipient.because);
        recipients
    }
}

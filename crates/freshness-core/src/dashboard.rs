//! Which reports exist, and which of their parts are made from what?
//!
//! A report is read in parts (a headline, a trend, a table), and a late dataset
//! spoils those it feeds, not the others. So a dashboard is its parts, by name,
//! each with the datasets it shows, by name too: the order in which they were
//! told never shows.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::dataset::{DatasetId, DatasetIdError};

/// A dashboard's name: unique, by the rules of a [`DatasetId`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DashboardId(Arc<str>);

/// A report that people read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dashboard {
    /// Its name for programs.
    pub id: DashboardId,
    /// Its name for people.
    pub title: Option<String>,
    /// Whom to ask.
    pub owner: Option<String>,
    /// Where it is read; begins with `http://` or `https://`.
    pub url: Option<String>,
    /// How far it can be relied on by its own team: `high`, `medium` or `low`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maturity: Option<String>,
    /// By name; none is empty.
    parts: Vec<Part>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name within the report.
    pub name: String,
    /// What it shows, by name, each once; never empty.
    pub datasets: Vec<DatasetId>,
}

impl Dashboard {
    /// A dashboard of which only the name is known, and which dataset feeds
    /// which part.
    pub fn new(id: DashboardId, feeds: impl IntoIterator<Item = (String, DatasetId)>) -> Dashboard {
        let mut parts: BTreeMap<String, Vec<DatasetId>> = BTreeMap::new();
        for (part, dataset) in feeds {
            parts.entry(part).or_default().push(dataset);
        }
        let part = |(name, mut datasets): (String, Vec<DatasetId>)| {
            datasets.sort_unstable();
            datasets.dedup();
            Part { name, datasets }
        };
        Dashboard {
            id,
            title: None,
            owner: None,
            url: None,
            maturity: None,
            parts: parts.into_iter().map(part).collect(),
        }
    }

    /// Its parts, by name.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        self.title.as_deref().unwrap_or(self.id.as_str())
    }
}

impl DashboardId {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<&str> for DashboardId {
    type Error = DatasetIdError;

    fn try_from(text: &str) -> Result<DashboardId, DatasetIdError> {
        DatasetId::try_from(text).map(|id| DashboardId(id.as_str().into()))
    }
}

impl From<DatasetId> for DashboardId {
    fn from(id: DatasetId) -> DashboardId {
        DashboardId(id.as_str().into())
    }
}

impl Borrow<str> for DashboardId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DashboardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for DashboardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for DashboardId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_in_which_parts_were_told_never_shows() {
        let id = |text: &str| DatasetId::try_from(text).unwrap();
        let feeds = [
            ("trend", "b"),
            ("headline", "a"),
            ("trend", "a"),
            ("trend", "b"),
        ];
        let told = |order: &[usize]| {
            let feeds = order
                .iter()
                .map(|&i| (feeds[i].0.to_owned(), id(feeds[i].1)));
            Dashboard::new(DashboardId::try_from("board").unwrap(), feeds)
        };
        let board = told(&[0, 1, 2, 3]);
        assert_eq!(board, told(&[3, 2, 1, 0]));
        assert_eq!(board.parts()[1].datasets, [id("a"), id("b")]);
        assert_eq!((board.name(), board.parts().len()), ("board", 2));
    }
}

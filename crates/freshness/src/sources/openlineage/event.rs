//! What does one event say?
//!
//! Run events, job events and dataset events of the specification 1.x and 2.x,
//! borrowed from the bytes they stand in. Only what is used is kept; every other
//! facet, the producers' own ones too, is passed over unread.

use std::borrow::Cow;

use serde::Deserialize;

use super::columns::ColumnLineage;

/// A text as it stands in the event, copied only if it has escapes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// An event of any kind: a run, a job or a dataset says which.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event<'a> {
    #[serde(borrow)]
    pub(super) event_type: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) event_time: Option<Text<'a>>,
    #[serde(borrow, rename = "schemaURL")]
    pub(super) schema_url: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) run: Option<RunPart<'a>>,
    #[serde(borrow)]
    pub(super) job: Option<JobPart<'a>>,
    #[serde(borrow)]
    pub(super) dataset: Option<DatasetPart<'a>>,
    #[serde(borrow)]
    pub(super) inputs: Option<Vec<DatasetPart<'a>>>,
    #[serde(borrow)]
    pub(super) outputs: Option<Vec<DatasetPart<'a>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunPart<'a> {
    #[serde(borrow)]
    pub(super) run_id: Text<'a>,
    #[serde(borrow)]
    pub(super) facets: Option<RunFacets<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunFacets<'a> {
    #[serde(borrow)]
    pub(super) nominal_time: Option<NominalTime<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NominalTime<'a> {
    #[serde(borrow)]
    pub(super) nominal_start_time: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct JobPart<'a> {
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) facets: Option<JobFacets<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct JobFacets<'a> {
    #[serde(borrow)]
    pub(super) ownership: Option<Ownership<'a>>,
}

/// A dataset, wherever an event names one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DatasetPart<'a> {
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) facets: Option<DatasetFacets<'a>>,
    pub(super) input_facets: Option<Measures>,
    pub(super) output_facets: Option<Measures>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DatasetFacets<'a> {
    #[serde(borrow)]
    pub(super) symlinks: Option<Symlinks<'a>>,
    #[serde(borrow)]
    pub(super) ownership: Option<Ownership<'a>>,
    #[serde(borrow)]
    column_lineage: Option<ColumnLineage<'a>>,
    /// Its successor.
    #[serde(borrow)]
    lineage: Option<ColumnLineage<'a>>,
    #[serde(borrow)]
    pub(super) lifecycle_state_change: Option<Lifecycle<'a>>,
    #[serde(borrow)]
    pub(super) tags: Option<Tags<'a>>,
    pub(super) data_quality_metrics: Option<RowCount>,
    pub(super) data_quality_assertions: Option<Assertions>,
}

/// The facets that say how much there is, or how good it is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Measures {
    pub(super) output_statistics: Option<RowCount>,
    pub(super) data_quality_metrics: Option<RowCount>,
    pub(super) data_quality_assertions: Option<Assertions>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RowCount {
    row_count: Option<f64>,
    size: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Assertions {
    pub(super) assertions: Option<Vec<Assertion>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Assertion {
    pub(super) success: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Symlinks<'a> {
    #[serde(borrow)]
    pub(super) identifiers: Option<Vec<Identifier<'a>>>,
}

/// Another name of a dataset; `TABLE` is the name that people use.
#[derive(Debug, Deserialize)]
pub(super) struct Identifier<'a> {
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Ownership<'a> {
    #[serde(borrow)]
    owners: Option<Vec<Owner<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Owner<'a> {
    #[serde(borrow)]
    name: Text<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lifecycle<'a> {
    #[serde(borrow)]
    lifecycle_state_change: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) previous_identifier: Option<Named<'a>>,
}

/// A dataset by its name alone.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Named<'a> {
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tags<'a> {
    #[serde(borrow)]
    tags: Option<Vec<Tag<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Tag<'a> {
    #[serde(borrow)]
    key: Text<'a>,
    #[serde(borrow)]
    value: Option<Text<'a>>,
    /// Tags of a column are not tags of its dataset.
    #[serde(borrow)]
    field: Option<Text<'a>>,
}

/// What a job did to a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Its data is new, or nothing was said.
    Data,
    /// Only its form changed, unless rows are told.
    Form,
    /// It is gone, or has another name.
    Name,
}

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'a> DatasetFacets<'a> {
    /// From which datasets columns come; one may be there more than once.
    pub(super) fn columns_from(&self) -> impl Iterator<Item = &Named<'a>> {
        let facets = self.column_lineage.iter().chain(&self.lineage);
        facets.flat_map(|columns| &columns.from)
    }
}

impl RowCount {
    /// Rows, if they are told as a whole number.
    pub(super) fn rows(&self) -> Option<u64> {
        // Some producers write whole numbers as `12.0`; above 2^53 not every number
        // can be told, and nobody counts so far.
        let is_count = |rows: &f64| rows.fract() == 0.0 && (0.0..9e15).contains(rows);
        self.row_count.filter(is_count).map(|rows| rows as u64)
    }

    /// Is it told that there is something?
    pub(super) fn is_some(&self) -> bool {
        self.row_count.or(self.size).is_some_and(|n| n > 0.0)
    }
}

impl Ownership<'_> {
    /// All of them, in the order that they are told in; `None` if nobody is.
    pub(super) fn owner(&self) -> Option<String> {
        let owners = self.owners.iter().flatten();
        let names: Vec<&str> = owners.map(|owner| owner.name.as_str().trim()).collect();
        let owner = names.join(", ");
        (!owner.is_empty()).then_some(owner)
    }
}

impl Tags<'_> {
    /// `key`, or `key=value`.
    pub(super) fn texts(&self) -> Vec<String> {
        let of_dataset = self.tags.iter().flatten().filter(|tag| tag.field.is_none());
        let text = |tag: &Tag<'_>| match tag.value.as_ref().map(Text::as_str) {
            None | Some("" | "true") => tag.key.as_str().to_owned(),
            Some(value) => format!("{}={value}", tag.key.as_str()),
        };
        let mut texts: Vec<String> = of_dataset
            .map(text)
            .filter(|text| !text.is_empty())
            .collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }
}

impl Lifecycle<'_> {
    pub(super) fn change(&self) -> Option<Change> {
        let text = self.lifecycle_state_change.as_ref()?.as_str();
        Some(match text {
            "CREATE" | "ALTER" | "TRUNCATE" => Change::Form,
            "DROP" | "RENAME" => Change::Name,
            // OVERWRITE, and what later versions may add.
            _ => Change::Data,
        })
    }

    pub(super) fn is_rename(&self) -> bool {
        let text = self.lifecycle_state_change.as_ref().map(Text::as_str);
        text == Some("RENAME")
    }
}

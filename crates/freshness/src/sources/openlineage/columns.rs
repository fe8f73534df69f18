//! From which datasets do the columns of one come?
//!
//! A facet names, for each column, the columns it is made from (`columnLineage`, and
//! in later versions `lineage`, in which a job may be told in place of a dataset).
//! Only the datasets are kept: a table of two hundred columns has perhaps three
//! parents, told four hundred times, mostly one after the other.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::event::{Named, Text};

/// The datasets that columns come from; one may be there more than once.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ColumnLineage<'a> {
    pub(super) from: Vec<Named<'a>>,
}

#[derive(Deserialize)]
struct Facet<'a> {
    #[serde(borrow)]
    fields: Option<Fields<'a>>,
    /// What the rows as a whole depend on: joins, filters.
    #[serde(borrow, alias = "inputs")]
    dataset: Option<Vec<Told<'a>>>,
}

#[derive(Default)]
struct Fields<'a>(Vec<Named<'a>>);

#[derive(Deserialize)]
struct Field<'a> {
    #[serde(borrow, rename = "inputFields", alias = "inputs")]
    from: Option<Vec<Told<'a>>>,
}

/// A column of a dataset, or a job, of which the name may be left out.
#[derive(Deserialize)]
struct Told<'a> {
    #[serde(borrow)]
    namespace: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for ColumnLineage<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Facet { fields, dataset } = Facet::deserialize(deserializer)?;
        let mut from = fields.unwrap_or_default().0;
        add(&mut from, dataset);
        Ok(ColumnLineage { from })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Vec<Named<'de>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("columns by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut from = Vec::new();
                while map.next_key::<IgnoredAny>()?.is_some() {
                    let field: Field<'de> = map.next_value()?;
                    add(&mut from, field.from);
                }
                Ok(from)
            }
        }
        deserializer.deserialize_map(Each).map(Fields)
    }
}

fn add<'a>(from: &mut Vec<Named<'a>>, more: Option<Vec<Told<'a>>>) {
    for told in more.into_iter().flatten() {
        let (Some(namespace), Some(name)) = (told.namespace, told.name) else {
            continue;
        };
        let is_job = told.kind.is_some_and(|kind| kind.as_str() == "JOB");
        let named = Named { namespace, name };
        if !is_job && from.last() != Some(&named) {
            from.push(named);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_datasets_of_all_columns_and_of_the_rows_are_found() {
        let facet = r#"{"fields": {
            "id": {"inputFields": [{"namespace":"n","name":"a","field":"x"},{"namespace":"n","name":"a","field":"y"}]},
            "sum": {"inputFields": [{"namespace":"n","name":"b","field":"x","transformations":[{"type":"DIRECT"}]}]},
            "constant": {}
        }, "dataset": [{"namespace":"n","name":"c","field":"z"}]}"#;
        let read: ColumnLineage<'_> = serde_json::from_str(facet).unwrap();
        let names: Vec<&str> = read.from.iter().map(|named| named.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let deleted: ColumnLineage<'_> = serde_json::from_str(r#"{"_deleted":true}"#).unwrap();
        assert_eq!(deleted, ColumnLineage::default());
    }

    #[test]
    fn a_job_is_no_parent() {
        let facet = r#"{"inputs": [
            {"namespace":"n","name":"a","type":"DATASET","field":"k"},
            {"type":"JOB"}, {"namespace":"n","name":"j","type":"JOB"}
        ], "fields": {"id": {"inputs": [{"namespace":"n","name":"b","type":"DATASET"}]}}}"#;
        let read: ColumnLineage<'_> = serde_json::from_str(facet).unwrap();
        let names: Vec<&str> = read.from.iter().map(|named| named.name.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
    }
}

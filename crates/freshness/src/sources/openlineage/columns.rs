//! From which datasets do the columns of one come?
//!
//! The facet names, for each column, the columns it is made from. Only their
//! datasets are kept: a table of two hundred columns has perhaps three parents,
//! told four hundred times, mostly one after the other.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::event::Named;

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
    #[serde(borrow)]
    dataset: Option<Vec<Named<'a>>>,
}

#[derive(Default)]
struct Fields<'a>(Vec<Named<'a>>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field<'a> {
    #[serde(borrow)]
    input_fields: Option<Vec<Named<'a>>>,
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
                    add(&mut from, field.input_fields);
                }
                Ok(from)
            }
        }
        deserializer.deserialize_map(Each).map(Fields)
    }
}

fn add<'a>(from: &mut Vec<Named<'a>>, more: Option<Vec<Named<'a>>>) {
    for named in more.into_iter().flatten() {
        if from.last() != Some(&named) {
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
}

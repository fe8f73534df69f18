//! What does `meta.freshness` say of a dataset?
//!
//! The columns of `import datasets`, `dataset`: its name here, and `settle`: how
//! long the newest row must have been there when dbt looked, for a load to be over. A setting that cannot
//! be read is told, and counts as not said: the next that says it holds. It stops
//! neither the others nor other datasets.

use std::collections::BTreeMap;

use freshness_core::civil::Holidays;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::slo::duration_seconds;
use serde_json::Value;

use super::json::Meta;
use crate::hint::did_you_mean;
use crate::sources::datasets::declared;
use crate::sources::ndjson::cell as of;
use crate::sources::table::{COLUMNS_MAX, Cell};

/// In the order of the columns of `import datasets`, from the second on.
const KEYS: [&str; 7] = [
    "grain", "timezone", "calendar", "critical", "owner", "team", "tags",
];
const OWNER: usize = 4;
const TEAM: usize = 5;
const TAGS: usize = 6;

/// What is said of a dataset outside of `meta.freshness`.
#[derive(Default)]
pub(super) struct Around {
    /// Whom to ask, if `meta` does not say it.
    pub(super) owner: Option<String>,
    pub(super) team: Option<String>,
    pub(super) tags: Vec<String>,
}

/// What is declared.
pub(super) struct Settings {
    pub(super) dataset: Dataset,
    /// Seconds.
    pub(super) settle: i64,
}

/// Reads the settings of a dataset: of several `meta` the first that says
/// something of a key holds. `remark` hears the key and what is wrong.
pub(super) fn settings(
    id: &DatasetId,
    metas: &[&Meta],
    around: Around,
    holidays: &Holidays,
    remark: &mut dyn FnMut(&str, String),
) -> Settings {
    // Of each key what is said of it, the first that can be read holds.
    let mut said: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for meta in metas {
        match &meta.freshness {
            Value::Object(keys) => {
                for (key, value) in keys {
                    said.entry(key.clone()).or_default().push(value.clone());
                }
            }
            Value::Null => {}
            _ => remark("meta.freshness", "not an object".to_owned()),
        }
    }
    let owner = metas.iter().find_map(|meta| meta.owner.as_str());
    let usual = [
        (OWNER, owner.map(str::to_owned).or(around.owner)),
        (TEAM, around.team),
    ];
    for (key, value) in usual {
        if let Some(value) = value {
            let of = said.entry(KEYS[key].to_owned()).or_default();
            of.push(Value::String(value));
        }
    }
    if !around.tags.is_empty() {
        let tags = around.tags.into_iter().map(Value::String).collect();
        let of = said.entry(KEYS[TAGS].to_owned()).or_default();
        of.push(Value::Array(tags));
    }

    let mut settle = 0;
    for (key, values) in &said {
        let place = format!("meta.freshness.{key}");
        if key == "settle" {
            for value in values {
                if let Some(Ok(seconds)) = value.as_str().map(duration_seconds) {
                    settle = seconds.ceil() as i64;
                    break;
                }
                remark(&place, format!("not a duration: {value} (as in 15m or 2h)"));
            }
        } else if key == "dataset" {
            // What it is called was asked before its settings are.
            let none = values.iter().find(|value| !value.is_string());
            if let Some(none) = none {
                remark(&place, format!("not a name: {none}"));
            }
        } else if !KEYS.contains(&key.as_str()) {
            let near = did_you_mean(key, KEYS.into_iter().chain(["settle", "dataset"]));
            let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
            remark(&place, format!("unknown setting{near}"));
        }
    }

    let mut cells = [Cell::Missing; COLUMNS_MAX];
    cells[0] = Cell::Text(id.as_str());
    let mut said = KEYS.map(|key| said.get(key).into_iter().flatten().peekable());
    for (values, cell) in said.iter_mut().zip(&mut cells[1..]) {
        *cell = values.peek().map_or(Cell::Missing, |value| of(value));
    }
    // Each round takes one value out, so there are few.
    loop {
        match declared(&cells, holidays) {
            Ok(dataset) => return Settings { dataset, settle },
            Err(fault) => match fault.0 {
                Some(column @ 1..) => {
                    let key = KEYS[column - 1];
                    let values = &mut said[column - 1];
                    let place = format!("meta.freshness.{key}");
                    let value = values.next().unwrap_or(&Value::Null);
                    remark(&place, format!("{}: {value}", fault.1));
                    cells[column] = values.peek().map_or(Cell::Missing, |value| of(value));
                }
                Some(0) | None => {
                    let dataset = Dataset::undeclared(id.clone());
                    return Settings { dataset, settle };
                }
            },
        }
    }
}

//! What does `meta.freshness` say of a dataset?
//!
//! The columns of `import datasets`, and `settle`: how long the newest row must
//! have been there when dbt looked, for a load to be over. A setting that cannot
//! be read is told, and counts as not said; it stops neither the others nor
//! other datasets.

use freshness_core::civil::Holidays;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::slo::duration_seconds;
use serde_json::{Map, Value};

use super::json::Meta;
use crate::hint::did_you_mean;
use crate::sources::datasets::declared;
use crate::sources::ndjson::cell;
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
    let mut said: Map<String, Value> = Map::new();
    for meta in metas {
        match &meta.freshness {
            Value::Object(keys) => {
                for (key, value) in keys {
                    said.entry(key.clone()).or_insert_with(|| value.clone());
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
            said.entry(KEYS[key]).or_insert(Value::String(value));
        }
    }
    if !around.tags.is_empty() {
        let tags = around.tags.into_iter().map(Value::String).collect();
        said.entry(KEYS[TAGS]).or_insert(Value::Array(tags));
    }

    let mut settle = 0;
    for (key, value) in &said {
        let place = format!("meta.freshness.{key}");
        if key == "settle" {
            match value.as_str().map(duration_seconds) {
                Some(Ok(seconds)) => settle = seconds.ceil() as i64,
                _ => remark(&place, format!("not a duration: {value} (as in 15m or 2h)")),
            }
        } else if !KEYS.contains(&key.as_str()) {
            let near = did_you_mean(key, KEYS.into_iter().chain(["settle"]));
            let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
            remark(&place, format!("unknown setting{near}"));
        }
    }

    let mut cells = [Cell::Missing; COLUMNS_MAX];
    cells[0] = Cell::Text(id.as_str());
    for (i, key) in KEYS.iter().enumerate() {
        if let Some(value) = said.get(*key) {
            cells[i + 1] = cell(value);
        }
    }
    // Each round takes one setting out, so there are few.
    loop {
        match declared(&cells, holidays) {
            Ok(dataset) => return Settings { dataset, settle },
            Err(fault) => match fault.0 {
                Some(column @ 1..) => {
                    let key = KEYS[column - 1];
                    let value = &said[key];
                    let place = format!("meta.freshness.{key}");
                    remark(&place, format!("{}: {value}", fault.1));
                    cells[column] = Cell::Missing;
                }
                Some(0) | None => {
                    let dataset = Dataset::undeclared(id.clone());
                    return Settings { dataset, settle };
                }
            },
        }
    }
}

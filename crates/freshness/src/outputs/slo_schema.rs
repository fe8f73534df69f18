//! Which JSON Schema does a file of service levels follow?
//!
//! Made from the keys that the reader itself goes by, so that an editor
//! completes what is read, and marks what would be refused.

use freshness_core::slo::{CONTRACT, Holds, Key, LEVEL};
use serde_json::{Map, Value, json};

/// Which of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Of one dataset.
    Contract,
    /// `_domain.yaml` or `_system.yaml`.
    Level,
}

/// What the reader of durations takes, roughly; it knows the units.
const DURATION: &str = r"^\s*(\+?[0-9._]+([eE][+-]?[0-9]+)?\s*[A-Za-z]*\s*)+$|^\s*[Pp][0-9Tt]";
const TIME_OF_DAY: &str = "^([01]?[0-9]|2[0-3]):[0-5]?[0-9](:00)?$";
const NUMBER: &str = r"^\s*[0-9][0-9_]*(\.[0-9]+)?\s*%?\s*$";
/// A whole number that stays text where it is typed without quotes.
const COUNT: &str = r"^([0-9]+_[0-9_]*|0[0-9_]+)$";
/// Beyond this a number of double precision holds no longer every whole number.
const COUNT_MOST: u64 = 1 << 53;

/// The schema of one of the files, by draft 2020-12.
pub fn schema(kind: FileKind) -> Value {
    let (title, keys, required) = match kind {
        FileKind::Contract => ("Service levels of a dataset", CONTRACT, vec!["dataset"]),
        FileKind::Level => ("Service levels of many datasets", LEVEL, Vec::new()),
    };
    let mut schema = object(keys);
    schema.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    schema.insert("title".to_owned(), json!(title));
    schema.insert("required".to_owned(), json!(required));
    Value::Object(schema)
}

fn object(keys: &[Key]) -> Map<String, Value> {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| (key.name.to_owned(), property(key, keys)))
        .collect();
    let object = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// A key; where it is null, what was said before is cleared.
fn property(key: &Key, beside: &[Key]) -> Value {
    let mut forms = forms(&key.holds);
    // A dataset is nothing that could be inherited.
    if !(key.name == "dataset" && beside.len() == CONTRACT.len()) {
        forms.push(json!({ "type": "null" }));
    }
    let mut property = match <[Value; 1]>::try_from(forms) {
        Ok([form]) => form,
        Err(forms) => json!({ "anyOf": forms }),
    };
    property["description"] = json!(key.doc);
    if let Holds::Retired(_) = key.holds {
        property["deprecated"] = json!(true);
    }
    property
}

fn forms(holds: &Holds) -> Vec<Value> {
    let text = || json!({ "type": "string", "minLength": 1 });
    let pattern = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    match holds {
        Holds::Section { keys, alone } => {
            let mut forms = vec![Value::Object(object(keys))];
            let alone = alone.and_then(|name| keys.iter().find(|key| key.name == name));
            if let Some(key) = alone {
                forms.extend(self::forms(&key.holds));
            }
            forms
        }
        Holds::Text => vec![text(), json!({ "type": "number" })],
        Holds::Zone => vec![text()],
        Holds::Duration => vec![
            pattern(DURATION),
            json!({ "type": "number", "exclusiveMinimum": 0 }),
        ],
        Holds::Percent => vec![
            json!({ "type": "number", "minimum": 0, "maximum": 100 }),
            pattern(NUMBER),
        ],
        Holds::Share => vec![
            json!({ "type": "number", "minimum": 0, "maximum": 1 }),
            pattern(NUMBER),
        ],
        Holds::Factor => vec![
            json!({ "type": "number", "minimum": 0, "maximum": COUNT_MOST }),
            pattern(NUMBER),
        ],
        Holds::Count => vec![
            json!({ "type": "integer", "minimum": 0, "maximum": COUNT_MOST }),
            pattern(COUNT),
        ],
        Holds::CountFromOne => vec![json!({ "type": "integer", "minimum": 1 }), pattern(COUNT)],
        Holds::Flag => vec![json!({ "type": "boolean" })],
        Holds::OneOf(known) => vec![json!({ "enum": known })],
        Holds::Weekdays => vec![
            text(),
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        ],
        Holds::Calendar => vec![text()],
        Holds::TimeOfDay => vec![pattern(TIME_OF_DAY)],
        Holds::Retired(_) => vec![json!({})],
    }
}

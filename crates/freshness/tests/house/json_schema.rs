//! Does a value hold to a JSON Schema?

use regex::Regex;
use serde_json::Value;

/// Does a value hold to a schema, by those words of JSON Schema that ours uses? Another
/// word fails the test, so that none is passed over. The crates that validate all of
/// JSON Schema change features deep down, and every build with them.
pub(crate) fn holds(schema: &Value, value: &Value, root: &Value) -> bool {
    let Some(words) = schema.as_object() else {
        return schema != &Value::Bool(false);
    };
    let all = |of: &Value| {
        let of = of.as_array().unwrap().iter();
        of.map(|one| holds(one, value, root)).collect::<Vec<_>>()
    };
    let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
    let number = |of: &Value| of.as_f64().unwrap();
    words.iter().all(|(word, said)| match word.as_str() {
        "title" | "version" | "deprecated" | "description" | "default" | "$schema" | "$defs"
        | "format" => true,
        "$ref" => {
            let name = said.as_str().unwrap().rsplit('/').next().unwrap();
            holds(&root["$defs"][name], value, root)
        }
        "type" => {
            let is = |kind: &Value| match kind.as_str().unwrap() {
                "null" => value.is_null(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                kind => panic!("{kind}"),
            };
            said.as_array()
                .map_or_else(|| is(said), |kinds| kinds.iter().any(is))
        }
        "enum" => said.as_array().unwrap().contains(value),
        "const" => said == value,
        "pattern" => {
            let found = |text: &str| Regex::new(said.as_str().unwrap()).unwrap().is_match(text);
            value.as_str().is_none_or(found)
        }
        "minLength" => value
            .as_str()
            .is_none_or(|it| it.chars().count() as f64 >= number(said)),
        "maxLength" => value
            .as_str()
            .is_none_or(|it| it.chars().count() as f64 <= number(said)),
        "minItems" => value
            .as_array()
            .is_none_or(|it| it.len() as f64 >= number(said)),
        "minimum" => value.as_f64().is_none_or(|it| it >= number(said)),
        "maximum" => value.as_f64().is_none_or(|it| it <= number(said)),
        "exclusiveMinimum" => value.as_f64().is_none_or(|it| it > number(said)),
        "exclusiveMaximum" => value.as_f64().is_none_or(|it| it < number(said)),
        "required" => !value.is_object() || said.as_array().unwrap().iter().all(has),
        "dependentRequired" => said.as_object().unwrap().iter().all(|(key, needed)| {
            value.get(key).is_none() || needed.as_array().unwrap().iter().all(has)
        }),
        "properties" => said
            .as_object()
            .unwrap()
            .iter()
            .all(|(key, of)| value.get(key).is_none_or(|value| holds(of, value, root))),
        "additionalProperties" => value.as_object().is_none_or(|keys| {
            let mut others = keys
                .iter()
                .filter(|(key, _)| schema["properties"].get(key).is_none());
            others.all(|(_, value)| holds(said, value, root))
        }),
        "items" => value
            .as_array()
            .is_none_or(|it| it.iter().all(|one| holds(said, one, root))),
        "anyOf" => all(said).contains(&true),
        "oneOf" => all(said).into_iter().filter(|it| *it).count() == 1,
        "not" => !holds(said, value, root),
        "if" => {
            let then = if holds(said, value, root) {
                "then"
            } else {
                "else"
            };
            schema.get(then).is_none_or(|then| holds(then, value, root))
        }
        "then" | "else" => true,
        word => panic!("the schema says {word}: {said}"),
    })
}

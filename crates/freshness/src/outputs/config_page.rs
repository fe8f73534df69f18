//! What does the reference of `freshness.yaml` say?
//!
//! Made from the structs that the reader fills (by way of their JSON Schema) and
//! from the list of scalars, so that it cannot say anything else than they do.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::config::{ConfigFile, SCALARS};

/// The JSON Schema of the file.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(ConfigFile).to_value();
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), "freshness.yaml".into());
    }
    schema
}

const HEAD: &str = "\
# freshness.yaml

<!-- printed by `freshness docs config`; a test compares -->

The file is `freshness.yaml` in the folder where a command is run, or the one that `--config` or \
`FRESHNESS_CONFIG` names. Every key may be left out; a key that is not known is an error with its \
line, so that none is ignored. Paths are meant from where the file is. A flag wins over a variable, \
a variable over the file, the file over the default: `freshness config show` says which one it was. \
`freshness config check` looks at what the file names, and `freshness config schema` prints a JSON \
Schema for editors. Secrets are never in the file: it names the variable or the file that holds them.

## An example

```yaml
";

/// An example that `config check` accepts; a test asks it.
pub const EXAMPLE: &str = include_str!("../../templates/freshness.example.yaml");

const SCALARS_HEAD: &str = "```

## Settings of one value

Each has a variable, listed in [.env.example](../.env.example).

| key | variable | flag | default | meaning |
|---|---|---|---|---|
";

/// The page.
pub fn page() -> String {
    let mut page = format!("{HEAD}{EXAMPLE}{SCALARS_HEAD}");
    for scalar in SCALARS {
        let or_none =
            |text: Option<&str>| text.map_or_else(String::new, |text| format!("`{text}`"));
        let _ = writeln!(
            page,
            "| {} | `{}` | {} | {} | {} |",
            or_none(scalar.key),
            scalar.variable,
            or_none(scalar.flag),
            scalar.default,
            scalar.meaning
        );
    }
    let schema = schema();
    let reader = Reader {
        definitions: &schema["$defs"],
    };
    let keys = schema["properties"].as_object();
    for (key, typed) in keys.into_iter().flatten() {
        let is_scalar = |known: &str| known == key || known.starts_with(&format!("{key}."));
        if SCALARS
            .iter()
            .filter_map(|scalar| scalar.key)
            .any(is_scalar)
        {
            continue;
        }
        let _ = write!(page, "\n## `{key}`\n\n{}\n", words(typed));
        reader.describe(typed, key, &mut page);
    }
    page
}

/// `.env.example`: every variable, with what it means.
pub fn variables() -> String {
    let mut text = String::from(
        "# Variables that freshness reads; printed by `freshness docs env`, a test compares.
# A flag wins over a variable, a variable over freshness.yaml. A variable that is set
# to nothing is not set. Secrets have names of your own: connections of freshness.yaml
# name the variables that hold them.
",
    );
    for scalar in SCALARS {
        let key = scalar
            .key
            .map(|key| format!(" [{key}]"))
            .unwrap_or_default();
        let _ = write!(
            text,
            "\n# {}{key}\n# default: {}\n#{}=\n",
            scalar.meaning, scalar.default, scalar.variable
        );
    }
    text
}

struct Reader<'a> {
    definitions: &'a Value,
}

impl<'a> Reader<'a> {
    /// What a schema stands for, without references and without `null`.
    fn behind(&self, schema: &'a Value) -> &'a Value {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap_or_default();
            return self.behind(&self.definitions[name]);
        }
        if let Some(any) = schema["anyOf"].as_array()
            && let [one, other] = any.as_slice()
        {
            return match other["type"] == "null" {
                true => self.behind(one),
                false => schema,
            };
        }
        schema
    }

    /// A table of the keys, or of each kind.
    fn describe(&self, schema: &'a Value, title: &str, page: &mut String) {
        let schema = self.behind(schema);
        if let Some(items) = schema.get("items") {
            let _ = write!(page, "\nA list; each item has:\n");
            self.describe(items, title, page);
        } else if let Some(kinds) = schema["oneOf"].as_array() {
            for kind in kinds {
                for (name, section) in kind["properties"].as_object().into_iter().flatten() {
                    let _ = write!(page, "\n### `{title}`: `{name}`\n\n{}\n", words(kind));
                    let keys = self.behind(section);
                    self.keys(keys, page);
                }
            }
        } else if let Some(named) = schema
            .get("additionalProperties")
            .filter(|of| of.is_object())
        {
            let _ = write!(page, "\nBy names of your own; each has:\n");
            self.describe(named, title, page);
        } else {
            self.keys(schema, page);
        }
    }

    fn keys(&self, schema: &'a Value, page: &mut String) {
        let none = Map::new();
        let keys = schema["properties"].as_object().unwrap_or(&none);
        if keys.is_empty() {
            return;
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        page.push_str("\n| key | value | meaning |\n|---|---|---|\n");
        for (key, typed) in keys {
            let must = match required.iter().any(|name| name == key) {
                true => ", required",
                false => "",
            };
            let value = self.value(typed);
            let _ = writeln!(page, "| `{key}` | {value}{must} | {} |", words(typed));
        }
    }

    /// What a value is, in words.
    fn value(&self, typed: &'a Value) -> String {
        let behind = self.behind(typed);
        let kinds: Vec<&str> = match &behind["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ if behind["anyOf"].is_array() => vec!["text or list"],
            _ => Vec::new(),
        };
        let kind = kinds.into_iter().find(|kind| *kind != "null");
        match kind.unwrap_or("text") {
            "string" => "text".to_owned(),
            "integer" => "whole number".to_owned(),
            "boolean" => "true or false".to_owned(),
            "array" => format!("list of {}", self.value(&behind["items"])),
            "object" if behind["additionalProperties"].is_object() => {
                format!("names with {}", self.value(&behind["additionalProperties"]))
            }
            other => other.to_owned(),
        }
    }
}

/// The description on one line.
fn words(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

//! Which keys does a configuration file have, and on which lines?

use std::sync::Arc;

use freshness_core::slo::{Content, Node};

use super::slo::tree;

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedKey {
    /// From the root, with dots between: `fit.seed`, `datasets.0.match`.
    pub key: String,
    /// What was typed; `None`: nothing.
    pub value: Option<String>,
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

/// All keys that have a value, in the order of their names.
pub fn typed_keys(text: &str, file: &str) -> Result<Vec<TypedKey>, String> {
    let root = tree(text, &Arc::from(file)).map_err(|remark| remark.to_string())?;
    let mut keys = Vec::new();
    collect(&root, "", &mut keys);
    Ok(keys)
}

/// The key, with dots between, whose name or value is the last that begins at a place
/// of a text or before it on the same line; places are from 1. `None` also if the text
/// cannot be read.
pub fn key_at(text: &str, line: u64, column: u64) -> Option<String> {
    let root = tree(text, &Arc::from("")).ok()?;
    let mut last = (0, String::new());
    find(&root, String::new(), (line, column), &mut last);
    let (_, key) = last;
    (!key.is_empty()).then_some(key)
}

/// What is inside comes first, so that of several that begin together it is the one.
fn find(node: &Node, key: String, at: (u64, u64), last: &mut (u64, String)) {
    let below = |name: &str| match key.as_str() {
        "" => name.to_owned(),
        key => format!("{key}.{name}"),
    };
    match &node.holds {
        Content::Cleared | Content::Value(_) => {}
        Content::List(items) => {
            for (i, item) in items.iter().enumerate() {
                find(item, below(&i.to_string()), at, last);
            }
        }
        Content::Section { keys, .. } => {
            for (name, node) in keys {
                find(node, below(name), at, last);
            }
        }
    }
    let (line, column) = at;
    let begins = [&node.place, &node.key_place].into_iter();
    let begins = begins.filter(|place| u64::from(place.line) == line);
    let begins = begins.map(|place| u64::from(place.column));
    if let Some(begin) = begins.filter(|&begin| begin <= column).max()
        && begin > last.0
    {
        *last = (begin, key);
    }
}

fn collect(node: &Node, key: &str, keys: &mut Vec<TypedKey>) {
    let below = |name: &str| match key {
        "" => name.to_owned(),
        key => format!("{key}.{name}"),
    };
    let value = match &node.holds {
        Content::Cleared => None,
        Content::Value(scalar) => Some(scalar.to_string()),
        Content::List(items) => {
            for (i, item) in items.iter().enumerate() {
                collect(item, &below(&i.to_string()), keys);
            }
            return;
        }
        Content::Section { keys: section, .. } => {
            for (name, node) in section {
                collect(node, &below(name), keys);
            }
            return;
        }
    };
    if !key.is_empty() {
        keys.push(TypedKey {
            key: key.to_owned(),
            value,
            file: Arc::clone(&node.place.file),
            line: node.key_place.line.max(1),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_of_the_key_that_begins_there_or_before_it() {
        let text = "fit: {seed: 7, rate: [1]}\na:\n- b: 1\n  c: {}\n";
        for (line, column, key) in [
            (1, 1, Some("fit")),
            (1, 6, Some("fit")),
            (1, 13, Some("fit.seed")),
            (1, 23, Some("fit.rate.0")),
            (3, 3, Some("a.0.b")),
            (4, 7, Some("a.0.c")),
            (9, 1, None),
        ] {
            assert_eq!(
                key_at(text, line, column).as_deref(),
                key,
                "{line}:{column}"
            );
        }
        assert_eq!(key_at("a: [", 1, 1), None);
    }

    #[test]
    fn each_value_has_its_key_and_line() {
        let text = "store: a.db\nfit:\n  seed: 7\ndatasets:\n- match: raw_*\n  tags: [a, b]\n";
        let keys = typed_keys(text, "f.yaml").unwrap();
        let shown: Vec<String> = (keys.iter())
            .map(|key| {
                format!(
                    "{}={}:{}",
                    key.key,
                    key.value.as_deref().unwrap_or("-"),
                    key.line
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "datasets.0.match=raw_*:5",
                "datasets.0.tags.0=a:6",
                "datasets.0.tags.1=b:6",
                "fit.seed=7:3",
                "store=a.db:1",
            ]
        );
    }
}

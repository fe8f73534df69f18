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

//! Where was each value of a merged declaration said?

use super::declaration::Origin;
use super::keys::{CONTRACT, Holds, Key};
use super::node::{Content, Node, Scalar};

/// Every value of a merged declaration and where it was said, in the order of
/// the reference.
pub fn origins(merged: &Node) -> Vec<Origin> {
    let mut all = Vec::new();
    list(merged, CONTRACT, "", &mut all);
    all
}

fn list(node: &Node, keys: &'static [Key], path: &str, into: &mut Vec<Origin>) {
    for key in keys {
        let Some(said) = node.get(key.name) else {
            continue;
        };
        let path = match path.is_empty() {
            true => key.name.to_owned(),
            false => format!("{path}.{}", key.name),
        };
        let value = match (&said.holds, &key.holds) {
            (Content::Section { .. }, Holds::Section { keys, .. }) => {
                list(said, keys, &path, into);
                continue;
            }
            (Content::Value(scalar), _) => Some(vec![scalar.clone()]),
            (Content::List(items), _) => Some(items.iter().filter_map(item).collect()),
            (Content::Cleared | Content::Section { .. }, _) => None,
        };
        into.push(Origin {
            key: path,
            value,
            file: said.place.file.to_string(),
            line: said.place.line,
            column: said.place.column,
        });
    }
}

fn item(node: &Node) -> Option<Scalar> {
    match &node.holds {
        Content::Value(scalar) => Some(scalar.clone()),
        Content::Cleared | Content::List(_) | Content::Section { .. } => None,
    }
}

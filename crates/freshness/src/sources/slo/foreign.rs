//! What have promises in other formats in common?
//!
//! Each is turned into the keys of a contract, with the place of every value,
//! and then goes the way of our own files. What has no key is said.

use std::collections::BTreeMap;

use freshness_core::slo::{Content, Node, Place, Scalar};

use super::Remark;

/// What a file of another format promises.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    /// Contracts, in our keys.
    pub(super) contracts: Vec<Node>,
    /// What could not be mapped.
    pub(super) notes: Vec<Remark>,
}

impl Foreign {
    /// Says that something has no place in a contract.
    pub(super) fn left_out(&mut self, place: &Place, what: impl Into<String>) {
        self.notes.push(Remark {
            place: place.clone(),
            what: format!("not mapped: {}", what.into()),
            hint: None,
        });
    }
}

/// Puts a value behind a path of keys.
pub(super) fn put(node: &mut Node, path: &[&str], value: impl Into<String>, place: &Place) {
    let Content::Section { keys, .. } = &mut node.holds else {
        return;
    };
    match path {
        [] => {}
        [name] => {
            let value = Node {
                place: place.clone(),
                key_place: place.clone(),
                holds: Content::Value(Scalar::Text(value.into())),
            };
            keys.insert((*name).to_owned(), value);
        }
        [name, rest @ ..] => {
            let section = keys
                .entry((*name).to_owned())
                .or_insert_with(|| Node::empty(place.clone()));
            put(section, rest, value, place);
        }
    }
}

/// Is there a value behind a path of keys?
pub(super) fn has(node: &Node, path: &[&str]) -> bool {
    path.iter()
        .try_fold(node, |node, name| node.said(name))
        .is_some()
}

/// The keys of a section.
pub(super) fn keys(node: &Node) -> Option<&BTreeMap<String, Node>> {
    match &node.holds {
        Content::Section { keys, .. } => Some(keys),
        _ => None,
    }
}

/// The items of a list behind a key.
pub(super) fn items<'a>(node: &'a Node, name: &str) -> &'a [Node] {
    match node.said(name).map(|node| &node.holds) {
        Some(Content::List(items)) => items,
        _ => &[],
    }
}

/// A value behind a key, as text.
pub(super) fn text(node: &Node, name: &str) -> Option<String> {
    match &node.said(name)?.holds {
        Content::Value(scalar) => Some(scalar.to_string()),
        _ => None,
    }
}

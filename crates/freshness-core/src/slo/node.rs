//! How do the levels of a declaration become one?
//!
//! A level is a tree of keys. Trees are merged key by key, and the more
//! specific one wins where both say something: a value or list replaces what
//! was there, a section is merged, `null` clears, an absent key and an empty
//! section inherit. So said, merging is associative: it does not matter which
//! two of three levels are merged first (a test draws trees at random).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A value of a declaration, as typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// Another number, finite.
    Float(f64),
    /// Anything else.
    Text(String),
}

/// Where something was said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as messages name it.
    pub file: Arc<str>,
    /// From 1; 0 is not known.
    pub line: u32,
    /// From 1; 0 is not known.
    pub column: u32,
}

/// A value of a tree and where it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where the value stands.
    pub place: Place,
    /// Where its key stands.
    pub key_place: Place,
    /// The value.
    pub holds: Content,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// `null`: whatever was said before is taken back.
    Cleared,
    /// One value.
    Value(Scalar),
    /// Several.
    List(Vec<Node>),
    /// Keys of its own.
    Section {
        /// Was everything said before taken back first?
        afresh: bool,
        /// By name.
        keys: BTreeMap<String, Node>,
    },
}

impl Node {
    /// A section that says nothing.
    pub fn empty(place: Place) -> Node {
        Node {
            key_place: place.clone(),
            place,
            holds: Content::Section {
                afresh: false,
                keys: BTreeMap::new(),
            },
        }
    }

    /// This level under a more specific one.
    #[must_use]
    pub fn under(self, specific: Node) -> Node {
        let (before, said) = match (self.holds, specific.holds) {
            (before, Content::Section { afresh, keys }) if !afresh => (before, keys),
            (_, holds) => return Node { holds, ..specific },
        };
        let place = match said.is_empty() {
            true => (self.place, self.key_place),
            false => (specific.place, specific.key_place),
        };
        let holds = match before {
            before if said.is_empty() => before,
            Content::Section { afresh, mut keys } => {
                for (name, node) in said {
                    let merged = match keys.remove(&name) {
                        Some(before) => before.under(node),
                        None => node,
                    };
                    keys.insert(name, merged);
                }
                Content::Section { afresh, keys }
            }
            Content::Cleared | Content::Value(_) | Content::List(_) => Content::Section {
                afresh: true,
                keys: said,
            },
        };
        Node {
            place: place.0,
            key_place: place.1,
            holds,
        }
    }

    /// The node of a key, also if it is cleared.
    pub fn get(&self, name: &str) -> Option<&Node> {
        match &self.holds {
            Content::Section { keys, .. } => keys.get(name),
            Content::Cleared | Content::Value(_) | Content::List(_) => None,
        }
    }

    /// The node of a key that holds something.
    pub fn said(&self, name: &str) -> Option<&Node> {
        self.get(name)
            .filter(|node| !matches!(node.holds, Content::Cleared))
    }

    /// What it is, for a message.
    pub fn kind(&self) -> &'static str {
        match &self.holds {
            Content::Cleared => "nothing",
            Content::Value(Scalar::Flag(_)) => "true or false",
            Content::Value(Scalar::Integer(_) | Scalar::Float(_)) => "a number",
            Content::Value(Scalar::Text(_)) => "text",
            Content::List(_) => "a list",
            Content::Section { .. } => "keys",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Flag(flag) => write!(f, "{flag}"),
            Scalar::Integer(n) => write!(f, "{n}"),
            Scalar::Float(x) => write!(f, "{x}"),
            Scalar::Text(text) => f.write_str(text),
        }
    }
}

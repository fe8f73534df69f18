//! Has a level of a declaration only keys that exist, and values that can be
//! meant?
//!
//! Each level is checked for itself, before it is merged, so that a mistake in
//! `_domain.yaml` is told once and in its own place, even where every contract
//! says something else.

use super::keys::{Holds, Key};
use super::node::{Content, Node, Place};
use super::values::{self, ValueError};

/// Something wrong with a declaration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{place}: {key}: {problem}")]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// The key, such as `service_levels.freshness.threshold`.
    pub key: String,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("unknown key")]
    UnknownKey { known: Vec<&'static str> },
    #[error("{0}")]
    Value(#[from] ValueError),
    #[error("expected keys, found {found}")]
    NoKeys { found: &'static str },
    #[error("{needed} is required with it")]
    Needs { needed: &'static str },
    #[error("cleared, but {by} needs it ({place})")]
    Cleared { by: &'static str, place: Place },
    #[error("{other} is said too; only one of them can hold")]
    Both { other: &'static str },
    #[error("{least} is more than {most}, the most there may be")]
    Empty { least: String, most: String },
    #[error("{value} is more than {other} ({most}), so it would never be enforced")]
    NeverEnforced {
        value: String,
        other: &'static str,
        most: String,
    },
    #[error("a threshold needs days of the week or business days, not {0}")]
    Months(String),
    #[error("no holidays are known for the country {0} of the calendar")]
    Country(String),
    #[error("{0}")]
    Dataset(String),
}

/// Something odd that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {key}: {what}")]
pub struct Oddity {
    /// Where.
    pub place: Place,
    /// The key.
    pub key: String,
    /// What.
    pub what: String,
}

/// What was found in a level.
#[derive(Debug, Default)]
pub struct Findings {
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What is odd.
    pub oddities: Vec<Oddity>,
}

/// Checks a level against its keys, and brings it into one form: a lone value
/// becomes the key it stands for, what is retired is left out, a null block of
/// promises says nothing. `path` stands before the keys in messages.
pub fn checked(node: Node, keys: &'static [Key], path: &str, found: &mut Findings) -> Node {
    let Node {
        place,
        key_place,
        holds,
    } = node;
    let Content::Section { afresh, keys: said } = holds else {
        let node = Node {
            place: place.clone(),
            key_place: key_place.clone(),
            holds,
        };
        let problem = Problem::NoKeys { found: node.kind() };
        found.fault(&place, path, problem);
        return Node::empty(place);
    };
    let mut kept = std::collections::BTreeMap::new();
    for (name, node) in said {
        let path = match path.is_empty() {
            true => name.clone(),
            false => format!("{path}.{name}"),
        };
        let Some(key) = keys.iter().find(|key| key.name == name) else {
            let known = keys.iter().map(|key| key.name).collect();
            found.fault(&node.key_place, &path, Problem::UnknownKey { known });
            continue;
        };
        if let Some(node) = checked_key(node, key, &path, found) {
            kept.insert(name, node);
        }
    }
    Node {
        place,
        key_place,
        holds: Content::Section { afresh, keys: kept },
    }
}

/// Checks what stands behind a key; `None` if it is to be left out.
fn checked_key(node: Node, key: &'static Key, path: &str, found: &mut Findings) -> Option<Node> {
    if let Holds::Retired(instead) = key.holds {
        found.oddities.push(Oddity {
            place: node.key_place,
            key: path.to_owned(),
            what: format!("retired and ignored; {instead}"),
        });
        return None;
    }
    match (&key.holds, &node.holds) {
        // An empty block is mostly an accident; an empty section switches off.
        (Holds::Section { .. }, Content::Cleared) if key.name == "service_levels" => None,
        (_, Content::Cleared) => Some(node),
        (
            Holds::Section {
                keys,
                alone: Some(alone),
            },
            Content::Value(_),
        ) => {
            let (place, key_place) = (node.place.clone(), node.key_place.clone());
            let keys_said = [((*alone).to_owned(), node)].into();
            let holds = Content::Section {
                afresh: false,
                keys: keys_said,
            };
            let section = Node {
                place,
                key_place,
                holds,
            };
            Some(checked(section, keys, path, found))
        }
        (Holds::Section { keys, .. }, _) => Some(checked(node, keys, path, found)),
        (holds, _) => match meant(&node, holds) {
            Ok(()) => {
                found.percent_as_share(&node, holds, path);
                Some(node)
            }
            Err(error) => {
                found.fault(&node.place, path, error.into());
                None
            }
        },
    }
}

/// Can the value be meant?
fn meant(node: &Node, holds: &Holds) -> Result<(), ValueError> {
    match holds {
        Holds::Text => values::text(node).map(drop),
        Holds::Duration => values::duration(node).map(drop),
        Holds::Percent => values::percent(node).map(drop),
        Holds::Share => values::share(node).map(drop),
        Holds::Factor => values::factor(node).map(drop),
        Holds::Count => values::count(node).map(drop),
        Holds::CountFromOne => values::count_from_one(node).map(drop),
        Holds::Flag => values::flag(node).map(drop),
        Holds::OneOf(known) => values::one_of(node, known).map(drop),
        Holds::Weekdays => values::weekdays(node).map(drop),
        Holds::Calendar => values::calendar(node).map(drop),
        Holds::Zone => values::zone(node).map(drop),
        Holds::TimeOfDay => values::time_of_day(node).map(drop),
        Holds::Section { .. } | Holds::Retired(_) => Ok(()),
    }
}

impl Findings {
    /// Adds a fault.
    pub fn fault(&mut self, place: &Place, key: &str, problem: Problem) {
        self.faults.push(Fault {
            place: place.clone(),
            key: key.to_owned(),
            problem,
        });
    }

    /// 0.999 is a percentage, but hardly the one that was meant.
    fn percent_as_share(&mut self, node: &Node, holds: &Holds, path: &str) {
        let Holds::Percent = holds else { return };
        let Ok(percent) = values::percent(node) else {
            return;
        };
        if percent > 0.0 && percent <= 1.0 {
            self.oddities.push(Oddity {
                place: node.place.clone(),
                key: path.to_owned(),
                what: format!(
                    "a percentage is expected: this is {percent} percent, not {} percent",
                    percent * 100.0
                ),
            });
        }
    }
}

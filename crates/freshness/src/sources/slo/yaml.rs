//! How does a YAML file become a tree that knows where each value stands?
//!
//! JSON is YAML too. Numbers that a person typed with zeros or underscores stay
//! text, `no` is no flag, and a file may not be larger, deeper or more often
//! expanded by aliases than a person would write it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use freshness_core::slo::{Content, Node, Place, Scalar};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::{Error as YamlError, Location, NonFiniteFloatPolicy, Spanned};

use super::Remark;

/// Events that aliases may repeat; a person's file stays far below.
const ALIAS_EVENTS_MAX: usize = 100_000;
/// Levels of nesting.
const DEPTH_MAX: usize = 32;

/// Reads a file; `file` is its name in messages. A file of nothing but
/// comments is a section that says nothing.
pub(in crate::sources) fn read(text: &str, file: &Arc<str>) -> Result<Node, Remark> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        reject_unsupported_tags: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: DEPTH_MAX },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: ALIAS_EVENTS_MAX,
        },
    };
    let start = Place {
        file: Arc::clone(file),
        line: 1,
        column: 1,
    };
    match serde_saphyr::from_str_with_options::<Option<Spanned<Raw>>>(text, options) {
        Ok(None) => Ok(Node::empty(start)),
        Ok(Some(root)) => {
            let root = node(root, &start, file);
            Ok(match root.holds {
                Content::Cleared => Node::empty(start),
                _ => root,
            })
        }
        Err(error) => Err(refusal(error.without_snippet(), file)),
    }
}

/// What the parser hands over.
enum Raw {
    Nothing,
    One(Scalar),
    Several(Vec<Spanned<Raw>>),
    Keys(Vec<(Spanned<String>, Spanned<Raw>)>),
}

fn node(raw: Spanned<Raw>, key_place: &Place, file: &Arc<str>) -> Node {
    let at = place(&raw.referenced, file);
    let place = if at.line == 0 { key_place.clone() } else { at };
    let holds = match raw.value {
        Raw::Nothing => Content::Cleared,
        Raw::One(scalar) => Content::Value(scalar),
        Raw::Several(items) => Content::List(
            items
                .into_iter()
                .map(|item| node(item, &place, file))
                .collect(),
        ),
        Raw::Keys(pairs) => {
            let mut keys = BTreeMap::new();
            for (key, value) in pairs {
                let key_place = self::place(&key.referenced, file);
                keys.insert(key.value, node(value, &key_place, file));
            }
            Content::Section {
                afresh: false,
                keys,
            }
        }
    };
    Node {
        place,
        key_place: key_place.clone(),
        holds,
    }
}

fn place(location: &Location, file: &Arc<str>) -> Place {
    let known = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Place {
        file: Arc::clone(file),
        line: known(location.line()),
        column: known(location.column()),
    }
}

fn refusal(error: &YamlError, file: &Arc<str>) -> Remark {
    let place = match error.location() {
        Some(at) => place(&at, file),
        None => Place {
            file: Arc::clone(file),
            line: 0,
            column: 0,
        },
    };
    // An error behind an alias is said where the alias stands.
    let mut error = error;
    while let YamlError::AliasError { error: inner, .. } = error {
        error = inner.without_snippet();
    }
    let (what, hint) = match error {
        YamlError::DuplicateMappingKey { key: Some(key), .. } => {
            (format!("key given twice: {key}"), None)
        }
        YamlError::MultipleDocuments { .. } => (
            "a file holds one document".to_owned(),
            Some("put what follows `---` into a file of its own".to_owned()),
        ),
        YamlError::AliasReplayLimitExceeded { .. }
        | YamlError::AliasReplayStackDepthExceeded { .. } => (
            "aliases that expand to too much".to_owned(),
            Some("write out what they stand for".to_owned()),
        ),
        YamlError::Budget { breach, .. } => match breach {
            serde_saphyr::budget::BudgetBreach::Depth { .. } => {
                (format!("nested more than {DEPTH_MAX} levels deep"), None)
            }
            _ => ("more in one file than a person writes".to_owned(), None),
        },
        YamlError::RecursiveReferencesRequireWeakTypes { .. } => {
            ("an alias inside of what it stands for".to_owned(), None)
        }
        YamlError::Unexpected {
            expected: "string scalar",
            ..
        } => ("a key is one value".to_owned(), None),
        YamlError::Message { msg, .. } => (msg.clone(), None),
        other => {
            // The rest repeats the place.
            let text = other.to_string();
            let line = text.lines().next().unwrap_or_default();
            let reason = line.split(" at line ").next().unwrap_or_default();
            (format!("not YAML: {reason}"), None)
        }
    };
    Remark { place, what, hint }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, a list or keys")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Nothing)
    }

    fn visit_none<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Raw, E> {
        Ok(Raw::One(Scalar::Flag(flag)))
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Raw, E> {
        Ok(Raw::One(Scalar::Integer(n)))
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Raw, E> {
        Ok(Raw::One(match i64::try_from(n) {
            Ok(n) => Scalar::Integer(n),
            Err(_) => Scalar::Text(n.to_string()),
        }))
    }

    fn visit_i128<E: de::Error>(self, n: i128) -> Result<Raw, E> {
        Ok(Raw::One(Scalar::Text(n.to_string())))
    }

    fn visit_u128<E: de::Error>(self, n: u128) -> Result<Raw, E> {
        Ok(Raw::One(Scalar::Text(n.to_string())))
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Raw, E> {
        Ok(Raw::One(Scalar::Float(x)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::One(Scalar::Text(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Raw::Several(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Raw, A::Error> {
        let mut all = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            all.push(pair);
        }
        Ok(Raw::Keys(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Arc<str> {
        "a.yaml".into()
    }

    #[track_caller]
    fn check_refused(text: &str, message: &str) {
        let trouble = read(text, &file()).unwrap_err();
        assert_eq!(format!("{}: {}", trouble.place, trouble.what), message);
    }

    #[test]
    fn every_value_knows_where_it_and_its_key_stand() {
        let text = "a:\n  b: 24h\n  c: [x, 1_000]\nd: &x\n  e: no\nf: *x\n";
        let root = read(text, &file()).unwrap();
        let b = root.get("a").unwrap().get("b").unwrap();
        assert_eq!(b.place.to_string(), "a.yaml:2:6");
        assert_eq!(b.key_place.to_string(), "a.yaml:2:3");
        let Content::List(items) = &root.get("a").unwrap().get("c").unwrap().holds else {
            panic!("{root:?}");
        };
        assert_eq!(items[1].place.to_string(), "a.yaml:3:10");
        assert_eq!(
            items[1].holds,
            Content::Value(Scalar::Text("1_000".to_owned()))
        );
        let e = root.get("f").unwrap().get("e").unwrap();
        assert_eq!(e.holds, Content::Value(Scalar::Text("no".to_owned())));
    }

    #[test]
    fn a_file_of_comments_says_nothing() {
        for text in ["", "# nothing yet\n", "---\n", "~\n"] {
            let root = read(text, &file()).unwrap();
            assert_eq!(root, Node::empty(root.place.clone()), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_yaml_is_refused_with_its_place() {
        for (text, message) in [
            ("a: 1\na: 2\n", "a.yaml:2:1: key given twice: a"),
            ("a: 1\n---\nb: 2\n", "a.yaml:3:1: a file holds one document"),
            (
                "a:\n\tb: 1\n",
                "a.yaml:2:2: not YAML: tabs disallowed within this context (block indentation)",
            ),
            ("a: [1\n", "a.yaml:1:4: not YAML: unclosed bracket '['"),
            (
                "a: *b\n",
                "a.yaml:1:4: not YAML: alias references unknown anchor",
            ),
            (
                "a: &x [*x]\n",
                "a.yaml:1:8: an alias inside of what it stands for",
            ),
            (
                "a: !!python/object x\n",
                "a.yaml:1:20: not YAML: unsupported tag `!!python/object`",
            ),
            ("? [1]\n: 2\n", "a.yaml:1:3: a key is one value"),
            ("a: 1\nb\n", "a.yaml:2:1: not YAML: simple key expected ':'"),
        ] {
            check_refused(text, message);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_fail_otherwise_than_in_words(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "a", "dataset", "service_levels", "freshness", "threshold", ": ", ":", "\n",
                    "\n  ", "\n    ", "- ", "[", "]", "{", "}", "&x", "*x", "!!str ", "<<: ",
                    "|\n", "'", "\"", "1h", "~", "null", "---\n", "\t", "#", "? ", "é", "\u{feff}",
                ]),
                0..24,
            )
        ) {
            let _ = read(&parts.concat(), &file());
        }
    }

    #[test]
    fn a_megabyte_is_read() {
        let mut text = String::from("dataset: a\nservice_levels:\n  description: |\n");
        while text.len() < 2 << 20 {
            text.push_str("    What it is for, at length, in the words of a committee.\n");
        }
        let root = read(&text, &file()).unwrap();
        assert!(root.get("service_levels").is_some());
    }

    #[test]
    fn aliases_that_expand_without_end_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..10 {
            let item = format!("*a{}", i - 1);
            text.push_str(&format!(
                "a{i}: &a{i} [{}]\n",
                [item.as_str(); 9].join(", ")
            ));
        }
        let trouble = read(&text, &file()).unwrap_err();
        assert_eq!(trouble.what, "aliases that expand to too much");
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(read(&deep, &file()).is_err());
    }
}

//! Which datasets do patterns of names mean?
//!
//! They are compiled where they are read, so that whatever holds them has none that
//! cannot be asked.

use std::borrow::Cow;
use std::fmt;

use globset::{Glob, GlobSet, GlobSetBuilder};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de};

/// One pattern, or several; never none. `*` stands for any part of a name, `?` for one
/// letter, `{a,b}` for either.
#[derive(Debug, Clone)]
pub struct Patterns {
    globs: Vec<Glob>,
    set: GlobSet,
}

impl Patterns {
    /// Does any of them mean this dataset?
    pub(super) fn mean(&self, dataset: &str) -> bool {
        self.set.is_match(dataset)
    }

    /// Those of them that mean none of these datasets.
    pub(super) fn idle<'a>(&'a self, datasets: &[&str]) -> impl Iterator<Item = &'a str> {
        let mut is_idle = vec![true; self.globs.len()];
        for dataset in datasets {
            for place in self.set.matches(dataset) {
                is_idle[place] = false;
            }
        }
        (self.globs.iter().zip(is_idle))
            .filter_map(|(glob, is_idle)| is_idle.then_some(glob.glob()))
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Patterns) -> bool {
        self.globs == other.globs
    }
}

impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: Deserializer<'de>>(typed: D) -> Result<Patterns, D::Error> {
        let typed = typed.deserialize_any(OneOrMany)?;
        if typed.is_empty() {
            return Err(de::Error::custom("expected at least one pattern"));
        }
        let mut set = GlobSetBuilder::new();
        let mut globs = Vec::new();
        for pattern in &typed {
            let glob = Glob::new(pattern).map_err(|error| {
                de::Error::custom(format_args!("not a pattern: {pattern}: {}", error.kind()))
            })?;
            set.add(glob.clone());
            globs.push(glob);
        }
        let set = set.build().map_err(|error| {
            de::Error::custom(format_args!("not patterns together: {}", error.kind()))
        })?;
        Ok(Patterns { globs, set })
    }
}

/// Reads one text, or several. A number or a flag is none: it may not be what was
/// typed any more.
struct OneOrMany;

impl<'de> de::Visitor<'de> for OneOrMany {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pattern or a list of patterns, in quotes")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<String>, E> {
        Ok(vec![text.to_owned()])
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
        let mut patterns = Vec::new();
        while let Some(pattern) = items.next_element()? {
            patterns.push(pattern);
        }
        Ok(patterns)
    }
}

/// One text, or several.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only the schema is made from it")]
enum Typed {
    One(String),
    Many(#[schemars(length(min = 1))] Vec<String>),
}

impl JsonSchema for Patterns {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMany".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Typed::json_schema(generator)
    }
}

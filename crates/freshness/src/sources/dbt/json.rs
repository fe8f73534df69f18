//! What stands in a file of dbt?
//!
//! One shape for all three kinds, because `metadata` says which one a file is.
//! Only what is asked for is kept; the rest (all SQL, all macros) is passed over
//! without becoming a value. Texts are borrowed from the bytes of the file.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A text of the file.
pub(super) type Text<'a> = Cow<'a, str>;

/// A text that is borrowed where it stands alone, as a key or in a list: there
/// serde copies without being asked.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Id<'a>(#[serde(borrow)] pub(super) Text<'a>);

/// Any file of dbt.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Artefact<'a> {
    #[serde(borrow)]
    pub(super) metadata: Metadata<'a>,
    // manifest.json
    #[serde(borrow, default)]
    pub(super) nodes: Keyed<'a, Node<'a>>,
    #[serde(borrow, default)]
    pub(super) sources: Keyed<'a, Node<'a>>,
    #[serde(borrow, default)]
    pub(super) exposures: Keyed<'a, Exposure<'a>>,
    #[serde(borrow, default)]
    pub(super) groups: Keyed<'a, Group<'a>>,
    #[serde(borrow, default)]
    pub(super) metrics: Keyed<'a, Between<'a>>,
    #[serde(borrow, default)]
    pub(super) semantic_models: Keyed<'a, Between<'a>>,
    #[serde(borrow, default)]
    pub(super) saved_queries: Keyed<'a, Between<'a>>,
    #[serde(borrow, default)]
    pub(super) parent_map: Keyed<'a, Option<Vec<Id<'a>>>>,
    // run_results.json
    #[serde(borrow, default)]
    pub(super) args: Lenient<Args<'a>>,
    // sources.json and run_results.json
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub(super) results: Vec<Outcome<'a>>,
}

/// Enough to know whose file it is.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) metadata: Metadata<'a>,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Metadata<'a> {
    #[serde(borrow)]
    pub(super) dbt_schema_version: Text<'a>,
    #[serde(borrow, default)]
    pub(super) generated_at: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) invocation_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) project_name: Option<Text<'a>>,
    /// The MD5 of the project's name.
    #[serde(borrow, default)]
    pub(super) project_id: Option<Text<'a>>,
    #[serde(default)]
    pub(super) env: Lenient<Env>,
}

/// Variables that somebody wanted to be written down.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Env {
    /// [`WRITTEN_BY`](super::WRITTEN_BY) us, where a file is ours.
    #[serde(default, rename = "WRITTEN_BY")]
    pub(super) written_by: Value,
}

/// A model, seed, snapshot, test …, or a table of a source.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Node<'a> {
    #[serde(borrow, default)]
    pub(super) package_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) source_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) relation_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) config: Lenient<Config<'a>>,
    #[serde(default)]
    pub(super) meta: Lenient<Meta>,
    /// What is said of all tables of the source.
    #[serde(default)]
    pub(super) source_meta: Lenient<Meta>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) tags: Vec<String>,
    #[serde(borrow, default)]
    pub(super) group: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) depends_on: Lenient<DependsOn<'a>>,
    #[serde(borrow, default)]
    pub(super) loaded_at_field: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) loaded_at_query: Option<Text<'a>>,
    #[serde(default)]
    pub(super) freshness: Option<Value>,
}

#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Config<'a> {
    #[serde(borrow, default)]
    pub(super) materialized: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) incremental_strategy: Option<Text<'a>>,
    // Of a model they stand here, of a source beside it too.
    #[serde(borrow, default)]
    pub(super) loaded_at_field: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) loaded_at_query: Option<Text<'a>>,
    #[serde(default)]
    pub(super) meta: Lenient<Meta>,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Exposure<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) package_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) label: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) url: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) maturity: Option<Text<'a>>,
    #[serde(default)]
    pub(super) owner: Lenient<Owner>,
    #[serde(borrow, default)]
    pub(super) depends_on: Lenient<DependsOn<'a>>,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Group<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default)]
    pub(super) owner: Lenient<Owner>,
}

/// What stands between models and exposures.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Between<'a> {
    #[serde(borrow, default)]
    pub(super) depends_on: Lenient<DependsOn<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct DependsOn<'a> {
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub(super) nodes: Vec<Id<'a>>,
}

/// What a command was told.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Args<'a> {
    #[serde(borrow, default)]
    pub(super) which: Option<Text<'a>>,
    /// `--empty`: no rows are read.
    #[serde(default)]
    pub(super) empty: Value,
    /// `--sample`: some rows are.
    #[serde(default)]
    pub(super) sample: Value,
    /// What else dbt 2 writes down of them.
    #[serde(default, rename = "__other__")]
    pub(super) other: Lenient<Others>,
}

#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Others {
    #[serde(default)]
    pub(super) empty: Value,
    #[serde(default)]
    pub(super) sample: Value,
}

/// What became of one node, or what was seen of one source.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Outcome<'a> {
    #[serde(borrow)]
    pub(super) unique_id: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    // Of a source.
    #[serde(borrow, default)]
    pub(super) max_loaded_at: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) snapshotted_at: Option<Text<'a>>,
    // Of a node.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub(super) timing: Vec<Timing<'a>>,
    #[serde(default)]
    pub(super) adapter_response: Lenient<Response>,
    #[serde(default)]
    pub(super) batch_results: Lenient<Batches>,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Timing<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow, default)]
    pub(super) completed_at: Option<Text<'a>>,
}

/// What the database said of the statement.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Response {
    #[serde(default)]
    pub(super) code: Value,
    #[serde(default)]
    pub(super) rows_affected: Value,
}

/// The batches of a microbatch model, each with its begin and end.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Batches {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) successful: Vec<(String, String)>,
}

/// What teams say beside a model or source: our own settings, and whom to ask.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Meta {
    #[serde(default)]
    pub(super) freshness: Value,
    #[serde(default)]
    pub(super) owner: Value,
}

impl Meta {
    /// The name that it gives the dataset.
    pub(super) fn dataset(&self) -> Option<&str> {
        let name = self.freshness.get("dataset")?.as_str()?.trim();
        (!name.is_empty()).then_some(name)
    }
}

/// A person or a team.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Owner {
    #[serde(default)]
    pub(super) name: Value,
    /// One, or a list of them.
    #[serde(default)]
    pub(super) email: Value,
}

impl Owner {
    /// `Name <address>`, or the one that is said.
    pub(super) fn said(&self) -> Option<String> {
        let name = self.name.as_str().map(str::to_owned);
        let email = match &self.email {
            Value::Array(all) => {
                let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
                Some(all.join(", "))
            }
            email => email.as_str().map(str::to_owned),
        };
        let said = |text: &String| !text.trim().is_empty();
        match (name.filter(said), email.filter(said)) {
            (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
            (one, other) => one.or(other),
        }
    }
}

/// An object as the pairs that stand in it. A mistake names its key.
#[derive(Debug)]
pub(super) struct Keyed<'a, T>(pub(super) Vec<(Text<'a>, T)>);

impl<T> Default for Keyed<'_, T> {
    fn default() -> Self {
        Keyed(Vec::new())
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de> + 'a> Deserialize<'de> for Keyed<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs<'a, T>(PhantomData<&'a T>);
        impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for Pairs<'a, T> {
            type Value = Keyed<'a, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Keyed::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(Id(key)) = map.next_key::<Id<'a>>()? {
                    match map.next_value() {
                        Ok(value) => pairs.push((key, value)),
                        Err(error) => return Err(A::Error::custom(format_args!("{key}: {error}"))),
                    }
                }
                Ok(Keyed(pairs))
            }
        }
        deserializer.deserialize_any(Pairs(PhantomData))
    }
}

/// An object by its known keys; anything else is as if nothing were said. What
/// other tools and people write beside dbt's own keys may be of any shape.
#[derive(Debug, Default)]
pub(super) struct Lenient<T>(pub(super) T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for Object<T> {
            type Value = Lenient<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Lenient)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Lenient::default())
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Lenient::default())
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Lenient::default())
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Lenient::default())
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Lenient::default())
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Lenient::default())
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
                Ok(Lenient::default())
            }
        }
        deserializer.deserialize_any(Object(PhantomData))
    }
}

/// A value, or what is usual where it is null.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

//! How many rows came by an operation that also copies what stays?
//!
//! Delta tables tell it in the `operationMetrics` of a commit, each writer in a way
//! of its own.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use super::cycles::Copied;

/// What an operation counted, as far as rows came by it. Spark writes numbers
/// as text and names as `numOutputRows`, delta-rs numbers as numbers and
/// names as `num_added_rows`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Metrics {
    inserted: Option<u64>,
    updated: Option<u64>,
}

impl Metrics {
    /// Rows that came, where the files hold others besides: merging and
    /// updating copy what stays, and updating inserts nothing.
    pub(super) fn copied(self, operation: &str) -> Option<Copied> {
        let is = |known: &str| operation.eq_ignore_ascii_case(known);
        let Metrics { inserted, updated } = self;
        let written = match (inserted, updated) {
            (None, None) => None,
            (inserted, updated) => Some(inserted.unwrap_or(0).saturating_add(updated.unwrap_or(0))),
        };
        let inserted = if is("UPDATE") { Some(0) } else { inserted };
        (is("MERGE") || is("UPDATE")).then_some(Copied { inserted, written })
    }
}

impl<'de> Deserialize<'de> for Metrics {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Metrics, D::Error> {
        deserializer.deserialize_any(MetricsVisitor)
    }
}

struct MetricsVisitor;

impl<'de> Visitor<'de> for MetricsVisitor {
    type Value = Metrics;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metrics by name")
    }

    fn visit_unit<E>(self) -> Result<Metrics, E> {
        Ok(Metrics::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metrics, A::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Number<'a> {
            Plain(u64),
            Text(#[serde(borrow)] Cow<'a, str>),
            Other(IgnoredAny),
        }
        let mut metrics = Metrics::default();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let name: String = name.chars().filter(|c| *c != '_').collect();
            let counted = match name.to_ascii_lowercase().as_str() {
                "numtargetrowsinserted" => &mut metrics.inserted,
                "numtargetrowsupdated" | "numupdatedrows" => &mut metrics.updated,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *counted = match map.next_value()? {
                Number::Plain(n) => Some(n),
                Number::Text(text) => text.trim().parse().ok(),
                Number::Other(IgnoredAny) => None,
            };
        }
        Ok(metrics)
    }
}

//! What does dbt say of the freshness of sources?
//!
//! In YAML beside its models (`sources:`), or in `target/manifest.json`.
//! `error_after` becomes `freshness.threshold`, or `warn_after` with
//! `severity: warning` where it is alone; `loaded_at_field` the `field`, `filter`
//! the `partition_filter`. dbt takes times without a zone as UTC, so that is
//! their `timezone`. The dataset is `source.table`, as dbt calls it.

use std::collections::BTreeMap;
use std::sync::Arc;

use freshness_core::slo::{Content, Node, Place};
use serde::Deserialize;

use super::foreign::{Foreign, items, keys, put, text};

/// Does it say something of sources?
pub(super) fn is_sources(node: &Node) -> bool {
    matches!(
        node.get("sources").map(|node| &node.holds),
        Some(Content::List(_))
    )
}

/// What is said of one table.
struct Table {
    dataset: String,
    table: String,
    loaded_at: Option<String>,
    query: bool,
    warn: Option<Limit>,
    error: Option<Limit>,
    filter: Option<String>,
    place: Place,
}

#[derive(Clone)]
struct Limit {
    text: String,
    place: Place,
}

/// Reads `sources:`.
pub(super) fn read_yaml(node: &Node) -> Foreign {
    let mut found = Foreign::default();
    for source in items(node, "sources") {
        let Some(name) = text(source, "name") else {
            found.left_out(&source.place, "a source without a name");
            continue;
        };
        for table in items(source, "tables") {
            let Some(of) = text(table, "name") else {
                found.left_out(&table.place, format!("a table of {name} without a name"));
                continue;
            };
            // The newer way is under `config`; the table wins over its source.
            let levels = [
                Some(source),
                source.said("config"),
                Some(table),
                table.said("config"),
            ];
            let levels: Vec<&Node> = levels.into_iter().flatten().collect();
            let last = |key: &str| levels.iter().rev().find_map(|level| level.get(key));
            if last("freshness").is_none_or(|node| matches!(node.holds, Content::Cleared)) {
                continue;
            }
            let limit = |key: &str| {
                levels
                    .iter()
                    .rev()
                    .filter_map(|level| level.said("freshness"))
                    .find_map(|freshness| freshness.get(key))
                    .and_then(limit)
            };
            let parts = [
                text(source, "database"),
                Some(text(source, "schema").unwrap_or_else(|| name.clone())),
                Some(text(table, "identifier").unwrap_or_else(|| of.clone())),
            ];
            // Of a column and a query the one that is said further in holds.
            let query = levels.iter().rev().find_map(|level| {
                match (
                    text(level, "loaded_at_query"),
                    text(level, "loaded_at_field"),
                ) {
                    (Some(_), _) => Some(true),
                    (None, Some(_)) => Some(false),
                    (None, None) => None,
                }
            });
            let value = |key: &str| levels.iter().rev().find_map(|level| text(level, key));
            let filter = levels
                .iter()
                .rev()
                .filter_map(|level| level.said("freshness"))
                .find_map(|freshness| text(freshness, "filter"));
            add(
                Table {
                    dataset: format!("{name}.{of}"),
                    table: table_name(parts),
                    loaded_at: value("loaded_at_field"),
                    query: query.unwrap_or(false),
                    warn: limit("warn_after"),
                    error: limit("error_after"),
                    filter,
                    place: table.place.clone(),
                },
                &mut found,
            );
        }
    }
    for model in items(node, "models") {
        let configured = model
            .said("config")
            .and_then(|config| config.said("freshness"));
        if let Some(freshness) = configured.or_else(|| model.said("freshness")) {
            let name = text(model, "name").unwrap_or_default();
            let what = format!("freshness of the model {name}: it says when to build, not a limit");
            found.left_out(&freshness.place, what);
        }
    }
    found
}

/// `{count: 12, period: hour}`; also where one of them is null, which is none.
fn limit(node: &Node) -> Option<Limit> {
    keys(node)?;
    let (count, period) = (text(node, "count")?, text(node, "period")?);
    Some(Limit {
        text: format!("{count} {period}"),
        place: node.place.clone(),
    })
}

#[derive(Deserialize)]
struct Manifest {
    metadata: Metadata,
    #[serde(default)]
    sources: BTreeMap<String, Source>,
}

#[derive(Deserialize)]
struct Metadata {
    dbt_schema_version: String,
}

#[derive(Deserialize)]
struct Source {
    source_name: String,
    name: String,
    #[serde(default)]
    database: Option<String>,
    #[serde(default)]
    schema: Option<String>,
    #[serde(default)]
    identifier: Option<String>,
    #[serde(default)]
    loaded_at_field: Option<String>,
    #[serde(default)]
    loaded_at_query: Option<String>,
    #[serde(default)]
    freshness: Option<Freshness>,
    #[serde(default)]
    original_file_path: Option<String>,
}

#[derive(Deserialize)]
struct Freshness {
    #[serde(default)]
    warn_after: Option<Period>,
    #[serde(default)]
    error_after: Option<Period>,
    #[serde(default)]
    filter: Option<String>,
}

#[derive(Deserialize)]
struct Period {
    #[serde(default)]
    count: Option<serde_json::Number>,
    #[serde(default)]
    period: Option<String>,
}

/// Reads a manifest. Its lines tell a person nothing; the file it was made from
/// does.
pub(super) fn read_manifest(json: impl std::io::Read, file: &str) -> Result<Foreign, String> {
    let manifest: Manifest = serde_json::from_reader(std::io::BufReader::new(json))
        .map_err(|error| format!("not a manifest of dbt: {error}"))?;
    let mut found = Foreign::default();
    if !manifest.metadata.dbt_schema_version.contains("manifest") {
        let version = &manifest.metadata.dbt_schema_version;
        return Err(format!("not a manifest of dbt: {version}"));
    }
    for source in manifest.sources.into_values() {
        let Some(freshness) = source.freshness else {
            continue;
        };
        let made_from = source.original_file_path.as_deref();
        let place = Place {
            file: match made_from {
                Some(from) => Arc::from(format!("{file} ({from})")),
                None => Arc::from(file),
            },
            line: 0,
            column: 0,
        };
        let limit = |period: Option<Period>| {
            let period = period?;
            Some(Limit {
                text: format!("{} {}", period.count?, period.period?),
                place: place.clone(),
            })
        };
        let parts = [
            source.database,
            Some(source.schema.unwrap_or_else(|| source.source_name.clone())),
            Some(source.identifier.unwrap_or_else(|| source.name.clone())),
        ];
        add(
            Table {
                dataset: format!("{}.{}", source.source_name, source.name),
                table: table_name(parts),
                loaded_at: source.loaded_at_field,
                query: source.loaded_at_query.is_some(),
                warn: limit(freshness.warn_after),
                error: limit(freshness.error_after),
                filter: freshness.filter,
                place: place.clone(),
            },
            &mut found,
        );
    }
    Ok(found)
}

/// The contract of a table, if what is said can be one.
fn add(table: Table, found: &mut Foreign) {
    let Table {
        dataset,
        table,
        loaded_at,
        query,
        warn,
        error,
        filter,
        place,
    } = table;
    let (limit, severity) = match (error, warn) {
        (Some(error), warn) => {
            if let Some(warn) = warn.filter(|warn| warn.text != error.text) {
                let what = format!(
                    "warn_after of {dataset}: {}; the limit is error_after, {}",
                    warn.text, error.text
                );
                found.left_out(&warn.place, what);
            }
            (error, "critical")
        }
        (None, Some(warn)) => (warn, "warning"),
        (None, None) => return,
    };
    if query {
        let what = format!("freshness of {dataset}: loaded_at_query is no column");
        return found.left_out(&limit.place, what);
    }
    let Some(column) = loaded_at else {
        let how = "without loaded_at_field dbt asks the database when the table was last changed";
        return found.left_out(&limit.place, format!("freshness of {dataset}: {how}"));
    };
    if !is_column(&column) {
        let what = format!("freshness of {dataset}: loaded_at_field is no column: {column}");
        return found.left_out(&limit.place, what);
    }
    let column = column.trim_matches(['"', '`']);
    let mut contract = Node::empty(place.clone());
    put(&mut contract, &["dataset"], dataset, &place);
    put(&mut contract, &["table"], table, &place);
    put(&mut contract, &["timezone"], "UTC", &place);
    if let Some(filter) = filter {
        put(&mut contract, &["partition_filter"], filter, &place);
    }
    let path = |key| ["service_levels", "freshness", key];
    put(&mut contract, &path("threshold"), limit.text, &limit.place);
    put(&mut contract, &path("field"), column, &place);
    put(&mut contract, &path("severity"), severity, &limit.place);
    found.contracts.push(contract);
}

/// The name of a table; a part that would not be read as one is put in quotes.
fn table_name(parts: [Option<String>; 3]) -> String {
    let part = |part: String| {
        let is_plain = !part.is_empty() && part.trim() == part && !part.contains(['.', '"']);
        match is_plain {
            true => part,
            false => format!("\"{}\"", part.replace('"', "\"\"")),
        }
    };
    let parts: Vec<String> = parts.into_iter().flatten().map(part).collect();
    parts.join(".")
}

/// A name, perhaps in quotes; anything else is an expression of some SQL.
fn is_column(text: &str) -> bool {
    let inner = ['"', '`'].iter().find_map(|quote| {
        text.strip_prefix(*quote)?
            .strip_suffix(*quote)
            .filter(|inner| !inner.contains(*quote))
    });
    match inner {
        Some(inner) => !inner.is_empty(),
        None => {
            let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            !text.is_empty()
                && text.chars().all(plain)
                && !text.starts_with(|c: char| c.is_ascii_digit())
        }
    }
}

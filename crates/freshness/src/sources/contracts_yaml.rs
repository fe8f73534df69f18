//! How are contracts written in YAML?
//!
//! The file as it was typed, with the line of every value: what it means is
//! said in `contracts.rs`.

use std::collections::BTreeMap;
use std::io::Read;

use freshness_core::coverage::ContractRow;
use serde::Deserialize;
use serde_saphyr::{Error as YamlError, Spanned};

use super::input::{self, Input, Source};
use super::problem::SourceError;

/// What a file lists.
#[derive(Debug, Default)]
pub(super) struct YamlFile {
    pub(super) contracts: Vec<YamlRow>,
    pub(super) inventory: Option<Vec<YamlRow>>,
}

/// A contract, or a scope, and where it stands.
#[derive(Debug)]
pub(super) struct YamlRow {
    /// Its first line.
    pub(super) line: u64,
    pub(super) row: ContractRow,
    /// The line of each value.
    pub(super) lines: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    #[serde(default)]
    contracts: Option<Vec<Spanned<TypedContract>>>,
    #[serde(default)]
    inventory: Option<Vec<Spanned<TypedScope>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedContract {
    source: Option<Spanned<String>>,
    scope: Option<Spanned<String>>,
    max_source_lag_minutes: Option<Spanned<i64>>,
    max_publication_gap_minutes: Option<Spanned<i64>>,
    dataset: Option<Spanned<String>>,
    calendar: Option<Spanned<String>>,
    timezone: Option<Spanned<String>>,
    skew_tolerance_minutes: Option<Spanned<i64>>,
    owner: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedScope {
    source: Option<Spanned<String>>,
    scope: Option<Spanned<String>>,
}

/// No file of contracts is larger.
const BYTES_MAX: u64 = 256 << 20;

pub(super) fn read(source: &Source) -> Result<YamlFile, SourceError> {
    let mut text = String::new();
    let bytes = match input::open(source, &|_| {})? {
        Input::Csv(bytes) | Input::Ndjson(bytes) => bytes,
        Input::Parquet(_) => return Err(SourceError::WrongFormat("a Parquet file")),
    };
    let mut bytes = bytes.take(BYTES_MAX);
    match bytes.read_to_string(&mut text) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            return Err(SourceError::WrongFormat("not UTF-8 text"));
        }
        Err(error) => return Err(input::from_io(error)),
    }
    let typed: Typed = serde_saphyr::from_str::<Option<Typed>>(&text)
        .map(Option::unwrap_or_default)
        .map_err(|error| refusal(error.without_snippet()))?;
    let Typed {
        contracts,
        inventory,
    } = typed;
    let contracts = contracts.unwrap_or_default();
    Ok(YamlFile {
        contracts: contracts.into_iter().map(contract).collect(),
        inventory: inventory.map(|scopes| scopes.into_iter().map(scope).collect()),
    })
}

fn contract(typed: Spanned<TypedContract>) -> YamlRow {
    let line = typed.referenced.line();
    let TypedContract {
        source,
        scope,
        max_source_lag_minutes,
        max_publication_gap_minutes,
        dataset,
        calendar,
        timezone,
        skew_tolerance_minutes,
        owner,
    } = typed.value;
    let mut lines = BTreeMap::new();
    let mut text = |field, typed| value::<String>(&mut lines, field, typed);
    let source = text("source", source).unwrap_or_default();
    let scope = text("scope", scope).unwrap_or_default();
    let dataset = text("dataset", dataset);
    let calendar = text("calendar", calendar);
    let timezone = text("timezone", timezone);
    let owner = text("owner", owner);
    let mut minutes = |field, typed| value::<i64>(&mut lines, field, typed);
    let row = ContractRow {
        source,
        scope,
        max_source_lag_minutes: minutes("max_source_lag_minutes", max_source_lag_minutes),
        max_publication_gap_minutes: minutes(
            "max_publication_gap_minutes",
            max_publication_gap_minutes,
        ),
        dataset,
        calendar,
        timezone,
        skew_tolerance_minutes: minutes("skew_tolerance_minutes", skew_tolerance_minutes),
        owner,
    };
    YamlRow { line, row, lines }
}

fn scope(typed: Spanned<TypedScope>) -> YamlRow {
    let TypedScope { source, scope } = typed.value;
    let text = |typed: Option<Spanned<String>>| typed.map_or_else(String::new, |text| text.value);
    YamlRow {
        line: typed.referenced.line(),
        row: ContractRow {
            source: text(source),
            scope: text(scope),
            ..ContractRow::default()
        },
        lines: BTreeMap::new(),
    }
}

fn value<T>(
    lines: &mut BTreeMap<&'static str, u64>,
    field: &'static str,
    typed: Option<Spanned<T>>,
) -> Option<T> {
    let typed = typed?;
    lines.insert(field, typed.referenced.line());
    Some(typed.value)
}

fn refusal(error: &YamlError) -> SourceError {
    let line = error.location().map_or(0, |at| at.line());
    let (message, known) = match error {
        YamlError::SerdeUnknownField {
            field, expected, ..
        } => (
            format!("unknown key: {}", field.escape_debug()),
            expected.iter().map(|key| (*key).to_owned()).collect(),
        ),
        YamlError::DuplicateMappingKey { key: Some(key), .. } => (
            format!("key given twice: {}", key.escape_debug()),
            Vec::new(),
        ),
        YamlError::Unexpected {
            expected: "mapping start",
            ..
        } => (
            "expected keys with values, such as `source: orders`".to_owned(),
            Vec::new(),
        ),
        YamlError::Unexpected { .. } => ("expected one value".to_owned(), Vec::new()),
        other => {
            // The first line; what follows repeats the place.
            let text = other.to_string();
            let text = text.lines().next().unwrap_or_default();
            let text = text.split(" at line").next().unwrap_or_default();
            (text.to_owned(), Vec::new())
        }
    };
    SourceError::Yaml {
        line,
        message,
        known,
    }
}

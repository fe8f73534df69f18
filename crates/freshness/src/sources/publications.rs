//! Which release does a line of JSON tell of?
//!
//! A stream is read as it comes: `lines` says after each line whether another
//! is there already, so that what a slow sender wrote does not wait for more.

use std::io::{self, BufRead, BufReader, Read};

use freshness_core::coverage::{Claim, Manifest, Proposal, Total};
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

use super::csv::LINE_BYTES_MAX;
use super::input::{self, Source, from_io};
use super::instant::{TimeRules, instant};
use super::problem::{Problem, SourceError, quoted};
use super::table::Cell;

/// One line, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPublication {
    /// Its number, from 1.
    pub line: u64,
    /// What it says, as far as it can be read.
    pub proposal: Proposal,
    /// What of it cannot be read.
    pub unreadable: Option<String>,
    /// Is another line there already?
    pub more: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    source: Option<Value>,
    scope: Option<Value>,
    run_id: Option<Value>,
    #[serde(alias = "source_complete_through")]
    complete_through: Option<Value>,
    published_at: Option<Value>,
    #[serde(alias = "source_position")]
    position: Option<Value>,
    rows: Option<Value>,
    manifest: Option<Value>,
    totals: Option<Value>,
    confirmed_position: Option<Value>,
    #[serde(alias = "publication_seq")]
    expect_seq: Option<Value>,
    allow_regression: Option<Value>,
    correction: Option<Value>,
}

/// Reads releases line by line; `each` may stop the reading with an error.
pub fn read_publications<E: From<SourceError>>(
    source: &Source,
    each: &mut dyn FnMut(ReadPublication) -> Result<(), E>,
) -> Result<(), E> {
    let (mut input, _) = input::bytes(source, &|_| {})?;
    input::skip_mark(&mut *input)?;
    let mut bytes = BufReader::with_capacity(256 << 10, input);
    let mut line_bytes = Vec::new();
    let mut line = 0;
    loop {
        line += 1;
        line_bytes.clear();
        let n = (&mut bytes)
            .take(LINE_BYTES_MAX + 1)
            .read_until(b'\n', &mut line_bytes)
            .map_err(from_io)?;
        if n == 0 {
            return Ok(());
        }
        let is_long = n as u64 > LINE_BYTES_MAX;
        if is_long {
            skip_line(&mut bytes).map_err(from_io)?;
        }
        if !is_long && line_bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let (proposal, unreadable) = match is_long {
            true => (
                Proposal::default(),
                Some("the line is longer than 1 MiB".to_owned()),
            ),
            false => publication(&line_bytes),
        };
        each(ReadPublication {
            line,
            proposal,
            unreadable,
            more: bytes.buffer().contains(&b'\n'),
        })?;
    }
}

/// The time that a flag gives.
pub fn told_time(field: &str, text: &str) -> Result<i64, String> {
    time(field, &Value::String(text.to_owned()))
}

/// The manifest in a file: `{"expected": […], "delivered": […]}`, or a list of
/// expected names, in JSON or one a line.
pub fn read_manifest(text: &str) -> Result<Manifest, String> {
    match text_or_json(text)? {
        TextOrJson::Json(value) => manifest("manifest", &value),
        TextOrJson::Text(text) => Ok(Manifest {
            expected: names(text),
            delivered: Vec::new(),
        }),
    }
}

/// The names in a file: a list in JSON, or one a line.
pub fn read_names(text: &str) -> Result<Vec<String>, String> {
    match text_or_json(text)? {
        TextOrJson::Json(value) => list("delivered", &value),
        TextOrJson::Text(text) => Ok(names(text)),
    }
}

enum TextOrJson<'a> {
    Text(&'a str),
    Json(Value),
}

fn text_or_json(text: &str) -> Result<TextOrJson<'_>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().starts_with(['{', '[']) {
        true => serde_json::from_str(text)
            .map(TextOrJson::Json)
            .map_err(|error| format!("line {}: {}", error.line(), no_json(text, &error))),
        false => Ok(TextOrJson::Text(text)),
    }
}

/// Names, one a line.
fn names(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

fn skip_line(bytes: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = bytes.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => {
                bytes.consume(end + 1);
                return Ok(());
            }
            None => {
                let n = buffer.len();
                bytes.consume(n);
            }
        }
    }
}

const NO_OBJECT: &str = "not a JSON object";

/// Why a text is no JSON, in words for whoever wrote it.
fn no_json(text: &str, error: &serde_json::Error) -> String {
    let column = error.column();
    if error.is_eof() {
        return "not JSON: it ends too early".to_owned();
    }
    if !error.to_string().starts_with("number out of range") {
        return format!("not JSON, from column {column} on");
    }
    let line = text.lines().nth(error.line() - 1).unwrap_or_default();
    let before = line.get(..column).unwrap_or(line);
    let key = before
        .rsplit_once("\":")
        .and_then(|(before, _)| before.rsplit_once('"'));
    match key {
        Some((_, key)) => format!("{key} is a number out of range"),
        None => "a number is out of range".to_owned(),
    }
}

/// What a line says, and the first thing in it that cannot be read.
fn publication(line: &[u8]) -> (Proposal, Option<String>) {
    let is_object = line.trim_ascii_start().starts_with(b"{");
    let typed: Typed = match serde_json::from_slice(line) {
        Ok(typed) if is_object => typed,
        Ok(_) => return (Proposal::default(), Some(NO_OBJECT.to_owned())),
        Err(error) => {
            let mut proposal = Proposal::default();
            // A log that names whose line it was is of more use.
            if let Ok(Value::Object(object)) = serde_json::from_slice(line) {
                let named = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
                proposal.source = named("source").to_owned();
                proposal.scope = named("scope").to_owned();
                proposal.run_id = named("run_id").to_owned();
            }
            let words = error.to_string();
            let words = words.split(" at line").next().unwrap_or_default();
            let fault = match error.classify() {
                Category::Data if is_object => format!("not a publication: {words}"),
                Category::Data => NO_OBJECT.to_owned(),
                Category::Io | Category::Syntax | Category::Eof => {
                    no_json(&String::from_utf8_lossy(line), &error)
                }
            };
            return (proposal, Some(fault));
        }
    };
    let mut fault = None;
    let proposal = proposal(typed, &mut fault);
    (proposal, fault)
}

fn proposal(typed: Typed, fault: &mut Option<String>) -> Proposal {
    let Typed {
        source,
        scope,
        run_id,
        complete_through,
        published_at,
        position,
        rows,
        manifest: manifest_value,
        totals,
        confirmed_position,
        expect_seq,
        allow_regression,
        correction,
    } = typed;
    fn read<T>(
        fault: &mut Option<String>,
        field: &str,
        value: Option<Value>,
        how: impl FnOnce(&str, &Value) -> Result<T, String>,
    ) -> Option<T> {
        let value = value.filter(|value| !value.is_null())?;
        match how(field, &value) {
            Ok(value) => Some(value),
            Err(words) => {
                fault.get_or_insert(words);
                None
            }
        }
    }
    Proposal {
        source: read(fault, "source", source, text).unwrap_or_default(),
        scope: read(fault, "scope", scope, text).unwrap_or_default(),
        run_id: read(fault, "run_id", run_id, text).unwrap_or_default(),
        complete_through: read(fault, "complete_through", complete_through, time),
        published_at: read(fault, "published_at", published_at, time),
        position: read(fault, "position", position, text),
        rows: read(fault, "rows", rows, count),
        claim: Claim {
            manifest: read(fault, "manifest", manifest_value, manifest),
            totals: read(fault, "totals", totals, all_totals).unwrap_or_default(),
            confirmed_position: read(fault, "confirmed_position", confirmed_position, text),
        },
        expect_seq: read(fault, "expect_seq", expect_seq, count),
        allow_regression: read(fault, "allow_regression", allow_regression, text),
        correction: read(fault, "correction", correction, flag).unwrap_or_default(),
    }
}

/// Text, or a number that stands for it: an offset, a partition.
fn text(field: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(format!("{field} is not text")),
    }
}

fn time(field: &str, value: &Value) -> Result<i64, String> {
    let cell = match value {
        Value::String(text) if text.trim().is_empty() => Cell::Missing,
        Value::String(text) => Cell::Text(text),
        Value::Number(number) => match (number.as_i128(), number.as_f64()) {
            (Some(n), _) => Cell::Integer(n),
            (None, Some(n)) => Cell::Float(n),
            (None, None) => Cell::Other("a number too large"),
        },
        _ => Cell::Other("another value"),
    };
    let rules = TimeRules {
        now: 0,
        assume_zone: None,
    };
    instant(&cell, &rules).map_err(|problem| match (problem, &cell) {
        (Problem::NoValue, _) => format!("{field} is missing"),
        (problem, Cell::Text(text)) => format!("{field}: {problem}: {}", quoted(text)),
        (problem, _) => format!("{field}: {problem}: {value}"),
    })
}

fn count(field: &str, value: &Value) -> Result<u64, String> {
    let n = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    // What SQLite counts with is signed.
    n.filter(|n| i64::try_from(*n).is_ok())
        .ok_or_else(|| format!("{field} is not a whole number from 0: {value}"))
}

fn flag(field: &str, value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| format!("{field} is not true or false: {value}"))
}

/// `{"expected": […], "delivered": […]}`, or a list of what was expected.
fn manifest(field: &str, value: &Value) -> Result<Manifest, String> {
    let Value::Object(object) = value else {
        let expected = list(field, value)?;
        return Ok(Manifest {
            expected,
            delivered: Vec::new(),
        });
    };
    let mut keys = object.keys();
    if let Some(key) = keys.find(|key| !["expected", "delivered"].contains(&key.as_str())) {
        return Err(format!(
            "{field} has an unknown key: {} (known: expected, delivered)",
            quoted(key)
        ));
    }
    let part = |key: &str| {
        let value = object.get(key).filter(|value| !value.is_null());
        value.map(|value| list(&format!("{field}.{key}"), value))
    };
    Ok(Manifest {
        expected: part("expected")
            .unwrap_or_else(|| Err(format!("{field}.expected is missing")))?,
        delivered: part("delivered").unwrap_or(Ok(Vec::new()))?,
    })
}

fn list(field: &str, value: &Value) -> Result<Vec<String>, String> {
    let Value::Array(values) = value else {
        return Err(format!("{field} is not a list of names"));
    };
    let name = |value: &Value| match value {
        Value::String(name) => Ok(name.trim().to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(format!("{field} has something that is no name: {other}")),
    };
    let names = values.iter().map(name);
    names
        .filter(|name| name.as_ref().map_or(true, |name| !name.is_empty()))
        .collect()
}

fn all_totals(field: &str, value: &Value) -> Result<Vec<Total>, String> {
    let Value::Array(values) = value else {
        return Err(format!("{field} is not a list"));
    };
    let total = |value: &Value| {
        let keys = ["name", "expected", "found"];
        let object = value
            .as_object()
            .filter(|object| object.keys().all(|key| keys.contains(&key.as_str())))
            .ok_or_else(|| format!("{field} has something without name, expected and found"))?;
        let part = |key: &str| {
            let part = object.get(key).filter(|value| !value.is_null());
            part.ok_or_else(|| format!("{field}: {key} is missing"))
        };
        Ok(Total {
            name: text(&format!("{field}: name"), part("name")?)?,
            expected: number_text(part("expected")?),
            found: number_text(part("found")?),
        })
    };
    values.iter().map(total).collect()
}

fn number_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Origin;

    #[track_caller]
    fn check_unreadable(line: &str, words: &str) {
        assert_eq!(publication(line.as_bytes()).1.as_deref(), Some(words));
    }

    #[test]
    fn a_line_is_read_with_the_names_that_people_use() {
        let (proposal, fault) = publication(
            br#"{"source":"orders","scope":12,"run_id":"r1","source_complete_through":1772431200,
                "published_at":"2026-03-02T06:00:00Z","source_position":42,"rows":0,
                "totals":[{"name":"amount","expected":1.50,"found":"1.5"}]}"#,
        );
        assert_eq!(fault, None);
        assert_eq!((proposal.scope.as_str(), proposal.rows), ("12", Some(0)));
        assert_eq!(proposal.complete_through, proposal.published_at);
        assert_eq!(proposal.position.as_deref(), Some("42"));
        assert_eq!(proposal.claim.totals[0].agrees(), Some(true));
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_field() {
        check_unreadable("[]", "not a JSON object");
        check_unreadable("7", "not a JSON object");
        check_unreadable("{", "not JSON: it ends too early");
        check_unreadable(r#"{"rows":nul}"#, "not JSON, from column 12 on");
        check_unreadable(r#"{"rows": 1e999}"#, "rows is a number out of range");
        check_unreadable(
            r#"{"manifest":{"expectd":[]}}"#,
            "manifest has an unknown key: \"expectd\" (known: expected, delivered)",
        );
        check_unreadable(r#"{"manifest":{}}"#, "manifest.expected is missing");
        check_unreadable(
            r#"{"manifest":{"expected":"a"}}"#,
            "manifest.expected is not a list of names",
        );
        check_unreadable(
            r#"{"totals":[{"name":"n"}]}"#,
            "totals: expected is missing",
        );
        check_unreadable(r#"{"correction":1}"#, "correction is not true or false: 1");
        check_unreadable(
            r#"{"sourse":"x"}"#,
            "not a publication: unknown field `sourse`, expected one of `source`, `scope`, `run_id`, `complete_through`, `source_complete_through`, `published_at`, `position`, `source_position`, `rows`, `manifest`, `totals`, `confirmed_position`, `expect_seq`, `publication_seq`, `allow_regression`, `correction`",
        );
        check_unreadable(
            r#"{"published_at":"2026-03-02 06:00"}"#,
            "published_at: time without an offset or zone: \"2026-03-02 06:00\"",
        );
        check_unreadable(r#"{"rows":-1}"#, "rows is not a whole number from 0: -1");
        check_unreadable(
            r#"{"rows":18446744073709551615}"#,
            "rows is not a whole number from 0: 18446744073709551615",
        );
        let (proposal, fault) = publication(br#"{"source":"a","run_id":"r","manifest":7}"#);
        assert_eq!(fault.as_deref(), Some("manifest is not a list of names"));
        assert_eq!(
            (proposal.source.as_str(), proposal.run_id.as_str()),
            ("a", "r")
        );
    }

    #[test]
    fn a_manifest_is_read_however_it_is_written() {
        let expected = |text: &str| read_manifest(text).map(|manifest| manifest.expected);
        let both = Ok(vec!["a.csv".to_owned(), "b.csv".to_owned()]);
        for text in [
            "a.csv\nb.csv\n",
            "\u{feff}a.csv\r\n\r\nb.csv",
            r#"["a.csv", "b.csv"]"#,
            "\u{feff}{\"expected\": [\"a.csv\", \"b.csv\"]}",
        ] {
            assert_eq!(expected(text), both, "{text}");
        }
        assert_eq!(read_names("[\"a.csv\", \"b.csv\"]"), both);
        let refused = expected("[\"a.csv\",\n oh]");
        assert_eq!(
            refused,
            Err("line 2: not JSON, from column 2 on".to_owned())
        );
        let refused = expected("[{}]");
        let words = "manifest has something that is no name: {}".to_owned();
        assert_eq!(refused, Err(words));
    }

    #[test]
    fn a_long_line_is_one_bad_line() {
        let text = format!("{}\n{{\"source\":\"b\"}}\n\n", "x".repeat(3 << 20));
        let source = Source {
            origin: Origin::Bytes("s".to_owned(), text.into_bytes()),
            format: None,
        };
        let mut found = Vec::new();
        read_publications::<SourceError>(&source, &mut |read| {
            found.push((read.line, read.proposal.source, read.unreadable));
            Ok(())
        })
        .unwrap();
        let long = Some("the line is longer than 1 MiB".to_owned());
        assert_eq!(found, [(1, String::new(), long), (2, "b".to_owned(), None)]);
    }
}

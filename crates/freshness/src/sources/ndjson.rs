//! How are lines of JSON read?
//!
//! One object on each line; empty lines are passed over. A line is read into
//! one buffer of bounded size.

use std::collections::BTreeSet;
use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use super::csv::LINE_BYTES_MAX;
use super::input::from_io;
use super::problem::{Problem, SourceError};
use super::table::{COLUMNS_MAX, Cell, Columns, OnRow, TableRead};

/// Keys of objects that are remembered; where there are more, each names something
/// else.
const OTHERS_MAX: usize = 1_000;

const NAMED_BY: &str = "the keys of the objects name the columns";

pub(super) fn read(
    mut bytes: Box<dyn BufRead + '_>,
    columns: &Columns,
    on_row: &mut OnRow<'_>,
) -> Result<TableRead, SourceError> {
    let mut read = TableRead::default();
    let mut line_bytes = Vec::new();
    let mut line = 0;
    let mut seen = [false; COLUMNS_MAX];
    let mut first_keys: Option<Vec<String>> = None;
    // Keys that are no columns and no slips, so that each is looked at once.
    let mut others: BTreeSet<String> = BTreeSet::new();
    loop {
        line += 1;
        line_bytes.clear();
        let n = (&mut bytes)
            .take(LINE_BYTES_MAX + 1)
            .read_until(b'\n', &mut line_bytes)
            .map_err(from_io)?;
        if n == 0 {
            break;
        }
        if n as u64 > LINE_BYTES_MAX {
            return Err(SourceError::LongLine { line });
        }
        if line_bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        read.rows += 1;
        let object = match parsed(&line_bytes) {
            Ok(object) => object,
            Err(problem) => {
                on_row(line, Err(problem));
                continue;
            }
        };
        let mut cells = [Cell::Missing; COLUMNS_MAX];
        let mut unknown = Vec::new();
        for (key, value) in &object {
            match columns.place(key) {
                Some(i) => {
                    cells[i] = cell(value);
                    seen[i] = true;
                }
                None => {
                    if !others.contains(key) {
                        unknown.push(key);
                    }
                    if first_keys.is_none() {
                        read.ignored.push(key.chars().take(40).collect());
                    }
                }
            }
        }
        for key in unknown {
            let is_missing = |i: usize| {
                let has = |key: &String| columns.place(key) == Some(i);
                i >= columns.required.len() && !object.keys().any(has)
            };
            if let Some(misspelt) = columns.misspelt(key, is_missing) {
                return Err(misspelt);
            }
            if others.len() < OTHERS_MAX && columns.misspelt(key, |_| true).is_none() {
                others.insert(key.clone());
            }
        }
        first_keys.get_or_insert_with(|| object.keys().cloned().collect());
        on_row(line, Ok(&cells));
    }
    read.ignored.truncate(8);
    // A key that no object has is a wrong name rather than a missing value.
    match (0..columns.required.len()).find(|&i| !seen[i]) {
        Some(i) => match first_keys {
            Some(keys) => Err(columns.missing(i, &keys, NAMED_BY)),
            None => Ok(read),
        },
        None => Ok(read),
    }
}

fn parsed(line: &[u8]) -> Result<Map<String, Value>, Problem> {
    if std::str::from_utf8(line).is_err() {
        return Err(Problem::NotUtf8);
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Problem::Json("another JSON value".to_owned())),
        Err(error) => {
            // Its words name no content; its place is in the line.
            let words = error.to_string();
            let words = words
                .split(" at line")
                .next()
                .unwrap_or_default()
                .to_owned();
            Err(Problem::Json(format!(
                "{words} at column {}",
                error.column()
            )))
        }
    }
}

pub(super) fn cell(value: &Value) -> Cell<'_> {
    match value {
        Value::Null => Cell::Missing,
        Value::Bool(flag) => Cell::Flag(*flag),
        Value::String(text) if text.is_empty() => Cell::Missing,
        Value::String(text) => Cell::Text(text),
        Value::Array(values) => Cell::List(values),
        Value::Object(_) => Cell::Other("an object"),
        Value::Number(number) => match (number.as_i128(), number.as_f64()) {
            (Some(n), _) => Cell::Integer(n),
            (None, Some(n)) => Cell::Float(n),
            (None, None) => Cell::Other("a number too large"),
        },
    }
}

//! How is any format read as rows of cells?
//!
//! Each format gives the same cells, so what a column means is written once.
//! Columns are found by name, in any order, in any case; others are ignored
//! and named, unless a name is one letter off that of a column that is missing.

use super::input::{self, Input, Source};
use super::problem::{BadRow, BadRows, Problem, SourceError, quoted};
use super::{csv, ndjson, parquet};

/// What was read of a source, besides its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableRead {
    /// Rows seen, good and bad.
    pub rows: u64,
    /// Columns that nothing is read from (the first few).
    pub ignored: Vec<String>,
}

/// The columns that are read.
pub(super) struct Columns {
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
    /// Names that people give to the required columns, for a hint.
    pub(super) meant: &'static [(&'static str, &'static [&'static str])],
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Missing,
    Text(&'a str),
    NotUtf8(&'a [u8]),
    /// Wide enough for every integer of every format.
    Integer(i128),
    Float(f64),
    Flag(bool),
    /// UTC seconds.
    Instant(i64),
    /// Seconds on the clock of a zone that is not said.
    Local(i64),
    /// Days since 1970.
    Day(i32),
    /// A JSON array of texts.
    List(&'a [serde_json::Value]),
    /// Something else; its type.
    Other(&'static str),
}

/// The most columns a table of ours has; cells are kept in an array.
pub(super) const COLUMNS_MAX: usize = 16;

/// The cells of a row: the required columns, then the optional ones.
pub(super) type Cells<'a> = [Cell<'a>; COLUMNS_MAX];

/// Called for each row with its number (line or row, from 1).
pub(super) type OnRow<'f> = dyn FnMut(u64, Result<&Cells<'_>, Problem>) + 'f;

/// A problem and the column (by its place in [`Columns`]) it is in.
pub(super) struct Fault(pub(super) Option<usize>, pub(super) Problem);

/// Reads a source: `on_row` turns each row into a value and keeps it, or says
/// what is wrong with it.
pub(super) fn read(
    source: &Source,
    columns: &Columns,
    on_bytes: &dyn Fn(&[u8]),
    bad: &mut BadRows,
    on_row: &mut dyn FnMut(u64, &Cells<'_>) -> Result<(), Fault>,
) -> Result<TableRead, SourceError> {
    let input = input::open(source, on_bytes)?;
    let unit = match input {
        Input::Parquet(_) => "row",
        Input::Csv(_) | Input::Ndjson(_) => "line",
    };
    let file = source.label();
    let mut each = noting(&file, unit, columns, bad, on_row);
    match input {
        Input::Csv(bytes) => csv::read(bytes, columns, &mut each),
        Input::Ndjson(bytes) => ndjson::read(bytes, columns, &mut each),
        Input::Parquet(bytes) => parquet::read(bytes, columns, &mut each),
    }
}

/// Hands rows on to `on_row`, and notes what is wrong with them: where they are
/// from, and whether they are numbered as lines or rows.
pub(super) fn noting<'f>(
    file: &'f str,
    unit: &'static str,
    columns: &'f Columns,
    bad: &'f mut BadRows,
    on_row: &'f mut dyn FnMut(u64, &Cells<'_>) -> Result<(), Fault>,
) -> impl FnMut(u64, Result<&Cells<'_>, Problem>) + 'f {
    move |number, row| {
        let (fault, cells) = match row {
            Ok(cells) => match on_row(number, cells) {
                Ok(()) => return,
                Err(fault) => (fault, Some(cells)),
            },
            Err(problem) => (Fault(None, problem), None),
        };
        let Fault(column, problem) = fault;
        bad.add(problem, |problem| BadRow {
            file: file.to_owned(),
            place: format!("{unit} {number}"),
            column: column.map(|column| columns.name(column)),
            problem,
            value: column
                .zip(cells)
                .and_then(|(column, cells)| cells[column].shown()),
        });
    }
}

impl Columns {
    pub(super) fn len(&self) -> usize {
        self.required.len() + self.optional.len()
    }

    pub(super) fn name(&self, i: usize) -> &'static str {
        match self.required.get(i) {
            Some(name) => name,
            None => self.optional[i - self.required.len()],
        }
    }

    /// The place of a column by the name a file gives it.
    pub(super) fn place(&self, given: &str) -> Option<usize> {
        let given = given.trim();
        (0..self.len()).find(|&i| self.name(i).eq_ignore_ascii_case(given))
    }

    /// For each of our columns its place in the file, and the names of the rest.
    pub(super) fn find(
        &self,
        given: &[String],
        named_by: &'static str,
    ) -> Result<([Option<usize>; COLUMNS_MAX], Vec<String>), SourceError> {
        let mut places = [None; COLUMNS_MAX];
        let mut ignored = Vec::new();
        for (place, name) in given.iter().enumerate() {
            match self.place(name) {
                Some(i) if places[i].is_some() => {
                    return Err(SourceError::ColumnTwice(self.name(i)));
                }
                Some(i) => places[i] = Some(place),
                None if ignored.len() < IGNORED_SHOWN => ignored.push(shortened(name)),
                None => {}
            }
        }
        if let Some(i) = (0..self.required.len()).find(|&i| places[i].is_none()) {
            return Err(self.missing(i, given, named_by));
        }
        let is_missing = |i: usize| places[i].is_none();
        match given
            .iter()
            .find_map(|name| self.misspelt(name, is_missing))
        {
            Some(misspelt) => Err(misspelt),
            None => Ok((places, ignored)),
        }
    }

    /// Is the name one letter off that of a column that is missing? Without that
    /// column all rows would be read for something else: a run of `enviroment`
    /// dev would be one of prod.
    pub(super) fn misspelt(
        &self,
        given: &str,
        is_missing: impl Fn(usize) -> bool,
    ) -> Option<SourceError> {
        let name = given.trim().to_lowercase();
        if self.place(&name).is_some() || name.len() > LONGEST_MISSPELT {
            return None;
        }
        let near = |&i: &usize| is_missing(i) && strsim::osa_distance(&name, self.name(i)) == 1;
        let meant = self.name((0..self.len()).find(near)?);
        let given = shortened(given);
        Some(SourceError::Misspelt { given, meant })
    }

    /// Required column `i` is not among those given.
    pub(super) fn missing(
        &self,
        i: usize,
        given: &[String],
        named_by: &'static str,
    ) -> SourceError {
        let missing = self.required[i];
        let mut found: Vec<String> = given
            .iter()
            .take(FOUND_SHOWN)
            .map(|name| shortened(name))
            .collect();
        if given.len() > found.len() {
            found.push(format!("… {} more", given.len() - found.len()));
        }
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let meant = self.meant.iter().find(|(name, _)| *name == missing);
        let near = given
            .iter()
            .filter(|name| self.place(name).is_none() && name.len() <= 64)
            .filter_map(|name| {
                let (given, wanted) = (plain(name), plain(missing));
                let distance = match meant.is_some_and(|(_, names)| names.contains(&given.as_str()))
                {
                    true => 1,
                    false => strsim::levenshtein(&given, &wanted),
                };
                (distance <= 2).then_some((distance, name))
            })
            .min_by_key(|&(distance, _)| distance);
        SourceError::MissingColumn {
            missing,
            found: found.join(", "),
            named_by,
            near: near.map(|(_, name)| shortened(name)),
        }
    }
}

impl Cell<'_> {
    /// The value as a message shows it.
    fn shown(&self) -> Option<String> {
        match self {
            Cell::Missing | Cell::Other(_) => None,
            Cell::Text(text) => Some(quoted(text)),
            Cell::NotUtf8(bytes) => {
                let start = &bytes[..bytes.len().min(256)];
                Some(format!(
                    "\"{}\"",
                    start
                        .iter()
                        .take(60)
                        .flat_map(|b| b.escape_ascii())
                        .map(char::from)
                        .collect::<String>()
                ))
            }
            Cell::Integer(n) => Some(n.to_string()),
            Cell::Float(n) => Some(n.to_string()),
            Cell::Flag(flag) => Some(flag.to_string()),
            Cell::Instant(at) => Some(
                jiff::Timestamp::from_second(*at)
                    .map_or_else(|_| format!("{at} seconds since 1970"), |at| at.to_string()),
            ),
            Cell::Local(local) => Some(jiff::Timestamp::from_second(*local).map_or_else(
                |_| format!("{local} seconds since 1970"),
                |at| jiff::tz::Offset::UTC.to_datetime(at).to_string(),
            )),
            Cell::Day(day) => Some(
                jiff::Timestamp::from_second(i64::from(*day) * 86_400).map_or_else(
                    |_| format!("{day} days since 1970"),
                    |at| jiff::tz::Offset::UTC.to_datetime(at).date().to_string(),
                ),
            ),
            Cell::List(values) => Some(quoted(
                &values
                    .iter()
                    .take(8)
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            )),
        }
    }

    /// The type, in words.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Cell::Missing => "nothing",
            Cell::Text(_) | Cell::NotUtf8(_) => "text",
            Cell::Integer(_) | Cell::Float(_) => "a number",
            Cell::Flag(_) => "true or false",
            Cell::Instant(_) | Cell::Local(_) => "a time",
            Cell::Day(_) => "a date",
            Cell::List(_) => "a list",
            Cell::Other(name) => name,
        }
    }

    /// Text, if it is text; nothing if it is missing.
    pub(super) fn text(&self) -> Result<Option<&str>, Problem> {
        match self {
            Cell::Missing => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            Cell::NotUtf8(_) => Err(Problem::NotUtf8),
            other => Err(Problem::Type {
                expected: "text",
                found: other.type_name(),
            }),
        }
    }
}

/// Longer names are no column of ours with a letter more.
const LONGEST_MISSPELT: usize = 64;

const IGNORED_SHOWN: usize = 8;
const FOUND_SHOWN: usize = 12;

fn shortened(name: &str) -> String {
    let start: String = name.trim().chars().take(40).collect();
    let dots = if start.len() < name.trim().len() {
        "…"
    } else {
        ""
    };
    format!("{}{dots}", start.escape_debug())
}

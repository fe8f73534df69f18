//! What is wrong with a source, or with one row of it?
//!
//! The words are for the person who has to find the row: file, line, column and
//! value, and never the value of any other column.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use freshness_core::coverage::ContractFault;

/// The source cannot be read at all: nothing of it counts.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SourceError {
    #[error("no such file")]
    NotFound,
    #[error("a directory, not a file")]
    Directory { like: &'static str },
    #[error("{0}")]
    NotAFile(&'static str),
    #[error("cannot be read: {0}")]
    Io(io::Error),
    #[error("the file is empty")]
    Empty,
    #[error("not CSV, NDJSON or Parquet: {0}")]
    WrongFormat(&'static str),
    #[error("not a Parquet file: it does not begin with PAR1")]
    NotParquet,
    #[error("damaged or truncated Parquet: {0}")]
    DamagedParquet(String),
    #[error("truncated gzip: the data ends in the middle")]
    TruncatedGzip,
    #[error("damaged gzip: {0}")]
    DamagedGzip(String),
    #[error("after the end of the gzip data comes something else")]
    JunkAfterGzip,
    #[error("line {line} is longer than 1 MiB")]
    LongLine { line: u64 },
    #[error("line {line}: an event of more than {mib} MiB")]
    LongEvent { line: u64, mib: u64 },
    #[error("more than {max} {what} in one import")]
    TooMany { what: &'static str, max: usize },
    #[error("larger than {gib} GiB where it must fit in memory (Parquet from a pipe or gzip)")]
    TooLarge { gib: u64 },
    #[error("missing column: {missing} (found: {found})")]
    MissingColumn {
        missing: &'static str,
        found: String,
        /// What names the columns in such a file.
        named_by: &'static str,
        /// A column that may be meant.
        near: Option<String>,
    },
    #[error("unknown column: {given}")]
    Misspelt {
        given: String,
        /// The column that is one letter off, and not there.
        meant: &'static str,
    },
    #[error("column named twice: {0}")]
    ColumnTwice(&'static str),
    #[error("line {line}: {message}")]
    Yaml {
        line: u64,
        message: String,
        /// The keys that may stand there, if a key is at fault.
        known: Vec<String>,
    },
}

impl SourceError {
    /// What helps, if it is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            SourceError::MissingColumn {
                missing,
                near: Some(near),
                ..
            } => Some(format!("rename {near} to {missing}, if that is what it is")),
            SourceError::MissingColumn {
                missing,
                named_by,
                near: None,
                ..
            } => Some(format!("{named_by}: one must be {missing}")),
            SourceError::Misspelt { meant, .. } => Some(format!("did you mean `{meant}`?")),
            SourceError::Directory { like } => Some(format!("name the files in it: DIR/{like}")),
            SourceError::NotAFile(_) => {
                Some("streams are read as `-`, on a command line: … | freshness …".to_owned())
            }
            SourceError::WrongFormat(_) | SourceError::NotParquet => Some(
                "CSV, NDJSON (both plain or gzip) and Parquet are read; --input-format says which"
                    .to_owned(),
            ),
            SourceError::LongLine { .. } => Some(
                "in CSV, a quote that is opened and never closed makes one long line".to_owned(),
            ),
            SourceError::LongEvent { .. } => {
                Some("let the producer leave out its largest facets".to_owned())
            }
            SourceError::TooMany { .. } => Some("import the files one after the other".to_owned()),
            SourceError::TooLarge { .. } => {
                Some("save it as a plain file and import that".to_owned())
            }
            SourceError::TruncatedGzip | SourceError::DamagedParquet(_) => {
                Some("was the file still being written? fetch it again".to_owned())
            }
            SourceError::Yaml { known, .. } if !known.is_empty() => {
                Some(format!("known keys here: {}", known.join(", ")))
            }
            SourceError::JunkAfterGzip => {
                Some("cut off what follows, or fetch the file again".to_owned())
            }
            SourceError::NotFound
            | SourceError::Io(_)
            | SourceError::Empty
            | SourceError::DamagedGzip(_)
            | SourceError::Yaml { .. }
            | SourceError::ColumnTwice(_) => None,
        }
    }
}

/// What is wrong with one value, or with one row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("no value")]
    NoValue,
    #[error("not UTF-8 text")]
    NotUtf8,
    #[error("wrong number of fields (the header has {expected}, this line {found})")]
    Fields {
        expected: usize,
        found: usize,
        /// Lines that the record is spread over.
        lines: u64,
    },
    #[error("a quote that is opened here is never closed")]
    UnclosedQuote,
    #[error("not a JSON object: {0}")]
    Json(String),
    #[error("not an OpenLineage event: {0}")]
    Event(String),
    #[error("wrong type (expected {expected}, found {found})")]
    Type {
        expected: &'static str,
        found: &'static str,
    },
    #[error("time without an offset or zone")]
    NaiveTime,
    #[error("time without an offset or zone")]
    NaiveEvent,
    #[error("an event of more than {0} MiB")]
    LongEvent(u64),
    #[error("a day, not a time")]
    DayOnly,
    #[error("unreadable time")]
    UnreadableTime,
    #[error("year 1970 looks like a missing timestamp")]
    Year1970,
    #[error("before 1990, too early for an arrival")]
    Before1990,
    #[error("year {0} looks like a placeholder for no time")]
    Placeholder(i16),
    #[error("in the future (more than 5 minutes after {now})")]
    Future { now: String },
    #[error("after the year 2099")]
    After2099,
    #[error("not after its begin")]
    EndsBefore,
    #[error("unreadable cycle (expected a date, a local time or a time with an offset)")]
    Cycle,
    #[error("begins more than 366 days after its arrival")]
    CycleAhead,
    #[error("not a number of rows (expected a whole number from 0)")]
    Rows,
    #[error("run_id is too long ({0} bytes, at most 1024)")]
    LongRunId(usize),
    #[error("control character")]
    Control,
    #[error("dataset id is too long ({0} bytes, at most 1024)")]
    LongId(usize),
    #[error("names that begin with coverage: are those of releases")]
    OfCoverage,
    #[error("dataset id begins or ends with white space")]
    PaddedId,
    #[error("unknown grain (expected 5min to 30min, hourly, 2h to 12h, daily, weekly or monthly)")]
    Grain,
    #[error("unknown time zone (expected a name such as Europe/Berlin or UTC)")]
    Zone,
    #[error("unknown calendar")]
    Calendar,
    #[error("no holidays are known for the country {0} of the calendar")]
    Country(String),
    #[error("neither true nor false")]
    Flag,
    #[error("text is too long ({0} bytes, at most 4096)")]
    LongText(usize),
    #[error("calendar comes {calendar}, grain is {grain}")]
    GrainAgainstCalendar { grain: String, calendar: String },
    #[error("declared twice with different fields (first in line {0})")]
    Twice(u64),
    #[error("unknown dataset{}", meant(.0))]
    UnknownDataset(Option<String>),
    #[error("unknown stage (expected normal, reprocess or no_new_data)")]
    Stage,
    #[error("more rows than there are in all")]
    MoreThanAll,
    #[error("not a web address (expected http://… or https://… without spaces)")]
    Address,
    #[error("not a whole number of minutes")]
    Minutes,
    #[error("{0}")]
    Contract(ContractFault),
    #[error("a second contract of this scope (the first is in line {0})")]
    ContractTwice(u64),
}

/// What helps where a command reads times without a zone.
pub(super) const NAIVE_TIME_HINT: &str = "say what such times mean with --assume-zone ZONE";

impl Problem {
    /// The kind, for counting: the message without what differs from row to row.
    pub fn kind(&self) -> &'static str {
        match self {
            Problem::NoValue => "no value",
            Problem::NotUtf8 => "not UTF-8 text",
            Problem::Fields { .. } => "wrong number of fields",
            Problem::UnclosedQuote => "quote never closed",
            Problem::Json(_) => "not a JSON object",
            Problem::Event(_) => "not an OpenLineage event",
            Problem::Type { .. } => "wrong type",
            Problem::NaiveTime => "time without an offset or zone",
            Problem::NaiveEvent => "time without an offset or zone",
            Problem::LongEvent(_) => "event too long",
            Problem::DayOnly => "a day, not a time",
            Problem::UnreadableTime => "unreadable time",
            Problem::Year1970 => "year 1970 looks like a missing timestamp",
            Problem::Before1990 => "before 1990",
            Problem::Placeholder(_) => "placeholder for no time",
            Problem::Future { .. } => "in the future",
            Problem::After2099 => "after the year 2099",
            Problem::EndsBefore => "ends before it begins",
            Problem::Cycle => "unreadable cycle",
            Problem::CycleAhead => "cycle long after its arrival",
            Problem::Rows => "not a number of rows",
            Problem::LongRunId(_) => "run_id is too long",
            Problem::Control => "control character",
            Problem::LongId(_) => "dataset id is too long",
            Problem::OfCoverage => "name of releases",
            Problem::PaddedId => "dataset id begins or ends with white space",
            Problem::Grain => "unknown grain",
            Problem::Zone => "unknown time zone",
            Problem::Calendar => "unknown calendar",
            Problem::Country(_) => "country without known holidays",
            Problem::Flag => "neither true nor false",
            Problem::LongText(_) => "text is too long",
            Problem::GrainAgainstCalendar { .. } => "grain and calendar disagree",
            Problem::Twice(_) => "declared twice",
            Problem::UnknownDataset(_) => "unknown dataset",
            Problem::Stage => "unknown stage",
            Problem::MoreThanAll => "more rows than in all",
            Problem::Address => "not a web address",
            Problem::Minutes => "not a whole number of minutes",
            Problem::Contract(_) => "not a contract",
            Problem::ContractTwice(_) => "second contract of a scope",
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            Problem::Fields { lines: 2.., .. } => Some(
                "a row over several lines may begin with a quote that is not closed where it should be",
            ),
            Problem::UnclosedQuote => Some(
                "all that follows the quote, to the end of the file, is one value: close it, or write \"\" for a quote inside quotes",
            ),
            Problem::Calendar | Problem::Contract(ContractFault::Calendar(_)) => {
                Some(freshness_core::schedule::CALENDAR_FORMS)
            }
            Problem::NaiveTime => Some(NAIVE_TIME_HINT),
            Problem::NaiveEvent => {
                Some("OpenLineage wants times with Z or an offset: let the producer write it")
            }
            Problem::LongEvent(_) => Some("let the producer leave out its largest facets"),
            Problem::DayOnly => Some("a time of day is needed: 2026-09-01T05:30:00Z"),
            Problem::UnreadableTime => Some(
                "times are read as 2026-09-01T12:00:00Z, with an offset, or as epoch seconds or milliseconds",
            ),
            Problem::Future { .. } => {
                Some("is the sender's clock or zone wrong? --now pins the clock of this command")
            }
            Problem::OfCoverage => Some("releases are told by `freshness coverage publish`"),
            Problem::UnknownDataset(_) => Some(
                "a dashboard shows datasets that are known: import what arrived, datasets or lineage first",
            ),
            _ => None,
        }
    }
}

/// The name that may be meant, if there is one.
fn meant(near: &Option<String>) -> String {
    let asked = |near: &String| format!(" (did you mean {near}?)");
    near.as_ref().map_or_else(String::new, asked)
}

/// One row that is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The source as the user named it.
    pub file: String,
    /// `line 3` or, where there are no lines, `row 3`.
    pub place: String,
    /// The column, if one is at fault.
    pub column: Option<&'static str>,
    /// What is wrong.
    pub problem: Problem,
    /// The value of that column: quoted, shortened.
    pub value: Option<String>,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file, self.place)?;
        if let Some(column) = self.column {
            write!(f, ", {column}")?;
        }
        write!(f, ": {}", self.problem)?;
        match &self.value {
            Some(value) => write!(f, ": {value}"),
            None => Ok(()),
        }
    }
}

/// Every bad row counted, the first [`BadRows::SHOWN`] kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BadRows {
    shown: Vec<BadRow>,
    by_kind: BTreeMap<&'static str, u64>,
    hints: Vec<&'static str>,
}

impl BadRows {
    /// How many are shown one by one.
    pub const SHOWN: usize = 20;

    /// Adds a row; `row` is made only if it will be shown.
    pub fn add(&mut self, problem: Problem, row: impl FnOnce(Problem) -> BadRow) {
        *self.by_kind.entry(problem.kind()).or_default() += 1;
        if let Some(hint) = problem.hint()
            && !self.hints.contains(&hint)
        {
            self.hints.push(hint);
        }
        if self.shown.len() < BadRows::SHOWN {
            self.shown.push(row(problem));
        }
    }

    /// How many there are.
    pub fn n(&self) -> u64 {
        self.by_kind.values().sum()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.by_kind.is_empty()
    }

    /// The first of them.
    pub fn first(&self) -> &[BadRow] {
        &self.shown
    }

    /// How many of each kind.
    pub fn by_kind(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.by_kind.iter().map(|(&kind, &n)| (kind, n))
    }

    /// What helps against them.
    pub fn hints(&self) -> &[&'static str] {
        &self.hints
    }
}

/// A value as a message shows it: quoted, control characters escaped, at most
/// 60 characters.
pub(super) fn quoted(value: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    let mut shown: String = value.chars().take(SHOWN_CHARS).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_shortened_and_control_characters_are_escaped() {
        assert_eq!(quoted("a\tb\"c"), r#""a\tb\"c""#);
        assert_eq!(quoted(&"é".repeat(70)), format!("\"{}…\"", "é".repeat(60)));
    }

    #[test]
    fn only_the_first_rows_are_kept_and_all_are_counted() {
        let mut bad = BadRows::default();
        for line in 1..=50 {
            let problem = match line % 2 {
                0 => Problem::NaiveTime,
                _ => Problem::Rows,
            };
            bad.add(problem, |problem| BadRow {
                file: "f.csv".to_owned(),
                place: format!("line {line}"),
                column: None,
                problem,
                value: None,
            });
        }
        assert_eq!((bad.n(), bad.first().len(), bad.hints().len()), (50, 20, 1));
        assert_eq!(
            bad.by_kind().collect::<Vec<_>>(),
            [
                ("not a number of rows", 25),
                ("time without an offset or zone", 25)
            ]
        );
    }
}

//! How is what was measured shown to people and to programs?

use freshness_core::dataset::DatasetId;
use freshness_core::slo::Filled;
use jiff::Timestamp;
use serde::Serialize;

use super::{Paint, Table, words};
use crate::sources::database::{Look, Reading, Refusal, Target};

/// A dataset, where it was looked at, and what was seen.
#[derive(Debug)]
pub struct MeasuredRow<'a> {
    /// Where it runs.
    pub environment: &'a str,
    /// What was asked.
    pub target: &'a Target,
    /// What was seen, or why nothing was.
    pub look: &'a Result<Look, Refusal>,
}

/// A dataset as JSON says it.
#[derive(Debug, Serialize)]
pub struct MeasuredLine<'a> {
    dataset_id: &'a DatasetId,
    environment: &'a str,
    connection: &'a str,
    table: Option<String>,
    state: &'static str,
    reason: Option<String>,
    rows: Option<u64>,
    newest: Option<FieldLine<'a>>,
    source_newest: Option<FieldLine<'a>>,
    filled: Option<FilledLine<'a>>,
}

#[derive(Debug, Serialize)]
struct FieldLine<'a> {
    field: Option<&'a str>,
    state: &'static str,
    at: Option<Timestamp>,
    value: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct FilledLine<'a> {
    field: Option<&'a str>,
    state: &'static str,
    non_null: Option<u64>,
    rows: Option<u64>,
}

/// The fields and what they mean, for docs/json.md; a test compares them to
/// what is written.
pub const FIELDS: [(&str, &str); 10] = [
    ("dataset_id", "its name"),
    ("environment", "where it runs"),
    ("connection", "the connection of freshness.yaml"),
    (
        "table",
        "the table, as declared; null where the connection is one table",
    ),
    (
        "state",
        "`measured`; `partly`: the table was read, but a field that was asked for gave nothing; else nothing was read: `no_table`, `no_permission`, `timed_out`, `server_gone`, `no_connection`, `no_library`, `query_failed`",
    ),
    ("reason", "why not all was measured; null if it was"),
    ("rows", "rows that the partition filter lets through"),
    (
        "newest",
        "the greatest time of the freshness field: `field`, `state` (`at`, `no_rows`, `all_null`, `no_column`, `no_zone`: times without a zone, and none is declared, `unreadable`: some value is no time, `not_times`: the type of the column), `at` (may lie in the future), `value` (quoted, or the type); null if not asked",
    ),
    ("source_newest", "likewise of the source field"),
    (
        "filled",
        "the availability field: `field`, `state` (`counted`, `no_column`), `non_null`, `rows`; null if not asked",
    ),
];

impl<'a> MeasuredRow<'a> {
    /// Was all measured that was asked?
    pub fn is_whole(&self) -> bool {
        self.look.is_ok() && self.doubts().is_empty()
    }

    /// What was asked of the table and not seen, in words.
    fn doubts(&self) -> Vec<String> {
        let Ok(look) = self.look else {
            return Vec::new();
        };
        let fields = [
            (&look.newest, &self.target.field),
            (&look.source_newest, &self.target.source_field),
        ];
        let mut doubts: Vec<String> = fields
            .into_iter()
            .filter_map(|(reading, field)| {
                let why = in_words(reading.as_ref()?)?;
                Some(format!("{}: {why}", field.as_deref().unwrap_or_default()))
            })
            .collect();
        if look.filled == Some(Filled::NoColumn) {
            let field = self.target.availability_field.as_deref();
            doubts.push(format!("{}: no such column", field.unwrap_or_default()));
        }
        doubts
    }

    /// What keeps it from being whole; `None` if it is.
    pub fn reason(&self) -> Option<String> {
        match self.look {
            Err(refusal) => Some(refusal.to_string()),
            Ok(_) => Some(self.doubts().join("; ")).filter(|words| !words.is_empty()),
        }
    }

    fn state(&self) -> &'static str {
        match self.look {
            Err(refusal) => refusal.state(),
            Ok(_) if self.is_whole() => "measured",
            Ok(_) => "partly",
        }
    }
}

impl<'a> MeasuredLine<'a> {
    /// The JSON form of a row.
    pub fn new(row: &MeasuredRow<'a>) -> MeasuredLine<'a> {
        let target = row.target;
        let look = row.look.as_ref().ok();
        MeasuredLine {
            dataset_id: &target.dataset,
            environment: row.environment,
            connection: &target.connection,
            table: target.table.as_ref().map(ToString::to_string),
            state: row.state(),
            reason: row.reason(),
            rows: look.map(|look| look.rows),
            newest: look.and_then(|look| field(look.newest.as_ref()?, target.field.as_deref())),
            source_newest: look.and_then(|look| {
                field(look.source_newest.as_ref()?, target.source_field.as_deref())
            }),
            filled: look.and_then(|look| {
                let (state, counted) = match look.filled.as_ref()? {
                    Filled::Rows { non_null, total } => ("counted", Some((*non_null, *total))),
                    Filled::NoColumn => ("no_column", None),
                };
                Some(FilledLine {
                    field: target.availability_field.as_deref(),
                    state,
                    non_null: counted.map(|(non_null, _)| non_null),
                    rows: counted.map(|(_, rows)| rows),
                })
            }),
        }
    }
}

fn field<'a>(reading: &'a Reading, field: Option<&'a str>) -> Option<FieldLine<'a>> {
    let (at, value) = match reading {
        Reading::At(at) => (Timestamp::from_second(*at).ok(), None),
        Reading::NoZone(value) | Reading::Unreadable(value) | Reading::NotTimes(value) => {
            (None, Some(value.as_str()))
        }
        Reading::NoRows | Reading::AllNull | Reading::NoColumn => (None, None),
    };
    Some(FieldLine {
        field,
        state: reading.state(),
        at,
        value,
    })
}

/// Why a column tells no time; `None` if it does.
fn in_words(reading: &Reading) -> Option<String> {
    Some(match reading {
        Reading::At(_) => return None,
        Reading::NoRows => "the table has no rows".to_owned(),
        Reading::AllNull => "every value is null".to_owned(),
        Reading::NoColumn => "no such column".to_owned(),
        Reading::NoZone(wall) => {
            format!("{wall} is a time without a zone, and no `timezone` is declared")
        }
        Reading::Unreadable(value) => format!("unreadable time: {value:?}"),
        Reading::NotTimes(kind) => format!("a column of type {kind} tells no time"),
    })
}

/// What was measured, as a table.
pub fn table(rows: &[MeasuredRow<'_>]) -> Table {
    let mut table = Table::new(&[
        "DATASET",
        "ENVIRONMENT",
        "STATE",
        "ROWS",
        "NEWEST (UTC)",
        "SOURCE (UTC)",
        "FILLED",
        "WHY NOT",
    ]);
    table.names(0);
    table.align_right(3);
    table.align_right(6);
    table.tells_apart(1);
    table.dispensable(&[5, 6]);
    for row in rows {
        let look = row.look.as_ref().ok();
        let time = |reading: Option<&Reading>| match reading {
            None => "-".to_owned(),
            Some(Reading::At(at)) => {
                Timestamp::from_second(*at).map_or_else(|_| at.to_string(), words::utc_minute)
            }
            Some(other) => other.state().replace('_', " "),
        };
        let filled = match look.and_then(|look| look.filled.as_ref()) {
            None => "-".to_owned(),
            Some(Filled::NoColumn) => "no column".to_owned(),
            Some(Filled::Rows { total: 0, .. }) => "no rows".to_owned(),
            Some(Filled::Rows { non_null, total }) => {
                format!("{:.2} %", 100.0 * *non_null as f64 / *total as f64)
            }
        };
        let paint = match row.state() {
            "measured" => Paint::Plain,
            "partly" => Paint::Doubtful,
            _ => Paint::Bad,
        };
        table.row([
            (row.target.dataset.to_string(), Paint::Plain),
            (row.environment.to_owned(), Paint::Faint),
            (row.state().replace('_', " "), paint),
            (
                look.map_or_else(|| "-".to_owned(), |look| words::thousands(look.rows)),
                Paint::Plain,
            ),
            (
                time(look.and_then(|look| look.newest.as_ref())),
                Paint::Plain,
            ),
            (
                time(look.and_then(|look| look.source_newest.as_ref())),
                Paint::Plain,
            ),
            (filled, Paint::Plain),
            (row.reason().unwrap_or_else(|| "-".to_owned()), Paint::Plain),
        ]);
    }
    table
}

//! Which contracts and releases do the tables of a warehouse hold?
//!
//! The tables are those of `coverage sql`; any value may be missing or wrong,
//! because somebody else keeps them. Both are read at one instant.

use freshness_core::coverage::ContractRow;

use super::refusal::Refusal;
use super::rows::Field;
use super::session::Session;
use super::table_name::TableName;
use crate::sources::told_time;

/// A release as a ledger holds it that is kept elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PulledRelease {
    /// The feed.
    pub source: String,
    /// The part of it.
    pub scope: String,
    /// Its sequence.
    pub seq: Option<i64>,
    /// The run that published.
    pub run_id: Option<String>,
    /// Up to when the scope is covered: UTC seconds.
    pub complete_through: Option<i64>,
    /// When it was published: UTC seconds.
    pub published_at: Option<i64>,
    /// Where the source was read to.
    pub position: Option<String>,
    /// Rows published.
    pub rows: Option<i64>,
    /// Why coverage went back with it.
    pub regression: Option<String>,
    /// What of it cannot be read.
    pub unreadable: Option<String>,
}

const fn required(name: &'static str) -> Field {
    Field {
        name,
        required: true,
    }
}

const fn optional(name: &'static str) -> Field {
    Field {
        name,
        required: false,
    }
}

const CONTRACT: &[Field] = &[
    required("source"),
    required("scope"),
    required("max_source_lag_minutes"),
    required("max_publication_gap_minutes"),
    optional("dataset"),
    optional("calendar"),
    optional("timezone"),
    optional("skew_tolerance_minutes"),
    optional("owner"),
];

const RELEASE: &[Field] = &[
    required("source"),
    required("scope"),
    required("publication_seq"),
    required("run_id"),
    required("source_complete_through"),
    required("published_at"),
    optional("source_position"),
    optional("row_count"),
    optional("regression_reason"),
];

/// Reads both tables.
pub fn read_coverage(
    session: &mut Session,
    contracts: &TableName,
    ledger: &TableName,
) -> Result<(Vec<ContractRow>, Vec<PulledRelease>), Refusal> {
    let tables = session.rows(&[(contracts, CONTRACT), (ledger, RELEASE)])?;
    let mut tables = tables.into_iter();
    let mut next = || tables.next().unwrap_or_default().into_iter();
    Ok((
        next().map(contract).collect(),
        next().map(release).collect(),
    ))
}

fn contract(row: Vec<Option<String>>) -> ContractRow {
    let mut cells = row.into_iter();
    let mut next = || cells.next().flatten();
    // What is no number fails as a contract, rather than as one that is missing:
    // a tolerance may be missing.
    let minutes = |text: Option<String>| text.map(|text| whole(&text).unwrap_or(i64::MIN));
    ContractRow {
        source: next().unwrap_or_default(),
        scope: next().unwrap_or_default(),
        max_source_lag_minutes: minutes(next()),
        max_publication_gap_minutes: minutes(next()),
        dataset: next(),
        calendar: next(),
        timezone: next(),
        skew_tolerance_minutes: minutes(next()),
        owner: next(),
    }
}

fn release(row: Vec<Option<String>>) -> PulledRelease {
    let mut cells = row.into_iter();
    let mut next = || cells.next().flatten();
    let mut unreadable = None;
    let (source, scope) = (next().unwrap_or_default(), next().unwrap_or_default());
    let mut number = |field: &str, text: Option<String>| {
        let text = text?;
        let read = whole(&text);
        if read.is_none() {
            unreadable.get_or_insert(format!("{field} is not a whole number: {text}"));
        }
        read
    };
    let seq = number("publication_seq", next());
    let run_id = next();
    let (through, published) = (next(), next());
    let position = next();
    let rows = number("row_count", next());
    let mut time = |field: &str, text: Option<String>| {
        let text = text?;
        // Seconds of a column of times, which are not to be guessed at by size.
        let read = match text.strip_prefix('@').map(str::parse) {
            Some(Ok(at)) => Ok(at),
            _ => told_time(field, &text),
        };
        if let Err(words) = &read {
            unreadable.get_or_insert_with(|| words.clone());
        }
        read.ok()
    };
    PulledRelease {
        complete_through: time("source_complete_through", through),
        published_at: time("published_at", published),
        source,
        scope,
        seq,
        run_id,
        position,
        rows,
        regression: next(),
        unreadable,
    }
}

/// A whole number, also one that a decimal column writes with zeros behind.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|byte| byte == b'0') => digits,
        _ => text,
    };
    digits.parse().ok()
}

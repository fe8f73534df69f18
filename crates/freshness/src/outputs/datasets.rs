//! How is the state of many datasets shown?
//!
//! `status` and `check` share one table and one JSON shape.

use std::cmp::Reverse;

use freshness_core::dataset::DatasetId;
use freshness_core::fit::Expectation;
use freshness_core::schedule::PutOff;
use freshness_core::state::{CycleVerdict, Severity, State};
use jiff::Timestamp;
use serde::Serialize;

use super::{Paint, Table, words};
use crate::rounds::Judged;

/// One dataset as JSON; the fields are described by [`FIELDS`].
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "FIELDS describes them")]
pub struct DatasetLine<'a> {
    pub dataset_id: &'a DatasetId,
    pub state: State,
    pub severity: Option<Severity>,
    pub critical: bool,
    pub model_status: &'a str,
    pub cycle: Option<&'a str>,
    pub cycle_start: Option<Timestamp>,
    pub deadline: Option<Timestamp>,
    pub held_up_by: Option<&'a DatasetId>,
    pub waits_for: Option<&'a DatasetId>,
    pub maintenance: Option<&'a PutOff>,
    pub arrived_at: Option<Timestamp>,
    pub last_arrival: Option<Timestamp>,
    pub late_seconds: Option<i64>,
    pub n_overdue: u32,
    pub because: Option<&'a Expectation>,
    pub reason: &'a str,
    pub owner: Option<&'a str>,
    pub team: Option<&'a str>,
    pub tags: &'a [String],
}

/// The fields of [`DatasetLine`], for the documentation; a test compares them
/// with what is written.
pub const FIELDS: [(&str, &str); 20] = [
    ("dataset_id", "its name"),
    (
        "state",
        "`ok`, `pending`, `late`, `late_arrival`, `missed`, `unknown`, `insufficient_history` or `not_evaluated`",
    ),
    (
        "severity",
        "`advisory`, `warning` or `critical`; null unless late, missed or arrived late",
    ),
    ("critical", "does its lateness fail a check?"),
    (
        "model_status",
        "`learned`, `provisional`, `irregular`, `cold_start` or `none`",
    ),
    (
        "cycle",
        "the cycle that the state is about, by its name on the wall clock of the dataset's zone",
    ),
    ("cycle_start", "when that cycle began"),
    ("deadline", "when lateness begins"),
    (
        "held_up_by",
        "the dataset whose overdue delivery brought the deadline forward (its own name: its delivery before); null if it is the learned one",
    ),
    (
        "waits_for",
        "the dataset whose delivery, slow but not late, put the deadline off once the learned one had passed; null if none did",
    ),
    (
        "maintenance",
        "the maintenance that put the deadline off: `until`, when it is over, and its `reason`; null if none did",
    ),
    ("arrived_at", "the arrival that was matched to that cycle"),
    ("last_arrival", "the last arrival of any cycle"),
    (
        "late_seconds",
        "seconds past the deadline; null unless late",
    ),
    ("n_overdue", "cycles in a row that are overdue"),
    (
        "because",
        "what the deadline rests on: `cell`, `n` (delays in the cell), `delivered` and `skipped` (shares of its cycles), and `p10`, `p50`, `p90`, `threshold` in minutes after the start of the cycle",
    ),
    ("reason", "one sentence that says why"),
    ("owner", "as declared"),
    ("team", "as declared"),
    ("tags", "as declared"),
];

impl<'a> DatasetLine<'a> {
    /// The JSON form of a judged dataset.
    pub fn new(judged: &'a Judged) -> DatasetLine<'a> {
        let state = &judged.state;
        let cycle = state.current.as_ref();
        DatasetLine {
            dataset_id: &state.dataset_id,
            state: state.state,
            severity: state.severity,
            critical: judged.dataset.critical,
            model_status: state.model_status,
            cycle: cycle.map(|cycle| cycle.cycle.as_str()),
            cycle_start: cycle.map(|cycle| cycle.cycle_start),
            deadline: cycle.and_then(|cycle| cycle.deadline),
            held_up_by: cycle.and_then(|cycle| cycle.held_up_by.as_ref()),
            waits_for: cycle.and_then(|cycle| cycle.waits_for.as_ref()),
            maintenance: cycle.and_then(|cycle| cycle.maintenance.as_ref()),
            arrived_at: cycle.and_then(|cycle| cycle.arrived_at),
            last_arrival: state.last_arrival,
            late_seconds: state.late_seconds,
            n_overdue: state.n_overdue,
            because: cycle.and_then(|cycle| cycle.because.as_ref()),
            reason: &state.reason,
            owner: judged.dataset.owner.as_deref(),
            team: judged.dataset.team.as_deref(),
            tags: &judged.dataset.tags,
        }
    }
}

/// Late first: by severity, then by how late, then by name.
pub fn sort_late_first(datasets: &mut [Judged]) {
    datasets.sort_by(|a, b| {
        let key = |judged: &Judged| {
            (
                rank(judged.state.state),
                Reverse(judged.state.severity),
                Reverse(judged.state.late_seconds),
            )
        };
        key(a)
            .cmp(&key(b))
            .then_with(|| a.state.dataset_id.cmp(&b.state.dataset_id))
    });
}

/// The datasets as a table.
pub fn table<'a>(datasets: impl IntoIterator<Item = &'a Judged>) -> Table {
    let mut table = Table::new(&[
        "STATE",
        "SEVERITY",
        "DATASET",
        "LATE BY",
        "CYCLE (LOCAL)",
        "DEADLINE (UTC)",
        "LAST ARRIVAL (UTC)",
        "MODEL",
    ]);
    const DATASET: usize = 2;
    table.names(DATASET);
    // The model, the last arrival, the severity, the cycle, the deadline.
    table.dispensable(&[7, 6, 1, 4, 5]);
    for judged in datasets {
        let state = &judged.state;
        let paint = words::paint(state.state);
        let plain = |text: Option<String>| (text.unwrap_or_else(|| "-".to_owned()), Paint::Plain);
        let cycle = state.current.as_ref();
        table.row([
            (words::state(state.state).to_owned(), paint),
            (
                state.severity.map_or("-", words::severity).to_owned(),
                match state.severity {
                    Some(Severity::Critical) => Paint::Bad,
                    Some(Severity::Warning) => Paint::Doubtful,
                    Some(Severity::Advisory) | None => Paint::Plain,
                },
            ),
            (state.dataset_id.to_string(), Paint::Plain),
            plain(state.late_seconds.map(words::late_by)),
            plain(cycle.map(|cycle| cycle.cycle.clone())),
            plain(cycle.and_then(deadline)),
            plain(state.last_arrival.map(words::utc_minute)),
            (state.model_status.to_owned(), Paint::Faint),
        ]);
    }
    table
}

/// The deadline, and whether it was brought forward or put off by maintenance.
fn deadline(cycle: &CycleVerdict) -> Option<String> {
    let at = words::utc_minute(cycle.deadline?);
    Some(match (&cycle.held_up_by, &cycle.maintenance) {
        (Some(_), _) => format!("{at} early"),
        (None, Some(_)) => format!("{at} put off"),
        (None, None) => at,
    })
}

fn rank(state: State) -> u8 {
    match state {
        State::Late | State::Missed => 0,
        State::LateArrival => 1,
        State::NotEvaluated => 2,
        State::InsufficientHistory => 3,
        State::Unknown => 4,
        State::Pending => 5,
        State::Ok => 6,
    }
}

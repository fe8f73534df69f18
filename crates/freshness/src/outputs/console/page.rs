//! What stands where on the page?

use std::io::{self, Write};

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use freshness_core::state::State;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::columns::columns;
use super::embed::{for_a_page, pack};
use super::panel::{Panel, STATES};
use super::{document, json};
use crate::outputs::words;
use crate::rounds::{Console, Judged, ModelCounts, Summary, is_unjudged_critical};

/// Chooses the theme before anything is drawn.
const FIRST_SCRIPT: &str = include_str!("../../../templates/console/theme.js");
/// The others, in the order in which they need each other.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("../../../templates/console/core.js"),
    include_str!("../../../templates/console/chart.js"),
    include_str!("../../../templates/console/table.js"),
    include_str!("../../../templates/console/panel.js"),
);
const STYLE: &str = concat!(
    include_str!("../../../templates/console/base.css"),
    include_str!("../../../templates/console/parts.css"),
);

#[derive(Template)]
#[template(path = "console/page.html")]
struct Page<'a> {
    style: &'static str,
    first_script: &'static str,
    script: &'static str,
    /// Which scripts may run: their hashes.
    script_hashes: [String; 2],
    now: Moment,
    /// Was the clock pinned? Then the page may be old and mean it.
    pinned: bool,
    fit: Option<Fit>,
    glance: Glance,
    late: Vec<Late<'a>>,
    n_late_more: usize,
    n_unjudged: usize,
    teams: Vec<&'a str>,
    columns: String,
    blocks: Vec<String>,
}

/// An instant, to be written in UTC and read in the reader's zone.
#[derive(Debug, Clone, Copy)]
struct Moment(Timestamp);

/// The last fit.
#[derive(Debug)]
struct Fit {
    age: String,
    /// Older than models should be.
    is_old: bool,
    limit: String,
}

/// The counts that are seen first.
struct Glance {
    summary: Summary,
    models: Vec<Count>,
    states: Vec<Count>,
    n_late: u64,
}

/// How many there are of something.
struct Count {
    /// The word of the JSON.
    key: &'static str,
    /// As people say it.
    word: &'static str,
    n: u64,
}

/// A late dataset.
struct Late<'a> {
    name: &'a str,
    state: &'static str,
    severity: &'static str,
    by: String,
    since: Option<Moment>,
    reason: &'a str,
}

/// Late datasets that are listed.
const N_LATE: usize = 50;

/// Writes console.html.
pub fn write_page(
    out: &mut impl Write,
    console: &Console<Panel>,
    max_model_age: SignedDuration,
    pinned: bool,
) -> io::Result<()> {
    let checked = &console.checked;
    let rows = late_first(console);
    let panels: Vec<&str> = rows.iter().map(|(_, panel)| panel.json.as_str()).collect();
    let overdue: Vec<&Judged> = rows
        .iter()
        .map(|(judged, _)| *judged)
        .filter(|judged| crate::rounds::is_overdue(judged.state.state))
        .collect();
    let page = Page {
        style: STYLE,
        first_script: FIRST_SCRIPT,
        script: SCRIPT,
        script_hashes: [hash(FIRST_SCRIPT), hash(SCRIPT)],
        now: Moment(checked.now),
        pinned,
        fit: checked.fitted_at.map(|at| Fit {
            age: words::duration(checked.now.duration_since(at).as_secs().max(0)),
            is_old: checked.doubts.iter().any(document::is_old),
            limit: words::duration(max_model_age.as_secs()),
        }),
        glance: Glance::of(console),
        n_late_more: overdue.len().saturating_sub(N_LATE),
        late: overdue.iter().take(N_LATE).map(|it| Late::of(it)).collect(),
        n_unjudged: checked
            .datasets
            .iter()
            .filter(|judged| is_unjudged_critical(judged))
            .count(),
        teams: teams(&checked.datasets),
        columns: for_a_page(&json(&columns(&rows))),
        blocks: pack(&panels),
    };
    page.write_into(out).map_err(io::Error::other)
}

/// The datasets and their panels, late ones first.
fn late_first(console: &Console<Panel>) -> Vec<(&Judged, &Panel)> {
    let mut rows: Vec<(&Judged, &Panel)> = console
        .checked
        .datasets
        .iter()
        .zip(&console.panels)
        .collect();
    rows.sort_by_cached_key(|(judged, _)| {
        let state = &judged.state;
        (
            !crate::rounds::is_overdue(state.state),
            std::cmp::Reverse(state.severity),
            super::panel::number(state.state),
            std::cmp::Reverse(state.late_seconds),
            judged.dataset.id.clone(),
        )
    });
    rows
}

fn teams(datasets: &[Judged]) -> Vec<&str> {
    let teams = datasets.iter().filter_map(|it| it.dataset.team.as_deref());
    let teams: std::collections::BTreeSet<&str> = teams.collect();
    teams.into_iter().collect()
}

/// As a content security policy names a script.
fn hash(script: &str) -> String {
    STANDARD.encode(Sha256::digest(script))
}

impl Moment {
    fn iso(&self) -> String {
        self.0.to_string()
    }

    fn text(&self) -> String {
        words::utc(self.0)
    }
}

impl Count {
    fn new(key: &'static str, word: &'static str, n: u64) -> Count {
        Count { key, word, n }
    }
}

impl Glance {
    fn of(console: &Console<Panel>) -> Glance {
        let summary = Summary::of(&console.checked.datasets);
        let ModelCounts {
            learned,
            provisional,
            cold_start,
            irregular,
            none,
        } = console.models;
        let count = |state: State| match state {
            State::Ok => summary.ok,
            State::Pending => summary.pending,
            State::Late => summary.late,
            State::LateArrival => summary.late_arrival,
            State::Missed => summary.missed,
            State::Unknown => summary.unknown,
            State::InsufficientHistory => summary.insufficient_history,
            State::NotEvaluated => summary.not_evaluated,
        };
        Glance {
            n_late: summary.late + summary.missed,
            models: vec![
                Count::new("learned", "learned", learned),
                Count::new("provisional", "provisional", provisional),
                Count::new("cold_start", "cold start", cold_start),
                Count::new("irregular", "irregular", irregular),
                Count::new("none", "no model", none),
            ],
            states: STATES
                .map(|state| Count::new(words::state(state), spoken(state), count(state)))
                .into_iter()
                .collect(),
            summary,
        }
    }
}

/// A state as people say it.
fn spoken(state: State) -> &'static str {
    match state {
        State::Ok => "on time",
        State::Pending => "not due yet",
        State::Late => "late",
        State::LateArrival => "came late",
        State::Missed => "missed",
        State::Unknown => "never seen",
        State::InsufficientHistory => "too new",
        State::NotEvaluated => "not judged",
    }
}

impl Late<'_> {
    fn of(judged: &Judged) -> Late<'_> {
        let state = &judged.state;
        let deadline = state.current.as_ref().and_then(|cycle| cycle.deadline);
        Late {
            name: judged.dataset.id.as_str(),
            state: spoken(state.state),
            severity: state.severity.map_or("", words::severity),
            by: state.late_seconds.map_or_else(String::new, words::late_by),
            since: deadline.map(Moment),
            reason: &state.reason,
        }
    }
}

//! What stands where on the page?

use std::io::{self, Write};

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use freshness_core::state::State;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::columns::columns;
use super::dashboards::{Board, boards};
use super::embed::{for_a_page, pack};
use super::graph;
use super::incidents::{Card, cards};
use super::panel::{Panel, STATES};
use super::promises::{Promises, summary as summary_of};
use super::{document, json};
use crate::outputs::incidents::of_the_last_day;
use crate::outputs::words;
use crate::rounds::{Console, Judged, ModelCounts, Summary};

/// Chooses the theme before anything is drawn.
const FIRST_SCRIPT: &str = include_str!("../../../templates/console/theme.js");
/// The others, in the order in which they need each other.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("../../../templates/console/core.js"),
    include_str!("../../../templates/console/chart.js"),
    include_str!("../../../templates/console/table.js"),
    include_str!("../../../templates/console/promises.js"),
    include_str!("../../../templates/console/panel.js"),
);
const STYLE: &str = concat!(
    include_str!("../../../templates/console/base.css"),
    include_str!("../../../templates/console/parts.css"),
    include_str!("../../../templates/console/promises.css"),
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
    cards: Vec<Card<'a>>,
    n_cards_more: usize,
    promises: Option<Promises<'a>>,
    boards: Vec<Board<'a>>,
    teams: Vec<&'a str>,
    columns: String,
    blocks: Vec<String>,
}

/// Incidents that are shown before anything is clicked.
const N_OPEN_CARDS: usize = 12;

/// An instant, to be written in UTC and read in the reader's zone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment(pub(super) Timestamp);

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
    /// What the title of the window says.
    title: String,
    headline: String,
    /// What the headline leaves open, line by line.
    lead: Vec<String>,
    n_datasets: String,
    models: Vec<Count>,
    states: Vec<Count>,
    n_late: u64,
}

/// How many there are of something.
pub(super) struct Count {
    /// The word of the JSON.
    pub(super) key: &'static str,
    /// As people say it.
    pub(super) word: &'static str,
    pub(super) n: u64,
}

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
    let (cards, n_cards_more) = cards(console);
    let page = Page {
        style: STYLE,
        first_script: FIRST_SCRIPT,
        script: SCRIPT,
        script_hashes: [hash(FIRST_SCRIPT), hash(SCRIPT)],
        now: Moment(checked.now),
        pinned,
        fit: checked.fitted_at.map(|at| Fit {
            age: match checked.now.duration_since(at).as_secs() {
                ..0 => "newer than this".to_owned(),
                0..60 => "less than a minute old".to_owned(),
                age => format!("{} old", words::duration(age)),
            },
            is_old: checked.doubts.iter().any(document::is_old),
            limit: words::duration(max_model_age.as_secs()),
        }),
        glance: Glance::of(console),
        cards,
        n_cards_more,
        promises: Promises::of(&console.owed),
        boards: boards(&console.dashboards),
        teams: teams(&checked.datasets),
        columns: for_a_page(&json(&columns(&rows, &checked.causes))),
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
    pub(super) fn new(key: &'static str, word: &'static str, n: u64) -> Count {
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
        let n_late = summary.late + summary.missed;
        Glance {
            n_late,
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
            title: title(console, n_late),
            headline: headline(console, n_late),
            lead: lead(console, &summary),
            n_datasets: words::count(summary.n_datasets, "dataset"),
        }
    }
}

fn title(console: &Console<Panel>, n_late: u64) -> String {
    match (console.checked.causes.standing.len(), n_late) {
        (0, 0) => "Nothing late".to_owned(),
        (n, late) => format!("{}, {late} late", words::count(n as u64, "incident")),
    }
}

fn headline(console: &Console<Panel>, n_late: u64) -> String {
    let causes = &console.checked.causes;
    let n_broken = causes.n_only_broken();
    let late = (n_late > 0).then(|| words::count(n_late, "late dataset"));
    let broken = (n_broken > 0)
        .then(|| format!("{} with broken promises", words::count(n_broken, "dataset")));
    let behind: Vec<String> = late.into_iter().chain(broken).collect();
    match (causes.standing.len() as u64, behind.is_empty()) {
        (0, _) if n_late == 0 => "Nothing is late".to_owned(),
        (n, true) => words::count(n, "incident"),
        (n, false) => format!(
            "{} behind {}",
            words::count(n, "incident"),
            behind.join(" and ")
        ),
    }
}

/// What the headline leaves open: alerts spared, what is critical.
fn lead(console: &Console<Panel>, summary: &Summary) -> Vec<String> {
    let causes = &console.checked.causes;
    let mut parts = Vec::new();
    match causes.suppressed_share() {
        Some(share) if share > 0.0 => parts.push(format!(
            "{} of {} alerts suppressed ({:.1} %)",
            words::thousands(causes.n_suppressed()),
            words::thousands(causes.n_late),
            100.0 * share
        )),
        Some(_) => parts.push("No alert suppressed: each is late on its own".to_owned()),
        None => {}
    }
    if let Some((n_late, n_new)) = of_the_last_day(causes, console.checked.now) {
        let n_suppressed = n_late - n_new;
        parts.push(format!(
            "{} of {} new in the last 24 h ({:.1} %)",
            words::thousands(n_suppressed),
            words::thousands(n_late),
            100.0 * n_suppressed as f64 / n_late as f64
        ));
    }
    parts.push(match summary.n_critical_late {
        0 if summary.n_critical == 0 => "No dataset is declared critical".to_owned(),
        0 => "No critical dataset is known to be late".to_owned(),
        1 => "1 critical dataset is late".to_owned(),
        n => format!("{} critical datasets are late", words::thousands(n)),
    });
    match summary.n_critical_unjudged {
        0 => {}
        n => parts.push(format!(
            "{} critical could not be judged",
            words::thousands(n)
        )),
    }
    match summary_of(&console.owed).breached {
        0 => {}
        1 => parts.push("1 promise is broken".to_owned()),
        n => parts.push(format!("{} promises are broken", words::thousands(n))),
    }
    parts
}

/// A state as people say it.
pub(super) fn spoken(state: State) -> &'static str {
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

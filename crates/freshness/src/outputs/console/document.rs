//! What does console.json say?
//!
//! The same as the page, for programs: documented in docs/json.md.

use jiff::Timestamp;
use serde::Serialize;

use super::badges::stem;
use super::panel::{Panel, Recent};
use super::promises::{ObjectiveLine, ScopeBehind, is_promised, summary};
use crate::outputs::datasets::DatasetLine;
use crate::outputs::incidents::IncidentLine;
use crate::outputs::slo::SloSummary;
use crate::outputs::slo_history::USUAL_TARGET;
use crate::outputs::trust::DashboardLine;
use crate::rounds::{Console, DatasetFailure, Doubt, Judged, ModelCounts, Summary, USUAL_DAYS};

/// The whole of console.json.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    fitted_at: Option<Timestamp>,
    /// Are the models older than they should be?
    models_are_old: bool,
    models: ModelCounts,
    summary: Summary,
    incidents: Vec<IncidentLine<'a>>,
    n_suppressed: u64,
    suppressed_share: Option<f64>,
    dashboards: Vec<Board<'a>>,
    promises: Option<Promised<'a>>,
    datasets: Vec<Shown<'a>>,
}

#[derive(Debug, Serialize)]
struct Board<'a> {
    #[serde(flatten)]
    line: DashboardLine<'a>,
    /// Its picture, from the folder of the document.
    badge: String,
}

#[derive(Debug, Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    line: DatasetLine<'a>,
    calendar: &'a str,
    recent: &'a [Recent],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    promises: &'a [ObjectiveLine],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    behind: &'a [ScopeBehind],
}

/// What is said of the promises of all datasets.
#[derive(Debug, Serialize)]
struct Promised<'a> {
    /// So long is the history of each.
    days: u16,
    /// Percent that is to be kept.
    target: f64,
    summary: SloSummary,
    /// Promises that cannot be read.
    unreadable: &'a [DatasetFailure],
}

impl<'a> Shown<'a> {
    fn new((judged, panel): (&'a Judged, &'a Panel)) -> Shown<'a> {
        Shown {
            line: DatasetLine::new(judged),
            calendar: &panel.calendar,
            recent: &panel.recent,
            promises: &panel.promises,
            behind: &panel.behind,
        }
    }
}

pub(super) fn document(console: &Console<Panel>) -> Document<'_> {
    let checked = &console.checked;
    let datasets = checked.datasets.iter().zip(&console.panels);
    Document {
        command: "report",
        now: checked.now,
        fitted_at: checked.fitted_at,
        models_are_old: checked.doubts.iter().any(is_old),
        models: console.models,
        summary: Summary::of(&checked.datasets),
        incidents: checked
            .causes
            .standing
            .iter()
            .map(|followed| IncidentLine::new(followed, checked.now))
            .collect(),
        n_suppressed: checked.causes.n_suppressed(),
        suppressed_share: checked.causes.suppressed_share(),
        dashboards: console
            .dashboards
            .iter()
            .map(|(dashboard, trust)| Board {
                line: DashboardLine::new(dashboard, trust),
                badge: format!("badges/{}.svg", stem(dashboard.id.as_str())),
            })
            .collect(),
        promises: is_promised(&console.owed).then(|| Promised {
            days: USUAL_DAYS,
            target: USUAL_TARGET,
            summary: summary(&console.owed),
            unreadable: &console.owed.failures,
        }),
        datasets: datasets.map(Shown::new).collect(),
    }
}

pub(super) fn is_old(doubt: &Doubt) -> bool {
    match doubt {
        Doubt::OldModels { .. } => true,
        Doubt::Unreadable { .. } | Doubt::NoModels { .. } => false,
    }
}

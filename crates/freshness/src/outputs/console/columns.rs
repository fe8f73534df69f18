//! What does the table of all datasets know?
//!
//! A column for each thing, so that 20,000 rows are a few arrays; teams, owners
//! and calendars stand once.

use std::collections::BTreeMap;

use freshness_core::dataset::DatasetId;
use freshness_core::state::Severity;
use jiff::Timestamp;
use serde::Serialize;

use super::panel::{Panel, STATES, number};
use crate::outputs::words;
use crate::rounds::{Causes, Judged};

/// The table by columns; index 0 of a list of words means none.
#[derive(Debug, Default, Serialize)]
pub(super) struct Columns<'a> {
    /// Panels that are unpacked together.
    per_block: usize,
    /// Percent to which promises are to be kept.
    target: f64,
    /// Words of the states, by number.
    states: Vec<&'static str>,
    teams: Vec<&'a str>,
    owners: Vec<&'a str>,
    calendars: Vec<&'a str>,
    models: Vec<&'a str>,
    /// Roots of incidents.
    causes: Vec<&'a str>,
    name: Vec<&'a str>,
    state: Vec<usize>,
    /// 0 none, 1 advisory, 2 warning, 3 critical.
    severity: Vec<u8>,
    critical: Vec<u8>,
    team: Vec<usize>,
    owner: Vec<usize>,
    model: Vec<usize>,
    calendar: Vec<usize>,
    /// What explains its lateness.
    cause: Vec<usize>,
    /// Seconds past the deadline; 0 if not late.
    late: Vec<i64>,
    /// UTC seconds; 0 if there is none.
    deadline: Vec<i64>,
    last: Vec<i64>,
    /// The states of the last cycles, a digit each, oldest first.
    strip: Vec<String>,
}

/// Words that stand once.
struct Words<'a> {
    all: Vec<&'a str>,
    places: BTreeMap<&'a str, usize>,
}

impl<'a> Words<'a> {
    fn new() -> Words<'a> {
        Words {
            all: vec![""],
            places: BTreeMap::from([("", 0)]),
        }
    }

    fn place(&mut self, word: &'a str) -> usize {
        *self.places.entry(word).or_insert_with(|| {
            self.all.push(word);
            self.all.len() - 1
        })
    }
}

/// The columns of rows in the order in which they are first shown.
pub(super) fn columns<'a>(rows: &[(&'a Judged, &'a Panel)], causes: &'a Causes) -> Columns<'a> {
    let explained = explained(causes);
    let [mut teams, mut owners, mut calendars, mut models, mut roots] =
        std::array::from_fn(|_| Words::new());
    let mut columns = Columns {
        per_block: super::embed::PER_BLOCK,
        target: crate::outputs::slo_history::USUAL_TARGET,
        states: STATES.map(words::state).to_vec(),
        ..Columns::default()
    };
    let seconds = |at: Option<Timestamp>| at.map_or(0, Timestamp::as_second);
    for (judged, panel) in rows {
        let (dataset, state) = (&judged.dataset, &judged.state);
        let deadline = state.current.as_ref().and_then(|cycle| cycle.deadline);
        columns.name.push(dataset.id.as_str());
        columns.state.push(number(state.state));
        columns.severity.push(match state.severity {
            None => 0,
            Some(Severity::Advisory) => 1,
            Some(Severity::Warning) => 2,
            Some(Severity::Critical) => 3,
        });
        columns.critical.push(u8::from(dataset.critical));
        let team = dataset.team.as_deref().unwrap_or_default();
        columns.team.push(teams.place(team));
        let owner = dataset.owner.as_deref().unwrap_or_default();
        columns.owner.push(owners.place(owner));
        columns.model.push(models.place(state.model_status));
        columns.calendar.push(calendars.place(&panel.calendar));
        let root = explained.get(&dataset.id).copied().unwrap_or_default();
        columns.cause.push(roots.place(root));
        columns.late.push(state.late_seconds.unwrap_or(0));
        columns.deadline.push(seconds(deadline));
        columns.last.push(seconds(state.last_arrival));
        let digits = panel.recent.iter().map(|cycle| number(cycle.state));
        let digits = digits.filter_map(|digit| char::from_digit(digit as u32, 10));
        columns.strip.push(digits.collect());
    }
    columns.teams = teams.all;
    columns.owners = owners.all;
    columns.calendars = calendars.all;
    columns.models = models.all;
    columns.causes = roots.all;
    columns
}

/// The root of the incident that counts a dataset, for those below it.
fn explained(causes: &Causes) -> BTreeMap<&DatasetId, &str> {
    let incidents = causes.standing.iter().map(|followed| &followed.incident);
    incidents
        .filter_map(|incident| Some((incident.root.as_ref()?.as_str(), &incident.members)))
        .flat_map(|(root, members)| {
            let counted = members.iter().filter(|it| it.counted && it.hops > 0);
            counted.map(move |member| (&member.dataset_id, root))
        })
        .collect()
}

//! What does the page know of one dataset?
//!
//! A row of the table, which every reader loads, and a panel, which is unpacked
//! when it is opened. Both are JSON; their fields have short names because
//! there may be thousands.

use freshness_core::civil::MINUTE;
use freshness_core::state::{CycleVerdict, State};
use jiff::Timestamp;
use serde::Serialize;

use crate::outputs::account::{self, Fact};
use crate::outputs::plot::{self, Outline};
use crate::rounds::Shown;

use super::promises::{ObjectiveLine, ScopeBehind, objectives, scopes};

/// What the caller of [`crate::rounds::console`] keeps of each dataset.
#[derive(Debug)]
pub struct Panel {
    /// On which cycles a delivery is expected, in words.
    pub calendar: String,
    /// The last cycles, oldest first.
    pub recent: Vec<Recent>,
    /// Its promises.
    pub(super) promises: Vec<ObjectiveLine>,
    /// Scopes that feed it and are not covered.
    pub(super) behind: Vec<ScopeBehind>,
    /// The panel's JSON.
    pub(super) json: String,
}

/// One of the last cycles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recent {
    /// Its name.
    pub cycle: String,
    /// What became of it.
    pub state: State,
}

/// What is shown of a dataset when it is opened.
#[derive(Serialize)]
struct Opened<'a> {
    reason: &'a str,
    calendar: &'a str,
    zone: String,
    facts: Vec<Fact>,
    /// Name, number of the state, minutes from the deadline before (the first
    /// from 1970) to the deadline, and minutes from the deadline to the arrival;
    /// from the deadline before if there is none.
    cycles: Vec<CycleLine<'a>>,
    chart: Option<Outline>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    promises: &'a [ObjectiveLine],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    behind: &'a [ScopeBehind],
}

type CycleLine<'a> = (&'a str, usize, Option<i64>, Option<i64>);

/// Cycles of the strip; fewer are told one by one if the chart shows fewer.
const N_RECENT: usize = 30;

/// The states in the order in which the page numbers them.
pub(super) const STATES: [State; 8] = [
    State::Late,
    State::Missed,
    State::LateArrival,
    State::NotEvaluated,
    State::InsufficientHistory,
    State::Unknown,
    State::Pending,
    State::Ok,
];

/// The number of a state on the page.
pub(super) fn number(state: State) -> usize {
    STATES
        .iter()
        .position(|&other| other == state)
        .unwrap_or(STATES.len())
}

/// What the page shows of a dataset.
pub fn panel(shown: Shown<'_>) -> Panel {
    let Shown {
        now,
        explained,
        figure,
        owed,
    } = shown;
    let promises = objectives(owed);
    let behind = scopes(owed, now);
    let cycles = &explained.cycles;
    let last = &cycles[cycles.len().saturating_sub(N_RECENT)..];
    let fitted = explained.model.as_ref().map(|model| &model.fitted);
    let calendar = fitted.map_or_else(String::new, |fitted| fitted.calendar().to_string());
    let begins = figure.map(|figure| figure.from);
    let shown_from = last.partition_point(|cycle| begins.is_some_and(|at| cycle.cycle_start < at));
    let named = |cycle: &CycleVerdict| Recent {
        cycle: cycle.cycle.clone(),
        state: cycle.state,
    };
    let opened = Opened {
        reason: &explained.judged.state.reason,
        calendar: &calendar,
        zone: fitted.map_or_else(String::new, |fitted| fitted.zone().0.to_string()),
        facts: account::facts(explained),
        cycles: distances(&last[shown_from..]),
        chart: figure.map(plot::outline),
        promises: &promises,
        behind: &behind,
    };
    Panel {
        json: super::json(&opened),
        recent: last.iter().map(named).collect(),
        calendar,
        promises,
        behind,
    }
}

/// Cycles whose times are distances, which repeat and pack well.
fn distances(cycles: &[CycleVerdict]) -> Vec<CycleLine<'_>> {
    let minutes = |at: Timestamp| at.as_second().div_euclid(MINUTE);
    let mut before = 0;
    let distances = cycles.iter().map(|cycle| {
        let deadline = cycle.deadline.map(|deadline| {
            let deadline = minutes(deadline);
            deadline - std::mem::replace(&mut before, deadline)
        });
        let arrival = cycle.arrived_at.map(|at| minutes(at) - before);
        (cycle.cycle.as_str(), number(cycle.state), deadline, arrival)
    });
    distances.collect()
}

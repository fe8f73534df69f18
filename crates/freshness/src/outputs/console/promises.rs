//! What does the page say of promises?
//!
//! Counts and what is broken at first sight; of each dataset its objectives, with
//! a letter for each of the last days, so that a year of them would be no more
//! than a paragraph.

use std::cmp::Reverse;

use freshness_core::slo::{
    BreachSeverity, DayCompliance, Objective, ObjectiveHistory, USUAL_ENVIRONMENT, Unit, Verdict,
};
use jiff::Timestamp;
use serde::Serialize;

use super::page::{Count, Moment};
use crate::outputs::promises::promised_of;
use crate::outputs::slo::SloSummary;
use crate::outputs::slo_history::{USUAL_TARGET, strip};
use crate::outputs::{coverage, slo_words, words};
use crate::rounds::{AllOwed, KeptPromise, Owed};

/// One objective of a dataset, in its panel and in console.json; the fields are
/// described by [`FIELDS`].
#[derive(Debug, Serialize)]
pub(super) struct ObjectiveLine {
    environment: String,
    objective: Objective,
    outcome: &'static str,
    severity: Option<BreachSeverity>,
    fails: bool,
    promised: String,
    why: String,
    since: Option<Timestamp>,
    unit: Unit,
    attained: Option<f64>,
    left: Option<f64>,
    from: Option<String>,
    days: String,
}

/// A scope that feeds a dataset and is not covered.
#[derive(Debug, Serialize)]
pub(super) struct ScopeBehind {
    source: String,
    scope: String,
    condition: &'static str,
    /// One sentence.
    reason: String,
}

/// The fields of an objective in console.json; a test compares them with what is
/// written.
pub const FIELDS: [(&str, &str); 13] = [
    ("environment", "where it runs"),
    ("objective", "as in a verdict"),
    ("outcome", "as in a verdict"),
    ("severity", "of a breach, as in a verdict"),
    ("fails", "may a check fail by it?"),
    ("promised", "what is promised, in words"),
    ("why", "one sentence that says why"),
    (
        "since",
        "since when it is broken without a break; null if it is not",
    ),
    ("unit", "what is counted, as in `slo history`"),
    (
        "attained",
        "percent that was kept; null if nothing was owed",
    ),
    (
        "left",
        "percent that is left of what may fail for the `target` to be met (below 0: overspent); null if nothing was owed",
    ),
    ("from", "the first of the `days`"),
    (
        "days",
        "a letter for each day: `.` kept, `x` breached, `?` could not tell, `-` nothing owed",
    ),
];

/// Promises at first sight.
pub(super) struct Promises<'a> {
    /// `12 objectives of 4 datasets`.
    pub(super) about: String,
    pub(super) counts: Vec<Count>,
    /// Those that are seen at once.
    pub(super) broken: Vec<Broken<'a>>,
    /// Those that are seen when asked for.
    pub(super) rest: Vec<Broken<'a>>,
    /// Datasets that are not told even then.
    pub(super) n_more: usize,
    /// Promises that cannot be read.
    pub(super) unreadable: Vec<&'a str>,
}

/// A dataset that breaks promises.
pub(super) struct Broken<'a> {
    pub(super) name: &'a str,
    pub(super) severity: &'static str,
    pub(super) objectives: Vec<BrokenObjective<'a>>,
}

/// A promise that it breaks.
pub(super) struct BrokenObjective<'a> {
    /// As people say it.
    pub(super) name: &'static str,
    /// Where, if that does not go without saying.
    pub(super) environment: &'a str,
    pub(super) why: String,
    pub(super) since: Option<Moment>,
}

/// Datasets whose broken promises are seen at once.
const N_OPEN: usize = 4;
/// Datasets whose broken promises are told at all; more are counted.
const N_TOLD: usize = 100;

/// Is anything promised?
pub(super) fn is_promised(owed: &AllOwed) -> bool {
    owed.promises().next().is_some() || !owed.failures.is_empty()
}

/// Counts of all objectives.
pub(super) fn summary(owed: &AllOwed) -> SloSummary {
    SloSummary::of(owed.promises().map(|of| &of.judged))
}

/// The objectives of a dataset.
pub(super) fn objectives(owed: &Owed) -> Vec<ObjectiveLine> {
    let promises = owed.promises.iter();
    promises
        .flat_map(|of| {
            let objectives = of.objectives();
            objectives.map(|(verdict, fails, since, past)| {
                ObjectiveLine::of(of, verdict, (fails, since), past)
            })
        })
        .collect()
}

/// The scopes of a dataset that are not covered.
pub(super) fn scopes(owed: &Owed, now: Timestamp) -> Vec<ScopeBehind> {
    let behind = owed.behind.iter();
    behind
        .map(|state| ScopeBehind {
            source: state.contract.source.clone(),
            scope: state.contract.scope.clone(),
            condition: state.condition.word(),
            reason: coverage::reason(state, now),
        })
        .collect()
}

impl ObjectiveLine {
    fn of(
        promise: &KeptPromise,
        verdict: &Verdict,
        (fails, since): (bool, Option<i64>),
        past: &ObjectiveHistory,
    ) -> ObjectiveLine {
        let budget = past.budget(USUAL_TARGET);
        let of = &promise.judged.promise;
        ObjectiveLine {
            environment: of.environment.clone(),
            objective: verdict.objective,
            outcome: verdict.outcome.word(),
            severity: verdict.outcome.severity(),
            fails,
            promised: promised_of(&of.levels, verdict.objective),
            why: slo_words::why(verdict),
            since: since.and_then(instant),
            unit: past.unit,
            attained: budget.attained,
            left: budget.left,
            from: past.days.first().map(|of| of.day.to_string()),
            days: strip(past.days.iter().map(DayCompliance::state)),
        }
    }
}

fn instant(at: i64) -> Option<Timestamp> {
    Timestamp::from_second(at).ok()
}

impl Promises<'_> {
    /// `None` if nothing is promised.
    pub(super) fn of(owed: &AllOwed) -> Option<Promises<'_>> {
        if !is_promised(owed) {
            return None;
        }
        let SloSummary {
            n_datasets: _,
            n_objectives,
            kept,
            breached,
            could_not_tell,
            not_due,
        } = summary(owed);
        let mut broken: Vec<_> = owed.datasets.values().filter_map(Broken::of).collect();
        broken.sort_by_key(|(rank, _)| *rank);
        let n_more = broken.len().saturating_sub(N_TOLD);
        let mut broken: Vec<Broken<'_>> = broken.into_iter().map(|(_, it)| it).collect();
        broken.truncate(N_TOLD);
        let rest = broken.split_off(broken.len().min(N_OPEN));
        let n_promising = owed.datasets.values();
        let n_promising = n_promising.filter(|of| !of.promises.is_empty()).count();
        Some(Promises {
            about: format!(
                "{} of {}",
                words::count(n_objectives, "objective"),
                words::count(n_promising as u64, "dataset")
            ),
            counts: vec![
                Count::new("missed", "breached", breached),
                Count::new("unknown", "could not tell", could_not_tell),
                Count::new("pending", "nothing owed", not_due),
                Count::new("ok", "kept", kept),
            ],
            broken,
            rest,
            n_more,
            unreadable: owed.failures.iter().map(|it| it.error.as_str()).collect(),
        })
    }
}

/// What comes first: what runs in production, what matters most, then what is
/// broken longest.
type Rank<'a> = (bool, Reverse<BreachSeverity>, Option<Timestamp>, &'a str);

impl Broken<'_> {
    fn of(owed: &Owed) -> Option<(Rank<'_>, Broken<'_>)> {
        let is_elsewhere = |environment: &str| environment != USUAL_ENVIRONMENT;
        let mut objectives = Vec::new();
        let mut worst: Option<(BreachSeverity, Option<Timestamp>)> = None;
        for promise in &owed.promises {
            let environment = promise.judged.promise.environment.as_str();
            for (verdict, _, since, _) in promise.objectives() {
                let Some(severity) = verdict.outcome.severity() else {
                    continue;
                };
                let since = since.and_then(instant);
                worst = Some(match worst {
                    None => (severity, since),
                    Some((other, at)) => {
                        (other.max(severity), [at, since].into_iter().flatten().min())
                    }
                });
                objectives.push(BrokenObjective {
                    name: slo_words::spoken(verdict.objective),
                    environment: match is_elsewhere(environment) {
                        true => environment,
                        false => "",
                    },
                    why: slo_words::why(verdict),
                    since: since.map(Moment),
                });
            }
        }
        let (severity, since) = worst?;
        let only_elsewhere = objectives.iter().all(|of| !of.environment.is_empty());
        let name = owed.promises[0].judged.promise.dataset.as_str();
        Some((
            (only_elsewhere, Reverse(severity), since, name),
            Broken {
                name,
                severity: slo_words::severity(severity),
                objectives,
            },
        ))
    }
}

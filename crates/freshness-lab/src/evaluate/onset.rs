//! How does it behave where it knows little?
//!
//! In the first 30 days of a dataset, and in the 14 days after its schedule
//! really moved, with models that are fitted anew every night. Alerts of a
//! model that can only advise are counted apart: nobody is woken by them.

use freshness_core::civil::{DAY, Holidays};
use freshness_core::fit::Parameters;
use serde::Serialize;

use super::tally::ratio;
use super::{Deadline, Scope, Subject, Tally, Window, learn, score};

const FIRST_DAYS: i64 = 30;
const DAYS_AFTER_A_MOVE: i64 = 14;

/// What was alerted in stretches where little is known.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Onset {
    /// Datasets, or moves.
    pub n: u64,
    /// Cycles on which a delivery was due.
    pub n_cycles: u64,
    /// Incidents.
    pub n_incidents: u64,
    /// Of them, alerted.
    pub n_detected: u64,
    /// False alarms.
    pub n_false_alarms: u64,
    /// Wrong advice, by a model that can only advise.
    pub n_false_advice: u64,
    /// False alarms in 1,000 days of a dataset.
    pub false_alarms_per_1000_dataset_days: Option<f64>,
    /// Share of cycles with a false alarm, 0–1.
    pub false_alarm_rate: Option<f64>,
}

/// Stretches of one kind, summed.
#[derive(Debug, Clone, Default)]
pub(super) struct Stretches {
    n: u64,
    alerts: Tally,
    advice: Tally,
}

impl Stretches {
    pub(super) fn add(&mut self, other: &Stretches) {
        self.n += other.n;
        self.alerts.add(&other.alerts);
        self.advice.add(&other.advice);
    }

    pub(super) fn told(&self) -> Onset {
        let Stretches { n, alerts, advice } = self;
        let n_false_alarms = alerts.n_false_alarms;
        Onset {
            n: *n,
            n_cycles: alerts.n_cycles,
            n_incidents: alerts.n_incidents,
            n_detected: alerts.n_detected,
            n_false_alarms,
            n_false_advice: advice.n_false_alarms,
            false_alarms_per_1000_dataset_days: ratio(
                1_000.0 * n_false_alarms as f64,
                alerts.dataset_days,
            ),
            false_alarm_rate: ratio(n_false_alarms as f64, alerts.n_cycles as f64),
        }
    }
}

/// The first days of a dataset, and the days after each of its moves that
/// begin before `until`. Its truth must list all cycles.
pub fn onset(
    subject: &Subject<'_>,
    until: i64,
    holidays: &Holidays,
    parameters: &Parameters,
) -> (Onset, Onset) {
    let (first, moved) = stretches(subject, until, holidays, parameters);
    (first.told(), moved.told())
}

pub(super) fn stretches(
    subject: &Subject<'_>,
    until: i64,
    holidays: &Holidays,
    parameters: &Parameters,
) -> (Stretches, Stretches) {
    let walk = |from: i64, days: i64| {
        let window = Window {
            from,
            to: (from + days * DAY).min(until),
            known_until: until,
            refit: Some(DAY),
        };
        walked(subject, &window, holidays, parameters)
    };
    let (mut first, mut moved) = (Stretches::default(), Stretches::default());
    if let Some(cycle) = subject
        .truth
        .cycles
        .first()
        .filter(|cycle| cycle.start < until)
    {
        first = walk(cycle.start, FIRST_DAYS);
    }
    for (at, _) in subject.truth.moves.iter().filter(|(at, _)| *at < until) {
        moved.add(&walk(*at, DAYS_AFTER_A_MOVE));
    }
    (first, moved)
}

fn walked(
    subject: &Subject<'_>,
    window: &Window,
    holidays: &Holidays,
    parameters: &Parameters,
) -> Stretches {
    let learned = learn(subject, window, holidays, parameters, &[]);
    let scope = Scope::all(window);
    let advice: Vec<Deadline> = learned
        .replayed
        .iter()
        .zip(&learned.awaited)
        .filter_map(|(row, deadline)| {
            Some(Deadline {
                raised: row.severity.is_some() && !row.alerted,
                ..(*deadline)?
            })
        })
        .collect();
    Stretches {
        n: 1,
        alerts: score(subject.truth, &learned.deadlines(), scope),
        advice: score(subject.truth, &advice, scope),
    }
}

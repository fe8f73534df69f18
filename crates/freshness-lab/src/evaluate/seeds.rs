//! How much does it depend on the warehouse?
//!
//! One generated warehouse may flatter. The same figures over many, with the
//! worst and the best beside the mean.

use std::collections::BTreeMap;

use serde::Serialize;

use super::report::as_map;
use super::{Evaluation, Scores, Tally};
use crate::baselines::Method;

/// A figure over several warehouses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// Warehouses that had the figure.
    pub n: u64,
}

/// One method over several warehouses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spreads {
    /// Which method.
    pub method: Method,
    /// Each figure by its name in [`Scores`]; `None` where no warehouse has it.
    #[serde(serialize_with = "as_map")]
    pub figures: Vec<(&'static str, Option<Spread>)>,
    /// By class of the datasets, without cold starts.
    pub by_class: Vec<ClassCounts>,
}

/// What was counted of a class, over all warehouses together.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ClassCounts {
    /// The class.
    pub name: String,
    /// Cycles on which a delivery was due.
    pub n_cycles: u64,
    /// Incidents.
    pub n_incidents: u64,
    /// Of them, alerted.
    pub n_detected: u64,
    /// False alarms.
    pub n_false_alarms: u64,
    /// Harmonic mean of precision and detection; `None` without either.
    pub f1: Option<f64>,
}

impl Spread {
    /// Of the figures that there are.
    pub fn of(figures: impl IntoIterator<Item = Option<f64>>) -> Option<Spread> {
        let figures: Vec<f64> = figures.into_iter().flatten().collect();
        let n = figures.len();
        (n > 0).then(|| Spread {
            mean: figures.iter().sum::<f64>() / n as f64,
            min: figures.iter().copied().fold(f64::INFINITY, f64::min),
            max: figures.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            n: n as u64,
        })
    }
}

impl Spreads {
    /// A figure by its name.
    pub fn figure(&self, name: &str) -> Option<Spread> {
        let found = self.figures.iter().find(|(other, _)| *other == name);
        found.and_then(|(_, spread)| *spread)
    }
}

/// The figures of each method over all warehouses.
pub fn over_seeds(evaluations: &[Evaluation]) -> Vec<Spreads> {
    let Some(first) = evaluations.first() else {
        return Vec::new();
    };
    let methods = first.methods.iter().map(|scores| scores.method);
    methods
        .map(|method| {
            let scores: Vec<&Scores> = evaluations
                .iter()
                .filter_map(|evaluation| Some(&evaluation.method(method)?.scores))
                .collect();
            let spread = |&(name, of): &(&'static str, fn(&Scores) -> Option<f64>)| {
                (name, Spread::of(scores.iter().map(|scores| of(scores))))
            };
            Spreads {
                method,
                figures: FIGURES.iter().map(spread).collect(),
                by_class: by_class(evaluations, method),
            }
        })
        .collect()
}

fn by_class(evaluations: &[Evaluation], method: Method) -> Vec<ClassCounts> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let of_method = evaluations.iter().filter_map(|one| one.method(method));
    for group in of_method.flat_map(|scores| &scores.by_class) {
        let tally = tallies.entry(&group.name).or_default();
        tally.n_cycles += group.scores.n_cycles;
        tally.n_incidents += group.scores.n_incidents;
        tally.n_detected += group.scores.n_detected;
        tally.n_false_alarms += group.scores.n_false_alarms;
    }
    let counts = tallies.into_iter().map(|(name, tally)| ClassCounts {
        name: name.to_owned(),
        n_cycles: tally.n_cycles,
        n_incidents: tally.n_incidents,
        n_detected: tally.n_detected,
        n_false_alarms: tally.n_false_alarms,
        f1: tally.f1(),
    });
    counts.collect()
}

type Figure = (&'static str, fn(&Scores) -> Option<f64>);

/// What is told of several warehouses.
const FIGURES: [Figure; 12] = [
    ("n_incidents", |scores| Some(scores.n_incidents as f64)),
    ("n_false_alarms", |scores| {
        Some(scores.n_false_alarms as f64)
    }),
    ("false_alarms_per_day", |scores| scores.false_alarms_per_day),
    ("false_alarms_per_1000_dataset_days", |scores| {
        scores.false_alarms_per_1000_dataset_days
    }),
    ("false_alarms_per_channel_week", |scores| {
        scores.false_alarms_per_channel_week
    }),
    ("false_alarm_rate", |scores| scores.false_alarm_rate),
    ("detection", |scores| scores.detection),
    ("precision", |scores| scores.precision),
    ("f1", |scores| scores.f1),
    ("minutes_to_alert_p50", |scores| scores.minutes_to_alert_p50),
    ("minutes_to_alert_p90", |scores| scores.minutes_to_alert_p90),
    ("minutes_to_deadline_p50", |scores| {
        scores.minutes_to_deadline_p50
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_of_the_figures_that_there_are() {
        let spread = Spread::of([Some(1.0), None, Some(4.0)]).unwrap();
        assert_eq!(
            (spread.mean, spread.min, spread.max, spread.n),
            (2.5, 1.0, 4.0, 2)
        );
        assert_eq!(Spread::of([None]), None);
    }
}

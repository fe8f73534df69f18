//! What does an evaluation say?

use serde::{Serialize, Serializer};

use super::{Calibration, Onset, Scores, Tally};
use crate::baselines::Method;

/// All methods on one warehouse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Datasets that were scored.
    pub n_datasets: u64,
    /// Their arrivals.
    pub n_arrivals: u64,
    /// Channels that alerts are shared out over: one for each team, one for
    /// all datasets without.
    pub n_channels: u64,
    /// Is the truth of every cycle known? Of a real history only what was done
    /// to it is.
    pub every_cycle_known: bool,
    /// The first instant of the holdout …
    pub from: String,
    /// … and its end.
    pub to: String,
    /// Days from one fit to the next, all that occur; none for one fit before
    /// the holdout.
    pub refit_days: Vec<f64>,
    /// Each method.
    pub methods: Vec<MethodScores>,
    /// How often published quantiles and thresholds were exceeded.
    pub calibration: Vec<Calibration>,
    /// The first 30 days of each dataset.
    pub first_days: Option<Onset>,
    /// The 14 days after each move.
    pub after_moves: Option<Onset>,
    /// Each dataset.
    pub datasets: Vec<DatasetLine>,
    /// Datasets that could not be evaluated.
    pub failed: Vec<String>,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodScores {
    /// Which.
    pub method: Method,
    /// Over all cycles but those that the program could only advise on, for
    /// want of history.
    pub scores: Scores,
    /// Over those cycles.
    pub cold_starts: Scores,
    /// Over both.
    pub with_cold_starts: Scores,
    /// By class of the dataset, without cold starts; so are the next two.
    pub by_class: Vec<Group>,
    /// By how often cycles come.
    pub by_cadence: Vec<Group>,
    /// By how much the program knew.
    pub by_status: Vec<Group>,
}

/// Datasets that have something in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// What.
    pub name: String,
    /// How many.
    pub n_datasets: u64,
    /// Their scores.
    pub scores: Scores,
}

/// One dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatasetLine {
    /// Its name.
    pub dataset_id: String,
    /// Its class.
    pub class: String,
    /// How often cycles come.
    pub cadence: String,
    /// The calendar it really follows.
    pub true_calendar: Option<String>,
    /// The one that was learned.
    pub learned_calendar: String,
    /// How much the program knew when the holdout began; `insufficient_history`
    /// below three arrivals.
    pub model_status: &'static str,
    /// Its arrivals.
    pub n_arrivals: u64,
    /// By method.
    pub methods: Vec<Figures>,
}

/// What a method made of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// Which method.
    pub method: Method,
    /// Cycles that count.
    pub n_cycles: u64,
    /// Incidents.
    pub n_incidents: u64,
    /// Of them, alerted.
    pub n_detected: u64,
    /// False alarms.
    pub n_false_alarms: u64,
    /// Incidents in cycles on which the program could only advise.
    pub n_cold_incidents: u64,
    /// False alarms there.
    pub n_cold_false_alarms: u64,
    /// Median minutes from when a delivery usually comes to the deadline.
    pub minutes_to_deadline_p50: Option<f64>,
}

impl Evaluation {
    /// One method, if it was asked for.
    pub fn method(&self, method: Method) -> Option<&MethodScores> {
        self.methods.iter().find(|scores| scores.method == method)
    }
}

impl Figures {
    pub(super) fn of(method: Method, warm: &Tally, cold: &Tally) -> Figures {
        Figures {
            method,
            n_cycles: warm.n_cycles,
            n_incidents: warm.n_incidents,
            n_detected: warm.n_detected,
            n_false_alarms: warm.n_false_alarms,
            n_cold_incidents: cold.n_incidents,
            n_cold_false_alarms: cold.n_false_alarms,
            minutes_to_deadline_p50: warm.scores(0.0, 0).minutes_to_deadline_p50,
        }
    }
}

/// Pairs as an object.
pub(super) fn as_map<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

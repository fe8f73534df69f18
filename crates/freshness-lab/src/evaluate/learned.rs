//! What do the learned deadlines say?

use freshness_core::civil::{Holidays, MINUTE};
use freshness_core::fit::{Fitted, Parameters, fit};
use freshness_core::state::{Replayed, Upstream, Walk, replay};

use super::{Awaited, Deadline, Subject, Window};

/// What the program says of one dataset over a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// As the backtest tells it.
    pub replayed: Vec<Replayed>,
    /// Of each of these the deadline, alerted or not; `None` where the model
    /// has none.
    pub awaited: Vec<Option<Deadline>>,
    /// Cycles that begin before this were judged by a cold start, which can
    /// only advise (UTC seconds).
    pub cold_until: i64,
    /// How much the first model knew.
    pub status: &'static str,
    /// The calendar of the first model.
    pub calendar: String,
    /// The share of ordinary cycles that its threshold lets pass, as it says.
    pub false_alarm_rate: Option<f64>,
}

/// Walks through the window with models that saw only the past. `upstream` are
/// the alerts of the datasets it is made from.
pub fn learn(
    subject: &Subject<'_>,
    window: &Window,
    holidays: &Holidays,
    parameters: &Parameters,
    upstream: &[Upstream],
) -> Learned {
    let Subject {
        dataset, history, ..
    } = *subject;
    let walk = Walk {
        from: window.from,
        to: window.to,
        refit: window.refit_seconds(),
        known_until: window.known_until,
    };
    let replayed = replay(dataset, history, holidays, &walk, parameters, upstream);
    let first = fit(dataset, history, holidays, window.from, parameters).fitted;
    let cold = |row: &&Replayed| row.model_status == "cold_start";
    let cold_until = match replayed.iter().rfind(cold) {
        Some(last) => last.verdict.cycle_start.as_second() + 1,
        None => window.from,
    };
    Learned {
        awaited: replayed.iter().map(deadline).collect(),
        cold_until,
        status: first.status(),
        calendar: first.calendar().to_string(),
        false_alarm_rate: match &first {
            Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
                Some(model.false_alarm_rate)
            }
            Fitted::Irregular(_) | Fitted::ColdStart(_) => None,
        },
        replayed,
    }
}

impl Learned {
    /// The deadlines of all cycles that have one.
    pub fn deadlines(&self) -> Vec<Deadline> {
        self.awaited.iter().flatten().copied().collect()
    }
}

fn deadline(row: &Replayed) -> Option<Deadline> {
    let verdict = &row.verdict;
    let at = verdict.deadline?.as_second();
    let awaited = verdict.usual_at.map(|usual_at| Awaited {
        start: verdict.cycle_start.as_second(),
        usual_at: usual_at.as_second(),
    });
    Some(Deadline {
        at,
        awaited,
        arrived_at: verdict.arrived_at.map(jiff::Timestamp::as_second),
        raised: row.alerted,
    })
}

/// Whole seconds of minutes.
pub(crate) fn seconds(minutes: f64) -> i64 {
    (minutes * MINUTE as f64).round() as i64
}

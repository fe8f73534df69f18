//! How many datasets are in which state?

use freshness_core::state::{Severity, State};
use serde::Serialize;

use super::Judged;

/// How many datasets are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names are those of the states")]
pub struct Summary {
    pub n_datasets: u64,
    /// Declared critical.
    pub n_critical: u64,
    /// Late or missed, of critical severity: what fails a check.
    pub n_critical_late: u64,
    /// Declared critical, nothing ever arrived of it, and it breaks a promise: that
    /// fails a check too.
    pub n_critical_broken: u64,
    /// Declared critical, and nobody can say whether they are late.
    pub n_critical_unjudged: u64,
    /// Pending, but late if maintenance did not excuse it.
    pub n_excused: u64,
    pub ok: u64,
    pub pending: u64,
    pub late: u64,
    pub late_arrival: u64,
    pub missed: u64,
    pub unknown: u64,
    pub insufficient_history: u64,
    pub not_evaluated: u64,
}

impl Summary {
    /// Counts the states.
    pub fn of<'a>(datasets: impl IntoIterator<Item = &'a Judged>) -> Summary {
        let mut summary = Summary::default();
        for judged in datasets {
            summary.n_datasets += 1;
            let state = &judged.state;
            let is_late = is_overdue(state.state) && state.severity == Some(Severity::Critical);
            summary.n_critical += u64::from(judged.dataset.critical);
            summary.n_critical_late += u64::from(is_late);
            summary.n_critical_broken += u64::from(is_broken_critical(judged));
            summary.n_critical_unjudged += u64::from(is_unjudged_critical(judged));
            summary.n_excused += u64::from(state.excused.is_some());
            *match state.state {
                State::Ok => &mut summary.ok,
                State::Pending => &mut summary.pending,
                State::Late => &mut summary.late,
                State::LateArrival => &mut summary.late_arrival,
                State::Missed => &mut summary.missed,
                State::Unknown => &mut summary.unknown,
                State::InsufficientHistory => &mut summary.insufficient_history,
                State::NotEvaluated => &mut summary.not_evaluated,
            } += 1;
        }
        summary
    }
}

/// Declared critical, but whether it is late cannot be told, or cannot be told
/// well enough to fail a check: a loose default or a model in doubt only advises.
pub fn is_unjudged_critical(judged: &Judged) -> bool {
    let state = &judged.state;
    judged.dataset.critical
        && match state.state {
            State::Unknown | State::InsufficientHistory | State::NotEvaluated => {
                !judged.is_promised
            }
            State::Late | State::Missed => state.severity != Some(Severity::Critical),
            State::Ok | State::Pending | State::LateArrival => false,
        }
}

/// Declared critical, nothing ever arrived of it, and a promise is broken that does
/// more than warn.
pub fn is_broken_critical(judged: &Judged) -> bool {
    let breach = judged.breach.as_ref();
    judged.dataset.critical
        && judged.state.last_arrival.is_none()
        && breach.is_some_and(|breach| breach.severity > Severity::Advisory)
}

/// Past its deadline with nothing delivered.
pub fn is_overdue(state: State) -> bool {
    match state {
        State::Late | State::Missed => true,
        State::Ok
        | State::Pending
        | State::LateArrival
        | State::Unknown
        | State::InsufficientHistory
        | State::NotEvaluated => false,
    }
}

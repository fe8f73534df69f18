//! What does a dataset lose by its own lateness, or a promise that it breaks?
//!
//! Data may be one period old before the next delivery is due. What is past
//! its deadline is older by its lateness, so the share of its age that it
//! should not have is `late / (period + late)`: nothing at the deadline, half
//! after one missed delivery, nearly all of a feed that has stopped. Maintenance
//! puts off what somebody is told of, not how old data are.

use super::Seen;
use crate::fit::Model;
use crate::schedule::Grain;
use crate::state::{DatasetState, Excused, Severity, State};

/// A loss, 0–1: as far as is known, and if the worst is true of what is not.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Loss {
    pub(super) known: f64,
    pub(super) worst: f64,
}

impl Loss {
    const NONE: Loss = Loss {
        known: 0.0,
        worst: 0.0,
    };
    /// Nobody can tell.
    pub(super) const UNKNOWN: Loss = Loss {
        known: 0.0,
        worst: 1.0,
    };
}

/// Seconds from one delivery to the next that the model expects; `None` if it
/// has no calendar.
pub fn period_seconds(model: &Model) -> Option<i64> {
    model.fitted.calendar().grain().map(Grain::seconds)
}

/// What a dataset loses by itself: by its lateness or by a promise that it does
/// not keep, whichever is more.
pub(super) fn loss(seen: &Seen<'_>) -> Loss {
    let late = of_state(seen);
    let broken = seen
        .breach
        .map_or(0.0, |breach| breach.lost.clamp(0.0, 1.0));
    Loss {
        known: late.known.max(broken),
        worst: late.worst.max(broken),
    }
}

fn of_state(seen: &Seen<'_>) -> Loss {
    match seen.state.state {
        State::Pending if seen.state.excused.is_some() => late(seen).unwrap_or(Loss::UNKNOWN),
        State::Ok | State::Pending | State::LateArrival => Loss::NONE,
        // What it loses is what its promises say.
        State::Unknown | State::InsufficientHistory | State::NotEvaluated if seen.is_promised => {
            Loss::NONE
        }
        State::Unknown | State::InsufficientHistory | State::NotEvaluated => Loss::UNKNOWN,
        State::Late | State::Missed => late(seen).unwrap_or(Loss::UNKNOWN),
    }
}

fn late(seen: &Seen<'_>) -> Option<Loss> {
    let Excused { seconds, severity } = overdue(seen.state)?;
    let late = seconds.max(1) as f64;
    let period = seen.period_seconds.or_else(|| silence(seen.state))?.max(1) as f64;
    let share = late / (period + late);
    Some(match severity {
        // A model that can only advise cannot say for sure that it is late.
        Severity::Advisory => Loss {
            known: 0.0,
            worst: share,
        },
        Severity::Warning | Severity::Critical => Loss {
            known: share,
            worst: share,
        },
    })
}

/// How late it is, whether maintenance excuses that or not.
pub(super) fn overdue(state: &DatasetState) -> Option<Excused> {
    let late = state.late_seconds.zip(state.severity);
    let late = late.map(|(seconds, severity)| Excused { seconds, severity });
    late.or(state.excused)
}

/// How long a feed without a calendar may be silent.
fn silence(state: &DatasetState) -> Option<i64> {
    let current = state.current.as_ref()?;
    let deadline = current.deadline?;
    Some(deadline.as_second() - current.cycle_start.as_second())
}

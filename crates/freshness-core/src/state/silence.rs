//! Is a feed without a calendar silent for too long?
//!
//! Each arrival begins a silence, and the part of the week in which it begins
//! says how long it may last.

use super::cycles::Seen;
use super::verdict::{CycleVerdict, State};
use crate::arrivals::ArrivalHistory;
use crate::fit::{Fitted, LEAST_GAP, part_of, to_seconds, to_timestamp};
use crate::schedule::{Maintenance, PutOff};

/// The silences that begin in `[from, to)`, as of `now`.
pub(super) fn verdicts(
    fitted: &Fitted,
    history: &ArrivalHistory,
    maintenance: &Maintenance,
    (from, to): (i64, i64),
    now: i64,
) -> Vec<Seen> {
    let at = history.at();
    let known = &at[..at.partition_point(|&time| time <= now)];
    let begins = known.partition_point(|&time| time < from);
    (begins..known.len())
        .take_while(|&i| known[i] < to)
        // Of arrivals that count as one, the last begins the silence.
        .filter(|&i| {
            known
                .get(i + 1)
                .is_none_or(|next| next - known[i] >= LEAST_GAP)
        })
        .map(|i| {
            let start = known[i];
            let own = threshold(fitted, start).map(|minutes| start + to_seconds(minutes));
            let deadline = own.map(|own| maintenance.counted(start, own));
            let put_off = deadline.and_then(|until| maintenance.last_between(start, until));
            let next = known.get(i + 1).copied();
            let state = match (next, deadline) {
                (Some(next), Some(deadline)) if next > deadline => State::LateArrival,
                (None, Some(deadline)) if now > deadline => State::Late,
                // A deadline in years would pass for a promise.
                (None, None) => State::NotEvaluated,
                (None, _) if put_off.is_some() && own < Some(now) => State::Pending,
                _ => State::Ok,
            };
            let verdict = CycleVerdict {
                cycle: to_timestamp(start).to_string(),
                cycle_start: to_timestamp(start),
                usual_at: None,
                deadline: deadline.map(to_timestamp),
                learned_deadline: own.map(to_timestamp),
                held_up_by: None,
                waits_for: None,
                maintenance: put_off.map(|(until, why)| PutOff::new(until, why)),
                arrived_at: next.map(to_timestamp),
                state,
                because: None,
            };
            Seen {
                verdict,
                closes: next.unwrap_or(i64::MAX),
            }
        })
        .collect()
}

/// Minutes that a silence beginning at `start` may last; `None` if the feed is
/// too unsteady for that to mean anything.
fn threshold(fitted: &Fitted, start: i64) -> Option<f64> {
    match fitted {
        Fitted::Irregular(gaps) if !gaps.supports_promise => None,
        Fitted::Irregular(gaps) => {
            let part = part_of(gaps.zone, start);
            let cell = gaps.cells.iter().find(|cell| cell.from_hour == part);
            cell.map(|cell| cell.threshold)
        }
        Fitted::ColdStart(cold) => Some(cold.threshold),
        Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
            unreachable!("{} has cycles", model.calendar)
        }
    }
}

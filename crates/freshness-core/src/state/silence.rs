//! Is a feed without a calendar silent for too long?
//!
//! Each arrival begins a silence, and the part of the week in which it begins
//! says how long it may last.

use super::judge::Seen;
use super::verdict::{CycleVerdict, State};
use crate::arrivals::ArrivalHistory;
use crate::fit::{Fitted, LEAST_GAP, part_of, to_seconds, to_timestamp};

/// The silences that begin in `[from, to)`, as of `now`.
pub(super) fn verdicts(
    fitted: &Fitted,
    history: &ArrivalHistory,
    from: i64,
    to: i64,
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
            let deadline = start + to_seconds(threshold(fitted, start));
            let next = known.get(i + 1).copied();
            let state = match next {
                Some(next) if next > deadline => State::LateArrival,
                Some(_) => State::Ok,
                None if now > deadline => State::Late,
                None => State::Ok,
            };
            let verdict = CycleVerdict {
                cycle: to_timestamp(start).to_string(),
                cycle_start: to_timestamp(start),
                deadline: Some(to_timestamp(deadline)),
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

/// Minutes that a silence beginning at `start` may last.
fn threshold(fitted: &Fitted, start: i64) -> f64 {
    match fitted {
        Fitted::Irregular(gaps) => {
            let part = part_of(gaps.zone, start);
            gaps.cells
                .iter()
                .find(|cell| cell.from_hour == part)
                .map_or(f64::from(u32::MAX), |cell| cell.threshold)
        }
        Fitted::ColdStart(cold) => cold.threshold,
        Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
            unreachable!("{} has cycles", model.calendar)
        }
    }
}

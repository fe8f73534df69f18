//! How well could one threshold per dataset do?
//!
//! Handed the true location of every cycle and which cycles had an incident,
//! it cuts the residuals where its F1 is best.

use super::{Contestant, best_threshold};
use crate::evaluate::{Awaited, Deadline, scored};

pub(super) fn deadlines(contestant: &Contestant<'_>) -> Vec<Deadline> {
    let Contestant {
        subject,
        window,
        scope,
    } = contestant;
    let truth = subject.truth;
    let counts = scored(truth, *scope);
    let lateness = truth
        .cycles
        .iter()
        .zip(counts)
        .filter(|(_, counts)| *counts);
    let threshold = best_threshold(
        lateness
            .map(|(cycle, _)| {
                let late = cycle.arrived_at.map_or(i64::MAX, |at| at - cycle.usual_at);
                (late, cycle.incident.is_some())
            })
            .collect(),
    );
    let Some(threshold) = threshold else {
        return Vec::new();
    };
    let inside = truth
        .cycles
        .iter()
        .filter(|cycle| window.contains(cycle.start));
    inside
        .map(|cycle| {
            let awaited = Awaited {
                start: cycle.start,
                usual_at: cycle.usual_at,
            };
            let at = cycle.usual_at.saturating_add(threshold.seconds);
            Deadline::of_cycle(awaited, at, cycle.arrived_at, window.known_until)
        })
        .collect()
}

//! What if all datasets of a cadence had one limit?
//!
//! A limit on the delay for all hourly datasets, one for the daily, the weekly
//! and the monthly ones: what a team writes down. Handed the true calendar and
//! zone, and tuned for the best F1 on the very days it is scored on.

use std::collections::BTreeMap;

use freshness_core::schedule::Grain;

use super::{Contestant, Threshold, best_threshold};
use crate::evaluate::{Awaited, Deadline, scored};
use crate::truth::CycleTruth;

pub(super) fn deadlines(contestants: &[Contestant<'_>]) -> Vec<Vec<Deadline>> {
    let mut lateness: BTreeMap<Grain, Vec<(i64, bool)>> = BTreeMap::new();
    for contestant in contestants {
        let Some(grain) = grain(contestant) else {
            continue;
        };
        let truth = contestant.subject.truth;
        let counts = scored(truth, contestant.scope);
        let counted = truth
            .cycles
            .iter()
            .zip(counts)
            .filter(|(_, counts)| *counts);
        let of_grain = lateness.entry(grain).or_default();
        of_grain.extend(counted.map(|(cycle, _)| {
            let late = cycle.arrived_at.map_or(i64::MAX, |at| at - cycle.start);
            (late, cycle.incident.is_some())
        }));
    }
    let limits: BTreeMap<Grain, Threshold> = lateness
        .into_iter()
        .filter_map(|(grain, lateness)| Some((grain, best_threshold(lateness)?)))
        .collect();
    contestants
        .iter()
        .map(|contestant| {
            let limit = grain(contestant).and_then(|grain| limits.get(&grain));
            limit.map_or_else(Vec::new, |limit| held_to(contestant, *limit))
        })
        .collect()
}

fn grain(contestant: &Contestant<'_>) -> Option<Grain> {
    let (calendar, _) = contestant.subject.truth.schedule.as_ref()?;
    calendar.grain()
}

fn held_to(contestant: &Contestant<'_>, limit: Threshold) -> Vec<Deadline> {
    let window = contestant.window;
    let cycles = contestant.subject.truth.cycles.iter();
    let deadline = |cycle: &CycleTruth| {
        let awaited = Awaited {
            start: cycle.start,
            usual_at: cycle.usual_at,
        };
        let at = cycle.start.saturating_add(limit.seconds);
        Deadline::of_cycle(awaited, at, cycle.arrived_at, window.known_until)
    };
    cycles
        .filter(|cycle| window.contains(cycle.start))
        .map(deadline)
        .collect()
}

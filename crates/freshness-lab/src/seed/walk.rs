//! What really happened, cycle by cycle?
//!
//! What was due comes when it was due, unless something goes wrong: with the
//! dataset itself, or with what it is made from. Deliveries stay in order, so
//! that a late one holds up those behind it, and they catch up one after the
//! other. What parents add beyond what could pass for noise is an incident of
//! theirs; less than that is made up.

use freshness_core::dataset::DatasetId;
use freshness_core::schedule::Cycle;

use super::chance::Chance;
use super::dues::{Due, dues, lateness_floor, seconds};
use super::plan::Plan;
use crate::truth::{CycleTruth, Incident, IncidentKind};

/// A dataset that has been walked.
#[derive(Debug, Clone)]
pub(super) struct Walked<'a> {
    pub(super) plan: &'a Plan,
    pub(super) steps: Vec<Step>,
}

/// One cycle and its truth.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) cycle: Cycle,
    pub(super) truth: CycleTruth,
}

/// The end of the history, and since when nothing may go wrong but what is
/// planned: late deliveries have come by then.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) calm_from: i64,
    pub(super) ends_at: i64,
}

/// Walks one dataset; `walked` are those before it.
pub(super) fn walk<'a>(
    plan: &'a Plan,
    walked: &[Walked<'_>],
    end: End,
    chance: &mut Chance,
) -> Walked<'a> {
    let dues = dues(plan, walked, end.ends_at, chance);
    let floor = lateness_floor(plan, &dues);
    let over = outages(plan, &dues, floor, end, chance);
    let mut last: Option<i64> = None;
    let mut steps = Vec::with_capacity(dues.len());
    for (due, over) in dues.iter().zip(over) {
        // Drawn for every cycle, so that one never shifts the next.
        let skipped = chance.happens(plan.skips);
        let own = own_trouble(plan, floor, chance);
        let pause = seconds(chance.between(0.4, 3.0));
        let mut truth = CycleTruth {
            start: due.cycle.start,
            usual_at: due.usual_at,
            due_at: (!skipped).then_some(due.due_at),
            arrived_at: None,
            incident: None,
        };
        let came = match skipped {
            true => Came::Never(None),
            false => outcome(plan, due, walked, own, over, floor, end),
        };
        match came {
            Came::Never(incident) => truth.incident = incident,
            Came::At(at, incident) => {
                let in_order = last.map_or(at, |last| if at > last { at } else { last + pause });
                let held_up = in_order - due.due_at > seconds(floor / 2.0);
                truth.arrived_at = Some(in_order).filter(|&at| at <= end.ends_at);
                truth.incident =
                    incident.or_else(|| held_up.then(|| itself(plan, IncidentKind::Backlog)));
                last = Some(in_order);
            }
        }
        steps.push(Step {
            cycle: due.cycle,
            truth,
        });
    }
    Walked { plan, steps }
}

enum Came {
    At(i64, Option<Incident>),
    Never(Option<Incident>),
}

/// What becomes of a delivery that was due: the first that is true.
fn outcome(
    plan: &Plan,
    due: &Due,
    walked: &[Walked<'_>],
    own: Own,
    over: Option<i64>,
    floor: f64,
    end: End,
) -> Came {
    let due_at = due.due_at;
    if plan
        .stops
        .is_some_and(|(from, to)| (from..to).contains(&due_at))
    {
        return Came::Never(Some(itself(plan, IncidentKind::Stopped)));
    }
    let silent_from = plan.trouble.silent_from;
    if silent_from.is_some_and(|from| due_at >= from) {
        return Came::Never(Some(itself(plan, IncidentKind::Missed)));
    }
    if let Some(over) = over {
        let incident = itself(plan, IncidentKind::Backlog);
        return Came::At(over.max(due_at), Some(incident));
    }
    if let Some(Held { ready_at, root }) = held(plan, due, walked) {
        let incident = Incident {
            root,
            kind: IncidentKind::Propagated,
        };
        let Some(ready_at) = ready_at else {
            return Came::Never(Some(incident));
        };
        let at = ready_at.max(due.scheduled_at) + due.noise;
        if at - due_at > seconds(floor / 2.0) {
            return Came::At(at, Some(incident));
        }
    }
    match own {
        Own::Missed if due_at < end.calm_from => {
            Came::Never(Some(itself(plan, IncidentKind::Missed)))
        }
        Own::Late(by) if due_at + by < end.calm_from => {
            Came::At(due_at + by, Some(itself(plan, IncidentKind::Late)))
        }
        Own::Nothing | Own::Missed | Own::Late(_) => Came::At(due_at, None),
    }
}

fn itself(plan: &Plan, kind: IncidentKind) -> Incident {
    Incident {
        root: plan.id.clone(),
        kind,
    }
}

/// For each delivery that falls into an outage, when that is over: after the
/// last of them was due.
fn outages(
    plan: &Plan,
    dues: &[Due],
    floor: f64,
    end: End,
    chance: &mut Chance,
) -> Vec<Option<i64>> {
    let mut over = vec![None; dues.len()];
    for &(from, n) in &plan.trouble.outages {
        let first = dues.partition_point(|due| due.cycle.start < from);
        let last = (first + n).min(dues.len());
        let wait = seconds(1.5 * floor + chance.between(60.0, 240.0));
        let Some(ends) = dues[first..last].iter().map(|due| due.due_at + wait).max() else {
            continue;
        };
        if ends < end.calm_from {
            over[first..last].fill(Some(ends));
        }
    }
    over
}

/// What goes wrong with one delivery by itself.
#[derive(Debug, Clone, Copy)]
enum Own {
    Nothing,
    Missed,
    /// By so many seconds.
    Late(i64),
}

fn own_trouble(plan: &Plan, floor: f64, chance: &mut Chance) -> Own {
    let trouble = &plan.trouble;
    let happens = chance.happens(trouble.rate);
    let missed = chance.happens(trouble.missed);
    let mut place = chance.between(0.0, 1.0);
    let share = chance.between(0.0, 1.0);
    if !happens {
        return Own::Nothing;
    }
    let mut is_drawn = false;
    for &(weight, low, high) in &trouble.sizes {
        is_drawn |= place < weight;
        place -= weight;
        // A size that could pass for noise gives way to the next one.
        if is_drawn && !missed && high > 1.2 * floor {
            let low = low.max(floor);
            return Own::Late(seconds(low * (high / low).powf(share)));
        }
    }
    Own::Missed
}

/// What keeps a delivery waiting.
struct Held {
    /// Until when; `None`: in vain.
    ready_at: Option<i64>,
    /// Where the lateness began.
    root: DatasetId,
}

/// When all it is made from has come in fact, if one of that was late; of
/// several the last one is to blame.
fn held(plan: &Plan, due: &Due, walked: &[Walked<'_>]) -> Option<Held> {
    let lag = seconds(plan.lag);
    let mut punctual = i64::MIN;
    let mut held: Option<Held> = None;
    for &(parent, step) in &due.made_from {
        let Walked { plan: of, steps } = &walked[parent];
        let truth = &steps[step].truth;
        let Some(incident) = &truth.incident else {
            punctual = punctual.max(truth.arrived_at.map_or(i64::MIN, |at| at + lag));
            continue;
        };
        let came = match truth.arrived_at {
            // A child that comes less often takes what comes next.
            None if plan.grain() > of.grain() => {
                steps[step..].iter().find_map(|step| step.truth.arrived_at)
            }
            came => came,
        };
        let ready_at = came.map(|came| came + lag);
        let is_last = held.as_ref().is_none_or(|held| match held.ready_at {
            None => false,
            Some(before) => ready_at.is_none_or(|ready_at| ready_at > before),
        });
        if is_last {
            held = Some(Held {
                ready_at,
                root: incident.root.clone(),
            });
        }
    }
    held.map(|held| Held {
        ready_at: held.ready_at.map(|ready_at| ready_at.max(punctual)),
        ..held
    })
}

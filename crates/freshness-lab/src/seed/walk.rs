//! What really happened, cycle by cycle?
//!
//! Two worlds are walked side by side: one in which nothing goes wrong, which
//! says when each delivery was due, and the real one. A dataset begins by its
//! own schedule or a lag after the last of its parents came, whichever is
//! later, and delivers in order. What its parents' lateness adds beyond what
//! could pass for noise is an incident of theirs; less than that it makes up.

use freshness_core::civil::{DAY, HOUR, Holidays, MINUTE};
use freshness_core::schedule::{Cycle, Grain};

use super::chance::Chance;
use super::plan::Plan;
use crate::truth::{CycleTruth, Incident, IncidentKind};

/// One cycle and its truth.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) cycle: Cycle,
    pub(super) truth: CycleTruth,
}

/// The end of the history, and since when nothing new may go wrong but what is
/// planned.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) calm_from: i64,
    pub(super) ends_at: i64,
}

/// Walks one dataset; `walked` are those before it.
pub(super) fn walk(
    plan: &Plan,
    walked: &[(&Plan, Vec<Step>)],
    end: End,
    chance: &mut Chance,
) -> Vec<Step> {
    let cycles = plan
        .calendar
        .cycles(plan.zone, &Holidays::builtin(), plan.begins, end.ends_at);
    let floor = lateness_floor(plan);
    let gap = |chance: &mut Chance| seconds(chance.between(0.4, 3.0));
    // The cycles of an outage that are still to come, and when it is over.
    let mut outage: Option<(usize, i64)> = None;
    let mut outages = plan.trouble.outages.iter().copied().peekable();
    // The last arrival, if it was late.
    let mut held_up: Option<i64> = None;
    let mut steps = Vec::with_capacity(cycles.len());
    for (i, &cycle) in cycles.iter().enumerate() {
        let scheduled = plan.scheduled_at(&cycle);
        let noise = seconds(plan.jitter.draw(chance));
        let awaited = Awaited::of(plan, walked, scheduled);
        let usual_at = awaited
            .usual
            .map_or(scheduled, |usual| usual.max(scheduled));
        let due =
            (awaited.due.map_or(scheduled, |due| due.max(scheduled)) + noise).max(cycle.start + 1);
        if due > end.ends_at {
            break;
        }
        let mut step = CycleTruth {
            start: cycle.start,
            usual_at,
            due_at: Some(due),
            arrived_at: Some(due),
            incident: None,
        };
        let itself = |kind| {
            Some(Incident {
                root: plan.id.clone(),
                kind,
            })
        };
        // Drawn for every cycle, so that what happens on one never shifts the next.
        let (skipped, own) = (chance.happens(plan.skips), Own::draw(plan, floor, chance));
        let pause = gap(chance);
        if plan.stops.is_some_and(|stops| due >= stops) {
            step.arrived_at = None;
            step.incident = itself(IncidentKind::Stopped);
        } else if plan.trouble.silent_from.is_some_and(|from| due >= from) {
            step.arrived_at = None;
            step.incident = itself(IncidentKind::Missed);
        } else if skipped {
            step.due_at = None;
            step.arrived_at = None;
        } else {
            if outages
                .next_if(|&(at, _)| at <= cycle.start)
                .is_some_and(|(_, n)| {
                    let last = cycles[(i + n - 1).min(cycles.len() - 1)];
                    let over = plan.scheduled_at(&last)
                        + seconds(1.5 * floor + chance.between(60.0, 240.0));
                    outage = Some((n, over));
                    over >= end.calm_from
                })
            {
                outage = None;
            }
            match (&awaited.late, own, outage) {
                (_, _, Some((n, over))) => {
                    step.arrived_at = Some(over.max(due));
                    step.incident = itself(IncidentKind::Backlog);
                    outage = (n > 1).then_some((n - 1, over));
                }
                (
                    Some(Late {
                        arrived: None,
                        root,
                    }),
                    _,
                    None,
                ) => {
                    step.arrived_at = None;
                    step.incident = Some(Incident {
                        root: root.clone(),
                        kind: IncidentKind::Propagated,
                    });
                }
                (
                    Some(Late {
                        arrived: Some(ready),
                        root,
                    }),
                    _,
                    None,
                ) if ready.max(&scheduled) + noise - due > seconds(floor / 2.0) => {
                    step.arrived_at = Some(ready.max(&scheduled) + noise);
                    step.incident = Some(Incident {
                        root: root.clone(),
                        kind: IncidentKind::Propagated,
                    });
                }
                (_, Own::Missed, None) if due < end.calm_from => {
                    step.arrived_at = None;
                    step.incident = itself(IncidentKind::Missed);
                }
                (_, Own::Late(by), None) if due + by < end.calm_from => {
                    step.arrived_at = Some(due + by);
                    step.incident = itself(IncidentKind::Late);
                }
                (_, Own::Nothing | Own::Missed | Own::Late(_), None) => {}
            }
        }
        if let (Some(arrived), Some(before)) = (step.arrived_at, held_up)
            && arrived <= before
        {
            let arrived = before + pause;
            step.arrived_at = Some(arrived);
            if arrived - due > seconds(floor / 2.0) && step.incident.is_none() {
                step.incident = itself(IncidentKind::Backlog);
            }
        }
        if step.arrived_at.is_some() {
            held_up = step.arrived_at;
        }
        if step.arrived_at.is_some_and(|at| at > end.ends_at) {
            step.arrived_at = None;
        }
        steps.push(Step { cycle, truth: step });
    }
    steps
}

/// Minutes late that cannot pass for noise: an ordinary delivery is that late
/// once in a thousand times, even if this one would have come early.
pub(super) fn lateness_floor(plan: &Plan) -> f64 {
    let [early, rare] = plan.jitter.quantiles([0.2, 0.999]);
    (1.1 * (rare - early)).max(match plan.grain() {
        Grain::Minutes(_) => 8.0,
        Grain::Day | Grain::Week | Grain::Month => 15.0,
    })
}

/// What goes wrong with one cycle.
enum Own {
    Nothing,
    Missed,
    /// By so many seconds.
    Late(i64),
}

impl Own {
    fn draw(plan: &Plan, floor: f64, chance: &mut Chance) -> Own {
        let trouble = &plan.trouble;
        let (happens, missed) = (chance.happens(trouble.rate), chance.happens(trouble.missed));
        let mut place = chance.between(0.0, 1.0);
        let (share, size) = (
            chance.between(0.0, 1.0),
            |low: f64, high: f64, share: f64| low * (high / low).powf(share),
        );
        match (happens, missed) {
            (false, _) => return Own::Nothing,
            (true, true) => return Own::Missed,
            (true, false) => {}
        }
        let mut drawn = false;
        for &(weight, from, to) in &trouble.sizes {
            drawn |= place < weight;
            place -= weight;
            // A size that could pass for noise gives way to the next one.
            if drawn && to > 1.2 * floor {
                return Own::Late(seconds(size(from.max(floor), to, share)));
            }
        }
        Own::Missed
    }
}

/// What a cycle waits for.
#[derive(Default)]
struct Awaited {
    /// When its parents and the lag let it begin: on a usual day, …
    usual: Option<i64>,
    /// … on this day had nothing gone wrong, …
    due: Option<i64>,
    /// … and in fact, if one of them was late.
    late: Option<Late>,
}

struct Late {
    /// `None`: it waits in vain.
    arrived: Option<i64>,
    root: freshness_core::dataset::DatasetId,
}

impl Awaited {
    fn of(plan: &Plan, walked: &[(&Plan, Vec<Step>)], scheduled: i64) -> Awaited {
        let lag = seconds(plan.lag);
        let mut awaited = Awaited::default();
        // When all are there in fact; of the late ones the last counts.
        let mut arrived = i64::MIN;
        for (parent, steps) in plan.parents.iter().map(|&place| &walked[place]) {
            let Some(i) = awaited_cycle(plan.grain(), parent.grain(), steps, scheduled) else {
                continue;
            };
            let truth = &steps[i].truth;
            let Some(due) = truth.due_at else { continue };
            awaited.usual = awaited.usual.max(Some(truth.usual_at + lag));
            awaited.due = awaited.due.max(Some(due + lag));
            let came = match truth.arrived_at {
                // A child that comes less often takes what comes next.
                None if plan.grain() > parent.grain() => {
                    steps[i..].iter().find_map(|step| step.truth.arrived_at)
                }
                came => came,
            };
            let Some(incident) = &truth.incident else {
                arrived = arrived.max(due + lag);
                continue;
            };
            let ready = came.map(|came| came + lag);
            let last_so_far =
                awaited
                    .late
                    .as_ref()
                    .is_none_or(|late| match (late.arrived, ready) {
                        (None, _) => false,
                        (Some(_), None) => true,
                        (Some(before), Some(ready)) => ready > before,
                    });
            if last_so_far {
                awaited.late = Some(Late {
                    arrived: ready,
                    root: incident.root.clone(),
                });
            }
        }
        if let Some(Late {
            arrived: Some(ready),
            ..
        }) = &mut awaited.late
        {
            *ready = arrived.max(*ready);
        }
        awaited
    }
}

/// The cycle of the parent that a child scheduled for this instant is made
/// from: the last one that usually comes before it, or so little after it that
/// the child waits, unless an earlier cycle of the child was made from it.
fn awaited_cycle(child: Grain, parent: Grain, steps: &[Step], scheduled: i64) -> Option<usize> {
    let patience = match (child, parent) {
        (Grain::Minutes(_), _) => 20 * MINUTE,
        (_, Grain::Minutes(_)) => 0,
        _ => 5 * HOUR,
    };
    let period = child.seconds().min(7 * DAY);
    let until = scheduled + patience;
    let i = steps
        .partition_point(|step| step.truth.usual_at <= until)
        .checked_sub(1)?;
    (steps[i].truth.usual_at > until - period).then_some(i)
}

pub(super) fn seconds(minutes: f64) -> i64 {
    (minutes * MINUTE as f64).round() as i64
}

//! When is each delivery due, if nothing goes wrong?
//!
//! A dataset begins by its own schedule, or a lag after the last of the parents
//! it is made from came, whichever is later. Here all of them come when they
//! are due; what really happened is for `walk`.

use freshness_core::civil::{DAY, HOUR, Holidays, MINUTE};
use freshness_core::schedule::{Cycle, Grain};

use super::chance::Chance;
use super::plan::Plan;
use super::walk::{Step, Walked};

/// One delivery of a world without incidents. UTC seconds.
#[derive(Debug, Clone)]
pub(super) struct Due {
    pub(super) cycle: Cycle,
    /// When it begins at the earliest, by its own schedule.
    pub(super) scheduled_at: i64,
    /// When it usually comes, without noise.
    pub(super) usual_at: i64,
    /// When it comes, with noise.
    pub(super) due_at: i64,
    /// Seconds that chance adds.
    pub(super) noise: i64,
    /// What it is made from: a dataset walked before, and which of its steps.
    pub(super) made_from: Vec<(usize, usize)>,
}

/// All that is due until the end of the history.
pub(super) fn dues(
    plan: &Plan,
    walked: &[Walked<'_>],
    until: i64,
    chance: &mut Chance,
) -> Vec<Due> {
    let cycles = plan
        .calendar
        .cycles(plan.zone, &Holidays::builtin(), plan.begins, until);
    let lag = seconds(plan.lag);
    cycles
        .into_iter()
        .map(|cycle| {
            let scheduled_at = plan.scheduled_at(&cycle);
            let noise = seconds(plan.jitter.draw(chance));
            let made_from = made_from(plan, walked, scheduled_at);
            let (mut usual_at, mut begins_at) = (scheduled_at, scheduled_at);
            for &(parent, step) in &made_from {
                let truth = &walked[parent].steps[step].truth;
                usual_at = usual_at.max(truth.usual_at + lag);
                begins_at = begins_at.max(truth.due_at.unwrap_or(i64::MIN + lag) + lag);
            }
            Due {
                cycle,
                scheduled_at,
                usual_at,
                due_at: (begins_at + noise).max(cycle.start + 1),
                noise,
                made_from,
            }
        })
        .take_while(|due| due.due_at <= until)
        .collect()
}

/// Minutes late that can hardly pass for noise: as much as lies between an
/// ordinary delivery that is early and one that is later than all but a few.
pub(super) fn lateness_floor(plan: &Plan, dues: &[Due]) -> f64 {
    let [early, rare] = plan.jitter.quantiles([EARLY, RARE]);
    // What parents add to the noise shows only in what was due.
    let mut noise: Vec<i64> = dues.iter().map(|due| due.due_at - due.usual_at).collect();
    noise.sort_unstable();
    let place = (noise.len().saturating_sub(1) as f64 * RARE) as usize;
    let seen = noise
        .get(place)
        .map_or(0.0, |&noise| noise as f64 / MINUTE as f64);
    let least = match plan.grain() {
        Grain::Minutes(_) => 8.0,
        Grain::Day | Grain::Week | Grain::Month => 15.0,
    };
    (rare.max(seen) - early).max(least)
}

/// Chosen so that who knows all but the future tells nearly all late
/// deliveries from ordinary ones, and not quite all.
const EARLY: f64 = 0.5;
const RARE: f64 = 0.985;

fn made_from(plan: &Plan, walked: &[Walked<'_>], scheduled_at: i64) -> Vec<(usize, usize)> {
    if scheduled_at < plan.waits_from {
        return Vec::new();
    }
    let step = |&parent: &usize| {
        let Walked { plan: of, steps } = &walked[parent];
        let step = step_before(plan.grain(), of.grain(), steps, scheduled_at)?;
        Some((parent, step))
    };
    plan.parents.iter().filter_map(step).collect()
}

/// The cycle of the parent that a child scheduled for this instant is made
/// from: the last one that usually comes before it, or so little after it that
/// the child waits, unless an earlier cycle of the child was made from it.
fn step_before(child: Grain, parent: Grain, steps: &[Step], scheduled_at: i64) -> Option<usize> {
    let patience = match (child, parent) {
        (Grain::Minutes(_), _) => 20 * MINUTE,
        (_, Grain::Minutes(_)) => 0,
        _ => 5 * HOUR,
    };
    let until = scheduled_at + patience;
    let i = steps
        .partition_point(|step| step.truth.usual_at <= until)
        .checked_sub(1)?;
    let since = until - child.seconds().min(7 * DAY);
    (steps[i].truth.usual_at > since).then_some(i)
}

/// Whole seconds.
pub(super) fn seconds(minutes: f64) -> i64 {
    (minutes * MINUTE as f64).round() as i64
}

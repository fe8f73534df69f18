//! What did the sender send, and what twice?
//!
//! The first delivery of a cycle is the truth; around it come duplicates a few
//! minutes later, and old cycles delivered again.

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory, CycleName};
use freshness_core::schedule::Grain;
use rand_distr::Normal;

use super::chance::Chance;
use super::dues::seconds;
use super::plan::{Backfill, Plan, Sender};
use super::walk::{End, Step};

/// All arrivals of a dataset up to the end.
pub(super) fn deliver(
    plan: &Plan,
    steps: &[Step],
    end: End,
    chance: &mut Chance,
) -> ArrivalHistory {
    let Sender {
        names_cycles: _,
        names_runs: _,
        rows: _,
        duplicates,
        backfills,
    } = &plan.sender;
    let mut arrivals = Vec::with_capacity(steps.len() + steps.len() / 50);
    let came = |step: &Step| step.truth.arrived_at;
    for (n, step) in steps.iter().enumerate() {
        let Some(at) = came(step) else { continue };
        let detail = detail(plan, step, n, chance);
        if chance.happens(*duplicates) {
            let mut again = detail.clone();
            if chance.happens(0.5) && again.run_id.is_some() {
                again.run_id = Some(format!("{}-{n}-retry", plan.id).into());
            }
            arrivals.push(Arrival {
                at: at + seconds(chance.sized(0.2, 12.0)),
                detail: again,
            });
        }
        arrivals.push(Arrival { at, detail });
    }
    for &Backfill {
        at,
        n_cycles,
        named,
    } in backfills
    {
        let old: Vec<&Step> = steps
            .iter()
            .filter(|step| came(step).is_some_and(|came| came < at - 2 * plan.grain().seconds()))
            .collect();
        let mut at = at;
        for step in &old[old.len().saturating_sub(n_cycles)..] {
            let run = format!("{}-backfill-{}", plan.id, step.cycle.start);
            arrivals.push(Arrival {
                at,
                detail: ArrivalDetail {
                    cycle: named.then(|| name(plan, step)),
                    run_id: plan.sender.names_runs.then(|| run.into()),
                    ..ArrivalDetail::default()
                },
            });
            at += seconds(chance.between(0.3, 4.0));
        }
    }
    arrivals.retain(|arrival| arrival.at <= end.ends_at);
    ArrivalHistory::new(arrivals)
}

fn detail(plan: &Plan, step: &Step, n: usize, chance: &mut Chance) -> ArrivalDetail {
    let of_usual = Normal::new(1.0, 0.08).expect("a finite spread");
    let share = chance.draw(&of_usual).max(0.1);
    ArrivalDetail {
        cycle: plan.sender.names_cycles.then(|| name(plan, step)),
        run_id: plan
            .sender
            .names_runs
            .then(|| format!("{}-{n}", plan.id).into()),
        covers_through: None,
        rows: plan.sender.rows.map(|rows| (rows * share) as u64),
    }
}

/// Cycles of an hour are named by their instant, because an hour of the wall
/// clock comes twice a year.
fn name(plan: &Plan, step: &Step) -> CycleName {
    match plan.grain() < Grain::Day {
        true => CycleName::Instant(step.cycle.start),
        false => CycleName::Civil(step.cycle.local),
    }
}

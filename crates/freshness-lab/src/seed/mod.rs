//! What would a warehouse deliver of which everything is known?
//!
//! 53 datasets over 271 days, made from a seed and nothing else, with what is
//! true of each cycle beside what arrived. It is made diverse, because a narrow
//! generator flatters whoever is measured on it. Generation goes from the
//! characters (`cast`, `events`) over what happened (`walk`) to what the
//! senders sent (`deliveries`) and what owners say (`declare`).

mod cast;
mod chance;
mod declare;
mod deliveries;
mod dues;
mod events;
mod folder;
mod jitter;
mod layout;
mod plain;
mod plan;
mod walk;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::{DAY, HOUR};
use freshness_core::dataset::Dataset;
use freshness_core::lineage::Lineage;

pub use declare::Dashboard;
pub use folder::{FolderError, Kind, Maker};

use crate::truth::{DatasetTruth, Truth};
use chance::Chance;
use plan::Plan;
use walk::{End, Step, Walked};

/// A warehouse: what everybody may see of it, and the truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Warehouse {
    /// What is declared of each dataset, and what arrived.
    pub datasets: Vec<(Dataset, ArrivalHistory)>,
    /// What is made from what.
    pub lineage: Lineage,
    /// The reports.
    pub dashboards: Vec<Dashboard>,
    /// What is true, for nobody but the evaluation.
    pub truth: Truth,
    /// The history begins here (UTC seconds).
    pub from: i64,
    /// It ends here: what arrives later is not known yet. UTC seconds.
    pub ends_at: i64,
}

/// 2025-06-02, a Monday. The clocks of Europe, America and Australia change
/// in the history, and New Year lies before its last 45 days.
pub(crate) const FROM: i64 = 1_748_822_400;
/// 2026-02-27 22:00: the evening of the last of 271 days, a Friday. All that
/// is late that day has been so for hours.
pub(crate) const ENDS_AT: i64 = LAST_DAY + 22 * HOUR;
/// Its midnight.
const LAST_DAY: i64 = FROM + (N_DAYS - 1) * DAY;
/// Days in the history.
pub const N_DAYS: i64 = 271;

/// The diverse warehouse of a seed.
pub fn warehouse(seed: u64) -> Warehouse {
    let mut chance = Chance::new(seed, 0);
    let plans = cast::diverse(&mut chance);
    run(seed, &plans, &mut chance)
}

/// The plain warehouse of a seed: UTC, two shapes of noise, one move.
pub fn plain_warehouse(seed: u64) -> Warehouse {
    let mut chance = Chance::new(seed, 0);
    let plans = plain::plain(&mut chance);
    run(seed, &plans, &mut chance)
}

/// Lets the plans happen.
fn run(seed: u64, plans: &[Plan], chance: &mut Chance) -> Warehouse {
    let end = End {
        calm_from: LAST_DAY,
        ends_at: ENDS_AT,
    };
    let places = layout::places();
    let declared = declare::datasets(&places, plans, chance);
    let dashboards = declare::dashboards(&places, plans, chance);
    let mut walked: Vec<Walked<'_>> = Vec::with_capacity(plans.len());
    let mut datasets = Vec::with_capacity(plans.len());
    for ((i, plan), dataset) in plans.iter().enumerate().zip(declared) {
        let of = walk::walk(plan, &walked, end, &mut Chance::new(seed, 1 + 2 * i as u64));
        let mut chance = Chance::new(seed, 2 + 2 * i as u64);
        datasets.push((
            dataset,
            deliveries::deliver(plan, &of.steps, end, &mut chance),
        ));
        walked.push(of);
    }
    let edges = plans.iter().flat_map(|plan| {
        let upstream = |&parent: &usize| (plans[parent].id.clone(), plan.id.clone());
        plan.parents.iter().map(upstream)
    });
    Warehouse {
        lineage: Lineage::new(edges).expect("parents stand before children"),
        truth: truth(&walked),
        datasets,
        dashboards,
        from: FROM,
        ends_at: ENDS_AT,
    }
}

fn truth(walked: &[Walked<'_>]) -> Truth {
    let datasets = walked.iter().map(|Walked { plan, steps }| {
        let truth = DatasetTruth {
            class: plan.class.to_owned(),
            schedule: Some((plan.calendar.clone(), plan.zone)),
            moves: moves(plan, walked, steps),
            cycles: steps.iter().map(|step| step.truth.clone()).collect(),
            outages: Vec::new(),
        };
        (plan.id.clone(), truth)
    });
    Truth {
        datasets: datasets.collect(),
    }
}

/// Its own moves, and those of what it is made from as far as they moved it.
fn moves(plan: &Plan, walked: &[Walked<'_>], steps: &[Step]) -> Vec<(i64, f64)> {
    let mut above: Vec<usize> = plan.parents.clone();
    let mut next = 0;
    while next < above.len() {
        let more = walked[above[next]].plan.parents.iter();
        let new: Vec<usize> = more.copied().filter(|i| !above.contains(i)).collect();
        above.extend(new);
        next += 1;
    }
    let inherited = above.iter().flat_map(|&i| &walked[i].plan.moves);
    let inherited = inherited.filter_map(|&(at, _)| {
        let at = steps
            .iter()
            .find(|step| step.cycle.start >= at)?
            .cycle
            .start;
        let minutes = waited_more(plan, steps, at);
        (minutes.abs() >= 3.0).then_some((at, minutes))
    });
    let mut moves: Vec<(i64, f64)> = plan.moves.iter().copied().chain(inherited).collect();
    moves.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    moves.dedup_by_key(|&mut (at, _)| at);
    // As it is written and read: to a hundredth of a minute.
    for (_, minutes) in &mut moves {
        *minutes = (*minutes * 100.0).round() / 100.0;
    }
    moves
}

/// How many minutes longer it waits for its parents from an instant on.
fn waited_more(plan: &Plan, steps: &[Step], at: i64) -> f64 {
    const CYCLES: usize = 14;
    let place = steps.partition_point(|step| step.cycle.start < at);
    let median = |steps: &[Step]| {
        let waited = |step: &Step| step.truth.usual_at - plan.scheduled_at(&step.cycle);
        let mut waits: Vec<i64> = steps.iter().map(waited).collect();
        waits.sort_unstable();
        waits
            .get(waits.len() / 2)
            .map_or(0.0, |&wait| wait as f64 / 60.0)
    };
    let before = &steps[place.saturating_sub(CYCLES)..place];
    let after = &steps[place..(place + CYCLES).min(steps.len())];
    match before.is_empty() {
        true => 0.0,
        false => median(after) - median(before),
    }
}

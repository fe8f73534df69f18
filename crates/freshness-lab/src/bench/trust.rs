//! How long does it take to say how far every dashboard can be trusted?
//!
//! A layered warehouse of which a share is late, and dashboards of four parts
//! that show datasets of its lower half. What explains what is late is found
//! beforehand, as a check does.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use freshness_core::civil::DAY;
use freshness_core::dashboard::{Dashboard, DashboardId};
use freshness_core::dataset::DatasetId;
use freshness_core::incidents::attribute;
use freshness_core::state::{CycleVerdict, DatasetState, Severity, State};
use freshness_core::trust::{Root, Seen, trust};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::suppression::{Graph, NOW, graph};
use super::{Machine, Spread};
use crate::warehouse::Chance;

/// What was measured. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustTimes {
    /// Datasets of the warehouse.
    pub n_datasets: usize,
    /// Edges.
    pub n_edges: usize,
    /// Of the datasets, late.
    pub n_late: usize,
    /// Dashboards.
    pub n_dashboards: usize,
    /// Of them, with something late behind them.
    pub n_hurt: usize,
    /// Datasets behind them, of all together.
    pub n_behind: u64,
    /// Scoring all of them.
    pub trust: Spread,
    /// Where.
    pub machine: Machine,
}

const N_DATASETS: usize = 20_000;
const N_LAYERS: usize = 8;
const N_DASHBOARDS: usize = 1_000;
/// Late datasets, of all.
const SHARE_LATE: f64 = 0.01;
/// Parts of a dashboard, and datasets that each shows.
const PARTS: (usize, usize) = (4, 3);

/// Measures so many times.
pub fn trust_times(n_runs: usize) -> TrustTimes {
    times(N_DATASETS, N_DASHBOARDS, n_runs)
}

/// The measurements as a part of a Markdown page.
pub fn trust_told(found: &TrustTimes) -> String {
    let mut told = String::new();
    writeln!(
        told,
        "\nTrust: {} datasets with {} edges, {} of them late, and {} dashboards of {} parts, {} of \
         them with something late behind them; {} datasets stand behind all of them together. \
         Scores, causes and caveats of all: best, p50, p99 {:.1}, {:.1}, {:.1} ms.",
        found.n_datasets,
        found.n_edges,
        found.n_late,
        found.n_dashboards,
        PARTS.0,
        found.n_hurt,
        found.n_behind,
        found.trust.best,
        found.trust.p50,
        found.trust.p99,
    )
    .expect("a string takes all");
    told
}

fn times(n_datasets: usize, n_dashboards: usize, n_runs: usize) -> TrustTimes {
    let Graph {
        lineage,
        late: all,
        lags,
    } = graph(n_datasets, N_LAYERS);
    let mut chance = Chance::new(1);
    let is_late: Vec<bool> = all.iter().map(|_| chance.uniform() < SHARE_LATE).collect();
    let late = all.iter().zip(&is_late).filter(|(_, is_late)| **is_late);
    let late: Vec<_> = late.map(|(late, _)| late.clone()).collect();
    let attribution = attribute(&lineage, &late, &lags, NOW);
    let roots_of = |i: usize| {
        let claims = attribution.claims(i).iter();
        let claims = claims.filter(|claim| claim.hops > 0);
        let root = claims.map(|claim| Root {
            dataset_id: late[claim.root as usize].dataset_id.clone(),
            wait_seconds: claim.wait.map(|(_, most)| i64::from(most)),
        });
        root.collect::<Vec<Root>>()
    };
    let mut roots = (0..late.len()).map(roots_of);
    let roots: Vec<Vec<Root>> = is_late
        .iter()
        .map(|is_late| match is_late {
            true => roots.next().unwrap_or_default(),
            false => Vec::new(),
        })
        .collect();
    let states: Vec<DatasetState> = all
        .iter()
        .zip(&is_late)
        .map(|(of, is_late)| state(&of.dataset_id, is_late.then_some(of.since)))
        .collect();
    let seen: Vec<Seen<'_>> = states
        .iter()
        .zip(&roots)
        .map(|(state, roots)| Seen {
            state,
            critical: false,
            period_seconds: Some(DAY),
            next_due: Some(at(NOW + DAY)),
            roots,
            breach: None,
            is_promised: false,
        })
        .collect();
    let dashboards: Vec<Dashboard> = (0..n_dashboards)
        .map(|i| dashboard(i, &all[n_datasets / 2..], &mut chance, |of| &of.dataset_id))
        .collect();
    let found = trust(&seen, &lineage, &dashboards);
    let spent = (0..n_runs.max(1)).map(|_| {
        let started = Instant::now();
        drop(black_box(trust(&seen, &lineage, &dashboards)));
        started.elapsed().as_secs_f64()
    });
    TrustTimes {
        n_datasets,
        n_edges: lineage.n_edges(),
        n_late: late.len(),
        n_dashboards,
        n_hurt: found.iter().filter(|of| !of.causes.is_empty()).count(),
        n_behind: found.iter().map(|of| u64::from(of.n_datasets)).sum(),
        trust: Spread::of(spent.collect()).expect("at least one run"),
        machine: Machine::here(),
    }
}

fn state(id: &DatasetId, late_since: Option<i64>) -> DatasetState {
    let state = match late_since {
        Some(_) => State::Late,
        None => State::Ok,
    };
    let since = late_since.unwrap_or(NOW);
    DatasetState {
        dataset_id: id.clone(),
        state,
        severity: late_since.map(|_| Severity::Warning),
        model_status: "learned",
        last_arrival: None,
        current: Some(CycleVerdict {
            cycle: "2026-03-01".to_owned(),
            cycle_start: at(since - DAY / 2),
            usual_at: Some(at(since)),
            deadline: Some(at(since)),
            held_up_by: None,
            waits_for: None,
            learned_deadline: None,
            arrived_at: None,
            state,
            because: None,
            maintenance: None,
        }),
        late_seconds: late_since.map(|since| NOW - since),
        excused: None,
        n_overdue: u32::from(late_since.is_some()),
        newest_overdue: None,
        reason: String::new(),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("an instant of this century")
}

/// A dashboard that shows some of these.
fn dashboard<T>(
    i: usize,
    shown: &[T],
    chance: &mut Chance,
    id: impl Fn(&T) -> &DatasetId,
) -> Dashboard {
    let (n_parts, n_each) = PARTS;
    let feeds = (0..n_parts * n_each).map(|feed| {
        let place = (chance.uniform() * shown.len() as f64) as usize;
        (format!("part {}", feed / n_each), id(&shown[place]).clone())
    });
    let name = DashboardId::try_from(format!("dashboard_{i:05}").as_str()).expect("a good name");
    Dashboard::new(name, feeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_hurts_some_dashboards_and_not_all() {
        let found = times(2_000, 50, 1);
        assert!((1..50).contains(&found.n_hurt), "{found:?}");
        assert!(found.n_behind > 50 * 12, "{found:?}");
        let told = trust_told(&found);
        assert!(told.contains("50 dashboards of 4 parts"), "{told}");
    }
}

//! How long does it take to turn many late datasets into incidents?
//!
//! Layered graphs in which everything is late: each dataset is made from the one
//! above it and from another of the layer above, and every edge has a lag.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use freshness_core::civil::{DAY, HOUR, MINUTE};
use freshness_core::dataset::DatasetId;
use freshness_core::incidents::{EdgeLag, EdgeLags, LateDataset, attribute, incidents};
use freshness_core::lineage::Lineage;
use freshness_core::state::{Severity, State};
use serde::{Deserialize, Serialize};

use super::{Machine, Spread};
use crate::warehouse::{Chance, END};

/// What was measured. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suppression {
    /// Each graph.
    pub graphs: Vec<GraphTimes>,
    /// Where.
    pub machine: Machine,
}

/// One graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphTimes {
    /// Late datasets.
    pub n_late: usize,
    /// Layers.
    pub depth: usize,
    /// Edges.
    pub n_edges: usize,
    /// Incidents that they become.
    pub n_incidents: usize,
    /// Finding the roots of all.
    pub attribution: Spread,
    /// That, and telling each incident with its members.
    pub incidents: Spread,
}

/// Late datasets, layers, and how often each is measured.
const GRAPHS: [(usize, usize, usize); 7] = [
    (512, 2, 200),
    (512, 4, 200),
    (512, 8, 200),
    (512, 16, 200),
    (512, 32, 200),
    (512, 64, 200),
    (100_000, 64, 20),
];

/// An afternoon on which everything is late.
pub(super) const NOW: i64 = END + 15 * HOUR;

/// Measures all graphs, each so many times or fewer.
pub fn suppression(n_runs_most: usize) -> Suppression {
    let graphs = GRAPHS
        .iter()
        .map(|&(n_late, depth, n_runs)| times(n_late, depth, n_runs.min(n_runs_most).max(1)));
    Suppression {
        graphs: graphs.collect(),
        machine: Machine::here(),
    }
}

/// The measurements as a part of a Markdown page.
pub fn suppression_told(found: &Suppression) -> String {
    let mut told = String::from(
        "\nLate datasets into incidents: everything late in layered graphs, every edge with a lag. \
         *Roots* finds what explains each, *incidents* also tells them with all their members. \
         Targets: at most 0.2 ms for 512, and 100 ms for 100,000 (the tool that inspired this one: \
         4.1 to 16.7 ms for 512).\n\n\
         | late datasets | depth | edges | incidents | roots: best, p50, p99 | incidents: best, p50, p99 |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for graph in &found.graphs {
        let of = |spread: &Spread| {
            format!(
                "{:.3}, {:.3}, {:.3} ms",
                spread.best, spread.p50, spread.p99
            )
        };
        writeln!(
            told,
            "| {} | {} | {} | {} | {} | {} |",
            graph.n_late,
            graph.depth,
            graph.n_edges,
            graph.n_incidents,
            of(&graph.attribution),
            of(&graph.incidents),
        )
        .expect("a string takes all");
    }
    told
}

fn times(n_late: usize, depth: usize, n_runs: usize) -> GraphTimes {
    let Graph {
        lineage,
        late,
        lags,
    } = graph(n_late, depth);
    let timed = |work: &dyn Fn()| {
        let times = (0..n_runs).map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64()
        });
        Spread::of(times.collect()).expect("at least one run")
    };
    let found = || incidents(&lineage, &late, &lags, &[], NOW);
    GraphTimes {
        n_late,
        depth,
        n_edges: lineage.n_edges(),
        n_incidents: found().incidents.len(),
        attribution: timed(&|| drop(black_box(attribute(&lineage, &late, &lags, NOW)))),
        incidents: timed(&|| drop(black_box(found()))),
    }
}

/// A layered warehouse in which everything is late.
pub(super) struct Graph {
    pub(super) lineage: Lineage,
    pub(super) late: Vec<LateDataset>,
    pub(super) lags: EdgeLags,
}

pub(super) fn graph(n_late: usize, depth: usize) -> Graph {
    let width = n_late / depth;
    let mut chance = Chance::new(depth as u64);
    let id = |i: usize| {
        let name = format!("layer_{:02}_dataset_{:05}", i / width, i % width);
        DatasetId::try_from(name.as_str()).expect("a good name")
    };
    let mut edges = Vec::new();
    for i in width..n_late {
        let above = i / width - 1;
        let other = (chance.uniform() * width as f64) as usize;
        edges.push((id(i - width), id(i)));
        edges.push((id(above * width + other), id(i)));
    }
    let lineage = Lineage::new(edges).expect("layers are in order");
    let lag = EdgeLag {
        n: 300,
        p10: 5 * MINUTE,
        p50: 12 * MINUTE,
        p90: 25 * MINUTE,
        n_held: 20,
        wait_from: 4 * MINUTE,
        wait_to: 20 * MINUTE,
        abnormal: HOUR,
        parent_period: Some(DAY),
    };
    let pairs = lineage
        .edges()
        .map(|(parent, child)| (parent.as_str(), child.as_str(), lag));
    let lags = EdgeLags::new(&lineage, pairs);
    let late = (0..n_late).map(|i| {
        let usual = END + 2 * HOUR + (i / width) as i64 * 12 * MINUTE;
        LateDataset {
            severity: Some(Severity::Warning),
            cycle: "2026-03-01".to_owned(),
            ..LateDataset::new(id(i), State::Late, usual, usual + HOUR)
        }
    });
    let mut late: Vec<LateDataset> = late.collect();
    late.sort_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
    Graph {
        lineage,
        late,
        lags,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_late_comes_down_to_the_first_layer() {
        let graphs: Vec<GraphTimes> = [(512, 2), (512, 64)]
            .into_iter()
            .map(|(n_late, depth)| times(n_late, depth, 1))
            .collect();
        let n_incidents: Vec<usize> = graphs.iter().map(|graph| graph.n_incidents).collect();
        assert_eq!(n_incidents, [256, 8]);
        let machine = Machine::here();
        let told = suppression_told(&Suppression { graphs, machine });
        assert_eq!(
            told.lines()
                .filter(|line| line.starts_with("| 512"))
                .count(),
            2
        );
    }
}

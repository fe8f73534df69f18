//! How much was counted, and did it pass?
//!
//! Facets of data quality stand on inputs and outputs alike. Rows that a run counted
//! of what it wrote become a measurement of it; assertions that all held say that
//! every row passed. One that failed does not say how many rows did, so that count
//! stays unknown. A test that only reads a table delivers nothing, and a run of it
//! would pass for a delivery: of that only failures are told.

use std::collections::HashMap;

use freshness_core::slo::{Counts, Run, Stage, USUAL_ENVIRONMENT};

use super::event::{Assertions, DatasetPart, RowCount};
use super::runs::{Output, Runs};

/// What was measured, by run and dataset.
#[derive(Default)]
pub(super) struct Measured(HashMap<(u32, u32), Measure>);

#[derive(Clone, Copy)]
struct Measure {
    /// The greatest number of rows that was told.
    rows: Option<u64>,
    n_held: u32,
    n_failed: u32,
}

impl Measured {
    /// Adds what an event says of a dataset.
    pub(super) fn add(&mut self, run: u32, dataset: u32, part: &DatasetPart<'_>) {
        let facets = part.facets.as_ref();
        let measures = [&part.input_facets, &part.output_facets];
        let rows = measures
            .iter()
            .filter_map(|measures| measures.as_ref()?.data_quality_metrics.as_ref())
            .chain(facets.and_then(|facets| facets.data_quality_metrics.as_ref()))
            .filter_map(RowCount::rows)
            .max();
        let assertions = measures
            .iter()
            .filter_map(|measures| measures.as_ref()?.data_quality_assertions.as_ref())
            .chain(facets.and_then(|facets| facets.data_quality_assertions.as_ref()));
        let (mut n_held, mut n_failed) = (0, 0);
        for Assertions { assertions } in assertions {
            for assertion in assertions.iter().flatten() {
                match assertion.success {
                    Some(true) => n_held += 1,
                    Some(false) => n_failed += 1,
                    None => {}
                }
            }
        }
        if rows.is_none() && n_held + n_failed == 0 {
            return;
        }
        self.recall(run, dataset, (rows, n_held, n_failed));
    }

    /// What was told of a dataset by a run: rows, assertions that held, and that failed.
    pub(super) fn told(&self, run: u32, dataset: u32) -> Option<(Option<u64>, u32, u32)> {
        let measure = self.0.get(&(run, dataset))?;
        Some((measure.rows, measure.n_held, measure.n_failed))
    }

    /// Takes in what was told, now or before.
    pub(super) fn recall(
        &mut self,
        run: u32,
        dataset: u32,
        (rows, n_held, n_failed): (Option<u64>, u32, u32),
    ) {
        let measure = self.0.entry((run, dataset)).or_insert(Measure {
            rows: None,
            n_held: 0,
            n_failed: 0,
        });
        // The same event may come twice, so the most that one told counts.
        measure.rows = measure.rows.max(rows);
        measure.n_held = measure.n_held.max(n_held);
        measure.n_failed = measure.n_failed.max(n_failed);
    }

    /// Numbers of runs and datasets that something was measured of, in order.
    pub(super) fn of(&self) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = self.0.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// The measurement, if rows were counted of what the run delivered, and how many assertions failed.
    pub(super) fn run(&self, runs: &Runs, of: (u32, u32)) -> (Option<Run>, u32) {
        let Some(measure) = self.0.get(&of) else {
            return (None, 0);
        };
        let state = &runs.states[of.0 as usize];
        let written = runs.outputs(state).find(|output| output.dataset == of.1);
        let arrived = written.and_then(|output| output.arrived(state));
        let run = arrived.zip(measure.rows).map(|(finished_at, rows)| {
            let passed = measure.n_failed == 0 && measure.n_held > 0;
            Run {
                run_id: runs.name(state.key).into(),
                environment: USUAL_ENVIRONMENT.to_owned(),
                started_at: None,
                finished_at,
                stage: Stage::Normal,
                counts: Counts {
                    source: written.and_then(Output::rows),
                    total: Some(rows),
                    good: passed.then_some(rows),
                    quarantined: passed.then_some(0),
                },
                newest: None,
                source_newest: None,
                filled: None,
            }
        });
        (run, measure.n_failed)
    }

    pub(super) fn n(&self) -> usize {
        self.0.len()
    }
}

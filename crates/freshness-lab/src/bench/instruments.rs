//! How long do the instruments take that measure the deadlines?
//!
//! The made-up warehouse of seed 1: the real program evaluates it, and replays
//! its last 45 days with models that are learned anew every night.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use freshness_core::civil::DAY;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Machine, Plan, Spread, measure};
use crate::evaluate::HOLDOUT_DAYS;
use crate::seed::{Kind, Maker, Warehouse};

/// What was measured. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instruments {
    /// Datasets of the warehouse.
    pub n_datasets: usize,
    /// Its arrivals.
    pub n_arrivals: usize,
    /// `freshness evaluate`.
    pub evaluate: Spread,
    /// `freshness backtest` over 45 days, learned anew every night.
    pub backtest: Spread,
    /// The most memory the backtest held, MiB.
    pub backtest_peak_mib: f64,
    /// Where.
    pub machine: Machine,
}

const SEED: u64 = 1;

/// Measures both in `folder`, which must be empty.
pub fn instruments(plan: &Plan, folder: &Path) -> anyhow::Result<Instruments> {
    let machine = Machine::here();
    let kind = Kind::Diverse;
    let made = kind.make(SEED);
    let warehouse = folder.join("warehouse");
    made.write(&warehouse, Maker::Seed(kind), SEED)?;
    let store = folder.join("freshness.db");
    let now = Timestamp::from_second(made.ends_at)?.to_string();
    let freshness = || {
        let mut command = Command::new(&plan.binary);
        command
            .args(["--quiet", "--now", &now, "--store"])
            .arg(&store);
        command
    };
    for (what, file) in [("arrivals", "arrivals.csv"), ("datasets", "datasets.csv")] {
        let mut command = freshness();
        command.args(["import", what]).arg(warehouse.join(file));
        measure(&mut command, 0, false)?;
    }
    let mut evaluate = Vec::new();
    let seed = SEED.to_string();
    for _ in 0..plan.n_fits {
        let mut command = freshness();
        command.args(["evaluate", "--seed", &seed]);
        evaluate.push(measure(&mut command, 0, false)?.seconds);
    }
    let (from, to) = window(&made)?;
    let rows = folder.join("rows.csv");
    let mut backtest = Vec::new();
    let mut peak_mib = 0.0_f64;
    for run in 0..=plan.n_fits {
        let mut command = freshness();
        command.args(["backtest", "--from", &from, "--to", &to, "--out"]);
        // The last one looks at memory, which costs time.
        let measured = measure(command.arg(&rows), 0, run == plan.n_fits)?;
        match measured.peak_mib {
            Some(mib) => peak_mib = mib,
            None => backtest.push(measured.seconds),
        }
    }
    ensure!(rows.is_file(), "the backtest wrote nothing");
    let arrivals = made.datasets.iter().map(|(_, history)| history.len());
    let spread = |seconds| Spread::of(seconds).context("nothing was measured");
    Ok(Instruments {
        n_datasets: made.datasets.len(),
        n_arrivals: arrivals.sum(),
        evaluate: spread(evaluate)?,
        backtest: spread(backtest)?,
        backtest_peak_mib: peak_mib.round(),
        machine,
    })
}

/// The last 45 days.
fn window(made: &Warehouse) -> anyhow::Result<(String, String)> {
    let instant = |at| Timestamp::from_second(at).map(|at| at.to_string());
    let from = made.ends_at - i64::from(HOLDOUT_DAYS) * DAY;
    Ok((instant(from)?, instant(made.ends_at)?))
}

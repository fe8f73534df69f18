//! What is measured of one warehouse, step by step?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use freshness_core::civil::Holidays;
use freshness_core::dataset::Dataset;
use freshness_core::fit::{self, Parameters};
use freshness_store::{Access, Store};
use serde::{Deserialize, Serialize};

use super::console::{ConsoleResults, console};
use super::{Machine, Spread, measure, write_csv, write_parquet};
use crate::warehouse::{Chance, Shape, check_time};

/// How often what is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The program.
    pub binary: PathBuf,
    /// Runs of `fit`.
    pub n_fits: usize,
    /// Runs of `check`.
    pub n_checks: usize,
    /// At most so many datasets are fitted one by one.
    pub n_datasets: usize,
}

/// What was measured of one warehouse. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Which.
    pub shape: String,
    /// Its datasets.
    pub n_datasets: usize,
    /// Its arrivals.
    pub n_arrivals: usize,
    /// The file that was imported, bytes.
    pub file_bytes: u64,
    /// The store after a fit, bytes.
    pub store_bytes: u64,
    /// `freshness import arrivals`, once.
    pub import: Spread,
    /// The most memory it held, MiB.
    pub import_peak_mib: f64,
    /// `freshness fit` on a store without models.
    pub fit: Spread,
    /// The same on one thread.
    pub fit_one_thread: Spread,
    /// The most memory it held, MiB.
    pub fit_peak_mib: f64,
    /// Learning one dataset, arrivals in memory.
    pub fit_dataset: Spread,
    /// How many times longer that takes, over all of them, than merely sorting
    /// the same arrivals.
    #[serde(default)]
    pub fit_over_sort: Option<f64>,
    /// `freshness check`.
    pub check: Spread,
    /// The most memory it held, MiB.
    pub check_peak_mib: f64,
    /// `freshness report`.
    #[serde(default)]
    pub console: Option<ConsoleResults>,
    /// Where.
    pub machine: Machine,
}

/// Above so many arrivals the file is Parquet.
const CSV_ARRIVALS_MAX: usize = 1_000_000;

/// Measures one warehouse in `folder`, which must be empty.
pub fn bench(shape: &Shape, plan: &Plan, folder: &Path) -> anyhow::Result<Results> {
    let machine = Machine::here();
    let file = if shape.n_arrivals() > CSV_ARRIVALS_MAX {
        let file = folder.join("arrivals.parquet");
        write_parquet(shape, &file)?;
        file
    } else {
        let file = folder.join("arrivals.csv");
        write_csv(shape, &file)?;
        file
    };

    let imported = folder.join("imported.db");
    let mut command = freshness(plan, &imported);
    let import = measure(command.args(["import", "arrivals"]).arg(&file), 0, true)?;
    settle(&imported)?;

    let store = folder.join("fitted.db");
    let mut fits = Vec::new();
    for _ in 0..plan.n_fits {
        fs::copy(&imported, &store)?;
        fits.push(measure(freshness(plan, &store).arg("fit"), 0, false)?.seconds);
    }
    let models = models(&store)?;
    ensure!(
        models.len() == shape.n_datasets(),
        "{} models of {} datasets",
        models.len(),
        shape.n_datasets()
    );
    let other = folder.join("one_thread.db");
    let (mut one_thread, mut fit_peak_mib) = (Vec::new(), 0.0_f64);
    for threads in [1, 2] {
        fs::copy(&imported, &other)?;
        let mut command = freshness(plan, &other);
        command.arg("fit").arg("--threads").arg(threads.to_string());
        let measured = measure(&mut command, 0, threads == 2)?;
        match measured.peak_mib {
            Some(peak_mib) => fit_peak_mib = fit_peak_mib.max(peak_mib),
            None => one_thread.push(measured.seconds),
        }
        ensure!(
            self::models(&other)? == models,
            "models differ with {threads} threads"
        );
    }
    settle(&store)?;
    let store_bytes = fs::metadata(&store)?.len();

    // The first check finds every state new; the others are what is usual.
    measure(freshness(plan, &store).arg("check"), 1, false)?;
    let mut checks = Vec::new();
    for _ in 0..plan.n_checks {
        checks.push(measure(freshness(plan, &store).arg("check"), 1, false)?.seconds);
    }
    let check = measure(freshness(plan, &store).arg("check"), 1, true)?;

    let console = console(|| freshness(plan, &store), folder, plan.n_fits)?;
    let (alone, sorted) = fit_each(&store, plan.n_datasets)?;
    let fit_seconds: f64 = alone.iter().sum();
    let spread = |seconds| Spread::of(seconds).context("nothing was measured");
    Ok(Results {
        shape: shape.name.to_owned(),
        n_datasets: shape.n_datasets(),
        n_arrivals: shape.n_arrivals(),
        file_bytes: fs::metadata(&file)?.len(),
        store_bytes,
        import: spread(vec![import.seconds])?,
        import_peak_mib: whole(import.peak_mib),
        fit: spread(fits)?,
        fit_one_thread: spread(one_thread)?,
        fit_peak_mib: fit_peak_mib.round(),
        fit_dataset: spread(alone)?,
        fit_over_sort: (sorted > 0.0).then(|| (fit_seconds / sorted * 10.0).round() / 10.0),
        check: spread(checks)?,
        check_peak_mib: whole(check.peak_mib),
        console: Some(console),
        machine,
    })
}

fn whole(mib: Option<f64>) -> f64 {
    mib.unwrap_or(0.0).round()
}

/// A command of the program on a store, as of the end of the warehouse.
fn freshness(plan: &Plan, store: &Path) -> Command {
    let mut command = Command::new(&plan.binary);
    command
        .args(["--quiet", "--now", &check_time().to_string(), "--store"])
        .arg(store);
    command
}

/// Closes a store for good, so that its file is all there is of it.
fn settle(store: &Path) -> anyhow::Result<()> {
    drop(Store::open(store, Access::ReadWrite)?);
    Ok(())
}

/// The rows of the models as they are stored.
fn models(store: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let rows = Store::open(store, Access::ReadOnly)?.model_rows()?;
    Ok(rows
        .into_iter()
        .map(|row| (row.dataset.to_string(), row.json))
        .collect())
}

/// Seconds of each pure call of `fit`, over datasets that are spread evenly,
/// and of sorting the arrivals of all of them.
fn fit_each(store: &Path, n_most: usize) -> anyhow::Result<(Vec<f64>, f64)> {
    let store = Store::open(store, Access::ReadOnly)?;
    let holidays = Holidays::builtin();
    let parameters = Parameters::default();
    let entries = store.datasets()?;
    let step = entries.len().div_ceil(n_most.max(1)).max(1);
    let mut seconds = Vec::new();
    let mut sorted = 0.0;
    for entry in entries.iter().step_by(step) {
        let dataset = Dataset::undeclared(entry.id.clone());
        let history = store.history(entry.no)?;
        let started = Instant::now();
        let model = fit::fit(
            &dataset,
            &history,
            &holidays,
            check_time().as_second(),
            &parameters,
        );
        seconds.push(started.elapsed().as_secs_f64());
        drop(model);
        let mut at = shuffled(history.at());
        let started = Instant::now();
        at.sort_unstable();
        sorted += started.elapsed().as_secs_f64();
        ensure!(at == history.at(), "sorting lost an arrival");
    }
    Ok((seconds, sorted))
}

/// In an order that no sort finds easy, and always the same.
fn shuffled(at: &[i64]) -> Vec<i64> {
    let mut chance = Chance::new(at.len() as u64);
    let mut at = at.to_vec();
    for i in (1..at.len()).rev() {
        at.swap(i, (chance.uniform() * (i + 1) as f64) as usize);
    }
    at
}

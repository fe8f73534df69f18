//! How long does it take to judge the promises of a warehouse?
//!
//! Ten thousand datasets that promise everything that can be promised, each with a
//! run a day for ninety days: the real program imports them, checks all of them,
//! and tells the history of one.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use freshness_core::civil::{DAY, HOUR, MINUTE};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Machine, Plan, Spread, measure};
use crate::warehouse::END;

/// What was measured. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slo {
    /// Datasets that promise something.
    pub n_datasets: usize,
    /// Runs of all of them.
    pub n_runs: usize,
    /// `freshness import slo`.
    pub import_slo: f64,
    /// `freshness import runs`, from CSV.
    pub import_runs: f64,
    /// The store with all of it, bytes.
    pub store_bytes: u64,
    /// The first `freshness slo check`, which records every verdict.
    pub first_check: f64,
    /// Further ones, in which little changes.
    pub check: Spread,
    /// `freshness slo history DATASET --days 90`.
    pub history: Spread,
    /// The most memory a check held, MiB.
    pub check_peak_mib: f64,
    /// Where.
    pub machine: Machine,
}

const N_DATASETS: usize = 10_000;
const N_DAYS: i64 = 90;

/// All that can be promised.
const PROMISES: &str = "\
service_levels:
  freshness:
    threshold: 26h
    field: updated_at
    source_field: event_at
    source_threshold: 27h
    deadline: '09:00'
  availability: { threshold: 99.5, field: customer_id }
  row_count:
    min_rows: 100
    max_rows: 10000000
    anomaly: { enabled: true, method: seasonal_median }
  quality: { min_good_ratio: 0.95, max_quarantine_ratio: 0.05 }
";

/// Measures all in `folder`, which must be empty.
pub fn slo(plan: &Plan, folder: &Path) -> anyhow::Result<Slo> {
    let (declared, runs) = (folder.join("slo"), folder.join("runs.csv"));
    write_promises(&declared)?;
    let n_runs = write_runs(&runs)?;
    let store = folder.join("freshness.db");
    let now = Timestamp::from_second(END + 11 * HOUR)?.to_string();
    let freshness = |args: &[&str]| {
        let mut command = Command::new(&plan.binary);
        command
            .args(["--quiet", "--now", &now, "--store"])
            .arg(&store);
        command.args(args);
        command
    };
    let milliseconds = |seconds: f64| seconds * 1e3;
    let mut import = freshness(&["import", "slo"]);
    let import_slo = milliseconds(measure(import.arg(&declared), 0, false)?.seconds);
    let mut import = freshness(&["import", "runs"]);
    let import_runs = milliseconds(measure(import.arg(&runs), 0, false)?.seconds);
    let check = |memory: bool| measure(&mut freshness(&["slo", "check"]), 1, memory);
    let first_check = milliseconds(check(false)?.seconds);
    let (mut checks, mut histories) = (Vec::new(), Vec::new());
    for i in 0..plan.n_checks {
        checks.push(check(false)?.seconds);
        let name = name(i * 7_919 % N_DATASETS);
        let mut history = freshness(&["slo", "history", &name, "--days", "90"]);
        histories.push(measure(&mut history, 0, false)?.seconds);
    }
    Ok(Slo {
        n_datasets: N_DATASETS,
        n_runs,
        import_slo,
        import_runs,
        store_bytes: fs::metadata(&store)?.len(),
        first_check,
        check: Spread::of(checks).context("no checks")?,
        history: Spread::of(histories).context("no histories")?,
        check_peak_mib: check(true)?.peak_mib.unwrap_or_default(),
        machine: Machine::here(),
    })
}

/// The measurements as a part of a Markdown page.
pub fn slo_told(found: &Slo) -> String {
    let mut told = String::new();
    let Slo {
        n_datasets,
        n_runs,
        import_slo,
        import_runs,
        store_bytes,
        first_check,
        check,
        history,
        check_peak_mib,
        machine: _,
    } = found;
    let times = |of: &Spread| format!("{:.0}, {:.0}, {:.0} ms", of.best, of.p50, of.p99);
    write!(
        told,
        "\nPromises: {n_datasets} datasets that promise freshness of field and source, a deadline, \
         availability, rows within bounds and as usual, and quality, with {n_runs} runs over \
         {N_DAYS} days. Targets: a check within 1 s, a history within 200 ms.\n\n\
         | what | time |\n| --- | --- |\n\
         | import of the promises | {import_slo:.0} ms |\n\
         | import of the runs | {import_runs:.0} ms |\n\
         | first check, which records every verdict | {first_check:.0} ms |\n\
         | check: best, p50, p99 | {} |\n\
         | history of a dataset: best, p50, p99 | {} |\n\n\
         The store has {:.0} MiB, a check holds at most {check_peak_mib:.0} MiB.\n",
        times(check),
        times(history),
        *store_bytes as f64 / f64::from(1 << 20),
    )
    .expect("a string takes all");
    told
}

fn name(i: usize) -> String {
    format!("dataset_{i:05}")
}

fn write_promises(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("_domain.yaml"), PROMISES)?;
    for i in 0..N_DATASETS {
        let contract = format!("dataset: {}\n", name(i));
        fs::write(folder.join(format!("{}.yaml", name(i))), contract)?;
    }
    Ok(())
}

/// A run each morning; one in two hundred brings a third of the rows.
fn write_runs(path: &Path) -> anyhow::Result<usize> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(
        out,
        "dataset_id,run_id,finished_at,counts_source,counts_total,counts_good,\
         counts_quarantined,newest,source_newest,non_null,non_null_of"
    )?;
    let mut n = 0;
    for i in 0..N_DATASETS {
        let dataset = name(i);
        for day in 0..N_DAYS {
            let scatter = (i as i64 * 104_729 + day * 7_919) % 3_600;
            let at = END + (day - N_DAYS + 1) * DAY + 6 * HOUR + scatter;
            let usual = 1_000 + (i as i64 % 50) * 100 + scatter % 90;
            let rows = if scatter % 200 == 7 { usual / 3 } else { usual };
            let bad = rows / 100;
            writeln!(
                out,
                "{dataset},{day},{at},{rows},{rows},{},{bad},{},{},{},{rows}",
                rows - bad,
                at - 10 * MINUTE,
                at - 30 * MINUTE,
                rows - rows / 1_000,
            )?;
            n += 1;
        }
    }
    out.flush()?;
    Ok(n)
}

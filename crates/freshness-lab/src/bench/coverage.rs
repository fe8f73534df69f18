//! How long does a check of coverage take, and how long a publish?
//!
//! A ledger is written through the rules of acceptance, as senders would write
//! it; then the real program checks it, and single releases are added to it,
//! each on disk before it is answered.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use freshness_core::civil::{HOUR, MINUTE};
use freshness_core::coverage::{ContractRow, Decision, Proposal, Step, decide};
use freshness_store::{Access, Asked, DeclareMode, Store};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Machine, Plan, Spread, measure};
use crate::warehouse::check_time;

/// What was measured. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Contracts.
    pub n_contracts: u64,
    /// Releases in the ledger when it was checked.
    pub n_releases: u64,
    /// The store, bytes.
    pub store_bytes: u64,
    /// Seconds that writing the ledger took, ten thousand releases at once.
    pub written_seconds: f64,
    /// `freshness coverage check`, a whole process.
    pub check: Spread,
    /// The most memory it held, MiB.
    pub check_peak_mib: f64,
    /// One release told to an open store, on disk.
    pub publish: Spread,
    /// `freshness coverage publish`, a whole process.
    pub publish_process: Spread,
    /// Where.
    pub machine: Machine,
}

/// Releases that are stored at once while the ledger is made.
const BATCH: u64 = 10_000;
/// An hour lies between two releases of a scope.
const EVERY: i64 = HOUR;

/// Measures a ledger of so many contracts with so many releases each in
/// `folder`, which must be empty. Every hundredth scope has stopped a day ago.
pub fn coverage(
    plan: &Plan,
    n_contracts: u64,
    releases_each: u64,
    folder: &Path,
) -> anyhow::Result<Coverage> {
    let machine = Machine::here();
    let path = folder.join("freshness.db");
    let now = check_time();
    let mut store = Store::open(&path, Access::Create)?;
    let contracts: Vec<ContractRow> = (0..n_contracts).map(contract).collect();
    store.import_contracts(&contracts, DeclareMode::Replace)?;
    let started = Instant::now();
    let mut waiting = Vec::new();
    for scope in 0..n_contracts {
        for n in 0..releases_each {
            waiting.push(release(scope, n, releases_each, now));
            if waiting.len() as u64 >= BATCH {
                take(&mut store, &mut waiting, now)?;
            }
        }
    }
    take(&mut store, &mut waiting, now)?;
    let written_seconds = started.elapsed().as_secs_f64();
    drop(store);
    let store_bytes = fs::metadata(&path)?.len();

    let freshness = || {
        let mut command = Command::new(&plan.binary);
        command
            .args(["--quiet", "--now", &now.to_string(), "--store"])
            .arg(&path);
        command
    };
    let mut checks = Vec::new();
    let mut check_peak_mib = 0.0;
    for run in 0..=plan.n_checks {
        // The last one looks at memory, which costs time.
        let is_last = run == plan.n_checks;
        let measured = measure(freshness().args(["coverage", "check"]), 1, is_last)?;
        match measured.peak_mib {
            Some(mib) => check_peak_mib = mib.round(),
            None => checks.push(measured.seconds),
        }
    }

    let mut store = Store::open(&path, Access::ReadWrite)?;
    let (mut alone, mut processes) = (Vec::new(), Vec::new());
    let far_apart = |run: usize| (run as u64).wrapping_mul(7_919) % n_contracts;
    for run in 0..plan.n_checks {
        let mut asked = vec![release(far_apart(run), releases_each, releases_each, now)];
        asked[0].proposal.run_id = format!("alone-{run}");
        let started = Instant::now();
        take(&mut store, &mut asked, now)?;
        alone.push(started.elapsed().as_secs_f64());
    }
    drop(store);
    for run in 0..plan.n_checks {
        let asked = release(far_apart(run), releases_each, releases_each, now);
        let time = |at: Option<i64>| at.map_or_else(String::new, |at| at.to_string());
        let mut command = freshness();
        command.args(["coverage", "publish"]);
        command.args(["--source", &asked.proposal.source]);
        command.args(["--scope", &asked.proposal.scope]);
        command.args(["--run-id", &format!("process-{run}")]);
        command.args(["--complete-through", &time(asked.proposal.complete_through)]);
        command.args(["--published-at", &time(asked.proposal.published_at)]);
        processes.push(measure(&mut command, 0, false)?.seconds);
    }
    let spread = |seconds| Spread::of(seconds).context("nothing was measured");
    Ok(Coverage {
        n_contracts,
        n_releases: n_contracts * releases_each,
        store_bytes,
        written_seconds: (written_seconds * 10.0).round() / 10.0,
        check: spread(checks)?,
        check_peak_mib,
        publish: spread(alone)?,
        publish_process: spread(processes)?,
        machine,
    })
}

/// The measurements as a part of a Markdown page.
pub fn coverage_told(found: &Coverage) -> String {
    let of = |spread: &Spread| {
        format!(
            "{:.1}, {:.1}, {:.1} ms",
            spread.best, spread.p50, spread.p99
        )
    };
    let Coverage {
        n_contracts,
        n_releases,
        store_bytes,
        written_seconds,
        check,
        check_peak_mib,
        publish,
        publish_process,
        machine: _,
    } = found;
    format!(
        "\nCoverage: {n_contracts} contracts and a ledger of {n_releases} releases \
         ({:.0} MB, written in {written_seconds:.0} s). Targets: a check within 1 s, a publish \
         within 5 ms.\n\n\
         | what | best, p50, p99 |\n\
         | --- | --- |\n\
         | `freshness coverage check` (at most {check_peak_mib:.0} MiB) | {} |\n\
         | one release, on disk | {} |\n\
         | `freshness coverage publish`, a whole process | {} |\n",
        *store_bytes as f64 / 1e6,
        of(check),
        of(publish),
        of(publish_process),
    )
}

fn contract(scope: u64) -> ContractRow {
    ContractRow {
        source: format!("source_{:03}", scope / 1_000),
        scope: format!("scope_{:03}", scope % 1_000),
        max_source_lag_minutes: Some(180),
        max_publication_gap_minutes: Some(180),
        dataset: Some(format!("raw_{:03}", scope / 1_000)),
        ..ContractRow::default()
    }
}

/// Release `n` of a scope; the last one is an hour old, or a day if it stopped.
fn release(scope: u64, n: u64, of: u64, now: Timestamp) -> Asked {
    let contract = contract(scope);
    let stopped = if scope.is_multiple_of(100) { 24 } else { 1 };
    let back = of.saturating_sub(n + 1) as i64 + stopped;
    let published_at = now.as_second() - back * EVERY;
    Asked {
        step: Step::Publish,
        proposal: Proposal {
            source: contract.source,
            scope: contract.scope,
            run_id: format!("load-{n}"),
            complete_through: Some(published_at - 5 * MINUTE),
            published_at: Some(published_at),
            rows: Some(n),
            ..Proposal::default()
        },
        why: String::new(),
        unreadable: None,
    }
}

fn take(store: &mut Store, waiting: &mut Vec<Asked>, now: Timestamp) -> anyhow::Result<()> {
    let asked = std::mem::take(waiting);
    let decisions = store.take_steps(&asked, now, |seen, asked| {
        decide(asked.step, seen, &asked.proposal, now.as_second())
    })?;
    let is_accepted = |decision: &Decision| matches!(decision, Decision::Accept(_));
    let refused = decisions.iter().find(|decision| !is_accepted(decision));
    ensure!(refused.is_none(), "not accepted: {refused:?}");
    Ok(())
}

//! `bench --shape large`: makes warehouses up, and times the real program on
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Parser;
use freshness_lab::bench::{
    Coverage, Importers, Instruments, Plan, Results, Slo, Suppression, TrustTimes, bench, coverage,
    coverage_told, importers, importers_told, instruments, page, slo, slo_told, suppression,
    suppression_told, trust_times, trust_told,
};
use freshness_lab::warehouse::SHAPES;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Makes warehouses up, and times the real program on them.
#[derive(Debug, Parser)]
struct Arguments {
    /// small, medium, large, huge, instruments (evaluate and backtest on a made-up warehouse), suppression (late datasets into incidents), trust (scores of all dashboards), coverage (a ledger of 10 million releases), slo (10,000 datasets and their promises), importers (what other tools wrote) or all
    #[arg(long, value_name = "SHAPE", default_value = "large", value_parser = ["small", "medium", "large", "huge", INSTRUMENTS, SUPPRESSION, TRUST, COVERAGE, SLO, IMPORTERS, "all"])]
    shape: String,
    /// Folder of the results, one JSON file per shape and a page over all
    #[arg(long, value_name = "DIR", default_value = "bench/results")]
    out: PathBuf,
    /// The program [default: beside this one]
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Folder to work in [default: the machine's, for temporary files]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Runs of fit
    #[arg(long, value_name = "N", default_value_t = 7)]
    fits: usize,
    /// Runs of check
    #[arg(long, value_name = "N", default_value_t = 100)]
    checks: usize,
    /// Contracts of the ledger
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    contracts: u64,
    /// Releases of each of them
    #[arg(long, value_name = "N", default_value_t = 100)]
    releases: u64,
    /// Share of what other tools wrote that is imported; 1 is all
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    share: f64,
}

/// At most so many datasets are fitted one by one.
const DATASETS_FITTED_ALONE: usize = 2_000;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let plan = Plan {
        binary: program(arguments.binary)?,
        n_fits: arguments.fits.max(1),
        n_checks: arguments.checks.max(1),
        n_datasets: DATASETS_FITTED_ALONE,
    };
    let asked = |name: &str| ["all", name].contains(&arguments.shape.as_str());
    let folder = || match &arguments.work {
        Some(work) => tempfile::tempdir_in(work),
        None => tempfile::tempdir(),
    };
    fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make: {}", arguments.out.display()))?;
    for shape in SHAPES.iter().filter(|shape| asked(shape.name)) {
        let results = bench(shape, &plan, folder()?.path())
            .with_context(|| format!("the {} warehouse", shape.name))?;
        save(&results, shape.name, &arguments.out)?;
    }
    if asked(INSTRUMENTS) {
        let found = instruments(&plan, folder()?.path()).context("the instruments")?;
        save(&found, INSTRUMENTS, &arguments.out)?;
    }
    if asked(SUPPRESSION) {
        save(&suppression(plan.n_checks), SUPPRESSION, &arguments.out)?;
    }
    if asked(TRUST) {
        save(&trust_times(plan.n_checks), TRUST, &arguments.out)?;
    }
    if asked(COVERAGE) {
        let (contracts, each) = (arguments.contracts, arguments.releases);
        let found = coverage(&plan, contracts, each, folder()?.path()).context("coverage")?;
        save(&found, COVERAGE, &arguments.out)?;
    }
    if asked(SLO) {
        save(
            &slo(&plan, folder()?.path()).context("promises")?,
            SLO,
            &arguments.out,
        )?;
    }
    if asked(IMPORTERS) {
        let found = importers(&plan, arguments.share, folder()?.path()).context("importers")?;
        save(&found, IMPORTERS, &arguments.out)?;
    }
    tell(&arguments.out)
}

/// What the results of evaluate and backtest are called.
const INSTRUMENTS: &str = "instruments";
/// … and those of turning late datasets into incidents.
const SUPPRESSION: &str = "suppression";
/// … and those of the trust in dashboards.
const TRUST: &str = "trust";
/// … and those of coverage.
const COVERAGE: &str = "coverage";
/// … and those of promises.
const SLO: &str = "slo";
/// … and those of reading what other tools wrote.
const IMPORTERS: &str = "importers";

fn program(asked: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let program = match asked {
        Some(program) => program,
        None => std::env::current_exe()?.with_file_name("freshness"),
    };
    if !program.is_file() {
        bail!(
            "no program: {}\n\nhint: build it with `cargo build --release -p freshness`",
            program.display()
        );
    }
    Ok(program)
}

/// Writes results beside those of others.
fn save(results: &impl Serialize, name: &str, out: &Path) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(results)?;
    text.push('\n');
    Ok(fs::write(out.join(format!("{name}.json")), text)?)
}

/// Writes the page over all results that there are.
fn tell(out: &Path) -> anyhow::Result<()> {
    let mut all: Vec<Results> = Vec::new();
    for shape in &SHAPES {
        all.extend(saved(&out.join(format!("{}.json", shape.name)))?);
    }
    let found: Option<Instruments> = saved(&out.join(format!("{INSTRUMENTS}.json")))?;
    let mut page = page(&all, found.as_ref());
    let found: Option<Suppression> = saved(&out.join(format!("{SUPPRESSION}.json")))?;
    page.extend(found.iter().map(suppression_told));
    let found: Option<TrustTimes> = saved(&out.join(format!("{TRUST}.json")))?;
    page.extend(found.iter().map(trust_told));
    let found: Option<Coverage> = saved(&out.join(format!("{COVERAGE}.json")))?;
    page.extend(found.iter().map(coverage_told));
    let found: Option<Slo> = saved(&out.join(format!("{SLO}.json")))?;
    page.extend(found.iter().map(slo_told));
    let found: Option<Importers> = saved(&out.join(format!("{IMPORTERS}.json")))?;
    page.extend(found.iter().map(importers_told));
    fs::write(out.join("README.md"), &page)?;
    print!("{page}");
    Ok(())
}

fn saved<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    let Ok(text) = fs::read_to_string(path) else {
        return Ok(None);
    };
    let found = serde_json::from_str(&text);
    found.with_context(|| format!("cannot read: {}", path.display()))
}

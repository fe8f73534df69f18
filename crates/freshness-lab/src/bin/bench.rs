//! `bench --shape large`: makes warehouses up, and times the real program on
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Parser;
use freshness_lab::bench::{Plan, Results, bench, page};
use freshness_lab::warehouse::{SHAPES, Shape};

/// Makes warehouses up, and times the real program on them.
#[derive(Debug, Parser)]
struct Arguments {
    /// small, medium, large, huge or all
    #[arg(long, value_name = "SHAPE", default_value = "large", value_parser = ["small", "medium", "large", "huge", "all"])]
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
    let asked = |shape: &&Shape| ["all", shape.name].contains(&arguments.shape.as_str());
    for shape in SHAPES.iter().filter(asked) {
        let folder = match &arguments.work {
            Some(work) => tempfile::tempdir_in(work)?,
            None => tempfile::tempdir()?,
        };
        let results = bench(shape, &plan, folder.path())
            .with_context(|| format!("the {} warehouse", shape.name))?;
        save(&results, &arguments.out)?;
    }
    Ok(())
}

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

/// Writes the results beside those of other shapes, and the page over all.
fn save(results: &Results, out: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(out).with_context(|| format!("cannot make: {}", out.display()))?;
    let mut text = serde_json::to_string_pretty(results)?;
    text.push('\n');
    fs::write(out.join(format!("{}.json", results.shape)), text)?;
    let mut all = Vec::new();
    for shape in &SHAPES {
        let path = out.join(format!("{}.json", shape.name));
        if let Ok(text) = fs::read_to_string(&path) {
            let results: Results = serde_json::from_str(&text)
                .with_context(|| format!("cannot read: {}", path.display()))?;
            all.push(results);
        }
    }
    let page = page(&all);
    fs::write(out.join("README.md"), &page)?;
    print!("{page}");
    Ok(())
}

//! `real DIR`: measures false alarms and detection on real histories, into
//! which mishaps are injected.

use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;
use freshness_core::civil::DAY;
use freshness_core::fit::Parameters;
use freshness_lab::agreement::{Confidence, read_folder};
use freshness_lab::real::{Settings, page, pages_of_datasets, read_facts, run};

/// Measures false alarms and detection on real histories with injected mishaps.
#[derive(Debug, Parser)]
struct Arguments {
    /// Folder with arrivals.csv or arrivals.csv.gz, and datasets.csv
    folder: PathBuf,
    /// Class, confidence and outages: one JSON object per line [default: annotations.jsonl in the folder]
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// Seeds of the mishaps: one, or A..B without B
    #[arg(long, default_value = "1", value_parser = seeds)]
    seeds: Range<u64>,
    /// Days from one fit to the next, as in 1d
    #[arg(long, default_value = "1d", value_parser = days)]
    refit: i64,
    /// Share of mishaps that begin an outage of several cycles
    #[arg(long, default_value_t = 0.0)]
    outages: f64,
    /// Only datasets whose name or class holds this
    #[arg(long)]
    only: Option<String>,
    /// A line for each dataset
    #[arg(long)]
    datasets: bool,
    /// … and its alarms that nothing explains
    #[arg(long)]
    verbose: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let path = (arguments.facts).unwrap_or_else(|| arguments.folder.join("annotations.jsonl"));
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read: {}", path.display()))?;
    let facts = read_facts(&text)?;
    let folder = read_folder(&arguments.folder)?;
    let settings = Settings {
        seeds: arguments.seeds.clone(),
        refit: arguments.refit,
        outages: arguments.outages,
        confidence: Confidence::Medium,
        only: arguments.only,
        parameters: Parameters::default(),
    };
    let trials = run(&folder, &facts, &settings)?;
    let n_seeds = arguments.seeds.end - arguments.seeds.start;
    let mut out = String::new();
    if arguments.datasets || arguments.verbose {
        out += &pages_of_datasets(&trials, n_seeds, arguments.verbose);
        out.push('\n');
    }
    out += &page(&trials, n_seeds);
    Ok(std::io::stdout().write_all(out.as_bytes())?)
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("expected a seed or A..B: {text}");
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let range = match text.split_once("..") {
        Some((from, to)) => number(from)?..number(to)?,
        None => number(text).map(|seed| seed..seed.saturating_add(1))?,
    };
    if range.is_empty() {
        Err(wrong())
    } else {
        Ok(range)
    }
}

fn days(text: &str) -> Result<i64, String> {
    let days = text.strip_suffix('d').unwrap_or(text).parse::<i64>().ok();
    let seconds = days.filter(|days| (1..=10_000).contains(days));
    seconds
        .map(|days| days * DAY)
        .ok_or_else(|| format!("expected a number of days: {text}"))
}

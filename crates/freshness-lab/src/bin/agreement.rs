//! `agreement DIR`: compares what is learned of real histories with what is
//! known of them, and writes the comparison.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Parser;
use freshness_lab::agreement::{compare, page, read_folder, read_truth, read_views};

/// Compares what is learned of real histories with what is known of them.
#[derive(Debug, Parser)]
struct Arguments {
    /// Folder with arrivals.csv or arrivals.csv.gz, and datasets.csv
    folder: PathBuf,
    /// What is known: one JSON object per line [default: of the real histories]
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Views of disagreements: one JSON object per line [default: of the real histories]
    #[arg(long, value_name = "FILE")]
    views: Option<PathBuf>,
    /// Where to write the page [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const TRUTH: &str = include_str!("../../truth/real.jsonl");
const VIEWS: &str = include_str!("../../truth/real_views.jsonl");

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let truth = text_of(arguments.truth.as_deref(), TRUTH)?;
    let views = text_of(arguments.views.as_deref(), VIEWS)?;
    let folder = read_folder(&arguments.folder)?;
    let agreement = compare(&folder, &read_truth(&truth)?)?;
    let command = "cargo run --release -p freshness-lab --bin agreement -- DIR";
    let command = match &arguments.out {
        Some(out) => format!("{command} --out {}", out.display()),
        None => command.to_owned(),
    };
    let page = page(&agreement, &read_views(&views)?, &command);
    match arguments.out {
        Some(out) => {
            fs::write(&out, page).with_context(|| format!("cannot write: {}", out.display()))
        }
        None => Ok(std::io::stdout().write_all(page.as_bytes())?),
    }
}

fn text_of(path: Option<&Path>, builtin: &str) -> anyhow::Result<String> {
    match path {
        Some(path) => {
            fs::read_to_string(path).with_context(|| format!("cannot read: {}", path.display()))
        }
        None => Ok(builtin.to_owned()),
    }
}

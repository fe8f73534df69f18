//! Where does a warehouse come from of which everything is known?
//!
//! From a number: `freshness-lab` makes it, this command writes it and says
//! what to do with it. What is late in it is not told; that is the truth.

use std::path::PathBuf;

use clap::Args;
use freshness_lab::seed::{FolderError, Kind, Maker, N_DAYS, Warehouse};
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::{Paint, Table, write_document, write_line};

/// Make a synthetic warehouse with known truth.
///
/// 53 datasets with 271 days of arrivals, lineage and dashboards, as files to
/// import: hourly, daily, business-day, weekly and monthly feeds in several
/// time zones that are noisy, drift, move, fail, catch up and stop. The same
/// seed makes the same bytes. What is true of every cycle stands in the folder
/// `truth`, which nothing that learns or judges reads.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness seed
  freshness seed --seed 7 --out warehouse-7
  freshness seed --plain --out plain

Exit codes: 0 written, 2 could not.")]
pub(super) struct SeedArgs {
    /// Which warehouse: each number makes another
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// A plainer one: only UTC, two shapes of noise, one schedule that moves
    #[arg(long)]
    plain: bool,

    /// Folder to write: a new one, an empty one, or one that holds an earlier warehouse
    #[arg(long, value_name = "DIR", default_value = "warehouse")]
    out: PathBuf,
}

/// What was written.
#[derive(Debug, Serialize)]
struct Account {
    command: &'static str,
    folder: String,
    kind: Kind,
    seed: u64,
    n_datasets: usize,
    n_arrivals: usize,
    n_edges: usize,
    n_dashboards: usize,
    n_days: i64,
    from: Timestamp,
    ends_at: Timestamp,
}

pub(super) fn run(args: &SeedArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let SeedArgs { seed, plain, out } = args;
    let kind = if *plain { Kind::Plain } else { Kind::Diverse };
    let made = kind.make(*seed);
    made.write(out, Maker::Seed(kind), *seed)
        .map_err(in_words)?;
    let account = Account {
        command: "seed",
        folder: out.display().to_string(),
        kind,
        seed: *seed,
        n_datasets: made.datasets.len(),
        n_arrivals: n_arrivals(&made),
        n_edges: made.lineage.n_edges(),
        n_dashboards: made.dashboards.len(),
        n_days: N_DAYS,
        from: Timestamp::from_second(made.from)?,
        ends_at: Timestamp::from_second(made.ends_at)?,
    };
    match context.out.format {
        Format::Json => write_document(context.out.data(), &account)?,
        Format::Ndjson => write_line(context.out.data(), &account)?,
        Format::Table => tell(&account, context)?,
    }
    Ok(Answer::Healthy)
}

fn n_arrivals(made: &Warehouse) -> usize {
    made.datasets.iter().map(|(_, history)| history.len()).sum()
}

fn tell(account: &Account, context: &mut Context) -> anyhow::Result<()> {
    let counts = [
        ("datasets", account.n_datasets.to_string()),
        ("arrivals", account.n_arrivals.to_string()),
        ("edges", account.n_edges.to_string()),
        ("dashboards", account.n_dashboards.to_string()),
        ("days", account.n_days.to_string()),
    ];
    let mut table = Table::new(&counts.each_ref().map(|(name, _)| *name));
    (0..counts.len()).for_each(|column| table.align_right(column));
    table.row(counts.map(|(_, n)| (n, Paint::Plain)));
    context.out.table(table)?;
    let folder = &account.folder;
    let now = account.ends_at;
    let dashboards = match account.n_dashboards {
        0 => String::new(),
        _ => format!("\n  freshness import dashboards {folder}/dashboards.csv"),
    };
    // Talk: what to do next is no data.
    context.out.talk(format_args!(
        "
Written to {folder}; its history ends at {now}, so look at it as if it were then:

  freshness import arrivals {folder}/arrivals.csv
  freshness import datasets {folder}/datasets.csv
  freshness import lineage {folder}/lineage.csv{dashboards}
  freshness fit --now {now}
  freshness check --now {now}"
    ));
    if account.kind == Kind::Diverse {
        // `evaluate` makes it from its seed.
        let seed = account.seed;
        context
            .out
            .talk(format_args!("  freshness evaluate --seed {seed}"));
    }
    Ok(())
}

pub(super) fn in_words(error: FolderError) -> anyhow::Error {
    match &error {
        FolderError::Foreign(_) | FolderError::Here(_) | FolderError::NotAFolder(_) => failure(
            &error,
            "name a new or an empty one: `freshness seed --out DIR`",
        ),
        FolderError::Write { .. } | FolderError::Look { .. } | FolderError::Truth(_) => {
            error.into()
        }
    }
}

//! What would be caught if something went wrong in one's own history?
//!
//! `freshness-lab` tampers with it; this command reads what arrived, writes
//! what is left of it, and says how much was done. What was done is not told:
//! that is the truth, which stands in a folder of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use freshness_core::arrivals::ArrivalHistory;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_lab::mishap::{Asked, Done, LEAST_DELIVERIES, TamperError, Untouched, tamper};
use freshness_lab::seed::{FolderError, Maker};
use jiff::Timestamp;
use serde::Serialize;

use super::backtest::instant;
use super::import::in_words_to_stop;
use super::{Answer, Context};
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds;
use crate::rounds::ingest;
use crate::sources::{Source, TimeRules};

/// Let some deliveries of real arrivals go wrong, with known truth.
///
/// Writes a copy of a history in which some deliveries come late or never, so
/// that `freshness evaluate --on DIR` measures on your own data what would be
/// caught. Drawn are about 4 % of daily deliveries, 1 % of hourly, 8 % of weekly
/// and 12 % of monthly ones. A quarter of them never arrive; the others come 3
/// to 8 times the usual spread late, at most 0.8 of a period, and before the
/// next. A few begin an outage: several are held up and come together with the
/// next. Feeds without a calendar stay as they are.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness mishap --arrivals arrivals.csv --out tampered
  freshness mishap --arrivals arrivals.csv --datasets datasets.csv --outages outages.csv --out tampered
  freshness mishap --arrivals arrivals.parquet --from 2026-01-01 --seed 2 --out tampered-2
  freshness evaluate --on tampered

An outages file has the columns dataset_id, from, to: a silence that is known, from the last arrival
before it to the first after it. An alert inside is neither right nor wrong.

Exit codes: 0 written, 2 could not.")]
pub(super) struct MishapArgs {
    /// What arrived: CSV, NDJSON or Parquet
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    arrivals: Vec<PathBuf>,

    /// What is declared of the datasets
    #[arg(long, value_name = "FILE", num_args = 1..)]
    datasets: Vec<PathBuf>,

    /// Silences that are known
    #[arg(long, value_name = "FILE", num_args = 1..)]
    outages: Vec<PathBuf>,

    /// Deliveries from here on: a date (UTC) or an instant [default: the last 180 days; hourly feeds 60, weekly 550, monthly 1100]
    #[arg(long, value_name = "TIME", value_parser = instant)]
    from: Option<Timestamp>,

    /// … and before here [default: the end of the history]
    #[arg(long, value_name = "TIME", value_parser = instant)]
    to: Option<Timestamp>,

    /// Which mishaps: each number draws others
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Folder to write: a new one, an empty one, or one that an earlier run wrote
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// The share of mishaps that begin an outage.
const OUTAGES: f64 = 0.04;

/// What was done.
#[derive(Debug, Serialize)]
struct Account {
    command: &'static str,
    folder: String,
    seed: u64,
    n_datasets: usize,
    n_deliveries: usize,
    n_late: usize,
    n_missed: usize,
    n_held_up: usize,
    ends_at: Timestamp,
    datasets: Vec<DatasetAccount>,
}

#[derive(Debug, Serialize)]
struct DatasetAccount {
    dataset_id: DatasetId,
    class: &'static str,
    n_deliveries: usize,
    n_late: usize,
    n_missed: usize,
    n_held_up: usize,
    untouched: Option<&'static str>,
}

pub(super) fn run(args: &MishapArgs, context: &mut Context) -> anyhow::Result<Answer> {
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from >= to
    {
        return Err(failure(
            format_args!("the window is empty: it begins {from} and ends {to}"),
            "--from must be before --to",
        ));
    }
    let inputs = (args.arrivals.iter())
        .chain(&args.datasets)
        .chain(&args.outages);
    if let Some(input) = inputs.into_iter().find(|input| is_inside(input, &args.out)) {
        return Err(failure(
            format_args!("--out would overwrite an input: {}", input.display()),
            "name another folder",
        ));
    }
    let times = TimeRules {
        now: context.clock.now().as_second(),
        assume_zone: None,
    };
    let arrivals = sources(&args.arrivals);
    let datasets = ingest::histories(&arrivals, &sources(&args.datasets), &times, &|_| {})
        .map_err(in_words_to_stop)?;
    let outages = read_outages(args, &times, &datasets, context)?;
    let asked = Asked {
        from: args.from.map(Timestamp::as_second),
        to: args.to.map(Timestamp::as_second),
        outages: OUTAGES,
        seed: args.seed,
    };
    let (made, done) = tamper(datasets, &outages, &rounds::holidays(), &asked)
        .map_err(|error| failure(&error, hint_of(&error)))?;
    made.write(&args.out, Maker::Mishap, args.seed)
        .map_err(|error| refused(&error))?;
    let sum = |of: fn(&Done) -> usize| done.iter().map(of).sum();
    let account = Account {
        command: "mishap",
        folder: args.out.display().to_string(),
        seed: args.seed,
        n_datasets: done.len(),
        n_deliveries: sum(|one| one.n_deliveries),
        n_late: sum(|one| one.n_late),
        n_missed: sum(|one| one.n_missed),
        n_held_up: sum(|one| one.n_held_up),
        ends_at: Timestamp::from_second(made.ends_at)?,
        datasets: done.into_iter().map(DatasetAccount::from).collect(),
    };
    match context.out.format {
        Format::Json => write_document(context.out.data(), &account)?,
        Format::Ndjson => {
            for dataset in &account.datasets {
                write_line(context.out.data(), dataset)?;
            }
        }
        Format::Table => tell(&account, context)?,
    }
    Ok(Answer::Healthy)
}

/// Would replacing the folder take this file with it?
fn is_inside(input: &Path, folder: &Path) -> bool {
    match (input.canonicalize(), folder.canonicalize()) {
        (Ok(input), Ok(folder)) => input.starts_with(folder),
        _ => false,
    }
}

fn read_outages(
    args: &MishapArgs,
    times: &TimeRules,
    datasets: &[(Dataset, ArrivalHistory)],
    context: &Context,
) -> anyhow::Result<BTreeMap<DatasetId, Vec<(i64, i64)>>> {
    let read = ingest::outages(&sources(&args.outages), times).map_err(in_words_to_stop)?;
    let mut outages: BTreeMap<DatasetId, Vec<(i64, i64)>> = BTreeMap::new();
    for outage in read {
        let of = outages.entry(outage.dataset).or_default();
        of.push((outage.from, outage.to));
    }
    outages.values_mut().for_each(|of| of.sort_unstable());
    let is_known = |id: &&DatasetId| datasets.iter().any(|(dataset, _)| dataset.id == **id);
    for id in outages.keys().filter(|id| !is_known(id)) {
        context.out.warn(format_args!(
            "an outage of a dataset that never arrived: {id}"
        ));
    }
    Ok(outages)
}

fn sources(files: &[PathBuf]) -> Vec<Source> {
    let each = files.iter().cloned();
    each.map(|file| Source::named(file, None)).collect()
}

fn hint_of(error: &TamperError) -> String {
    match error {
        TamperError::NoArrivals => "is this the right file? it has a header only".to_owned(),
        TamperError::EmptyWindow { .. } => {
            "choose --from and --to inside the history, or leave them out".to_owned()
        }
        TamperError::FewArrivals { .. } => format!(
            "a dataset needs a calendar and {LEAST_DELIVERIES} deliveries; give a longer history, or an earlier --from"
        ),
    }
}

fn refused(error: &FolderError) -> anyhow::Error {
    match error {
        FolderError::Foreign(_) | FolderError::Here(_) | FolderError::NotAFolder(_) => {
            failure(error, "name a new or an empty folder with --out")
        }
        FolderError::Write { .. } | FolderError::Look { .. } | FolderError::Truth(_) => {
            anyhow::anyhow!("{error}")
        }
    }
}

impl From<Done> for DatasetAccount {
    fn from(done: Done) -> DatasetAccount {
        let Done {
            dataset,
            class,
            n_deliveries,
            n_late,
            n_missed,
            n_held_up,
            untouched,
        } = done;
        DatasetAccount {
            dataset_id: dataset,
            class,
            n_deliveries,
            n_late,
            n_missed,
            n_held_up,
            untouched: untouched.map(|why| match why {
                Untouched::NoCalendar => "no calendar",
                Untouched::FewDeliveries => "too few deliveries",
                Untouched::OutsideWindow => "nothing in the window",
            }),
        }
    }
}

fn tell(account: &Account, context: &mut Context) -> anyhow::Result<()> {
    let headings = [
        "DATASET",
        "CLASS",
        "DELIVERIES",
        "LATE",
        "NEVER",
        "HELD UP",
        "LEFT AS IT IS",
    ];
    let mut table = Table::new(&headings);
    for dataset in &account.datasets {
        let cells = [
            dataset.dataset_id.to_string(),
            dataset.class.to_owned(),
            dataset.n_deliveries.to_string(),
            dataset.n_late.to_string(),
            dataset.n_missed.to_string(),
            dataset.n_held_up.to_string(),
            dataset.untouched.unwrap_or_default().to_owned(),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    (2..6).for_each(|column| table.align_right(column));
    table.names(0);
    context.out.table(table)?;
    context.out.line("")?;
    let n = account.n_late + account.n_missed + account.n_held_up;
    context.out.line(format_args!(
        "{} of {} deliveries go wrong: {} come late, {} never, {} are held up",
        words::thousands(n as u64),
        words::thousands(account.n_deliveries as u64),
        account.n_late,
        account.n_missed,
        account.n_held_up
    ))?;
    let folder = &account.folder;
    context.out.talk(format_args!(
        "
Written to {folder}. What would be caught:

  freshness evaluate --on {folder}"
    ));
    Ok(())
}

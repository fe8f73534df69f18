//! What is to be imported?

mod dbt;
mod openlineage;
mod reading;
pub(in crate::cli) mod files;
mod lake;
mod query;
mod runs;
mod slo;
mod summary;
pub(in crate::cli) mod told;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use freshness_core::civil::Zone;
use freshness_core::dataset::DatasetId;
use freshness_store::{Access, DashboardMode, LineageMode, Store};

pub(super) use reading::in_words_to_stop;
use reading::with_progress;
use summary::{Summary, report};

use super::{Answer, Context};
use crate::outputs::words;
use crate::rounds;
use crate::rounds::ingest;
use crate::sources::TimeRules;

/// Import arrivals, datasets, lineage, dashboards or runs from CSV, NDJSON or
/// Parquet; service levels from YAML; what other tools tell.
///
/// Every file is read to its end before anything is stored, and everything is
/// stored at once or not at all. Importing the same thing twice changes
/// nothing.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Arrivals(ArrivalsArgs),
    Datasets(DatasetsArgs),
    Lineage(LineageArgs),
    Dashboards(DashboardsArgs),
    Query(query::QueryArgs),
    Runs(runs::RunsArgs),
    Slo(slo::SloArgs),
    Dbt(dbt::DbtArgs),
    Openlineage(openlineage::OpenlineageArgs),
    Delta(lake::DeltaArgs),
    Iceberg(lake::IcebergArgs),
    Files(files::FilesArgs),
}

/// Import arrivals: one row for each delivery of a dataset.
///
/// Columns: dataset_id, arrived_at, and if you have them cycle, rows, run_id,
/// covers_through; in any order, others are ignored. Times are ISO 8601 with an
/// offset or Z, or epoch seconds (below 10^11), milliseconds (below 10^14),
/// micro- or nanoseconds; from 1990 to 5 minutes after now. A cycle may begin up to
/// 366 days after its arrival, and covers_through may be any time until 2099.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import arrivals arrivals.csv
  freshness import arrivals 2026-*.csv.gz --on-error skip
  freshness import arrivals loads.parquet --assume-zone Europe/Berlin
  psql -c \"copy (select table_name as dataset_id, loaded_at as arrived_at from loads) to stdout csv header\" | freshness import arrivals -")]
struct ArrivalsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// What times without an offset mean, such as UTC or Europe/Berlin; an hour that comes twice is
    /// its first, in an hour that is skipped the clock is read as if it had not jumped
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    assume_zone: Option<Zone>,
}

/// Import what is declared of datasets; it wins over what is learned.
///
/// Columns: dataset_id, and if you have them grain, timezone, calendar,
/// critical, owner, team, tags. A declaration replaces the one before.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import datasets datasets.csv
  echo '{\"dataset_id\":\"fct_orders\",\"calendar\":\"business days US\",\"critical\":true}' | freshness import datasets -

Calendars (case does not matter, `-` may stand for `–`):
  every 15 minutes                  around the clock; also `every 6 hours`
  hourly
  hourly Mon-Fri 09-17; Sat 10-12   in these hours, the last included
  06:00, 18:00 Mon-Fri              at set times
  daily                             on days of the week
  Mon-Fri
  Mon, Wed, Fri
  weekly Wed
  business days US                  on business days
  business days US +1               on the day after them
  weekly business day 3 US          weekly, a day later after a holiday; also +1
  monthly day 1                     on a day of the month
  monthly last day
  monthly business day 3 US
  monthly last business day US
  irregular                         none: only how long it is silent

US stands for any country code (DE, GB-ENG), or a market's (NYSE).")]
struct DatasetsArgs {
    #[command(flatten)]
    input: InputArgs,
}

/// Import lineage: which dataset is made from which.
///
/// Columns: upstream_id, downstream_id. Edges are added to those stored; all
/// together must not go in a circle.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import lineage lineage.csv
  freshness import lineage lineage.csv --replace")]
struct LineageArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Forget the edges stored before
    #[arg(long)]
    replace: bool,
}

/// Import dashboards: which dataset feeds which part of which report.
///
/// Columns: dashboard_id, dataset_id, and if you have them part, title, owner,
/// url. A row for each dataset that a part shows; a part without a name is
/// called after its dataset. A dashboard replaces the one of its name.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import dashboards dashboards.csv
  freshness import dashboards dashboards.csv --replace
  echo '{\"dashboard_id\":\"board\",\"part\":\"revenue\",\"dataset_id\":\"fct_orders\"}' | freshness import dashboards -

The datasets must be known: import what arrived, datasets or lineage first.
`freshness trust` says how far each dashboard can be believed.")]
struct DashboardsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Forget the dashboards that are not in these files
    #[arg(long)]
    replace: bool,
}

#[derive(Debug, Args)]
struct InputArgs {
    /// Files to read: CSV or NDJSON, plain or gzip, or Parquet; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// What the files are [default: told from their first bytes]
    #[arg(long, value_name = "FORMAT")]
    input_format: Option<InputFormat>,

    /// What to do when a row is bad: import nothing, or the others
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    on_error: OnErrorArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum InputFormat {
    Csv,
    Ndjson,
    Parquet,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OnErrorArg {
    /// Import nothing
    Stop,
    /// Import the other rows
    Skip,
}

/// Runs the command.
pub(super) fn run(args: &ImportArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.what {
        What::Arrivals(args) => arrivals(args, context),
        What::Datasets(args) => datasets(&args.input, context),
        What::Lineage(args) => lineage(args, context),
        What::Dashboards(args) => dashboards(args, context),
        What::Query(args) => query::run(args, context),
        What::Runs(args) => runs::run(args, context),
        What::Openlineage(args) => openlineage::run(args, context),
        What::Slo(args) => slo::run(args, context),
        What::Dbt(args) => dbt::run(args, context),
        What::Delta(args) => lake::delta(args, context),
        What::Iceberg(args) => lake::iceberg(args, context),
        What::Files(args) => files::run(args, context),
    }
}

fn arrivals(args: &ArrivalsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let times = TimeRules {
        now: context.clock.now().as_second(),
        assume_zone: args.assume_zone,
    };
    let done = with_progress(&args.input, context, |sources, on_error, on_bytes| {
        ingest::arrivals(sources, &times, on_error, on_bytes, || store(context))
    })?;
    let mut summary = Summary::new("arrivals", &done);
    let mut answer = Answer::Healthy;
    for (file, counts) in summary.files.iter_mut().zip(&done.counts) {
        file.new = Some(counts.new);
        file.duplicate = Some(counts.duplicate);
        file.imported_before = counts.before.as_ref().map(|before| before.file.at);
        if let Some(before) = &counts.before {
            let at = before.file.at;
            context.out.talk(format_args!(
                "{}: already imported on {at} ({}): {} new",
                file.file, before.file.name, counts.new
            ));
        }
        for (_, error) in &counts.refused {
            answer = Answer::CouldNotTell;
            context.out.warn(error);
        }
    }
    let total = |of: fn(&freshness_store::ImportCounts) -> u64| done.counts.iter().map(of).sum();
    summary.new = total(|counts| counts.new);
    summary.duplicate = Some(total(|counts| counts.duplicate));
    summary.datasets_new = Some(total(|counts| counts.datasets_new));
    report(&done, &summary, context)?;
    Ok(answer)
}

fn datasets(input: &InputArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let holidays = rounds::holidays();
    let done = with_progress(input, context, |sources, on_error, on_bytes| {
        ingest::datasets(sources, &holidays, on_error, on_bytes, || store(context))
    })?;
    let mut summary = Summary::new("datasets", &done);
    summary.new = done.counts.new;
    summary.changed = Some(done.counts.changed);
    summary.unchanged = Some(done.counts.unchanged);
    report(&done, &summary, context)?;
    Ok(Answer::Healthy)
}

fn lineage(args: &LineageArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mode = match args.replace {
        true => LineageMode::Replace,
        false => LineageMode::Add,
    };
    let done = with_progress(&args.input, context, |sources, on_error, on_bytes| {
        ingest::lineage(sources, mode, on_error, on_bytes, || store(context))
    })?;
    let mut summary = Summary::new("lineage", &done);
    summary.new = done.counts.new;
    summary.duplicate = Some(done.counts.duplicate);
    summary.removed = args.replace.then_some(done.counts.removed);
    summary.datasets_new = Some(done.counts.datasets_new);
    if done.counts.datasets_new > 0 {
        let counts = &done.counts;
        let named: Vec<&str> = counts
            .datasets_named
            .iter()
            .map(DatasetId::as_str)
            .collect();
        let more = match counts.datasets_new - named.len() as u64 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        context.out.talk(format_args!(
            "note: {} not known before, named by an edge: {}{more}",
            words::count(counts.datasets_new, "dataset"),
            named.join(", ")
        ));
    }
    report(&done, &summary, context)?;
    Ok(Answer::Healthy)
}

fn dashboards(args: &DashboardsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mode = match args.replace {
        true => DashboardMode::Replace,
        false => DashboardMode::Add,
    };
    let mut store = context.open(Access::ReadWrite)?;
    let done = with_progress(&args.input, context, |sources, on_error, on_bytes| {
        ingest::dashboards(sources, mode, on_error, on_bytes, &mut store)
    })?;
    let mut summary = Summary::new("dashboards", &done);
    summary.new = done.counts.new;
    summary.changed = Some(done.counts.changed);
    summary.unchanged = Some(done.counts.unchanged);
    summary.removed = args.replace.then_some(done.counts.removed);
    report(&done, &summary, context)?;
    Ok(Answer::Healthy)
}

fn store(context: &Context) -> Result<Store, freshness_store::StoreError> {
    context.open(Access::Create)
}

fn zone(text: &str) -> Result<Zone, String> {
    Zone::named(text).map_err(|error| error.to_string())
}

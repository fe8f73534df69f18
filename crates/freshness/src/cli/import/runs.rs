//! What ran, and what was measured of it?

use clap::Args;
use freshness_core::civil::Zone;

use super::reading::with_progress;
use super::summary::{Summary, report};
use super::{InputArgs, store, zone};
use crate::cli::{Answer, Context};
use crate::outputs::words;
use crate::rounds::ingest;
use crate::sources::TimeRules;

/// Import runs: what was measured of a dataset when it was run.
///
/// Columns: dataset_id, run_id, finished_at, and if you have them environment
/// (prod if not said), started_at, stage (normal, no_new_data, or reprocess with
/// reprocess_from and reprocess_to, each a time or a day, whose end is meant in
/// reprocess_to; days are those of --assume-zone, else of UTC), counts_source, counts_total, counts_good,
/// counts_quarantined, newest and source_newest (the greatest value of the
/// freshness field and of the source field: a time, or `no rows`, `all null`,
/// `no column`; what is no time is kept and cannot be told), non_null and
/// non_null_of (rows with a value in the availability field, of so many; or
/// `no column`). A run is named by dataset, environment and run_id: of two of a
/// name the one that ended later stays, then the one that says more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import runs runs.csv
  freshness import runs runs-*.parquet --on-error skip
  echo '{\"dataset_id\":\"fct_orders\",\"run_id\":\"17\",\"finished_at\":\"2026-09-01T06:00:00Z\",\"counts_source\":1200,\"newest\":\"2026-09-01T05:58:00Z\"}' | freshness import runs -

`freshness slo check` judges them by the service levels that are declared.")]
pub(super) struct RunsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// What times without an offset mean, such as UTC or Europe/Berlin, and where a day begins
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    assume_zone: Option<Zone>,
}

/// Runs the command.
pub(super) fn run(args: &RunsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let times = TimeRules {
        now: context.clock.now().as_second(),
        assume_zone: args.assume_zone,
    };
    let done = with_progress(&args.input, context, |sources, on_error, on_bytes| {
        ingest::runs(sources, &times, on_error, on_bytes, || store(context))
    })?;
    let mut summary = Summary::new("runs", &done);
    summary.new = done.counts.new;
    summary.duplicate = Some(done.counts.duplicate);
    summary.changed = Some(done.counts.changed);
    summary.datasets_new = Some(done.counts.datasets_new);
    report(&done, &summary, context)?;
    if done.counts.contradicting > 0 {
        context.out.warn(format_args!(
            "{} told differently before, with the same end and as much said: what speaks worse of the dataset stays",
            words::count(done.counts.contradicting, "run")
        ));
    }
    Ok(Answer::Healthy)
}

//! What is to be taken over from dbt?

use std::path::PathBuf;

use clap::Args;
use freshness_store::Access;

use super::{OnErrorArg, told};
use crate::cli::{Answer, Context};
use crate::hint::failure;
use crate::rounds;
use crate::sources::read_dbt;

/// Import what dbt wrote: datasets, lineage, dashboards and arrivals.
///
/// manifest.json (v7 to v12) says what exists: sources, models, seeds and
/// snapshots with owner, group and tags, what is made from what, and exposures as
/// dashboards. meta.freshness beside any of them may say critical, calendar,
/// timezone, grain, owner, team, tags and settle. In sources.json (v3) and dbt 2's
/// freshness.json (v0) a newest row is an arrival of its source, in
/// run_results.json (v4 to v6) what succeeded arrived when it was done. Archives of
/// many days may overlap, in any order: what exists is what the newest manifest
/// says. docs/dbt.md tells the rest.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import dbt target
  freshness import dbt archive/ runs.tar.gz
  freshness import slo target            what dbt promises of the freshness of its sources

Exit codes: 0 imported, 2 nothing was.")]
pub(super) struct DbtArgs {
    /// Target folders, folders of archived ones, tars of them (.tar, .tar.gz, .tgz), or files
    #[arg(required = true, value_name = "TARGET_DIR")]
    targets: Vec<PathBuf>,

    /// What to do when a file cannot be read: import nothing, or the others
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    on_error: OnErrorArg,
}

pub(super) fn run(args: &DbtArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let skip = matches!(args.on_error, OnErrorArg::Skip);
    let now = context.clock.now().as_second();
    let read = read_dbt(&args.targets, skip, &rounds::holidays(), now);
    let (read, files) = read.map_err(|error| {
        let more = error.hint().map(|hint| format!("\nhint: {hint}"));
        let more = more.unwrap_or_default();
        failure(&error, format!("nothing was imported{more}"))
    })?;
    let mut store = context.open(Access::Create)?;
    let taken = rounds::told::take(&mut store, read, &context.settings.renames, None, now)
        .map_err(told::in_words)?;
    told::report("dbt", files.n(), &taken, context)?;
    Ok(match taken.counts.refused.is_empty() {
        true => Answer::Healthy,
        false => Answer::CouldNotTell,
    })
}

//! In whose words is something to be written?

mod dbt_sources;

use clap::{Args, Subcommand};

use super::{Answer, Context};

/// Write what is known for other tools, in the files that they read.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    DbtSources(dbt_sources::DbtSourcesArgs),
}

pub(super) fn run(args: &ExportArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.what {
        What::DbtSources(args) => dbt_sources::run(args, context),
    }
}

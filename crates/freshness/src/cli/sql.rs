//! Which SQL shows in a warehouse what is learned from?

use clap::{Args, ValueEnum};

use super::warehouse::{print, table_name, unsafe_name};
use super::{Answer, Context};
use crate::outputs::warehouse::{Dialect, LearnedSql};

/// Print SQL that shows in a warehouse what `fit` learns from.
///
/// The delay and weekday of the first arrival of each day, and how often each
/// dataset came later than a threshold. Days are those of UTC. `coverage sql`
/// prints the tables and the check of coverage.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness sql --dialect bigquery --arrivals ops.arrivals
  freshness sql --dialect postgres --what rates --thresholds ops.thresholds

Exit codes: 0 printed, 2 could not.")]
pub(super) struct SqlArgs {
    /// The database whose SQL it is
    #[arg(long)]
    dialect: Dialect,

    /// The table of arrivals, with dataset_id and arrived_at
    #[arg(long, value_name = "TABLE", default_value = "arrivals")]
    arrivals: String,

    /// The table of thresholds, with dataset_id, weekday and threshold_minutes
    #[arg(long, value_name = "TABLE", default_value = "thresholds")]
    thresholds: String,

    /// What to print
    #[arg(long, default_value = "all")]
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Delay and weekday of each day
    Features,
    /// How often thresholds were passed
    Rates,
    /// Both
    All,
}

pub(super) fn run(args: &SqlArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let arrivals = table_name("--arrivals", &args.arrivals)?;
    let thresholds = table_name("--thresholds", &args.thresholds)?;
    let sql = LearnedSql::new(args.dialect, &arrivals, &thresholds).map_err(unsafe_name)?;
    let statements = match args.what {
        What::Features => vec![sql.features()],
        What::Rates => vec![sql.rates()],
        What::All => vec![sql.features(), sql.rates()],
    };
    print("sql", args.dialect, &statements, context)?;
    Ok(Answer::Healthy)
}

//! What does a query tell that is to be imported?

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use freshness_core::civil::Zone;
use freshness_store::Access;
use jiff::SignedDuration;

use super::summary::{Shown, counted};
use super::{OnErrorArg, told, zone};
use crate::cli::collect::kinds;
use crate::cli::{Answer, Context};
use crate::config::{QuerySection, values};
use crate::hint::failure;
use crate::rounds::told::take;
use crate::sources::{BadRows, NotCollected, ToldRemark, read_query};

/// Import what a query tells: one row for each delivery, of any number of datasets.
///
/// It gives the columns of `import arrivals`: dataset_id, arrived_at, and if you
/// have them cycle, rows, run_id, covers_through; read by the same rules. It is one
/// question (SELECT, WITH, …) in a session that only reads. `{since}` in it stands
/// for a time 400 days ago, `{since_epoch}` for its seconds since 1970. The connections
/// of freshness.yaml lead to PostgreSQL, DuckDB, Parquet, SQLite, or through an ADBC
/// driver to any warehouse. docs/collect.md tells more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import query --connection warehouse --sql-file loads.sql
  freshness import query --connection app --sql 'select table_name as dataset_id, loaded_at as arrived_at from loads'

`freshness sources recipes` has queries that are ready for each warehouse.")]
pub(super) struct QueryArgs {
    /// A connection of freshness.yaml
    #[arg(long, value_name = "NAME")]
    connection: String,

    /// The query
    #[arg(
        long,
        value_name = "TEXT",
        required_unless_present = "sql_file",
        conflicts_with = "sql_file"
    )]
    sql: Option<String>,

    /// A file that holds the query
    #[arg(long, value_name = "FILE")]
    sql_file: Option<PathBuf>,

    /// What times without an offset mean, such as UTC or Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    assume_zone: Option<Zone>,

    /// What to do when a row is bad: import nothing, or the others
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    on_error: OnErrorArg,

    /// How long the answer may take
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = values::wait)]
    timeout: SignedDuration,
}

pub(super) fn run(args: &QueryArgs, context: &mut Context) -> anyhow::Result<Answer> {
    if args.timeout.is_zero() {
        return Err(failure(
            "no time to answer: --timeout 0s",
            "such as --timeout 60s",
        ));
    }
    let now = context.clock.now().as_second();
    let section = QuerySection {
        connection: args.connection.clone(),
        sql: args.sql.clone(),
        sql_file: args.sql_file.clone(),
        since: None,
        overlap: None,
        timeout: Some(args.timeout),
        assume_zone: args.assume_zone,
    };
    let connection = kinds::connection(&args.connection, &context.settings);
    let address = kinds::address(&args.connection, &connection).map_err(in_words)?;
    let label = args.connection.clone();
    let mut source = kinds::query(label, &section, address, now).map_err(in_words)?;
    source.overlap = Duration::ZERO;
    let mut bad = BadRows::default();
    let read = read_query(&source, None, &mut bad).map_err(|error| match error.hint() {
        Some(hint) => failure(&error, hint),
        None => error.into(),
    })?;
    let mut told = read.told;
    if !bad.is_empty() {
        left_out(&bad, args, told.arrivals.is_empty(), context)?;
    }
    if read.table.rows == 0 {
        context
            .out
            .warn("the query gives no rows, so nothing was imported");
    }
    told.remarks
        .extend(read.table.ignored.iter().map(|column| ToldRemark {
            place: args.connection.clone(),
            what: format!("column ignored: {column}"),
        }));
    let mut store = context.open(Access::Create)?;
    let taken =
        take(&mut store, told, &context.settings.renames, None, now).map_err(told::in_words)?;
    told::report("query", 1, &taken, context)?;
    match taken.counts.refused.is_empty() {
        true => Ok(Answer::Healthy),
        false => Ok(Answer::CouldNotTell),
    }
}

/// Says which rows mean nothing, or stops for them.
fn left_out(
    bad: &BadRows,
    args: &QueryArgs,
    are_all_bad: bool,
    context: &Context,
) -> anyhow::Result<()> {
    let mut hints: Vec<&str> = bad.hints().to_vec();
    let rows = format!("{}{}", counted(bad), Shown(bad));
    match args.on_error {
        OnErrorArg::Skip if !are_all_bad => {
            let hints: String = hints.iter().map(|hint| format!("\nhint: {hint}")).collect();
            context.out.warn(format_args!("left out {rows}{hints}"));
            Ok(())
        }
        OnErrorArg::Skip | OnErrorArg::Stop => {
            hints.push("`--on-error skip` imports the other rows");
            let message = match rows.split_once('\n') {
                Some((first, rest)) => format!("{first}; nothing was imported\n{rest}"),
                None => format!("{rows}; nothing was imported"),
            };
            Err(failure(message, hints.join("\nhint: ")))
        }
    }
}

fn in_words(reason: NotCollected) -> anyhow::Error {
    match reason.hint {
        Some(hint) => failure(reason.what, hint),
        None => anyhow::anyhow!(reason.what),
    }
}

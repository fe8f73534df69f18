//! Which SQL keeps coverage in a warehouse?

use clap::{Args, ValueEnum};

use super::super::warehouse::{print, table_name, unsafe_name};
use super::super::{Answer, Context};
use crate::outputs::warehouse::{CoverageSql, Dialect};

/// Print SQL that keeps contracts and ledger in a warehouse, and checks them there.
///
/// The tables, the insert of a writer (which refuses what the ledger of this
/// program would refuse, as far as one statement can), and the check: of each
/// contract the first failing condition, as in `coverage check`. docs/coverage-sql.md tells
/// how to use it in dbt and Dataform, and what SQL cannot express.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage sql --dialect postgres
  freshness coverage sql --dialect bigquery --ledger ops.ledger --contracts ops.contracts --what ddl
  freshness coverage sql --dialect snowflake --what check --only-unhealthy > tests/coverage.sql

With --now the check judges that instant instead of the database's own clock.

Exit codes: 0 printed, 2 could not.")]
pub(super) struct SqlArgs {
    /// The database whose SQL it is
    #[arg(long)]
    dialect: Dialect,

    /// The table of contracts; a part that is no plain name stands in double quotes
    #[arg(long, value_name = "TABLE", default_value = "coverage_contracts")]
    contracts: String,

    /// The table of accepted releases
    #[arg(long, value_name = "TABLE", default_value = "coverage_ledger")]
    ledger: String,

    /// What to print
    #[arg(long, default_value = "all")]
    what: What,

    /// Let the check answer only with contracts that are not healthy
    #[arg(long)]
    only_unhealthy: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The two tables
    Ddl,
    /// The insert of a writer
    Publish,
    /// The check
    Check,
    /// All of it
    All,
}

pub(super) fn run(args: &SqlArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let contracts = table_name("--contracts", &args.contracts)?;
    let ledger = table_name("--ledger", &args.ledger)?;
    let pinned = context.settings.now;
    let sql = CoverageSql::new(args.dialect, &contracts, &ledger, pinned).map_err(unsafe_name)?;
    let wanted = |what| args.what == What::All || args.what == what;
    let mut statements = Vec::new();
    if wanted(What::Ddl) {
        statements.push(sql.ddl());
    }
    if wanted(What::Publish) {
        statements.push(sql.publish());
    }
    if wanted(What::Check) {
        statements.push(sql.check(args.only_unhealthy));
    }
    print("coverage sql", args.dialect, &statements, context)?;
    Ok(Answer::Healthy)
}

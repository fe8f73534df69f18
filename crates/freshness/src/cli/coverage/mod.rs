//! What must be covered, who says that it is, and does that hold?

mod check;
mod contracts;
mod inventory;
mod log;
mod publish;
mod pull;
mod reconcile;
mod release;
mod releases;
mod said;
mod sql;
mod status;
mod two_step;

use clap::{Args, Subcommand};

use freshness_store::StoreError;

use super::{Answer, Context};
use crate::hint;
use crate::rounds::RoundError;

/// Keep a ledger of what was published, and say what is not covered.
///
/// A contract stands for each part of a feed that is required on its own, its
/// scope: a country, a shard, a table. Whoever publishes tells the ledger up to
/// when everything of the source is in. A healthy scope never speaks for
/// another.
#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Contracts(contracts::ContractsArgs),
    Inventory(inventory::InventoryArgs),
    Publish(Box<publish::PublishArgs>),
    Begin(Box<two_step::BeginArgs>),
    Commit(Box<two_step::CommitArgs>),
    Abort(two_step::AbortArgs),
    Reconcile(Box<reconcile::ReconcileArgs>),
    Check(check::CheckArgs),
    Status(status::StatusArgs),
    Log(log::LogArgs),
    Releases(releases::ReleasesArgs),
    Sql(sql::SqlArgs),
    Pull(pull::PullArgs),
}

pub(super) fn run(args: &CoverageArgs, context: &mut Context) -> anyhow::Result<Answer> {
    taken(args, context).map_err(|error| {
        let is_absent = error.chain().any(|cause| {
            matches!(
                cause.downcast_ref::<StoreError>(),
                Some(StoreError::Missing { .. })
            ) || matches!(
                cause.downcast_ref::<RoundError>(),
                Some(RoundError::Store(StoreError::Missing { .. }))
            )
        });
        match is_absent {
            true => hint::failure(
                format_args!("{error:#}"),
                "create it by declaring what must be covered: `freshness coverage contracts import FILE`",
            ),
            false => error,
        }
    })
}

fn taken(args: &CoverageArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.command {
        Command::Contracts(args) => contracts::run(args, context),
        Command::Inventory(args) => inventory::run(args, context),
        Command::Publish(args) => publish::run(args, context),
        Command::Begin(args) => two_step::begin(args, context),
        Command::Commit(args) => two_step::commit(args, context),
        Command::Abort(args) => two_step::abort(args, context),
        Command::Reconcile(args) => reconcile::run(args, context),
        Command::Check(args) => check::run(args, context),
        Command::Status(args) => status::run(args, context),
        Command::Log(args) => log::run(args, context),
        Command::Releases(args) => releases::run(args, context),
        Command::Sql(args) => sql::run(args, context),
        Command::Pull(args) => pull::run(args, context),
    }
}

//! How does a run publish that cannot share a transaction with the ledger?

use clap::Args;
use freshness_core::coverage::Step;
use freshness_store::{Access, Asked};

use super::super::ack::text;
use super::super::{Answer, Context};
use super::release::{ReleaseArgs, RunArgs};
use super::said::say;
use crate::rounds::coverage;

/// Say that a run is about to publish.
///
/// Begin, publish the data, then commit or abort. What is said here of the
/// release need not be said again by commit. A run that neither commits nor
/// aborts stays open, and `reconcile` names it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage begin --source orders --scope FR --run-id load-17 --complete-through 2026-03-02T06:00:00Z
  freshness coverage commit --source orders --scope FR --run-id load-17 --published-at 2026-03-02T06:04:00Z

Exit codes: 0 begun, or begun or published so already; 1 refused; 2 could not be recorded.")]
pub(super) struct BeginArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    release: ReleaseArgs,
}

/// Say that a run that was begun has published.
///
/// Accepted or refused by the rules of `publish`; if refused the run stays
/// open.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage commit --source orders --scope FR --run-id load-17 --published-at 2026-03-02T06:04:00Z --rows 1200

Exit codes: 0 accepted, or the run has published so already; 1 refused; 2 could not be recorded.")]
pub(super) struct CommitArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    release: ReleaseArgs,
}

/// Say that a run that was begun has not published.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage abort --source orders --scope FR --run-id load-17 --why 'the disk was full'

Exit codes: 0 aborted; 1 refused; 2 could not be recorded.")]
pub(super) struct AbortArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Why
    #[arg(long, value_name = "TEXT", value_parser = text)]
    why: String,
}

pub(super) fn begin(args: &BeginArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let asked = args.release.asked(&args.run, Step::Begin, context)?;
    take("coverage begin", &asked, context)
}

pub(super) fn commit(args: &CommitArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let asked = args.release.asked(&args.run, Step::Commit, context)?;
    take("coverage commit", &asked, context)
}

pub(super) fn abort(args: &AbortArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let asked = Asked {
        step: Step::Abort,
        proposal: args.run.proposal(),
        why: args.why.clone(),
        unreadable: None,
    };
    take("coverage abort", &asked, context)
}

fn take(command: &'static str, asked: &Asked, context: &mut Context) -> anyhow::Result<Answer> {
    let mut store = context.open(Access::ReadWrite)?;
    let now = context.clock.now();
    let decisions = coverage::take(&mut store, std::slice::from_ref(asked), now)?;
    say(command, asked, &decisions[0], context)
}

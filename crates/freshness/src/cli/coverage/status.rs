//! How far is each scope covered?

use clap::Args;
use freshness_store::Access;

use super::super::{Answer, Context};
use super::check::{answer, show};
use crate::rounds::RoundError;
use crate::rounds::coverage;

/// Say how far each scope is covered, and how long since.
///
/// Judges as `check` does, shows every scope, and records nothing. With `--now`
/// in the past it judges what had been published by then.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage status
  freshness coverage status --source orders
  freshness coverage status --now 2026-03-02T07:00:00Z

Exit codes: 0 shown, 2 could not tell.")]
pub(super) struct StatusArgs {
    /// Show only this source
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
}

pub(super) fn run(args: &StatusArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let store = context.open(Access::ReadOnly).map_err(RoundError::from)?;
    let is_past = (context.clock.ahead()).is_some_and(|ahead| ahead.is_negative());
    let mut covered = match is_past {
        true => coverage::look_back(&store, now)?,
        false => coverage::look(&store, now)?,
    };
    if let Some(source) = &args.source {
        covered
            .scopes
            .retain(|state| state.contract.source == *source);
        covered.gaps.retain(|gap| gap.source == *source);
        covered.open_runs.retain(|run| run.plan.source == *source);
        if covered.scopes.is_empty() && covered.gaps.is_empty() {
            return Err(crate::hint::failure(
                format_args!("no contracts of this source: {source}"),
                "`freshness coverage contracts list` shows all",
            ));
        }
    }
    let answer = answer(&covered);
    show("coverage status", &covered, answer, |_| true, context)?;
    Ok(Answer::Healthy)
}

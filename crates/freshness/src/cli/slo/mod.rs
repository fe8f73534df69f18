//! What is promised, and is it kept?
//!
//! The commands about service levels, each a file with its arguments and a
//! `run`.

mod check;
mod history;
mod log;
mod measure;
mod diff;
mod schema;
mod show;
mod suggest;

use clap::{Args, Subcommand};
use freshness_core::dataset::DatasetId;
use freshness_store::Store;

use super::status::globs;
use super::{Answer, Context};
use crate::hint::{did_you_mean, failure};
use crate::rounds::{self, Promises};

/// Service levels: what is promised of datasets, beside what is learned.
#[derive(Debug, Args)]
pub(super) struct SloArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::CheckArgs),
    History(history::HistoryArgs),
    Log(log::LogArgs),
    Show(show::ShowArgs),
    Measure(measure::MeasureArgs),
    Diff(diff::DiffArgs),
    Suggest(suggest::SuggestArgs),
    Schema(schema::SchemaArgs),
}

/// Runs the command.
pub(super) fn run(args: &SloArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.command {
        Command::Check(args) => check::run(args, context),
        Command::History(args) => history::run(args, context),
        Command::Log(args) => log::run(args, context),
        Command::Show(args) => show::run(args, context),
        Command::Measure(args) => measure::run(args, context),
        Command::Diff(args) => diff::run(args, context),
        Command::Suggest(args) => suggest::run(args, context),
        Command::Schema(args) => schema::run(args, context),
    }
}

/// A name or an environment that no promise has is a slip of the pen.
fn refuse_none(
    store: &Store,
    found: &Promises,
    patterns: &[String],
    environment: Option<&str>,
) -> anyhow::Result<()> {
    if found.promises.is_empty() && found.failures.is_empty() && patterns.is_empty() {
        let all = rounds::promises(store, None, |_| true)?;
        let mut known: Vec<&str> = all
            .promises
            .iter()
            .map(|of| of.environment.as_str())
            .collect();
        known.sort_unstable();
        known.dedup();
        return Err(failure(
            format_args!(
                "nothing is promised in the environment: {}",
                environment.unwrap_or("-")
            ),
            format_args!("environments with promises: {}", known.join(", ")),
        ));
    }
    for pattern in patterns {
        let globs = globs(std::slice::from_ref(pattern))?;
        let matches = |id: &DatasetId| globs.as_ref().is_some_and(|of| of.is_match(id.as_str()));
        let mut promised = found.promises.iter().map(|of| &of.dataset);
        let mut failed = found.failures.iter().map(|of| &of.dataset_id);
        if promised.any(matches) || failed.any(matches) {
            continue;
        }
        let all = rounds::promises(store, environment, |_| true)?;
        let known = all.promises.iter().map(|of| of.dataset.as_str());
        let hint = match did_you_mean(pattern, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`freshness slo show` lists what is promised".to_owned(),
        };
        return Err(failure(
            format_args!("nothing is promised of: {pattern}"),
            hint,
        ));
    }
    Ok(())
}

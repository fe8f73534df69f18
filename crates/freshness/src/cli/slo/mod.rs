//! What is promised, and is it kept?
//!
//! The commands about service levels, each a file with its arguments and a
//! `run`.

mod measure;
mod diff;
mod schema;
mod show;
mod suggest;

use clap::{Args, Subcommand};

use super::{Answer, Context};

/// Service levels: what is promised of datasets, beside what is learned.
#[derive(Debug, Args)]
pub(super) struct SloArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Show(show::ShowArgs),
    Measure(measure::MeasureArgs),
    Diff(diff::DiffArgs),
    Suggest(suggest::SuggestArgs),
    Schema(schema::SchemaArgs),
}

/// Runs the command.
pub(super) fn run(args: &SloArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.command {
        Command::Show(args) => show::run(args, context),
        Command::Measure(args) => measure::run(args, context),
        Command::Diff(args) => diff::run(args, context),
        Command::Suggest(args) => suggest::run(args, context),
        Command::Schema(args) => schema::run(args, context),
    }
}

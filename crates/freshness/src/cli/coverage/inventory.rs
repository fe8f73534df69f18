//! Which scopes must be covered, whoever has a contract?

use std::path::PathBuf;

use clap::{Args, Subcommand};
use freshness_store::{Access, DeclareMode};

use super::super::import::in_words_to_stop;
use super::super::{Answer, Context};
use super::contracts::{Counted, report};
use crate::config::Format;
use crate::outputs::{Paint, Table, write_document, write_line};
use crate::rounds::coverage;
use crate::sources::Source;

/// Declare which scopes there are.
///
/// Once there is an inventory, a scope without a contract and a contract
/// without a scope both fail a check.
#[derive(Debug, Args)]
pub(super) struct InventoryArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Import(ImportArgs),
    List(ListArgs),
}

/// Import an inventory: CSV, NDJSON or Parquet with source and scope, or YAML
/// with a list under `inventory`.
///
/// All files or, if anything is wrong, none.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage inventory import scopes.csv
  freshness coverage inventory import scopes.csv --replace

Exit codes: 0 imported, 2 could not.")]
struct ImportArgs {
    /// Files to read; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Forget the scopes that are not in these files
    #[arg(long)]
    replace: bool,
}

/// Show the inventory.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage inventory list

Exit codes: 0 shown, 2 could not.")]
struct ListArgs {}

pub(super) fn run(args: &InventoryArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.command {
        Command::Import(args) => import(args, context),
        Command::List(ListArgs {}) => list(context),
    }
}

fn import(args: &ImportArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let sources: Vec<Source> = args
        .files
        .iter()
        .map(|path| Source::named(path.clone(), None))
        .collect();
    let mode = match args.replace {
        true => DeclareMode::Replace,
        false => DeclareMode::Add,
    };
    let done = coverage::declare_inventory(&sources, mode, || context.open(Access::Create))
        .map_err(in_words_to_stop)?;
    report(&[Counted::new("inventory", &done.counts)], context)?;
    Ok(Answer::Healthy)
}

fn list(context: &mut Context) -> anyhow::Result<Answer> {
    let inventory = context.open(Access::ReadOnly)?.inventory()?;
    let out = &mut context.out;
    match out.format {
        Format::Table if inventory.is_empty() => out.line("no inventory was declared")?,
        Format::Table => {
            let mut table = Table::new(&["SOURCE", "SCOPE"]);
            for key in &inventory {
                let cells = [key.source(), key.scope()];
                table.row(cells.map(|cell| (cell.to_owned(), Paint::Plain)));
            }
            out.table(table)?;
        }
        Format::Json => {
            #[derive(serde::Serialize)]
            struct Document<'a> {
                command: &'static str,
                inventory: &'a [freshness_core::coverage::ScopeKey],
            }
            let command = "coverage inventory list";
            let inventory = &inventory;
            write_document(out.data(), &Document { command, inventory })?;
        }
        Format::Ndjson => {
            for key in &inventory {
                write_line(out.data(), key)?;
            }
        }
    }
    Ok(Answer::Healthy)
}

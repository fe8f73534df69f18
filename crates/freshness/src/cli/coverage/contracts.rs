//! What must be covered, and how far may it lag?

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use freshness_core::coverage::ContractRow;
use freshness_store::{Access, ContractCounts, DeclareMode};
use serde::Serialize;

use super::super::import::in_words_to_stop;
use super::super::{Answer, Context};
use crate::config::Format;
use crate::outputs::contracts::{FieldChange, as_csv, as_yaml, changes, table};
use crate::outputs::{Paint, Table, write_document, write_line};
use crate::rounds::coverage;
use crate::sources::Source;

/// Declare what must be covered, from files that were reviewed.
///
/// A contract is a source, a scope, and how far it may lag; it never comes from
/// what was delivered.
#[derive(Debug, Args)]
pub(super) struct ContractsArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Import(ImportArgs),
    List(ListArgs),
    Export(ExportArgs),
    Diff(DiffArgs),
}

/// Import contracts from YAML, CSV, NDJSON or Parquet.
///
/// Fields: source, scope, max_source_lag_minutes, max_publication_gap_minutes,
/// and if you have them dataset (which it feeds), calendar and timezone (the
/// days, or hours of the week, in which the limits run), skew_tolerance_minutes
/// (0 unless stated), owner. YAML has them in a list under `contracts`, and may
/// have an `inventory`. All files or, if anything is wrong, none.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage contracts import contracts.yaml
  freshness coverage contracts import contracts.csv --replace

Exit codes: 0 imported, 2 could not.")]
struct ImportArgs {
    /// Files to read; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Forget the contracts that are not in these files; their ledgers stay
    #[arg(long)]
    replace: bool,
}

/// Show the contracts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage contracts list

Exit codes: 0 shown, 2 could not.")]
struct ListArgs {}

/// Write the contracts and the inventory as a file that can be imported.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage contracts export > contracts.yaml
  freshness coverage contracts export --as csv > contracts.csv      without the inventory

Exit codes: 0 written, 2 could not.")]
struct ExportArgs {
    /// The form of the file
    #[arg(long = "as", value_name = "FORM", default_value = "yaml")]
    form: Form,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    Yaml,
    Csv,
}

/// Show what differs between files and the store.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage contracts diff contracts.yaml

Exit codes: 0 nothing differs, 1 something does, 2 could not tell.")]
struct DiffArgs {
    /// Files to read; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What an import did, as JSON says it.
#[derive(Debug, Serialize)]
pub(super) struct Counted {
    imported: &'static str,
    new: u64,
    changed: u64,
    unchanged: u64,
    removed: u64,
}

impl Counted {
    pub(super) fn new(imported: &'static str, counts: &ContractCounts) -> Counted {
        let ContractCounts {
            new,
            changed,
            unchanged,
            removed,
        } = *counts;
        Counted {
            imported,
            new,
            changed,
            unchanged,
            removed,
        }
    }
}

pub(super) fn run(args: &ContractsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.command {
        Command::Import(args) => import(args, context),
        Command::List(ListArgs {}) => list(context),
        Command::Export(args) => export(args, context),
        Command::Diff(args) => diff(args, context),
    }
}

fn sources(files: &[PathBuf]) -> Vec<Source> {
    let named = |path: &PathBuf| Source::named(path.clone(), None);
    files.iter().map(named).collect()
}

fn import(args: &ImportArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mode = match args.replace {
        true => DeclareMode::Replace,
        false => DeclareMode::Add,
    };
    let done = coverage::declare(&sources(&args.files), mode, || context.open(Access::Create))
        .map_err(in_words_to_stop)?;
    for file in &done.files {
        if !file.table.ignored.is_empty() {
            let columns = file.table.ignored.join(", ");
            context.out.talk(format_args!(
                "note: {}: columns ignored: {columns}",
                file.name
            ));
        }
    }
    let mut counted = vec![Counted::new("contracts", &done.counts.contracts)];
    if let Some(inventory) = &done.counts.inventory {
        counted.push(Counted::new("inventory", inventory));
    }
    report(&counted, context)?;
    Ok(Answer::Healthy)
}

/// Tells what an import did.
pub(super) fn report(counted: &[Counted], context: &mut Context) -> anyhow::Result<()> {
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            let mut table = Table::new(&["imported", "new", "changed", "unchanged", "removed"]);
            (1..5).for_each(|column| table.align_right(column));
            for counted in counted {
                let cells = [
                    counted.imported.to_owned(),
                    counted.new.to_string(),
                    counted.changed.to_string(),
                    counted.unchanged.to_string(),
                    counted.removed.to_string(),
                ];
                table.row(cells.map(|cell| (cell, Paint::Plain)));
            }
            out.table(table)?;
        }
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                imports: &'a [Counted],
            }
            write_document(out.data(), &Document { imports: counted })?;
        }
        Format::Ndjson => {
            for counted in counted {
                write_line(out.data(), counted)?;
            }
        }
    }
    Ok(())
}

fn list(context: &mut Context) -> anyhow::Result<Answer> {
    let contracts = context.open(Access::ReadOnly)?.contracts()?;
    let out = &mut context.out;
    match out.format {
        Format::Table if contracts.is_empty() => out.line("there are no contracts")?,
        Format::Table => out.table(table(&contracts))?,
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                command: &'static str,
                contracts: &'a [ContractRow],
            }
            let document = Document {
                command: "coverage contracts list",
                contracts: &contracts,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for contract in &contracts {
                write_line(out.data(), contract)?;
            }
        }
    }
    Ok(Answer::Healthy)
}

fn export(args: &ExportArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let (contracts, inventory) = (store.contracts()?, store.inventory()?);
    match args.form {
        Form::Yaml => as_yaml(context.out.data(), &contracts, &inventory)?,
        Form::Csv => as_csv(context.out.data(), &contracts)?,
    }
    Ok(Answer::Healthy)
}

fn diff(args: &DiffArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let diff = coverage::diff(&sources(&args.files), &store).map_err(in_words_to_stop)?;
    let changes = changes(&diff.added, &diff.removed, &diff.changed);
    let out = &mut context.out;
    match out.format {
        Format::Table if diff.is_empty() => out.line("nothing differs")?,
        Format::Table => {
            for change in &changes {
                out.line(change.sentence())?;
            }
        }
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                command: &'static str,
                changes: &'a [FieldChange],
            }
            let document = Document {
                command: "coverage contracts diff",
                changes: &changes,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for change in &changes {
                write_line(out.data(), change)?;
            }
        }
    }
    Ok(match diff.is_empty() {
        true => Answer::Healthy,
        false => Answer::Late,
    })
}

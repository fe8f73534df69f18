//! What is promised of a dataset, and which file says so?

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Declaration, Measured, Origin, ServiceLevels};
use freshness_store::{Access, DeclarationEntry, Store};
use serde::Serialize;

use super::{Answer, Context};
use crate::config::Format;
use crate::hint::{self, did_you_mean};
use crate::outputs::promises::{promised, said_at, typed};
use crate::outputs::{Output, Paint, Table, write_document, write_line};

/// Show what is promised, and the file and line that each value comes from.
///
/// Without a dataset, all promises in a line each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo show
  freshness slo show fct_orders
  freshness slo show --environment prod
  freshness slo show --format json | jq '.declarations[].service_levels'

Exit codes: 0 shown, 2 could not.")]
pub(in crate::cli) struct ShowArgs {
    /// The dataset [default: all]
    dataset: Option<String>,

    /// Only what holds in this environment
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    declarations: &'a [Line<'a>],
}

#[derive(Serialize)]
struct Line<'a> {
    dataset_id: &'a DatasetId,
    environment: &'a str,
    folder: &'a str,
    #[serde(flatten)]
    measured: &'a Measured,
    service_levels: &'a ServiceLevels,
    values: &'a [Origin],
}

struct Shown<'a> {
    entry: &'a DeclarationEntry,
    declaration: &'a Declaration,
    origins: Vec<Origin>,
}

pub(super) fn run(args: &ShowArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let entries = store.declarations()?;
    let selected = select(&entries, args, &store)?;
    let mut answer = Answer::Healthy;
    let mut shown = Vec::new();
    for entry in selected {
        let read = entry.declaration.as_ref();
        match read.map(|declaration| (declaration, store.origins(entry))) {
            Ok((declaration, Ok(origins))) => shown.push(Shown {
                entry,
                declaration,
                origins,
            }),
            Ok((_, Err(error))) => {
                answer = Answer::CouldNotTell;
                context.out.warn(error);
            }
            Err(error) => {
                answer = Answer::CouldNotTell;
                context.out.warn(error);
            }
        }
    }
    let out = &mut context.out;
    if out.format == Format::Table {
        match args.dataset {
            Some(_) => one_by_one(&shown, out)?,
            None => out.table(list(&shown))?,
        }
        return Ok(answer);
    }
    let lines: Vec<Line<'_>> = shown
        .iter()
        .map(|shown| Line {
            dataset_id: &shown.entry.dataset,
            environment: &shown.entry.environment,
            folder: &shown.entry.folder,
            measured: &shown.declaration.measured,
            service_levels: &shown.declaration.levels,
            values: &shown.origins,
        })
        .collect();
    match out.format {
        Format::Ndjson => {
            for line in &lines {
                write_line(out.data(), line)?;
            }
        }
        Format::Json | Format::Table => {
            let document = Document {
                command: "slo show",
                declarations: &lines,
            };
            write_document(out.data(), &document)?;
        }
    }
    Ok(answer)
}

/// Those that are asked for; an error if there is none.
fn select<'a>(
    entries: &'a [DeclarationEntry],
    args: &ShowArgs,
    store: &Store,
) -> anyhow::Result<Vec<&'a DeclarationEntry>> {
    if entries.is_empty() {
        return Err(hint::failure(
            format_args!("no service levels in the store: {}", store.path().display()),
            "import them: `freshness import slo DIR`",
        ));
    }
    let of_dataset: Vec<&DeclarationEntry> = entries
        .iter()
        .filter(|entry| {
            (args.dataset.as_deref()).is_none_or(|asked| entry.dataset.as_str() == asked)
        })
        .collect();
    if let (Some(asked), true) = (&args.dataset, of_dataset.is_empty()) {
        let known = entries.iter().map(|entry| entry.dataset.as_str());
        let hint = match did_you_mean(asked, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`freshness slo show` lists what is promised".to_owned(),
        };
        return Err(hint::failure(
            format_args!("no service levels are declared of the dataset: {asked}"),
            hint,
        ));
    }
    let here: Vec<&DeclarationEntry> = of_dataset
        .iter()
        .copied()
        .filter(|entry| (args.environment.as_ref()).is_none_or(|asked| entry.environment == *asked))
        .collect();
    if let (Some(asked), true) = (&args.environment, here.is_empty()) {
        let mut known: Vec<&str> = of_dataset
            .iter()
            .map(|entry| entry.environment.as_str())
            .collect();
        known.sort_unstable();
        known.dedup();
        return Err(hint::failure(
            format_args!("no service levels are declared in the environment: {asked}"),
            format_args!("there are: {}", known.join(", ")),
        ));
    }
    Ok(here)
}

fn one_by_one(all: &[Shown<'_>], out: &mut Output) -> anyhow::Result<()> {
    for (i, shown) in all.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        let DeclarationEntry {
            dataset,
            environment,
            folder,
            ..
        } = shown.entry;
        out.line(format_args!(
            "{dataset} ({environment}), declared in {folder}"
        ))?;
        let in_words = promised(&shown.declaration.levels);
        match in_words.is_empty() {
            true => out.line("promises nothing")?,
            false => out.line(in_words)?,
        }
        out.line("")?;
        let mut table = Table::new(&["KEY", "VALUE", "FROM"]);
        for origin in &shown.origins {
            let cells = [origin.key.clone(), typed(origin), said_at(origin)];
            table.row(cells.map(|cell| (cell, Paint::Plain)));
        }
        out.table(table)?;
    }
    Ok(())
}

fn list(all: &[Shown<'_>]) -> Table {
    let mut table = Table::new(&["DATASET", "ENVIRONMENT", "PROMISED", "DECLARED IN"]);
    table.names(0);
    table.tells_apart(1);
    table.dispensable(&[3]);
    for shown in all {
        let in_words = promised(&shown.declaration.levels);
        let cells = [
            shown.entry.dataset.to_string(),
            shown.entry.environment.clone(),
            match in_words.is_empty() {
                true => "nothing".to_owned(),
                false => in_words,
            },
            shown.entry.folder.clone(),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    table
}

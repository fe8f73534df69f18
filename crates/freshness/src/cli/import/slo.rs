//! Which promises are to be imported?

use std::path::PathBuf;

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_store::Access;
use serde::Serialize;

use crate::cli::{Answer, Context};
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::{DeclareError, Promised, declare};

/// Import service levels: what is promised of datasets.
///
/// A folder declares them in _domain.yaml, _system.yaml and contracts (any
/// other YAML file that names its dataset); the more specific wins, key by
/// key. Levels above a folder or file count too, up to the first folder that has
/// none. What is imported replaces what the folder declared before. If anything
/// is wrong anywhere, all of it is told and nothing is imported. docs/slo.md
/// tells the keys.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import slo promises
  freshness import slo finance/ web/ contracts/orders.yaml
  freshness slo show fct_orders

Exit codes: 0 imported, 2 nothing was.")]
pub(super) struct SloArgs {
    /// Folders, or single files
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// A folder may declare nothing: what it declared before is forgotten
    #[arg(long)]
    allow_empty: bool,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    imported: &'static str,
    files: u64,
    declared: u64,
    added: Vec<Name<'a>>,
    changed: Vec<Name<'a>>,
    removed: Vec<Name<'a>>,
    unchanged: u64,
    datasets_new: &'a [DatasetId],
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Name<'a> {
    dataset_id: &'a DatasetId,
    environment: &'a str,
}

/// Names that are said; the JSON has all.
const NAMES_MAX: usize = 10;

/// Mistakes that are shown; the others are counted.
const SHOWN_MAX: usize = 50;

pub(super) fn run(args: &SloArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let promised = declare(&args.dirs, args.allow_empty, || {
        context.open(Access::Create)
    })
    .map_err(in_words)?;
    say(&promised, context);
    let Promised {
        n_files,
        n_declared,
        changes,
        notes,
    } = &promised;
    let out = &mut context.out;
    if out.format == Format::Table {
        let mut table = Table::new(&[
            "imported",
            "files",
            "declared",
            "added",
            "changed",
            "removed",
            "unchanged",
        ]);
        let counts = [
            *n_files,
            *n_declared,
            changes.added.len() as u64,
            changes.changed.len() as u64,
            changes.removed.len() as u64,
            changes.n_unchanged,
        ];
        let cells = counts.iter().map(|n| (n.to_string(), Paint::Plain));
        table.row(std::iter::once(("slo".to_owned(), Paint::Plain)).chain(cells));
        (1..=counts.len()).for_each(|column| table.align_right(column));
        out.table(table)?;
        return Ok(Answer::Healthy);
    }
    let document = Document {
        imported: "slo",
        files: *n_files,
        declared: *n_declared,
        added: names(&changes.added),
        changed: names(&changes.changed),
        removed: names(&changes.removed),
        unchanged: changes.n_unchanged,
        datasets_new: &changes.datasets_new,
        notes: notes.iter().map(ToString::to_string).collect(),
    };
    match out.format {
        Format::Ndjson => write_line(out.data(), &document)?,
        Format::Json | Format::Table => write_document(out.data(), &document)?,
    }
    Ok(Answer::Healthy)
}

fn names(of: &[(DatasetId, String)]) -> Vec<Name<'_>> {
    of.iter()
        .map(|(dataset_id, environment)| Name {
            dataset_id,
            environment,
        })
        .collect()
}

/// What was odd, and what changed.
fn say(promised: &Promised, context: &Context) {
    for note in &promised.notes {
        context.out.warn(note);
    }
    let changes = &promised.changes;
    for (what, names) in [
        ("added", &changes.added),
        ("changed", &changes.changed),
        ("removed", &changes.removed),
    ] {
        let names = names
            .iter()
            .map(|(dataset, environment)| format!("{dataset} ({environment})"));
        if let Some(list) = few(names) {
            context.out.talk(format_args!("{what}: {list}"));
        }
    }
    let new = changes.datasets_new.iter().map(ToString::to_string);
    if let Some(list) = few(new) {
        let n = words::count(changes.datasets_new.len() as u64, "dataset");
        context.out.talk(format_args!(
            "note: {n} not known before, named by a contract: {list}"
        ));
    }
}

/// The first few of a list, and how many more; `None` of an empty one.
fn few(names: impl ExactSizeIterator<Item = String>) -> Option<String> {
    let n = names.len();
    let shown: Vec<String> = names.take(NAMES_MAX).collect();
    let more = match n - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (n > 0).then(|| format!("{}{more}", shown.join(", ")))
}

fn in_words(error: DeclareError) -> anyhow::Error {
    match error {
        DeclareError::Wrong(remarks) => {
            let n = words::count(remarks.len() as u64, "mistake");
            let mut message = format!("{n} in service levels; nothing was imported");
            for remark in remarks.iter().take(SHOWN_MAX) {
                message.push_str(&format!("\n  {remark}"));
            }
            if remarks.len() > SHOWN_MAX {
                message.push_str(&format!("\n  and {} more", remarks.len() - SHOWN_MAX));
            }
            anyhow::anyhow!(message)
        }
        DeclareError::Nothing(_) => failure(
            &error,
            "a contract is a YAML file with the key `dataset`; --allow-empty says that nothing is meant",
        ),
        DeclareError::Store(error) => error.into(),
    }
}

//! Which promises could datasets keep?

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_core::fit::Model;
use freshness_core::slo::duration_seconds;
use freshness_store::{Access, Store};

use super::super::status::dataset_named;
use super::{Answer, Context};
use crate::hint::failure;
use crate::outputs::suggestion::suggestion;
use crate::outputs::{WholeFile, words};

/// Write service levels that a dataset would keep, from what is learned.
///
/// The calendar and the latest learned deadline, with a margin on top; what
/// comes several times a day is promised by the age of a column. Of one dataset
/// to standard output; of all that promise nothing yet, a file each into a
/// folder. What is written is imported as it is: `freshness import slo`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo suggest fct_orders
  freshness slo suggest fct_orders --margin 1h > contracts/fct_orders.yaml
  freshness slo suggest events --field loaded_at
  freshness slo suggest --out contracts

Exit codes: 0 written, 2 could not.")]
pub(in crate::cli) struct SuggestArgs {
    /// The dataset [default: all that promise nothing yet, with --out]
    #[arg(required_unless_present = "out")]
    dataset: Option<String>,

    /// How much later than the learned deadline
    #[arg(long, value_name = "DURATION", default_value = "30m", allow_hyphen_values = true, value_parser = margin)]
    margin: f64,

    /// The column whose age may be promised
    #[arg(long, value_name = "COLUMN")]
    field: Option<String>,

    /// Write files into this folder; it is made if it is missing, and no file in it is replaced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &SuggestArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let field = args.field.as_deref();
    let mut texts: Vec<(DatasetId, String)> = Vec::new();
    if let Some(asked) = &args.dataset {
        let entry = dataset_named(&store, asked)?;
        let Some(model) = store.model(entry.no)? else {
            return Err(failure(
                format_args!("no model for dataset: {asked}"),
                "run `freshness fit` first",
            ));
        };
        let text = suggestion(&model, args.margin, field)
            .with_context(|| format!("nothing can be suggested for {asked}"))?;
        match &args.out {
            None => {
                context.out.data().write_all(text.as_bytes())?;
                return Ok(Answer::Healthy);
            }
            Some(_) => texts.push((entry.id, text)),
        }
    } else {
        for model in unpromised(&store, context)? {
            match suggestion(&model, args.margin, field) {
                Ok(text) => texts.push((model.dataset_id, text)),
                Err(why) => context
                    .out
                    .talk(format_args!("left out: {}: {why}", model.dataset_id)),
            }
        }
    }
    let Some(folder) = &args.out else {
        return Ok(Answer::Healthy);
    };
    write(folder, &texts)?;
    let n = words::count(texts.len() as u64, "file");
    context
        .out
        .line(format_args!("{n} written to {}", folder.display()))?;
    Ok(Answer::Healthy)
}

/// The models of datasets of which nothing is declared, by name.
fn unpromised(store: &Store, context: &Context) -> anyhow::Result<Vec<Model>> {
    let declared: BTreeSet<DatasetId> = store
        .declarations()?
        .into_iter()
        .map(|entry| entry.dataset)
        .collect();
    let mut models = Vec::new();
    for (_, model) in store.models()? {
        match model {
            Ok(model) if !declared.contains(&model.dataset_id) => models.push(model),
            Ok(_) => {}
            Err(error) => context.out.warn(error),
        }
    }
    models.sort_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
    Ok(models)
}

/// Writes all of them, or none if one of the files is there already.
fn write(folder: &Path, texts: &[(DatasetId, String)]) -> anyhow::Result<()> {
    let mut names = BTreeSet::new();
    let files: Vec<(PathBuf, &str)> = texts
        .iter()
        .map(|(dataset, text)| (folder.join(file_name(dataset, &mut names)), text.as_str()))
        .collect();
    if let Some((file, _)) = files.iter().find(|(file, _)| file.exists()) {
        return Err(failure(
            format_args!("the file exists already: {}", file.display()),
            "nothing was written; name another folder",
        ));
    }
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder: {}", folder.display()))?;
    for (file, text) in files {
        WholeFile::at(&file)?.write(|out| {
            out.write_all(text.as_bytes())?;
            Ok(())
        })?;
    }
    Ok(())
}

/// A name that every system takes, and no two share.
fn file_name(dataset: &DatasetId, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || ['.', '-', '_'].contains(&c) => c,
        _ => '_',
    };
    let name: String = dataset.as_str().chars().take(100).map(plain).collect();
    // Names that begin so are levels, or hidden.
    let name = match name.starts_with(['.', '_']) {
        true => format!("dataset{name}"),
        false => name,
    };
    (1..)
        .map(|n| match n {
            1 => format!("{name}.yaml"),
            n => format!("{name}-{n}.yaml"),
        })
        .find(|name| taken.insert(name.to_lowercase()))
        .unwrap_or(name)
}

/// Seconds; nothing on top is a margin too.
fn margin(text: &str) -> Result<f64, String> {
    match text.trim() {
        "0" | "0m" | "0h" => Ok(0.0),
        text if text.starts_with('-') => {
            Err("a margin is on top of what is usual: 0 or more, such as 30m".to_owned())
        }
        text => duration_seconds(text).map_err(|error| error.to_string()),
    }
}

//! Which sources of dbt are fresh?

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use freshness_store::Access;

use crate::cli::status::say_doubts;
use crate::cli::{Answer, Context};
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::dbt_sources::{SourcesJson, StatusCounts};
use crate::outputs::{Paint, Table, WholeFile, words, write_document, write_line};
use crate::rounds::{self, Doubt, RoundError};
use crate::sources::read_dbt_sources;

/// Write the verdicts on dbt's sources as a sources.json (v3), by which dbt
/// selects what to build.
///
/// A source is pass if it is in time, warn if it is late, error if it is critical
/// and late (a broken promise counts likewise), and a runtime error if nobody can
/// tell; its newest arrival is max_loaded_at. Of each source that the manifest
/// has, with or without a freshness of its own. It records nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness export dbt-sources --out target/sources.json
  dbt build --select source_status:fresher+ --state last     what got new data since last/sources.json

Where dbt should build only what got new data: keep target/sources.json of the last
build in a folder (above: last), write the new one, build.

Exit codes: 0 written, 2 could not tell of any source, or nothing was written.")]
pub(super) struct DbtSourcesArgs {
    /// What the sources are, as dbt wrote it
    #[arg(long, value_name = "FILE", default_value = "target/manifest.json")]
    manifest: PathBuf,

    /// Where to write it [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &DbtSourcesArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mut sources = read_dbt_sources(&args.manifest, &rounds::holidays()).map_err(|error| {
        match error.hint() {
            Some(hint) => failure(&error, hint),
            None => failure(&error, "name it with --manifest; `dbt parse` writes it"),
        }
    })?;
    for source in &mut sources {
        source.dataset = context.settings.renames.kept(&source.dataset);
    }
    if let Some(folder) = args.out.as_deref().and_then(Path::parent) {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let out = args.out.as_deref().map(WholeFile::at).transpose()?;
    let store = context.open(Access::ReadOnly).map_err(RoundError::from)?;
    let now = context.clock.now();
    let settings = &context.settings;
    let seen = rounds::look(&store, now, settings.check.max_model_age, settings.threads)?;
    say_doubts(&seen.doubts, context);
    let not_judged = |name: &str| {
        seen.doubts.iter().find_map(|doubt| match doubt {
            Doubt::Unreadable { failure, .. } if failure.dataset_id.as_str() == name => {
                Some(failure.error.clone())
            }
            _ => None,
        })
    };
    let (file, counts) = SourcesJson::new(&sources, &seen.datasets, &not_judged, now);
    match out {
        None => file.write(context.out.data())?,
        Some(out) => {
            out.write(|out| Ok(file.write(out)?))?;
            say(&counts, context)?;
        }
    }
    let n_told = counts.pass + counts.warn + counts.error;
    if counts.runtime_error > 0 {
        let n = words::count(counts.runtime_error, "source");
        context.out.warn(format_args!(
            "could not tell of {n}: a runtime error in the file, and not built for"
        ));
    }
    Ok(match n_told {
        0 => Answer::CouldNotTell,
        _ => Answer::Healthy,
    })
}

fn say(counts: &StatusCounts, context: &mut Context) -> anyhow::Result<()> {
    let out = &mut context.out;
    match out.format {
        Format::Json => write_document(out.data(), counts)?,
        Format::Ndjson => write_line(out.data(), counts)?,
        Format::Table => {
            let StatusCounts {
                pass,
                warn,
                error,
                runtime_error,
            } = counts;
            let mut table = Table::new(&["exported", "pass", "warn", "error", "runtime error"]);
            let cells = [pass, warn, error, runtime_error];
            let cells = cells.map(|n| (words::thousands(*n), Paint::Plain));
            let first = ("dbt-sources".to_owned(), Paint::Plain);
            table.row(std::iter::once(first).chain(cells));
            (1..=4).for_each(|column| table.align_right(column));
            out.table(table)?;
        }
    }
    Ok(())
}

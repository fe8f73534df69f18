//! How is what was named read, and what if it cannot be?

use super::summary::{Shown, counted};
use super::{InputArgs, InputFormat, OnErrorArg};
use crate::cli::Context;
use crate::hint::failure;
use crate::rounds::ingest::{IngestError, Ingested, OnError};
use crate::sources::{Format, Source};

/// Shows how far reading is, and puts a failure in words.
pub(super) fn with_progress<T>(
    input: &InputArgs,
    context: &Context,
    work: impl FnOnce(&[Source], OnError, &dyn Fn(u64)) -> Result<Ingested<T>, IngestError>,
) -> anyhow::Result<Ingested<T>> {
    let format = input.input_format.map(|format| match format {
        InputFormat::Csv => Format::Csv,
        InputFormat::Ndjson => Format::Ndjson,
        InputFormat::Parquet => Format::Parquet,
    });
    let sources: Vec<Source> = input
        .files
        .iter()
        .map(|path| Source::named(path.clone(), format))
        .collect();
    let on_error = on_error(input.on_error);
    let done = with_bar(&sources, context, |on_bytes| {
        work(&sources, on_error, on_bytes)
    });
    done.map_err(in_words)
}

pub(super) fn on_error(said: OnErrorArg) -> OnError {
    match said {
        OnErrorArg::Stop => OnError::Stop,
        OnErrorArg::Skip => OnError::Skip,
    }
}

/// Shows how far reading is.
pub(super) fn with_bar<T>(
    sources: &[Source],
    context: &Context,
    work: impl FnOnce(&dyn Fn(u64)) -> T,
) -> T {
    let n_bytes = sources.iter().filter_map(Source::bytes).sum();
    let bar = context.out.progress(n_bytes, "reading (bytes)");
    let done = work(&|n| bar.inc(n));
    bar.finish_and_clear();
    done
}

pub(in crate::cli) fn in_words(error: IngestError) -> anyhow::Error {
    let way_round = Some("`--on-error skip` imports the other rows");
    told(error, "nothing was imported", way_round)
}

/// … of files that are read and not imported: a bad row stops everything.
pub(in crate::cli) fn in_words_to_stop(error: IngestError) -> anyhow::Error {
    told(error, "nothing was done", None)
}

fn told(error: IngestError, consequence: &str, way_round_bad_rows: Option<&str>) -> anyhow::Error {
    let hint = match &error {
        IngestError::Source { error, .. } => error.hint(),
        IngestError::BadRows(bad) => {
            let hints: Vec<&str> = bad
                .hints()
                .iter()
                .copied()
                .chain(way_round_bad_rows)
                .collect();
            let message = format!("{}; {consequence}{}", counted(bad), Shown(bad));
            return match hints.is_empty() {
                true => anyhow::anyhow!(message),
                false => failure(message, hints.join("\nhint: ")),
            };
        }
        IngestError::Lineage(_) => Some(format!("{consequence}; one of these edges is wrong")),
        IngestError::Nothing(_) => Some(consequence.to_owned()),
        IngestError::Store(error) => error.hint().map(str::to_owned),
    };
    match hint {
        Some(hint) => failure(&error, hint),
        None => error.into(),
    }
}

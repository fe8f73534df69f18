//! Which events are to be imported?

use std::path::PathBuf;

use clap::Args;

use super::reading::{in_words, on_error, with_bar};
use super::summary::skipped;
use super::{OnErrorArg, store, told};
use crate::cli::{Answer, Context};
use crate::rounds::{ingest, told as taking};
use crate::sources::{Source, TimeRules};

/// Import events of OpenLineage: what ran, what it read and what it wrote.
///
/// Files of events (one JSON object on each line, a single one, or an array; plain
/// or gzip), of the specification 1.x and 2.x. An output of a run that was complete
/// in the end is an arrival, at the time of the event that says so; a run that
/// failed, or that only created, altered, emptied, renamed or dropped, brings none.
/// Events may be duplicated, out of order and spread over files, imported together
/// or one after the other. A dataset is called NAMESPACE/NAME. Jobs tell what is
/// made from what, columns more exactly where they are told.
/// docs/openlineage.md tells the rest.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import openlineage events.ndjson
  freshness import openlineage events-2026-*.ndjson.gz --on-error skip
  kcat -C -b broker -t openlineage -e | freshness import openlineage -")]
pub(super) struct OpenlineageArgs {
    /// Files of events; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// What to do when an event is bad: import nothing, or the others
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    on_error: OnErrorArg,
}

/// Runs the command.
pub(super) fn run(args: &OpenlineageArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let times = TimeRules {
        now: context.clock.now().as_second(),
        assume_zone: None,
    };
    let named = |path: &PathBuf| Source::named(path.clone(), None);
    let sources: Vec<Source> = args.files.iter().map(named).collect();
    let read = with_bar(&sources, context, |on_bytes| {
        ingest::events(&sources, &times, on_error(args.on_error), on_bytes)
    });
    let read = read.map_err(in_words)?;
    skipped(&read.bad, context)?;
    let mut store = store(context)?;
    let taken = taking::take_events(
        &mut store,
        read.counts,
        Vec::new(),
        &context.settings.renames,
        None,
        times.now,
    )
    .map_err(told::in_words)?;
    told::report("openlineage", sources.len() as u64, &taken, context)?;
    Ok(match taken.counts.refused.is_empty() {
        true => Answer::Healthy,
        false => Answer::CouldNotTell,
    })
}

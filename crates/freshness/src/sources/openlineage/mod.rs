//! What arrived, by the events of OpenLineage?
//!
//! Jobs tell that they started, what they read and write, and how they ended. An
//! output of a run that was complete in the end is an arrival, at the time of the
//! event that says so; nothing else is. Events may come in any order and twice, and
//! each may hold a part of what there is to tell, so all of them are read before
//! anything is decided: `frames` cuts bytes into events, `event` and `columns` are
//! what one says, `names` which dataset a name means, `seen` and `take` add an event
//! to what is known of each run (`runs`, `sets`), each job (`jobs`) and of what was
//! `measured`, and `conclude` is what follows; `so_far` is what is remembered until the
//! next import. Memory is bounded by the numbers of
//! runs, datasets and edges, each with a limit, and not by that of events.

mod columns;
mod conclude;
mod event;
mod frames;
mod jobs;
mod measured;
mod names;
mod runs;
mod seen;
mod sets;
mod so_far;
mod take;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jobs::Jobs;
use measured::Measured;
use names::Names;
use runs::Runs;
use seen::Seen;
pub use so_far::{RunWords, ToldOfRuns};

use super::input::{self, Input, Source};
use super::instant::TimeRules;
use super::problem::{BadRow, BadRows, Problem, SourceError};
use super::table::TableRead;
use super::{Format, Told};

/// Edges, names that mean the same, and measurements in one import, each.
const LINKS_MAX: usize = 2_000_000;

/// Events, read from any number of files in any order.
#[derive(Default)]
pub struct Events {
    names: Names,
    runs: Runs,
    jobs: Jobs,
    /// Job, output, input: from which datasets columns come.
    columns: HashSet<(u32, u32, u32)>,
    /// Namespace, output, input: the same, told of a dataset by itself.
    own_columns: BTreeSet<(u32, u32, u32)>,
    /// Job, output, set of inputs: declared without a run.
    declared: BTreeSet<(u32, u32, u32)>,
    /// Jobs that were declared with nothing to read or to write, and datasets that
    /// were declared by themselves: the namespace that says so, the dataset.
    alone: BTreeSet<(u32, u32)>,
    measured: Measured,
    /// Versions of the specification that are not known, each with a place.
    strange: BTreeMap<String, String>,
    /// Types of events that are not known, each with how many and a place.
    strange_types: BTreeMap<String, (u64, String)>,
    seen: Seen,
}

/// What is wrong with an event, and with which part of it.
struct Wrong(Option<&'static str>, Problem);

/// A fault of one event, or of all that was read so far.
enum Refused {
    Event(Wrong),
    All(SourceError),
}

impl Events {
    /// Reads a file, plain or gzip. What is wrong with an event is added to `bad`,
    /// and nothing of that event counts. The rows that are counted are events.
    pub fn read(
        &mut self,
        source: &Source,
        rules: &TimeRules,
        on_bytes: &dyn Fn(&[u8]),
        bad: &mut BadRows,
    ) -> Result<TableRead, SourceError> {
        let source = Source {
            format: Some(Format::Ndjson),
            origin: source.origin.clone(),
        };
        let file = source.label();
        let opened = input::open(&source, on_bytes).map_err(|error| match error {
            SourceError::Directory { .. } => SourceError::Directory { like: "*.ndjson" },
            error => error,
        })?;
        let Input::Ndjson(mut input) = opened else {
            return Err(SourceError::WrongFormat("no text"));
        };
        let mut rows = 0;
        frames::each(&mut *input, &mut |line, bytes| {
            rows += 1;
            let place = || format!("{file} line {line}");
            let read = bytes.map_err(|problem| Refused::Event(Wrong(None, problem)));
            let Wrong(column, problem) = match read.and_then(|it| self.take(it, rules, &place)) {
                Ok(()) => return Ok(()),
                Err(Refused::All(error)) => return Err(error),
                // No flag says what such a time means here.
                Err(Refused::Event(Wrong(column, Problem::NaiveTime))) => {
                    Wrong(column, Problem::NaiveEvent)
                }
                Err(Refused::Event(wrong)) => wrong,
            };
            bad.add(problem, |problem| BadRow {
                file: file.clone(),
                place: format!("line {line}"),
                column,
                problem,
                value: None,
            });
            Ok(())
        })?;
        Ok(TableRead {
            rows,
            ignored: Vec::new(),
        })
    }

    /// What follows from all that was read, and which datasets were made from each
    /// other.
    pub fn told(self) -> Result<Told, SourceError> {
        conclude::told(self)
    }
}

#[cfg(test)]
mod tests;

//! What is known of a run until more of it is told?
//!
//! The parts of a run may be imported one after the other, in any order and weeks
//! apart: that it began, with its cycle and inputs, and that it was complete, with its
//! outputs. So what was told of it is written down and taken in again when it is named
//! the next time, as if all of its events had been read at once. What followed from
//! the parts before, and does not any more, is withdrawn.

use std::collections::{BTreeMap, HashSet};

use freshness_core::dataset::DatasetId;
use freshness_core::slo::Run;
use serde::{Deserialize, Serialize};

use super::Events;
use super::names::Settled;
use super::runs::{NEVER, Output, Phase, Runs, State};
use crate::sources::problem::SourceError;
use crate::sources::{Told, ToldArrival};

/// What is told, by everything that was ever told of its runs.
#[derive(Debug, Default)]
pub struct ToldOfRuns {
    /// What is told now.
    pub told: Told,
    /// What is to be remembered of runs that may be told further.
    pub so_far: Vec<RunWords>,
    /// What was told before and does not hold any more.
    pub arrivals_withdrawn: Vec<ToldArrival>,
    /// Measurements that do not.
    pub runs_withdrawn: Vec<(DatasetId, Run)>,
}

/// What is known of a run, in words that only this module understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunWords {
    /// What it is called.
    pub run_id: String,
    /// Are its beginning and its end told?
    pub is_whole: bool,
    /// What is known of it.
    pub words: String,
}

/// Bytes of words of all runs of one import; the store keeps no more either.
const BYTES_MAX: usize = 16 << 20;

/// A run with more words than that is not remembered: it names thousands of datasets.
const RUN_BYTES_MAX: usize = 1 << 20;

/// A dataset: its name, and another that it is told under.
type Name = (String, Option<String>);

#[derive(Debug, Serialize, Deserialize)]
struct Words {
    /// When its job was told last, the namespace and the name of that.
    #[serde(rename = "j")]
    job: (i64, String, String),
    #[serde(rename = "s", default, skip_serializing_if = "std::ops::Not::not")]
    is_started: bool,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    complete: Option<i64>,
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    failed: Option<i64>,
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    nominal: Option<i64>,
    #[serde(rename = "i", default, skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<Name>,
    #[serde(rename = "o", default, skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<OutputWords>,
}

#[derive(Debug, Serialize, Deserialize)]
struct OutputWords {
    #[serde(rename = "d")]
    name: Name,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    complete: Option<i64>,
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// What changed, as [`Output::flags`] has it, and [`BY_COLUMNS`].
    #[serde(rename = "b", default)]
    flags: u8,
    /// Rows that were counted, assertions that held, and that failed.
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    measured: Option<(Option<u64>, u32, u32)>,
}

/// Its columns tell what it is made from.
const BY_COLUMNS: u8 = 1 << 7;

impl Events {
    /// What follows from all that was read, and from what is `known` of its runs from
    /// before: their names, and the words that were to be remembered.
    pub fn told_after<'k>(
        mut self,
        known: impl Iterator<Item = (&'k str, &'k str)>,
    ) -> Result<ToldOfRuns, SourceError> {
        let mut before = Events::default();
        for (run_id, words) in known {
            if let Some(run) = self.runs.find(run_id)
                // What another version wrote is as good as unknown.
                && let Ok(words) = serde_json::from_str::<Words>(words)
            {
                self.recall(run, &words)?;
                let run = before.runs.number(run_id)?;
                before.recall(run, &words)?;
            }
        }
        self.check_bounds()?;
        let before = before.told()?;
        let so_far = self.so_far();
        let told = self.told()?;
        let (arrivals, runs) = (before.arrivals, before.runs);
        Ok(ToldOfRuns {
            // Both are sorted so.
            arrivals_withdrawn: without(arrivals, &told.arrivals, |a, b| {
                (&a.dataset, a.at, &a.run_id).cmp(&(&b.dataset, b.at, &b.run_id))
            }),
            runs_withdrawn: without(runs, &told.runs, |(a, run_a), (b, run_b)| {
                (a, &run_a.run_id).cmp(&(b, &run_b.run_id))
            }),
            told,
            so_far,
        })
    }

    /// Takes in what was told of a run before.
    fn recall(&mut self, run: u32, words: &Words) -> Result<(), SourceError> {
        let (job_at, namespace, name) = &words.job;
        let Ok(job) = self.jobs.number_of(namespace, name) else {
            return Ok(());
        };
        self.runs.recall(
            run,
            &Recalled {
                job,
                job_at: *job_at,
                is_started: words.is_started,
                complete: words.complete,
                failed: words.failed,
                nominal: words.nominal,
            },
        );
        let mut inputs: Vec<u32> = (words.inputs.iter())
            .filter_map(|name| self.recall_name(name))
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        self.runs.reads(run, &inputs)?;
        for output in &words.outputs {
            let Some(dataset) = self.recall_name(&output.name) else {
                continue;
            };
            if output.flags & BY_COLUMNS != 0 {
                // An edge from itself is none, and says that columns are told.
                self.columns.insert((job, dataset, dataset));
            }
            let (complete, rows) = (output.complete, output.rows);
            (self.runs).recall_output(run, dataset, complete, rows, output.flags)?;
            if let Some(measured) = output.measured {
                self.measured.recall(run, dataset, measured);
            }
            if let Some(at) = complete {
                let written = &mut self.names.facts[dataset as usize].written;
                *written = at.max(*written);
            }
        }
        Ok(())
    }

    fn recall_name(&mut self, (name, other): &Name) -> Option<u32> {
        let number = self.names.number("", name).ok()?;
        if let Some(other) = other {
            let other = self.names.number("", other).ok()?;
            self.names.facts[other as usize].is_table = true;
            self.names.are_same(number, other);
        }
        Some(number)
    }

    /// What is to be remembered: first of runs of which the beginning or the end is not
    /// told, then of the latest, as far as there is room.
    fn so_far(&self) -> Vec<RunWords> {
        let settled = self.names.settled();
        let jobs = self.jobs.names();
        let by_columns: HashSet<(u32, u32)> = (self.columns.iter())
            .map(|&(job, output, _)| (job, output))
            .collect();
        let mut order: Vec<u32> = (0..self.runs.states.len() as u32).collect();
        order.sort_unstable_by_key(|&run| {
            let state = &self.runs.states[run as usize];
            (state.is_whole(), std::cmp::Reverse(state.latest()), run)
        });
        let mut so_far = Vec::new();
        let mut n_bytes = 0;
        for run in order {
            let state = &self.runs.states[run as usize];
            let words = self.words(run, state, &settled, &jobs, &by_columns);
            let Ok(words) = serde_json::to_string(&words) else {
                continue;
            };
            if words.len() > RUN_BYTES_MAX {
                continue;
            }
            n_bytes += words.len();
            if n_bytes > BYTES_MAX {
                break;
            }
            so_far.push(RunWords {
                run_id: self.runs.name(state.key).into(),
                is_whole: state.is_whole(),
                words,
            });
        }
        so_far
    }

    fn words(
        &self,
        run: u32,
        state: &State,
        settled: &Settled,
        jobs: &BTreeMap<u32, (&str, &str)>,
        by_columns: &HashSet<(u32, u32)>,
    ) -> Words {
        let name = |dataset: u32| self.name_so_far(dataset, settled);
        let output = |output: &Output| {
            let is_by_columns = by_columns.contains(&(state.job, output.dataset));
            let by_columns = if is_by_columns { BY_COLUMNS } else { 0 };
            OutputWords {
                name: name(output.dataset),
                complete: some(output.complete),
                rows: output.rows(),
                flags: output.flags() | by_columns,
                measured: self.measured.told(run, output.dataset),
            }
        };
        let (namespace, job) = jobs.get(&state.job).copied().unwrap_or_default();
        let inputs = self.runs.sets.members(state.inputs);
        let mut inputs: Vec<Name> = inputs.iter().copied().map(name).collect();
        inputs.sort();
        let mut outputs: Vec<OutputWords> = self.runs.outputs(state).map(output).collect();
        outputs.sort_by(|a, b| a.name.cmp(&b.name));
        Words {
            job: (state.job_at, namespace.to_owned(), job.to_owned()),
            is_started: state.is_started,
            complete: some(state.complete),
            failed: some(state.failed),
            nominal: (state.nominal != i64::MAX).then_some(state.nominal),
            inputs,
            outputs,
        }
    }

    /// A renamed dataset has its new name only: the old one may be written again.
    fn name_so_far(&self, dataset: u32, settled: &Settled) -> Name {
        let id = |of: u32| self.names.ids[of as usize].to_string();
        let (same, end) = (settled.same[dataset as usize], settled.of[dataset as usize]);
        match (end == same, same == dataset) {
            (false, _) => (id(end), None),
            (true, true) => (id(dataset), None),
            (true, false) => (id(dataset), Some(id(same))),
        }
    }
}

fn some(at: i64) -> Option<i64> {
    (at != NEVER).then_some(at)
}

/// What is in `before` and, exactly so, not in `now`, which is sorted by a key.
fn without<T: PartialEq>(
    before: Vec<T>,
    now: &[T],
    key: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> Vec<T> {
    let stays = |told: &T| {
        let begin = now.partition_point(|other| key(other, told).is_lt());
        let same = now[begin..]
            .iter()
            .take_while(|other| key(other, told).is_eq());
        same.into_iter().any(|other| other == told)
    };
    before.into_iter().filter(|told| !stays(told)).collect()
}

/// What was told of a run before.
struct Recalled {
    job: u32,
    job_at: i64,
    is_started: bool,
    complete: Option<i64>,
    failed: Option<i64>,
    nominal: Option<i64>,
}

impl Runs {
    /// Adds what was told of a run before.
    fn recall(&mut self, run: u32, told: &Recalled) {
        let state = &mut self.states[run as usize];
        state.is_started |= told.is_started;
        state.complete = state.complete.max(told.complete.unwrap_or(NEVER));
        state.failed = state.failed.max(told.failed.unwrap_or(NEVER));
        state.nominal = state.nominal.min(told.nominal.unwrap_or(i64::MAX));
        if (told.job_at, told.job) > (state.job_at, state.job) {
            (state.job_at, state.job) = (told.job_at, told.job);
        }
    }

    /// … and of an output of it; `flags` as [`Output::flags`] gave them.
    fn recall_output(
        &mut self,
        run: u32,
        dataset: u32,
        complete: Option<i64>,
        rows: Option<u64>,
        flags: u8,
    ) -> Result<(), SourceError> {
        let place = self.place(run, dataset)?;
        let output = &mut self.outputs[place as usize];
        output.was_complete(complete);
        output.had_rows(rows);
        output.changed_data |= flags & 1 != 0;
        output.changed_form |= flags & 2 != 0;
        output.changed_name |= flags & 4 != 0;
        output.is_filled |= flags & 8 != 0;
        Ok(())
    }
}

impl State {
    /// Are its beginning and its end told?
    fn is_whole(&self) -> bool {
        self.is_started && (self.complete != NEVER || self.failed != NEVER)
    }

    fn latest(&self) -> i64 {
        self.complete.max(self.failed).max(self.job_at)
    }
}

impl Phase {
    /// What the type of an event says; `None` if there is no such type.
    pub(super) fn of(event_type: Option<&str>) -> Option<Phase> {
        Some(match event_type {
            Some("COMPLETE") => Phase::Complete,
            Some("FAIL" | "ABORT") => Phase::Failed,
            Some("START") => Phase::Started,
            None | Some("RUNNING" | "OTHER") => Phase::Open,
            Some(_) => return None,
        })
    }
}

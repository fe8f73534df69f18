//! What is known of each run so far?
//!
//! What a run reads and writes is told over several events, in any order and more
//! than once, so what is kept of it is a union that does not depend on the order. A
//! run takes about a hundred bytes: its inputs are a set that is stored once for
//! all runs that have it, its outputs a chain in one long array.

use std::collections::HashMap;

use freshness_core::arrivals::CycleName;

use super::event::{Change, DatasetPart, Lifecycle, Measures, RowCount};
use super::sets::Sets;
use crate::sources::problem::{Problem, SourceError};

/// Runs in one import: about half a gigabyte.
const RUNS_MAX: usize = 4_000_000;

/// Outputs of all of them: a third of a gigabyte.
const OUTPUTS_MAX: usize = 8_000_000;

/// A run with more outputs than that has them in an index too.
const CHAIN_MAX: u32 = 32;

/// No time.
pub(super) const NEVER: i64 = i64::MIN;

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// The name of a run: nearly always a UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RunKey {
    Uuid([u8; 16]),
    /// The place of its text in [`Runs`].
    Other(u32),
}

#[derive(Default)]
pub(super) struct Runs {
    pub(super) states: Vec<State>,
    pub(super) sets: Sets,
    index: HashMap<RunKey, u32>,
    others: Vec<Box<str>>,
    other_numbers: HashMap<Box<str>, u32>,
    pub(super) outputs: Vec<Output>,
    /// Where an output is, by run and dataset, of runs with long chains.
    places: HashMap<(u32, u32), u32>,
}

#[derive(Clone)]
pub(super) struct State {
    pub(super) key: RunKey,
    /// The job, as its latest event says, which was then.
    pub(super) job: u32,
    pub(super) job_at: i64,
    /// Was it told that it began?
    pub(super) is_started: bool,
    /// When it was told last that it was complete, and that it was not.
    pub(super) complete: i64,
    pub(super) failed: i64,
    /// Which cycle it is for, UTC seconds; the earliest that was told.
    pub(super) nominal: i64,
    /// What it reads, a number in [`Sets`].
    pub(super) inputs: u32,
    first_output: u32,
    n_outputs: u32,
}

/// What a run wrote.
#[derive(Clone)]
pub(super) struct Output {
    pub(super) dataset: u32,
    next: u32,
    /// When an event first said that it was complete; [`NEVER`] if none that named it did.
    pub(super) complete: i64,
    /// Rows, plus one; 0 is not told.
    rows: u64,
    pub(super) changed_data: bool,
    pub(super) changed_form: bool,
    pub(super) changed_name: bool,
    /// Is it told that there are rows, or bytes?
    pub(super) is_filled: bool,
}

/// What one event says of an output.
pub(super) struct Written {
    change: Option<Change>,
    rows: Option<u64>,
    pub(super) is_filled: bool,
}

/// How a run stands after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Complete,
    Failed,
    Started,
    /// Still running, or something else.
    Open,
}

impl Runs {
    /// The run of this name, if any event named it.
    pub(super) fn find(&self, run_id: &str) -> Option<u32> {
        let key = match uuid(run_id) {
            Some(uuid) => RunKey::Uuid(uuid),
            None => RunKey::Other(*self.other_numbers.get(run_id)?),
        };
        self.index.get(&key).copied()
    }

    /// The run of this name, made if it is new.
    pub(super) fn number(&mut self, run_id: &str) -> Result<u32, SourceError> {
        let key = match uuid(run_id) {
            Some(uuid) => RunKey::Uuid(uuid),
            None => RunKey::Other(self.other(run_id)),
        };
        if let Some(&number) = self.index.get(&key) {
            return Ok(number);
        }
        if self.states.len() == RUNS_MAX {
            return Err(SourceError::TooMany {
                what: "runs",
                max: RUNS_MAX,
            });
        }
        let number = self.states.len() as u32;
        self.states.push(State {
            key,
            job: 0,
            job_at: NEVER,
            is_started: false,
            complete: NEVER,
            failed: NEVER,
            nominal: i64::MAX,
            inputs: Sets::EMPTY,
            first_output: NONE,
            n_outputs: 0,
        });
        self.index.insert(key, number);
        Ok(number)
    }

    fn other(&mut self, run_id: &str) -> u32 {
        if let Some(&number) = self.other_numbers.get(run_id) {
            return number;
        }
        let number = self.others.len() as u32;
        self.others.push(run_id.into());
        self.other_numbers.insert(run_id.into(), number);
        number
    }

    /// The name of a run.
    pub(super) fn name(&self, key: RunKey) -> Box<str> {
        match key {
            RunKey::Other(place) => self.others[place as usize].clone(),
            RunKey::Uuid(bytes) => {
                let hex = format!("{:032x}", u128::from_be_bytes(bytes));
                let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &hex[part]);
                [a, b, c, d, e].join("-").into()
            }
        }
    }

    /// Adds what an event says of the run itself.
    pub(super) fn phase(&mut self, run: u32, phase: Phase, at: i64, job: u32) {
        let state = &mut self.states[run as usize];
        match phase {
            Phase::Complete => state.complete = state.complete.max(at),
            Phase::Failed => state.failed = state.failed.max(at),
            Phase::Started => state.is_started = true,
            Phase::Open => {}
        }
        // The last event knows best; some producers find the name of a job late.
        if (at, job) > (state.job_at, state.job) {
            (state.job_at, state.job) = (at, job);
        }
    }

    pub(super) fn nominal(&mut self, run: u32, nominal: i64) {
        let state = &mut self.states[run as usize];
        state.nominal = state.nominal.min(nominal);
    }

    /// Adds inputs: sorted, each once.
    pub(super) fn reads(&mut self, run: u32, inputs: &[u32]) -> Result<(), SourceError> {
        let state = &mut self.states[run as usize];
        state.inputs = self.sets.with(state.inputs, inputs)?;
        Ok(())
    }

    /// Adds an output.
    pub(super) fn writes(
        &mut self,
        run: u32,
        dataset: u32,
        phase: Phase,
        at: i64,
        written: &Written,
    ) -> Result<(), SourceError> {
        let Written {
            change,
            rows,
            is_filled,
        } = *written;
        let place = self.place(run, dataset)?;
        let output = &mut self.outputs[place as usize];
        output.was_complete((phase == Phase::Complete).then_some(at));
        output.had_rows(rows);
        output.changed_data |= change == Some(Change::Data);
        output.changed_form |= change == Some(Change::Form);
        output.changed_name |= change == Some(Change::Name);
        output.is_filled |= is_filled;
        Ok(())
    }

    /// Where an output of a run is, made if it is new.
    pub(super) fn place(&mut self, run: u32, dataset: u32) -> Result<u32, SourceError> {
        let state = &mut self.states[run as usize];
        if state.n_outputs > CHAIN_MAX {
            if let Some(&place) = self.places.get(&(run, dataset)) {
                return Ok(place);
            }
        } else {
            let mut place = state.first_output;
            while place != NONE && self.outputs[place as usize].dataset != dataset {
                place = self.outputs[place as usize].next;
            }
            if place != NONE {
                return Ok(place);
            }
        }
        if self.outputs.len() == OUTPUTS_MAX {
            return Err(SourceError::TooMany {
                what: "outputs of runs",
                max: OUTPUTS_MAX,
            });
        }
        let place = self.outputs.len() as u32;
        self.outputs.push(Output {
            dataset,
            next: std::mem::replace(&mut state.first_output, place),
            complete: NEVER,
            rows: 0,
            changed_data: false,
            changed_form: false,
            changed_name: false,
            is_filled: false,
        });
        state.n_outputs += 1;
        if state.n_outputs > CHAIN_MAX {
            // Once for the whole chain, then for each that is added.
            let mut at = place;
            while at != NONE {
                let Output { dataset, next, .. } = self.outputs[at as usize];
                let is_new = self.places.insert((run, dataset), at).is_none();
                at = if is_new { next } else { NONE };
            }
        }
        Ok(place)
    }

    /// What a run wrote, in no order.
    pub(super) fn outputs(&self, state: &State) -> impl Iterator<Item = &Output> {
        let mut place = state.first_output;
        std::iter::from_fn(move || {
            let output = self.outputs.get(place as usize)?;
            place = output.next;
            Some(output)
        })
    }
}

impl Written {
    pub(super) fn of(part: &DatasetPart<'_>) -> Written {
        let statistics = part.output_facets.as_ref();
        let statistics = statistics.and_then(
            |Measures {
                 output_statistics, ..
             }| output_statistics.as_ref(),
        );
        let facets = part.facets.as_ref();
        let lifecycle = facets.and_then(|facets| facets.lifecycle_state_change.as_ref());
        Written {
            change: lifecycle.and_then(Lifecycle::change),
            rows: statistics.and_then(RowCount::rows),
            is_filled: statistics.is_some_and(RowCount::is_some),
        }
    }
}

impl State {
    /// Which cycle it is for.
    pub(super) fn cycle(&self) -> Option<CycleName> {
        (self.nominal != i64::MAX).then_some(CycleName::Instant(self.nominal))
    }

    /// Was it complete in the end? What says both at one instant failed.
    pub(super) fn is_complete(&self) -> bool {
        self.complete > self.failed
    }
}

impl Output {
    /// When it was there; `None` if no data came.
    pub(super) fn arrived(&self, state: &State) -> Option<i64> {
        let is_data = match (self.changed_name, self.changed_form) {
            (true, _) => false,
            (_, true) => self.changed_data || self.is_filled,
            (false, false) => true,
        };
        let at = match self.complete {
            NEVER => state.complete,
            complete => complete,
        };
        (is_data && state.is_complete()).then_some(at)
    }

    /// The earliest counts.
    pub(super) fn was_complete(&mut self, at: Option<i64>) {
        self.complete = match (self.complete, at) {
            (complete, None) => complete,
            (NEVER, Some(at)) => at,
            (complete, Some(at)) => complete.min(at),
        };
    }

    /// The most that was told counts.
    pub(super) fn had_rows(&mut self, rows: Option<u64>) {
        let rows = rows.map_or(0, |rows| rows.saturating_add(1));
        self.rows = self.rows.max(rows);
    }

    /// What changed, a bit each.
    pub(super) fn flags(&self) -> u8 {
        u8::from(self.changed_data)
            | u8::from(self.changed_form) << 1
            | u8::from(self.changed_name) << 2
            | u8::from(self.is_filled) << 3
    }

    pub(super) fn rows(&self) -> Option<u64> {
        self.rows.checked_sub(1)
    }
}

/// Is the name of a run fit for a store?
pub(super) fn check_run_id(run_id: &str) -> Result<(), Problem> {
    match run_id {
        "" => Err(Problem::NoValue),
        _ if run_id.len() > 1_024 => Err(Problem::LongRunId(run_id.len())),
        _ if run_id.chars().any(char::is_control) => Err(Problem::Control),
        _ => Ok(()),
    }
}

/// The bytes of a UUID in its usual form, in small letters; any other text is a
/// name of its own, so that none is written back changed.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.as_bytes().try_into().ok()?;
    let mut bytes = [0; 16];
    let mut n_digits = 0;
    for (i, &byte) in text.iter().enumerate() {
        if matches!(i, 8 | 13 | 18 | 23) {
            if byte != b'-' {
                return None;
            }
            continue;
        }
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => return None,
        };
        bytes[n_digits / 2] = bytes[n_digits / 2] << 4 | digit;
        n_digits += 1;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_written_back_as_it_was_named() {
        let mut runs = Runs::default();
        for name in [
            "0176a8c2-fe01-7439-87e6-56a1a1b4029f",
            "0176A8C2-FE01-7439-87E6-56A1A1B4029F",
            "0176a8c2fe01-7439-87e6-56a1a1b4029f-",
            "manual__2026-09-01",
            "é76a8c2-fe01-7439-87e6-56a1a1b4029f",
        ] {
            let number = runs.number(name).unwrap();
            assert_eq!(&*runs.name(runs.states[number as usize].key), name);
            assert_eq!(runs.number(name).unwrap(), number);
        }
        assert_eq!(runs.states.len(), 5);
    }
}

//! What does one more event add?

use serde_json::error::Category;

use super::event::{DatasetPart, Event, Ownership, RunPart, Text};
use super::names::Facts;
use super::runs::{Phase, Written, check_run_id};
use super::{Events, LINKS_MAX, Refused, Wrong};
use crate::sources::arrivals::CYCLE_AHEAD_MAX;
use crate::sources::instant::{TimeRules, arrived_at, instant, supported};
use crate::sources::problem::{Problem, SourceError};
use crate::sources::table::Cell;

/// Datasets in one import.
const DATASETS_MAX: usize = 1_000_000;

/// Jobs in one import.
const JOBS_MAX: usize = 1_000_000;

impl Events {
    /// Takes an event, or refuses it and leaves everything as it was.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        rules: &TimeRules,
        place: &dyn Fn() -> String,
    ) -> Result<(), Refused> {
        let event: Event<'_> = serde_json::from_slice(bytes).map_err(|error| in_words(&error))?;
        let Event {
            event_type,
            event_time,
            schema_url,
            run,
            job,
            dataset,
            inputs,
            outputs,
        } = event;
        let at = event_time.ok_or(Problem::NoValue);
        let at = at
            .and_then(|text| arrived_at(&Cell::Text(text.as_str()), rules))
            .map_err(wrong("eventTime"))?;
        let inputs = inputs.unwrap_or_default();
        let outputs = match (&run, &job, dataset) {
            (None, None, Some(dataset)) => vec![dataset],
            (None, None, None) => return Err(no_event("neither run nor job nor dataset")),
            (Some(_), None, _) => return Err(no_event("a run without a job")),
            (_, Some(_), _) => outputs.unwrap_or_default(),
        };
        self.seen.look_up(&mut self.names, &inputs, &outputs)?;
        let job = job
            .map(|job| self.jobs.number(&job, at))
            .transpose()
            .map_err(wrong("job"))?;
        match (run, job) {
            (Some(run), Some(job)) => {
                let said = event_type.as_ref().map(Text::as_str);
                let phase = Phase::of(said).unwrap_or_else(|| {
                    self.note_type(said.unwrap_or_default(), place);
                    Phase::Open
                });
                self.take_run(&run, job, phase, at, rules, (&inputs, &outputs))?;
            }
            (None, Some(job)) => self.take_job(job)?,
            (_, None) => self.take_dataset(&outputs, at)?,
        }
        self.take_links(job, at);
        for (part, i) in inputs.iter().zip(0..) {
            self.take_facts(part, self.seen.inputs[i], at);
        }
        for (part, i) in outputs.iter().zip(0..) {
            self.take_facts(part, self.seen.outputs[i], at);
        }
        if let Some(version) = schema_url.as_ref().and_then(strange_version) {
            self.strange.entry(version.to_owned()).or_insert_with(place);
        }
        self.check_bounds().map_err(Refused::All)
    }

    /// Notes a type of event that the specification does not have.
    fn note_type(&mut self, strange: &str, place: &dyn Fn() -> String) {
        const TYPES_MAX: usize = 20;
        let shown: String = strange.chars().take(60).collect();
        let types = &mut self.strange_types;
        if types.len() < TYPES_MAX || types.contains_key(&shown) {
            types.entry(shown).or_insert_with(|| (0, place())).0 += 1;
        }
    }

    fn take_run(
        &mut self,
        run: &RunPart<'_>,
        job: u32,
        phase: Phase,
        at: i64,
        rules: &TimeRules,
        (inputs, outputs): (&[DatasetPart<'_>], &[DatasetPart<'_>]),
    ) -> Result<(), Refused> {
        let run_id = run.run_id.as_str();
        check_run_id(run_id).map_err(wrong("runId"))?;
        let nominal = nominal(run, at, rules).map_err(wrong("nominalTime"))?;
        let run = self.runs.number(run_id).map_err(Refused::All)?;
        self.runs.phase(run, phase, at, job);
        if let Some(nominal) = nominal {
            self.runs.nominal(run, nominal);
        }
        for (part, &dataset) in inputs.iter().zip(&self.seen.inputs) {
            self.measured.add(run, dataset, part);
        }
        for (part, &dataset) in outputs.iter().zip(&self.seen.outputs) {
            self.measured.add(run, dataset, part);
            self.runs
                .writes(run, dataset, phase, at, &Written::of(part))
                .map_err(Refused::All)?;
            if phase == Phase::Complete {
                let written = &mut self.names.facts[dataset as usize].written;
                *written = at.max(*written);
            }
        }
        self.runs
            .reads(run, &self.seen.input_set)
            .map_err(Refused::All)
    }

    /// A job that is declared: what it reads and writes, and no run.
    fn take_job(&mut self, job: u32) -> Result<(), Refused> {
        let sets = &mut self.runs.sets;
        let set = sets.with(0, &self.seen.input_set).map_err(Refused::All)?;
        for &output in &self.seen.outputs {
            self.declared.insert((job, output, set));
        }
        let namespace = self.jobs.job(job).namespace;
        for &input in &self.seen.inputs {
            self.alone.insert((namespace, input));
        }
        Ok(())
    }

    /// A dataset that is declared. Who says so is only known by its own namespace.
    fn take_dataset(&mut self, parts: &[DatasetPart<'_>], at: i64) -> Result<(), Refused> {
        for (part, &dataset) in parts.iter().zip(&self.seen.outputs) {
            let namespace = self.jobs.namespace(part.namespace.as_str());
            let namespace = namespace.map_err(wrong("dataset"))?;
            self.alone.insert((namespace, dataset));
            let columns = self.seen.columns.iter();
            let told = |&(output, input): &(u32, u32)| (namespace, output, input);
            self.own_columns.extend(columns.map(told));
            // A dataset that is told of lives on, whatever was renamed before.
            let written = &mut self.names.facts[dataset as usize].written;
            *written = at.max(*written);
        }
        Ok(())
    }
}

impl Events {
    /// Other names, renames and where columns come from.
    fn take_links(&mut self, job: Option<u32>, at: i64) {
        for &(one, other, is_table) in &self.seen.same {
            self.names.facts[other as usize].is_table |= is_table;
            self.names.are_same(one, other);
        }
        for &(old, new) in &self.seen.renames {
            self.names.renamed(at, old, new);
        }
        if let Some(job) = job {
            let of_job = |&(output, input): &(u32, u32)| (job, output, input);
            self.columns.extend(self.seen.columns.iter().map(of_job));
        }
    }

    /// What is declared of a dataset.
    fn take_facts(&mut self, part: &DatasetPart<'_>, dataset: u32, at: i64) {
        let Some(facets) = &part.facets else {
            return;
        };
        let facts = &mut self.names.facts[dataset as usize];
        if let Some(owner) = facets.ownership.as_ref().and_then(Ownership::owner) {
            Facts::say(&mut facts.owner, at, owner);
        }
        if let Some(tags) = &facets.tags {
            Facts::say(&mut facts.tags, at, tags.texts());
        }
    }

    pub(super) fn check_bounds(&self) -> Result<(), SourceError> {
        let n_links = self.columns.len() + self.declared.len() + self.alone.len();
        for (what, n, max) in [
            ("datasets", self.names.ids.len(), DATASETS_MAX),
            ("jobs", self.jobs.n(), JOBS_MAX),
            ("edges", n_links, LINKS_MAX),
            ("names of one dataset", self.names.n_links(), LINKS_MAX),
            ("measurements", self.measured.n(), LINKS_MAX),
        ] {
            if n > max {
                return Err(SourceError::TooMany { what, max });
            }
        }
        Ok(())
    }
}

/// For which cycle a run is: the begin of its nominal time.
fn nominal(run: &RunPart<'_>, at: i64, rules: &TimeRules) -> Result<Option<i64>, Problem> {
    let facets = run.facets.as_ref();
    let nominal = facets.and_then(|facets| facets.nominal_time.as_ref());
    let Some(text) = nominal.and_then(|nominal| nominal.nominal_start_time.as_ref()) else {
        return Ok(None);
    };
    let begin = supported(instant(&Cell::Text(text.as_str()), rules)?)?;
    match begin - at > CYCLE_AHEAD_MAX {
        true => Err(Problem::CycleAhead),
        false => Ok(Some(begin)),
    }
}

/// The version of the specification, if it is none that is known.
fn strange_version<'a>(schema_url: &'a Text<'_>) -> Option<&'a str> {
    // …/spec/2-0-2/OpenLineage.json#/$defs/RunEvent
    let version = schema_url
        .as_str()
        .split("/spec/")
        .nth(1)?
        .split('/')
        .next()?;
    let major = version.split('-').next()?;
    (!matches!(major, "0" | "1" | "2") && version.len() < 40).then_some(version)
}

fn wrong(part: &'static str) -> impl Fn(Problem) -> Refused {
    move |problem| Refused::Event(Wrong(Some(part), problem))
}

fn no_event(why: &str) -> Refused {
    Refused::Event(Wrong(None, Problem::Event(why.to_owned())))
}

/// What the parser says, without what stands in the event.
fn in_words(error: &serde_json::Error) -> Refused {
    let words = error.to_string();
    let words = words.split(" at line").next().unwrap_or_default();
    let place = format!("column {}", error.column());
    let problem = match error.classify() {
        Category::Data => {
            // `invalid type: string "…", expected a map`
            let what = match words.rsplit_once(", expected ") {
                Some((_, expected)) => format!("expected {expected}"),
                None => words.to_owned(),
            };
            Problem::Event(format!("{what} at {place}"))
        }
        Category::Syntax | Category::Eof | Category::Io => {
            Problem::Json(format!("{words} at {place}"))
        }
    };
    Refused::Event(Wrong(None, problem))
}

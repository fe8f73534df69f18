//! What would have been raised on each history?

use std::collections::BTreeMap;
use std::ops::Range;
use std::thread;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::{DAY, Holidays};
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::fit::Parameters;
use freshness_core::state::{Replayed, State, Walk, replay};

use super::Facts;
use super::score::{Alert, Promise, Score, score};
use crate::agreement::{AgreementError, Confidence, Folder};
use crate::baselines::{Contestant, Method};
use crate::evaluate::{Scope, Subject, Window, in_parallel};
use crate::mishap::{Pace, Terms, inject};

/// How it is measured.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Mishaps are drawn once with each.
    pub seeds: Range<u64>,
    /// Seconds from one fit to the next.
    pub refit: i64,
    /// Share of mishaps that begin an outage.
    pub outages: f64,
    /// Histories of which people are less sure are left out.
    pub confidence: Confidence,
    /// Only datasets whose name or class holds this.
    pub only: Option<String>,
    /// What is asked of the model.
    pub parameters: Parameters,
}

/// One history, over all seeds.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Which.
    pub dataset_id: String,
    /// Its class.
    pub class: String,
    /// By method.
    pub scores: BTreeMap<Method, Score>,
    /// Days by the status of the model that was in force.
    pub days_by_status: BTreeMap<&'static str, f64>,
}

/// Measures all histories of a folder of which enough is known, in its order.
pub fn run(
    folder: &Folder,
    facts: &BTreeMap<String, Facts>,
    settings: &Settings,
) -> Result<Vec<Trial>, AgreementError> {
    let mut asked = Vec::new();
    for (dataset_id, history) in &folder.histories {
        let facts = facts
            .get(dataset_id)
            .ok_or_else(|| AgreementError::Unknown(dataset_id.clone()))?;
        let id = DatasetId::try_from(dataset_id.as_str())
            .map_err(|_| AgreementError::Unknown(dataset_id.clone()))?;
        let wanted = (settings.only.as_ref())
            .is_none_or(|part| dataset_id.contains(part) || facts.class.contains(part));
        if wanted && facts.confidence >= settings.confidence && !history.is_empty() {
            asked.push((id, history, facts));
        }
    }
    let holidays = Holidays::builtin();
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    Ok(in_parallel(&asked, n_threads, |(id, history, facts)| {
        trial(id, history, facts, &holidays, settings)
    }))
}

fn trial(
    id: &DatasetId,
    history: &ArrivalHistory,
    facts: &Facts,
    holidays: &Holidays,
    settings: &Settings,
) -> Trial {
    let dataset = Dataset::undeclared(id.clone());
    let pace = Pace::of_class(&facts.class);
    let (first, last) = (history.at()[0], history.at()[history.len() - 1]);
    let to = last + 1;
    let from = first.max(to - pace.days() * DAY);
    let mut trial = Trial {
        dataset_id: id.to_string(),
        class: facts.class.clone(),
        scores: BTreeMap::new(),
        days_by_status: BTreeMap::new(),
    };
    for seed in settings.seeds.clone() {
        let terms = Terms {
            pace,
            from,
            to,
            outages: settings.outages,
        };
        let (tampered, mut truth) = inject(id, &facts.class, history, &terms, seed);
        truth.outages = (facts.outages.iter())
            .map(|(from, to)| (from.as_second(), to.as_second()))
            .collect();
        let walk = Walk {
            from,
            to,
            refit: settings.refit,
            known_until: to,
        };
        let replayed = replay(
            &dataset,
            &tampered,
            holidays,
            &walk,
            &settings.parameters,
            &[],
        );
        let promises = promises(&replayed, to, &mut trial.days_by_status);
        let subject = Subject {
            dataset: &dataset,
            history: &tampered,
            truth: &truth,
        };
        let raised = [
            (Method::Learned, learned(&replayed), promises),
            (Method::Plain, plain(subject, &walk), vec![(from, to, true)]),
        ];
        for (method, alerts, promises) in raised {
            let score = score(
                &alerts,
                &promises,
                (history.at(), tampered.at()),
                &truth,
                pace,
                (from, to),
            );
            trial.scores.entry(method).or_default().add(&score);
        }
    }
    trial
}

fn learned(replayed: &[Replayed]) -> Vec<Alert> {
    let alerted = replayed.iter().filter(|row| row.alerted);
    alerted
        .filter_map(|row| {
            Some(Alert {
                at: row.verdict.deadline?.as_second() + 1,
                cycle_start: row.verdict.cycle_start.as_second(),
            })
        })
        .collect()
}

fn plain(subject: Subject<'_>, walk: &Walk) -> Vec<Alert> {
    let window = Window {
        from: walk.from,
        to: walk.to,
        known_until: walk.known_until,
        refit: Some(walk.refit),
    };
    let contestant = Contestant {
        subject,
        window,
        scope: Scope::all(&window),
    };
    let deadlines = Method::Plain.deadlines(&[contestant]).unwrap_or_default();
    let raised = deadlines.into_iter().flatten().filter(|one| one.raised);
    raised
        .filter_map(|deadline| {
            Some(Alert {
                at: deadline.at + 1,
                cycle_start: deadline.awaited?.start,
            })
        })
        .collect()
}

/// When a model promised something: while it was learned and judged the cycle,
/// and such cycles are not skipped so often that one says nothing. A cycle lasts
/// until the next; gaps at refits count as the cycle before.
fn promises(
    replayed: &[Replayed],
    to: i64,
    days_by_status: &mut BTreeMap<&'static str, f64>,
) -> Vec<Promise> {
    let start = |row: &Replayed| row.verdict.cycle_start.as_second();
    let skipped = |row: &Replayed| {
        row.verdict
            .because
            .as_ref()
            .map_or(0.0, |because| because.skipped)
    };
    let mut promises = Vec::new();
    for (i, row) in replayed.iter().enumerate() {
        let end = replayed.get(i + 1).map_or(to, start).max(start(row));
        let status = match row.verdict.state {
            State::NotEvaluated | State::Unknown | State::InsufficientHistory => "not_evaluated",
            _ if skipped(row) > 0.0 => "skips",
            _ => row.model_status,
        };
        *days_by_status.entry(status).or_default() += (end - start(row)) as f64 / DAY as f64;
        promises.push((start(row), end, status == "learned"));
    }
    promises
}

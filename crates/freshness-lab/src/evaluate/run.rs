//! How do the learned deadlines stand beside the rules they replace?
//!
//! One warehouse: a window at its end that no model saw, every method over the
//! same cycles of it, and what was counted by class and by cadence.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::panic::{self, AssertUnwindSafe};

use freshness_core::civil::{DAY, Holidays};
use freshness_core::dataset::DatasetId;
use freshness_core::fit::Parameters;
use freshness_core::lineage::Lineage;
use freshness_core::state::{Upstream, as_upstream, in_generations};

use super::compare::{Prepared, lines, method_scores};
use super::onset::{Stretches, stretches};
use super::{
    Deadline, Evaluation, Scope, Subject, Tally, Window, calibrate, in_parallel, learn, score,
    sparse,
};
use crate::baselines::{Contestant, Method};
use crate::mishap::Pace;

/// What to evaluate, and how.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// Days at the end of the history that no model saw; `None` for what is
    /// usual: 45, and of a real history by class.
    pub holdout_days: Option<u32>,
    /// How often models are learned anew.
    pub refit: Refit,
    /// Which methods.
    pub methods: Vec<Method>,
    /// Also walk through first days and the days after moves?
    pub onset: bool,
    /// What is made from what; `None` if nobody knows.
    pub lineage: Option<&'a Lineage>,
    /// How it is learned.
    pub parameters: Parameters,
    /// Known holidays.
    pub holidays: &'a Holidays,
    /// Threads to work on, at least one.
    pub n_threads: usize,
}

/// How often models are learned anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refit {
    /// Every day, as a person would; of a real history, whose holdout is half a
    /// year or more, every day, week or month by class.
    Usual,
    /// Once at the start of the holdout.
    Never,
    /// Every so many seconds.
    Every(i64),
}

/// There is nothing to evaluate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum EvaluateError {
    #[error("the warehouse is empty: it has no datasets with a known truth")]
    NoTruth,
    #[error("nothing has arrived: {n_datasets} datasets without an arrival")]
    NoArrivals { n_datasets: usize },
    #[error("the holdout is empty: 0 days")]
    EmptyHoldout,
    #[error("the holdout begins before history: {from}, the first arrival is of {first}")]
    BeforeHistory { from: String, first: String },
    #[error("the holdout is empty: no dataset was due in it ({from} to {to})")]
    NothingDue { from: String, to: String },
}

/// Days that are held out of a warehouse of which every cycle is known.
pub const HOLDOUT_DAYS: u32 = 45;
/// The holdout ends at the last midnight this long before the history does, so
/// that each of its cycles had time to come.
const TIME_TO_COME: i64 = DAY;
/// The longest time between two fits of a real history.
const MONTH: i64 = 30 * DAY;

/// The window of a dataset that is scored. Real histories end when their last
/// delivery came, and are held out for as long as they are tampered with.
pub fn holdout(subject: &Subject<'_>, ends_at: i64, plan: &Plan<'_>) -> Window {
    let pace = Pace::of_class(&subject.truth.class);
    let (days, to, known_until, refit) = match subject.truth.schedule {
        Some(_) => {
            let to = ends_at.saturating_sub(TIME_TO_COME).div_euclid(DAY) * DAY;
            (i64::from(HOLDOUT_DAYS), to, ends_at, DAY)
        }
        None => {
            let last = subject.history.at().last();
            let to = last.map_or(ends_at, |last| ends_at.min(last.saturating_add(1)));
            (pace.days(), to, to, pace.period().clamp(DAY, MONTH))
        }
    };
    let days = plan.holdout_days.map_or(days, i64::from);
    Window {
        from: to.saturating_sub(days * DAY),
        to,
        known_until,
        refit: match plan.refit {
            Refit::Usual => Some(refit),
            Refit::Never => None,
            Refit::Every(seconds) => Some(seconds),
        },
    }
}

/// Evaluates all methods on the last days before `ends_at` (UTC seconds).
pub fn evaluate(
    subjects: &[Subject<'_>],
    ends_at: i64,
    plan: &Plan<'_>,
) -> Result<Evaluation, EvaluateError> {
    refuse_what_cannot_be(subjects, ends_at, plan)?;
    let prepared = prepare_all(subjects, ends_at, plan);
    let failed = subjects
        .iter()
        .zip(&prepared)
        .filter(|(_, prepared)| prepared.is_none());
    let failed = failed
        .map(|(subject, _)| subject.dataset.id.to_string())
        .collect();
    let prepared: Vec<Prepared<'_>> = prepared.into_iter().flatten().collect();
    let teams: BTreeSet<Option<&str>> = subjects
        .iter()
        .map(|subject| subject.dataset.team.as_deref())
        .collect();
    let n_channels = teams.len() as u64;
    let contestants: Vec<Contestant<'_>> = prepared.iter().map(|one| one.contestant).collect();
    let every_cycle_known = subjects
        .iter()
        .all(|subject| subject.truth.schedule.is_some());
    let asked = plan.methods.iter().copied();
    let methods: Vec<Method> = asked
        .filter(|method| every_cycle_known || !method.needs_every_cycle())
        .collect();
    let counted = in_parallel(&methods, plan.n_threads, |&method| {
        let deadlines = method
            .deadlines(&contestants)
            .unwrap_or_else(|| prepared.iter().map(|one| one.learned.deadlines()).collect());
        let each = prepared.iter().zip(&deadlines);
        each.map(|(one, deadlines)| {
            let subject = &one.contestant.subject;
            let warm = tally(subject, deadlines, one.contestant.scope);
            (warm, tally(subject, deadlines, one.cold))
        })
        .collect::<Vec<(Tally, Tally)>>()
    });
    let window = |of: fn(&Window) -> i64| contestants.iter().map(move |one| of(&one.window));
    let from = window(|window| window.from).min().unwrap_or(ends_at);
    let to = window(|window| window.to).max().unwrap_or(ends_at);
    let n_due = counted.first().map_or(0, |of_method| {
        let cycles = of_method
            .iter()
            .map(|(warm, cold)| warm.n_cycles + cold.n_cycles);
        cycles.sum::<u64>()
    });
    if n_due == 0 {
        return Err(EvaluateError::NothingDue {
            from: day(from),
            to: day(to),
        });
    }
    let scores = methods.iter().zip(&counted);
    let (mut first_days, mut after_moves) = (Stretches::default(), Stretches::default());
    for (first, moved) in prepared.iter().filter_map(|one| one.onset.as_ref()) {
        first_days.add(first);
        after_moves.add(moved);
    }
    let learned = prepared.iter().map(|one| {
        let Contestant {
            subject,
            window,
            scope,
        } = one.contestant;
        (subject, window, scope, &one.learned)
    });
    let refits: BTreeSet<i64> = contestants
        .iter()
        .filter_map(|one| one.window.refit)
        .collect();
    let walked = plan.onset && every_cycle_known;
    Ok(Evaluation {
        n_datasets: prepared.len() as u64,
        n_arrivals: subjects
            .iter()
            .map(|subject| subject.history.len() as u64)
            .sum(),
        n_channels,
        every_cycle_known,
        from: instant(from),
        to: instant(to),
        refit_days: refits
            .into_iter()
            .map(|seconds| seconds as f64 / DAY as f64)
            .collect(),
        methods: scores
            .map(|(method, of_method)| method_scores(*method, of_method, &prepared, n_channels))
            .collect(),
        calibration: calibrate(
            learned,
            plan.parameters.rate(freshness_core::schedule::Grain::Day),
        ),
        first_days: walked.then(|| first_days.told()),
        after_moves: walked.then(|| after_moves.told()),
        datasets: lines(&prepared, &methods, &counted),
        failed,
    })
}

fn refuse_what_cannot_be(
    subjects: &[Subject<'_>],
    ends_at: i64,
    plan: &Plan<'_>,
) -> Result<(), EvaluateError> {
    if subjects.is_empty() {
        return Err(EvaluateError::NoTruth);
    }
    if plan.holdout_days == Some(0) {
        return Err(EvaluateError::EmptyHoldout);
    }
    let begins = subjects.iter().filter_map(|subject| {
        let first = subject.history.at().first().copied()?;
        Some((holdout(subject, ends_at, plan).from, first))
    });
    // A dataset that begins later is a cold start; a warehouse is a mistake.
    let (from, first) = match begins.clone().min_by_key(|(_, first)| *first) {
        Some(found) => found,
        None => {
            let n_datasets = subjects.len();
            return Err(EvaluateError::NoArrivals { n_datasets });
        }
    };
    match begins.into_iter().all(|(from, first)| from <= first) {
        true => Err(EvaluateError::BeforeHistory {
            from: day(from),
            first: day(first),
        }),
        false => Ok(()),
    }
}

/// Parents before what is made from them; `None` where the walk itself failed.
fn prepare_all<'a>(
    subjects: &[Subject<'a>],
    ends_at: i64,
    plan: &Plan<'_>,
) -> Vec<Option<Prepared<'a>>> {
    let ids: Vec<&DatasetId> = subjects.iter().map(|subject| &subject.dataset.id).collect();
    let nothing = Lineage::default();
    let look = |places: &[usize], upstream_of: &(dyn Fn(usize) -> Vec<Upstream> + Sync)| {
        let prepared = in_parallel(places, plan.n_threads, |&place| {
            let work = || prepare(subjects[place], ends_at, plan, &upstream_of(place));
            panic::catch_unwind(AssertUnwindSafe(work)).ok()
        });
        Ok::<_, Infallible>(prepared)
    };
    let alerts = |one: &Option<Prepared<'a>>| {
        let replayed = one.as_ref().map(|one| as_upstream(&one.learned.replayed));
        replayed.unwrap_or_default()
    };
    let Ok(prepared) = in_generations(plan.lineage.unwrap_or(&nothing), &ids, look, alerts);
    prepared
}

fn prepare<'a>(
    subject: Subject<'a>,
    ends_at: i64,
    plan: &Plan<'_>,
    upstream: &[Upstream],
) -> Prepared<'a> {
    let window = holdout(&subject, ends_at, plan);
    let learned = learn(&subject, &window, plan.holidays, &plan.parameters, upstream);
    let cold_until = learned.cold_until.clamp(window.from, window.to);
    let walks = plan.onset && subject.truth.schedule.is_some();
    Prepared {
        contestant: Contestant {
            subject,
            window,
            scope: Scope {
                from: cold_until,
                to: window.to,
            },
        },
        cold: Scope {
            from: window.from,
            to: cold_until,
        },
        learned,
        onset: walks.then(|| stretches(&subject, window.to, plan.holidays, &plan.parameters)),
    }
}

fn tally(subject: &Subject<'_>, deadlines: &[Deadline], scope: Scope) -> Tally {
    match subject.truth.schedule {
        Some(_) => score(subject.truth, deadlines, scope),
        None => sparse::score(subject, deadlines, scope),
    }
}

/// An instant as RFC 3339; out of the supported range, its seconds.
fn instant(utc: i64) -> String {
    match jiff::Timestamp::from_second(utc) {
        Ok(timestamp) => timestamp.to_string(),
        Err(_) => format!("{utc} s"),
    }
}

fn day(utc: i64) -> String {
    match jiff::Timestamp::from_second(utc) {
        Ok(timestamp) => timestamp.strftime("%Y-%m-%d").to_string(),
        Err(_) => "before all time".to_owned(),
    }
}

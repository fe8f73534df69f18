//! Is the data new enough, and did it come in time?

use super::judge::evidence;
use super::owed::{Due, Owed};
use super::run::{Newest, Run};
use super::runs::{RunHistory, is_delivery};
use super::service_levels::{About, Freshness, Objective, ServiceLevels};
use super::since::{Stands, of_age};
use super::verdict::{
    BreachSeverity, Evidence, Outcome, Reason, SKEW_TOLERANCE_SECONDS, Verdict, instant,
};
use crate::schedule::TimeOff;

/// A limit on the age of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct AgeLimit<'a> {
    pub(super) field: Option<&'a str>,
    pub(super) threshold: f64,
    objective: Objective,
}

/// What a look found of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Look {
    /// Its newest value, UTC seconds.
    Newest(i64),
    /// None that can keep the promise.
    Breach(Reason),
    /// Nothing to judge by.
    Doubt(Reason),
}

impl<'a> AgeLimit<'a> {
    /// The limit of an objective; `None` if it is not declared.
    pub(super) fn of(freshness: &'a Freshness, objective: Objective) -> Option<AgeLimit<'a>> {
        let (field, threshold) = match objective {
            Objective::Freshness => (&freshness.field, freshness.threshold),
            Objective::SourceFreshness => (&freshness.source_field, freshness.source_threshold),
            _ => return None,
        };
        Some(AgeLimit {
            field: field.as_deref(),
            threshold: threshold?,
            objective,
        })
    }

    /// What a run says of it; `None` if it did not look.
    pub(super) fn look(&self, levels: &ServiceLevels, run: &Run) -> Option<Look> {
        let newest = match self.objective {
            Objective::SourceFreshness => run.source_newest.as_ref(),
            _ => run.newest.as_ref(),
        };
        // Without a column the deliveries themselves are what must be new.
        if self.field.is_none() && newest.is_none() && self.objective == Objective::Freshness {
            return is_delivery(run, levels).then_some(Look::Newest(run.finished_at));
        }
        Some(match newest? {
            Newest::At(at) | Newest::Partly { at, .. } => {
                let ahead_seconds = at.saturating_sub(run.finished_at);
                match ahead_seconds > SKEW_TOLERANCE_SECONDS {
                    true => Look::Breach(Reason::Future { ahead_seconds }),
                    false => Look::Newest(*at),
                }
            }
            Newest::AllNull => Look::Breach(Reason::AllNull),
            Newest::NoRows => Look::Doubt(Reason::NoRows),
            Newest::NoColumn => Look::Doubt(Reason::NoColumn {
                column: self.field.unwrap_or_default().to_owned(),
            }),
            Newest::Unreadable(value) => Look::Doubt(Reason::Unreadable {
                value: value.clone(),
            }),
        })
    }

    fn about(&self, run: &Run, evidence: &mut Evidence) {
        evidence.run_id = Some(run.run_id.clone());
        evidence.run_at = Some(instant(run.finished_at));
        evidence.n_rows = run.counts.total;
        let newest = match self.objective {
            Objective::SourceFreshness => run.source_newest.as_ref(),
            _ => run.newest.as_ref(),
        };
        match newest {
            Some(Newest::At(at)) => evidence.newest = Some(instant(*at)),
            Some(Newest::Partly {
                at,
                n_unreadable,
                value,
            }) => {
                evidence.newest = Some(instant(*at));
                evidence.n_unreadable = Some(*n_unreadable);
                evidence.unreadable = Some(value.clone());
            }
            None | Some(_) => {}
        }
    }
}

/// Is the newest value of a column young enough?
pub(super) fn freshness(
    levels: &ServiceLevels,
    history: &RunHistory,
    time: TimeOff<'_>,
    now: i64,
    objective: Objective,
) -> Verdict {
    let mut evidence = evidence(history);
    let runs = history.until(now);
    let limit = levels.freshness.as_ref().and_then(|freshness| {
        let limit = AgeLimit::of(freshness, objective)?;
        Some((freshness, limit))
    });
    let looked = limit.and_then(|(freshness, limit)| {
        let mut looks = runs
            .iter()
            .rev()
            .filter_map(|run| Some((run, limit.look(levels, run)?)));
        let (run, look) = looks.next()?;
        Some((freshness, limit, run, look))
    });
    let outcome = match looked {
        None => Outcome::CouldNotTell {
            because: Reason::NotMeasured,
        },
        Some((freshness, limit, run, look)) => {
            limit.about(run, &mut evidence);
            evidence.field = limit.field.map(str::to_owned);
            evidence.threshold_seconds = Some(limit.threshold);
            let severity = severity(&freshness.about);
            let owed = Owed::new(freshness, time);
            // What is being rebuilt can often not be told.
            let doubt_put_off = || owed.run_put_off(run.finished_at);
            let doubt_put_off = || doubt_put_off().filter(|(due, _)| *due > now);
            let breach = |because| {
                if !owed.maintenance().is_empty()
                    && let Stands::PutOff(put_off) = of_age(levels, runs, &owed, &limit, now)
                {
                    return Outcome::put_off(put_off);
                }
                Outcome::Breached { severity, because }
            };
            match look {
                Look::Doubt(because) => match doubt_put_off() {
                    Some(put_off) => Outcome::put_off(put_off),
                    None => Outcome::CouldNotTell { because },
                },
                Look::Breach(because) => breach(Some(because)),
                Look::Newest(newest) => {
                    let age = owed.seconds(newest, now);
                    evidence.newest = Some(instant(newest));
                    evidence.age_seconds = Some(age);
                    evidence.elapsed_seconds = Some(now - newest).filter(|&all| all != age);
                    match age as f64 <= limit.threshold {
                        true => Outcome::Kept,
                        false => breach(None),
                    }
                }
            }
        }
    };
    Verdict {
        objective,
        outcome,
        evidence,
    }
}

/// Did the last delivery that was owed come in time?
pub(super) fn deadline(
    levels: &ServiceLevels,
    history: &RunHistory,
    time: TimeOff<'_>,
    now: i64,
) -> Verdict {
    let mut evidence = evidence(history);
    let freshness = levels.freshness.clone().unwrap_or_default();
    let owed = Owed::new(&freshness, time);
    let runs = history.until(now);
    let next = owed.next_due(now);
    let served = |due: &Due| delivery(levels, runs, due, now);
    // Before the first run nobody knew of it.
    let first = runs.first().map(|run| run.finished_at);
    let was_known = |due: &Due| first.is_some_and(|first| first <= due.promised);
    let last = owed.last_due(now).filter(was_known);
    let awaited = owed.awaited(now).filter(was_known);
    let is_of_today = |due: &Due| owed.day(due.promised) == owed.day(now);
    let mut about = |due: &Due, run: Option<&Run>| {
        evidence.due_at = Some(instant(due.at));
        evidence.came_at = run.map(|run| instant(run.finished_at));
        evidence.run_id = run.map(|run| run.run_id.clone());
    };
    let missed = last
        .as_ref()
        .filter(|due| served(due).is_none_or(|run| run.finished_at > due.at));
    let next_of_today = next.as_ref().filter(|next| is_of_today(next));
    let last_of_today = last.as_ref().filter(|last| is_of_today(last));
    let outcome = if let Some(due) = missed.filter(|due| served(due).is_none()) {
        about(due, None);
        evidence.age_seconds = Some(now - due.at);
        Outcome::Breached {
            severity: severity(&freshness.about),
            because: None,
        }
    } else if let Some(due) = awaited {
        match served(&due) {
            Some(run) => {
                about(&due, Some(run));
                Outcome::Kept
            }
            None => {
                about(&due, None);
                let Due { at, put_off, .. } = due;
                match put_off {
                    Some(put_off) => Outcome::put_off((at, put_off)),
                    None => not_due_yet(at),
                }
            }
        }
    } else if let Some(due) = missed {
        // The next is there before its time.
        match next_of_today.and_then(|next| Some((next, served(next)?))) {
            Some((next, run)) => {
                about(next, Some(run));
                Outcome::Kept
            }
            None => {
                let run = served(due);
                about(due, run);
                Outcome::NotDue {
                    because: Reason::CameLate {
                        due_at: instant(due.at),
                        late_seconds: run.map_or(now, |run| run.finished_at) - due.at,
                    },
                }
            }
        }
    } else if let Some(next) = next_of_today {
        match served(next) {
            Some(run) => {
                about(next, Some(run));
                Outcome::Kept
            }
            None => not_due_yet(next.at),
        }
    } else if let Some(due) = last_of_today {
        about(due, served(due));
        Outcome::Kept
    } else {
        Outcome::NotDue {
            because: Reason::NothingOwed {
                next_due_at: next.map(|next| instant(next.at)),
            },
        }
    };
    Verdict {
        objective: Objective::Deadline,
        outcome,
        evidence,
    }
}

fn not_due_yet(at: i64) -> Outcome {
    let due_at = instant(at);
    Outcome::NotDue {
        because: Reason::NotDueYet { due_at },
    }
}

/// The delivery that serves a deadline: the first since its day began, by `now`.
pub(super) fn delivery<'a>(
    levels: &ServiceLevels,
    runs: &'a [Run],
    due: &Due,
    now: i64,
) -> Option<&'a Run> {
    let from = runs.partition_point(|run| run.finished_at < due.from);
    let mut since = runs[from..].iter().take_while(|run| run.finished_at <= now);
    since.find(|run| is_delivery(run, levels))
}

/// How much a breach of an objective matters.
pub(super) fn severity(about: &About) -> BreachSeverity {
    match about.critical {
        true => BreachSeverity::Warning,
        false => BreachSeverity::Advisory,
    }
}

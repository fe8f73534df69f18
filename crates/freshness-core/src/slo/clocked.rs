//! Is the data new enough, and did it come in time?

use super::judge::evidence;
use super::owed::{Due, Owed};
use super::run::{Newest, Run};
use super::runs::{RunHistory, is_delivery};
use super::service_levels::{About, Freshness, Objective, ServiceLevels};
use super::verdict::{
    BreachSeverity, Evidence, Outcome, Reason, SKEW_TOLERANCE_SECONDS, Verdict, instant,
};
use crate::civil::Holidays;

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
    holidays: &Holidays,
    now: i64,
    objective: Objective,
) -> Verdict {
    let mut evidence = evidence(history);
    let limit = levels.freshness.as_ref().and_then(|freshness| {
        let limit = AgeLimit::of(freshness, objective)?;
        Some((freshness, limit))
    });
    let looked = limit.and_then(|(freshness, limit)| {
        let runs = history.until(now).iter().rev();
        let mut looks = runs.filter_map(|run| Some((run, limit.look(levels, run)?)));
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
            match look {
                Look::Doubt(because) => Outcome::CouldNotTell { because },
                Look::Breach(because) => Outcome::Breached {
                    severity,
                    because: Some(because),
                },
                Look::Newest(newest) => {
                    let age = Owed::new(freshness, holidays).seconds(newest, now);
                    evidence.newest = Some(instant(newest));
                    evidence.age_seconds = Some(age);
                    evidence.elapsed_seconds = Some(now - newest).filter(|&all| all != age);
                    match age as f64 <= limit.threshold {
                        true => Outcome::Kept,
                        false => Outcome::Breached {
                            severity,
                            because: None,
                        },
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
    holidays: &Holidays,
    now: i64,
) -> Verdict {
    let mut evidence = evidence(history);
    let freshness = levels.freshness.clone().unwrap_or_default();
    let owed = Owed::new(&freshness, holidays);
    let runs = history.until(now);
    let next = owed.next_due(now);
    let served = |due: Due| delivery(levels, runs, due, now);
    // Before the first run nobody knew of it.
    let first = runs.first().map(|run| run.finished_at);
    let last = owed
        .last_due(now)
        .filter(|due| first.is_some_and(|first| first <= due.at));
    let is_of_today = |due: Due| owed.day(due.at) == owed.day(now);
    let mut about = |due: Due, run: Option<&Run>| {
        evidence.due_at = Some(instant(due.at));
        evidence.came_at = run.map(|run| instant(run.finished_at));
        evidence.run_id = run.map(|run| run.run_id.clone());
    };
    let missed = last.filter(|due| served(*due).is_none_or(|run| run.finished_at > due.at));
    let outcome = match (missed, next) {
        (Some(due), next) => match served(due) {
            None => {
                about(due, None);
                evidence.age_seconds = Some(now - due.at);
                Outcome::Breached {
                    severity: severity(&freshness.about),
                    because: None,
                }
            }
            // The next is there before its time.
            Some(_) if next.is_some_and(|next| is_of_today(next) && served(next).is_some()) => {
                let next = next.unwrap_or(due);
                about(next, served(next));
                Outcome::Kept
            }
            Some(run) => {
                about(due, Some(run));
                Outcome::NotDue {
                    because: Reason::CameLate {
                        due_at: instant(due.at),
                        late_seconds: run.finished_at - due.at,
                    },
                }
            }
        },
        (None, Some(next)) if is_of_today(next) => match served(next) {
            Some(run) => {
                about(next, Some(run));
                Outcome::Kept
            }
            None => Outcome::NotDue {
                because: Reason::NotDueYet {
                    due_at: instant(next.at),
                },
            },
        },
        (None, next) => match last.filter(|due| is_of_today(*due)) {
            Some(due) => {
                about(due, served(due));
                Outcome::Kept
            }
            None => Outcome::NotDue {
                because: Reason::NothingOwed {
                    next_due_at: next.map(|next| instant(next.at)),
                },
            },
        },
    };
    Verdict {
        objective: Objective::Deadline,
        outcome,
        evidence,
    }
}

/// The delivery that serves a deadline: the first since its day began, by `now`.
pub(super) fn delivery<'a>(
    levels: &ServiceLevels,
    runs: &'a [Run],
    due: Due,
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

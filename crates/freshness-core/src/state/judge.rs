//! Is a dataset late at an instant?
//!
//! The cycles around the instant are matched to the arrivals, as in the fit.
//! If cycles have passed without a delivery since the last one served, the
//! first of them whose emptiness cannot be habit, and whose deadline has
//! passed, is what the dataset is late with.

use jiff::Timestamp;

use super::silence;
use super::upstream::{self, Upstream, Waiting};
use super::verdict::{CycleVerdict, DatasetState, Overdue, Severity, State};
use crate::arrivals::{ArrivalHistory, Opening, match_in_order};
use crate::civil::{DAY, Holidays, Zone};
use crate::dataset::Dataset;
use crate::fit::{ArrivalModel, ColdStart, Fitted, Model, to_seconds, to_timestamp};
use crate::schedule::{Calendar, Cycle, Grain};

/// Cycles before the last arrival that are looked at, so that a backlog is
/// credited as the fit credits it.
const CONTEXT_CYCLES: i64 = 8;
/// Cycles after the last arrival that are counted: of a clock in the year 9998
/// there would be millions.
const MOST_CYCLES: i64 = 100_000;
/// Empty cycles in a row are no habit once their joint chance is below this.
const IMPROBABLE: f64 = 0.001;
/// Arrivals below which nothing can be said at all.
pub const MIN_ARRIVALS: u64 = 3;

/// Judges a dataset at `now` (UTC seconds). `history` may hold only the recent
/// arrivals; those after `now` are not looked at. `None` for the model means
/// that the dataset was never fitted. `upstream` is how the datasets stand that
/// it is made from.
pub fn judge(
    dataset: &Dataset,
    model: Option<&Model>,
    history: &ArrivalHistory,
    holidays: &Holidays,
    upstream: &[Upstream],
    now: i64,
) -> DatasetState {
    let n = history.at().partition_point(|&at| at <= now);
    let last_arrival = n.checked_sub(1).map(|last| history.at()[last]);
    let blank = |state: State, reason: String| DatasetState {
        dataset_id: dataset.id.clone(),
        state,
        severity: None,
        model_status: model.map_or("none", |model| model.fitted.status()),
        last_arrival: last_arrival.map(to_timestamp),
        current: None,
        late_seconds: None,
        n_overdue: 0,
        newest_overdue: None,
        reason,
    };
    let Some(model) = model else {
        return blank(
            State::NotEvaluated,
            "no model: it was never fitted".to_owned(),
        );
    };
    let Some(last_arrival) = last_arrival else {
        return blank(State::Unknown, "nothing has arrived yet".to_owned());
    };
    if model.n_arrivals.max(n as u64) < MIN_ARRIVALS {
        return blank(State::InsufficientHistory, super::reason::too_few(n));
    }
    let seen = match Schedule::of(&model.fitted) {
        Some(schedule) => {
            let from = last_arrival - CONTEXT_CYCLES * schedule.period;
            let counted = last_arrival.saturating_add(MOST_CYCLES * schedule.period);
            let window = (from, (now + 1).min(counted));
            schedule.verdicts(model, history, n, holidays, upstream, window, now)
        }
        None => silence::verdicts(&model.fitted, history, last_arrival, now + 1, now),
    };
    let Some(standing) = standing(&seen, now) else {
        return blank(State::Pending, "no cycle has begun yet".to_owned());
    };
    let current = &seen[standing.current];
    let state = standing.state;
    let late_seconds = match state {
        State::Late | State::Missed => current
            .verdict
            .deadline
            .map(|deadline| now - deadline.as_second()),
        _ => None,
    };
    DatasetState {
        severity: severity(state, &model.fitted, dataset.critical),
        current: Some(current.verdict.clone()),
        late_seconds,
        n_overdue: standing.n_overdue,
        newest_overdue: standing.newest_overdue,
        reason: super::reason::of(
            state,
            &current.verdict,
            &model.fitted,
            late_seconds,
            standing.n_overdue,
        ),
        ..blank(state, String::new())
    }
}

/// The verdicts of the expected cycles that begin in `[from, to)`, as of
/// `now` (all UTC seconds), oldest first. For a feed without a calendar, of the
/// silences that begin in it. `upstream` is how the datasets stand, or stood, that
/// it is made from.
pub fn cycles_until(
    model: &Model,
    history: &ArrivalHistory,
    holidays: &Holidays,
    upstream: &[Upstream],
    (from, to): (i64, i64),
    now: i64,
) -> Vec<CycleVerdict> {
    let n = history.at().partition_point(|&at| at <= now);
    let seen = match Schedule::of(&model.fitted) {
        Some(schedule) => {
            // Deliveries of the window may come in a backlog after it.
            let context = CONTEXT_CYCLES * schedule.period;
            let until = to.max((now + 1).min(to + context));
            let window = (from - context, until);
            schedule.verdicts(model, history, n, holidays, upstream, window, now)
        }
        None => silence::verdicts(&model.fitted, history, from, to, now),
    };
    seen.into_iter()
        .map(|seen| seen.verdict)
        .filter(|verdict| (from..to).contains(&verdict.cycle_start.as_second()))
        .collect()
}

/// The learned deadlines of the expected cycles that begin in `[from, to)` (UTC
/// seconds), each with the start of its cycle, oldest first; none without a
/// calendar.
pub fn deadlines(
    model: &Model,
    holidays: &Holidays,
    (from, to): (i64, i64),
) -> Vec<(Timestamp, Timestamp)> {
    let Some(schedule) = Schedule::of(&model.fitted) else {
        return Vec::new();
    };
    let (cycles, n_asked) = schedule.cycles(holidays, from, to);
    let of = |cycle: &Cycle| {
        let deadline = to_timestamp(schedule.own_deadline(cycle));
        (to_timestamp(cycle.start), deadline)
    };
    cycles[..n_asked].iter().map(of).collect()
}

/// How much a state matters. A cold start and a provisional model can only
/// advise, whatever the dataset; so can a feed that supports no promise.
pub(super) fn severity(state: State, fitted: &Fitted, critical: bool) -> Option<Severity> {
    match state {
        State::Late | State::Missed | State::LateArrival => Some(match fitted {
            Fitted::ColdStart(_) | Fitted::Provisional { .. } => Severity::Advisory,
            Fitted::Irregular(gaps) if !gaps.supports_promise => Severity::Advisory,
            Fitted::Learned(_) | Fitted::Irregular(_) if critical => Severity::Critical,
            Fitted::Learned(_) | Fitted::Irregular(_) => Severity::Warning,
        }),
        State::Ok
        | State::Pending
        | State::Unknown
        | State::InsufficientHistory
        | State::NotEvaluated => None,
    }
}

/// A cycle's verdict, and when the next cycle takes over.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) verdict: CycleVerdict,
    /// Arrivals from here on are credited to the next cycle (UTC seconds).
    pub(super) closes: i64,
}

/// What the dataset's state is about.
struct Standing {
    state: State,
    current: usize,
    n_overdue: u32,
    newest_overdue: Option<Overdue>,
}

fn standing(seen: &[Seen], now: i64) -> Option<Standing> {
    let newest = seen.len().checked_sub(1)?;
    let served = seen
        .iter()
        .rposition(|seen| seen.verdict.arrived_at.is_some());
    let open = served.map_or(0, |served| served + 1);
    let overdue = |seen: &&Seen| matches!(seen.verdict.state, State::Late | State::Missed);
    if let Some(first) = (open..=newest).find(|&i| overdue(&&seen[i])) {
        let n_overdue = seen[first..].iter().filter(overdue).count() as u32;
        let newest_overdue = seen.iter().rfind(overdue);
        let state = if seen[first].closes <= now {
            State::Missed
        } else {
            State::Late
        };
        return Some(Standing {
            state,
            current: first,
            n_overdue,
            newest_overdue: newest_overdue.and_then(|seen| Overdue::of(&seen.verdict)),
        });
    }
    // Nothing is overdue: the newest cycle that has begun says how it stands.
    let state = match seen[newest].verdict.state {
        // Skipped as it often is: whatever comes next is awaited.
        State::NotEvaluated if seen[newest].verdict.because.is_some() => State::Pending,
        state => state,
    };
    // Before its cycle begins, the last one served is what there is to say.
    let current = match (state, served) {
        (State::Pending, Some(served)) if seen[newest].verdict.cycle_start.as_second() > now => {
            served
        }
        _ => newest,
    };
    Some(Standing {
        state: if current == newest {
            state
        } else {
            seen[current].verdict.state
        },
        current,
        n_overdue: 0,
        newest_overdue: None,
    })
}

/// A model that has cycles.
struct Schedule<'a> {
    calendar: &'a Calendar,
    zone: Zone,
    period: i64,
    rule: Rule<'a>,
}

#[derive(Clone, Copy)]
enum Rule<'a> {
    Learned(&'a ArrivalModel),
    Loose(&'a ColdStart),
}

impl<'a> Schedule<'a> {
    fn of(fitted: &'a Fitted) -> Option<Schedule<'a>> {
        let (calendar, zone, rule) = match fitted {
            Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
                (&model.calendar, model.zone, Rule::Learned(model))
            }
            Fitted::ColdStart(cold) => (&cold.calendar, cold.zone, Rule::Loose(cold)),
            Fitted::Irregular(_) => return None,
        };
        let period = calendar.grain().map(Grain::seconds)?;
        Some(Schedule {
            calendar,
            zone,
            period,
            rule,
        })
    }

    /// The cycles that begin in `[from, to)`, their number, and the one after
    /// them, which says when the last of them closes.
    fn cycles(&self, holidays: &Holidays, from: i64, to: i64) -> (Vec<Cycle>, usize) {
        // Mostly the next cycle is near; over a long holiday it is not.
        for reach in [2 * self.period, 32 * self.period.max(DAY)] {
            let mut cycles = self.calendar.cycles(self.zone, holidays, from, to + reach);
            let n_asked = cycles.partition_point(|cycle| cycle.start < to);
            if cycles.len() > n_asked {
                cycles.truncate(n_asked + 1);
                return (cycles, n_asked);
            }
        }
        let cycles = self.calendar.cycles(self.zone, holidays, from, to);
        let n_asked = cycles.len();
        (cycles, n_asked)
    }

    fn opening(&self, cycle: &Cycle) -> Opening {
        match self.rule {
            Rule::Learned(model) => model.opening(cycle),
            Rule::Loose(cold) => {
                let usual = cold.p50.map_or(0, to_seconds);
                let instant = |delay| self.calendar.instant(self.zone, cycle, delay);
                Opening {
                    opens: instant(usual - self.period / 5),
                    usual: instant(usual),
                    usual_by: instant(usual + self.period / 5),
                }
            }
        }
    }

    fn threshold(&self, cycle: &Cycle) -> f64 {
        match self.rule {
            Rule::Learned(model) => model.expect(cycle).threshold,
            Rule::Loose(cold) => cold.threshold,
        }
    }

    /// The deadline that was learned, whatever came before.
    fn own_deadline(&self, cycle: &Cycle) -> i64 {
        let threshold = to_seconds(self.threshold(cycle));
        self.calendar.instant(self.zone, cycle, threshold)
    }

    /// The cycles that begin in `[from, to)`; the first few may lack context.
    #[allow(
        clippy::too_many_arguments,
        reason = "each is an instant or an input of its own"
    )]
    fn verdicts(
        &self,
        model: &Model,
        history: &ArrivalHistory,
        n: usize,
        holidays: &Holidays,
        upstream: &[Upstream],
        (from, to): (i64, i64),
        now: i64,
    ) -> Vec<Seen> {
        let (cycles, n_asked) = self.cycles(holidays, from, to);
        let openings: Vec<Opening> = cycles.iter().map(|cycle| self.opening(cycle)).collect();
        let served = match_in_order(&cycles[..n_asked], &openings, history, n);
        let first_arrival = model.first_arrival.map_or(i64::MAX, Timestamp::as_second);
        let mut habit = 1.0;
        let mut seen: Vec<Seen> = Vec::with_capacity(n_asked);
        for i in 0..n_asked {
            let cycle = &cycles[i];
            let closes = openings.get(i + 1).map_or(i64::MAX, |next| next.opens);
            let may_have_moved = seen.last().map_or(0, |seen| {
                upstream::may_have_moved(&seen.verdict, self.period)
            });
            let own_deadline = self.own_deadline(cycle) + may_have_moved;
            let arrived_at = served[i].map(|arrival| history.at()[arrival]);
            let because = match self.rule {
                Rule::Learned(model) => Some(model.expect(cycle)),
                Rule::Loose(_) => None,
            };
            let mut waiting = because.as_ref().map(|because| Waiting {
                usual: openings[i].usual,
                plain_usual: openings[i].usual - to_seconds(because.effects),
                window_ends: openings[i].usual_by,
                deadline: own_deadline,
                period: self.period,
            });
            let put_off = waiting.and_then(|waiting| waiting.not_before(upstream));
            if let (Some(waiting), Some((until, _))) = (&mut waiting, put_off) {
                waiting.deadline = until;
            }
            let own_deadline = put_off.map_or(own_deadline, |(until, _)| until);
            let after = |waiting: &Waiting| {
                let from = waiting.late_after(&seen.last()?.verdict)?;
                Some((from, &model.dataset_id))
            };
            let early = waiting.and_then(|waiting| {
                after(&waiting)
                    .into_iter()
                    .chain(waiting.late_from(upstream))
                    .min()
            });
            let deadline = early.map_or(own_deadline, |(from, _)| from);
            habit *= because.as_ref().map_or(0.0, |because| because.skipped);
            let state = match arrived_at {
                Some(at) if at > deadline => State::LateArrival,
                Some(_) => State::Ok,
                None if closes <= first_arrival => State::Unknown,
                None if now <= deadline => State::Pending,
                None if habit > IMPROBABLE => State::NotEvaluated,
                None if closes <= now => State::Missed,
                None => State::Late,
            };
            if arrived_at.is_some() {
                habit = 1.0;
            }
            let has_deadline = state != State::NotEvaluated;
            let verdict = CycleVerdict {
                cycle: cycle.label(self.calendar),
                cycle_start: to_timestamp(cycle.start),
                usual_at: because.as_ref().map(|_| to_timestamp(openings[i].usual)),
                deadline: has_deadline.then(|| to_timestamp(deadline)),
                held_up_by: early.filter(|_| has_deadline).map(|(_, by)| by.clone()),
                waits_for: put_off
                    .filter(|_| has_deadline && early.is_none())
                    .map(|(_, by)| by.clone()),
                arrived_at: arrived_at.map(to_timestamp),
                state,
                because,
            };
            seen.push(Seen { verdict, closes });
        }
        seen
    }
}

//! What became of each cycle?
//!
//! The cycles of a model are matched to the arrivals, as in the fit. Each gets the
//! deadline that was learned, put off where its delivery before was late, where what
//! it waits for is slow, or where somebody works on what delivers, and brought forward
//! where what it waits for is overdue.

use jiff::Timestamp;

use super::silence;
use super::upstream::{self, Upstream, Waiting};
use super::verdict::{CycleVerdict, State};
use crate::arrivals::{ArrivalHistory, Opening, match_in_order};
use crate::civil::{DAY, Holidays, Zone};
use crate::fit::{ArrivalModel, ColdStart, Fitted, Model, to_seconds, to_timestamp};
use crate::schedule::{Calendar, Cycle, Grain, Maintenance, PutOff};

/// Cycles before the last arrival that are looked at, so that a backlog is
/// credited as the fit credits it.
pub(super) const CONTEXT_CYCLES: i64 = 8;
/// Empty cycles in a row are no habit once their joint chance is below this.
const IMPROBABLE: f64 = 0.001;

/// The verdicts of the expected cycles that begin in `[from, to)`, as of
/// `now` (all UTC seconds), oldest first. For a feed without a calendar, of the
/// silences that begin in it. `upstream` is how the datasets stand, or stood, that
/// it is made from, `maintenance` when nothing is expected of it.
pub fn cycles_until(
    model: &Model,
    history: &ArrivalHistory,
    holidays: &Holidays,
    upstream: &[Upstream],
    maintenance: &Maintenance,
    (from, to): (i64, i64),
    now: i64,
) -> Vec<CycleVerdict> {
    let history = &*model.deliveries(history, now);
    let n = history.at().partition_point(|&at| at <= now);
    let seen = match Schedule::of(&model.fitted, maintenance) {
        Some(schedule) => {
            // Deliveries of the window may come in a backlog after it.
            let context = CONTEXT_CYCLES * schedule.period;
            let until = to.max((now + 1).min(to + context));
            let window = (from - context, until);
            schedule.verdicts(model, history, n, holidays, upstream, window, now)
        }
        None => silence::verdicts(&model.fitted, history, maintenance, (from, to), now),
    };
    seen.into_iter()
        .map(|seen| seen.verdict)
        .filter(|verdict| (from..to).contains(&verdict.cycle_start.as_second()))
        .collect()
}

/// The learned deadlines of the expected cycles that begin in `[from, to)` (UTC
/// seconds), put off by maintenance, each with the start of its cycle, oldest first;
/// none without a calendar.
pub fn deadlines(
    model: &Model,
    holidays: &Holidays,
    maintenance: &Maintenance,
    (from, to): (i64, i64),
) -> Vec<(Timestamp, Timestamp)> {
    let Some(schedule) = Schedule::of(&model.fitted, maintenance) else {
        return Vec::new();
    };
    let (cycles, n_asked) = schedule.cycles(holidays, from, to);
    let of = |cycle: &Cycle| {
        let usual = schedule.opening(cycle).usual;
        let deadline = maintenance.counted(usual, schedule.own_deadline(cycle));
        (to_timestamp(cycle.start), to_timestamp(deadline))
    };
    cycles[..n_asked].iter().map(of).collect()
}

/// A cycle's verdict, and when the next cycle takes over.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) verdict: CycleVerdict,
    /// Arrivals from here on are credited to the next cycle (UTC seconds).
    pub(super) closes: i64,
}

/// A model that has cycles.
pub(super) struct Schedule<'a> {
    calendar: &'a Calendar,
    zone: Zone,
    /// From one cycle to the next, in seconds.
    pub(super) period: i64,
    rule: Rule<'a>,
    maintenance: &'a Maintenance,
}

#[derive(Clone, Copy)]
enum Rule<'a> {
    Learned(&'a ArrivalModel),
    Loose(&'a ColdStart),
}

impl<'a> Schedule<'a> {
    pub(super) fn of(fitted: &'a Fitted, maintenance: &'a Maintenance) -> Option<Schedule<'a>> {
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
            maintenance,
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

    /// The deadline of the first delivery that usually comes after maintenance ends.
    fn resumed(&self, holidays: &Holidays, ends: i64) -> Option<i64> {
        let reach = 2 * self.period;
        let (cycles, _) = self.cycles(holidays, ends - reach, ends + reach);
        let comes = |cycle: &Cycle| (self.opening(cycle).usual, self.own_deadline(cycle));
        let mut after = cycles.iter().map(comes);
        let (usual, deadline) = after.find(|(usual, _)| *usual >= ends)?;
        Some(self.maintenance.counted(usual, deadline))
    }

    /// The cycles that begin in `[from, to)`; the first few may lack context.
    #[allow(
        clippy::too_many_arguments,
        reason = "each is an instant or an input of its own"
    )]
    pub(super) fn verdicts(
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
        let usual = openings.iter().map(|opening| opening.usual);
        let usual = usual.clone().min().zip(usual.max()).unwrap_or_default();
        let upstream = upstream::around(upstream, usual);
        let first_arrival = model.first_arrival.map_or(i64::MAX, Timestamp::as_second);
        let mut habit = 1.0;
        let mut seen: Vec<Seen> = Vec::with_capacity(n_asked);
        for i in 0..n_asked {
            let cycle = &cycles[i];
            let closes = openings.get(i + 1).map_or(i64::MAX, |next| next.opens);
            let may_have_moved = seen.last().map_or(0, |seen| {
                upstream::may_have_moved(&seen.verdict, self.period)
            });
            let usual = openings[i].usual;
            let counted = |at| self.maintenance.counted(usual, at);
            let learned_deadline = self.own_deadline(cycle) + may_have_moved;
            let own_deadline = counted(learned_deadline);
            let arrived_at = served[i].map(|arrival| history.at()[arrival]);
            let because = match self.rule {
                Rule::Learned(model) => Some(model.expect(cycle)),
                Rule::Loose(_) => None,
            };
            let mut waiting = because.as_ref().map(|because| Waiting {
                usual,
                plain_usual: usual - to_seconds(because.effects),
                window_ends: counted(openings[i].usual_by),
                deadline: own_deadline,
                slack: (learned_deadline - usual).max(0),
                period: self.period,
                maintenance: self.maintenance,
            });
            let put_off = waiting.and_then(|waiting| waiting.not_before(&upstream));
            if let (Some(waiting), Some((until, _))) = (&mut waiting, put_off) {
                waiting.deadline = until;
            }
            let own_deadline = put_off.map_or(own_deadline, |(until, _)| until);
            let after = |waiting: &Waiting<'_>| {
                let from = waiting.late_after(&seen.last()?.verdict)?;
                Some((from, &model.dataset_id))
            };
            let early = waiting.and_then(|waiting| {
                after(&waiting)
                    .into_iter()
                    .chain(waiting.late_from(&upstream))
                    .min()
            });
            let deadline = early.map_or(own_deadline, |(from, _)| from);
            let own_maintenance = self.maintenance.last_between(usual.min(deadline), deadline);
            let deadline = match own_maintenance {
                // A feed of several a day makes up for nothing: it goes on. What was to
                // come before a window began has the time that it usually has.
                Some((ends, _))
                    if early.is_none() && self.period < DAY && counted(usual) != usual =>
                {
                    deadline.max(self.resumed(holidays, ends).unwrap_or(deadline))
                }
                _ => deadline,
            };
            let awaits = put_off
                .filter(|_| early.is_none())
                .map(|(_, awaited)| awaited);
            let maintenance = own_maintenance
                .map(|(until, why)| PutOff::new(until, why))
                .or_else(|| awaits?.maintenance.clone());
            let skipped = because.as_ref().map_or(0.0, |because| because.skipped);
            let is_habit = habit * skipped > IMPROBABLE;
            // That nothing came while somebody worked on it says nothing of the next.
            if maintenance.is_none() {
                habit *= skipped;
            }
            let state = match arrived_at {
                Some(at) if at > deadline => State::LateArrival,
                Some(_) => State::Ok,
                None if closes <= first_arrival => State::Unknown,
                None if now <= deadline => State::Pending,
                None if is_habit => State::NotEvaluated,
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
                learned_deadline: has_deadline.then(|| to_timestamp(learned_deadline)),
                held_up_by: early.filter(|_| has_deadline).map(|(_, by)| by.clone()),
                waits_for: awaits
                    .filter(|_| has_deadline)
                    .map(|awaited| awaited.dataset_id.clone()),
                maintenance,
                arrived_at: arrived_at.map(to_timestamp),
                state,
                because,
            };
            seen.push(Seen { verdict, closes });
        }
        leave_out(&mut seen);
        seen
    }
}

/// A cycle that maintenance put off was left out if a later one was served before it
/// was late: what delivers has gone on, and nobody waits for it any more.
fn leave_out(seen: &mut [Seen]) {
    let mut came: Option<Timestamp> = None;
    for Seen { verdict, .. } in seen.iter_mut().rev() {
        let is_empty = matches!(verdict.state, State::Late | State::Missed);
        if is_empty
            && verdict.maintenance.is_some()
            && came.is_some_and(|came| verdict.deadline >= Some(came))
        {
            verdict.state = State::NotEvaluated;
            (verdict.deadline, verdict.held_up_by, verdict.waits_for) = (None, None, None);
        }
        came = [came, verdict.arrived_at].into_iter().flatten().min();
    }
}

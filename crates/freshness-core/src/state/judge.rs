//! Is a dataset late at an instant?
//!
//! The cycles around the instant are matched to the arrivals, as in the fit.
//! If cycles have passed without a delivery since the last one served, the
//! first of them whose emptiness cannot be habit, and whose deadline has
//! passed, is what the dataset is late with.

use super::cycles::{CONTEXT_CYCLES, Schedule, Seen};
use super::silence;
use super::upstream::Upstream;
use super::verdict::{CycleVerdict, DatasetState, Excused, Overdue, Severity, State};
use crate::arrivals::ArrivalHistory;
use crate::civil::Holidays;
use crate::dataset::Dataset;
use crate::fit::{Fitted, Model, to_timestamp};

/// Cycles after the last arrival that are counted: of a clock in the year 9998
/// there would be millions.
const MOST_CYCLES: i64 = 100_000;
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
        excused: None,
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
    let maintenance = &dataset.maintenance;
    let going_on = model.burst_going_on(history, now);
    let history = &*model.deliveries(history, now);
    let n = n.min(history.len());
    let seen = match Schedule::of(&model.fitted, maintenance) {
        Some(schedule) => {
            let from = last_arrival - CONTEXT_CYCLES * schedule.period;
            let counted = last_arrival.saturating_add(MOST_CYCLES * schedule.period);
            let window = (from, (now + 1).min(counted));
            schedule.verdicts(model, history, n, holidays, upstream, window, now)
        }
        None => silence::verdicts(
            &model.fitted,
            history,
            maintenance,
            (last_arrival, now + 1),
            now,
        ),
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
    let mut reason = super::reason::of(
        state,
        &current.verdict,
        &model.fitted,
        late_seconds,
        standing.n_overdue,
    );
    let is_awaited = matches!(state, State::Pending | State::Late | State::Missed);
    if let (true, Some(burst), Some(going_on)) = (is_awaited, &model.burst, going_on) {
        reason = super::reason::goes_on(burst, going_on, &reason);
    }
    DatasetState {
        severity: severity(state, &model.fitted, dataset.critical),
        current: Some(current.verdict.clone()),
        late_seconds,
        excused: excused(
            state,
            &current.verdict,
            &model.fitted,
            dataset.critical,
            now,
        ),
        n_overdue: standing.n_overdue,
        newest_overdue: standing.newest_overdue,
        reason,
        ..blank(state, String::new())
    }
}

/// What is pending in maintenance, though by what is learned it would be late.
fn excused(
    state: State,
    cycle: &CycleVerdict,
    fitted: &Fitted,
    critical: bool,
    now: i64,
) -> Option<Excused> {
    let is_put_off = state == State::Pending && cycle.maintenance.is_some();
    let deadline = cycle.learned_deadline.filter(|_| is_put_off)?;
    let seconds = now - deadline.as_second();
    let severity = severity(State::Late, fitted, critical)?;
    (seconds > 0).then_some(Excused { seconds, severity })
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
    // What was put off is awaited, whatever was to come since.
    let is_put_off =
        |seen: &Seen| seen.verdict.maintenance.is_some() && seen.verdict.state == State::Pending;
    if let Some(current) = (open..=newest).find(|&i| is_put_off(&seen[i])) {
        return Some(Standing {
            state: State::Pending,
            current,
            n_overdue: 0,
            newest_overdue: None,
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

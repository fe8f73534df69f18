//! What would have been raised, and when?
//!
//! Walks through a history as a person on call lived through it: a model is
//! learned from the past, judges the cycles that are usually delivered until
//! the next one is learned, and at each deadline sees only what had arrived by then.

use super::cycles::cycles_until;
use super::judge::{MIN_ARRIVALS, severity};
use super::upstream::Upstream;
use super::verdict::{CycleVerdict, Severity, State};
use crate::arrivals::ArrivalHistory;
use crate::civil::{DAY, Holidays};
use crate::dataset::Dataset;
use crate::fit::{Parameters, fit, to_seconds};

/// A check sees the newest arrivals, not all; so does each look at a deadline.
const TAIL_ARRIVALS: usize = 48;
/// … and those since this long before the cycle.
const TAIL_SECONDS: i64 = 2 * DAY;

/// The stretch of time to walk through. UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    /// Cycles that begin from here on …
    pub from: i64,
    /// … and before here.
    pub to: i64,
    /// Seconds from one fit to the next; positive.
    pub refit: i64,
    /// What arrived until then tells what became of the cycles.
    pub known_until: i64,
}

/// One expected cycle of the walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// What became of it in the end.
    pub verdict: CycleVerdict,
    /// Would a person have been alerted at its deadline?
    pub alerted: bool,
    /// How much it would have mattered at its deadline; `None` if it was not
    /// late then.
    pub severity: Option<Severity>,
    /// How much the model knew: `learned`, `provisional`, `irregular` or
    /// `cold_start`.
    pub model_status: &'static str,
    /// What it is to those made from it; `None` without a calendar, or if its
    /// model can only advise.
    pub as_upstream: Option<Upstream>,
}

/// The expected cycles of a dataset over the walk, oldest first. Of a feed
/// without a calendar, its silences. `upstream` is how the datasets stood
/// that it is made from ([`super::as_upstream`]).
pub fn replay(
    dataset: &Dataset,
    history: &ArrivalHistory,
    holidays: &Holidays,
    walk: &Walk,
    parameters: &Parameters,
    upstream: &[Upstream],
) -> Vec<Replayed> {
    let mut replayed = Vec::new();
    let (mut learned_at, mut judged_until) = (walk.from, walk.from);
    let learn = |learned_at| fit(dataset, history, holidays, learned_at, parameters);
    let mut model = learn(learned_at);
    while learned_at < walk.to {
        let next = learned_at.saturating_add(walk.refit.max(1)).min(walk.to);
        let n_arrived = history.at().partition_point(|&at| at <= learned_at);
        // Nothing is learned of a night in which nothing arrived.
        if model.n_arrivals < n_arrived as u64 {
            model = learn(learned_at);
        }
        let in_the_end = cycles_until(
            &model,
            history,
            holidays,
            upstream,
            &dataset.maintenance,
            (judged_until, next),
            walk.known_until,
        );
        for mut verdict in in_the_end {
            let start = verdict.cycle_start.as_second();
            // What is usually delivered later is for the next model to judge.
            let usual = verdict
                .because
                .as_ref()
                .map_or(0, |because| to_seconds(because.p50));
            if start + usual >= next && next < walk.to {
                break;
            }
            judged_until = start + 1;
            let severity = late_at_deadline(&verdict, walk.known_until, |start, at| {
                let at_least = model.n_arrivals_of(TAIL_ARRIVALS);
                let seen = history.recent(at, start - TAIL_SECONDS, at_least);
                let one = (start, start + 1);
                let maintenance = &dataset.maintenance;
                cycles_until(&model, &seen, holidays, upstream, maintenance, one, at)
            })
            .filter(|_| !is_too_early(&verdict, history.at()))
            .and_then(|state| severity(state, &model.fitted, dataset.critical));
            if is_too_early(&verdict, history.at()) {
                verdict.state = State::InsufficientHistory;
            }
            let alerted = severity.is_some_and(|severity| severity > Severity::Advisory);
            replayed.push(Replayed {
                alerted,
                severity,
                model_status: model.fitted.status(),
                as_upstream: Upstream::of(&dataset.id, &verdict, &model, alerted),
                verdict,
            });
        }
        learned_at = next;
    }
    replayed
}

/// Had hardly anything arrived by the deadline? A check says only that then.
fn is_too_early(verdict: &CycleVerdict, at: &[i64]) -> bool {
    verdict.deadline.is_some_and(|deadline| {
        let n_seen = at.partition_point(|&at| at <= deadline.as_second());
        (1..MIN_ARRIVALS).contains(&(n_seen as u64))
    })
}

/// The state of a cycle just past its deadline, if it was late then. Judged
/// again by `judged_at(start, instant)`, since what came later may have been
/// credited to it.
fn late_at_deadline(
    verdict: &CycleVerdict,
    known_until: i64,
    judged_at: impl Fn(i64, i64) -> Vec<CycleVerdict>,
) -> Option<State> {
    let just_past = verdict.deadline?.as_second() + 1;
    if just_past > known_until {
        return None;
    }
    let then = judged_at(verdict.cycle_start.as_second(), just_past);
    let state = then.first()?.state;
    matches!(state, State::Late | State::Missed).then_some(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrivals::{Arrival, ArrivalDetail};
    use crate::civil::HOUR;
    use crate::dataset::DatasetId;

    /// Daily at 06:00 and a few minutes, but at the hours given for some days.
    #[track_caller]
    fn check_replay(exceptions: &[(i64, Option<i64>)], n_days: i64, expected: &[&str]) {
        let arrivals = (0..n_days)
            .filter_map(|day| {
                let usual = 6 * HOUR + day * 7_919 % 600;
                let exception = exceptions.iter().find(|(other, _)| *other == day);
                let delay =
                    exception.map_or(Some(usual), |(_, hour)| hour.map(|hour| hour * HOUR))?;
                Some(Arrival {
                    at: 20_000 * DAY + day * DAY + delay,
                    detail: ArrivalDetail::default(),
                })
            })
            .collect();
        let dataset = Dataset::undeclared(DatasetId::try_from("raw_orders").unwrap());
        let (from, to) = (20_000 + 60, 20_000 + n_days);
        let walk = Walk {
            from: from * DAY,
            to: to * DAY,
            refit: DAY,
            known_until: to * DAY + 12 * HOUR,
        };
        let told: Vec<String> = replay(
            &dataset,
            &ArrivalHistory::new(arrivals),
            &Holidays::builtin(),
            &walk,
            &Parameters::default(),
            &[],
        )
        .into_iter()
        .filter(|row| row.alerted || row.verdict.state != State::Ok)
        .map(|row| {
            let alerted = if row.alerted { "alerted" } else { "silent" };
            format!("{} {:?} {alerted}", row.verdict.cycle, row.verdict.state)
        })
        .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_late_delivery_and_a_missing_one_are_alerted_and_nothing_else_is() {
        check_replay(
            &[(70, Some(9)), (80, None)],
            90,
            &[
                "2024-12-13 LateArrival alerted",
                "2024-12-23 Missed alerted",
            ],
        );
    }

    #[test]
    fn a_schedule_that_moved_alerts_once_and_what_never_comes_then_is_alerted_too() {
        check_replay(
            &[(70, Some(8)), (71, Some(8))],
            90,
            &["2024-12-13 LateArrival alerted"],
        );
        check_replay(
            &[(70, Some(8)), (71, None)],
            90,
            &[
                "2024-12-13 LateArrival alerted",
                "2024-12-14 Missed alerted",
            ],
        );
    }

    #[test]
    fn what_comes_later_does_not_undo_an_alert() {
        // Nothing on day 70; on day 71 a lone delivery at 04:00, which the
        // next day shows to be early.
        check_replay(
            &[(70, None), (71, Some(4))],
            90,
            &["2024-12-13 Missed alerted"],
        );
    }
}

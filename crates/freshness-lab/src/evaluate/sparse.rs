//! Which alerts were right in a real history?
//!
//! Only what was done to it is known. An alert from when a tampered delivery
//! would have come until it came, or until the next one where it never did, is
//! a detection. Inside an outage that somebody noted it is neither right nor
//! wrong. Any other alert is unexplained, and counts as a false alarm. Some of
//! these were real trouble that nobody noted, so those are told apart that were
//! about a cycle which in hindsight was ordinary.

use std::collections::BTreeSet;

use freshness_core::civil::{DAY, HOUR, MINUTE};

use super::{Deadline, Scope, Subject, Tally, quantile};
use crate::truth::{CycleTruth, DatasetTruth};

/// Arrivals before and after one that say whether it was ordinary.
const NEIGHBOURS: usize = 15;
/// Quartile distances from the median within which it was.
const ORDINARY_REACH: f64 = 3.0;
/// A feed whose median gap is shorter than this is compared by the hour.
const HOURLY_BELOW: i64 = 90 * MINUTE;

/// Scores deadlines that fall in the scope.
pub(super) fn score(subject: &Subject<'_>, deadlines: &[Deadline], scope: Scope) -> Tally {
    let Subject { history, truth, .. } = *subject;
    let arrivals = history.at();
    let inside = |at: i64| (scope.from..scope.to).contains(&at);
    let incidents: Vec<&CycleTruth> = truth
        .cycles
        .iter()
        .filter(|cycle| cycle.incident.is_some() && inside(cycle.start))
        .collect();
    let mut alerted: Vec<Option<i64>> = vec![None; incidents.len()];
    let mut about = BTreeSet::new();
    let mut tally = Tally::default();
    for deadline in deadlines.iter().filter(|deadline| inside(deadline.at)) {
        tally.n_cycles += 1;
        if let Some(awaited) = deadline.awaited {
            let distance = deadline.at - awaited.usual_at;
            tally.distances.push(distance as f64 / MINUTE as f64);
        }
        if !deadline.raised {
            continue;
        }
        let caught = incidents
            .iter()
            .position(|incident| is_open(incident, arrivals, deadline));
        if let Some(caught) = caught {
            let first = alerted[caught].get_or_insert(deadline.at);
            *first = deadline.at.min(*first);
            continue;
        }
        let outages = &truth.outages;
        let in_outage = |(from, to): &(i64, i64)| (*from..=*to).contains(&deadline.at);
        let told = deadline
            .awaited
            .map_or(deadline.at, |awaited| awaited.start);
        if outages.iter().any(in_outage) || tampered(truth, deadline) || !about.insert(told) {
            continue;
        }
        tally.n_false_alarms += 1;
        tally.n_ordinary_alarms += u64::from(is_ordinary(arrivals, deadline));
    }
    for (incident, alerted) in incidents.iter().zip(alerted) {
        let due_at = incident.due_at.unwrap_or(incident.usual_at);
        let late_by = incident.arrived_at.map(|arrived| arrived - due_at);
        tally.count_incident(late_by, alerted.is_some());
        if let Some(alerted) = alerted {
            tally.waits.push((alerted - due_at) as f64 / MINUTE as f64);
        }
    }
    let begins = arrivals.first().copied().unwrap_or(scope.to);
    let days = scope.to.saturating_sub(scope.from.max(begins)).max(0);
    tally.dataset_days = days as f64 / DAY as f64;
    tally
}

/// Was the delivery of this incident awaited at the deadline?
fn is_open(incident: &CycleTruth, arrivals: &[i64], deadline: &Deadline) -> bool {
    let due_at = incident.due_at.unwrap_or(incident.usual_at);
    if deadline.at < due_at {
        return false;
    }
    let next = arrivals.partition_point(|&arrival| arrival <= due_at);
    let closes = incident.arrived_at.or(arrivals.get(next).copied());
    let names_it = deadline
        .awaited
        .is_some_and(|awaited| awaited.start == incident.start);
    closes.is_none_or(|closes| deadline.at <= closes) || (names_it && incident.arrived_at.is_none())
}

/// Is what came for it a delivery that was tampered with outside the scope?
fn tampered(truth: &DatasetTruth, deadline: &Deadline) -> bool {
    deadline.arrived_at.is_some()
        && truth
            .cycles
            .iter()
            .any(|cycle| cycle.arrived_at == deadline.arrived_at && cycle.incident.is_some())
}

/// Did what came for it come when its neighbours did, by the time of day (or
/// for hourly feeds, past the hour)?
fn is_ordinary(arrivals: &[i64], deadline: &Deadline) -> bool {
    let Some(arrived) = deadline.arrived_at else {
        return false;
    };
    let Ok(own) = arrivals.binary_search(&arrived) else {
        return false;
    };
    let around =
        &arrivals[own.saturating_sub(NEIGHBOURS)..arrivals.len().min(own + NEIGHBOURS + 1)];
    let mut gaps: Vec<i64> = around.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let middle = gaps.len() / 2;
    if gaps.is_empty() {
        return false;
    }
    let period = match *gaps.select_nth_unstable(middle).1 < HOURLY_BELOW {
        true => HOUR,
        false => DAY,
    };
    // What came with the next cycle was not.
    let usual_at = deadline
        .awaited
        .map_or(deadline.at, |awaited| awaited.usual_at);
    if arrived - usual_at > period / 2 {
        return false;
    }
    let mut apart: Vec<f64> = around
        .iter()
        .map(|at| ((at - arrived + period / 2).rem_euclid(period) - period / 2) as f64)
        .collect();
    apart.sort_unstable_by(f64::total_cmp);
    let at = |level| quantile(&apart, level).unwrap_or(0.0);
    at(0.5).abs() <= ORDINARY_REACH * (at(0.75) - at(0.25))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Awaited;
    use crate::truth::{Incident, IncidentKind};
    use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
    use freshness_core::dataset::{Dataset, DatasetId};

    const DAYS: i64 = 60;

    /// Daily at 06:00 to 06:16; on day 30 never, on day 40 at 10:00 (both
    /// tampered), an outage from day 50 to 52. Alerts as (day, hour, what came:
    /// hour). Says detected, unexplained, of them ordinary.
    #[track_caller]
    fn check_sparse(alerts: &[(i64, f64, Option<f64>)], expected: (u64, u64, u64)) {
        let id = DatasetId::try_from("raw").unwrap();
        let usual = |day: i64| day * DAY + 6 * HOUR + day % 5 * 4 * MINUTE;
        let arrivals = (0..DAYS)
            .filter(|day| ![30, 50, 51].contains(day))
            .map(|day| Arrival {
                at: if day == 40 {
                    day * DAY + 10 * HOUR
                } else {
                    usual(day)
                },
                detail: ArrivalDetail::default(),
            });
        let tampered = |day: i64, arrived_at| CycleTruth {
            start: day * DAY,
            usual_at: usual(day),
            due_at: Some(usual(day)),
            arrived_at,
            incident: Some(Incident {
                root: id.clone(),
                kind: IncidentKind::Late,
            }),
        };
        let history = ArrivalHistory::new(arrivals.collect());
        let truth = DatasetTruth {
            class: "daily".to_owned(),
            schedule: None,
            moves: Vec::new(),
            cycles: vec![tampered(30, None), tampered(40, Some(40 * DAY + 10 * HOUR))],
            outages: vec![(usual(49), usual(52))],
        };
        let deadlines: Vec<Deadline> = alerts
            .iter()
            .map(|(day, hour, came)| Deadline {
                at: day * DAY + (hour * HOUR as f64) as i64,
                awaited: Some(Awaited {
                    start: day * DAY,
                    usual_at: day * DAY + 6 * HOUR,
                }),
                arrived_at: came.map(|hour| day * DAY + (hour * HOUR as f64).round() as i64),
                raised: true,
            })
            .collect();
        let subject = Subject {
            dataset: &Dataset::undeclared(id.clone()),
            history: &history,
            truth: &truth,
        };
        let scope = Scope {
            from: 10 * DAY,
            to: DAYS * DAY,
        };
        let tally = score(&subject, &deadlines, scope);
        assert_eq!(tally.n_incidents, 2);
        assert_eq!(
            (
                tally.n_detected,
                tally.n_false_alarms,
                tally.n_ordinary_alarms
            ),
            expected
        );
    }

    #[test]
    fn an_alert_while_a_tampered_delivery_is_awaited_catches_it() {
        check_sparse(&[(30, 8.0, None), (40, 8.0, Some(10.0))], (2, 0, 0));
        // The next day's delivery is still one that should have come.
        check_sparse(
            &[(30, 8.0, None), (31, 3.0, Some(6.0 + 4.0 / 60.0))],
            (1, 0, 0),
        );
    }

    #[test]
    fn inside_a_noted_outage_an_alert_is_neither() {
        check_sparse(&[(50, 8.0, None), (51, 8.0, None)], (0, 0, 0));
    }

    #[test]
    fn an_unexplained_alert_about_an_ordinary_cycle_is_told_apart() {
        // Day 21 came at 06:04, and 06:03 was the deadline.
        check_sparse(&[(21, 6.05, Some(6.0 + 4.0 / 60.0))], (0, 1, 1));
        // It never came, or the next day.
        check_sparse(&[(21, 6.05, None)], (0, 1, 0));
        check_sparse(&[(21, 6.05, Some(30.0 + 8.0 / 60.0))], (0, 1, 0));
    }
}

//! Which alerts were right in a real history?
//!
//! Only what was done to it is known, so they are scored as every measurement
//! on real histories is (see [`crate::real`]): an alert while a tampered
//! delivery was awaited is a detection, one inside a noted outage is neither
//! right nor wrong, any other is unexplained and counts as a false alarm. Some
//! of these were real trouble that nobody noted, so those are told apart that
//! were about a cycle which in hindsight was ordinary.

use freshness_core::civil::{DAY, MINUTE};

use super::{Deadline, Scope, Subject, Tally};
use crate::mishap::Pace;
use crate::real::{Alert, score as score_real};

/// Scores deadlines that fall in the scope.
pub(super) fn score(subject: &Subject<'_>, deadlines: &[Deadline], scope: Scope) -> Tally {
    let Subject { history, truth, .. } = *subject;
    let inside = |at: i64| (scope.from..scope.to).contains(&at);
    let inside: Vec<&Deadline> = deadlines.iter().filter(|one| inside(one.at)).collect();
    let alerts: Vec<Alert> = inside
        .iter()
        .filter(|deadline| deadline.raised)
        .map(|deadline| Alert {
            at: deadline.at,
            cycle_start: deadline.awaited.map_or(deadline.at, |cycle| cycle.start),
        })
        .collect();
    let mut scored = truth.clone();
    scored
        .cycles
        .retain(|cycle| (scope.from..scope.to).contains(&cycle.start));
    let pace = Pace::of_class(&truth.class);
    let arrivals = (history.at(), history.at());
    let found = score_real(
        &alerts,
        &[],
        arrivals,
        &scored,
        pace,
        (scope.from, scope.to),
    );
    let mut tally = Tally {
        n_cycles: inside.len() as u64,
        n_false_alarms: found.unexplained.len() as u64,
        n_ordinary_alarms: found.n_ordinary() as u64,
        ..Tally::default()
    };
    for deadline in &inside {
        if let Some(awaited) = deadline.awaited {
            let distance = deadline.at - awaited.usual_at;
            tally.distances.push(distance as f64 / MINUTE as f64);
        }
    }
    for mishap in &found.mishaps {
        tally.count_incident(
            mishap.came.map(|came| came - mishap.due),
            mishap.is_caught(),
        );
        if let Some(alert) = mishap.caught {
            let waited = alert.at - mishap.due;
            tally.waits.push(waited as f64 / MINUTE as f64);
        }
    }
    let begins = history.at().first().copied().unwrap_or(scope.to);
    let days = scope.to.saturating_sub(scope.from.max(begins)).max(0);
    tally.dataset_days = days as f64 / DAY as f64;
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Awaited;
    use crate::truth::{CycleTruth, DatasetTruth, Incident, IncidentKind};
    use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
    use freshness_core::civil::HOUR;
    use freshness_core::dataset::{Dataset, DatasetId};

    const DAYS: i64 = 60;

    /// Daily at 06:00 to 06:16; on day 30 never, on day 40 at 10:00 (both
    /// tampered), an outage from day 50 to 52. Alerts as (day, hour). Says
    /// detected, unexplained, of them ordinary.
    #[track_caller]
    fn check_sparse(alerts: &[(i64, f64)], expected: (u64, u64, u64)) {
        let id = DatasetId::try_from("raw").unwrap();
        let usual = |day: i64| day * DAY + 6 * HOUR + day % 5 * 4 * MINUTE;
        let arrivals = (0..DAYS)
            .filter(|day| ![30, 50, 51].contains(day))
            .map(|day| Arrival {
                at: match day {
                    40 => day * DAY + 10 * HOUR,
                    day => usual(day),
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
        let truth = DatasetTruth {
            class: "daily".to_owned(),
            schedule: None,
            moves: Vec::new(),
            cycles: vec![tampered(30, None), tampered(40, Some(40 * DAY + 10 * HOUR))],
            outages: vec![(usual(49), usual(52))],
        };
        let deadline = |(day, hour): &(i64, f64)| Deadline {
            at: day * DAY + (hour * HOUR as f64) as i64,
            awaited: Some(Awaited {
                start: day * DAY,
                usual_at: day * DAY + 6 * HOUR,
            }),
            arrived_at: None,
            raised: true,
        };
        let deadlines: Vec<Deadline> = alerts.iter().map(deadline).collect();
        let subject = Subject {
            dataset: &Dataset::undeclared(id.clone()),
            history: &ArrivalHistory::new(arrivals.collect()),
            truth: &truth,
        };
        let scope = Scope {
            from: 10 * DAY,
            to: DAYS * DAY,
        };
        let tally = score(&subject, &deadlines, scope);
        assert_eq!(tally.n_incidents, 2);
        let found = (
            tally.n_detected,
            tally.n_false_alarms,
            tally.n_ordinary_alarms,
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn an_alert_while_a_tampered_delivery_is_awaited_catches_it() {
        check_sparse(&[(30, 8.0), (40, 8.0)], (2, 0, 0));
    }

    #[test]
    fn inside_a_noted_outage_an_alert_is_neither() {
        check_sparse(&[(50, 8.0), (51, 8.0)], (0, 0, 0));
    }

    #[test]
    fn an_unexplained_alert_about_an_ordinary_cycle_is_told_apart() {
        // Day 21 came at 06:04, and 06:03 was the deadline.
        check_sparse(&[(21, 6.05)], (0, 1, 1));
    }
}

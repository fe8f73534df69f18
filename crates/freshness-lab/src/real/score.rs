//! What do the alarms of one history come to?
//!
//! A mishap is caught by an alarm that stands while the delivery is awaited: it
//! was raised in its slot after the last arrival, and before the delivery came
//! (or the next one did, if it never came). Told apart are those raised once the
//! delivery would have come. An alarm is explained by a mishap that it caught,
//! by one in its cycle, or by a known outage. A cycle was ordinary if its delivery came within the
//! median ± 3 distances of the quartiles of the 31 deliveries around it.

use freshness_core::civil::DAY;

use crate::mishap::{Delivery, Pace, around, deliveries};
use crate::truth::{CycleTruth, DatasetTruth};

/// An alert that was or would have been raised. UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alert {
    /// When.
    pub at: i64,
    /// Start of the cycle that it is about.
    pub cycle_start: i64,
}

/// What the alarms of some histories come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Score {
    /// Days looked at.
    pub days: f64,
    /// Of those, days on which a model promised something.
    pub promised: f64,
    /// Alarms that nothing explains.
    pub unexplained: Vec<Alarm>,
    /// Mishaps, and what became of them.
    pub mishaps: Vec<Mishap>,
}

/// A mishap, and what became of it. Times are UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mishap {
    /// When the delivery would have come.
    pub due: i64,
    /// When it came; `None` if it never did.
    pub came: Option<i64>,
    /// The alarm that caught it.
    pub caught: Option<Alert>,
    /// Did a model promise something of it?
    pub promised: bool,
}

/// An alarm that nothing explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alarm {
    /// What was raised.
    pub alert: Alert,
    /// When the delivery of its slot came, if one did.
    pub delivered_at: Option<i64>,
    /// Was that when it usually comes?
    pub ordinary: bool,
}

/// Distances of the quartiles around the median that are ordinary.
const ORDINARY_IQRS: f64 = 3.0;

/// A stretch of time, in UTC seconds, and whether a model promised something.
pub(crate) type Promise = (i64, i64, bool);

/// Scores the alarms raised in `[from, to)` on a tampered history. `real` is
/// the history as it was.
pub(crate) fn score(
    alerts: &[Alert],
    promises: &[Promise],
    (real, tampered): (&[i64], &[i64]),
    truth: &DatasetTruth,
    pace: Pace,
    (from, to): (i64, i64),
) -> Score {
    let awaits: Vec<Await> = (truth.cycles.iter())
        .filter_map(|cycle| Await::of(cycle, tampered))
        .collect();
    let in_an_outage = |alert: &Alert| {
        let mut outages = truth.outages.iter();
        outages.any(|&(from, to)| (from..=to).contains(&alert.at))
    };
    let explained = |alert: &Alert| {
        let mut awaits = awaits.iter();
        awaits.any(|mishap| mishap.holds(alert) || mishap.is_of_its_cycle(alert, pace))
            || in_an_outage(alert)
    };
    let slots = deliveries(real, pace, from, to);
    let promised = |at: i64| {
        let mut promises = promises.iter();
        promises.any(|&(from, to, promised)| promised && (from..to).contains(&at))
    };
    let mishap = |mishap: &Await| Mishap {
        due: mishap.due,
        came: mishap.came,
        caught: alerts.iter().copied().find(|alert| mishap.holds(alert)),
        promised: promised(mishap.due),
    };
    Score {
        days: (to - from) as f64 / DAY as f64,
        promised: (promises.iter())
            .filter(|promise| promise.2)
            .map(|&(begin, end, _)| (end.min(to) - begin.max(from)).max(0) as f64 / DAY as f64)
            .sum(),
        unexplained: (alerts.iter())
            .filter(|alert| (from..to).contains(&alert.at) && !explained(alert))
            .map(|&alert| alarm(alert, &slots))
            .collect(),
        mishaps: awaits.iter().map(mishap).collect(),
    }
}

/// The time over which a tampered delivery was awaited. UTC seconds.
struct Await {
    /// An alarm from here on is about it: its slot has begun, and what came
    /// before has come.
    opens: i64,
    due: i64,
    came: Option<i64>,
    /// When it came, or the next one did.
    ends: i64,
}

impl Await {
    fn of(cycle: &CycleTruth, tampered: &[i64]) -> Option<Await> {
        let due = cycle.due_at?;
        let n_before = tampered.partition_point(|&at| at < due);
        let before = n_before.checked_sub(1).map(|last| tampered[last] + 1);
        let next = tampered.get(n_before).copied();
        Some(Await {
            opens: cycle.start.max(before.unwrap_or(i64::MIN)),
            due,
            came: cycle.arrived_at,
            ends: cycle.arrived_at.or(next).unwrap_or(i64::MAX),
        })
    }

    /// Was this raised while it was awaited?
    fn holds(&self, alert: &Alert) -> bool {
        (self.opens..=self.ends).contains(&alert.at)
    }

    /// Was this raised about its cycle, if only after the next delivery?
    fn is_of_its_cycle(&self, alert: &Alert, pace: Pace) -> bool {
        let cycle = alert.cycle_start..alert.cycle_start + pace.period();
        alert.at >= self.due && cycle.contains(&self.due)
    }
}

fn alarm(alert: Alert, slots: &[Delivery]) -> Alarm {
    let slot = (slots.iter()).position(|one| (one.slot..one.slot_end).contains(&(alert.at - 1)));
    let ordinary = slot.is_some_and(|i| {
        let usual = around(slots, i);
        let delay = (slots[i].at - slots[i].slot) as f64;
        (delay - usual.median).abs() <= ORDINARY_IQRS * usual.iqr
    });
    Alarm {
        alert,
        delivered_at: slot.map(|i| slots[i].at),
        ordinary,
    }
}

impl Score {
    /// Adds what another comes to.
    pub fn add(&mut self, other: &Score) {
        let Score {
            days,
            promised,
            unexplained,
            mishaps,
        } = other;
        self.days += days;
        self.promised += promised;
        self.unexplained.extend_from_slice(unexplained);
        self.mishaps.extend_from_slice(mishaps);
    }

    /// Alarms on cycles that in hindsight were ordinary.
    pub fn n_ordinary(&self) -> usize {
        let ordinary = self.unexplained.iter().filter(|alarm| alarm.ordinary);
        ordinary.count()
    }

    /// Something per 1,000 days.
    pub fn per_thousand_days(&self, n: usize) -> f64 {
        1_000.0 * n as f64 / self.days.max(f64::MIN_POSITIVE)
    }

    /// The share of some mishaps of which something is true; `None` of none.
    pub fn share(&self, of: impl Fn(&Mishap) -> bool, is: impl Fn(&Mishap) -> bool) -> Option<f64> {
        let asked: Vec<&Mishap> = self.mishaps.iter().filter(|mishap| of(mishap)).collect();
        let n = asked.iter().filter(|mishap| is(mishap)).count();
        (!asked.is_empty()).then(|| n as f64 / asked.len() as f64)
    }
}

impl Mishap {
    /// Was it caught?
    pub fn is_caught(&self) -> bool {
        self.caught.is_some()
    }

    /// … by an alarm raised once the delivery would have come?
    pub fn is_caught_after_due(&self) -> bool {
        self.caught.is_some_and(|alert| alert.at >= self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::{Incident, IncidentKind};
    use freshness_core::civil::HOUR;
    use freshness_core::dataset::DatasetId;

    const START: i64 = 20_000 * DAY;

    fn hour(day: i64, hour: i64) -> i64 {
        START + day * DAY + hour * HOUR
    }

    /// Daily at 06:00 for 60 days, a few minutes apart. Day 40 comes at 10:00,
    /// day 45 never. Alarms are given as day and hour.
    fn check(alarms: &[(i64, i64)]) -> Score {
        let real: Vec<i64> = (0..60)
            .map(|day| hour(day, 6) + day * 7 % 20 * 60)
            .collect();
        let mut tampered = real.clone();
        tampered[40] = hour(40, 10);
        tampered.remove(45);
        let incident = |day: usize, came| CycleTruth {
            start: hour(day as i64, -6),
            usual_at: hour(day as i64, 6),
            due_at: Some(real[day]),
            arrived_at: came,
            incident: Some(Incident {
                root: DatasetId::try_from("raw_orders").unwrap(),
                kind: IncidentKind::Late,
            }),
        };
        let truth = DatasetTruth {
            class: "daily_utc".to_owned(),
            schedule: None,
            moves: Vec::new(),
            cycles: vec![incident(40, Some(hour(40, 10))), incident(45, None)],
            outages: vec![(hour(50, 6), hour(51, 6))],
        };
        let alerts: Vec<Alert> = alarms
            .iter()
            .map(|&(day, at)| Alert {
                at: hour(day, at),
                cycle_start: hour(day, 0),
            })
            .collect();
        let promises = [
            (START, hour(43, 0), true),
            (hour(43, 0), hour(60, 0), false),
        ];
        let window = (hour(30, 0), hour(60, 0));
        score(
            &alerts,
            &promises,
            (&real, &tampered),
            &truth,
            Pace::Day,
            window,
        )
    }

    #[test]
    fn an_alarm_while_a_delivery_is_awaited_catches_it() {
        let score = check(&[(40, 8), (45, 8)]);
        assert!(score.mishaps.iter().all(Mishap::is_caught_after_due));
        assert_eq!(score.unexplained, []);
        assert_eq!((score.days, score.promised), (30.0, 13.0));
        let promised = score.mishaps.iter().map(|mishap| mishap.promised);
        assert!(promised.eq([true, false]));
    }

    #[test]
    fn one_raised_before_it_was_due_still_stands_and_is_told_apart() {
        let score = check(&[(40, 5)]);
        assert_eq!(score.share(|_| true, Mishap::is_caught), Some(0.5));
        assert_eq!(
            score.share(|_| true, Mishap::is_caught_after_due),
            Some(0.0)
        );
        assert_eq!(score.unexplained, []);
    }

    #[test]
    fn one_that_comes_after_the_delivery_does_not_catch_it() {
        let score = check(&[(40, 11), (46, 8)]);
        assert_eq!(score.share(|_| true, Mishap::is_caught), Some(0.0));
        // That of day 40 is about its mishap; that of day 46 about nothing.
        assert_eq!(score.unexplained.len(), 1);
    }

    #[test]
    fn an_outage_explains_and_an_ordinary_cycle_does_not() {
        let score = check(&[(50, 8), (55, 8)]);
        let alarm = Alarm {
            alert: Alert {
                at: hour(55, 8),
                cycle_start: hour(55, 0),
            },
            delivered_at: Some(hour(55, 6) + 55 * 7 % 20 * 60),
            ordinary: true,
        };
        assert_eq!(score.unexplained, [alarm]);
        assert_eq!((score.n_ordinary(), score.per_thousand_days(3)), (1, 100.0));
    }
}

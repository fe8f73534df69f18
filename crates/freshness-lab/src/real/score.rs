//! What do the alarms of one history come to?
//!
//! A mishap is caught by an alarm between the time at which the delivery would
//! have come and the time at which it came (or the next one did, if it never
//! came). An alarm is explained by such a mishap, by a cycle that holds one,
//! or by a known outage. A cycle was ordinary if its delivery came within the
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
    /// Alarms that a mishap or an outage explains.
    pub n_explained: usize,
    /// Mishaps caught.
    pub n_caught: usize,
    /// Mishaps.
    pub n_mishaps: usize,
    /// … and those on days on which a model promised something.
    pub n_caught_promised: usize,
    /// Mishaps on days on which a model promised something.
    pub n_mishaps_promised: usize,
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
pub(super) type Promise = (i64, i64, bool);

/// Scores the alarms raised in `[from, to)` on a tampered history. `real` is
/// the history as it was.
pub(super) fn score(
    alerts: &[Alert],
    promises: &[Promise],
    (real, tampered): (&[i64], &[i64]),
    truth: &DatasetTruth,
    pace: Pace,
    (from, to): (i64, i64),
) -> Score {
    let slots = deliveries(real, pace, from, to);
    let mishaps: Vec<(i64, i64)> = (truth.cycles.iter())
        .filter_map(|cycle| span(cycle, tampered))
        .collect();
    let caught =
        |&(due, end): &(i64, i64)| alerts.iter().any(|alert| (due..=end).contains(&alert.at));
    let promised = |at: i64| {
        promises
            .iter()
            .any(|&(from, to, yes)| yes && (from..to).contains(&at))
    };
    let explained = |alert: &Alert| {
        let by_mishap = mishaps.iter().any(|&(due, end)| {
            let in_its_cycle =
                (alert.cycle_start..alert.cycle_start + pace.period()).contains(&due);
            alert.at >= due && (alert.at <= end || in_its_cycle)
        });
        by_mishap
            || truth
                .outages
                .iter()
                .any(|&(from, to)| (from..=to).contains(&alert.at))
    };
    let alerts_in_window = alerts.iter().filter(|alert| (from..to).contains(&alert.at));
    let (explained, unexplained): (Vec<Alert>, Vec<Alert>) =
        alerts_in_window.partition(|alert| explained(alert));
    let in_promise: Vec<&(i64, i64)> = mishaps.iter().filter(|(due, _)| promised(*due)).collect();
    Score {
        days: (to - from) as f64 / DAY as f64,
        promised: (promises.iter())
            .filter(|promise| promise.2)
            .map(|&(begin, end, _)| (end.min(to) - begin.max(from)).max(0) as f64 / DAY as f64)
            .sum(),
        unexplained: (unexplained.into_iter())
            .map(|alert| alarm(alert, &slots))
            .collect(),
        n_explained: explained.len(),
        n_caught: mishaps.iter().filter(|mishap| caught(mishap)).count(),
        n_mishaps: mishaps.len(),
        n_caught_promised: in_promise.iter().filter(|mishap| caught(mishap)).count(),
        n_mishaps_promised: in_promise.len(),
    }
}

/// From when a tampered delivery would have come until it came, or until the
/// next one did.
fn span(cycle: &CycleTruth, tampered: &[i64]) -> Option<(i64, i64)> {
    let due = cycle.due_at?;
    let next = || {
        tampered
            .get(tampered.partition_point(|&at| at <= due))
            .copied()
    };
    Some((due, cycle.arrived_at.or_else(next).unwrap_or(i64::MAX)))
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
            n_explained,
            n_caught,
            n_mishaps,
            n_caught_promised,
            n_mishaps_promised,
        } = other;
        self.days += days;
        self.promised += promised;
        self.unexplained.extend_from_slice(unexplained);
        self.n_explained += n_explained;
        self.n_caught += n_caught;
        self.n_mishaps += n_mishaps;
        self.n_caught_promised += n_caught_promised;
        self.n_mishaps_promised += n_mishaps_promised;
    }

    /// Alarms on cycles that in hindsight were ordinary.
    pub fn n_ordinary(&self) -> usize {
        self.unexplained
            .iter()
            .filter(|alarm| alarm.ordinary)
            .count()
    }

    /// Something per 1,000 days.
    pub fn per_thousand_days(&self, n: usize) -> f64 {
        1_000.0 * n as f64 / self.days.max(f64::MIN_POSITIVE)
    }
}

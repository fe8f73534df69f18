//! How well does a calendar explain a history?
//!
//! F1 of expected against delivered cycles: the harmonic mean of the share of
//! expected cycles that were delivered and the share of deliveries that were
//! expected. Deliveries closer together than an eighth of the period are one.

use crate::schedule::Calendar;

/// A calendar and how well it explains the history.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scored {
    pub(crate) calendar: Calendar,
    /// 0–1.
    pub(crate) f1: f64,
}

/// F1 from counts.
pub(crate) fn f1(n_hit: usize, n_expected: usize, n_delivered: usize) -> f64 {
    // A delivery that hits two cycles' counts is still one.
    let n_delivered = n_delivered.max(n_hit);
    match n_expected + n_delivered {
        0 => 0.0,
        both => (2 * n_hit) as f64 / both as f64,
    }
}

/// The number of deliveries (seconds, ascending), counting those within an
/// eighth of `period` behind one that counts as the same.
pub(crate) fn n_bursts(times: &[i64], period: i64) -> usize {
    let mut n = 0;
    let mut counted = i64::MIN;
    for &time in times {
        if time >= counted.saturating_add(period / 8) || n == 0 {
            n += 1;
            counted = time;
        }
    }
    n
}

/// The prefix of `groups` (delivered, expected), taken in order of their share
/// of deliveries, that has the best F1; gives the indices taken. A group is
/// worth expecting if its share is above half of the F1 reached (Lipton,
/// Elkan & Narayanaswamy 2014).
pub(crate) fn best_groups(groups: &[(usize, usize)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).filter(|&i| groups[i].1 > 0).collect();
    let share = |i: usize| groups[i].0 as f64 / groups[i].1 as f64;
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
    let n_delivered: usize = groups.iter().map(|(delivered, _)| delivered).sum();
    let (mut n_hit, mut n_expected) = (0, 0);
    let mut best = (0.0, 0);
    for (taken, &i) in order.iter().enumerate() {
        n_hit += groups[i].0;
        n_expected += groups[i].1;
        let score = f1(n_hit, n_expected, n_delivered);
        if score > best.0 {
            best = (score, taken + 1);
        }
    }
    order.truncate(best.1);
    order.sort_unstable();
    order
}

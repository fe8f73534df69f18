//! When did a feed change how often it delivers?
//!
//! A feed that went from daily to Mon–Fri to weekly has three cadences, and
//! its calendar is read from the last one only. Each live day is a 0/1 point
//! (something arrived or not) in the cell of its weekday, and a 0/1 point
//! (more than its usual number of hours) beside it; splits are found by
//! [`super::split`] and taken while they are significant and matter.

use super::days::DaySeries;
use super::split::{Loss, Point, best_split, is_significant};
use crate::civil::Day;

/// A stretch of history with one cadence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cadence {
    /// Its first day.
    pub(crate) since: Day,
    /// Deliveries a week (distinct hours).
    pub(crate) per_week: f64,
}

/// Weeks that a cadence must have lasted to be told from an incident.
const MIN_WEEKS: usize = 4;
/// Deliveries that it must have.
const MIN_DELIVERIES: usize = 6;
/// A weekday's share of deliveries must change by this much, …
const MIN_CHANGE_OF_SHARE: f64 = 0.4;
/// … or the number of deliveries by this factor.
const MIN_CHANGE_OF_RATE: f64 = 1.5;

/// The cadences of a history, oldest first; never empty.
///
/// `admitted` says on which days a new one may begin.
pub(crate) fn cadences(days: &DaySeries, admitted: &dyn Fn(Day) -> bool) -> Vec<Cadence> {
    let live: Vec<(Day, u8)> = days.live().collect();
    let mut starts = vec![0];
    divide(&live, 0, admitted, &mut starts);
    starts.sort_unstable();
    // A split may matter only once another is known (a year of two deliveries
    // a day between single ones), so what doesn't matter goes at the end.
    loop {
        let changes = (1..starts.len()).map(|i| {
            let end = starts.get(i + 1).copied().unwrap_or(live.len());
            (
                i,
                change(&live[starts[i - 1]..starts[i]], &live[starts[i]..end]),
            )
        });
        match changes.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((i, change)) if change < 1.0 => drop(starts.remove(i)),
            _ => break,
        }
    }
    starts
        .iter()
        .enumerate()
        .map(|(i, &start)| {
            let end = starts.get(i + 1).copied().unwrap_or(live.len());
            Cadence {
                since: live[start].0,
                per_week: per_week(&live[start..end]),
            }
        })
        .collect()
}

fn divide(
    live: &[(Day, u8)],
    offset: usize,
    admitted: &dyn Fn(Day) -> bool,
    starts: &mut Vec<usize>,
) {
    let deliveries: Vec<usize> = live
        .iter()
        .enumerate()
        .filter(|(_, (_, hours))| *hours > 0)
        .map(|(i, _)| i)
        .collect();
    if deliveries.len() < 2 * MIN_DELIVERIES {
        return;
    }
    let from_left = deliveries[MIN_DELIVERIES - 1] + 1;
    let from_right = live.len() - deliveries[deliveries.len() - MIN_DELIVERIES];
    let min_side = (7 * MIN_WEEKS).max(from_left.min(from_right));
    let mut counts: Vec<u8> = live
        .iter()
        .map(|(_, hours)| *hours)
        .filter(|hours| *hours > 0)
        .collect();
    counts.sort_unstable();
    let usual = counts[counts.len() / 2];
    let weekday = |day: &Day| day.weekday().index() as u8;
    let presence: Vec<Point> = live
        .iter()
        .map(|(day, hours)| Point {
            cell: weekday(day),
            value: f64::from(u8::from(*hours > 0)),
        })
        .collect();
    let richness: Vec<Point> = live
        .iter()
        .map(|(day, hours)| Point {
            cell: weekday(day),
            value: f64::from(u8::from(*hours > usual)),
        })
        .collect();
    let split = [presence, richness]
        .iter()
        .filter_map(|points| {
            let split = best_split(points, min_side, Loss::Bernoulli, |at| admitted(live[at].0))?;
            is_significant(&split, points.len(), Loss::Bernoulli).then_some(split)
        })
        .max_by(|a, b| (a.whole - a.parts).total_cmp(&(b.whole - b.parts)));
    if let Some(split) = split {
        starts.push(offset + split.at);
        divide(&live[..split.at], offset, admitted, starts);
        divide(&live[split.at..], offset + split.at, admitted, starts);
    }
}

/// How much a cadence changed, in units of what must change to matter.
fn change(before: &[(Day, u8)], after: &[(Day, u8)]) -> f64 {
    let least = f64::MIN_POSITIVE;
    let ratio = per_week(after).max(least) / per_week(before).max(least);
    let rate = ratio.ln().abs() / MIN_CHANGE_OF_RATE.ln();
    let shares = shares(before).into_iter().zip(shares(after));
    let share = shares
        .map(|(before, after)| (before - after).abs())
        .fold(0.0, f64::max);
    rate.max(share / MIN_CHANGE_OF_SHARE)
}

fn per_week(days: &[(Day, u8)]) -> f64 {
    let deliveries: f64 = days.iter().map(|(_, hours)| f64::from(*hours)).sum();
    7.0 * deliveries / days.len().max(1) as f64
}

fn shares(days: &[(Day, u8)]) -> [f64; 7] {
    let mut counts = [(0.0, 0.0); 7];
    for (day, hours) in days {
        let (delivered, all) = &mut counts[day.weekday().index()];
        *delivered += f64::from(u8::from(*hours > 0));
        *all += 1.0;
    }
    counts.map(|(delivered, all): (f64, f64)| delivered / all.max(1.0))
}

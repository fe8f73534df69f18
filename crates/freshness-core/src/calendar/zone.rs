//! In whose local time is a feed scheduled?
//!
//! A local schedule shifts by an hour in UTC on the day its clocks change. For
//! each family of zones that change their clocks together, the first delivery
//! of each day around those changes is read in UTC and in the family's time,
//! and the total distance from the median of each change is compared. Which
//! member of a family it is cannot be seen from the clock; the one whose local
//! week looks like a working week is taken.

use crate::civil::{DAY, Day, HOUR, MINUTE, WeekdaySet, Zone};

use super::phase::Phase;
use super::split::{Loss, Point, best_split};

/// Zones that change their clocks on the same days; the first is the one named
/// when nothing tells them apart.
const FAMILIES: [&[&str]; 6] = [
    &["Europe/Berlin", "Europe/London", "Europe/Athens"],
    &[
        "America/New_York",
        "America/Chicago",
        "America/Denver",
        "America/Los_Angeles",
    ],
    &["Australia/Sydney"],
    &["Pacific/Auckland"],
    &["America/Santiago"],
    &["Asia/Jerusalem"],
];
/// Days on each side of a clock change that are looked at, and for feeds that
/// deliver too seldom for that.
const REACH_DAYS: [i64; 3] = [35, 80, 150];
/// Days with a delivery that each side must have, likewise.
const MIN_SIDE: [usize; 3] = [8, 5, 4];
/// Share of the distance in UTC that local time must explain, …
const MIN_GAIN: f64 = 0.3;
/// … or less, if clock changes agree with each other: the sum of their gains
/// is at least twice its standard error.
const MIN_AGREED_GAIN: f64 = 0.08;
const MIN_AGREEMENT: f64 = 2.0;
/// A family further down the list must gain this much more to be taken.
const CLEARLY_MORE: f64 = 1.25;
/// Mean distance (seconds) below which there is nothing to explain.
const MIN_DISTANCE: f64 = 5.0 * MINUTE as f64;

/// What the clock changes of a history say of its zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follows {
    /// Local time explains the arrivals clearly better than UTC does.
    Local(Zone),
    /// UTC explains them clearly better than any local time does.
    Utc,
    /// No clock change can tell.
    Unknown,
}

/// Which clocks the arrivals (UTC seconds, ascending) follow.
pub(crate) fn infer_zone(at: &[i64]) -> Follows {
    let (Some(&first), Some(&last), Some(firsts)) = (at.first(), at.last(), first_of_days(at))
    else {
        return Follows::Unknown;
    };
    let mut follows_none = true;
    // Most people live by the first two families.
    let mut is_tested = true;
    let mut best: Option<(f64, usize)> = None;
    for (family, names) in FAMILIES.iter().enumerate() {
        let zone = Zone::named(names[0]).expect("a zone of the database");
        let (mut utc, mut gains, mut n) = (0.0, Vec::new(), 0);
        for (change, _) in zone.changes(first, last) {
            let near = |side: std::ops::Range<i64>| {
                let from = firsts.partition_point(|&(at, _)| at < side.start);
                let to = firsts.partition_point(|&(at, _)| at < side.end);
                &firsts[from..to]
            };
            let sides = REACH_DAYS
                .iter()
                .zip(MIN_SIDE)
                .find_map(|(days, min_side)| {
                    let before = near(change - days * DAY..change);
                    let after = near(change..change + days * DAY);
                    (before.len() >= min_side && after.len() >= min_side).then_some((before, after))
                });
            let Some((before, after)) = sides else {
                continue;
            };
            let window = &firsts[firsts.partition_point(|&(at, _)| at < before[0].0)..]
                [..before.len() + after.len()];
            let offset_change = zone.offset(change) - zone.offset(change - 1);
            if is_another_move(before, after, change, -offset_change) {
                continue;
            }
            let both = window.iter();
            let in_utc = distance(both.clone().map(|&(_, phase)| phase));
            gains.push(in_utc - distance(both.map(|&(at, phase)| phase + zone.offset(at))));
            utc += in_utc;
            n += before.len() + after.len();
        }
        let gain: f64 = gains.iter().sum();
        let error = gains.iter().map(|gain| gain * gain).sum::<f64>().sqrt();
        let agreed = gain > MIN_AGREED_GAIN * utc && gain >= MIN_AGREEMENT * error;
        is_tested &= n > 0 || family >= 2;
        follows_none &= n == 0 || -gain > MIN_GAIN * utc;
        let clear = n > 0 && utc / n as f64 > MIN_DISTANCE && (gain > MIN_GAIN * utc || agreed);
        if clear && best.is_none_or(|(most, _)| gain > CLEARLY_MORE * most) {
            best = Some((gain, family));
        }
    }
    match best {
        Some((_, family)) => Follows::Local(most_like_a_week(FAMILIES[family], at)),
        None if is_tested && follows_none => Follows::Utc,
        None => Follows::Unknown,
    }
}

/// A step is the clock's if it has about its size and date.
const STEP_TOLERANCE: i64 = 15 * MINUTE;
const DATE_TOLERANCE: i64 = 4 * DAY;

/// Is there a step around a clock change that the clock does not explain: of
/// another size than `expected` (seconds, in UTC), or on another day? Such a
/// move of the schedule says nothing about the zone.
fn is_another_move(
    before: &[(i64, i64)],
    after: &[(i64, i64)],
    change: i64,
    expected: i64,
) -> bool {
    let step = middle(after) - middle(before);
    if step.abs() <= STEP_TOLERANCE {
        return false;
    }
    if (step - expected).abs() > STEP_TOLERANCE {
        return true;
    }
    let all: Vec<(i64, i64)> = before.iter().chain(after).copied().collect();
    let (low, high) = (
        middle(before).min(middle(after)),
        middle(before).max(middle(after)),
    );
    let points: Vec<Point> = all
        .iter()
        .map(|&(_, phase)| Point {
            cell: 0,
            value: phase.clamp(low, high) as f64,
        })
        .collect();
    best_split(&points, 2, Loss::Squares, |_| true).is_some_and(|split| {
        // Between two deliveries the step can be anywhere.
        let (earliest, latest) = (all[split.at - 1].0, all[split.at].0);
        change < earliest - DATE_TOLERANCE || change > latest + DATE_TOLERANCE
    })
}

fn middle(points: &[(i64, i64)]) -> i64 {
    let mut phases: Vec<i64> = points.iter().map(|&(_, phase)| phase).collect();
    let middle = phases.len() / 2;
    *phases.select_nth_unstable(middle).1
}

/// Days behind a clock change until its effect on a feed can be told.
pub(crate) const DAYS_TO_TELL: i64 = REACH_DAYS[0];

/// Were clocks that many people live by set back in `(from, to]` (UTC seconds)?
pub(crate) fn clocks_were_set_back(from: i64, to: i64) -> bool {
    let mut families = FAMILIES[..2]
        .iter()
        .map(|names| Zone::named(names[0]).expect("a zone of the database"));
    families.any(|zone| zone.changes(from + 1, to + 1).any(|(_, change)| change < 0))
}

/// May a change of the schedule be dated to the instant (UTC seconds)?
///
/// Not within four days of a clock change, of the feed's own zone or of those
/// that most people live by: what looks like a move there is mostly the clock.
/// A real move is then dated to the nearest day that admits one.
pub(crate) fn admits_a_move(zone: Zone, utc: i64) -> bool {
    let families = FAMILIES[..2]
        .iter()
        .map(|names| Zone::named(names[0]).expect("a zone of the database"));
    !families
        .chain([zone])
        .any(|zone| zone.changes_near(utc, 4 * DAY))
}

/// For each day with a delivery, its first one and the point of the day, with
/// days cut where they are emptiest. `None` for feeds that deliver around the
/// clock, whose first delivery says nothing.
fn first_of_days(at: &[i64]) -> Option<Vec<(i64, i64)>> {
    let phase = Phase::of(at.iter().copied(), DAY)?;
    let mut firsts: Vec<(i64, i64)> = Vec::new();
    let mut day = i64::MIN;
    for &time in at {
        let this = (time - phase.cut).div_euclid(DAY);
        if this != day {
            firsts.push((time, (time - phase.cut).rem_euclid(DAY)));
            day = this;
        }
    }
    Some(firsts)
}

fn distance(points: impl Iterator<Item = i64>) -> f64 {
    let mut points: Vec<i64> = points.collect();
    let middle = points.len() / 2;
    let median = *points.select_nth_unstable(middle).1;
    // An incident says no more than that it is far away.
    points
        .iter()
        .map(|point| (point - median).abs().min(2 * HOUR) as f64)
        .sum()
}

fn most_like_a_week(names: &[&str], at: &[i64]) -> Zone {
    let zones = names
        .iter()
        .map(|name| Zone::named(name).expect("a zone of the database"));
    let mut best: Option<(f64, Zone)> = None;
    for zone in zones {
        let weekend = at
            .iter()
            .filter(|&&time| {
                !WeekdaySet::MON_FRI.contains(Day::of_local(zone.local(time)).weekday())
            })
            .count() as f64
            / at.len() as f64;
        // A clear difference, not a few deliveries.
        if best.is_none_or(|(least, _)| weekend < least - 0.05) {
            best = Some((weekend, zone));
        }
    }
    best.expect("a family has members").1
}

//! When did each cycle's delivery come, and what was missing?

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::civil::{DAY, MINUTE, Zone};
use freshness_core::fit::{CellKey, Fitted};
use freshness_core::schedule::{Calendar, Cycle, Grain};
use freshness_core::state::{CycleVerdict, State};
use jiff::Timestamp;

use super::{Figure, Missing, Outage, Point, PointKind, Reference, Slot};
use crate::rounds::{Explained, holidays};

/// Cycles in a row without a delivery that are shown as an outage.
const OUTAGE_CYCLES: usize = 3;
/// A silence before the regime this many times the usual one is an outage.
const OUTAGE_TIMES: i64 = 10;

/// Fills in points, what is missing, cycles, outages and the reference.
pub(super) fn fill(figure: &mut Figure, explained: &Explained, fitted: &Fitted) {
    let place = Place {
        calendar: figure.calendar.clone(),
        zone: figure.zone,
    };
    let (from, to) = (figure.from.as_second(), figure.to.as_second());
    // What arrived just before the window may serve a cycle in it, and the
    // other way round: the window is one of cycles.
    let judged: Vec<&CycleVerdict> = explained
        .cycles
        .iter()
        .filter(|verdict| (from..to).contains(&verdict.cycle_start.as_second()))
        .collect();
    let cycles = place.cycles(from, to);
    let mut credited = BTreeSet::new();
    for verdict in &explained.cycles {
        credited.extend(verdict.arrived_at.map(Timestamp::as_second));
    }
    for verdict in &judged {
        let Some(cycle) = cycles.get(&verdict.cycle_start.as_second()) else {
            continue;
        };
        let local = place.middle(cycle);
        match (verdict.arrived_at, verdict.state) {
            (Some(at), state) => figure.points.push(Point {
                arrived_at: at,
                local,
                minutes: place.minutes(cycle, at.as_second()),
                kind: match state {
                    State::LateArrival => PointKind::Late,
                    _ => PointKind::InTime,
                },
            }),
            (None, State::Missed | State::Late) => figure.missing.push(Missing {
                local,
                awaited: verdict.state == State::Late,
            }),
            (None, _) => {}
        }
    }
    figure.cycles = slots(figure, &place, &judged, &cycles);
    figure.reference = reference(explained, &place, fitted);

    let around = middle_of(figure);
    let since = figure.regime_since.as_second();
    let at = explained.history.at();
    let shown = at.partition_point(|&at| at < from)..at.partition_point(|&at| at < to);
    for &at in at[shown].iter().filter(|at| !credited.contains(at)) {
        let (local, minutes) = place.fold(at, around);
        figure.points.push(Point {
            arrived_at: super::instant(at),
            local,
            minutes,
            kind: match at < since {
                true => PointKind::Before,
                false => PointKind::Again,
            },
        });
    }
    figure.points.sort_by_key(|point| point.arrived_at);
    figure.outages = outages(figure, &place, &judged, at);
}

/// Where a cycle and its delivery stand.
struct Place {
    calendar: Calendar,
    zone: Zone,
}

impl Place {
    /// The cycles of a window by their start.
    fn cycles(&self, from: i64, to: i64) -> BTreeMap<i64, Cycle> {
        self.calendar
            .cycles(self.zone, &holidays(), from, to)
            .into_iter()
            .map(|cycle| (cycle.start, cycle))
            .collect()
    }

    /// The middle of the cycle's day, or of the cycle if it is shorter: local
    /// seconds.
    fn middle(&self, cycle: &Cycle) -> i64 {
        match &self.calendar {
            Calendar::Grid { minutes, .. } => cycle.local + i64::from(*minutes) * MINUTE / 2,
            _ => cycle.local - cycle.local.rem_euclid(DAY) + DAY / 2,
        }
    }

    /// Minutes from which the delay of a cycle counts on the axis of heights.
    fn base(&self, cycle: &Cycle) -> f64 {
        match &self.calendar {
            Calendar::Times { .. } => minutes(cycle.local.rem_euclid(DAY)),
            _ => 0.0,
        }
    }

    /// How high an instant stands that belongs to a cycle.
    fn minutes(&self, cycle: &Cycle, at: i64) -> f64 {
        self.base(cycle) + minutes(self.calendar.delay(self.zone, cycle, at))
    }

    /// Where an arrival stands that belongs to no cycle: as high as it would
    /// on the day, or in the slot, that brings it nearest to `around`.
    fn fold(&self, at: i64, around: f64) -> (i64, f64) {
        let local = self.zone.local(at);
        let period = match &self.calendar {
            Calendar::Grid { minutes, .. } => i64::from(*minutes) * MINUTE,
            _ => DAY,
        };
        let earliest = (around * MINUTE as f64) as i64 - period / 2;
        let into = (local - earliest).rem_euclid(period) + earliest;
        (local - into + period / 2, minutes(into))
    }
}

fn minutes(seconds: i64) -> f64 {
    seconds as f64 / MINUTE as f64
}

/// The median height of the points so far.
fn middle_of(figure: &Figure) -> f64 {
    let mut heights: Vec<f64> = figure.points.iter().map(|point| point.minutes).collect();
    heights.sort_unstable_by(f64::total_cmp);
    let known = heights.get(heights.len() / 2).copied();
    let expected = || figure.reference.and_then(|reference| reference.p50);
    let half_a_cycle = match &figure.calendar {
        Calendar::Grid { minutes, .. } => f64::from(*minutes) / 2.0,
        _ => 720.0,
    };
    known.or_else(expected).unwrap_or(half_a_cycle)
}

/// What the model says of each cycle, from its start to that of the next.
fn slots(
    figure: &Figure,
    place: &Place,
    judged: &[&CycleVerdict],
    cycles: &BTreeMap<i64, Cycle>,
) -> Vec<Slot> {
    let grain = figure.calendar.grain().map_or(DAY, Grain::seconds);
    let end = figure.zone.local(figure.to.as_second());
    // Set times of one day stand above each other, each from day to day.
    let begins = |cycle: &Cycle| match &figure.calendar {
        Calendar::Times { .. } => cycle.local - cycle.local.rem_euclid(DAY),
        _ => cycle.local,
    };
    let mut slots: Vec<Slot> = judged
        .iter()
        .filter_map(|verdict| {
            let cycle = cycles.get(&verdict.cycle_start.as_second())?;
            let base = place.base(cycle);
            let because = verdict.because.as_ref();
            Some(Slot {
                series: match because.map(|because| because.cell) {
                    Some(CellKey::Time(time)) => time,
                    _ => 0,
                },
                from: begins(cycle),
                to: (begins(cycle) + grain).min(end.max(begins(cycle) + 1)),
                window: because.map(|because| (base + because.p10, base + because.p90)),
                deadline: verdict
                    .deadline
                    .map(|deadline| place.minutes(cycle, deadline.as_second())),
            })
        })
        .collect();
    slots.sort_by_key(|slot| (slot.series, slot.from));
    // Over a weekend, but not over the nights of a feed, the line goes on.
    let bridge = match &figure.calendar {
        Calendar::Grid { .. } => grain,
        _ => (5 * DAY).max(grain * 3 / 2),
    };
    for i in 1..slots.len() {
        let next = slots[i];
        let slot = &mut slots[i - 1];
        if next.series == slot.series && next.from - slot.from <= bridge {
            slot.to = next.from;
        }
    }
    slots
}

/// What the model says of the present cycle, or of the newest one that it says
/// something of.
fn reference(explained: &Explained, place: &Place, fitted: &Fitted) -> Option<Reference> {
    if let Fitted::ColdStart(cold) = fitted {
        return Some(Reference {
            p50: cold.p50,
            p90: None,
            deadline: Some(cold.threshold),
        });
    }
    let present = explained.judged.state.current.as_ref();
    let verdict = present
        .filter(|verdict| verdict.because.is_some())
        .or_else(|| {
            let known = |verdict: &&CycleVerdict| verdict.because.is_some();
            explained.cycles.iter().rfind(known)
        })?;
    let because = verdict.because.as_ref()?;
    let start = verdict.cycle_start.as_second();
    let cycles = place.cycles(start, start + 1);
    let base = place.base(cycles.get(&start)?);
    Some(Reference {
        p50: Some(base + because.p50),
        p90: Some(base + because.p90),
        deadline: Some(base + because.threshold),
    })
}

/// Rows of missing cycles, and long silences before the regime.
fn outages(figure: &Figure, place: &Place, judged: &[&CycleVerdict], at: &[i64]) -> Vec<Outage> {
    let zone = figure.zone;
    let (from, to) = (figure.from.as_second(), figure.to.as_second());
    let since = figure.regime_since.as_second();
    let mut outages = Vec::new();

    // A silence that begins before the regime; the one that ends with it too.
    let mut gaps: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(0);
    let grain = place.calendar.grain().map_or(DAY, Grain::seconds);
    let long = OUTAGE_TIMES * usual.max(grain);
    for pair in at.windows(2) {
        let is_shown = pair[1] > from && pair[0] < to;
        if is_shown && pair[0] < since && pair[1] - pair[0] > long {
            outages.push(Outage {
                from: zone.local(pair[0].max(from)),
                to: zone.local(pair[1].min(to)),
            });
        }
    }
    let missed = |verdict: &&CycleVerdict| {
        verdict.arrived_at.is_none() && matches!(verdict.state, State::Missed | State::Late)
    };
    let mut i = 0;
    while i < judged.len() {
        let n = judged[i..]
            .iter()
            .take_while(|verdict| missed(verdict))
            .count();
        if n >= OUTAGE_CYCLES {
            let ends = judged
                .get(i + n)
                .map_or(to, |next| next.cycle_start.as_second());
            outages.push(Outage {
                from: zone.local(judged[i].cycle_start.as_second()),
                to: zone.local(ends),
            });
        }
        i += n.max(1);
    }
    outages.sort_by_key(|outage| outage.from);
    outages.dedup_by(|next, last| {
        let meets = next.from <= last.to;
        if meets {
            last.to = last.to.max(next.to);
        }
        meets
    });
    outages
}

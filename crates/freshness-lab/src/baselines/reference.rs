//! How well does the usual learned method do?
//!
//! Delays of the last regime by calendar cell (hour, weekday or month end);
//! what lies above median + 10 × (q75 − q50) is set aside; then a quantile of
//! the cell, drawn toward the dataset's by n / (n + k). It is given the true
//! calendar, zone and date of the last move, and which arrival served which
//! cycle, for free.

use std::collections::BTreeMap;

use freshness_core::schedule::{Calendar, Cycle, Grain};

use super::Contestant;
use crate::evaluate::{Awaited, Deadline, Tally, quantile, scored, seconds};
use crate::truth::{CycleTruth, DatasetTruth};

/// How its thresholds are set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// Level of the quantile, 0–1.
    pub level: f64,
    /// What the distance from the median to the quantile is multiplied with.
    pub scale: f64,
}

/// As it is used: one alert in a thousand.
const USUAL: Reference = Reference {
    level: 0.999,
    scale: 1.0,
};
/// What is tried for its best F1.
const LEVELS: [f64; 8] = [0.9, 0.95, 0.975, 0.99, 0.995, 0.998, 0.999, 1.0];
const SCALES: [f64; 10] = [0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0];
/// Delays' worth of belief in the whole dataset.
const PRIOR: f64 = 20.0;
/// Quartile distances above the median from which a delay is set aside.
const FENCE: f64 = 10.0;
/// Days at the end of a month that are a cell of their own.
const MONTH_END_DAYS: i32 = 2;

pub(super) fn usual(contestants: &[Contestant<'_>]) -> Vec<Vec<Deadline>> {
    contestants
        .iter()
        .map(|contestant| deadlines(contestant, USUAL))
        .collect()
}

pub(super) fn best(contestants: &[Contestant<'_>]) -> Vec<Vec<Deadline>> {
    let cases: Vec<Case> = contestants.iter().flat_map(cases).collect();
    let mut best: Option<(f64, Reference)> = None;
    for level in LEVELS {
        for scale in SCALES {
            let tried = Reference { level, scale };
            let f1 = tally(&cases, tried).f1().unwrap_or(0.0);
            if best.is_none_or(|(best, _)| f1 > best) {
                best = Some((f1, tried));
            }
        }
    }
    let chosen = best.map_or(USUAL, |(_, chosen)| chosen);
    contestants
        .iter()
        .map(|contestant| deadlines(contestant, chosen))
        .collect()
}

/// A cell of similar cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    All,
    Hour(i64),
    Weekday(usize),
    MonthEnd,
}

/// Quantiles of delays in minutes, ascending levels as in [`LEVELS`].
#[derive(Debug, Clone, Copy)]
struct Cell {
    n: usize,
    median: f64,
    at: [f64; LEVELS.len()],
}

/// What it learned of a dataset.
struct Learned {
    whole: Cell,
    cells: BTreeMap<Key, Cell>,
}

/// A scored cycle: what its threshold would be made of, and what is true.
struct Case {
    cell: Cell,
    delay: f64,
    incident: bool,
}

impl Reference {
    fn threshold(self, cell: &Cell) -> f64 {
        let level = LEVELS.iter().position(|level| *level == self.level);
        let quantile = cell.at[level.unwrap_or(LEVELS.len() - 1)];
        cell.median + self.scale * (quantile - cell.median)
    }
}

fn tally(cases: &[Case], tried: Reference) -> Tally {
    let mut tally = Tally::default();
    for case in cases {
        let late = case.delay > tried.threshold(&case.cell);
        tally.n_incidents += u64::from(case.incident);
        tally.n_detected += u64::from(case.incident && late);
        tally.n_false_alarms += u64::from(!case.incident && late);
    }
    tally
}

fn cases(contestant: &Contestant<'_>) -> Vec<Case> {
    let truth = contestant.subject.truth;
    let counts = scored(truth, contestant.scope);
    let Some((calendar, _)) = &truth.schedule else {
        return Vec::new();
    };
    let mut cases = Vec::new();
    for (as_of, until) in contestant.window.stretches() {
        let Some(learned) = learn(truth, as_of) else {
            continue;
        };
        let inside = truth.cycles.iter().zip(&counts);
        let inside =
            inside.filter(|(cycle, counts)| **counts && (as_of..until).contains(&cycle.start));
        cases.extend(inside.map(|(cycle, _)| Case {
            cell: learned.of(key(calendar, &as_cycle(truth, cycle))),
            delay: delay(truth, cycle).unwrap_or(f64::INFINITY),
            incident: cycle.incident.is_some(),
        }));
    }
    cases
}

fn deadlines(contestant: &Contestant<'_>, reference: Reference) -> Vec<Deadline> {
    let truth = contestant.subject.truth;
    let window = contestant.window;
    let Some((calendar, zone)) = &truth.schedule else {
        return Vec::new();
    };
    let mut deadlines = Vec::new();
    for (as_of, until) in window.stretches() {
        let Some(learned) = learn(truth, as_of) else {
            continue;
        };
        let inside = truth
            .cycles
            .iter()
            .filter(|cycle| (as_of..until).contains(&cycle.start));
        deadlines.extend(inside.map(|truth_cycle| {
            let cycle = as_cycle(truth, truth_cycle);
            let cell = learned.of(key(calendar, &cycle));
            let instant = |minutes| calendar.instant(*zone, &cycle, seconds(minutes));
            let awaited = Awaited {
                start: cycle.start,
                usual_at: instant(cell.median),
            };
            let at = instant(reference.threshold(&cell));
            Deadline::of_cycle(awaited, at, truth_cycle.arrived_at, window.known_until)
        }));
    }
    deadlines
}

/// Learns from the cycles that had begun and come by `as_of`, since the last
/// move. `None` if there are none.
fn learn(truth: &DatasetTruth, as_of: i64) -> Option<Learned> {
    let (calendar, _) = truth.schedule.as_ref()?;
    let moved = truth.moves.iter().rev().find(|(at, _)| *at <= as_of);
    let since = moved.map_or(i64::MIN, |(at, _)| *at);
    let mut delays: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    let known = truth
        .cycles
        .iter()
        .filter(|cycle| cycle.start >= since && cycle.arrived_at.is_some_and(|at| at <= as_of));
    for cycle in known {
        let key = key(calendar, &as_cycle(truth, cycle));
        delays.entry(key).or_default().extend(delay(truth, cycle));
    }
    let whole = Cell::of(delays.values().flatten().copied().collect())?;
    let cells = delays
        .into_iter()
        .filter_map(|(key, delays)| Some((key, Cell::of(delays)?.drawn_to(&whole))))
        .collect();
    Some(Learned { whole, cells })
}

impl Learned {
    fn of(&self, key: Key) -> Cell {
        *self.cells.get(&key).unwrap_or(&self.whole)
    }
}

impl Cell {
    fn of(mut delays: Vec<f64>) -> Option<Cell> {
        delays.sort_unstable_by(f64::total_cmp);
        let (median, upper) = (quantile(&delays, 0.5)?, quantile(&delays, 0.75)?);
        let fence = median + FENCE * (upper - median);
        // With three quarters of the delays alike there is no fence to be had.
        if upper > median {
            delays.retain(|delay| *delay <= fence);
        }
        let mut at = [0.0; LEVELS.len()];
        for (at, level) in at.iter_mut().zip(LEVELS) {
            *at = quantile(&delays, level)?;
        }
        Some(Cell {
            n: delays.len(),
            median: quantile(&delays, 0.5)?,
            at,
        })
    }

    fn drawn_to(&self, whole: &Cell) -> Cell {
        let own = self.n as f64 / (self.n as f64 + PRIOR);
        let mix = |cell: f64, whole: f64| own * cell + (1.0 - own) * whole;
        Cell {
            n: self.n,
            median: mix(self.median, whole.median),
            at: std::array::from_fn(|level| mix(self.at[level], whole.at[level])),
        }
    }
}

fn key(calendar: &Calendar, cycle: &Cycle) -> Key {
    match calendar.grain() {
        Some(Grain::Minutes(_)) => Key::Hour(cycle.local.rem_euclid(86_400) / 3_600),
        Some(Grain::Day) if cycle.day().days_to_month_end() < MONTH_END_DAYS => Key::MonthEnd,
        Some(Grain::Day) => Key::Weekday(cycle.day().weekday().index()),
        Some(Grain::Week | Grain::Month) | None => Key::All,
    }
}

fn as_cycle(truth: &DatasetTruth, cycle: &CycleTruth) -> Cycle {
    let local = match &truth.schedule {
        Some((_, zone)) => zone.local(cycle.start),
        None => cycle.start,
    };
    Cycle {
        start: cycle.start,
        local,
    }
}

/// Minutes from the start of the cycle to its arrival, on the wall clock.
fn delay(truth: &DatasetTruth, cycle: &CycleTruth) -> Option<f64> {
    let (calendar, zone) = truth.schedule.as_ref()?;
    let seconds = calendar.delay(*zone, &as_cycle(truth, cycle), cycle.arrived_at?);
    Some(seconds as f64 / 60.0)
}

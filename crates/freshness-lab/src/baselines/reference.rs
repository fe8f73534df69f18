//! How well does the usual learned method do?
//!
//! Delays of the last regime by calendar cell (hour, weekday or month end);
//! what lies above median + 10 × (q75 − q50) is set aside; then a quantile of
//! the cell, drawn toward the dataset's by n / (n + k). It is given the true
//! calendar, zone and date of the last move, and which arrival served which
//! cycle, for free.

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
    let each = contestants.iter();
    each.map(|contestant| deadlines(contestant, &nights(contestant), USUAL))
        .collect()
}

pub(super) fn best(contestants: &[Contestant<'_>]) -> Vec<Vec<Deadline>> {
    let nights: Vec<Vec<Night>> = contestants.iter().map(nights).collect();
    let each = || contestants.iter().zip(&nights);
    let cases: Vec<Case> = each()
        .flat_map(|(contestant, nights)| cases(contestant, nights))
        .collect();
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
    each()
        .map(|(contestant, nights)| deadlines(contestant, nights, chosen))
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

/// What it learned of a dataset one night, for the cycles that begin until it
/// learns anew.
struct Night {
    cycles: (i64, i64),
    whole: Cell,
    cells: Vec<(Key, Cell)>,
}

/// A cycle that came.
struct Delivered<'a> {
    cycle: &'a CycleTruth,
    arrived_at: i64,
    /// The place of its key among those of the dataset.
    cell: usize,
    delay: f64,
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

fn cases(contestant: &Contestant<'_>, nights: &[Night]) -> Vec<Case> {
    let truth = contestant.subject.truth;
    let counts = scored(truth, contestant.scope);
    let Some((calendar, _)) = &truth.schedule else {
        return Vec::new();
    };
    let mut cases = Vec::new();
    for night in nights {
        let inside = truth.cycles.iter().zip(&counts);
        let inside = inside.filter(|(cycle, counts)| **counts && night.judges(cycle));
        cases.extend(inside.map(|(cycle, _)| Case {
            cell: night.of(key(calendar, &as_cycle(truth, cycle))),
            delay: delay(truth, cycle).unwrap_or(f64::INFINITY),
            incident: cycle.incident.is_some(),
        }));
    }
    cases
}

fn deadlines(contestant: &Contestant<'_>, nights: &[Night], reference: Reference) -> Vec<Deadline> {
    let truth = contestant.subject.truth;
    let Some((calendar, zone)) = &truth.schedule else {
        return Vec::new();
    };
    let mut deadlines = Vec::new();
    for night in nights {
        let inside = truth.cycles.iter().filter(|cycle| night.judges(cycle));
        deadlines.extend(inside.map(|truth_cycle| {
            let cycle = as_cycle(truth, truth_cycle);
            let cell = night.of(key(calendar, &cycle));
            let instant = |minutes| calendar.instant(*zone, &cycle, seconds(minutes));
            let awaited = Awaited {
                start: cycle.start,
                usual_at: instant(cell.median),
            };
            let at = instant(reference.threshold(&cell));
            let known_until = contestant.window.known_until;
            Deadline::of_cycle(awaited, at, truth_cycle.arrived_at, known_until)
        }));
    }
    deadlines
}

/// Learns each night from the cycles that had begun and come by then, since the
/// last move; nothing where there are none.
fn nights(contestant: &Contestant<'_>) -> Vec<Night> {
    let truth = contestant.subject.truth;
    let Some((calendar, _)) = &truth.schedule else {
        return Vec::new();
    };
    let key = |cycle: &CycleTruth| key(calendar, &as_cycle(truth, cycle));
    let mut keys: Vec<Key> = truth.cycles.iter().map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    let came = truth.cycles.iter().filter_map(|cycle| {
        Some(Delivered {
            cycle,
            arrived_at: cycle.arrived_at?,
            cell: keys.binary_search(&key(cycle)).ok()?,
            delay: delay(truth, cycle)?,
        })
    });
    // What is taken from it in order is in order too: each night sorts nothing.
    let mut by_delay: Vec<Delivered<'_>> = came.collect();
    by_delay.sort_by(|a, b| a.delay.total_cmp(&b.delay));
    let learned = contestant.window.stretches().filter_map(|cycles| {
        let as_of = cycles.0;
        let moved = truth.moves.iter().rev().find(|(at, _)| *at <= as_of);
        let since = moved.map_or(i64::MIN, |(at, _)| *at);
        let mut whole = Vec::new();
        let mut cells = vec![Vec::new(); keys.len()];
        for came in &by_delay {
            if came.cycle.start >= since && came.arrived_at <= as_of {
                whole.push(came.delay);
                cells[came.cell].push(came.delay);
            }
        }
        let whole = Cell::of(whole)?;
        let cells = keys.iter().zip(cells);
        let cells = cells.filter_map(|(key, own)| Some((*key, Cell::of(own)?.drawn_to(&whole))));
        Some(Night {
            cycles,
            whole,
            cells: cells.collect(),
        })
    });
    learned.collect()
}

impl Night {
    fn judges(&self, cycle: &CycleTruth) -> bool {
        (self.cycles.0..self.cycles.1).contains(&cycle.start)
    }

    fn of(&self, key: Key) -> Cell {
        let cell = self.cells.binary_search_by_key(&key, |(key, _)| *key);
        cell.map_or(self.whole, |cell| self.cells[cell].1)
    }
}

impl Cell {
    /// Of ascending delays; `None` without any.
    fn of(mut delays: Vec<f64>) -> Option<Cell> {
        let (median, upper) = (quantile(&delays, 0.5)?, quantile(&delays, 0.75)?);
        let fence = median + FENCE * (upper - median);
        // With three quarters of the delays alike there is no fence to be had.
        if upper > median {
            delays.truncate(delays.partition_point(|delay| *delay <= fence));
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

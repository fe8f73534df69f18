//! How long after the start of its cycle did each delivery come?

use std::collections::BTreeMap;

use super::cells::{Delivery, Turnout};
use super::groups::Groups;
use super::model::CellKey;
use super::regimes::Delay;
use crate::arrivals::{ArrivalHistory, Opening, match_in_order};
use crate::calendar::{Inference, Phase};
use crate::civil::{DAY, Day, Holidays, MINUTE};
use crate::schedule::DayRule::{BusinessDayOfWeek, BusinessDays, Weekdays};
use crate::schedule::{Calendar, Cycle, Grain, Maintenance};

/// A cycle opens this share of its period before its deliveries' median, …
const EARLY_SHARE: f64 = 0.05;
/// … or this many times the distance from their first to their median, …
const EARLY_REACH: f64 = 2.0;
/// … but never more than this share of its period.
const MAX_EARLY_SHARE: f64 = 0.4;

/// Skips are counted over so many days, …
const SKIP_DAYS: i64 = 182;
/// … and at least so many cycles.
const SKIP_CYCLES: usize = 52;

/// The deliveries of one regime.
pub(crate) struct RegimeDelays {
    /// The expected cycles, and the delay of each (minutes) if delivered.
    pub(crate) cycles: Vec<(Cycle, Option<f64>)>,
    /// How long before its median a delivery still counts, minutes.
    pub(crate) early_minutes: f64,
}

/// Points of the day (or of the cycle, for grids and set times) at which
/// deliveries came, over `history[..n]`, to find moves in; without those that
/// `maintenance` held up.
pub(crate) fn phases(
    inference: &Inference,
    history: &ArrivalHistory,
    n: usize,
    holidays: &Holidays,
    maintenance: &Maintenance,
) -> Vec<Delay> {
    let at = &history.at()[..n];
    let mut phases = match &inference.calendar {
        Calendar::Grid { minutes, .. } => grid_phases(inference, at, i64::from(*minutes) * MINUTE),
        Calendar::Times { .. } => {
            let since = at.partition_point(|&time| time < inference.since);
            let from = at.get(since).copied().unwrap_or(inference.since);
            let history = (history, n);
            let regime = delays(inference, history, holidays, maintenance, from, i64::MAX);
            return regime
                .cycles
                .iter()
                .filter_map(|(cycle, delay)| {
                    let slot = cycle.local.rem_euclid(DAY) / (MINUTE * 10);
                    Some(Delay {
                        at: cycle.start,
                        cell: slot as u8,
                        minutes: (*delay)?,
                    })
                })
                .collect();
        }
        Calendar::Days(_) | Calendar::Months(_) | Calendar::Irregular => day_phases(inference, at),
    };
    phases.retain(|phase| !may_be_held_up(phase.at, inference, maintenance));
    phases
}

/// Was less than a period of open time there before a delivery to make up for what
/// windows took? When it usually comes is not known before its schedule's moves are.
fn may_be_held_up(at: i64, inference: &Inference, maintenance: &Maintenance) -> bool {
    let period = inference.calendar.grain().map_or(DAY, Grain::seconds);
    maintenance.put_off(at - period.min(DAY), at).is_some()
}

/// The first delivery in each cycle of the last cadence, by hour of the day.
fn grid_phases(inference: &Inference, at: &[i64], period: i64) -> Vec<Delay> {
    let zone = inference.zone;
    let recent = &at[at.partition_point(|&time| time < inference.since)..];
    let Some(phase) = Phase::of(recent.iter().map(|&time| zone.local(time)), period) else {
        return Vec::new();
    };
    let mut newest = i64::MIN;
    let mut phases = Vec::with_capacity(recent.len());
    for &time in recent {
        let into = zone.local(time) - phase.cut;
        let slot = into.div_euclid(period);
        if slot > newest {
            newest = slot;
            let hour = ((slot * period).rem_euclid(DAY) / 3_600) as u8;
            phases.push(Delay {
                at: time,
                cell: hour,
                minutes: into.rem_euclid(period) as f64 / MINUTE as f64,
            });
        }
    }
    phases
}

/// The first delivery of each local day over the whole history, by weekday.
fn day_phases(inference: &Inference, at: &[i64]) -> Vec<Delay> {
    let by_weekday = inference.calendar.grain() == Some(Grain::Day);
    let mut newest = i32::MIN;
    let mut phases = of_days(inference, at);
    phases.retain(|(day, _)| std::mem::replace(&mut newest, day.0) != day.0);
    phases
        .into_iter()
        .map(|(day, phase)| match by_weekday {
            true => Delay {
                cell: day.weekday().index() as u8,
                ..phase
            },
            false => phase,
        })
        .collect()
}

/// The second delivery of each local day that has one an hour behind the first, and
/// that `maintenance` did not hold up.
pub(crate) fn second_phases(
    inference: &Inference,
    at: &[i64],
    maintenance: &Maintenance,
) -> Vec<Delay> {
    let (mut first, mut is_found) = ((Day(i32::MIN), 0.0), false);
    let mut phases = of_days(inference, at);
    phases.retain(|(day, phase)| {
        if *day != first.0 {
            (first, is_found) = ((*day, phase.minutes), false);
            return false;
        }
        let is_second = !is_found && phase.minutes >= first.1 + 60.0;
        is_found |= is_second;
        is_second && !may_be_held_up(phase.at, inference, maintenance)
    });
    phases.into_iter().map(|(_, phase)| phase).collect()
}

/// Every arrival with its local day, the day cut where it is emptiest.
fn of_days(inference: &Inference, at: &[i64]) -> Vec<(Day, Delay)> {
    let zone = inference.zone;
    let Some(phase) = Phase::of(at.iter().map(|&time| zone.local(time)), DAY) else {
        return Vec::new();
    };
    at.iter()
        .map(|&time| {
            let into = zone.local(time) - phase.cut;
            let minutes = into.rem_euclid(DAY) as f64 / MINUTE as f64;
            (
                Day::of_local(into),
                Delay {
                    at: time,
                    cell: 0,
                    minutes,
                },
            )
        })
        .collect()
}

/// The cycles between `from` and `to` (UTC seconds; the first begins about
/// when `from` says) and the delays of `history[..n]` in them, without the cycles
/// that `maintenance` held up.
pub(crate) fn delays(
    inference: &Inference,
    (history, n): (&ArrivalHistory, usize),
    holidays: &Holidays,
    maintenance: &Maintenance,
    from: i64,
    to: i64,
) -> RegimeDelays {
    let (zone, calendar) = (inference.zone, &inference.calendar);
    let period = calendar.grain().map_or(DAY, Grain::seconds);
    let at = &history.at()[..n];
    let within =
        &at[at.partition_point(|&time| time < from)..at.partition_point(|&time| time < to)];
    let Some((&first, &last)) = within.first().zip(within.last()) else {
        return RegimeDelays {
            cycles: Vec::new(),
            early_minutes: 0.0,
        };
    };
    let mut cycles = calendar.cycles(zone, holidays, first - 2 * period, last + 2 * period);
    let usual = Usual::of(within, &cycles, inference);
    let opening = |cycle: &Cycle| Opening {
        opens: calendar.instant(zone, cycle, usual.median - usual.early),
        usual: calendar.instant(zone, cycle, usual.median),
        usual_by: calendar.instant(zone, cycle, usual.high),
    };
    // The first cycle is the one that the first arrival serves.
    let begins = cycles
        .partition_point(|cycle| opening(cycle).opens <= first)
        .saturating_sub(1);
    let ends = cycles.partition_point(|cycle| opening(cycle).opens <= last);
    cycles.truncate(ends);
    cycles.drain(..begins.min(cycles.len()));
    let openings: Vec<Opening> = cycles.iter().map(opening).collect();
    let served = match_in_order(&cycles, &openings, history, n);
    let is_held_up = |opening: &Opening, arrival: Option<usize>| {
        let until = arrival.map_or(opening.usual + period, |i| at[i]);
        opening.usual < until && maintenance.last_between(opening.usual, until).is_some()
    };
    let cycles = cycles
        .into_iter()
        .zip(served)
        .zip(openings)
        .filter(|((_, arrival), opening)| !is_held_up(opening, *arrival))
        .map(|((cycle, arrival), _)| {
            // A later regime's arrival is not this one's.
            let delay = arrival
                .filter(|&i| at[i] < to)
                .map(|i| calendar.delay(zone, &cycle, at[i]) as f64 / MINUTE as f64);
            (cycle, delay)
        })
        .collect();
    RegimeDelays {
        cycles,
        early_minutes: usual.early as f64 / MINUTE as f64,
    }
}

/// When deliveries usually come, seconds from the start of a cycle.
struct Usual {
    median: i64,
    high: i64,
    early: i64,
}

impl Usual {
    /// Read from the arrivals of a regime and the cycles around them.
    fn of(at: &[i64], cycles: &[Cycle], inference: &Inference) -> Usual {
        let period = inference.calendar.grain().map_or(DAY, Grain::seconds);
        match inference.calendar {
            // All cycles begin at one point of the period: delays lie on a
            // circle, and midnight (or the hour) may be crossed.
            Calendar::Grid { .. } | Calendar::Days(Weekdays(_) | BusinessDays { .. }) => {
                let anchor = cycles.first().map_or(0, |cycle| cycle.local);
                let local: Vec<i64> = first_per_slot(at, period / 8)
                    .map(|time| inference.zone.local(time) - anchor)
                    .collect();
                Usual::on_circle(&local, period)
            }
            // They don't: each arrival is read from the cycle before it, or
            // from the next one if it is hardly early.
            Calendar::Days(BusinessDayOfWeek { .. })
            | Calendar::Times { .. }
            | Calendar::Months(_)
            | Calendar::Irregular => {
                let nearest = cycles
                    .windows(2)
                    .map(|pair| pair[1].start - pair[0].start)
                    .min();
                let slot = nearest.unwrap_or(period);
                let early = (slot as f64 * EARLY_SHARE) as i64;
                let delays = at.iter().filter_map(|&time| {
                    let next = cycles.partition_point(|cycle| cycle.start <= time + early);
                    let cycle = &cycles[next.checked_sub(1)?];
                    Some(inference.calendar.delay(inference.zone, cycle, time))
                });
                Usual::on_line(delays.collect(), slot)
            }
        }
    }

    fn on_circle(times: &[i64], period: i64) -> Usual {
        let Some(phase) = Phase::of(times.iter().copied(), period) else {
            return Usual {
                median: 0,
                high: 0,
                early: 0,
            };
        };
        // The cycle a delivery belongs to begins before it, or up to a
        // fiftieth of the period after it.
        let median = (phase.median + period / 50).rem_euclid(period) - period / 50;
        let early = Usual::early(phase.median - phase.low, period);
        Usual {
            median,
            high: median + (phase.high - phase.median),
            early,
        }
    }

    fn on_line(mut delays: Vec<i64>, period: i64) -> Usual {
        if delays.is_empty() {
            return Usual {
                median: 0,
                high: 0,
                early: 0,
            };
        }
        delays.sort_unstable();
        let at = |share: f64| delays[((delays.len() - 1) as f64 * share).round() as usize];
        Usual {
            median: at(0.5),
            high: at(0.9),
            early: Usual::early(at(0.5) - at(0.02), period),
        }
    }

    fn early(reach: i64, period: i64) -> i64 {
        let early = (reach as f64 * EARLY_REACH).max(period as f64 * EARLY_SHARE);
        early.min(period as f64 * MAX_EARLY_SHARE) as i64
    }
}

fn first_per_slot(at: &[i64], apart: i64) -> impl Iterator<Item = i64> {
    let mut counted = i64::MIN;
    at.iter().copied().filter(move |&time| {
        let counts = time >= counted.saturating_add(apart);
        if counts {
            counted = time;
        }
        counts
    })
}

/// Deliveries of regimes (oldest first) as the cells want them, and, for the
/// last half year of the last regime, by cell what became of expected cycles.
pub(crate) fn tally(
    regimes: &[RegimeDelays],
    calendar: &Calendar,
) -> (Vec<Delivery>, BTreeMap<CellKey, Turnout>) {
    let mut deliveries = Vec::new();
    for (regime, delays) in regimes.iter().enumerate() {
        deliveries.extend(delays.cycles.iter().filter_map(|(cycle, delay)| {
            Some(Delivery {
                key: CellKey::of(cycle, calendar),
                day: cycle.day(),
                regime,
                delay: (*delay)?,
            })
        }));
    }
    let last = regimes.last().map_or(&[][..], |regime| &regime.cycles);
    let newest = last.last().map_or(0, |(cycle, _)| cycle.start);
    let recent = last.partition_point(|(cycle, _)| cycle.start < newest - SKIP_DAYS * DAY);
    let last = &last[recent.min(last.len().saturating_sub(SKIP_CYCLES))..];
    let by_cell = Groups::of(last.iter().map(|(cycle, _)| CellKey::of(cycle, calendar)));
    let mut counts = vec![Turnout::default(); by_cell.keys().len()];
    let mut cells = by_cell.each();
    for run in last.chunk_by(|(_, a), (_, b)| a.is_none() && b.is_none()) {
        for ((_, delay), cell) in run.iter().zip(cells.by_ref()) {
            match (delay, run.len()) {
                (Some(_), _) => counts[cell].n_delivered += 1,
                (None, 1 | 2) => counts[cell].n_skipped += 1,
                // A longer silence is an incident, not a habit.
                (None, _) => counts[cell].n_silent += 1,
            }
        }
    }
    let turnout = by_cell.keys().iter().copied().zip(counts).collect();
    (deliveries, turnout)
}

//! From a calendar to a model: the steps in order.

use super::cells::{self, CellParameters, least_margin, round};
use super::delays::{RegimeDelays, delays, phases, second_phases, tally};
use super::model::{ArrivalModel, Change, Fitted, Move, ShiftNote, to_timestamp};
use super::quantile::median;
use super::regimes::{Delay, MinMove, Shift, shifts};
use super::shift::recent_shift;
use super::{Parameters, cold_start, gaps};
use jiff::Timestamp;

use crate::arrivals::ArrivalHistory;
use crate::calendar::{DAYS_TO_TELL, Inference, Source, admits_a_move};
use crate::civil::{DAY, Holidays};
use crate::schedule::{Calendar, Grain, Maintenance};

/// What a move of a schedule must be to count: a few cycles, and 10 minutes
/// for a daily feed; it grows with the square root of the period.
fn min_move(grain: Grain) -> MinMove {
    let n = match grain {
        Grain::Minutes(minutes) => (2 * 24 * 60 / usize::from(minutes)).clamp(12, 96),
        Grain::Day => 7,
        Grain::Week => 5,
        Grain::Month => 4,
    };
    MinMove {
        n,
        minutes: 10.0 * (grain.seconds() as f64 / DAY as f64).sqrt(),
    }
}

/// A feed without a calendar; silences into which `maintenance` fell are left out.
pub(crate) fn irregular(
    inference: &Inference,
    at: &[i64],
    maintenance: &Maintenance,
    parameters: &Parameters,
) -> Fitted {
    let recent = &at[at.partition_point(|&time| time < inference.since)..];
    if recent.len() < cold_start::floor(None) as usize {
        return Fitted::ColdStart(cold_start::loose(
            inference,
            recent.len() as u32,
            &mut gap_minutes(recent, maintenance),
            false,
        ));
    }
    Fitted::Irregular(gaps::learn(
        inference,
        recent,
        maintenance,
        moves(inference, &[], &[]),
        parameters,
    ))
}

fn gap_minutes(at: &[i64], maintenance: &Maintenance) -> Vec<f64> {
    gaps::silences(at, maintenance)
        .map(|(from, to)| (to - from) as f64 / 60.0)
        .collect()
}

/// A feed with a calendar; cycles of `maintenance` are left out.
pub(crate) fn scheduled(
    inference: &Inference,
    history: &ArrivalHistory,
    n_arrivals: usize,
    holidays: &Holidays,
    maintenance: &Maintenance,
    parameters: &Parameters,
) -> Fitted {
    let grain = inference.calendar.grain().unwrap_or(Grain::Day);
    let least_move = min_move(grain);
    let points = phases(inference, history, n_arrivals, holidays, maintenance);
    let shifts = shifts(&points, least_move);
    let mut moves = moves(inference, &points, &shifts);
    moves.extend(later_moves(
        inference,
        &history.at()[..n_arrivals],
        least_move,
        maintenance,
    ));
    moves.sort_by_key(|change| change.at);
    let (regimes, last_shift) = regimes(
        inference,
        &points,
        &shifts,
        (history, n_arrivals),
        holidays,
        maintenance,
    );
    let (deliveries, turnout) = tally(&regimes, &inference.calendar);
    let floor = cold_start::floor(Some(grain));
    // A weekday that was never seen cannot be said to be free.
    let is_guess = inference.source == Source::Inferred
        && !has_seen_a_week(inference, &history.at()[..n_arrivals]);
    if deliveries.len() < floor as usize || is_guess {
        let mut delays: Vec<f64> = deliveries.iter().map(|delivery| delivery.delay).collect();
        return Fitted::ColdStart(cold_start::loose(
            inference,
            deliveries.len() as u32,
            &mut delays,
            is_guess,
        ));
    }
    let cell_parameters = CellParameters {
        grain,
        false_alarm_rate: parameters.rate(grain),
        is_stated: parameters.false_alarms_per_month.is_some(),
        seed: parameters.seed,
    };
    let learned = cells::learn(&deliveries, &turnout, &inference.calendar, cell_parameters);
    let current = &regimes[regimes.len() - 1];
    let n_delivered = current
        .cycles
        .iter()
        .filter(|(_, delay)| delay.is_some())
        .count();
    let mut model = ArrivalModel {
        calendar: inference.calendar.clone(),
        calendar_source: inference.source,
        calendar_f1: (inference.f1 * 1_000.0).round() / 1_000.0,
        zone: inference.zone,
        zone_source: inference.zone_source,
        clock_untested_since: clock_untested_since(inference, grain, history.at()[n_arrivals - 1]),
        regime_since: to_timestamp(current.cycles[0].0.start),
        n_expected: current.cycles.len() as u32,
        n_delivered: n_delivered as u32,
        n_trimmed: learned.n_trimmed as u32,
        early_minutes: round(current.early_minutes),
        false_alarm_rate: learned.false_alarm_rate,
        cells: learned.cells,
        effects: learned.effects,
        moves,
    };
    let own_noise = &learned.noise[learned.noise.len() - n_delivered.min(learned.noise.len())..];
    let spread = usual_spread(&model, learned.noise_window);
    let recent = recent_shift(
        own_noise,
        learned.noise_window,
        spread,
        least_move.minutes.max(spread),
        // A backlog of half a day is an incident, not a schedule.
        (DAY / 2 / grain.seconds()) as usize,
    );
    let shift = match (recent, last_shift) {
        (Some(recent), _) => {
            let since = current
                .cycles
                .iter()
                .rev()
                .filter(|(_, delay)| delay.is_some())
                .nth(recent.n - 1);
            let since = since.map_or(model.regime_since, |(cycle, _)| to_timestamp(cycle.start));
            ShiftNote {
                since,
                minutes: round(recent.minutes),
                n: recent.n as u32,
            }
        }
        // A regime younger than a cold start: found, but not yet known well.
        (None, Some(shift)) if n_delivered < floor as usize / 2 => ShiftNote {
            since: model.regime_since,
            minutes: round(shift.minutes),
            n: n_delivered as u32,
        },
        _ => return Fitted::Learned(model),
    };
    let widen = round(shift.minutes.abs().max(least_margin(grain)));
    for cell in &mut model.cells {
        cell.threshold = round(cell.threshold + widen);
        cell.band = (round(cell.band.0 + widen), round(cell.band.1 + widen));
    }
    Fitted::Provisional { model, shift }
}

/// From when on clock changes are too recent to have told the zone.
fn clock_untested_since(inference: &Inference, grain: Grain, last: i64) -> Option<Timestamp> {
    let makes_a_difference = inference.zone_source == Source::Default && grain > Grain::HOUR;
    makes_a_difference.then(|| to_timestamp(last - DAYS_TO_TELL * DAY))
}

/// Has every day of the week gone by at least once?
fn has_seen_a_week(inference: &Inference, at: &[i64]) -> bool {
    at.last()
        .is_some_and(|last| last - inference.since >= 6 * DAY)
}

/// Minutes that a unit of noise stands for, over the cells.
fn usual_spread(model: &ArrivalModel, window: (f64, f64)) -> f64 {
    let width = (window.1 - window.0).max(f64::MIN_POSITIVE);
    let mut spreads: Vec<f64> = model
        .cells
        .iter()
        .map(|cell| (cell.p90 - cell.p10) / width)
        .collect();
    median(&mut spreads).unwrap_or(0.0)
}

/// The delays of each regime of the last cadence, and the move that began the
/// last one.
fn regimes(
    inference: &Inference,
    points: &[Delay],
    shifts: &[Shift],
    history: (&ArrivalHistory, usize),
    holidays: &Holidays,
    maintenance: &Maintenance,
) -> (Vec<RegimeDelays>, Option<Shift>) {
    let inside: Vec<Shift> = shifts
        .iter()
        .copied()
        .filter(|shift| points[shift.from].at > inference.since)
        .collect();
    let mut starts = vec![inference.since];
    starts.extend(inside.iter().map(|shift| points[shift.from].at));
    let mut regimes: Vec<RegimeDelays> = starts
        .iter()
        .enumerate()
        .map(|(i, &from)| {
            let to = starts.get(i + 1).copied().unwrap_or(i64::MAX);
            delays(inference, history, holidays, maintenance, from, to)
        })
        .collect();
    // Very short regimes (a re-estimated boundary) may hold no cycle at all.
    regimes.retain(|regime| regime.cycles.iter().any(|(_, delay)| delay.is_some()));
    (regimes, inside.last().copied())
}

/// Moves and changes of cadence, oldest first.
fn moves(inference: &Inference, points: &[Delay], shifts: &[Shift]) -> Vec<Move> {
    let cadence = inference
        .cadence_changes
        .iter()
        .map(|&(at, before, after)| Move {
            at: to_timestamp(at),
            change: Change::Cadence {
                per_week_before: tenth(before),
                per_week_after: tenth(after),
            },
        });
    let shifts = shifts.iter().map(|shift| Move {
        at: dated(inference, points, shift),
        change: Change::Shift {
            minutes: tenth(shift.minutes),
        },
    });
    let mut moves: Vec<Move> = match inference.calendar {
        // Its time of day is not a schedule.
        Calendar::Irregular => cadence.collect(),
        _ => cadence.chain(shifts).collect(),
    };
    moves.sort_by_key(|change| change.at);
    moves
}

/// A move near a clock change may be the clock, of a feed whose zone is not
/// known: it is dated to the nearest delivery that is not near one.
fn dated(inference: &Inference, points: &[Delay], shift: &Shift) -> Timestamp {
    let found = points[shift.from].at;
    let admitted = |point: &&Delay| admits_a_move(inference.zone, point.at);
    let before = points[..=shift.from].iter().rev().find(admitted);
    let after = points[shift.from..].iter().find(admitted);
    let nearest = before
        .into_iter()
        .chain(after)
        .min_by_key(|point| (point.at - found).abs());
    to_timestamp(nearest.map_or(found, |point| point.at))
}

/// Moves of the second delivery of the day, for feeds that are awaited once.
fn later_moves(
    inference: &Inference,
    at: &[i64],
    least_move: MinMove,
    maintenance: &Maintenance,
) -> Vec<Move> {
    if !matches!(inference.calendar, Calendar::Days(_)) {
        return Vec::new();
    }
    let points = second_phases(inference, at, maintenance);
    shifts(&points, least_move)
        .iter()
        .map(|shift| Move {
            at: dated(inference, &points, shift),
            change: Change::LaterLoad {
                minutes: tenth(shift.minutes),
            },
        })
        .collect()
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

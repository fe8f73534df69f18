//! When did the schedule move?
//!
//! Delays are split where a model with its own level per cell on each side
//! explains them best ([`crate::calendar::split`]), again and again while the
//! split is significant, explains enough and moves the schedule by enough.
//! Single outliers are replaced first (Hampel's filter), so that an incident
//! is not a regime. The size of a move is the median difference of the cells
//! present on both sides.

use super::quantile::median;
use crate::calendar::split::{Loss, Point, best_split, is_significant};

/// One delay and where it belongs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Delay {
    /// UTC seconds of the arrival.
    pub(crate) at: i64,
    /// Its cell; small numbers.
    pub(crate) cell: u8,
    /// Minutes.
    pub(crate) minutes: f64,
}

/// A move of the schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shift {
    /// Index of the first delay of the new regime.
    pub(crate) from: usize,
    /// Minutes later.
    pub(crate) minutes: f64,
}

/// What a move must be to count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MinMove {
    /// Delays on each side.
    pub(crate) n: usize,
    /// Minutes.
    pub(crate) minutes: f64,
}

/// A split must explain this share of what its piece leaves unexplained.
const MIN_EXPLAINED: f64 = 0.15;
/// Hampel's window (delays on each side) and width (robust deviations).
const HAMPEL_REACH: usize = 3;
const HAMPEL_WINDOW: usize = 2 * HAMPEL_REACH + 1;
const HAMPEL_WIDTH: f64 = 4.0;

/// The moves of the schedule, oldest first.
pub(crate) fn shifts(delays: &[Delay], min_move: MinMove) -> Vec<Shift> {
    let points = without_outliers(delays, min_move.minutes);
    let mut starts = vec![0];
    divide(&points, 0, min_move, &mut starts);
    starts.sort_unstable();
    refine(&mut starts, delays);
    // A split that its neighbours took the effect of is dropped, smallest first.
    loop {
        let effects: Vec<f64> = (1..starts.len())
            .map(|i| {
                let end = starts.get(i + 1).copied().unwrap_or(points.len());
                effect(&points[starts[i - 1]..starts[i]], &points[starts[i]..end])
            })
            .collect();
        let smallest = effects
            .iter()
            .enumerate()
            .min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        match smallest {
            Some((i, effect)) if effect.abs() < min_move.minutes => {
                starts.remove(i + 1);
            }
            _ => {
                return starts[1..]
                    .iter()
                    .zip(effects)
                    .map(|(&from, minutes)| Shift { from, minutes })
                    .collect();
            }
        }
    }
}

/// Replacing outliers moves an edge by up to its window. Puts each edge where
/// the delays as they were, held against the medians of both sides, say.
fn refine(starts: &mut [usize], delays: &[Delay]) {
    let reach = 2 * HAMPEL_REACH;
    for i in 1..starts.len() {
        let (from, edge) = (starts[i - 1], starts[i]);
        let to = starts.get(i + 1).copied().unwrap_or(delays.len());
        let level = |side: &[Delay]| {
            median(&mut side.iter().map(|delay| delay.minutes).collect::<Vec<f64>>())
        };
        let (Some(before), Some(after)) = (level(&delays[from..edge]), level(&delays[edge..to]))
        else {
            continue;
        };
        let distance = (after - before).abs();
        // How much nearer each delay is to the new level; none counts for more
        // than the move itself.
        let gain = |delay: &Delay| {
            ((delay.minutes - before).abs() - (delay.minutes - after).abs())
                .clamp(-distance, distance)
        };
        let window = (from + 1).max(edge.saturating_sub(reach))..(to - 1).min(edge + reach);
        let mut best = (0.0, edge);
        for at in window {
            let moved = match at < edge {
                true => delays[at..edge].iter().map(gain).sum::<f64>(),
                false => -delays[edge..at].iter().map(gain).sum::<f64>(),
            };
            if moved > best.0 + 1e-9 {
                best = (moved, at);
            }
        }
        starts[i] = best.1;
    }
}

fn divide(points: &[Point], offset: usize, min_move: MinMove, starts: &mut Vec<usize>) {
    if points.len() < 2 * min_move.n {
        return;
    }
    let clipped = clip(points, min_move.minutes);
    let split = best_split(&clipped, min_move.n, Loss::Squares, |_| true);
    let Some(split) = split else { return };
    let (left, right) = points.split_at(split.at);
    let counts = is_significant(&split, points.len(), Loss::Squares)
        && split.whole - split.parts >= MIN_EXPLAINED * split.whole
        && effect(left, right).abs() >= min_move.minutes;
    if counts {
        starts.push(offset + split.at);
        divide(left, offset, min_move, starts);
        divide(right, offset + split.at, min_move, starts);
    }
}

/// Draws far points in, so that a spell of incidents does not outweigh a small
/// lasting move: nothing counts as further from the middle 80 % of its piece
/// than that is wide.
fn clip(points: &[Point], least_width: f64) -> Vec<Point> {
    let mut values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let n = values.len();
    let low = *values.select_nth_unstable_by(n / 10, f64::total_cmp).1;
    let high = *values
        .select_nth_unstable_by(n - 1 - n / 10, f64::total_cmp)
        .1;
    let width = (high - low).max(least_width);
    let draw_in = |value: f64| value.clamp(low - width, high + width);
    points
        .iter()
        .map(|point| Point {
            cell: point.cell,
            value: draw_in(point.value),
        })
        .collect()
}

/// Median difference of the cells on both sides, weighted by the smaller count.
fn effect(left: &[Point], right: &[Point]) -> f64 {
    let by_cell = |side: &[Point]| by_cell(side.iter().map(|point| (point.cell, point.value)));
    let (mut total, mut weights) = (0.0, 0.0);
    for (mut before, mut after) in by_cell(left).into_iter().zip(by_cell(right)) {
        let weight = before.len().min(after.len()) as f64;
        if let (Some(before), Some(after)) = (median(&mut before), median(&mut after)) {
            total += weight * (after - before);
            weights += weight;
        }
    }
    if weights > 0.0 { total / weights } else { 0.0 }
}

/// The values of each cell, up to the last that has one.
fn by_cell(values: impl Iterator<Item = (u8, f64)>) -> Vec<Vec<f64>> {
    let mut cells: Vec<Vec<f64>> = Vec::new();
    for (cell, value) in values {
        let cell = usize::from(cell);
        if cell >= cells.len() {
            cells.resize(cell + 1, Vec::new());
        }
        cells[cell].push(value);
    }
    cells
}

fn without_outliers(delays: &[Delay], tolerance: f64) -> Vec<Point> {
    let by_cell = by_cell(delays.iter().map(|delay| (delay.cell, delay.minutes)));
    let levels: Vec<f64> = (by_cell.into_iter())
        .map(|mut values| median(&mut values).unwrap_or(0.0))
        .collect();
    let level = |delay: &Delay| levels[usize::from(delay.cell)];
    let residuals: Vec<f64> = delays
        .iter()
        .map(|delay| delay.minutes - level(delay))
        .collect();
    delays
        .iter()
        .enumerate()
        .map(|(i, delay)| {
            let around = i.saturating_sub(HAMPEL_REACH)..(i + HAMPEL_REACH + 1).min(delays.len());
            let around = &residuals[around];
            let (middle, deviation) = match <[f64; HAMPEL_WINDOW]>::try_from(around) {
                Ok(window) => {
                    let middle = middle_of(window);
                    (
                        middle,
                        middle_of(window.map(|value| (value - middle).abs())),
                    )
                }
                // At an end of the history.
                Err(_) => {
                    let mut window = around.to_vec();
                    let middle = median(&mut window).unwrap_or(0.0);
                    let mut distances: Vec<f64> =
                        window.iter().map(|value| (value - middle).abs()).collect();
                    (middle, median(&mut distances).unwrap_or(0.0))
                }
            };
            let deviation = deviation * super::MAD_TO_SIGMA;
            let usual = (residuals[i] - middle).abs() <= HAMPEL_WIDTH * deviation + tolerance / 4.0;
            let residual = if usual { residuals[i] } else { middle };
            Point {
                cell: delay.cell,
                value: level(delay) + residual,
            }
        })
        .collect()
}

/// The median of an odd number of values, by a sorting network (odd-even
/// transposition, Knuth 1973, 5.3.4): for a few values no branch is to be
/// guessed.
fn middle_of<const N: usize>(mut values: [f64; N]) -> f64 {
    for round in 0..N {
        for i in (round % 2..N - 1).step_by(2) {
            let (a, b) = (values[i], values[i + 1]);
            (values[i], values[i + 1]) = if b < a { (b, a) } else { (a, b) };
        }
    }
    values[N / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_shifts(minutes: impl Fn(i64) -> f64, n: i64, expected: &[(usize, f64)]) {
        let delays: Vec<Delay> = (0..n)
            .map(|i| Delay {
                at: i * 86_400,
                cell: (i % 7) as u8,
                minutes: minutes(i) + (i * 7_919 % 13) as f64 / 2.0,
            })
            .collect();
        let found = shifts(
            &delays,
            MinMove {
                n: 7,
                minutes: 10.0,
            },
        );
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, (from, minutes)) in found.iter().zip(expected) {
            assert!(
                found.from.abs_diff(*from) <= 1 && (found.minutes - minutes).abs() < 3.0,
                "{found:?}"
            );
        }
    }

    #[test]
    fn every_move_is_found_with_its_date_and_size() {
        check_shifts(
            |i| {
                if i < 90 {
                    360.0
                } else if i < 150 {
                    226.0
                } else {
                    300.0
                }
            },
            240,
            &[(90, -134.0), (150, 74.0)],
        );
    }

    #[test]
    fn an_outage_of_three_days_and_a_slow_weekday_are_no_moves() {
        check_shifts(
            |i| if (60..63).contains(&i) { 900.0 } else { 360.0 },
            200,
            &[],
        );
        check_shifts(|i| if i % 7 == 2 { 480.0 } else { 360.0 }, 200, &[]);
    }
}

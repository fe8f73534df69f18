//! How long is a feed without a calendar ever silent?
//!
//! Event-driven feeds still have habits: a silence that begins on Friday
//! evening is longer than one that begins on Tuesday morning. Silences are
//! compared on a logarithmic scale, by the part of the local week in which they
//! begin; parts lend each other strength by n / (n + k), incidents are trimmed,
//! and the threshold is read from the pooled tail.

use super::cells::round;
use super::model::{GapCell, GapModel, Move};
use super::quantile::{median, of_sorted, shrinkage};
use super::{Parameters, tail, trim};
use crate::calendar::Inference;
use crate::civil::{DAY, HOUR, MINUTE, Zone};
use crate::fit::model::to_timestamp;
use crate::schedule::{Grain, Maintenance};

/// Hours in a part of the week.
pub(crate) const PART_HOURS: i64 = 6;
/// Silences' worth of belief in the whole week.
const PRIOR: f64 = 15.0;
/// Deliveries closer together than this are one.
pub(crate) const LEAST_GAP: i64 = MINUTE;
/// Minutes beyond which a silence is not told from for ever: ten years.
const LONGEST: f64 = 3_652.5 * 1_440.0;
/// Silences that a promise must rest on.
const MIN_GAPS: usize = 60;
/// A feed whose threshold is more than this many times its median silence, or
/// longer than a month, supports no promise.
const MAX_RATIO: f64 = 30.0;
const MAX_THRESHOLD: f64 = 30.0 * 1_440.0;

/// First hour of the local week of the part in which an instant lies.
pub(crate) fn part_of(zone: Zone, utc: i64) -> u8 {
    let local = zone.local(utc);
    // 1970-01-01 was a Thursday.
    let hour = (local + 3 * DAY).rem_euclid(7 * DAY) / HOUR;
    (hour / PART_HOURS * PART_HOURS) as u8
}

/// The silences between arrivals, from each to the next (UTC seconds), without those
/// into which `maintenance` fell: they say nothing of the feed.
pub(crate) fn silences<'a>(
    at: &'a [i64],
    maintenance: &'a Maintenance,
) -> impl Iterator<Item = (i64, i64)> + 'a {
    let pairs = at.windows(2).map(|pair| (pair[0], pair[1]));
    pairs.filter(|&(from, to)| maintenance.last_between(from, to).is_none())
}

/// Learns from the arrivals of the last cadence (UTC seconds, at least two).
pub(crate) fn learn(
    inference: &Inference,
    at: &[i64],
    maintenance: &Maintenance,
    moves: Vec<Move>,
    parameters: &Parameters,
) -> GapModel {
    let gaps: Vec<(u8, f64)> = silences(at, maintenance)
        .filter(|(from, to)| to - from >= LEAST_GAP)
        .map(|(from, to)| {
            let minutes = (to - from) as f64 / MINUTE as f64;
            (part_of(inference.zone, from), minutes.ln())
        })
        .collect();
    let mut all: Vec<f64> = gaps.iter().map(|(_, gap)| *gap).collect();
    let level = median(&mut all).unwrap_or((DAY as f64 / MINUTE as f64).ln());
    let parts: Vec<(u8, usize, f64)> = (0..7 * 24 / PART_HOURS)
        .map(|part| (part * PART_HOURS) as u8)
        .map(|from_hour| {
            let mut own: Vec<f64> = gaps
                .iter()
                .filter(|(part, _)| *part == from_hour)
                .map(|(_, gap)| *gap)
                .collect();
            let n = own.len();
            let shift = median(&mut own).map_or(0.0, |own| shrinkage(n, PRIOR) * (own - level));
            (from_hour, n, level + shift)
        })
        .collect();
    let part_level = |from_hour: u8| parts[usize::from(from_hour) / PART_HOURS as usize].2;
    let mut noise: Vec<f64> = gaps
        .iter()
        .map(|(part, gap)| gap - part_level(*part))
        .collect();
    noise.sort_unstable_by(f64::total_cmp);
    if noise.is_empty() {
        noise.push(0.0);
    }
    let n_inside = trim::trim(&noise).n_inside;
    let ordinary = &noise[..n_inside];
    let threshold = tail::level(
        ordinary,
        n_inside,
        parameters.rate(Grain::Day).max(0.1 / n_inside as f64),
    );
    let minutes = |log: f64| round(log.exp().min(LONGEST));
    let cells: Vec<GapCell> = parts
        .into_iter()
        .map(|(from_hour, n, level)| GapCell {
            from_hour,
            n: n as u32,
            p10: minutes(level + of_sorted(ordinary, 0.1)),
            p50: minutes(level + of_sorted(ordinary, 0.5)),
            p90: minutes(level + of_sorted(ordinary, 0.9)),
            threshold: minutes(level + threshold),
        })
        .collect();
    let longest = minutes(level + threshold);
    GapModel {
        zone: inference.zone,
        zone_source: inference.zone_source,
        regime_since: to_timestamp(inference.since),
        source: inference.source,
        n_trimmed: (noise.len() - n_inside) as u32,
        moves,
        supports_promise: gaps.len() >= MIN_GAPS
            && threshold.exp() <= MAX_RATIO
            && longest <= MAX_THRESHOLD,
        cells,
    }
}

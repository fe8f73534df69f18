//! Does a delivery come in pieces, and when is it over?
//!
//! A loader that commits every few seconds makes a table new with its first
//! commit and complete with its last. Such a feed has two kinds of pauses: seconds
//! within a delivery, hours between two. If they are far apart, a delivery has
//! come when nothing followed for three times the longest pause that is usual in
//! one; until then nobody can tell its end from a pause, so it has not come.
//!
//! Every fit asks this, so it looks at the last few weeks and mostly at no more
//! than how many arrivals they hold. What a sender says of cycles and coverage is
//! believed instead.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Fitted, Model};
use crate::arrivals::{Arrival, ArrivalHistory};
use crate::civil::{DAY, MINUTE};

/// How a delivery comes that takes many arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// Arrivals of a usual one.
    pub arrivals: u32,
    /// From its first to its last: seconds.
    pub seconds: u32,
    /// It is over once nothing came for so long: seconds.
    pub quiet_seconds: u32,
}

/// The last cycles that are asked …
const CYCLES: i64 = 20;
/// … or days, if that is more.
const LEAST_DAYS: i64 = 14;
/// Bursts below which nothing is learned: those of ten days, as of a cold start.
const LEAST_BURSTS: usize = 10;
/// Fewer arrivals are redeliveries.
const LEAST_ARRIVALS: usize = 5;
/// A shorter one is over before anybody looks: seconds.
const LEAST_SECONDS: i64 = MINUTE;
/// What is further apart than this share of a cycle is no pause.
const PAUSES_IN_A_CYCLE: i64 = 4;
/// The shortest cycle of a schedule: longer pauses may lie between cycles.
const LONGEST_PAUSE: i64 = 5 * MINUTE;
/// Over after so many times the longest usual pause: of pauses at random, one
/// burst in thousands has a longer one.
const QUIET_PAUSES: i64 = 3;
/// A cycle has room for a burst, for its end to be seen and for being late.
const QUIETS_IN_A_CYCLE: i64 = 12;
/// Pauses between bursts are so many times as long as what ends one.
const APART: i64 = 4;

/// Learns whether the newest of the first `n_arrivals` came in bursts; `period` is
/// that of their cycles in seconds.
pub(super) fn learn(history: &ArrivalHistory, n_arrivals: usize, period: i64) -> Option<Burst> {
    if period < QUIETS_IN_A_CYCLE * MINUTE {
        return None;
    }
    let at = &history.at()[..n_arrivals];
    let span = (CYCLES * period).max(LEAST_DAYS * DAY);
    let first = at.partition_point(|&time| time < at[n_arrivals - 1] - span);
    let recent = &at[first..];
    let apart = period / PAUSES_IN_A_CYCLE;
    let n_apart = pauses(recent).filter(|&pause| pause > apart).count();
    if n_apart < LEAST_BURSTS || recent.len() < LEAST_ARRIVALS * n_apart {
        return None;
    }
    let says_more = |i: usize| {
        let detail = history.detail(i);
        detail.is_some_and(|detail| detail.cycle.is_some() || detail.covers_through.is_some())
    };
    if (first..n_arrivals).any(says_more) {
        return None;
    }
    let mut longest: Vec<i64> = bursts(recent, apart)
        .map(|burst| pauses(burst).max().unwrap_or(0))
        .collect();
    let longest = quantile(&mut longest, 0.9);
    let quiet = (QUIET_PAUSES * longest + MINUTE - 1).div_euclid(MINUTE) * MINUTE;
    if longest == 0 || longest > LONGEST_PAUSE || quiet * QUIETS_IN_A_CYCLE > period {
        return None;
    }
    // The last may go on, the first have begun before.
    let mut all: Vec<&[i64]> = bursts(recent, quiet).skip(1).collect();
    all.pop();
    if all.len() < LEAST_BURSTS {
        return None;
    }
    let is_burst = |burst: &&&[i64]| burst.len() >= LEAST_ARRIVALS;
    let is_habit = all.iter().filter(is_burst).count() * 5 >= all.len() * 4;
    let mut between: Vec<i64> = pauses(recent).filter(|&pause| pause > quiet).collect();
    let is_apart = quantile(&mut between, 0.1) >= APART * quiet;
    let mut counts: Vec<i64> = all.iter().map(|burst| burst.len() as i64).collect();
    let mut lengths: Vec<i64> = all.iter().map(|burst| length(burst)).collect();
    let seconds = quantile(&mut lengths, 0.5);
    (is_habit && is_apart && seconds >= LEAST_SECONDS).then(|| Burst {
        arrivals: quantile(&mut counts, 0.5) as u32,
        seconds: seconds as u32,
        quiet_seconds: quiet as u32,
    })
}

impl Burst {
    /// The deliveries that were over at `now` (UTC seconds): one for each burst, at
    /// its last arrival, with all of its rows.
    pub(super) fn deliveries(&self, history: &ArrivalHistory, now: i64) -> ArrivalHistory {
        let at = history.at();
        let n = at.partition_point(|&at| at <= now);
        let quiet = i64::from(self.quiet_seconds);
        let mut deliveries = Vec::new();
        let mut from = 0;
        for burst in bursts(&at[..n], quiet) {
            let to = from + burst.len();
            let last = burst[burst.len() - 1];
            if now - last >= quiet {
                let mut detail = history.detail(to - 1).cloned().unwrap_or_default();
                let mut rows = (from..to).map(|i| history.detail(i)?.rows);
                detail.rows = rows.try_fold(0_u64, |sum, rows| sum.checked_add(rows?));
                deliveries.push(Arrival { at: last, detail });
            }
            from = to;
        }
        ArrivalHistory::new(deliveries)
    }

    /// Puts deadlines off by what it takes to see that a delivery is over.
    pub(super) fn allow(&self, fitted: &mut Fitted) {
        let minutes = f64::from(self.quiet_seconds) / MINUTE as f64;
        if let Fitted::Learned(model) | Fitted::Provisional { model, .. } = fitted {
            for cell in &mut model.cells {
                cell.threshold += minutes;
                cell.band = (cell.band.0 + minutes, cell.band.1 + minutes);
            }
        }
    }
}

impl Model {
    /// The deliveries that had come by `now` (UTC seconds): the arrivals, or where
    /// they come in bursts, the bursts that were over.
    pub fn deliveries<'h>(&self, history: &'h ArrivalHistory, now: i64) -> Cow<'h, ArrivalHistory> {
        match &self.burst {
            None => Cow::Borrowed(history),
            Some(burst) => Cow::Owned(burst.deliveries(history, now)),
        }
    }

    /// The arrivals of the burst that goes on at `now` (UTC seconds): how many, and
    /// since when.
    pub fn burst_going_on(&self, history: &ArrivalHistory, now: i64) -> Option<(usize, i64)> {
        let quiet = i64::from(self.burst?.quiet_seconds);
        let at = &history.at()[..history.at().partition_point(|&at| at <= now)];
        let last = *at.last()?;
        let begins = at.windows(2).rposition(|two| two[1] - two[0] > quiet);
        let first = begins.map_or(0, |before| before + 1);
        (now - last < quiet).then_some((at.len() - first, at[first]))
    }

    /// As many arrivals as `n_deliveries` usually take.
    pub fn n_arrivals_of(&self, n_deliveries: usize) -> usize {
        let each = self.burst.map_or(1, |burst| burst.arrivals.max(1) as usize);
        n_deliveries.saturating_mul(each)
    }
}

fn pauses(at: &[i64]) -> impl Iterator<Item = i64> {
    at.windows(2).map(|two| two[1] - two[0])
}

/// Arrivals that no longer pause parts.
fn bursts(at: &[i64], pause_max: i64) -> impl Iterator<Item = &[i64]> {
    at.chunk_by(move |one, next| next - one <= pause_max)
}

fn length(burst: &[i64]) -> i64 {
    burst[burst.len() - 1] - burst[0]
}

/// A quantile of whole numbers, one of them; 0 of none.
fn quantile(values: &mut [i64], share: f64) -> i64 {
    if values.is_empty() {
        return 0;
    }
    let place = (share * (values.len() - 1) as f64).round() as usize;
    *values.select_nth_unstable(place).1
}

//! Which arrivals of a real history are its deliveries?
//!
//! Nobody knows the calendar of a real feed, so none is assumed: time is cut
//! into slots one period long, at the time of day (hour, week, month) at which
//! the least arrives, and the first arrival in a slot is its delivery. A slot
//! without one is not a miss; nobody knows whether one was due.

use super::Pace;

/// The first arrival of a slot. Times are UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// Start of the slot.
    pub slot: i64,
    /// Start of the next.
    pub slot_end: i64,
    /// When it came.
    pub at: i64,
}

/// How deliveries lie in their slots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Around {
    /// Median seconds after the start of the slot.
    pub median: f64,
    /// Distance of the quartiles in seconds.
    pub iqr: f64,
}

/// Deliveries around one that say what is ordinary there, itself among them.
const AROUND: usize = 31;
/// Parts of a period in which arrivals are counted to find where to cut.
const N_BINS: usize = 96;
/// Parts on each side that count too: the cut keeps away from what comes.
const REACH: usize = 12;

/// The deliveries of arrivals (UTC seconds, ascending), oldest first. Where to
/// cut is asked of the arrivals in `[from, to)` and the 31 periods before.
pub fn deliveries(at: &[i64], pace: Pace, from: i64, to: i64) -> Vec<Delivery> {
    let since = from - AROUND as i64 * pace.period();
    let seen = between(at, since, to);
    let cut = cut(seen, pace);
    let mut deliveries: Vec<Delivery> = Vec::new();
    for &at in between(at, since, i64::MAX) {
        let (slot, slot_end) = pace.slot(at, cut);
        if deliveries.last().is_none_or(|last| last.slot != slot) {
            deliveries.push(Delivery { slot, slot_end, at });
        }
    }
    deliveries
}

/// How the 31 deliveries around the `i`-th lie in their slots.
pub fn around(deliveries: &[Delivery], i: usize) -> Around {
    let n = deliveries.len();
    let first = i.saturating_sub(AROUND / 2).min(n.saturating_sub(AROUND));
    let near = &deliveries[first..n.min(first + AROUND)];
    let mut delays: Vec<i64> = near.iter().map(|one| one.at - one.slot).collect();
    delays.sort_unstable();
    Around {
        median: quantile(&delays, 0.5),
        iqr: quantile(&delays, 0.75) - quantile(&delays, 0.25),
    }
}

/// Linear between order statistics; of an ascending sample that is not empty.
fn quantile(sorted: &[i64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize] as f64;
    let above = sorted[position.ceil() as usize] as f64;
    below + (above - below) * position.fract()
}

/// The phase around which the least arrives; of several the middle of the
/// longest run of them.
fn cut(at: &[i64], pace: Pace) -> f64 {
    let mut counts = [0_u64; N_BINS];
    for &at in at {
        counts[((pace.phase(at) * N_BINS as f64) as usize).min(N_BINS - 1)] += 1;
    }
    let weight_at = |i: usize| -> u64 {
        (0..=2 * REACH)
            .map(|j| {
                let weight = 1 + REACH - j.abs_diff(REACH);
                counts[(i + N_BINS + j - REACH) % N_BINS] * weight as u64
            })
            .sum()
    };
    let weights: Vec<u64> = (0..N_BINS).map(weight_at).collect();
    let least = weights.iter().min().copied().unwrap_or(0);
    let length = |from: usize| {
        let run = (0..N_BINS).take_while(|j| weights[(from + j) % N_BINS] == least);
        run.count()
    };
    let (from, length) = (0..N_BINS)
        .map(|from| (from, length(from)))
        .max_by_key(|&(from, length)| (length, std::cmp::Reverse(from)))
        .unwrap_or((0, 0));
    let middle = from as f64 + length as f64 / 2.0;
    middle / N_BINS as f64 % 1.0
}

/// The arrivals in `[from, to)`.
pub(super) fn between(at: &[i64], from: i64, to: i64) -> &[i64] {
    let first = at.partition_point(|&at| at < from);
    let end = at.partition_point(|&at| at < to).max(first);
    &at[first..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness_core::civil::{DAY, HOUR};

    #[test]
    fn days_are_cut_where_the_least_arrives() {
        // Around midnight, so that a UTC day would part them wrongly.
        let at: Vec<i64> = (0..60)
            .map(|day| (20_000 + day) * DAY + (day % 7 - 3) * HOUR / 2)
            .collect();
        let found = deliveries(&at, Pace::Day, 20_000 * DAY, 20_060 * DAY);
        assert_eq!(found.len(), 60);
        for one in &found {
            assert!((10 * HOUR..14 * HOUR).contains(&(one.at - one.slot)));
        }
    }

    #[test]
    fn the_first_arrival_of_a_slot_is_its_delivery() {
        let start = 20_000 * DAY;
        let at = [6, 7, 30, 33, 54].map(|hour| start + hour * HOUR);
        let found = deliveries(&at, Pace::Day, start, start + 3 * DAY);
        let hours: Vec<i64> = found.iter().map(|one| (one.at - start) / HOUR).collect();
        assert_eq!(hours, [6, 30, 54]);
    }

    #[test]
    fn months_have_their_own_length() {
        // On the first of each month of 2025, or the last of the one before.
        let at: Vec<i64> = (1..=12)
            .map(|month| {
                let first = freshness_core::civil::Day::of_date(2025, month, 1)
                    .unwrap()
                    .start();
                first + if month % 3 == 0 { -2 * HOUR } else { 2 * HOUR }
            })
            .collect();
        let found = deliveries(&at, Pace::Month, at[0], at[11] + 1);
        assert_eq!(found.len(), 12);
        assert!(
            found
                .windows(2)
                .all(|pair| pair[0].slot_end == pair[1].slot)
        );
    }

    #[test]
    fn the_spread_is_that_of_the_quartiles_of_31() {
        let slot = |day: i64| (20_000 + day) * DAY;
        let one = |day: i64| Delivery {
            slot: slot(day),
            slot_end: slot(day + 1),
            at: slot(day) + day % 31 * 100,
        };
        let all: Vec<Delivery> = (0..62).map(one).collect();
        for i in [0, 31, 61] {
            assert_eq!(
                around(&all, i),
                Around {
                    median: 1_500.0,
                    iqr: 1_500.0
                }
            );
        }
    }
}

//! On which civil days did something arrive?
//!
//! Long silences are set aside: what a calendar expects is read from the time
//! in which the feed was alive.

use crate::civil::{Day, HOUR};

/// The days from the first arrival to the last.
#[derive(Debug, Clone)]
pub(crate) struct DaySeries {
    /// The first day.
    pub(crate) first: Day,
    /// For each day, the number of distinct hours in which something arrived.
    pub(crate) hours: Vec<u8>,
    /// For each day, whether it lies in a long silence.
    pub(crate) silent: Vec<bool>,
}

impl DaySeries {
    /// From local arrival times (ascending, not empty), each counted to the
    /// day that begins `shift` seconds after its local midnight.
    pub(crate) fn new(local: &[i64], shift: i64) -> DaySeries {
        let day_of = |time: i64| Day::of_local(time - shift);
        let (first, last) = (day_of(local[0]), day_of(local[local.len() - 1]));
        let n_days = (last.0 - first.0 + 1).max(1) as usize;
        let mut hours = vec![0u8; n_days];
        let mut newest = i64::MIN;
        for &time in local {
            let hour = (time - shift).div_euclid(HOUR);
            if hour > newest {
                hours[(day_of(time).0 - first.0) as usize] += 1;
                newest = hour;
            }
        }
        let silent = long_silences(&hours);
        DaySeries {
            first,
            hours,
            silent,
        }
    }

    /// Every live day with its number of hours.
    pub(crate) fn live(&self) -> impl Iterator<Item = (Day, u8)> {
        self.hours
            .iter()
            .zip(&self.silent)
            .enumerate()
            .filter(|(_, (_, silent))| !**silent)
            .map(|(i, (&hours, _))| (self.first.plus(i as i32), hours))
    }

    /// Is the day one of the series, and alive?
    pub(crate) fn is_live(&self, day: Day) -> bool {
        let i = i64::from(day.0) - i64::from(self.first.0);
        usize::try_from(i)
            .ok()
            .and_then(|i| self.silent.get(i))
            .is_some_and(|silent| !silent)
    }
}

/// Marks runs of silent days that are far longer than the runs the feed
/// usually has (two weekends in a row are not).
fn long_silences(hours: &[u8]) -> Vec<bool> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut last_delivery = 0;
    for (i, _) in hours.iter().enumerate().filter(|(_, hours)| **hours > 0) {
        if i > 0 {
            runs.push((last_delivery + 1, i - last_delivery - 1));
        }
        last_delivery = i;
    }
    let mut lengths: Vec<usize> = runs.iter().map(|&(_, length)| length).collect();
    lengths.sort_unstable();
    let usual = lengths
        .get(lengths.len().saturating_sub(1) * 95 / 100)
        .copied()
        .unwrap_or(0);
    let limit = 2 * usual + 3;
    let mut silent = vec![false; hours.len()];
    for (start, length) in runs.into_iter().filter(|&(_, length)| length >= limit) {
        silent[start..start + length].fill(true);
    }
    silent
}

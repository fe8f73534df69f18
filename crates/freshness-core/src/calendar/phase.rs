//! At which point of a repeating period do deliveries come?
//!
//! Times of day are points on a circle: 23:58 and 00:03 are neighbours. The
//! circle is cut where it is emptiest, and read as a line from there.

/// Where on the circle a set of times lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Phase {
    /// The circle is cut here: a point in `[0, period)`.
    pub(crate) cut: i64,
    /// The median, unrolled: in `[cut, cut + period)`.
    pub(crate) median: i64,
    /// The 2 % quantile, unrolled.
    pub(crate) low: i64,
    /// The 98 % quantile, unrolled.
    pub(crate) high: i64,
}

const N_BINS: usize = 96;
/// A circle needs no more points than this to show its shape; of longer
/// histories every k-th is read.
const MAX_POINTS: usize = 2_000;

impl Phase {
    /// Of points in time (seconds) on a circle of `period` seconds.
    /// `None` without points.
    pub(crate) fn of(times: impl ExactSizeIterator<Item = i64>, period: i64) -> Option<Phase> {
        // An odd step does not fall in with the hours of a day.
        let step = (times.len() / MAX_POINTS) | 1;
        let times = times.step_by(step);
        let mut line: Vec<i64> = times.map(|time| time.rem_euclid(period)).collect();
        let last = line.len().checked_sub(1)?;
        let mut bins = [0u32; N_BINS];
        for point in &line {
            bins[(point * N_BINS as i64 / period) as usize] += 1;
        }
        let cut = emptiest_arc(&bins) as i64 * period / N_BINS as i64;
        for point in &mut line {
            *point -= if *point < cut { cut - period } else { cut };
        }
        let rank = |share: f64| (last as f64 * share).round() as usize;
        let middle = rank(0.5);
        let median = *line.select_nth_unstable(middle).1;
        let low = *line[..=middle].select_nth_unstable(rank(0.02)).1;
        let high = *line[middle..].select_nth_unstable(rank(0.98) - middle).1;
        Some(Phase {
            cut,
            low: cut + low,
            median: cut + median,
            high: cut + high,
        })
    }

    /// How far back before the start of a slot its deliveries begin, so that
    /// slots of `period` hold their deliveries whole: a shift in
    /// `(-period, period)`; 0 if no delivery crosses the start of the slot.
    pub(crate) fn slot_shift(&self, period: i64) -> i64 {
        if self.low.div_euclid(period) == self.high.div_euclid(period) {
            return 0;
        }
        // A sender a little fast serves the slot that is about to begin.
        let median = self.median.rem_euclid(period);
        let median = if median > period - period / 50 {
            median - period
        } else {
            median
        };
        median - period / 2
    }
}

/// The bin in the middle of the longest (then emptiest) run of empty bins.
fn emptiest_arc(bins: &[u32; N_BINS]) -> usize {
    // Ever wider windows, until one is the emptiest alone.
    let sum = |start: usize, width: usize| -> u32 {
        (0..width).map(|i| bins[(start + i) % N_BINS]).sum()
    };
    let longest_empty = (0..N_BINS)
        .filter(|&start| bins[start] == 0 && bins[(start + N_BINS - 1) % N_BINS] > 0)
        .map(|start| {
            (
                (0..N_BINS)
                    .take_while(|i| bins[(start + i) % N_BINS] == 0)
                    .count(),
                start,
            )
        })
        .max_by_key(|&(run, start)| (run, usize::MAX - start));
    match longest_empty {
        Some((run, start)) => (start + run / 2) % N_BINS,
        None => {
            let width = N_BINS / 8;
            let start = (0..N_BINS)
                .min_by_key(|&start| sum(start, width))
                .unwrap_or(0);
            (start + width / 2) % N_BINS
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_shift(minutes: &[i64], shift: Option<i64>) {
        let phase = Phase::of(minutes.iter().map(|m| m * 60), 86_400).unwrap();
        let found = phase.slot_shift(86_400) / 60;
        match shift {
            None => assert_eq!(found, 0),
            Some(shift) => assert!((found - shift).abs() < 30, "{found}"),
        }
    }

    #[test]
    fn deliveries_around_midnight_share_a_day() {
        check_shift(&[355, 360, 370, 380], None);
        // 23:58 to 00:10: the day begins at noon before.
        check_shift(&[1438, 1439, 2, 5, 6, 10], Some(-720));
        // 23:20 to 00:05: the day that ends.
        check_shift(&[1400, 1400, 1401, 1425, 5], Some(681));
    }
}

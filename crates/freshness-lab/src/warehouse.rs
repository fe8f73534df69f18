//! What would a warehouse of a given size deliver?
//!
//! Made up, and always the same: hourly and daily datasets in UTC, with
//! lognormal delays, slow weekdays, a few that rest at weekends, and incidents
//! that delay a delivery by hours but never lose it, so that the number of
//! arrivals is exact.

use freshness_core::civil::{DAY, HOUR, MINUTE, WeekdaySet};
use jiff::Timestamp;

/// The size of a warehouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// Hourly datasets, and how many hours each has delivered.
    pub hourly: (usize, usize),
    /// Daily datasets, and how many days each has delivered.
    pub daily: (usize, usize),
}

/// 15 datasets for 60 days.
pub const SMALL: Shape = Shape::of_days("small", 15, 60);
/// 50 datasets for 240 days.
pub const MEDIUM: Shape = Shape::of_days("medium", 50, 240);
/// 150 datasets for 480 days: 403,200 arrivals.
pub const LARGE: Shape = Shape::of_days("large", 150, 480);
/// 20,000 datasets with 20 million arrivals.
pub const HUGE: Shape = Shape {
    name: "huge",
    hourly: (4_000, 3_080),
    daily: (16_000, 480),
};
/// All, from the smallest.
pub const SHAPES: [Shape; 4] = [SMALL, MEDIUM, LARGE, HUGE];

/// The last cycle of every dataset ends here: 2026-03-01, a Sunday.
pub const END: i64 = 1_772_323_200;

/// Share of cycles that an incident delays.
const INCIDENT_RATE: f64 = 0.02;
/// One daily dataset in so many rests at weekends.
const RESTS_AT_WEEKENDS: usize = 4;

impl Shape {
    /// A fifth hourly, the others daily.
    const fn of_days(name: &'static str, n_datasets: usize, n_days: usize) -> Shape {
        let n_hourly = n_datasets / 5;
        Shape {
            name,
            hourly: (n_hourly, 24 * n_days),
            daily: (n_datasets - n_hourly, n_days),
        }
    }

    /// Datasets in it.
    pub fn n_datasets(&self) -> usize {
        self.hourly.0 + self.daily.0
    }

    /// Arrivals in it.
    pub fn n_arrivals(&self) -> usize {
        self.hourly.0 * self.hourly.1 + self.daily.0 * self.daily.1
    }

    /// Each dataset's name and arrivals (UTC seconds, ascending, no two alike).
    pub fn datasets(&self) -> impl Iterator<Item = (String, Vec<i64>)> {
        let Shape { hourly, daily, .. } = *self;
        let hourly = (0..hourly.0).map(move |i| (format!("hourly_{i:05}"), hours(i, hourly.1)));
        let daily = (0..daily.0).map(move |i| (format!("daily_{i:05}"), days(i, daily.1)));
        hourly.chain(daily)
    }
}

/// The end of the warehouse, some hours on: when a check would run.
pub fn check_time() -> Timestamp {
    Timestamp::from_second(END + 7 * HOUR).expect("a supported instant")
}

fn hours(dataset: usize, n: usize) -> Vec<i64> {
    let mut chance = Chance::new(dataset as u64);
    let usual = 3.0 + 20.0 * chance.uniform();
    let at = (0..n).map(|i| {
        let start = END - (n - i) as i64 * HOUR;
        let mut delay = usual * chance.lognormal(0.25);
        if chance.uniform() < INCIDENT_RATE {
            delay += 40.0 + 140.0 * chance.uniform();
        }
        start + seconds(delay)
    });
    apart(at.collect())
}

fn days(dataset: usize, n: usize) -> Vec<i64> {
    let mut chance = Chance::new(1 << 32 | dataset as u64);
    let usual = 120.0 + 900.0 * chance.uniform();
    let spread = 0.04 + 0.08 * chance.uniform();
    let slow_weekday = (chance.uniform() * 7.0) as usize;
    let slower = 60.0 * chance.uniform();
    let rests = dataset.is_multiple_of(RESTS_AT_WEEKENDS);
    let mut starts: Vec<i64> = (1..)
        .map(|days_ago| END - days_ago * DAY)
        .filter(|&start| !rests || WeekdaySet::MON_FRI.contains(weekday(start)))
        .take(n)
        .collect();
    starts.reverse();
    let at = starts.into_iter().map(|start| {
        let mut delay = usual * chance.lognormal(spread);
        if weekday(start).index() == slow_weekday {
            delay += slower;
        }
        if chance.uniform() < INCIDENT_RATE {
            delay += 120.0 + 480.0 * chance.uniform();
        }
        start + seconds(delay)
    });
    apart(at.collect())
}

fn weekday(start: i64) -> freshness_core::civil::Weekday {
    freshness_core::civil::Day::of_local(start).weekday()
}

fn seconds(minutes: f64) -> i64 {
    (minutes * MINUTE as f64) as i64
}

/// Two deliveries of one second would be one.
fn apart(mut at: Vec<i64>) -> Vec<i64> {
    at.sort_unstable();
    for i in 1..at.len() {
        at[i] = at[i].max(at[i - 1] + 1);
    }
    at
}

/// Random numbers that are the same in every version: SplitMix64 (Steele, Lea
/// and Flood 2014).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// With median 1 (Box and Muller 1958).
    fn lognormal(&mut self, sigma: f64) -> f64 {
        let (radius, angle) = (1.0 - self.uniform(), self.uniform());
        let normal = (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos();
        (sigma * normal).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_holds_exactly_what_it_says() {
        assert_eq!(LARGE.n_arrivals(), 403_200);
        assert_eq!((HUGE.n_datasets(), HUGE.n_arrivals()), (20_000, 20_000_000));
        let (n, n_arrivals) = SMALL
            .datasets()
            .fold((0, 0), |(n, all), (_, at)| (n + 1, all + at.len()));
        assert_eq!((n, n_arrivals), (SMALL.n_datasets(), SMALL.n_arrivals()));
    }

    #[test]
    fn it_is_the_same_every_time_and_has_no_two_alike() {
        assert!(SMALL.datasets().eq(SMALL.datasets()));
        for (dataset, at) in MEDIUM.datasets() {
            assert!(at.windows(2).all(|pair| pair[0] < pair[1]), "{dataset}");
        }
        let (_, first) = SMALL.datasets().next().unwrap();
        assert_eq!(first[..3], [1_767_140_811, 1_767_143_973, 1_767_147_654]);
    }

    #[test]
    fn incidents_are_about_as_frequent_as_said() {
        let late = |at: &[i64]| {
            let delays = at.iter().map(|at| at.rem_euclid(HOUR));
            delays.filter(|delay| *delay > 40 * MINUTE).count()
        };
        let n_late: usize = MEDIUM.datasets().take(10).map(|(_, at)| late(&at)).sum();
        assert!(n_late > 0);
    }
}

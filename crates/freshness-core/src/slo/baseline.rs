//! How many rows does a run usually bring?
//!
//! From the runs before it in the same environment, never from itself. Methods:
//! the median or the mean of the last runs, or the median of the same weekday,
//! in UTC. A burst on a day of the month, month after month, is usual too:
//! see [`monthly`].

use super::service_levels::{Anomaly, AnomalyMethod};
use super::verdict::Season;
use crate::civil::{DAY, Day};

/// A usual number of rows and the runs it is of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline {
    /// The number, above 0.
    pub expected: f64,
    /// How many runs.
    pub samples: u32,
    /// Which runs.
    pub season: Season,
}

/// Why there is no usual number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoBaseline {
    /// Only so many runs, where it takes more.
    TooFew {
        /// So many there are.
        n: u32,
        /// So many it takes.
        least: u32,
    },
    /// Usually nothing comes.
    Nothing,
}

/// The usual number at an instant (UTC seconds), from earlier runs: newest
/// first, when each was and how many rows it had. Later ones are left out.
pub fn baseline(
    at: i64,
    earlier: impl IntoIterator<Item = (i64, f64)>,
    anomaly: &Anomaly,
) -> Result<Baseline, NoBaseline> {
    let Anomaly {
        method,
        lookback_runs,
        lookback_days,
        min_runs_before_enforcement: least,
        ..
    } = *anomaly;
    let earlier = earlier.into_iter().filter(|(when, _)| *when <= at);
    let (counts, season): (Vec<f64>, Season) = match method {
        AnomalyMethod::Median | AnomalyMethod::RollingAverage => {
            let last = earlier.take(lookback_runs as usize);
            (last.map(|(_, rows)| rows).collect(), Season::Window)
        }
        AnomalyMethod::SeasonalMedian => {
            let from = at.saturating_sub(i64::from(lookback_days) * DAY);
            let window: Vec<(i64, f64)> = earlier
                .take_while(|(when, _)| *when >= from)
                .filter(|(_, rows)| *rows > 0.0)
                .collect();
            let weekday = Day::of_local(at).weekday();
            let alike: Vec<f64> = window
                .iter()
                .filter(|(when, _)| Day::of_local(*when).weekday() == weekday)
                .map(|(_, rows)| *rows)
                .collect();
            match alike.len() >= (least as usize).max(2) {
                true => (alike, Season::Weekday),
                false => {
                    let all = window.into_iter().map(|(_, rows)| rows);
                    (all.collect(), Season::Window)
                }
            }
        }
    };
    let n = counts.len() as u32;
    // A usual number of no runs at all is none, whatever was asked for.
    if n < least.max(1) {
        return Err(NoBaseline::TooFew {
            n,
            least: least.max(1),
        });
    }
    let expected = match method {
        AnomalyMethod::RollingAverage => counts.iter().sum::<f64>() / f64::from(n),
        AnomalyMethod::Median | AnomalyMethod::SeasonalMedian => median(counts),
    };
    match expected > 0.0 {
        true => Ok(Baseline {
            expected,
            samples: n,
            season,
        }),
        false => Err(NoBaseline::Nothing),
    }
}

/// How far back the same days of earlier months are looked for.
pub const MONTHLY_LOOKBACK_DAYS: i64 = 190;

/// In so many earlier months at least.
const LEAST_MONTHS: usize = 2;

/// The usual number on such a day of the month: the median over the same day, or
/// the same of the last three days, of at least two earlier months.
pub fn monthly(at: i64, earlier: impl IntoIterator<Item = (i64, f64)>) -> Option<Baseline> {
    const LAST_DAYS: i32 = 3;
    let day = Day::of_local(at);
    let (_, _, of_month) = day.year_month_day();
    let to_end = day.days_to_month_end();
    let from = at.saturating_sub(MONTHLY_LOOKBACK_DAYS * DAY);
    let mut months: Vec<Day> = Vec::new();
    let mut counts = Vec::new();
    let window = earlier.into_iter().filter(|(when, _)| *when <= at);
    for (when, rows) in window.take_while(|(when, _)| *when >= from) {
        let other = Day::of_local(when);
        let month = other.month_start();
        let is_alike = other.year_month_day().2 == of_month
            || (to_end < LAST_DAYS && other.days_to_month_end() == to_end);
        if month == day.month_start() || !is_alike || rows <= 0.0 {
            continue;
        }
        counts.push(rows);
        if !months.contains(&month) {
            months.push(month);
        }
    }
    if months.len() < LEAST_MONTHS {
        return None;
    }
    Some(Baseline {
        samples: counts.len() as u32,
        expected: median(counts),
        season: Season::DayOfMonth,
    })
}

/// The middle, or the mean of the two middle values; there is at least one.
fn median(mut counts: Vec<f64>) -> f64 {
    counts.sort_unstable_by(f64::total_cmp);
    let middle = counts.len() / 2;
    match counts.len() % 2 {
        1 => counts[middle],
        _ => f64::midpoint(counts[middle - 1], counts[middle]),
    }
}

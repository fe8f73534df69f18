//! Which of the runs have to be known to judge?
//!
//! All of them would do. Most are too old to matter, and a warehouse has
//! millions: this says how many of the newest are enough, and how to tell that
//! they were not.

use super::baseline::MONTHLY_LOOKBACK_DAYS;
use super::owed::Owed;
use super::service_levels::{AnomalyMethod, Objective, ServiceLevels};
use super::verdict::{Reason, Verdict};
use crate::civil::DAY;
use crate::schedule::TimeOff;

/// The newest runs that are enough, nearly always: all that meet any of these,
/// and one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// So many of the newest.
    pub runs: usize,
    /// Those at most so many seconds before the newest.
    pub seconds: i64,
    /// Those since this instant, UTC seconds.
    pub since: i64,
}

/// Beyond what a baseline takes: runs that were reprocessed, found nothing new,
/// or did not look at everything.
const RUNS_BESIDES: usize = 8;

/// What has to be known to judge these promises at an instant (UTC seconds).
pub fn reach(levels: &ServiceLevels, time: TimeOff<'_>, now: i64) -> Reach {
    let anomaly = levels.row_count.as_ref().and_then(|of| of.anomaly.as_ref());
    let (runs, seconds) = match anomaly.map(|of| (of.method, of)) {
        Some((AnomalyMethod::SeasonalMedian, of)) => (0, i64::from(of.lookback_days) * DAY),
        Some((AnomalyMethod::Median | AnomalyMethod::RollingAverage, of)) => {
            (of.lookback_runs as usize, 0)
        }
        None => (0, 0),
    };
    let freshness = levels.freshness.as_ref();
    let owed = freshness.map(|freshness| Owed::new(freshness, time));
    let due = owed.and_then(|owed| {
        let due = owed.last_due(now).into_iter().chain(owed.awaited(now));
        due.map(|due| due.from).min()
    });
    Reach {
        runs: runs + RUNS_BESIDES,
        seconds,
        since: due.unwrap_or(now),
    }
}

/// Could older runs than those that were given make another verdict?
pub fn may_reach_further(verdict: &Verdict) -> bool {
    let is_anomaly = verdict.objective == Objective::RowCountAnomaly;
    match verdict.outcome.because() {
        Some(Reason::NotMeasured | Reason::NotEnoughRuns { .. }) => true,
        // Earlier months may have had it too.
        _ => is_anomaly && verdict.outcome.is_breach(),
    }
}

/// How far before the first day of a history runs matter, seconds: for what is
/// usual, and for data that is old already.
pub fn before_history(levels: &ServiceLevels) -> i64 {
    let anomaly = levels.row_count.as_ref().and_then(|of| of.anomaly.as_ref());
    let days = anomaly.map_or(0, |of| i64::from(of.lookback_days));
    days.max(MONTHLY_LOOKBACK_DAYS) * DAY
}

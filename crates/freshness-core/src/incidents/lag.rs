//! How long after its parent does a dataset come?
//!
//! Learned for each edge of the lineage from pairs of arrivals: the last of the
//! parent before one of the child, each used once, so that an hourly parent of
//! a daily child counts once a day, and so does a daily parent of an hourly
//! child. On an ordinary day most of that lag is waiting for the child's own
//! schedule. When the parent is late the child begins at once, so what it takes
//! then is learned from the pairs in which the parent came when the child had
//! usually come already.

use serde::{Deserialize, Serialize};

use crate::civil::MINUTE;
use crate::dataset::DatasetId;
use crate::fit::Fitted;
use crate::lineage::Lineage;

/// The lag of one edge. Seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeLag {
    /// Pairs it rests on.
    pub n: u32,
    /// 10 % quantile of the lag from the parent's arrival to the child's.
    pub p10: i64,
    /// The median.
    pub p50: i64,
    /// The 90 % quantile.
    pub p90: i64,
    /// Pairs in which the child had been waiting for its parent.
    pub n_held: u32,
    /// After a late parent the child should come no sooner than this …
    pub wait_from: i64,
    /// … and no later than this: 90 % between the two.
    pub wait_to: i64,
    /// A child that has waited this long since its parent came is late on its
    /// own.
    pub abnormal: i64,
    /// The length of the parent's cycle; `None` if it has no calendar.
    pub parent_period: Option<i64>,
}

/// A delivered cycle of a child. UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Served {
    /// When it came.
    pub arrived_at: i64,
    /// When it usually comes, if a model knows.
    pub usual_at: Option<i64>,
    /// Seconds from the 10 % quantile of its delay to the median, and from
    /// there to the 90 % quantile.
    pub spread: (i64, i64),
}

/// The lags of a lineage, by the numbers of its edges.
#[derive(Debug, Clone, Default)]
pub struct EdgeLags {
    lags: Vec<Option<EdgeLag>>,
}

/// Below so many pairs an edge has no lag.
pub const LEAST_PAIRS: usize = 5;
/// So many cycles of the coarser end are looked at, at most.
pub const PAIRS_KEPT: i64 = 1_000;
/// Held pairs below which only the ordinary lag bounds the wait …
const LEAST_HELD: usize = 3;
/// … and from which on their own quantiles say it.
const HELD_SUFFICE: usize = 20;
/// Distance of the 5 % quantile of a normal distribution from its median, as a
/// multiple of that of the 10 % quantile.
const TENTH_TO_TWENTIETH: f64 = 1.2835;

impl EdgeLag {
    /// When the child comes after a parent that skipped a cycle: it may have
    /// been waiting, or come at its usual time; 90 % between the two.
    pub fn wait_or_ordinary(&self) -> (i64, i64) {
        let beyond = |distance: i64| (TENTH_TO_TWENTIETH * distance as f64) as i64;
        let early = (self.p50 - beyond(self.p50 - self.p10)).max(0);
        let late = self.p50 + beyond(self.p90 - self.p50);
        (self.wait_from.min(early), self.wait_to.max(late))
    }
}

impl EdgeLags {
    /// The lags of `(parent, child)` pairs that are edges of the lineage.
    pub fn new<'a>(
        lineage: &Lineage,
        lags: impl IntoIterator<Item = (&'a str, &'a str, EdgeLag)>,
    ) -> EdgeLags {
        let mut by_edge = vec![None; lineage.n_edges()];
        for (parent, child, lag) in lags {
            if let Some(edge) = edge(lineage, parent, child) {
                by_edge[edge] = Some(lag);
            }
        }
        EdgeLags { lags: by_edge }
    }

    /// The lag of the edge with this number.
    pub fn get(&self, edge: usize) -> Option<&EdgeLag> {
        self.lags.get(edge)?.as_ref()
    }

    /// … by the names of its ends.
    pub fn of(&self, lineage: &Lineage, parent: &DatasetId, child: &DatasetId) -> Option<&EdgeLag> {
        self.get(edge(lineage, parent.as_str(), child.as_str())?)
    }
}

fn edge(lineage: &Lineage, parent: &str, child: &str) -> Option<usize> {
    let (parent, child) = (lineage.index(parent)? as u32, lineage.index(child)?);
    let place = lineage.parent_indices(child).binary_search(&parent).ok()?;
    Some(lineage.parent_edges(child).start + place)
}

/// What a model allows a delivery beyond the 90 % quantile before it calls it
/// late, seconds: as much is allowed beyond the wait for a parent.
pub fn allowance(fitted: &Fitted) -> i64 {
    let minutes = match fitted {
        Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
            let cells = model.cells.iter();
            cells
                .map(|cell| cell.threshold - cell.p90)
                .fold(0.0, f64::max)
        }
        Fitted::Irregular(gaps) => {
            let cells = gaps.cells.iter();
            cells
                .map(|cell| cell.threshold - cell.p90)
                .fold(0.0, f64::max)
        }
        Fitted::ColdStart(cold) => cold.threshold,
    };
    (minutes * MINUTE as f64) as i64
}

/// Learns an edge from the arrivals of its parent (ascending) and the delivered
/// cycles of its child (by arrival); `None` if too few of them go together.
pub fn edge_lag(
    parent: &[i64],
    child: &[Served],
    allowance: i64,
    parent_period: Option<i64>,
) -> Option<EdgeLag> {
    let pairs = pairs(parent, child);
    if pairs.len() < LEAST_PAIRS {
        return None;
    }
    let lag = |pair: &Pair<'_>| pair.child.arrived_at - pair.came;
    let mut lags: Vec<i64> = pairs.iter().map(lag).collect();
    lags.sort_unstable();
    let (p10, p50, p90) = (at(&lags, 0.1), at(&lags, 0.5), at(&lags, 0.9));
    let was_held = |pair: &&Pair<'_>| {
        // An hourly parent comes at any time; it held up its daily child only
        // if it had been silent.
        let was_silent = match parent_period {
            Some(period) if pair.n_since > 1 => pair.gap > period + period / 2,
            _ => true,
        };
        was_silent && pair.child.usual_at.is_some_and(|usual| pair.came >= usual)
    };
    let mut held: Vec<i64> = pairs.iter().filter(was_held).map(lag).collect();
    held.sort_unstable();
    let (wait_from, wait_to) = wait(&held, child, at(&lags, 0.95));
    Some(EdgeLag {
        n: pairs.len() as u32,
        p10,
        p50,
        p90,
        n_held: held.len() as u32,
        wait_from,
        wait_to,
        abnormal: wait_to.max(p90).saturating_add(allowance.max(0)),
        parent_period,
    })
}

/// An arrival of the child and the last one of the parent before it.
struct Pair<'a> {
    came: i64,
    child: &'a Served,
    /// Arrivals of the parent since the pair before.
    n_since: usize,
    /// Seconds since the parent's arrival before that one.
    gap: i64,
}

/// Each arrival of the child that follows one of the parent.
fn pairs<'a>(parent: &[i64], child: &'a [Served]) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    let (mut seen, mut used) = (0, 0);
    for served in child {
        while seen < parent.len() && parent[seen] <= served.arrived_at {
            seen += 1;
        }
        if seen > used {
            let came = parent[seen - 1];
            pairs.push(Pair {
                came,
                child: served,
                n_since: seen - used,
                gap: seen
                    .checked_sub(2)
                    .map_or(0, |before| came - parent[before]),
            });
            used = seen;
        }
    }
    pairs
}

/// From when to when a child should come after a late parent.
fn wait(held: &[i64], child: &[Served], ordinary_p95: i64) -> (i64, i64) {
    if held.len() >= HELD_SUFFICE {
        return (at(held, 0.05).max(0), at(held, 0.95));
    }
    if held.len() < LEAST_HELD {
        // It cannot come before its parent, and has the time it ever has.
        return (0, ordinary_p95);
    }
    // Few were held: their middle, and the child's own noise around it; wider
    // as the middle of few is unsure itself (variance of a median: π/2n).
    let n = held.len() as f64;
    let unsure = TENTH_TO_TWENTIETH * (1.0 + std::f64::consts::FRAC_PI_2 / n).sqrt();
    let middle = at(held, 0.5);
    let typical = |of: fn(&Served) -> i64| {
        let mut spreads: Vec<i64> = child.iter().map(of).collect();
        spreads.sort_unstable();
        (at(&spreads, 0.5) as f64 * unsure) as i64
    };
    let below = typical(|served| served.spread.0);
    let above = typical(|served| served.spread.1);
    ((middle - below).max(0), middle + above)
}

/// The quantile of an ascending, non-empty sample.
fn at(sorted: &[i64], level: f64) -> i64 {
    let position = level * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = position - below as f64;
    sorted[below] + ((sorted[above] - sorted[below]) as f64 * share).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::{DAY, HOUR};

    fn served(arrived_at: i64, usual_at: i64) -> Served {
        Served {
            arrived_at,
            usual_at: Some(usual_at),
            spread: (4 * MINUTE, 6 * MINUTE),
        }
    }

    /// Daily: the parent about 02:00, the child set for 05:00; on some days the
    /// parent comes at 08:00, and the child twenty minutes after it.
    fn days(late: &[i64]) -> (Vec<i64>, Vec<Served>) {
        let day = |day: i64| {
            let noise = day * 7_919 % 600;
            match late.contains(&day) {
                true => (day * DAY + 8 * HOUR, day * DAY + 8 * HOUR + 1_200 + noise),
                false => (
                    day * DAY + 2 * HOUR + noise,
                    day * DAY + 5 * HOUR + noise / 2,
                ),
            }
        };
        let days: Vec<(i64, Served)> = (0..100)
            .map(|i| (day(i).0, served(day(i).1, i * DAY + 5 * HOUR)))
            .collect();
        days.into_iter().unzip()
    }

    #[test]
    fn the_lag_is_what_lies_between_the_two_on_most_days() {
        let (parent, child) = days(&[]);
        let lag = edge_lag(&parent, &child, HOUR, Some(DAY)).unwrap();
        assert_eq!((lag.n, lag.n_held), (100, 0));
        assert!((lag.p50 - 3 * HOUR).abs() < 10 * MINUTE, "{lag:?}");
        assert!(lag.wait_from == 0 && lag.wait_to >= lag.p90, "{lag:?}");
        assert_eq!(lag.abnormal, lag.wait_to + HOUR);
    }

    #[test]
    fn after_a_late_parent_the_child_is_awaited_as_it_came_after_earlier_ones() {
        let (parent, child) = days(&[20, 41, 63, 80]);
        let lag = edge_lag(&parent, &child, HOUR, Some(DAY)).unwrap();
        assert_eq!(lag.n_held, 4);
        assert!(
            lag.wait_from > 12 * MINUTE && lag.wait_to < 40 * MINUTE,
            "{lag:?}"
        );
    }

    #[test]
    fn an_hourly_parent_of_a_daily_child_counts_once_a_day() {
        let parent: Vec<i64> = (0..10 * 24).map(|hour| hour * HOUR + 600).collect();
        let child: Vec<Served> = (0..10)
            .map(|day| served(day * DAY + 5 * HOUR, day * DAY + 5 * HOUR))
            .collect();
        let lag = edge_lag(&parent, &child, 0, Some(HOUR)).unwrap();
        assert_eq!((lag.n, lag.p50), (10, 50 * MINUTE));
    }

    #[test]
    fn a_daily_parent_of_an_hourly_child_counts_once_a_day() {
        let parent: Vec<i64> = (0..10).map(|day| day * DAY + 90 * MINUTE).collect();
        let child: Vec<Served> = (0..10 * 24)
            .map(|hour| served(hour * HOUR + 600, hour * HOUR + 600))
            .collect();
        let lag = edge_lag(&parent, &child, 0, Some(DAY)).unwrap();
        assert_eq!((lag.n, lag.p50), (10, 40 * MINUTE));
    }

    #[test]
    fn too_few_pairs_are_no_lag() {
        let (parent, child) = days(&[]);
        assert_eq!(edge_lag(&parent[..4], &child[..4], 0, None), None);
        assert_eq!(edge_lag(&[], &child, 0, None), None);
    }
}

//! Is it the datasets that are late, or what we hear of them?
//!
//! When the feed of arrivals breaks down, dataset after dataset turns late, and
//! no ancestor explains it. How many may turn late at once by chance follows
//! from how often each one does: of the datasets that had to show since an
//! instant whether they come, each fails with the chance its own history tells.
//! So many failures that chance would bring them about less than once in a
//! century of hourly checks are one incident.
//!
//! Method: the bound of Chernoff (1952) on the tail of a sum of independent
//! events, over windows that double in length: those that end now, and of each
//! length the one in which most turned late, since a feed that broke down days ago
//! and has not come back is as suspect as on the first day. A look back is no
//! further try: each was a check of its own.

use serde::{Deserialize, Serialize};

use crate::civil::{DAY, MINUTE};
use crate::fit::{Fitted, Model};
use crate::schedule::Grain;

/// How often a dataset turns late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Odds {
    /// The chance of one cycle, 0–1.
    pub chance: f64,
    /// Length of a cycle in seconds.
    pub period: i64,
}

/// What a dataset that has a model showed of late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feed {
    /// When it came last (UTC seconds).
    pub last_arrival: Option<i64>,
    /// How often it turns late.
    pub odds: Odds,
    /// Its place among the late datasets; `None` if it is not late.
    pub late: Option<usize>,
}

/// So many at once are no chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mass {
    /// They turned late from here on (UTC seconds) …
    pub from: i64,
    /// … until here; now, if nothing at all has come since.
    #[serde(default = "for_ever")]
    pub to: i64,
    /// How many did.
    pub n_late: u64,
    /// Of how many that had to show meanwhile whether they come.
    pub n_due: u64,
    /// How many would be expected.
    pub expected: f64,
}

/// Less than once in a century of hourly checks (876,600 of them).
const IMPROBABLE: f64 = 1.0 / 876_600.0;
/// The shortest window, and how often it doubles: to 42 days.
const SHORTEST: i64 = 15 * MINUTE;
const N_WINDOWS: u32 = 13;

impl Odds {
    /// As a model tells: its incidents and cycles without a delivery, and one
    /// more, since an incident that has not been yet is not impossible.
    pub fn of(model: &Model) -> Odds {
        let fitted = &model.fitted;
        let (n_wrong, n) = match fitted {
            Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
                let n_missed = model.n_expected.saturating_sub(model.n_delivered);
                (model.n_trimmed + n_missed, model.n_expected)
            }
            Fitted::Irregular(gaps) => (gaps.n_trimmed, gaps.cells.iter().map(|cell| cell.n).sum()),
            Fitted::ColdStart(cold) => (0, cold.n_cycles),
        };
        Odds {
            chance: (f64::from(n_wrong) + 1.0) / (f64::from(n) + 2.0),
            period: fitted.calendar().grain().map_or(DAY, Grain::seconds),
        }
    }
}

/// The window in which the most improbable number turned late; `None` if chance
/// can explain all of them. Each feed goes with since when it is late and
/// nothing explains it.
pub(super) fn mass(feeds: &[(Feed, Option<i64>)], now: i64) -> Option<Mass> {
    let mut worst: Option<(f64, Mass)> = None;
    let mut turned_late: Vec<i64> = feeds.iter().filter_map(|(_, since)| *since).collect();
    turned_late.sort_unstable();
    let newest = feeds.iter().filter_map(|(feed, _)| feed.last_arrival).max();
    let lengths = (0..N_WINDOWS).map(|doubled| SHORTEST << doubled);
    let windows = lengths.flat_map(|length| {
        let densest = densest(&turned_late, length).filter(|from| from + length < now);
        let from = [Some(now - length), densest];
        from.into_iter().flatten().map(move |from| (from, length))
    });
    for (from, length) in windows {
        let until = from + length;
        let (mut n_late, mut n_due, mut expected) = (0, 0, 0.0);
        for (feed, late_since) in feeds {
            let failed = late_since.is_some_and(|since| (from..=until).contains(&since));
            let came = feed.last_arrival.is_some_and(|at| at >= from);
            if !failed && !came {
                continue;
            }
            let n_cycles = (length as f64 / feed.odds.period as f64).max(1.0);
            n_late += u64::from(failed);
            n_due += 1;
            expected += (feed.odds.chance * n_cycles).min(1.0);
        }
        let chance = log_chance(n_late, expected);
        // Each window is a further try.
        if chance < (IMPROBABLE / f64::from(N_WINDOWS)).ln()
            && worst.is_none_or(|(least, _)| chance < least)
        {
            worst = Some((
                chance,
                Mass {
                    from,
                    to: match newest.is_some_and(|newest| newest > until) {
                        true => until,
                        false => now,
                    },
                    n_late,
                    n_due,
                    expected,
                },
            ));
        }
    }
    worst.map(|(_, mass)| mass)
}

/// Where a window of a length has to begin for most to turn late in it; `None` if
/// none did. Ascending.
fn densest(turned_late: &[i64], length: i64) -> Option<i64> {
    let mut last = 0;
    let n_from = turned_late.iter().enumerate().map(|(first, from)| {
        while turned_late.get(last).is_some_and(|at| *at <= from + length) {
            last += 1;
        }
        (last - first, *from)
    });
    // Of several the newest.
    n_from.max().map(|(_, from)| from)
}

fn for_ever() -> i64 {
    i64::MAX
}

/// Logarithm of a bound on the chance of at least `n` events where so many are
/// expected.
fn log_chance(n: u64, expected: f64) -> f64 {
    let n = n as f64;
    match n > expected {
        true => n - expected - n * (n / expected).ln(),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::HOUR;

    const NOW: i64 = 20_000 * DAY;

    type Feeds = Vec<(Feed, Option<i64>)>;

    fn daily(n: usize, last_arrival: i64, late_since: Option<i64>) -> Feeds {
        let feed = Feed {
            last_arrival: Some(last_arrival),
            late: None,
            odds: Odds {
                chance: 0.015,
                period: DAY,
            },
        };
        vec![(feed, late_since); n]
    }

    #[track_caller]
    fn check_mass(feeds: &[Feeds], expected: Option<(u64, u64)>) {
        let found = mass(&feeds.concat(), NOW);
        assert_eq!(
            found.map(|mass| (mass.n_late, mass.n_due)),
            expected,
            "{found:?}"
        );
    }

    #[test]
    fn four_late_roots_of_fifty_are_a_bad_day_and_no_more() {
        let late = daily(4, NOW - 28 * HOUR, Some(NOW - 3 * HOUR));
        check_mass(&[daily(46, NOW - 5 * HOUR, None), late], None);
    }

    #[test]
    fn a_feed_that_went_silent_is_one_incident() {
        let late = daily(12, NOW - 28 * HOUR, Some(NOW - 2 * HOUR));
        check_mass(&[daily(38, NOW - 6 * HOUR, None), late], Some((12, 12)));
    }

    #[test]
    fn datasets_that_stopped_over_the_years_are_none() {
        let stopped =
            (0..30).map(|i| daily(1, NOW - (40 + 9 * i) * DAY, Some(NOW - (39 + 9 * i) * DAY)));
        let mut feeds = vec![daily(100, NOW - 5 * HOUR, None)];
        feeds.extend(stopped);
        check_mass(&feeds, None);
    }

    #[test]
    fn it_remains_one_while_it_lasts() {
        let late = daily(40, NOW - 4 * DAY, Some(NOW - 3 * DAY));
        check_mass(&[daily(5, NOW - HOUR, None), late], Some((40, 45)));
    }

    #[test]
    fn it_remains_one_for_months_also_of_feeds_that_should_come_every_hour() {
        let mut hourly = daily(10, NOW - 91 * DAY, Some(NOW - 90 * DAY));
        hourly
            .iter_mut()
            .for_each(|(feed, _)| feed.odds.period = HOUR);
        let late = daily(12, NOW - 91 * DAY, Some(NOW - 90 * DAY + 5 * HOUR));
        check_mass(&[hourly.clone(), late.clone()], Some((22, 22)));
        let found = mass(&[hourly, late, daily(30, NOW - HOUR, None)].concat(), NOW);
        // What turns late now that others come is another matter.
        assert!(
            found.is_some_and(|mass| mass.to < NOW - 80 * DAY),
            "{found:?}"
        );
    }

    #[test]
    fn while_nothing_comes_at_all_what_turns_late_is_part_of_it() {
        let late = daily(22, NOW - 91 * DAY, Some(NOW - 90 * DAY));
        assert_eq!(mass(&late, NOW).map(|mass| mass.to), Some(NOW));
    }
}

//! Which commits are one load?
//!
//! A loader may write the rows of one day in many commits, and no log says which
//! was the last. Its owner can say how long nothing more comes once it is done:
//! commits of one cycle that follow each other within that time are then one load,
//! which is there with the last of them, and not before so much time has passed.
//! Without that each commit is a delivery, the first of a cycle counts, and where
//! many come together it is said, when a table is read from its start, that they may
//! be one load.

use std::collections::BTreeMap;

use freshness_core::arrivals::CycleName;
use freshness_core::civil::DAY;
use jiff::{SignedDuration, Timestamp};

use super::ReadTable;
use crate::sources::told::{ToldArrival, ToldRemark};

/// How close commits come that are taken for those of one load, where nobody says:
/// seconds. It is only told, so a usual pause between jobs will do.
const CLOSE: i64 = 15 * 60;

/// So many commits within that time of each other are worth a word.
const MANY: usize = 10;

/// When a load is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settle {
    /// Once nothing more came for so many seconds.
    pub seconds: i64,
    /// The present: UTC seconds.
    pub now: i64,
}

impl ReadTable {
    /// Takes commits together that are one load. `before` is the cursor that the
    /// reading began with: it stays while a load is going on, so that all of it is
    /// read next time.
    pub fn in_loads(mut self, settle: Option<Settle>, before: Option<&str>) -> ReadTable {
        let arrivals = std::mem::take(&mut self.told.arrivals);
        let Some(Settle { seconds, now }) = settle else {
            // A feed that comes often would say so for ever.
            let remark = before.is_none().then(|| many(&arrivals)).flatten();
            self.told.arrivals = arrivals;
            self.told.remarks.extend(remark);
            return self;
        };
        let (over, open): (Vec<_>, Vec<_>) = (loads(arrivals, seconds).into_iter())
            .partition(|load| load[load.len() - 1].at.saturating_add(seconds) <= now);
        self.told.arrivals = over.into_iter().map(one).collect();
        if let Some(first) = open
            .iter()
            .map(|load| &load[0])
            .min_by_key(|first| first.at)
        {
            self.cursor = before.map(str::to_owned);
            self.told.remarks.push(ToldRemark {
                place: first.dataset.to_string(),
                what: format!(
                    "still being loaded since {}, not yet there: commits: {} (it is once nothing \
                     more came for {})",
                    shown(first.at),
                    open.iter().map(Vec::len).sum::<usize>(),
                    duration(seconds)
                ),
            });
        }
        self
    }
}

/// The loads of a table: commits of one cycle, each within so many seconds of the
/// one before it. In the order of their cycles and times.
fn loads(arrivals: Vec<ToldArrival>, seconds: i64) -> Vec<Vec<ToldArrival>> {
    let mut by_cycle: BTreeMap<Option<CycleKey>, Vec<ToldArrival>> = BTreeMap::new();
    for arrival in arrivals {
        by_cycle
            .entry(arrival.cycle.map(key))
            .or_default()
            .push(arrival);
    }
    let mut loads: Vec<Vec<ToldArrival>> = Vec::new();
    for (_, mut arrivals) in by_cycle {
        // Those of one instant stay in the order of the log.
        arrivals.sort_by_key(|arrival| arrival.at);
        let mut last = None;
        for arrival in arrivals {
            let at = arrival.at;
            match loads.last_mut() {
                Some(load) if last.is_some_and(|last| at - last <= seconds) => load.push(arrival),
                _ => loads.push(vec![arrival]),
            }
            last = Some(at);
        }
    }
    loads
}

/// Local or not, and when.
type CycleKey = (bool, i64);

fn key(cycle: CycleName) -> CycleKey {
    (matches!(cycle, CycleName::Instant(_)), cycle.seconds())
}

/// A load as one arrival: there with its last commit, with the rows of all.
fn one(load: Vec<ToldArrival>) -> ToldArrival {
    let rows = load.iter().map(|arrival| arrival.rows);
    let rows = rows.reduce(|sum, rows| sum.zip(rows).map(|(sum, rows)| sum.saturating_add(rows)));
    let mut last = load.into_iter().next_back().expect("a load is of commits");
    last.rows = rows.flatten();
    last
}

/// A word on commits that may be one load, if there are many in any.
fn many(arrivals: &[ToldArrival]) -> Option<ToldRemark> {
    let loads = loads(arrivals.to_vec(), CLOSE);
    // What never rests is no load.
    let is_one =
        |load: &&Vec<ToldArrival>| load.len() >= MANY && load[load.len() - 1].at - load[0].at < DAY;
    let most = loads.iter().filter(is_one).max_by_key(|load| load.len())?;
    let n = loads.iter().filter(is_one).count();
    let (first, last) = (&most[0], &most[most.len() - 1]);
    // What names its cycle is believed, so a fit learns nothing of bursts.
    let until = match first.cycle {
        Some(_) => "",
        None => " until a fit has seen ten of them",
    };
    Some(ToldRemark {
        place: first.dataset.to_string(),
        what: format!(
            "many commits close together, of which the first is taken for the delivery{until}: loads: \
             {n}, such as {} commits from {} to {} (if they are one load, say how long it rests \
             once it is done: `settle`, as in 15m)",
            most.len(),
            shown(first.at),
            shown(last.at)
        ),
    })
}

fn shown(at: i64) -> String {
    Timestamp::from_second(at).map_or_else(|_| at.to_string(), |at| at.to_string())
}

fn duration(seconds: i64) -> String {
    format!("{:#}", SignedDuration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use freshness_core::dataset::DatasetId;

    use super::*;

    const MINUTE: i64 = 60;

    /// Commits as `minute` or `minute@day`, each of two rows.
    fn table(commits: &str) -> ReadTable {
        let mut read = ReadTable {
            cursor: Some("after".to_owned()),
            ..ReadTable::default()
        };
        for (i, commit) in commits.split_whitespace().enumerate() {
            let (minute, day) = match commit.split_once('@') {
                Some((minute, day)) => (minute, Some(day)),
                None => (commit, None),
            };
            read.told.arrivals.push(ToldArrival {
                dataset: DatasetId::try_from("orders").unwrap(),
                at: minute.parse::<i64>().unwrap() * MINUTE,
                cycle: day.map(|day| format!("2026-09-0{day}").parse().unwrap()),
                run_id: Some(format!("delta:{i}").into()),
                covers_through: None,
                rows: Some(2),
            });
        }
        read
    }

    /// Each load as `minute*rows`, then whether the cursor moved.
    fn said(commits: &str, settle: i64, now: i64) -> String {
        let settle = Settle {
            seconds: settle * MINUTE,
            now: now * MINUTE,
        };
        let read = table(commits).in_loads(Some(settle), Some("before"));
        let mut words: Vec<String> = (read.told.arrivals.iter())
            .map(|load| format!("{}*{}", load.at / MINUTE, load.rows.unwrap()))
            .collect();
        words.extend(read.cursor);
        words.join(" ")
    }

    #[test]
    fn commits_that_follow_each_other_are_one_load_that_is_there_with_the_last() {
        assert_eq!(said("10 15 20 60 61", 15, 100), "20*6 61*4 after");
        // Just so long apart.
        assert_eq!(said("10 25", 15, 100), "25*4 after");
        assert_eq!(said("10 26", 15, 100), "10*2 26*2 after");
    }

    #[test]
    fn a_load_that_goes_on_is_not_there_and_all_of_it_is_read_again() {
        assert_eq!(said("10 90 95", 15, 100), "10*2 before");
        assert_eq!(said("10 90 95", 15, 109), "10*2 before");
        assert_eq!(said("10 90 95", 15, 110), "10*2 95*4 after");
        let settle = Settle {
            seconds: 15 * MINUTE,
            now: 100 * MINUTE,
        };
        let read = table("10 90 95").in_loads(Some(settle), None);
        assert_eq!(
            read.told.remarks[0].what,
            "still being loaded since 1970-01-01T01:30:00Z, not yet there: commits: 2 (it is once \
             nothing more came for 15m)"
        );
    }

    #[test]
    fn each_cycle_is_loaded_by_itself() {
        assert_eq!(said("10@1 12@2 14@1 40@2", 15, 100), "14*4 12*2 40*2 after");
    }

    #[test]
    fn where_nobody_says_how_long_a_load_rests_many_commits_together_are_said() {
        let minutes = |from: i64, n: i64, apart: i64| {
            let each = (0..n).map(|i| (from + i * apart).to_string());
            each.collect::<Vec<_>>().join(" ")
        };
        let remarks = |commits: &str| {
            let later = table(commits).in_loads(None, Some("before"));
            assert_eq!(later.told.remarks, []);
            let read = table(commits).in_loads(None, None);
            assert_eq!(read.cursor.as_deref(), Some("after"));
            assert_eq!(read.told.arrivals, table(commits).told.arrivals);
            read.told.remarks
        };
        assert_eq!(remarks(&minutes(0, 9, 1)), []);
        assert_eq!(remarks(&minutes(0, 50, 20)), []);
        // Never at rest for a day.
        assert_eq!(remarks(&minutes(0, 200, 10)), []);
        let two = format!("{} {}", minutes(0, 30, 2), minutes(600, 12, 2));
        assert_eq!(
            remarks(&two)[0].what,
            "many commits close together, of which the first is taken for the delivery until a \
             fit has seen ten of them: loads: 2, such as 30 commits from 1970-01-01T00:00:00Z to 1970-01-01T00:58:00Z (if they are one \
             load, say how long it rests once it is done: `settle`, as in 15m)"
        );
    }
}

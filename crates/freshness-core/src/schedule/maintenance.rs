//! When does nobody expect a delivery, because somebody works on what delivers?
//!
//! A window is single, between two instants, or comes again on days of the week
//! between two times on the clock of a zone. Time inside of windows does not count:
//! what is given so many minutes from an instant on has them outside of all windows
//! ([`Maintenance::counted`]). Of what is promised by an instant nobody knows when it
//! begins to be made; it is put off by what windows took and no open time since has
//! made up for ([`Maintenance::put_off`]).

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::civil::{DAY, Day, WeekdaySet, Zone};

/// The windows of a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Maintenance(Vec<Arc<Window>>);

/// A stretch of time, perhaps one that comes again, and why nothing comes in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// When.
    pub when: When,
    /// Why, in the words of whoever set it.
    pub reason: String,
}

/// When a window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Once: from the first UTC second to the second before the other.
    Once {
        /// When it begins.
        from: i64,
        /// When it is over; after `from`.
        to: i64,
    },
    /// Again and again.
    Weekly {
        /// The days on which it begins.
        days: WeekdaySet,
        /// When it begins, in seconds after local midnight.
        from: i64,
        /// When it is over, in seconds after the same midnight: after `from`, and no
        /// more than a day later.
        to: i64,
        /// Whose clock and days are meant.
        zone: Zone,
    },
}

/// Maintenance that put a deadline off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PutOff {
    /// When it is over, or was.
    pub until: Timestamp,
    /// Why it is, in the words of whoever set it.
    pub reason: String,
}

/// More windows in a row than anybody would bear; what follows is not looked at.
const MOST_WINDOWS: usize = 1_000;

/// What windows took longer ago than this has been made up for, or never will be.
const PUT_OFF_BY: i64 = 31 * DAY;

impl PutOff {
    /// From the second at which it is over, UTC.
    pub(crate) fn new(until: i64, reason: &str) -> PutOff {
        PutOff {
            until: Timestamp::from_second(until).unwrap_or(Timestamp::MAX),
            reason: reason.to_owned(),
        }
    }
}

impl Window {
    /// The first stretch of it that is not over at an instant. UTC seconds.
    fn next(&self, at: i64) -> Option<(i64, i64)> {
        match self.when {
            When::Once { from, to } => (at < to).then_some((from, to)),
            When::Weekly {
                days,
                from,
                to,
                zone,
            } => {
                // It may have begun the day before yesterday on another clock.
                let today = Day::of_local(zone.local(at));
                (-2..=8)
                    .map(|days| today.plus(days))
                    .filter(|day| days.contains(day.weekday()))
                    .map(|day| (zone.utc(day.start() + from), zone.utc(day.start() + to)))
                    // One that a clock change skips is none.
                    .find(|&(begins, ends)| begins < ends && at < ends)
            }
        }
    }
}

impl Maintenance {
    /// No window at all.
    pub const NONE: Maintenance = Maintenance(Vec::new());

    /// These windows, of which some may overlap.
    pub fn new(windows: Vec<Arc<Window>>) -> Maintenance {
        Maintenance(windows)
    }

    /// … and those of something else that is needed too.
    pub fn and(mut self, other: Maintenance) -> Maintenance {
        let other = other.0.into_iter();
        let new: Vec<_> = other.filter(|window| !self.0.contains(window)).collect();
        self.0.extend(new);
        self
    }

    /// Is there no window?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The single windows; what comes again is a habit, which a history shows.
    pub fn single(&self) -> Maintenance {
        let windows = self.0.iter();
        let is_single = |window: &&Arc<Window>| matches!(window.when, When::Once { .. });
        Maintenance(windows.filter(is_single).cloned().collect())
    }

    /// When as much time as lies between two instants has passed since the first of
    /// them outside of windows; never inside of one. `at` itself if there is none
    /// between them. UTC seconds.
    pub fn counted(&self, from: i64, at: i64) -> i64 {
        let mut now = from.min(at);
        let mut left = at - now;
        for _ in 0..MOST_WINDOWS {
            match self.first(now) {
                Some(((begins, ends), _)) if begins <= now + left => {
                    left -= (begins - now).max(0);
                    now = ends;
                }
                _ => break,
            }
        }
        now + left
    }

    /// The instant to which something is put off that is made between two others, and
    /// the window that is over last of those that do it; `None` if it is not put off.
    /// What windows took before the second of them, and no open time since has made up
    /// for, there is after it, outside of windows. UTC seconds.
    pub fn put_off(&self, from: i64, at: i64) -> Option<(i64, PutOff)> {
        if self.0.is_empty() {
            return None;
        }
        let from = from.max(at.saturating_sub(PUT_OFF_BY));
        let mut lacking = 0;
        let mut now = from;
        for _ in 0..MOST_WINDOWS {
            match self.first(now) {
                Some(((begins, ends), _)) if begins < at && now < at => {
                    let begins = begins.max(now);
                    lacking = (lacking - (begins - now)).max(0) + (ends.min(at) - begins);
                    now = ends;
                }
                _ => break,
            }
        }
        lacking -= (at - now).max(0);
        if lacking <= 0 {
            return None;
        }
        let due = self.counted(at, at + lacking);
        let (until, why) = self.last_between(from, due)?;
        Some((due, PutOff::new(until, why)))
    }

    /// The instant to which is put off what was found at another, in a window: by as
    /// long after it as it had lasted, at most a day. `None` outside of windows. UTC
    /// seconds.
    pub fn put_off_found(&self, at: i64) -> Option<(i64, PutOff)> {
        if self.0.is_empty() || self.counted(at, at) == at {
            return None;
        }
        // In its first second it had lasted for one.
        let put_off = self.put_off(at - DAY, at);
        put_off.or_else(|| self.put_off(at - DAY, at + 1))
    }

    /// The window that is over last of those that begin before `to` and are over after
    /// `from`: when it is over, and why it was. UTC seconds.
    pub fn last_between(&self, from: i64, to: i64) -> Option<(i64, &str)> {
        let mut last = None;
        let mut now = from;
        for _ in 0..MOST_WINDOWS {
            match self.first(now) {
                Some(((begins, ends), window)) if begins < to => {
                    last = Some((ends, window.reason.as_str()));
                    now = ends;
                }
                _ => break,
            }
        }
        last
    }

    /// The stretch that is under way at an instant, or else the next; of several that
    /// are under way the longest.
    fn first(&self, at: i64) -> Option<((i64, i64), &Window)> {
        let next = self.0.iter();
        let next = next.filter_map(|window| Some((window.next(at)?, &**window)));
        next.min_by_key(|&((begins, ends), _)| (begins.max(at), Reverse(ends)))
    }
}

/// Is there any time outside of the days and hours of a window that comes again?
/// One without would put off for ever. `from` and `to` as in [`When::Weekly`].
pub fn leaves_time(days: WeekdaySet, from: i64, to: i64) -> bool {
    days != WeekdaySet::ALL || to - from < DAY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::HOUR;

    fn maintenance(windows: &[When]) -> Maintenance {
        let window = |(i, &when): (usize, &When)| {
            let reason = format!("window {}", i + 1);
            Arc::new(Window { when, reason })
        };
        Maintenance::new(windows.iter().enumerate().map(window).collect())
    }

    fn once(from: i64, to: i64) -> When {
        let (from, to) = (from * HOUR, to * HOUR);
        When::Once { from, to }
    }

    /// Hours since the epoch, a Thursday, in a zone an hour ahead of it.
    fn weekly(days: &str, from: i64, to: i64) -> When {
        When::Weekly {
            days: days.parse().unwrap(),
            from: from * HOUR,
            to: to * HOUR,
            zone: Zone::named("Etc/GMT-1").unwrap(),
        }
    }

    #[track_caller]
    fn check_counted(windows: &[When], (from, at): (i64, i64), until: i64, why: Option<&str>) {
        let maintenance = maintenance(windows);
        let (from, at) = (from * HOUR, at * HOUR);
        let counted = maintenance.counted(from, at);
        assert_eq!(counted / HOUR, until);
        let last = maintenance.last_between(from, counted);
        assert_eq!(last.map(|(_, why)| why), why);
    }

    #[test]
    fn time_in_a_window_does_not_count() {
        check_counted(&[], (5, 8), 8, None);
        // The deadline, the usual time or both lie in it, or it lies between them.
        check_counted(&[once(6, 10)], (5, 8), 12, Some("window 1"));
        check_counted(&[once(4, 7)], (5, 8), 10, Some("window 1"));
        check_counted(&[once(4, 12)], (5, 8), 15, Some("window 1"));
        check_counted(&[once(6, 7)], (5, 8), 9, Some("window 1"));
        // It is over, or it begins when lateness has begun.
        check_counted(&[once(2, 5)], (5, 8), 8, None);
        check_counted(&[once(9, 12)], (5, 8), 8, None);
    }

    #[test]
    fn a_deadline_at_the_first_second_of_a_window_is_put_off_to_its_end() {
        check_counted(&[once(8, 12)], (5, 8), 12, Some("window 1"));
    }

    #[test]
    fn windows_that_overlap_count_once_and_the_last_one_gives_the_reason() {
        check_counted(&[once(6, 10), once(7, 9)], (5, 8), 12, Some("window 1"));
        check_counted(&[once(6, 10), once(7, 11)], (5, 8), 13, Some("window 2"));
        check_counted(&[once(6, 10), once(11, 20)], (5, 8), 21, Some("window 2"));
    }

    #[test]
    fn a_weekly_window_is_read_on_its_own_clock_and_may_pass_midnight() {
        // From 22:00 to 02:00 an hour ahead: from 21 to 25 o'clock on the first day.
        check_counted(&[weekly("thu", 22, 26)], (20, 22), 26, Some("window 1"));
        check_counted(&[weekly("wed", 22, 26)], (0, 3), 4, Some("window 1"));
        check_counted(&[weekly("fri", 22, 26)], (20, 22), 22, None);
        check_counted(&[weekly("mon-sun", 22, 26)], (20, 26), 30, Some("window 1"));
        // A year of nights has twenty hours a day.
        check_counted(
            &[weekly("mon-sun", 0, 4)],
            (3, 3 + 20),
            27,
            Some("window 1"),
        );
    }

    #[track_caller]
    fn check_put_off(windows: &[When], (from, at): (i64, i64), until: i64) {
        let put_off = maintenance(windows).put_off(from * HOUR, at * HOUR);
        assert_eq!(put_off.map_or(at, |(until, _)| until / HOUR), until);
    }

    #[test]
    fn what_a_window_took_before_an_instant_there_is_after_it() {
        check_put_off(&[], (0, 8), 8);
        // The instant lies in it: what it had taken by then it gives back.
        check_put_off(&[once(6, 10)], (0, 8), 12);
        check_put_off(&[once(6, 10)], (7, 8), 11);
        // It was over before: what open time has made up for is not given again.
        check_put_off(&[once(4, 7)], (0, 8), 10);
        check_put_off(&[once(4, 6)], (0, 8), 8);
        check_put_off(&[once(1, 3)], (0, 8), 8);
        // A second window takes more, and what is given back lies outside of windows.
        check_put_off(&[once(1, 3), once(6, 8)], (0, 8), 10);
        check_put_off(&[once(6, 8), once(9, 12)], (0, 8), 13);
        // It begins afterwards.
        check_put_off(&[once(8, 12)], (0, 8), 8);
    }

    #[test]
    fn what_was_found_in_a_window_has_as_long_after_it_as_it_had_lasted() {
        let found = |at: i64| {
            let windows = [once(20, 28), once(30, 100)];
            let put_off = maintenance(&windows).put_off_found(at * HOUR);
            put_off.map(|(due, put_off)| (due / HOUR, put_off.reason))
        };
        assert_eq!(found(21), Some((29, "window 1".to_owned())));
        assert_eq!(found(29), None);
        assert_eq!(found(99), Some((124, "window 2".to_owned())));
    }

    #[test]
    fn windows_without_an_end_are_not_followed_for_ever() {
        let halves = [weekly("mon-sun", 0, 12), weekly("mon-sun", 12, 24)];
        let until = maintenance(&halves).counted(0, HOUR);
        assert!((400 * DAY..1_100 * DAY).contains(&until), "{until}");
        assert!(!leaves_time(WeekdaySet::ALL, 0, DAY));
        assert!(leaves_time(WeekdaySet::MON_FRI, 0, DAY));
    }

    #[test]
    fn only_single_windows_are_no_habit() {
        let both = maintenance(&[weekly("thu", 0, 4), once(6, 10)]);
        assert_eq!(both.single().0.len(), 1);
    }
}

//! Which time counts toward a limit?
//!
//! A scope that publishes Mon–Fri is not stale on Sunday: the limits stand
//! still on days, or in hours, that its calendar leaves out.

use crate::civil::{Day, Holidays, WeekdaySet, Zone};
use crate::schedule::{Calendar, DayRule, HoursOfWeek};

/// The time that counts, in a zone.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    when: When,
    zone: Zone,
}

#[derive(Debug, Clone, PartialEq)]
enum When {
    Always,
    Days(DayRule),
    Hours(HoursOfWeek),
}

/// What lies outside is taken for its nearest end: 1970 and 2100, between
/// which zones are tabulated.
const KNOWN: (i64, i64) = (0, 4_102_444_800);

impl Counted {
    /// All time counts.
    pub fn always(zone: Zone) -> Counted {
        let when = When::Always;
        Counted { when, zone }
    }

    /// The time on the days, or in the hours of the week, of a calendar;
    /// `None` if it has neither: a calendar of months, or none at all.
    pub fn on(calendar: &Calendar, zone: Zone) -> Option<Counted> {
        let when = match calendar {
            Calendar::Days(DayRule::Weekdays(days))
            | Calendar::Times {
                days: DayRule::Weekdays(days),
                ..
            } if *days == WeekdaySet::ALL => When::Always,
            Calendar::Days(days) | Calendar::Times { days, .. } => When::Days(days.clone()),
            Calendar::Grid { hours, .. } if *hours == HoursOfWeek::ALL => When::Always,
            Calendar::Grid { hours, .. } => When::Hours(*hours),
            Calendar::Months(_) | Calendar::Irregular => return None,
        };
        Some(Counted { when, zone })
    }

    /// The zone.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// Does more time than `limit` (seconds, from 0) count between two
    /// instants (UTC seconds)? Time before `from` never does.
    pub fn exceeds(&self, from: i64, to: i64, limit: i64, holidays: &Holidays) -> bool {
        if to.saturating_sub(from) <= limit {
            return false;
        }
        self.at_most(from, to, limit, holidays) > limit
    }

    /// The first second up to `to` at which more time than `limit` counts since
    /// `from`: UTC seconds; `None` if none is.
    pub fn passes(&self, from: i64, to: i64, limit: i64, holidays: &Holidays) -> Option<i64> {
        if !self.exceeds(from, to, limit, holidays) {
            return None;
        }
        let (mut under, mut over) = (from, to);
        while over - under > 1 {
            let middle = under + (over - under) / 2;
            match self.exceeds(from, middle, limit, holidays) {
                true => over = middle,
                false => under = middle,
            }
        }
        Some(over)
    }

    /// The time that counts between two instants: seconds. What is more than
    /// `enough` may be counted in part.
    pub fn at_most(&self, from: i64, to: i64, enough: i64, holidays: &Holidays) -> i64 {
        if let When::Always = self.when {
            return to.saturating_sub(from).max(0);
        }
        let (from, to) = (from.clamp(KNOWN.0, KNOWN.1), to.clamp(KNOWN.0, KNOWN.1));
        let mut counted = 0;
        // Backwards, because what exceeds a limit mostly does so soon.
        let mut end = to;
        while end > from && counted <= enough {
            let (begin, counts) = self.stretch_before(end, holidays);
            if counts {
                counted += end - begin.max(from);
            }
            end = begin;
        }
        counted
    }

    /// The stretch that ends at an instant and counts as a whole or not at all:
    /// where it begins, always earlier, and whether it counts.
    fn stretch_before(&self, end: i64, holidays: &Holidays) -> (i64, bool) {
        let local = self.zone.local(end - 1);
        let day = Day::of_local(local);
        let (start, counts) = match &self.when {
            When::Always => (day.start(), true),
            When::Days(rule) => (day.start(), rule.expects(day, holidays)),
            When::Hours(hours) => {
                let hour = (local - day.start()) / 3_600;
                let counts = hours.contains(day.weekday(), hour as usize);
                (day.start() + hour * 3_600, counts)
            }
        };
        // Where the clock is set back an hour comes twice; the second of the two
        // begins no earlier than it seems.
        let begin = self.zone.utc(start);
        (begin.min(end - 1).max(end - 90_000), counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_second()
    }

    #[track_caller]
    fn check_hours(calendar: &str, zone: &str, from: &str, to: &str, hours: f64) {
        let counted = Counted::on(&calendar.parse().unwrap(), Zone::named(zone).unwrap()).unwrap();
        let holidays = Holidays::builtin();
        let seconds = counted.at_most(at(from), at(to), i64::MAX, &holidays);
        assert_eq!(seconds as f64 / 3_600.0, hours, "{calendar} {zone}");
    }

    #[test]
    fn a_weekend_does_not_count_toward_a_limit() {
        // 2026-03-06 is a Friday.
        let friday = "2026-03-06T18:00:00Z";
        check_hours("Mon–Fri", "UTC", friday, "2026-03-08T12:00:00Z", 6.0);
        check_hours("Mon–Fri", "UTC", friday, "2026-03-09T09:00:00Z", 15.0);
        check_hours("daily", "UTC", friday, "2026-03-08T12:00:00Z", 42.0);
        // Midnight of Friday in Los Angeles is eight hours later.
        check_hours(
            "Mon–Fri",
            "America/Los_Angeles",
            friday,
            "2026-03-08T02:00:00Z",
            14.0,
        );
    }

    #[test]
    fn a_holiday_and_the_night_do_not_count_either() {
        // Thanksgiving 2026 is 26 November, a Thursday.
        check_hours(
            "business days US",
            "UTC",
            "2026-11-25T12:00:00Z",
            "2026-11-27T06:00:00Z",
            18.0,
        );
        check_hours(
            "hourly Mon–Fri 09–17",
            "UTC",
            "2026-03-06T16:30:00Z",
            "2026-03-09T10:00:00Z",
            2.5,
        );
    }

    #[test]
    fn the_days_of_a_clock_change_have_23_and_25_hours() {
        let zone = "Europe/Berlin";
        for (from, to, hours) in [
            ("2026-03-27T23:00:00Z", "2026-03-29T22:00:00Z", 47.0),
            ("2026-10-23T22:00:00Z", "2026-10-25T23:00:00Z", 49.0),
        ] {
            check_hours("Sat–Sun", zone, from, to, hours);
            let days = (at(to) - at(from)) as f64 / 3_600.0;
            check_hours("hourly Sat–Sun", zone, from, to, days);
        }
    }

    #[test]
    fn no_instant_is_too_far_away() {
        let days = "Mon–Fri".parse().unwrap();
        let counted = Counted::on(&days, Zone::universal()).unwrap();
        let holidays = Holidays::builtin();
        assert!(counted.exceeds(i64::MIN, i64::MAX, 60, &holidays));
        assert!(!counted.exceeds(i64::MAX, i64::MIN, 0, &holidays));
    }
}

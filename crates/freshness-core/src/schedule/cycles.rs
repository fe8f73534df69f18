//! Which cycles does a calendar expect between two instants?

use super::{Calendar, Grain};
use crate::civil::{DAY, Day, HOUR, Holidays, MINUTE, Zone};

/// One slot in which a delivery is expected.
///
/// For weekly and monthly calendars the cycle begins at local midnight of the
/// day the calendar expects, so that delays are small numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cycle {
    /// Start, UTC seconds.
    pub start: i64,
    /// Start as the wall clock shows it, local seconds.
    pub local: i64,
}

impl Cycle {
    /// The civil day on which it begins.
    pub fn day(&self) -> Day {
        Day::of_local(self.local)
    }

    /// Its name: `2026-03-01`, or `2026-03-01T05:00` for cycles of less than
    /// a day and for set times.
    pub fn label(&self, calendar: &Calendar) -> String {
        match calendar {
            Calendar::Grid { .. } | Calendar::Times { .. } | Calendar::Irregular => {
                let minutes = self.local.rem_euclid(DAY) / MINUTE;
                format!("{}T{:02}:{:02}", self.day(), minutes / 60, minutes % 60)
            }
            Calendar::Days(_) | Calendar::Months(_) => self.day().to_string(),
        }
    }
}

impl Calendar {
    /// Do its cycles follow absolute time rather than the wall clock?
    fn is_absolute(&self) -> bool {
        matches!(self, Calendar::Grid { minutes, .. } if Grain::Minutes(*minutes) <= Grain::HOUR)
    }

    /// What the wall clock shows when the cycle begins. The midnight of a civil
    /// day counts even where the clock jumps over it; a load whose set time is
    /// jumped over comes when the clock has jumped.
    fn local_start(&self, zone: Zone, cycle: &Cycle) -> i64 {
        match self {
            Calendar::Days(_) | Calendar::Months(_) | Calendar::Irregular => cycle.local,
            Calendar::Grid { .. } | Calendar::Times { .. } => zone.local(cycle.start),
        }
    }

    /// The instant (UTC seconds) `delay` seconds into the cycle. Delays of
    /// cycles longer than an hour are read off the wall clock, so that a load
    /// at 06:10 has the same delay on a day of 23 or 25 hours.
    pub fn instant(&self, zone: Zone, cycle: &Cycle, delay: i64) -> i64 {
        match self.is_absolute() {
            true => cycle.start + delay,
            false => zone.utc(self.local_start(zone, cycle) + delay),
        }
    }

    /// How far into the cycle an instant (UTC seconds) is: seconds, negative
    /// before it begins. The inverse of [`Calendar::instant`].
    pub fn delay(&self, zone: Zone, cycle: &Cycle, at: i64) -> i64 {
        match self.is_absolute() {
            true => at - cycle.start,
            false => zone.local(at) - self.local_start(zone, cycle),
        }
    }

    /// The expected cycles that begin in `[from, to)` (UTC seconds), in order,
    /// strictly ascending. An irregular feed has none.
    ///
    /// Cycles of an hour or less follow absolute time, so a day of a clock
    /// change has 23 or 25 of them; longer ones follow the wall clock.
    pub fn cycles(&self, zone: Zone, holidays: &Holidays, from: i64, to: i64) -> Vec<Cycle> {
        if from >= to {
            return Vec::new();
        }
        let mut cycles = match self {
            Calendar::Grid { minutes, hours } if self.is_absolute() => {
                let period = i64::from(*minutes) * MINUTE;
                // Zones are offset by multiples of 15 minutes, not of an hour.
                let mut cycles = Vec::new();
                let mut start = from;
                while start < to {
                    let local = zone.local(start);
                    let into = local.rem_euclid(period);
                    if into != 0 {
                        start += period - into;
                        continue;
                    }
                    let hour = (local.rem_euclid(DAY) / HOUR) as usize;
                    if hours.contains(Day::of_local(local).weekday(), hour) {
                        cycles.push(Cycle { start, local });
                    }
                    start += period;
                }
                return cycles;
            }
            Calendar::Grid { minutes, hours } => {
                let period = i64::from(*minutes) * MINUTE;
                days(zone, from, to)
                    .flat_map(|day| (0..DAY / period).map(move |slot| (day, slot * period)))
                    .filter(|&(day, into)| hours.contains(day.weekday(), (into / HOUR) as usize))
                    .map(|(day, into)| day.start() + into)
                    .collect()
            }
            Calendar::Times { times, days: rule } => days(zone, from, to)
                .filter(|&day| rule.expects(day, holidays))
                .flat_map(|day| {
                    times
                        .iter()
                        .map(move |&time| day.start() + i64::from(time) * MINUTE)
                })
                .collect(),
            Calendar::Days(rule) => days(zone, from, to)
                .filter(|&day| rule.expects(day, holidays))
                .map(Day::start)
                .collect(),
            Calendar::Months(rule) => months(zone, from, to)
                .filter_map(|month| rule.day_in(month, holidays))
                .map(Day::start)
                .collect::<Vec<i64>>(),
            Calendar::Irregular => Vec::new(),
        }
        .into_iter()
        .map(|local| Cycle {
            start: zone.utc(local),
            local,
        })
        .filter(|cycle| cycle.start >= from && cycle.start < to)
        .collect::<Vec<_>>();
        // Two wall times can name one instant where the clock jumps.
        cycles.dedup_by_key(|cycle| cycle.start);
        cycles
    }
}

fn days(zone: Zone, from: i64, to: i64) -> impl Iterator<Item = Day> {
    let first = Day::of_local(zone.local(from)).0 - 1;
    let last = Day::of_local(zone.local(to)).0 + 1;
    (first..=last).map(Day)
}

fn months(zone: Zone, from: i64, to: i64) -> impl Iterator<Item = Day> {
    let mut month = Day::of_local(zone.local(from)).month_start_after(-1);
    let last = Day::of_local(zone.local(to)).month_start_after(1);
    std::iter::from_fn(move || {
        let this = month;
        month = month.month_start_after(1);
        (this <= last).then_some(this)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> i64 {
        text.parse::<jiff::Timestamp>().unwrap().as_second()
    }

    #[track_caller]
    fn check_cycles(calendar: &str, zone: &str, from: &str, to: &str, n: usize, first: &str) {
        let calendar: Calendar = calendar.parse().unwrap();
        let zone = Zone::named(zone).unwrap();
        let cycles = calendar.cycles(zone, &Holidays::default(), utc(from), utc(to));
        assert_eq!(cycles.len(), n, "{cycles:?}");
        assert_eq!(cycles[0].label(&calendar), first);
        assert!(cycles.windows(2).all(|pair| pair[0].start < pair[1].start));
    }

    #[test]
    fn an_hourly_feed_has_23_and_25_cycles_on_the_days_the_clock_changes() {
        let day = |from, to, n, first| check_cycles("hourly", "Europe/Berlin", from, to, n, first);
        day(
            "2026-03-28T23:00Z",
            "2026-03-29T22:00Z",
            23,
            "2026-03-29T00:00",
        );
        day(
            "2026-10-24T22:00Z",
            "2026-10-25T23:00Z",
            25,
            "2026-10-25T00:00",
        );
    }

    #[test]
    fn a_load_has_the_same_delay_on_a_day_of_23_or_25_hours() {
        let check = |calendar: &str, zone: &str, cycle: usize, at: &str, delay: i64| {
            let calendar: Calendar = calendar.parse().unwrap();
            let zone = Zone::named(zone).unwrap();
            let (from, to) = (utc(at) - 2 * DAY, utc(at));
            let cycles = calendar.cycles(zone, &Holidays::default(), from, to);
            let cycle = &cycles[cycles.len() - cycle];
            assert_eq!(calendar.delay(zone, cycle, utc(at)), delay * MINUTE, "{at}");
            assert_eq!(calendar.instant(zone, cycle, delay * MINUTE), utc(at));
        };
        check("daily", "Europe/Berlin", 1, "2026-03-29T04:10Z", 370);
        check("daily", "Europe/Berlin", 1, "2026-10-25T05:10Z", 370);
        // The clock jumps over midnight: 06:10 is still 06:10.
        check("daily", "America/Santiago", 1, "2026-09-06T09:10Z", 370);
        check("every 6 hours", "Europe/Berlin", 1, "2026-10-25T05:20Z", 20);
        // 02:30 does not exist: the load comes at 03:30, and takes as long.
        check("02:30, 14:30", "Europe/Berlin", 1, "2026-03-29T01:40Z", 10);
        // An hourly feed follows absolute time.
        check("hourly", "Europe/Berlin", 2, "2026-10-25T01:30Z", 90);
    }

    #[test]
    fn a_daily_cycle_begins_at_local_midnight() {
        check_cycles(
            "daily",
            "America/New_York",
            "2026-03-07T00:00Z",
            "2026-03-10T00:00Z",
            3,
            "2026-03-07",
        );
    }

    #[test]
    fn a_short_month_delivers_on_its_last_day() {
        check_cycles(
            "monthly day 31",
            "UTC",
            "2026-02-01T00:00Z",
            "2026-03-01T00:00Z",
            1,
            "2026-02-28",
        );
        check_cycles(
            "monthly last day",
            "UTC",
            "2024-02-01T00:00Z",
            "2024-03-01T00:00Z",
            1,
            "2024-02-29",
        );
    }

    #[test]
    fn hours_without_deliveries_are_part_of_the_calendar() {
        check_cycles(
            "every 5 minutes 06–23",
            "UTC",
            "2026-01-05T00:00Z",
            "2026-01-06T00:00Z",
            216,
            "2026-01-05T06:00",
        );
        check_cycles(
            "hourly Mon–Fri 09–17",
            "UTC",
            "2026-01-03T00:00Z",
            "2026-01-10T00:00Z",
            45,
            "2026-01-05T09:00",
        );
    }
}

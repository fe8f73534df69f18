//! On which days is something owed, and which time counts towards an age?
//!
//! Without a calendar every second counts. With one, only that of its days, in
//! the declared zone; of a calendar with hours, only these hours. So Friday's
//! data is not three days old on Monday morning. What maintenance keeps from coming
//! is put off.

use super::service_levels::{DayPromise, Freshness};
use crate::civil::{DAY, Day, HOUR, MINUTE, Zone};
use crate::schedule::{Calendar, Maintenance, PutOff, TimeOff};

/// When a dataset owes data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owed<'a> {
    calendar: Option<&'a Calendar>,
    zone: Zone,
    by: Option<DayPromise>,
    time: TimeOff<'a>,
}

/// A deadline of a day, and from when on a delivery serves it. UTC seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Due {
    /// When it is, also if it was put off.
    pub(super) at: i64,
    pub(super) from: i64,
    /// When it was promised to be.
    pub(super) promised: i64,
    pub(super) put_off: Option<PutOff>,
}

/// A deadline is looked for so many days around.
pub(super) const DAYS_AROUND: i32 = 400;

/// What comes in the night before is for the day.
const SERVES_BEFORE: i64 = 12 * HOUR;

/// What is older than so many days is older than any promise: its age is not
/// counted day by day.
const DAYS_COUNTED: i64 = 3_700;

impl<'a> Owed<'a> {
    pub(super) fn new(freshness: &'a Freshness, time: TimeOff<'a>) -> Owed<'a> {
        let calendar = freshness.calendar.as_ref();
        Owed {
            calendar: calendar.filter(|calendar| **calendar != Calendar::Irregular),
            zone: freshness.timezone.unwrap_or_else(Zone::universal),
            by: freshness.by,
            time,
        }
    }

    /// When somebody works on what delivers.
    pub(super) fn maintenance(&self) -> &'a Maintenance {
        self.time.maintenance
    }

    /// The local day of an instant.
    pub(super) fn day(&self, at: i64) -> Day {
        Day::of_local(self.zone.local(at))
    }

    /// The instants at which a local day begins and ends.
    pub(super) fn bounds(&self, day: Day) -> (i64, i64) {
        let start = |day: Day| self.zone.utc(day.start());
        (start(day), start(day.plus(1)))
    }

    /// Is something owed on the day?
    pub(super) fn on(&self, day: Day) -> bool {
        let hours = |hour| match self.calendar {
            Some(Calendar::Grid { hours, .. }) => hours.contains(day.weekday(), hour),
            _ => true,
        };
        match self.calendar {
            None | Some(Calendar::Irregular) => true,
            Some(Calendar::Grid { .. }) => (0..24).any(hours),
            Some(Calendar::Days(rule) | Calendar::Times { days: rule, .. }) => {
                rule.expects(day, self.time.holidays)
            }
            Some(Calendar::Months(rule)) => {
                rule.day_in(day.month_start(), self.time.holidays) == Some(day)
            }
        }
    }

    /// Seconds from one instant to a later one that count.
    pub(super) fn seconds(&self, from: i64, to: i64) -> i64 {
        let all = to.saturating_sub(from);
        if self.calendar.is_none() || all <= 0 || all > DAYS_COUNTED * DAY {
            return all;
        }
        let (first, last) = (self.day(from), self.day(to));
        let within = |start: i64, end: i64| -> i64 {
            let (start, end) = (self.zone.utc(start), self.zone.utc(end));
            (end.min(to) - start.max(from)).max(0)
        };
        let mut seconds = 0;
        for day in (first.0..=last.0).map(Day) {
            if let Some(Calendar::Grid { hours, .. }) = self.calendar {
                for hour in (0..24).filter(|hour| hours.contains(day.weekday(), *hour as usize)) {
                    let start = day.start() + hour * HOUR;
                    seconds += within(start, start + HOUR);
                }
            } else if self.on(day) {
                seconds += within(day.start(), day.start() + DAY);
            }
        }
        seconds
    }

    /// The first instant in `(from, to]` at which more than `most` seconds count
    /// since `since`.
    pub(super) fn passes(&self, since: i64, most: f64, from: i64, to: i64) -> Option<i64> {
        let is_over = |at: i64| self.seconds(since, at) as f64 > most;
        if from >= to || !is_over(to) {
            return None;
        }
        let (mut under, mut over) = (from, to);
        while over - under > 1 {
            let middle = under + (over - under) / 2;
            match is_over(middle) {
                true => over = middle,
                false => under = middle,
            }
        }
        Some(over)
    }

    /// The instant to which maintenance puts off that data from `newest` on is too old
    /// from `passed` on, if it does. UTC seconds.
    pub(super) fn age_put_off(&self, newest: i64, passed: i64) -> Option<(i64, PutOff)> {
        // At just its threshold an age still holds.
        self.time.maintenance.put_off(newest, passed - 1)
    }

    /// … that a run was over at `at` that brought too little, or could not be told.
    pub(super) fn run_put_off(&self, at: i64) -> Option<(i64, PutOff)> {
        self.time.maintenance.put_off_found(at)
    }

    /// The deadline of a day; `None` if there is none.
    pub(super) fn due(&self, day: Day) -> Option<Due> {
        let by = self.by.filter(|_| self.on(day))?;
        let promised = self.zone.utc(day.start() + i64::from(by.minutes) * MINUTE);
        let from = self.zone.utc(day.start()).min(promised - SERVES_BEFORE);
        let (at, put_off) = match self.time.maintenance.put_off(from, promised) {
            Some((at, put_off)) => (at, Some(put_off)),
            None => (promised, None),
        };
        Some(Due {
            at,
            from,
            promised,
            put_off,
        })
    }

    /// The last deadline that had been, were it not put off beyond an instant.
    pub(super) fn awaited(&self, now: i64) -> Option<Due> {
        if self.time.maintenance.is_empty() {
            return None;
        }
        let today = self.day(now);
        let days = (0..DAYS_AROUND).map(|back| today.plus(-back));
        let mut due = days.filter_map(|day| self.due(day));
        due.find(|due| due.promised <= now)
            .filter(|due| due.at > now)
    }

    /// The last deadline that is not after an instant.
    pub(super) fn last_due(&self, now: i64) -> Option<Due> {
        let today = self.day(now);
        let days = (0..DAYS_AROUND).map(|back| today.plus(-back));
        days.filter_map(|day| self.due(day))
            .find(|due| due.at <= now)
    }

    /// The first deadline after an instant.
    pub(super) fn next_due(&self, now: i64) -> Option<Due> {
        let today = self.day(now);
        let days = (0..DAYS_AROUND).map(|ahead| today.plus(ahead));
        days.filter_map(|day| self.due(day))
            .find(|due| due.at > now)
    }
}

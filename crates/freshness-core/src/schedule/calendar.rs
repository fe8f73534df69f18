//! What is a delivery calendar?

use serde::{Deserialize, Serialize};

use super::{Grain, HoursOfWeek};
use crate::civil::{Day, Holidays, WeekdaySet};

/// On which cycles a delivery is expected. The text form is in `text.rs`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Calendar {
    /// Every so many minutes, in the given hours of the local week.
    Grid {
        /// Length of a cycle: 5 to 720, a divisor of a day.
        minutes: u16,
        /// Hours in which cycles begin.
        hours: HoursOfWeek,
    },
    /// Several loads a day at set local times.
    Times {
        /// Minutes after local midnight, ascending.
        times: Vec<u16>,
        /// On which days.
        days: DayRule,
    },
    /// One load on each of the days. One weekday makes it weekly.
    Days(DayRule),
    /// One load a month.
    Months(MonthRule),
    /// No calendar: deliveries are driven by events.
    Irregular,
}

/// Which civil days are expected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DayRule {
    /// The days of the week in the set.
    Weekdays(WeekdaySet),
    /// The day `after` days behind each business day of a country.
    BusinessDays {
        /// Code of the holiday calendar.
        country: String,
        /// 0: on the business day itself; 1: on the day after it.
        after: u8,
    },
    /// Once a week: the day `after` days behind business day k (from 1, counted
    /// from Monday) of a country, or behind the last one of a week that has
    /// fewer. Releases that move by a day in a week with a holiday.
    BusinessDayOfWeek {
        /// Which one, 1 to 5.
        k: u8,
        /// Code of the holiday calendar.
        country: String,
        /// 0: on the business day itself; 1: on the day after it.
        after: u8,
    },
}

/// Which day of the month is expected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MonthRule {
    /// Day 1–31 of the month, or the month's last day if it is shorter.
    Day(u8),
    /// The last day.
    LastDay,
    /// Business day k (from 1) of a country.
    BusinessDay {
        /// Which one, from 1.
        k: u8,
        /// Code of the holiday calendar.
        country: String,
    },
    /// The last business day of a country.
    LastBusinessDay {
        /// Code of the holiday calendar.
        country: String,
    },
}

impl Calendar {
    /// The plainest calendar of a grain: every cycle, or for weeks and months
    /// the weekday or day of the month of `day`.
    pub fn plainest(grain: Grain, day: Day) -> Calendar {
        match grain {
            Grain::Minutes(minutes) => Calendar::Grid {
                minutes,
                hours: HoursOfWeek::ALL,
            },
            Grain::Day => Calendar::Days(DayRule::Weekdays(WeekdaySet::ALL)),
            Grain::Week => Calendar::Days(DayRule::Weekdays(WeekdaySet(0).with(day.weekday()))),
            Grain::Month => Calendar::Months(MonthRule::Day(day.year_month_day().2 as u8)),
        }
    }

    /// How often its cycles come; `None` for an irregular feed.
    pub fn grain(&self) -> Option<Grain> {
        match self {
            Calendar::Grid { minutes, .. } => Some(Grain::Minutes(*minutes)),
            Calendar::Days(DayRule::Weekdays(days)) if days.len() == 1 => Some(Grain::Week),
            Calendar::Days(DayRule::BusinessDayOfWeek { .. }) => Some(Grain::Week),
            Calendar::Times { .. } | Calendar::Days(_) => Some(Grain::Day),
            Calendar::Months(_) => Some(Grain::Month),
            Calendar::Irregular => None,
        }
    }

    /// The code of the holiday calendar it needs, if any.
    pub fn country(&self) -> Option<&str> {
        match self {
            Calendar::Days(rule) | Calendar::Times { days: rule, .. } => match rule {
                DayRule::BusinessDays { country, .. }
                | DayRule::BusinessDayOfWeek { country, .. } => Some(country),
                DayRule::Weekdays(_) => None,
            },
            Calendar::Months(
                MonthRule::BusinessDay { country, .. } | MonthRule::LastBusinessDay { country },
            ) => Some(country),
            Calendar::Months(MonthRule::Day(_) | MonthRule::LastDay)
            | Calendar::Grid { .. }
            | Calendar::Irregular => None,
        }
    }
}

impl DayRule {
    /// Is a delivery expected on the day? A country without a known holiday
    /// calendar has no holidays; declarations are checked when they are read.
    pub fn expects(&self, day: Day, holidays: &Holidays) -> bool {
        match self {
            DayRule::Weekdays(days) => days.contains(day.weekday()),
            DayRule::BusinessDays { country, after } => {
                is_business_day(day.plus(-i32::from(*after)), country, holidays)
            }
            DayRule::BusinessDayOfWeek { k, country, after } => {
                let day = day.plus(-i32::from(*after));
                let is_open = |day| is_business_day(day, country, holidays);
                business_day_of_week(day, *k, is_open) == Some(day)
            }
        }
    }
}

impl MonthRule {
    /// The day expected in the month that begins on `month_start`; `None` if
    /// the month has fewer business days than asked for.
    pub fn day_in(&self, month_start: Day, holidays: &Holidays) -> Option<Day> {
        let last = month_start.plus(month_start.days_to_month_end());
        let business = |country: &str| {
            let country = country.to_owned();
            (month_start.0..=last.0)
                .map(Day)
                .filter(move |&day| is_business_day(day, &country, holidays))
        };
        match self {
            MonthRule::Day(day) => Some(month_start.plus(i32::from(*day) - 1).min(last)),
            MonthRule::LastDay => Some(last),
            MonthRule::BusinessDay { k, country } => business(country).nth(usize::from(*k) - 1),
            MonthRule::LastBusinessDay { country } => business(country).next_back(),
        }
    }
}

/// Day `k` (from 1) of those that are open from Monday to Friday of the week
/// that a day lies in, or the last of them; `None` if the whole week is free.
pub(crate) fn business_day_of_week(day: Day, k: u8, is_open: impl Fn(Day) -> bool) -> Option<Day> {
    let monday = day.plus(-(day.weekday().index() as i32));
    (0..5)
        .map(|into| monday.plus(into))
        .filter(|&day| is_open(day))
        .take(usize::from(k))
        .last()
}

fn is_business_day(day: Day, country: &str, holidays: &Holidays) -> bool {
    WeekdaySet::MON_FRI.contains(day.weekday())
        && !holidays
            .get(country)
            .is_some_and(|calendar| calendar.contains(day))
}

impl Serialize for Calendar {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Calendar {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Calendar, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

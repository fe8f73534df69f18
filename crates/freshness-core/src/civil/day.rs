//! Which civil day is it?
//!
//! Days are counted from 1970-01-01 in the proleptic Gregorian calendar, so
//! that day arithmetic is integer arithmetic; `jiff` reads and writes dates.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::DAY;

/// A civil day: days since 1970-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

/// Day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Weekday {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

/// A set of weekdays, Monday in bit 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WeekdaySet(pub u8);

impl Day {
    /// The day on which a local second falls.
    pub fn of_local(local: i64) -> Day {
        Day(i32::try_from(local.div_euclid(DAY)).expect("a supported instant"))
    }

    /// Local midnight that begins the day.
    pub fn start(self) -> i64 {
        i64::from(self.0) * DAY
    }

    /// The weekday.
    pub fn weekday(self) -> Weekday {
        // 1970-01-01 was a Thursday.
        Weekday::from_index((self.0 + 3).rem_euclid(7) as usize)
    }

    /// The day of a calendar date; `None` for a date such as 30 February.
    pub fn of_date(year: i16, month: i8, day: i8) -> Option<Day> {
        Date::new(year, month, day).ok().map(Day::from)
    }

    /// The calendar date.
    pub fn date(self) -> Date {
        let (year, month, day) = self.year_month_day();
        Date::new(year, month, day).expect("a supported day")
    }

    /// Year, month (1–12) and day of the month (1–31).
    /// Method: Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    pub fn year_month_day(self) -> (i16, i8, i8) {
        let z = i64::from(self.0) + 719_468;
        let era = z.div_euclid(146_097);
        let day_of_era = z.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_index = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_index + 2) / 5 + 1;
        let month = if month_index < 10 {
            month_index + 3
        } else {
            month_index - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year as i16, month as i8, day as i8)
    }

    /// The first day of the month.
    pub fn month_start(self) -> Day {
        let (_, _, day) = self.year_month_day();
        Day(self.0 - i32::from(day) + 1)
    }

    /// The first day of the month `months` later (or earlier, if negative).
    pub fn month_start_after(self, months: i32) -> Day {
        let (year, month, _) = self.year_month_day();
        let index = i32::from(year) * 12 + i32::from(month) - 1 + months;
        let (year, month) = (index.div_euclid(12), index.rem_euclid(12) + 1);
        Day::of_date(year as i16, month as i8, 1).expect("a supported month")
    }

    /// Days left in the month after this one: 0 on its last day.
    pub fn days_to_month_end(self) -> i32 {
        self.month_start_after(1).0 - self.0 - 1
    }

    /// The day `days` later.
    pub fn plus(self, days: i32) -> Day {
        Day(self.0 + days)
    }
}

impl From<Date> for Day {
    fn from(date: Date) -> Day {
        // Hinnant's `days_from_civil`.
        let (month, day) = (i64::from(date.month()), i64::from(date.day()));
        let year = i64::from(date.year()) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Day((era * 146_097 + day_of_era - 719_468) as i32)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.year_month_day();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Day {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Day, jiff::Error> {
        text.parse::<Date>().map(Day::from)
    }
}

impl Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Day, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl Weekday {
    /// Monday to Sunday.
    pub const ALL: [Weekday; 7] = [
        Weekday::Mon,
        Weekday::Tue,
        Weekday::Wed,
        Weekday::Thu,
        Weekday::Fri,
        Weekday::Sat,
        Weekday::Sun,
    ];

    /// Monday is 0. Panics above 6.
    pub fn from_index(index: usize) -> Weekday {
        Weekday::ALL[index]
    }

    /// Monday is 0.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Three letters, as in `Mon`.
    pub fn short(self) -> &'static str {
        &self.name()[..3]
    }

    /// The whole name, as in `Monday`.
    pub fn name(self) -> &'static str {
        [
            "Monday",
            "Tuesday",
            "Wednesday",
            "Thursday",
            "Friday",
            "Saturday",
            "Sunday",
        ][self.index()]
    }
}

impl WeekdaySet {
    /// Every day of the week.
    pub const ALL: WeekdaySet = WeekdaySet(0b111_1111);
    /// Monday to Friday.
    pub const MON_FRI: WeekdaySet = WeekdaySet(0b001_1111);

    /// Is the weekday in the set?
    pub fn contains(self, weekday: Weekday) -> bool {
        self.0 & (1 << weekday.index()) != 0
    }

    /// The set with the weekday added.
    pub fn with(self, weekday: Weekday) -> WeekdaySet {
        WeekdaySet(self.0 | 1 << weekday.index())
    }

    /// The number of weekdays in the set.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Is the set empty?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The weekdays in the set, Monday first.
    pub fn iter(self) -> impl Iterator<Item = Weekday> {
        Weekday::ALL
            .into_iter()
            .filter(move |&weekday| self.contains(weekday))
    }
}

impl FromIterator<Weekday> for WeekdaySet {
    fn from_iter<I: IntoIterator<Item = Weekday>>(weekdays: I) -> WeekdaySet {
        weekdays.into_iter().fold(WeekdaySet(0), WeekdaySet::with)
    }
}

impl fmt::Debug for WeekdaySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Runs of three or more as `Mon–Fri`, the rest as `Mon, Wed`; `every day`.
impl fmt::Display for WeekdaySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == WeekdaySet::ALL {
            return f.write_str("every day");
        }
        let mut parts = Vec::new();
        let mut index = 0;
        while index < 7 {
            let run = (index..7).take_while(|&i| self.0 & (1 << i) != 0).count();
            match run {
                0 => index += 1,
                1 | 2 => {
                    parts.extend((index..index + run).map(|i| Weekday::ALL[i].short().to_owned()));
                    index += run;
                }
                _ => {
                    let last = Weekday::ALL[index + run - 1];
                    parts.push(format!("{}–{}", Weekday::ALL[index].short(), last.short()));
                    index += run;
                }
            }
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree_over_two_centuries() {
        let mut date = Date::new(1899, 12, 31).unwrap();
        for _ in 0..74_000 {
            let day = Day::from(date);
            assert_eq!(day.date(), date);
            assert_eq!(
                day.weekday().index() as i8,
                date.weekday().to_monday_zero_offset()
            );
            date = date.tomorrow().unwrap();
        }
    }

    #[test]
    fn months_end_where_the_calendar_says() {
        let check = |text: &str, left: i32| {
            assert_eq!(
                text.parse::<Day>().unwrap().days_to_month_end(),
                left,
                "{text}"
            );
        };
        check("2024-02-28", 1);
        check("2026-02-28", 0);
        check("2026-12-01", 30);
    }

    #[test]
    fn weekday_sets_read_as_people_write_them() {
        assert_eq!(WeekdaySet::ALL.to_string(), "every day");
        assert_eq!(WeekdaySet::MON_FRI.to_string(), "Mon–Fri");
        assert_eq!(WeekdaySet(0b101_0101).to_string(), "Mon, Wed, Fri, Sun");
        assert_eq!(WeekdaySet(0b110_0111).to_string(), "Mon–Wed, Sat, Sun");
    }
}

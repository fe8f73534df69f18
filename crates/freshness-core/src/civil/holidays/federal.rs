//! Which days are federal holidays of the United States?
//!
//! Computed, so that they do not end with the data. Source: 5 U.S.C. 6103; a
//! holiday on a Saturday is observed on the Friday before, one on a Sunday on
//! the Monday after (Executive Order 11582 and 5 U.S.C. 6103(b)).

use super::{Day, HolidayCalendar};
use crate::civil::Weekday;

/// The first year in which the Uniform Monday Holiday Act moved the days.
const FIRST_YEAR: i16 = 1971;
/// Zones are tabulated up to 2100 too.
const LAST_YEAR: i16 = 2100;

pub(super) const CODE: &str = "US";

pub(super) fn calendar() -> HolidayCalendar {
    HolidayCalendar::new(CODE, (FIRST_YEAR..=LAST_YEAR).flat_map(holidays))
}

/// The holidays of one year, and the days on which they are observed.
fn holidays(year: i16) -> Vec<Day> {
    let mut fixed = vec![(1, 1), (7, 4), (12, 25)];
    // From 1971 to 1977 Veterans Day was a Monday in October.
    let mut days = Vec::new();
    if year >= 1978 {
        fixed.push((11, 11));
    } else {
        days.push(nth(year, 10, Weekday::Mon, 4));
    }
    if year >= 2021 {
        fixed.push((6, 19));
    }
    if year >= 1986 {
        days.push(nth(year, 1, Weekday::Mon, 3));
    }
    days.extend([
        nth(year, 2, Weekday::Mon, 3),
        last(year, 5, Weekday::Mon),
        nth(year, 9, Weekday::Mon, 1),
        nth(year, 10, Weekday::Mon, 2),
        nth(year, 11, Weekday::Thu, 4),
    ]);
    for (month, day) in fixed {
        let day = first(year, month).plus(day - 1);
        days.push(day);
        match day.weekday() {
            Weekday::Sat => days.push(day.plus(-1)),
            Weekday::Sun => days.push(day.plus(1)),
            _ => {}
        }
    }
    days
}

fn first(year: i16, month: i8) -> Day {
    Day::of_date(year, month, 1).expect("every month has a first day")
}

fn nth(year: i16, month: i8, weekday: Weekday, n: i32) -> Day {
    let first = first(year, month);
    let into = (weekday.index() as i32 - first.weekday().index() as i32).rem_euclid(7);
    first.plus(into + 7 * (n - 1))
}

fn last(year: i16, month: i8, weekday: Weekday) -> Day {
    let last = first(year, month).month_start_after(1).plus(-1);
    last.plus(-(last.weekday().index() as i32 - weekday.index() as i32).rem_euclid(7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_give_the_days_of_an_independent_list() {
        // Written by scripts/generate-holidays.py from the Python package.
        let listed: Vec<Day> = include_str!("../../../tests/data/us_federal_holidays.txt")
            .lines()
            .map(|line| line.parse().unwrap())
            .collect();
        let years = |day: &&Day| (2000..=2040).contains(&day.year_month_day().0);
        let calendar = calendar();
        let ruled: Vec<Day> = calendar.days().iter().filter(years).copied().collect();
        assert_eq!(ruled, listed);
    }

    #[test]
    fn laws_hold_from_the_year_they_took_effect() {
        let check = |text: &str, holiday: bool| {
            assert_eq!(
                calendar().contains(text.parse().unwrap()),
                holiday,
                "{text}"
            );
        };
        check("2020-06-19", false);
        check("2021-06-18", true);
        check("1985-01-21", false);
        check("1986-01-20", true);
        check("1977-10-24", true);
        check("1978-11-10", true);
        check("2100-12-24", true);
    }
}

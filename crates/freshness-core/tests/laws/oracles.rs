//! Do quick answers agree with slow ones that are plainly right?

use std::collections::BTreeSet;

use freshness_core::civil::{DAY, Day, Holidays, Weekday, Zone};
use freshness_core::schedule::{Calendar, Cycle};

/// Working days of 2000 to 2040 from the list of another program.
fn working_days() -> Vec<Day> {
    let holidays: BTreeSet<Day> = include_str!("../data/us_federal_holidays.txt")
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    let (first, last): (Day, Day) = ("2000-01-01".parse().unwrap(), "2040-12-31".parse().unwrap());
    (first.0..=last.0)
        .map(Day)
        .filter(|day| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun))
        .filter(|day| !holidays.contains(day))
        .collect()
}

#[track_caller]
fn check_days(calendar: &str, expected: impl IntoIterator<Item = Day>) {
    let calendar: Calendar = calendar.parse().unwrap();
    let (from, to) = (10_957 * DAY, 25_933 * DAY);
    let cycles = calendar.cycles(Zone::universal(), &Holidays::builtin(), from, to);
    let found: Vec<Day> = cycles.iter().map(Cycle::day).collect();
    assert_eq!(found, expected.into_iter().collect::<Vec<Day>>());
}

#[test]
fn business_days_are_the_weekdays_that_are_no_holidays() {
    let working = working_days();
    check_days("business days US", working.clone());
    let inside = |day: &Day| day.0 < 25_933;
    // The last of 1999 was a holiday: New Year's Day, observed on a Friday.
    let after = working.iter().map(|day| day.plus(1));
    check_days("business days US +1", after.filter(inside));
}

#[test]
fn business_day_k_is_the_kth_of_its_month() {
    let working = working_days();
    let months: Vec<&[Day]> = working
        .chunk_by(|a, b| a.month_start() == b.month_start())
        .collect();
    for k in [1, 3, 15] {
        let expected = months.iter().map(|month| month[k - 1]);
        check_days(&format!("monthly business day {k} US"), expected);
    }
    let last = months.iter().map(|month| month[month.len() - 1]);
    check_days("monthly last business day US", last);
    // Not every month has so many.
    let many = months.iter().filter_map(|month| month.get(21).copied());
    check_days("monthly business day 22 US", many);
}

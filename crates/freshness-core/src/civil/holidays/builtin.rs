//! Where do the holidays of other countries come from?
//!
//! From a file generated once, by `scripts/generate-holidays.py`, of the years
//! 2000 to 2040. Its form is described in its first lines. A calendar is read
//! when it is first asked for, so that a start reads none.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{LazyLock, OnceLock};

use super::{Day, HolidayCalendar, federal};

const DATA: &str = include_str!("public_holidays.txt");
const YEARS: RangeInclusive<i16> = 2000..=2040;

/// One line of the file, cut but not read.
struct Entry {
    /// The code, then its aliases.
    names: &'static str,
    text: &'static str,
    calendar: OnceLock<HolidayCalendar>,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    DATA.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(names, text)| Entry {
            names,
            text,
            calendar: OnceLock::new(),
        })
        .collect()
});

/// Where a code or an alias stands in the entries.
static INDEX: LazyLock<BTreeMap<&'static str, usize>> = LazyLock::new(|| {
    let names = |(at, entry): (usize, &Entry)| entry.names.split(',').map(move |name| (name, at));
    ENTRIES.iter().enumerate().flat_map(names).collect()
});

/// The codes, aliases left out.
pub(super) fn codes() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(Entry::code)
}

/// The calendar of a code or an alias.
pub(super) fn get(code: &str) -> Option<&'static HolidayCalendar> {
    let entry = &ENTRIES[*INDEX.get(code)?];
    Some(entry.calendar.get_or_init(|| entry.read()))
}

impl Entry {
    fn code(&self) -> &'static str {
        self.names.split(',').next().unwrap_or(self.names)
    }

    fn read(&self) -> HolidayCalendar {
        if self.code() == federal::CODE {
            return federal::calendar();
        }
        let mut fields = self.text.split(' ');
        let mut field = || fields.next().filter(|&text| text != "-").unwrap_or("");
        let (parent, every_year, by_year) = (field(), field(), field());
        let mut days: Vec<Day> = get(parent)
            .map(|parent| parent.days().to_vec())
            .unwrap_or_default();
        for year in YEARS {
            days.extend(days_of(year, every_year));
        }
        for (year, text) in YEARS.zip(by_year.split(',')) {
            days.extend(days_of(year, text));
        }
        HolidayCalendar::new(self.code(), days)
    }
}

/// The days of a year from pairs of digits in base 36: month, day of the month.
fn days_of(year: i16, text: &'static str) -> impl Iterator<Item = Day> {
    text.as_bytes().chunks(2).filter_map(move |pair| {
        let digit = |at: usize| char::from(*pair.get(at)?).to_digit(36);
        Day::of_date(year, digit(0)? as i8, digit(1)? as i8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_file_is_passed_over() {
        let lines = DATA.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(ENTRIES.len(), lines);
        for entry in ENTRIES.iter().filter(|entry| entry.text != "computed") {
            let fields: Vec<&str> = entry.text.split(' ').collect();
            assert!((2..=3).contains(&fields.len()), "{}", entry.names);
            assert!(
                fields[0] == "-" || get(fields[0]).is_some(),
                "{}",
                entry.names
            );
            let every_year = fields[1].trim_matches('-');
            let by_year = fields.get(2).copied().unwrap_or("");
            assert!(
                by_year.split(',').count() <= YEARS.count(),
                "{}",
                entry.names
            );
            let written = every_year.len() / 2 * YEARS.count()
                + by_year.split(',').map(|days| days.len() / 2).sum::<usize>();
            let parent = get(fields[0]).map_or(0, |parent| parent.days().len());
            let read = get(entry.code()).map_or(0, |calendar| calendar.days().len());
            assert_eq!(read, written + parent, "{}", entry.names);
        }
    }
}

//! On which days does a country not work?

use std::collections::BTreeSet;

use super::Day;

/// The public holidays of one country (or of one user's own list).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolidayCalendar {
    /// `US`, `DE`, … or the name of a user's own list.
    pub code: String,
    days: BTreeSet<Day>,
}

/// The holiday calendars that are known: the built-in ones and a user's own.
#[derive(Debug, Clone, Default)]
pub struct Holidays {
    own: Vec<HolidayCalendar>,
}

impl HolidayCalendar {
    /// A calendar from its days.
    pub fn new(code: &str, days: impl IntoIterator<Item = Day>) -> HolidayCalendar {
        HolidayCalendar {
            code: code.to_owned(),
            days: days.into_iter().collect(),
        }
    }

    /// Is the day a holiday?
    pub fn contains(&self, day: Day) -> bool {
        self.days.contains(&day)
    }
}

impl Holidays {
    /// The calendar of a code, case as in ISO 3166 (`US`); own lists first.
    pub fn get(&self, code: &str) -> Option<&HolidayCalendar> {
        self.own.iter().find(|calendar| calendar.code == code)
    }
}

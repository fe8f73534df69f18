//! On which days does a country not work?
//!
//! Public holidays only: days that many keep, but on which offices open, move
//! no deliveries. Built in are every country, the regions of a few, and the
//! common financial calendars; a user's own lists come first.

mod builtin;
mod federal;

use super::Day;

/// The public holidays of one country (or of one user's own list).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolidayCalendar {
    /// `US`, `DE`, `GB-ENG`, `XNYS`, … or the name of a user's own list.
    pub code: String,
    /// Ascending.
    days: Vec<Day>,
}

/// The holiday calendars that are known: a user's own and the built-in ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holidays {
    own: Vec<HolidayCalendar>,
}

impl HolidayCalendar {
    /// A calendar from its days, in any order.
    pub fn new(code: &str, days: impl IntoIterator<Item = Day>) -> HolidayCalendar {
        let mut days: Vec<Day> = days.into_iter().collect();
        days.sort_unstable();
        days.dedup();
        HolidayCalendar {
            code: code.to_owned(),
            days,
        }
    }

    /// Is the day a holiday?
    pub fn contains(&self, day: Day) -> bool {
        self.days.binary_search(&day).is_ok()
    }

    /// The holidays, ascending.
    pub fn days(&self) -> &[Day] {
        &self.days
    }
}

impl Holidays {
    /// The built-in calendars.
    pub fn builtin() -> Holidays {
        Holidays::default()
    }

    /// The built-in calendars, and a user's own before them: one with the code
    /// of a country replaces it.
    pub fn with_own(own: Vec<HolidayCalendar>) -> Holidays {
        Holidays { own }
    }

    /// The calendar of a code, in upper case: a country of ISO 3166 (`US`), a
    /// region (`GB-ENG`), a market (`XNYS` or `NYSE`, `XECB` or `TAR`); own
    /// lists first, whose codes match in any case.
    pub fn get(&self, code: &str) -> Option<&HolidayCalendar> {
        self.own
            .iter()
            .find(|calendar| calendar.code.eq_ignore_ascii_case(code))
            .or_else(|| builtin::get(code))
    }

    /// The codes of all calendars, aliases left out: own lists, then the
    /// built-in ones in alphabetical order, countries before markets.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().map(|calendar| calendar.code.as_str());
        let builtin = builtin::codes().filter(|code| !self.is_own(code));
        own.chain(builtin.map(|code| -> &str { code }))
    }

    /// All calendars, in the order of [`Holidays::codes`]: the candidates when
    /// a history is to say which one it follows. Read one by one as they are
    /// reached.
    pub fn candidates(&self) -> impl Iterator<Item = &HolidayCalendar> {
        self.codes().filter_map(|code| self.get(code))
    }

    fn is_own(&self, code: &str) -> bool {
        self.own
            .iter()
            .any(|calendar| calendar.code.eq_ignore_ascii_case(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    /// `holidays` and `working` are days apart by spaces.
    #[track_caller]
    fn check_days(code: &str, holidays: &str, working: &str) {
        let known = Holidays::builtin();
        let calendar = known.get(code).unwrap();
        for text in holidays.split(' ') {
            assert!(calendar.contains(day(text)), "{code} {text}");
        }
        for text in working.split(' ') {
            assert!(!calendar.contains(day(text)), "{code} {text}");
        }
    }

    #[test]
    fn countries_keep_the_days_they_are_known_for() {
        check_days("DE", "2024-05-09 2025-10-03 2017-10-31", "2018-10-31");
        check_days("FR", "2023-07-14 2025-06-09", "2025-06-06");
        check_days("GB", "2023-05-08 2022-09-19", "2024-04-01");
        check_days("JP", "2019-05-01 2020-07-24", "2019-05-07");
        check_days("IN", "2025-01-26 2025-10-02", "2025-01-27");
        check_days("BR", "2026-09-07 2026-04-21", "2026-09-08");
        check_days("CA", "2025-07-01 2025-09-01", "2025-11-28");
        check_days("AU", "2024-01-26 2024-04-25", "2024-07-04");
        check_days("PL", "2024-05-03 2024-11-11", "2024-05-02");
        check_days("SE", "2024-06-06 2024-05-01", "2024-06-07");
        check_days("CN", "2024-02-12 2024-10-01", "2024-02-19");
        check_days("KR", "2024-03-01 2024-08-15", "2024-08-16");
    }

    #[test]
    fn regions_add_to_their_country_and_markets_have_their_own_days() {
        check_days("GB-ENG", "2024-04-01 2024-08-26 2024-12-25", "2024-08-05");
        check_days("GB-SCT", "2024-08-05 2024-12-25", "2024-04-01");
        check_days("DE-BY", "2024-01-06 2024-10-03", "2024-10-31");
        check_days("XNYS", "2024-03-29 2001-09-12", "2024-10-14 2024-11-11");
        check_days("NYSE", "2024-03-29 2024-11-28", "2024-10-14");
        check_days("TAR", "2024-04-01 2024-05-01", "2024-05-09");
    }

    #[test]
    fn an_own_list_comes_before_the_country_of_the_same_code() {
        let own = vec![
            HolidayCalendar::new("DE", [day("2024-02-12")]),
            HolidayCalendar::new("plant closures", [day("2024-08-05"), day("2024-08-04")]),
        ];
        let known = Holidays::with_own(own);
        assert!(known.get("DE").unwrap().contains(day("2024-02-12")));
        assert!(!known.get("DE").unwrap().contains(day("2024-10-03")));
        assert!(known.get("PLANT CLOSURES").is_some());
        assert_eq!(known.codes().filter(|&code| code == "DE").count(), 1);
        assert_eq!(known.codes().next(), Some("DE"));
        let candidates: Vec<&str> = known.candidates().map(|c| c.code.as_str()).collect();
        assert_eq!(candidates, known.codes().collect::<Vec<_>>());
    }

    #[test]
    fn every_code_has_a_calendar_and_an_unknown_one_has_none() {
        let known = Holidays::builtin();
        assert_eq!(known.candidates().count(), known.codes().count());
        assert!(known.codes().count() > 300);
        for calendar in known.candidates() {
            assert!(!calendar.days().is_empty(), "{}", calendar.code);
        }
        assert_eq!(known.get("ZZ"), None);
        assert_eq!(known.get(""), None);
    }
}

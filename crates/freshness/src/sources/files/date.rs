//! Where in a path is the date, and which cycle does it name?
//!
//! Paths are dated as `2026-09-01`, `20260901`, `year=2026/month=9/day=1`,
//! `2026-W36`: said with the letters of strftime, and looked for as digits.

use freshness_core::arrivals::CycleName;
use jiff::civil::{Date, DateTime, ISOWeekDate, Weekday};
use jiff::tz::Offset;

/// How dates are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DateFormat(Vec<Item>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Text(char),
    /// A part of the date, and whether it is written without zeros before it.
    Part(Part, bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Year,
    ShortYear,
    Month,
    Day,
    DayOfYear,
    IsoYear,
    IsoWeek,
    Hour,
    Minute,
    Second,
}

/// Why a text is no format of dates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum DateFormatError {
    #[error(
        "unknown letter in a date: %{0} (known: %Y %y %m %d %j %G %V %H %M %S, and %-m for a month without a zero before it)"
    )]
    Letter(String),
    #[error("a date needs its year (%Y, %y, or %G with %V): {0}")]
    NoYear(String),
    #[error("a part of the date is there twice: {0}")]
    Twice(String),
}

impl Part {
    fn of(letter: char) -> Option<Part> {
        Some(match letter {
            'Y' => Part::Year,
            'y' => Part::ShortYear,
            'm' => Part::Month,
            'd' => Part::Day,
            'j' => Part::DayOfYear,
            'G' => Part::IsoYear,
            'V' => Part::IsoWeek,
            'H' => Part::Hour,
            'M' => Part::Minute,
            'S' => Part::Second,
            _ => return None,
        })
    }

    fn digits(self) -> usize {
        match self {
            Part::Year | Part::IsoYear => 4,
            Part::DayOfYear => 3,
            Part::ShortYear
            | Part::Month
            | Part::Day
            | Part::IsoWeek
            | Part::Hour
            | Part::Minute
            | Part::Second => 2,
        }
    }
}

impl DateFormat {
    pub(super) fn parse(text: &str) -> Result<DateFormat, DateFormatError> {
        let mut items = Vec::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                items.push(Item::Text(c));
                continue;
            }
            let mut letter = chars.next();
            let is_bare = letter == Some('-');
            if is_bare {
                letter = chars.next();
            }
            let unknown = || {
                let letters: Vec<char> = is_bare.then_some('-').into_iter().chain(letter).collect();
                DateFormatError::Letter(letters.into_iter().collect())
            };
            // %F is what people write for %Y-%m-%d.
            match letter {
                Some('%') if !is_bare => items.push(Item::Text('%')),
                Some('F') if !is_bare => {
                    let DateFormat(whole) = DateFormat::parse("%Y-%m-%d")?;
                    items.extend(whole);
                }
                Some(known) => {
                    items.push(Item::Part(Part::of(known).ok_or_else(unknown)?, is_bare));
                }
                None => return Err(unknown()),
            }
        }
        let format = DateFormat(items);
        let n = |part: Part| format.parts().filter(|known| *known == part).count();
        let is_twice = format.parts().any(|part| n(part) > 1);
        let has_iso = n(Part::IsoYear) == 1 && n(Part::IsoWeek) == 1;
        match n(Part::Year) + n(Part::ShortYear) + usize::from(has_iso) {
            _ if is_twice => Err(DateFormatError::Twice(text.to_owned())),
            0 => Err(DateFormatError::NoYear(text.to_owned())),
            1 => Ok(format),
            _ => Err(DateFormatError::Twice(text.to_owned())),
        }
    }

    fn parts(&self) -> impl Iterator<Item = Part> {
        self.0.iter().filter_map(|item| match item {
            Item::Part(part, _) => Some(*part),
            Item::Text(_) => None,
        })
    }

    /// As a regular expression with a group for each part.
    pub(super) fn regex(&self) -> String {
        let mut regex = String::new();
        for item in &self.0 {
            match item {
                Item::Text(c) => regex.push_str(&regex::escape(&c.to_string())),
                Item::Part(part, true) => {
                    regex.push_str(&format!("([0-9]{{1,{}}})", part.digits()));
                }
                Item::Part(part, false) => {
                    regex.push_str(&format!("([0-9]{{{}}})", part.digits()));
                }
            }
        }
        regex
    }

    /// As a glob that matches all dates, and perhaps more.
    pub(super) fn glob(&self) -> String {
        let mut glob = String::new();
        for item in &self.0 {
            match item {
                Item::Text('/') => glob.push('/'),
                Item::Text(c) if c.is_alphanumeric() || "-_.=".contains(*c) => glob.push(*c),
                Item::Text(_) => glob.push('?'),
                Item::Part(_, true) => glob.push('*'),
                Item::Part(part, false) => glob.push_str(&"[0-9]".repeat(part.digits())),
            }
        }
        glob
    }

    /// The cycle that the digits of the parts name, in their order; `None` if
    /// there is no such day.
    pub(super) fn cycle(&self, digits: &[&str]) -> Option<CycleName> {
        let read = |wanted: Part| -> Option<i16> {
            let mut both = self.parts().zip(digits);
            both.find(|(part, _)| *part == wanted)
                .and_then(|(_, digits)| digits.parse().ok())
        };
        let small =
            |part: Part, unless: i8| read(part).map_or(Some(unless), |n| i8::try_from(n).ok());
        let date = match (read(Part::IsoYear), read(Part::IsoWeek)) {
            (Some(year), Some(week)) => {
                let week = i8::try_from(week).ok()?;
                ISOWeekDate::new(year, week, Weekday::Monday).ok()?.date()
            }
            _ => {
                // As strftime has it: 69 is 1969, and 68 is 2068.
                let short = |year: i16| if year < 69 { year + 2000 } else { year + 1900 };
                let year = read(Part::Year).or_else(|| read(Part::ShortYear).map(short))?;
                match read(Part::DayOfYear) {
                    Some(day) => {
                        let first = Date::new(year, 1, 1).ok()?;
                        (1..=first.days_in_year()).contains(&day).then_some(())?;
                        first.with().day_of_year(day).build().ok()?
                    }
                    None => {
                        let (month, day) = (small(Part::Month, 1)?, small(Part::Day, 1)?);
                        Date::new(year, month, day).ok()?
                    }
                }
            }
        };
        let (hour, minute) = (small(Part::Hour, 0)?, small(Part::Minute, 0)?);
        let time = jiff::civil::Time::new(hour, minute, small(Part::Second, 0)?, 0).ok()?;
        let at = Offset::UTC
            .to_timestamp(DateTime::from_parts(date, time))
            .ok()?;
        Some(CycleName::Civil(at.as_second()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, digits: &[&str]) -> String {
        let format = match DateFormat::parse(format) {
            Ok(format) => format,
            Err(error) => return error.to_string(),
        };
        format
            .cycle(digits)
            .map_or("none".to_owned(), |cycle| cycle.to_string())
    }

    #[test]
    fn digits_name_a_cycle() {
        assert_eq!(
            check("%Y-%m-%d", &["2026", "09", "01"]),
            "2026-09-01T00:00:00"
        );
        assert_eq!(check("%F", &["2026", "09", "01"]), "2026-09-01T00:00:00");
        assert_eq!(
            check("%Y%m%d_%H%M", &["2026", "09", "01", "05", "30"]),
            "2026-09-01T05:30:00"
        );
        assert_eq!(
            check("year=%Y/month=%-m", &["2026", "9"]),
            "2026-09-01T00:00:00"
        );
        assert_eq!(
            check("%d.%m.%y", &["01", "09", "26"]),
            "2026-09-01T00:00:00"
        );
        assert_eq!(check("%Y/%j", &["2026", "244"]), "2026-09-01T00:00:00");
        assert_eq!(check("%G-W%V", &["2026", "36"]), "2026-08-31T00:00:00");
    }

    #[test]
    fn days_that_do_not_exist_name_none() {
        for (format, digits) in [
            ("%Y-%m-%d", &["2026", "02", "30"][..]),
            ("%Y-%m-%d", &["2026", "00", "10"]),
            ("%Y%j", &["2026", "366"]),
            ("%G-%V", &["2026", "54"]),
            ("%Y%H", &["2026", "25"]),
        ] {
            assert_eq!(check(format, digits), "none", "{format}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        assert!(check("%Y-%b", &[]).starts_with("unknown letter in a date: %b "));
        assert!(check("%Y-%-%", &[]).starts_with("unknown letter in a date: %-% "));
        assert!(check("%Y%", &[]).starts_with("unknown letter in a date: % "));
        assert!(check("%m-%d", &[]).starts_with("a date needs its year "));
        assert_eq!(
            check("%Y%m%m", &[]),
            "a part of the date is there twice: %Y%m%m"
        );
        assert_eq!(
            check("%y %Y", &[]),
            "a part of the date is there twice: %y %Y"
        );
    }
}

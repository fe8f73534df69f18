//! How is a calendar written?
//!
//! | text | meaning |
//! |---|---|
//! | `every 15 minutes`, `hourly`, `every 6 hours` | a grid, around the clock |
//! | `hourly Mon–Fri 09–17; Sat 10–12` | … in these hours (the last included) |
//! | `06:00, 18:00 Mon–Fri` | set times |
//! | `daily`, `Mon–Fri`, `Mon, Wed, Fri`, `weekly Wed` | days of the week |
//! | `business days US`, `business days US +1` | … or the day after them |
//! | `weekly business day 3 US`, `weekly business day 3 US +1` | once a week, later after a holiday |
//! | `monthly day 1`, `monthly last day` | a day of the month |
//! | `monthly business day 3 US`, `monthly last business day US` | a business day |
//! | `irregular` | no calendar |
//!
//! Case does not matter, `-` may stand for `–`.

use std::fmt;
use std::str::FromStr;

use super::{Calendar, DayRule, HoursOfWeek, MonthRule};
use crate::civil::{Weekday, WeekdaySet};

/// All that can be written, for messages.
pub const CALENDAR_FORMS: &str = "calendars are: every 15 minutes, hourly or every 6 hours, each perhaps with \
    days and hours such as Mon-Fri 09-17; set times such as 06:00, 18:00 Mon-Fri; daily, Mon-Fri, \
    Mon, Wed or weekly Wed; business days US or weekly business day 3 US, or +1 for the day after; \
    monthly day 1, monthly last day, monthly business day 3 US or monthly last business day US; \
    irregular";

/// The text is not a calendar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown calendar: {0} ({forms})", forms = CALENDAR_FORMS)]
pub struct CalendarError(pub String);

/// The text names no days of the week.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not days of the week: {0}")]
pub struct WeekdaysError(pub String);

impl fmt::Display for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Calendar::Grid { minutes, hours } => {
                match minutes {
                    60 => f.write_str("hourly")?,
                    m if m % 60 == 0 => write!(f, "every {} hours", m / 60)?,
                    m => write!(f, "every {m} minutes")?,
                }
                if *hours != HoursOfWeek::ALL {
                    write!(f, " {hours}")
                } else {
                    Ok(())
                }
            }
            Calendar::Times { times, days } => {
                let times: Vec<String> = times
                    .iter()
                    .map(|time| format!("{:02}:{:02}", time / 60, time % 60))
                    .collect();
                write!(f, "{}", times.join(", "))?;
                match days {
                    DayRule::Weekdays(WeekdaySet::ALL) => Ok(()),
                    days => write!(f, " {days}"),
                }
            }
            Calendar::Days(DayRule::Weekdays(WeekdaySet::ALL)) => f.write_str("daily"),
            Calendar::Days(DayRule::Weekdays(days)) if days.len() == 1 => {
                write!(f, "weekly {days}")
            }
            Calendar::Days(rule) => write!(f, "{rule}"),
            Calendar::Months(MonthRule::Day(day)) => write!(f, "monthly day {day}"),
            Calendar::Months(MonthRule::LastDay) => f.write_str("monthly last day"),
            Calendar::Months(MonthRule::BusinessDay { k, country }) => {
                write!(f, "monthly business day {k} {country}")
            }
            Calendar::Months(MonthRule::LastBusinessDay { country }) => {
                write!(f, "monthly last business day {country}")
            }
            Calendar::Irregular => f.write_str("irregular"),
        }
    }
}

impl fmt::Display for DayRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DayRule::Weekdays(days) => write!(f, "{days}"),
            DayRule::BusinessDays { country, after } => {
                write!(f, "business days {country}{}", After(*after))
            }
            DayRule::BusinessDayOfWeek { k, country, after } => {
                write!(f, "weekly business day {k} {country}{}", After(*after))
            }
        }
    }
}

/// ` +1` for the day after; nothing for the day itself.
struct After(u8);

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            days => write!(f, " +{days}"),
        }
    }
}

impl FromStr for Calendar {
    type Err = CalendarError;

    fn from_str(text: &str) -> Result<Calendar, CalendarError> {
        parse(&text.trim().to_lowercase().replace('–', "-"))
            .ok_or_else(|| CalendarError(text.to_owned()))
    }
}

impl FromStr for WeekdaySet {
    type Err = WeekdaysError;

    fn from_str(text: &str) -> Result<WeekdaySet, WeekdaysError> {
        weekdays(&text.trim().to_lowercase().replace('–', "-"))
            .ok_or_else(|| WeekdaysError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Calendar> {
    if let Some(rest) = text.strip_prefix("hourly") {
        return grid(60, rest);
    }
    if let Some(rest) = text.strip_prefix("every ") {
        if let Some(rest) = rest.strip_prefix("day") {
            return rest
                .is_empty()
                .then_some(Calendar::Days(DayRule::Weekdays(WeekdaySet::ALL)));
        }
        let (count, rest) = rest.split_once(' ')?;
        let (unit, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let factor = match unit {
            "minutes" | "minute" | "min" => 1,
            "hours" | "hour" | "h" => 60,
            _ => return None,
        };
        return grid(count.parse::<u16>().ok()?.checked_mul(factor)?, rest);
    }
    if let Some(rest) = text.strip_prefix("monthly ") {
        return month_rule(rest).map(Calendar::Months);
    }
    if let Some(rest) = text.strip_prefix("weekly business day ") {
        let (k, rest) = rest.split_once(' ')?;
        let k = k.parse().ok().filter(|k| (1..=5).contains(k))?;
        let (country, after) = country_and_after(rest)?;
        return Some(Calendar::Days(DayRule::BusinessDayOfWeek {
            k,
            country,
            after,
        }));
    }
    if let Some(rest) = text.strip_prefix("weekly ") {
        let days = weekdays(rest)?;
        return (days.len() == 1).then_some(Calendar::Days(DayRule::Weekdays(days)));
    }
    match text {
        "irregular" => Some(Calendar::Irregular),
        _ if text.contains(':') => set_times(text),
        _ => day_rule(text).map(Calendar::Days),
    }
}

fn grid(minutes: u16, hours: &str) -> Option<Calendar> {
    if !(5..=720).contains(&minutes) || 1_440 % minutes != 0 {
        return None;
    }
    let mut set = HoursOfWeek::NONE;
    if hours.trim().is_empty() {
        set = HoursOfWeek::ALL;
    }
    for part in hours
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        // The hours, if any, are the last word with a digit in it.
        let (days, hours) = match part.find(|c: char| c.is_ascii_digit()) {
            Some(at) => (part[..at].trim(), &part[at..]),
            None => (part, "0-23"),
        };
        let days = if days.is_empty() {
            WeekdaySet::ALL
        } else {
            weekdays(days)?
        };
        for range in hours.split(',').map(str::trim) {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            let (from, to) = (
                from.trim().parse::<usize>().ok()?,
                to.trim().parse::<usize>().ok()?,
            );
            if from > to || to > 23 {
                return None;
            }
            for weekday in days.iter() {
                (from..=to).for_each(|hour| set.insert(weekday, hour));
            }
        }
    }
    // Nothing but separators: no hour at all is no calendar.
    (!set.is_empty()).then_some(Calendar::Grid {
        minutes,
        hours: set,
    })
}

fn set_times(text: &str) -> Option<Calendar> {
    let mut times = Vec::new();
    let mut days = Vec::new();
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        match word.split_once(':') {
            Some((hour, minute)) if days.is_empty() => {
                let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
                if hour > 23 || minute > 59 {
                    return None;
                }
                times.push(hour * 60 + minute);
            }
            _ => days.push(word),
        }
    }
    times.sort_unstable();
    times.dedup();
    let days = match days.is_empty() {
        true => DayRule::Weekdays(WeekdaySet::ALL),
        false => day_rule(&days.join(" "))?,
    };
    Some(Calendar::Times { times, days })
}

fn day_rule(text: &str) -> Option<DayRule> {
    if let Some(rest) = text.strip_prefix("business days ") {
        let (country, after) = country_and_after(rest)?;
        return Some(DayRule::BusinessDays { country, after });
    }
    weekdays(text).map(DayRule::Weekdays)
}

/// A country, and how many days after its business days: at most three.
fn country_and_after(text: &str) -> Option<(String, u8)> {
    let (country, after) = match text.split_once('+') {
        Some((country, after)) => (country, after.trim().parse().ok()?),
        None => (text, 0),
    };
    (after <= 3).then_some((code(country)?, after))
}

fn month_rule(text: &str) -> Option<MonthRule> {
    if text == "last day" {
        return Some(MonthRule::LastDay);
    }
    if let Some(country) = text.strip_prefix("last business day ") {
        return Some(MonthRule::LastBusinessDay {
            country: code(country)?,
        });
    }
    if let Some(rest) = text.strip_prefix("business day ") {
        let (k, country) = rest.split_once(' ')?;
        let k = k.parse().ok().filter(|k| (1..=23).contains(k))?;
        return Some(MonthRule::BusinessDay {
            k,
            country: code(country)?,
        });
    }
    let day = text.strip_prefix("day ")?.parse().ok()?;
    (1..=31).contains(&day).then_some(MonthRule::Day(day))
}

fn code(text: &str) -> Option<String> {
    let code = text.trim().to_uppercase();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!code.is_empty() && code.chars().all(plain)).then_some(code)
}

fn weekdays(text: &str) -> Option<WeekdaySet> {
    if matches!(text.trim(), "daily" | "every day") {
        return Some(WeekdaySet::ALL);
    }
    let mut set = WeekdaySet(0);
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (weekday(from)?.index(), weekday(to)?.index());
        let last = if to < from { to + 7 } else { to };
        set = (from..=last).fold(set, |set, index| set.with(Weekday::from_index(index % 7)));
    }
    (!set.is_empty()).then_some(set)
}

fn weekday(text: &str) -> Option<Weekday> {
    const NAMES: [&str; 7] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let text = text.trim();
    (text.len() >= 3)
        .then(|| NAMES.iter().position(|name| name.starts_with(text)))
        .flatten()
        .map(Weekday::from_index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(text: &str, canonical: &str) {
        let calendar: Calendar = text.parse().unwrap();
        assert_eq!(calendar.to_string(), canonical);
        assert_eq!(canonical.parse::<Calendar>().unwrap(), calendar);
    }

    #[test]
    fn a_calendar_has_one_canonical_text() {
        check_text("Every 15 Minutes", "every 15 minutes");
        check_text("every 60 minutes", "hourly");
        check_text(
            "hourly mon-fri 9-17; sat 10-12,14",
            "hourly Mon–Fri 09–17; Sat 10–12,14",
        );
        check_text("every 6 hours", "every 6 hours");
        check_text("hourly sat,sun", "hourly Sat, Sun");
        check_text("18:00, 6:00 Mon-Fri", "06:00, 18:00 Mon–Fri");
        check_text("06:00 business days de", "06:00 business days DE");
        check_text("monday-friday", "Mon–Fri");
        check_text("Fri-Mon", "Mon, Fri–Sun");
        check_text("every day", "daily");
        check_text("wed", "weekly Wed");
        check_text("business days us +1", "business days US +1");
        check_text("Weekly business day 3 us", "weekly business day 3 US");
        check_text("weekly business day 3 US+1", "weekly business day 3 US +1");
        check_text("monthly business day 3 US", "monthly business day 3 US");
        check_text(
            "monthly last business day gb",
            "monthly last business day GB",
        );
        check_text("monthly day 31", "monthly day 31");
        check_text("irregular", "irregular");
    }

    #[test]
    fn what_is_not_a_calendar_is_quoted() {
        for text in [
            "",
            "dailyish",
            "every 7 minutes",
            "25:00",
            "monthly day 32",
            "hourly 9-25",
            "hourly;",
            "mo",
            "weekly mon,tue",
            "weekly business day 6 us",
            "weekly business day 3 us +4",
        ] {
            assert_eq!(
                text.parse::<Calendar>(),
                Err(CalendarError(text.to_owned())),
                "{text}"
            );
        }
    }
}

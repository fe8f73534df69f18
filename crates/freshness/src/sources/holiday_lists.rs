//! On which days does a user's own calendar not work?
//!
//! Read from iCalendar, as calendars of people export it, or from CSV with a
//! column `date`. Of iCalendar: all-day events, their first day to the day before
//! their end, once or every year. What else may be repeated is refused rather than
//! read as once.

use std::fs;
use std::path::Path;

use freshness_core::civil::Day;

/// No list of holidays is larger.
const BYTES_MAX: u64 = 8 << 20;

/// An event of more days is no holiday.
const EVENT_DAYS_MAX: i32 = 400;

/// Years in which what comes every year is a holiday.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2099;

/// Reads the days of a list, by the extension of its file: `.ics` or `.csv`.
/// Errors name the file and the line.
pub fn read_holidays(file: &Path) -> Result<Vec<Day>, String> {
    let name = file.display();
    let told = fs::metadata(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    if !told.is_file() {
        return Err(format!("cannot read {name}: not a file"));
    }
    if told.len() > BYTES_MAX {
        return Err(format!("larger than 8 MiB: {name}"));
    }
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    let text = text.trim_start_matches('\u{feff}');
    let is_calendar = text
        .trim_start()
        .to_ascii_uppercase()
        .starts_with("BEGIN:VCALENDAR");
    let days = match is_calendar {
        true => of_calendar(text),
        false => of_csv(text),
    };
    match days {
        Ok(days) if days.is_empty() => Err(format!("no days in {name}")),
        Ok(days) => Ok(days),
        Err((0, what)) => Err(format!("{name}: {what}")),
        Err((line, what)) => Err(format!("{name}:{line}: {what}")),
    }
}

/// A line, from 1, and what is wrong there.
type Fault = (usize, String);

fn of_csv(text: &str) -> Result<Vec<Day>, Fault> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let line_of = |position: Option<&csv::Position>| position.map_or(0, |at| at.line() as usize);
    let headers = reader.headers().map_err(|error| (1, error.to_string()))?;
    let named = |name: &str| name.eq_ignore_ascii_case("date") || name.eq_ignore_ascii_case("day");
    let Some(place) = headers.iter().position(named) else {
        let found: Vec<&str> = headers.iter().take(8).collect();
        return Err((
            1,
            format!("missing column: date (found: {})", found.join(", ")),
        ));
    };
    let mut days = Vec::new();
    for record in reader.records() {
        let record =
            record.map_err(|error| (line_of(error.position()), "not UTF-8 text".into()))?;
        let text = record.get(place).unwrap_or_default();
        if text.is_empty() && record.iter().all(str::is_empty) {
            continue;
        }
        let day = text.parse().map_err(|_| {
            let shown: String = text.chars().take(40).collect();
            (
                line_of(record.position()),
                format!("not a date, such as 2026-12-24: {shown}"),
            )
        })?;
        days.push(day);
    }
    Ok(days)
}

/// An event as far as it is read.
#[derive(Default)]
struct Event {
    line: usize,
    start: Option<Day>,
    end: Option<Day>,
    is_yearly: bool,
    until: Option<Day>,
    is_cancelled: bool,
}

fn of_calendar(text: &str) -> Result<Vec<Day>, Fault> {
    let mut days = Vec::new();
    let mut event: Option<Event> = None;
    for (line, content) in unfolded(text) {
        let Some((name, value)) = content.split_once(':') else {
            continue;
        };
        let (name, value) = (name.to_ascii_uppercase(), value.trim());
        let key = name.split(';').next().unwrap_or_default();
        match (key, &mut event) {
            ("BEGIN", _) if value.eq_ignore_ascii_case("VEVENT") => {
                event = Some(Event {
                    line,
                    ..Event::default()
                });
            }
            ("END", Some(_)) if value.eq_ignore_ascii_case("VEVENT") => {
                let ended = event.take().unwrap_or_default();
                days.extend(ended.days()?);
            }
            ("DTSTART", Some(event)) => event.start = day(line, &name, value)?,
            ("DTEND", Some(event)) => event.end = day(line, &name, value)?,
            ("STATUS", Some(event)) => event.is_cancelled = value.eq_ignore_ascii_case("CANCELLED"),
            ("RRULE", Some(event)) => {
                (event.is_yearly, event.until) = every_year(line, value)?;
            }
            ("RDATE" | "EXDATE", Some(_)) => {
                return Err((line, format!("{key} is not read; write its days as events")));
            }
            _ => {}
        }
    }
    match event {
        Some(open) => Err((open.line, "an event that is never ended".to_owned())),
        None => Ok(days),
    }
}

impl Event {
    fn days(self) -> Result<Vec<Day>, Fault> {
        // A meeting at an hour is no holiday.
        let (Some(start), false) = (self.start, self.is_cancelled) else {
            return Ok(Vec::new());
        };
        let n = self.end.map_or(1, |end| (end.0 - start.0).max(1));
        if n > EVENT_DAYS_MAX {
            return Err((self.line, format!("an event of {n} days")));
        }
        let starts: Vec<Day> = match self.is_yearly {
            false => vec![start],
            true => {
                let (first, month, of_month) = start.year_month_day();
                YEARS
                    .filter(|year| *year >= first)
                    .filter_map(|year| Day::of_date(year, month, of_month))
                    .filter(|day| self.until.is_none_or(|until| *day <= until))
                    .collect()
            }
        };
        let spread = |start: Day| (0..n).map(move |i| Day(start.0 + i));
        Ok(starts.into_iter().flat_map(spread).collect())
    }
}

/// Lines that begin with white space go on with the one before.
fn unfolded(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(more), Some((_, last))) => last.push_str(more),
            _ => lines.push((i + 1, line.to_owned())),
        }
    }
    lines
}

/// The day of an all-day event; `None` of one with a time.
fn day(line: usize, name: &str, value: &str) -> Result<Option<Day>, Fault> {
    let is_day = name.contains("VALUE=DATE") && !name.contains("VALUE=DATE-TIME");
    if !is_day && value.len() > 8 {
        return Ok(None);
    }
    let shown: String = value.chars().take(40).collect();
    date(value)
        .map(Some)
        .ok_or_else(|| (line, format!("not a date, such as 20261224: {shown}")))
}

/// `20261224`.
fn date(text: &str) -> Option<Day> {
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| text[from..to].parse::<i16>().ok();
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    Day::of_date(year, month as i8, day as i8)
}

/// Does a rule say every year, and until when? Others are refused.
fn every_year(line: usize, rule: &str) -> Result<(bool, Option<Day>), Fault> {
    let mut until = None;
    let mut is_yearly = false;
    for part in rule.split(';').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match (
            key.to_ascii_uppercase().as_str(),
            value.to_ascii_uppercase().as_str(),
        ) {
            ("FREQ", "YEARLY") => is_yearly = true,
            // They repeat what the first day says.
            ("INTERVAL", "1") | ("BYMONTH" | "BYMONTHDAY" | "WKST", _) => {}
            ("UNTIL", value) => until = date(value.get(..8).unwrap_or_default()),
            _ => {
                return Err((
                    line,
                    format!(
                        "a rule that is not once a year is not read: {part}; write its days as events"
                    ),
                ));
            }
        }
    }
    Ok((is_yearly, until))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str) -> Result<Vec<String>, Fault> {
        let days = match text.starts_with("BEGIN") {
            true => of_calendar(text),
            false => of_csv(text),
        };
        Ok(days?.iter().map(ToString::to_string).collect())
    }

    fn event(lines: &str) -> Result<Vec<String>, Fault> {
        days(&format!(
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        ))
    }

    #[test]
    fn an_all_day_event_is_its_days_without_its_end() {
        let two = event(
            "DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261226\r\nSUMMARY:Christmas\r\n  closed",
        );
        assert_eq!(two.unwrap(), ["2026-12-24", "2026-12-25"]);
        assert_eq!(
            event("DTSTART;VALUE=DATE:20260101").unwrap(),
            ["2026-01-01"]
        );
        assert_eq!(event("DTSTART:20260101T090000Z").unwrap(), [""; 0]);
        assert_eq!(
            event("DTSTART;VALUE=DATE:20260101\r\nSTATUS:CANCELLED").unwrap(),
            [""; 0]
        );
    }

    #[test]
    fn what_comes_every_year_does_so_until_it_ends_and_nothing_else_is_guessed() {
        let yearly = event("DTSTART;VALUE=DATE:20240229\r\nRRULE:FREQ=YEARLY;UNTIL=20320301");
        assert_eq!(yearly.unwrap(), ["2024-02-29", "2028-02-29", "2032-02-29"]);
        let (line, what) = event("DTSTART;VALUE=DATE:20240229\r\nRRULE:FREQ=WEEKLY").unwrap_err();
        assert_eq!(
            (line, what.as_str()),
            (
                4,
                "a rule that is not once a year is not read: FREQ=WEEKLY; write its days as events"
            )
        );
        assert!(event("DTSTART;VALUE=DATE:20261340").is_err());
        assert!(days("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101").is_err());
    }

    #[test]
    fn a_table_has_its_days_in_a_column() {
        assert_eq!(
            days("name,Date\nclosure,2026-08-03\n\n,2026-08-04\n").unwrap(),
            ["2026-08-03", "2026-08-04"]
        );
        assert_eq!(
            days("date\n2026-08-03\n3.8.2026\n").unwrap_err(),
            (3, "not a date, such as 2026-12-24: 3.8.2026".to_owned())
        );
        assert_eq!(
            days("when\n2026-08-03\n").unwrap_err(),
            (1, "missing column: date (found: when)".to_owned())
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_days_or_an_error(text in "(BEGIN:VEVENT\n|DTSTART:|RRULE:FREQ=YEARLY|END:VEVENT|[0-9]{8}|.|\n){0,40}") {
            let _ = of_calendar(&text);
            let _ = of_csv(&text);
        }
    }
}

//! How long is `1h30m`?
//!
//! | text | meaning |
//! |---|---|
//! | `90s`, `30m`, `5min`, `6h`, `1d`, `2w`, `500ms` | a number and a unit |
//! | `2 days`, `24hours`, `1.5 h`, `1_000s`, `1e3s` | … as people and programs write them |
//! | `1h30m`, `1d12h`, `1 day 12 hours` | several, the larger unit first |
//! | `24`, `1.5` | a number alone is hours |
//! | `PT1H`, `P1D`, `P1DT12H`, `P2W` | ISO 8601 |
//!
//! Case does not matter. A day is 24 hours and a week seven days; months and
//! years have no fixed length and are refused. The shortest unit is `ms`.

use crate::civil::{DAY, HOUR, MINUTE};

/// The text is no duration, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum DurationError {
    #[error("a duration is missing")]
    Empty,
    #[error("not a duration: {0}")]
    Unreadable(String),
    #[error("a month or year is not a fixed length: {0}")]
    NotFixed(String),
    #[error("not a unit of time: {0}")]
    Unit(String),
    #[error("larger units come first, each once: {0}")]
    Order(String),
    #[error("a duration is longer than nothing: {0}")]
    NotPositive(String),
    #[error("longer than 100 years: {0}")]
    TooLong(String),
}

/// What is longer was not meant: 100 years of 365.25 days.
const SECONDS_MAX: f64 = 36_525.0 * DAY as f64;

/// The units, the largest first, with their seconds.
const UNITS: [(&[&str], f64); 6] = [
    (&["w", "wk", "wks", "week", "weeks"], 7.0 * DAY as f64),
    (&["d", "day", "days"], DAY as f64),
    (&["h", "hr", "hrs", "hour", "hours"], HOUR as f64),
    (&["m", "min", "mins", "minute", "minutes"], MINUTE as f64),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (
        &["ms", "msec", "msecs", "millisecond", "milliseconds"],
        0.001,
    ),
];

const NOT_FIXED: [&str; 10] = [
    "mo", "mon", "mos", "month", "months", "y", "yr", "yrs", "year", "years",
];

/// Seconds of a duration, above 0.
pub fn duration_seconds(text: &str) -> Result<f64, DurationError> {
    let plain = text.trim().to_lowercase();
    if plain.is_empty() {
        return Err(DurationError::Empty);
    }
    let seconds = match plain.strip_prefix('p') {
        Some(iso) => iso_8601(iso, text)?,
        None => match number(&plain) {
            Some((hours, "")) => hours * HOUR as f64,
            _ => parts(&plain, text)?,
        },
    };
    checked(seconds, text)
}

/// Seconds of a number of hours, which is what a number alone means.
pub(super) fn hours_in_seconds(hours: f64) -> Result<f64, DurationError> {
    checked(hours * HOUR as f64, &hours.to_string())
}

/// The shortest text of a duration that is read back as the same: `1d12h`.
pub fn duration_text(seconds: f64) -> String {
    let mut rest = (seconds * 1_000.0).round() as i64;
    let mut text = String::new();
    for (names, unit) in UNITS.iter().skip(1) {
        let unit = (unit * 1_000.0) as i64;
        // 24h reads better than 1d, and 36h than 1d12h, up to two days.
        if names[0] == "d" && rest < 2 * unit {
            continue;
        }
        if rest >= unit {
            text.push_str(&format!("{}{}", rest / unit, names[0]));
            rest %= unit;
        }
    }
    match text.is_empty() {
        true => "0s".to_owned(),
        false => text,
    }
}

fn checked(seconds: f64, text: &str) -> Result<f64, DurationError> {
    match seconds {
        seconds if seconds.is_nan() => Err(DurationError::Unreadable(text.to_owned())),
        seconds if seconds <= 0.0 => Err(DurationError::NotPositive(text.to_owned())),
        seconds if seconds > SECONDS_MAX => Err(DurationError::TooLong(text.to_owned())),
        seconds => Ok(seconds),
    }
}

/// Numbers and units, the larger unit first.
fn parts(plain: &str, text: &str) -> Result<f64, DurationError> {
    let mut rest = plain;
    let mut seconds = 0.0;
    let mut last = None;
    while !rest.is_empty() {
        // A sign belongs to the whole: 1h-30m is no half hour.
        let inside = last.is_some() && rest.starts_with(['+', '-']);
        let Some((n, after)) = number(rest).filter(|_| !inside) else {
            return Err(DurationError::Unreadable(text.to_owned()));
        };
        let after = after.trim_start();
        let end = after
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        let unit = unit(word, text)?;
        if last.is_some_and(|last| unit <= last) {
            return Err(DurationError::Order(text.to_owned()));
        }
        last = Some(unit);
        seconds += n * UNITS[unit].1;
        rest = after.trim_start();
    }
    Ok(seconds)
}

/// The place of a unit among [`UNITS`].
fn unit(word: &str, text: &str) -> Result<usize, DurationError> {
    if NOT_FIXED.contains(&word) {
        return Err(DurationError::NotFixed(text.to_owned()));
    }
    UNITS
        .iter()
        .position(|(names, _)| names.contains(&word))
        .ok_or_else(|| match word.is_empty() {
            true => DurationError::Unreadable(text.to_owned()),
            false => DurationError::Unit(word.to_owned()),
        })
}

/// What follows the `P`: dates before the `T`, times after it.
fn iso_8601(iso: &str, text: &str) -> Result<f64, DurationError> {
    let unreadable = || DurationError::Unreadable(text.to_owned());
    let (days, times) = match iso.split_once('t') {
        Some((_, "")) => return Err(unreadable()),
        Some((days, times)) => (days, times),
        None => (iso, ""),
    };
    let mut seconds = 0.0;
    let mut n_parts = 0;
    for (mut rest, units) in [(days, "ymwd"), (times, "hms")] {
        let mut allowed = units;
        while !rest.is_empty() {
            let unsigned = !rest.starts_with(['+', '-']);
            let number = number(rest).filter(|_| unsigned);
            let (n, after) = number.ok_or_else(unreadable)?;
            let letter = after.chars().next().ok_or_else(unreadable)?;
            let at = allowed.find(letter).ok_or_else(unreadable)?;
            seconds += n * match (units, letter) {
                ("ymwd", 'y' | 'm') => return Err(DurationError::NotFixed(text.to_owned())),
                _ => UNITS[unit(&letter.to_string(), text)?].1,
            };
            allowed = &allowed[at + 1..];
            rest = &after[1..];
            n_parts += 1;
        }
    }
    match n_parts {
        0 => Err(unreadable()),
        _ => Ok(seconds),
    }
}

/// The number at the start of a text, and what follows it: digits, perhaps
/// parted by `_`, a fraction, an exponent.
fn number(text: &str) -> Option<(f64, &str)> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let negative = unsigned.strip_prefix('-');
    let start = negative.unwrap_or(unsigned);
    let whole = digits(start);
    let mut end = whole;
    if let Some(fraction) = start[end..].strip_prefix('.') {
        let n = digits(fraction);
        if whole + n == 0 {
            return None;
        }
        end += 1 + n;
    }
    if end == 0 {
        return None;
    }
    if let Some(exponent) = start[end..].strip_prefix('e') {
        let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let n = digits(signed);
        if n > 0 {
            end += 1 + (exponent.len() - signed.len()) + n;
        }
    }
    let n: f64 = start[..end].replace('_', "").parse().ok()?;
    Some((if negative.is_some() { -n } else { n }, &start[end..]))
}

/// Length of the digits at the start; a `_` stands between two of them.
fn digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut n = 0;
    while is_digit(n)
        || (n > 0 && bytes.get(n) == Some(&b'_') && is_digit(n - 1) && is_digit(n + 1))
    {
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<f64, &str>) {
        let found = duration_seconds(text).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("1h30m", 5_400.0),
            ("1h 30m", 5_400.0),
            ("2 days", 172_800.0),
            ("1 day 12 hours", 129_600.0),
            ("5m", 300.0),
            ("5 minutes", 300.0),
            ("2w", 1_209_600.0),
            (" 24H ", 86_400.0),
            (".5h", 1_800.0),
            ("5.h", 18_000.0),
            ("1m500ms", 60.5),
            ("1e-1h", 360.0),
        ] {
            check(text, Ok(seconds));
        }
    }

    #[test]
    fn iso_durations_are_read_too() {
        for (text, seconds) in [
            ("PT1H", 3_600.0),
            ("P1D", 86_400.0),
            ("P1DT12H", 129_600.0),
            ("P2W", 1_209_600.0),
            ("pt30m", 1_800.0),
            ("PT0.5H", 1_800.0),
            ("PT1H30M10S", 5_410.0),
        ] {
            check(text, Ok(seconds));
        }
    }

    #[test]
    fn what_has_no_fixed_length_or_no_sense_is_refused() {
        for (text, why) in [
            ("", "a duration is missing"),
            ("P1M", "a month or year is not a fixed length: P1M"),
            ("P1Y", "a month or year is not a fixed length: P1Y"),
            (
                "2 months",
                "a month or year is not a fixed length: 2 months",
            ),
            ("0h", "a duration is longer than nothing: 0h"),
            ("-1h", "a duration is longer than nothing: -1h"),
            ("1us", "not a unit of time: us"),
            ("30m1h", "larger units come first, each once: 30m1h"),
            ("1h1h", "larger units come first, each once: 1h1h"),
            ("h", "not a duration: h"),
            ("1h-30m", "not a duration: 1h-30m"),
            ("1h+30m", "not a duration: 1h+30m"),
            ("PT-1H", "not a duration: PT-1H"),
            ("1h30", "not a duration: 1h30"),
            ("0x10h", "not a unit of time: x"),
            ("1e400h", "longer than 100 years: 1e400h"),
            ("1,5h", "not a duration: 1,5h"),
            ("1__0s", "not a duration: 1__0s"),
            ("P", "not a duration: P"),
            ("PT", "not a duration: PT"),
            ("P1H", "not a duration: P1H"),
            ("PT1D", "not a duration: PT1D"),
            ("1e9d", "longer than 100 years: 1e9d"),
            ("1e999h", "longer than 100 years: 1e999h"),
            ("１h", "not a duration: １h"),
        ] {
            check(text, Err(why));
        }
    }

    #[test]
    fn a_text_is_read_back_as_the_same_duration() {
        for (seconds, text) in [
            (86_400.0, "24h"),
            (129_600.0, "36h"),
            (172_800.0, "2d"),
            (5_400.0, "1h30m"),
            (0.5, "500ms"),
            (300.0, "5m"),
        ] {
            assert_eq!(duration_text(seconds), text);
            check(text, Ok(seconds));
        }
    }
}

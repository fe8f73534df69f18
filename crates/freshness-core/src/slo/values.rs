//! What does a value of a declaration mean, and is it one?

use super::duration::{DurationError, duration_seconds, hours_in_seconds};
use super::node::{Content, Node, Scalar};
use super::service_levels::DayPromise;
use crate::civil::{UnknownZone, WeekdaySet, Zone};
use crate::schedule::{Calendar, CalendarError, DayRule};

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ValueError {
    #[error("expected {expected}, found {found}")]
    Type {
        expected: &'static str,
        found: &'static str,
    },
    #[error("expected {expected}: {found}")]
    Range {
        expected: &'static str,
        found: String,
    },
    #[error("expected one of {}: {found}", known.join(", "))]
    NotOneOf {
        found: String,
        known: &'static [&'static str],
    },
    #[error(transparent)]
    Duration(#[from] DurationError),
    #[error(transparent)]
    Zone(#[from] UnknownZone),
    #[error(transparent)]
    Calendar(#[from] CalendarError),
    #[error("a calendar of days is needed, such as Mon-Fri or business days DE: {0}")]
    NoDays(String),
}

const NUMBER: &str = "a number";
const PERCENT: &str = "a percentage from 0 to 100";
const SHARE: &str = "a share from 0 to 1 (99 % is 0.99)";
const FACTOR: &str = "a number from 0";
const COUNT: &str = "a whole number from 0 to 2^53";
const COUNT_FROM_ONE: &str = "a whole number from 1";

/// Rows are compared and shown as numbers of double precision, which hold every
/// whole number up to this one exactly (IEEE 754).
const COUNT_MOST: u64 = 1 << 53;
const TEXT: &str = "text";
const TIME_OF_DAY: &str = "a time of day such as 07:30";
const WEEKDAYS: &str = "days of the week such as Mon-Fri or [Mon, Wed]";

/// Text that is not empty. A number is text where only text can be meant.
pub(super) fn text(node: &Node) -> Result<String, ValueError> {
    let text = match scalar(node, TEXT)? {
        Scalar::Flag(_) => return Err(wrong_type(node, TEXT)),
        scalar => scalar.to_string(),
    };
    match text.trim().is_empty()
        || text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    {
        true => Err(ValueError::Range {
            expected: "text without control characters, and not empty",
            found: text.escape_debug().to_string(),
        }),
        false => Ok(text.trim_end().to_owned()),
    }
}

/// Seconds.
pub(super) fn duration(node: &Node) -> Result<f64, ValueError> {
    let expected = "a duration such as 6h, 1h30m or 2 days";
    Ok(match scalar(node, expected)? {
        Scalar::Text(text) => duration_seconds(text)?,
        Scalar::Integer(hours) => hours_in_seconds(*hours as f64)?,
        Scalar::Float(hours) => hours_in_seconds(*hours)?,
        Scalar::Flag(_) => return Err(wrong_type(node, expected)),
    })
}

pub(super) fn percent(node: &Node) -> Result<f64, ValueError> {
    let (n, _) = number(node)?;
    within(node, n, 100.0, PERCENT)
}

pub(super) fn share(node: &Node) -> Result<f64, ValueError> {
    let (n, is_percent) = number(node)?;
    within(node, if is_percent { n / 100.0 } else { n }, 1.0, SHARE)
}

pub(super) fn factor(node: &Node) -> Result<f64, ValueError> {
    let (n, is_percent) = number(node)?;
    within(
        node,
        if is_percent { n / 100.0 } else { n },
        COUNT_MOST as f64,
        FACTOR,
    )
}

pub(super) fn count(node: &Node) -> Result<u64, ValueError> {
    count_from(node, 0, COUNT)
}

pub(super) fn count_from_one(node: &Node) -> Result<u32, ValueError> {
    let n = count_from(node, 1, COUNT_FROM_ONE)?;
    u32::try_from(n).map_err(|_| out_of_range(node, COUNT_FROM_ONE))
}

pub(super) fn flag(node: &Node) -> Result<bool, ValueError> {
    match scalar(node, "true or false")? {
        Scalar::Flag(flag) => Ok(*flag),
        Scalar::Text(text) if text == "true" => Ok(true),
        Scalar::Text(text) if text == "false" => Ok(false),
        _ => Err(wrong_type(node, "true or false")),
    }
}

pub(super) fn one_of(
    node: &Node,
    known: &'static [&'static str],
) -> Result<&'static str, ValueError> {
    let text = scalar(node, TEXT)?.to_string();
    let found = known.iter().find(|word| **word == text);
    found
        .copied()
        .ok_or(ValueError::NotOneOf { found: text, known })
}

pub(super) fn zone(node: &Node) -> Result<Zone, ValueError> {
    match scalar(node, "a time zone such as Europe/Berlin")? {
        Scalar::Text(name) => Ok(Zone::named(name.trim())?),
        _ => Err(wrong_type(node, "a time zone such as Europe/Berlin")),
    }
}

/// Minutes after local midnight.
pub(super) fn time_of_day(node: &Node) -> Result<DayPromise, ValueError> {
    let Scalar::Text(text) = scalar(node, TIME_OF_DAY)? else {
        return Err(wrong_type(node, TIME_OF_DAY));
    };
    day_promise(text).ok_or_else(|| out_of_range(node, TIME_OF_DAY))
}

/// `7:30`, `07:30`; also with seconds that are none.
pub(super) fn day_promise(text: &str) -> Option<DayPromise> {
    let mut parts = text.trim().split(':');
    let mut two_digits = || {
        let part = parts.next()?;
        let plain = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse::<u16>().ok().filter(|_| plain)
    };
    let (hour, minute) = (two_digits()?, two_digits()?);
    let whole = matches!(parts.next(), None | Some("00")) && parts.next().is_none();
    (whole && hour < 24 && minute < 60).then_some(DayPromise {
        minutes: hour * 60 + minute,
    })
}

/// Days of the week: a list of names and ranges, or a text of them.
pub(super) fn weekdays(node: &Node) -> Result<Calendar, ValueError> {
    let text = match &node.holds {
        Content::List(days) => days
            .iter()
            .map(|day| scalar(day, WEEKDAYS).map(Scalar::to_string))
            .collect::<Result<Vec<_>, _>>()?
            .join(", "),
        _ => scalar(node, WEEKDAYS)?.to_string(),
    };
    let refused = || ValueError::Range {
        expected: WEEKDAYS,
        found: text.clone(),
    };
    let weekly = format!("weekly {text}");
    let found = [text.as_str(), &weekly]
        .into_iter()
        .find_map(|text| match text.parse() {
            Ok(Calendar::Days(DayRule::Weekdays(days))) if days != WeekdaySet(0) => Some(days),
            _ => None,
        });
    found
        .map(|days| Calendar::Days(DayRule::Weekdays(days)))
        .ok_or_else(refused)
}

/// A calendar that says which days are meant. Whether the country of it is
/// known, holidays tell that are not read here.
pub(super) fn calendar(node: &Node) -> Result<Calendar, ValueError> {
    let expected = "a calendar such as business days DE";
    let Scalar::Text(text) = scalar(node, expected)? else {
        return Err(wrong_type(node, expected));
    };
    match text.parse()? {
        calendar @ (Calendar::Days(_) | Calendar::Months(_)) => Ok(calendar),
        Calendar::Grid { .. } | Calendar::Times { .. } | Calendar::Irregular => {
            Err(ValueError::NoDays(text.clone()))
        }
    }
}

fn scalar<'a>(node: &'a Node, expected: &'static str) -> Result<&'a Scalar, ValueError> {
    match &node.holds {
        Content::Value(scalar) => Ok(scalar),
        _ => Err(wrong_type(node, expected)),
    }
}

/// A number, and whether `%` stands behind it.
fn number(node: &Node) -> Result<(f64, bool), ValueError> {
    match scalar(node, NUMBER)? {
        Scalar::Integer(n) => Ok((*n as f64, false)),
        Scalar::Float(n) => Ok((*n, false)),
        Scalar::Flag(_) => Err(wrong_type(node, NUMBER)),
        Scalar::Text(text) => {
            let (digits, is_percent) = match text.trim().strip_suffix('%') {
                Some(digits) => (digits.trim_end(), true),
                None => (text.trim(), false),
            };
            let n = digits.replace('_', "").parse().ok();
            let n = n.filter(|n: &f64| n.is_finite());
            n.map(|n| (n, is_percent))
                .ok_or_else(|| out_of_range(node, NUMBER))
        }
    }
}

fn count_from(node: &Node, least: u64, expected: &'static str) -> Result<u64, ValueError> {
    let n = match scalar(node, expected)? {
        Scalar::Integer(n) => u64::try_from(*n).ok(),
        Scalar::Float(n) if n.fract() == 0.0 && (0.0..1e15).contains(n) => Some(*n as u64),
        Scalar::Float(_) => None,
        // Typed without quotes, zeros and underscores leave a number a text.
        Scalar::Text(text) if is_typed_as_text(text) => text.replace('_', "").parse().ok(),
        Scalar::Text(text) if text.parse::<u64>().is_ok_and(|n| n <= COUNT_MOST) => {
            return Err(wrong_type(node, expected));
        }
        Scalar::Text(_) => None,
        Scalar::Flag(_) => return Err(wrong_type(node, expected)),
    };
    n.filter(|n| (least..=COUNT_MOST).contains(n))
        .ok_or_else(|| out_of_range(node, expected))
}

/// `1_000`, `007`.
fn is_typed_as_text(text: &str) -> bool {
    let starts = |c: char| text.starts_with(c);
    text.len() > 1 && ((text.contains('_') && !starts('_')) || starts('0'))
}

fn within(node: &Node, n: f64, most: f64, expected: &'static str) -> Result<f64, ValueError> {
    match (0.0..=most).contains(&n) {
        true => Ok(n),
        false => Err(out_of_range(node, expected)),
    }
}

fn wrong_type(node: &Node, expected: &'static str) -> ValueError {
    ValueError::Type {
        expected,
        found: node.kind(),
    }
}

fn out_of_range(node: &Node, expected: &'static str) -> ValueError {
    match &node.holds {
        Content::Value(scalar) => ValueError::Range {
            expected,
            found: scalar.to_string(),
        },
        _ => wrong_type(node, expected),
    }
}

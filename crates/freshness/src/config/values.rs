//! How is the value of a setting read?
//!
//! Flags, variables and the file are read by the same functions, so that a
//! value means the same in all three and is refused in the same words.

use std::time::Duration;

use clap::ValueEnum;
use freshness_core::civil::Zone;
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use serde::Deserializer;

use super::file;

/// A length of time above zero, as typed in the file; a day has 24 hours.
pub(crate) type Age = SignedDuration;

/// Most threads that may be asked for.
const MOST_THREADS: u16 = 1_024;

/// An instant, such as `2026-03-01T07:00:00Z`.
pub(crate) fn instant(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "expected a time with an offset, such as 2026-03-01T07:00:00Z".to_owned())
}

/// How long to wait, such as `30s`.
pub(crate) fn wait(text: &str) -> Result<SignedDuration, String> {
    text.parse::<SignedDuration>()
        .ok()
        .filter(|wait| !wait.is_negative())
        .ok_or_else(|| "expected a duration from 0 on, such as 30s or 2m".to_owned())
}

/// A number of threads.
pub(crate) fn threads(text: &str) -> Result<u16, String> {
    text.parse()
        .ok()
        .filter(|threads| (1..=MOST_THREADS).contains(threads))
        .ok_or_else(|| format!("expected a whole number from 1 to {MOST_THREADS}, such as 4"))
}

/// A share of ordinary cycles. Zero would mean a deadline that is never
/// reached.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|&share| share > 0.0 && share < 1.0)
        .ok_or_else(|| "expected a share between 0 and 1, such as 0.001".to_owned())
}

/// False alarms a month. Zero would mean a deadline that is never reached.
pub(crate) fn alarms(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|&alarms: &f64| alarms > 0.0 && alarms <= 100.0)
        .ok_or_else(|| "expected a number above 0 and up to 100, such as 0.1".to_owned())
}

/// A seed.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "expected a whole number that is not negative, such as 7".to_owned())
}

/// Yes or no.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    text.parse()
        .map_err(|_| "expected `true` or `false`".to_owned())
}

/// A length of time above zero, such as `36h` or `2d`.
pub(crate) fn age(text: &str) -> Result<Age, String> {
    text.parse::<Span>()
        .and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()))
        .ok()
        .filter(SignedDuration::is_positive)
        .ok_or_else(|| "expected a duration above 0, such as 36h or 2d".to_owned())
}

/// A zone, such as `Europe/Berlin`.
pub(crate) fn zone(text: &str) -> Result<Zone, String> {
    Zone::named(text)
        .map_err(|_| "expected the name of a time zone, such as UTC or Europe/Berlin".to_owned())
}

/// An age as typed, or what it is if nobody says.
pub(crate) fn or(age: Option<Age>, usual: Duration) -> Duration {
    age.and_then(|age| Duration::try_from(age).ok())
        .unwrap_or(usual)
}

/// … in the file.
pub(crate) fn typed_share<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<f64>, D::Error> {
    file::read(typed, share)
}

/// … in the file.
pub(crate) fn typed_alarms<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<f64>, D::Error> {
    file::read(typed, alarms)
}

/// … in the file.
pub(crate) fn typed_switch<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<bool>, D::Error> {
    file::read(typed, switch)
}

/// … in the file.
pub(crate) fn typed_age<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<Age>, D::Error> {
    file::read(typed, age)
}

/// … in the file.
pub(crate) fn typed_wait<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<Age>, D::Error> {
    file::read(typed, wait)
}

/// … in the file.
pub(crate) fn typed_zone<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<Zone>, D::Error> {
    file::read(typed, zone)
}

/// One of a few words.
pub(crate) fn choice<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, true).map_err(|_| {
        let known: Vec<String> = T::value_variants()
            .iter()
            .filter_map(|variant| Some(variant.to_possible_value()?.get_name().to_owned()))
            .collect();
        format!("expected one of {}", known.join(", "))
    })
}

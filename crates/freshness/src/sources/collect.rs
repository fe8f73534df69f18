//! How is a configured source read, whatever kind it is?
//!
//! Each kind has one function, `collect(settings, asked)`: it reads what is new
//! since its cursor, says it as [`Told`], and says where to go on next time. The
//! cursor is the source's own text; it is stored with what was told or not at
//! all, so a source may be read twice and never skipped.

use std::fmt;

use super::openlineage::Events;
use super::problem::{BadRows, NAIVE_TIME_HINT};
use super::told::Told;

/// What a source is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Its name in freshness.yaml.
    pub name: &'a str,
    /// Where to go on, as it said last time; `None`: from the beginning.
    pub cursor: Option<&'a str>,
    /// The present, UTC seconds.
    pub now: i64,
}

/// What a source told.
#[derive(Default)]
pub struct Collected {
    /// What is new, or told again: storing it twice changes nothing.
    pub told: Told,
    /// Events whose runs may have been told of before: what they tell follows from both.
    pub events: Option<Box<Events>>,
    /// Where to go on next time; `None`: from the beginning.
    pub cursor: Option<String>,
}

/// Why a source told nothing. Holds no secret and no value of a row but the one
/// that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotCollected {
    /// What is wrong, in lower case.
    pub what: String,
    /// What helps, if it is known.
    pub hint: Option<String>,
}

impl NotCollected {
    /// A reason without a remedy.
    pub fn new(what: impl fmt::Display) -> NotCollected {
        NotCollected {
            what: what.to_string(),
            hint: None,
        }
    }

    /// … and with one.
    pub fn with_hint(what: impl fmt::Display, hint: Option<impl Into<String>>) -> NotCollected {
        let hint = hint
            .map(Into::into)
            .map(|hint: String| match hint.as_str() {
                // A source has keys and no flags.
                NAIVE_TIME_HINT => {
                    "say what such times mean: `assume_zone` of the source".to_owned()
                }
                _ => hint,
            });
        NotCollected {
            what: what.to_string(),
            hint,
        }
    }
}

impl NotCollected {
    /// Rows that mean nothing: how many, and the first.
    pub(super) fn of_rows(bad: &BadRows) -> NotCollected {
        let kinds: Vec<String> = bad
            .by_kind()
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        let rows = if bad.n() == 1 { "row" } else { "rows" };
        let mut what = format!("{} bad {rows} ({})", bad.n(), kinds.join(", "));
        if let Some(first) = bad.first().first() {
            what.push_str(&format!(": {first}"));
        }
        NotCollected::with_hint(what, bad.hints().first().copied())
    }
}

impl fmt::Display for NotCollected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for NotCollected {}

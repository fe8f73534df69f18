//! How is PostgreSQL asked for the times of a column?
//!
//! A text is cast only if a pattern says that the cast cannot fail, month
//! lengths and leap years included: one bad value among millions must be
//! quoted, not end the query. The patterns use no backslash, so that they mean
//! the same whatever `standard_conforming_strings` is.

use super::column::Kind;
use super::query::TimesSql;
use super::table_name::literal;

/// A day that exists, in a year from 1: `2026-9-1`, `2024-02-29`.
const DAY: &str = "(?!0000)(?:[0-9]{4}-(?:0?[13578]|1[02])-(?:0?[1-9]|[12][0-9]|3[01])\
    |[0-9]{4}-(?:0?[469]|11)-(?:0?[1-9]|[12][0-9]|30)\
    |[0-9]{4}-0?2-(?:0?[1-9]|1[0-9]|2[0-8])\
    |(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-0?2-29)";

/// A time of day after it.
const CLOCK: &str = "(?:[Tt](?:[01][0-9]|2[0-3])| +(?:[01]?[0-9]|2[0-3])):[0-5][0-9]\
    (?::(?:[0-5][0-9]|60)(?:[.,][0-9]{1,12})?)?";

/// What says of a time where it is meant.
const OFFSET: &str = " ?(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)";

const NUMBER: &str = "^-?[0-9]{1,20}(?:[.][0-9]+)?$";

/// Longest part of a bad value that is quoted.
const QUOTED_MAX: u8 = 80;

/// The expressions for a column, its name quoted; `None` if it tells no time.
pub(super) fn times(kind: &Kind, column: &str) -> Option<TimesSql> {
    let epoch = |of: &str| format!("floor(extract(epoch FROM max({of})))");
    let plain = TimesSql {
        non_null: count(column),
        ..TimesSql::default()
    };
    Some(match kind {
        Kind::Instant => TimesSql {
            at: Some(text(&epoch(column))),
            ..plain
        },
        Kind::Local | Kind::Day => TimesSql {
            local: Some(text(&epoch(column))),
            ..plain
        },
        Kind::Number => {
            let number = format!("{column}::numeric");
            TimesSql {
                at: Some(text(&seconds(&number))),
                bad: Some(format!(
                    "min({column}::text) FILTER (WHERE NOT abs({number}) < 1e20)"
                )),
                ..plain
            }
        }
        Kind::Text => {
            let value = format!("nullif(btrim({column}::text, E' \\t\\r\\n'), '')");
            let is = |pattern: &str| format!("{value} ~ {}", literal(pattern));
            let zoned = is(&format!("^{DAY}{CLOCK}{OFFSET}$"));
            let local = is(&format!("^{DAY}(?:{CLOCK})?$"));
            let number = is(NUMBER);
            let cast = |when: &str, to: &str| {
                format!("CASE WHEN {when} THEN replace({value}, ',', '.')::{to} END")
            };
            TimesSql {
                non_null: count(&value),
                at: Some(text(&format!(
                    "greatest({}, {})",
                    epoch(&cast(&zoned, "timestamptz")),
                    seconds(&cast(&number, "numeric")),
                ))),
                local: Some(text(&epoch(&cast(&local, "timestamp")))),
                bad: Some(format!(
                    "min(left({value}, {QUOTED_MAX})) FILTER (WHERE NOT ({zoned} OR {local} OR {number}))"
                )),
            }
        }
        Kind::Other(_) => return None,
    })
}

/// Counts as text.
pub(super) fn count(of: &str) -> String {
    text(&format!("count({of})"))
}

fn text(of: &str) -> String {
    format!("({of})::text")
}

/// The greatest of epoch numbers, each in the unit that its size tells.
fn seconds(number: &str) -> String {
    format!(
        "floor(max(CASE WHEN abs({number}) < 1e11 THEN {number} \
         WHEN abs({number}) < 1e14 THEN {number} / 1e3 \
         WHEN abs({number}) < 1e17 THEN {number} / 1e6 \
         WHEN abs({number}) < 1e20 THEN {number} / 1e9 END))"
    )
}

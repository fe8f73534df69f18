//! How is PostgreSQL asked for the times of a column?
//!
//! A text is cast only if a pattern says that the cast cannot fail, month
//! lengths and leap years included: one bad value among millions must be
//! quoted, not end the query. The patterns use no backslash, so that they mean
//! the same whatever `standard_conforming_strings` is.

use super::column::Kind;
use super::query::TimesSql;
use super::table_name::literal;

/// A day that exists, in a year from 1000: `2026-9-1`, `2024-02-29`. It looks
/// neither ahead nor back, which would cost half as much again.
const DAY: &str = "(?:[1-9][0-9]{3}-(?:0?[13578]|1[02])-(?:0?[1-9]|[12][0-9]|3[01])\
    |[1-9][0-9]{3}-(?:0?[469]|11)-(?:0?[1-9]|[12][0-9]|30)\
    |[1-9][0-9]{3}-0?2-(?:0?[1-9]|1[0-9]|2[0-8])\
    |(?:[1-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)-0?2-29)";

/// A time of day after it.
const CLOCK: &str = "(?:[Tt](?:[01][0-9]|2[0-3])| +(?:[01]?[0-9]|2[0-3])):[0-5][0-9]\
    (?::(?:[0-5][0-9]|60)(?:[.,][0-9]{1,12})?)?";

/// What says of a time where it is meant.
const OFFSET: &str = " ?(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)";

const NUMBER: &str = "^-?[0-9]{1,20}(?:[.][0-9]+)?$";

/// Longest part of a bad value that is quoted.
const QUOTED_MAX: u8 = 80;

/// The expressions for a column, its name quoted; `None` if it tells no time.
pub(super) fn times(kind: &Kind, column: &str, number: usize) -> Option<TimesSql> {
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
            let value = format!("freshness_value_{number}");
            let cast = |kind: &str, to: &str| {
                format!(
                    "CASE freshness_kind_{number} WHEN '{kind}' THEN replace({value}, ',', '.')::{to} END"
                )
            };
            TimesSql {
                non_null: count(&value),
                at: Some(text(&format!(
                    "greatest({}, {})",
                    epoch(&cast("zoned", "timestamptz")),
                    seconds(&format!("({})", cast("number", "numeric"))),
                ))),
                local: Some(text(&epoch(&cast("local", "timestamp")))),
                bad: Some(format!(
                    "min(left({value}, {QUOTED_MAX})) FILTER (WHERE freshness_kind_{number} = 'bad')"
                )),
                beside: Some(read_once(column, number)),
            }
        }
        Kind::Other(_) => return None,
    })
}

/// Reads each text once: its value, and what kind of time it is. `OFFSET 0`
/// keeps the planner from working it out again at every use.
fn read_once(column: &str, number: usize) -> String {
    let is = |pattern: &str| format!("v ~ {}", literal(pattern));
    let part = |from: u8| format!("substr(v, {from}, 2) COLLATE \"C\"");
    let (month, day) = (part(6), part(9));
    // What machines write is known by its digits, at a fraction of the cost of
    // a pattern.
    let usual = format!(
        "translate(left(v, 19), '123456789', '000000000') IN ('0000-00-00 00:00:00', '0000-00-00T00:00:00')
      AND left(v, 1) <> '0' AND {month} BETWEEN '01' AND '12'
      AND ({day} BETWEEN '01' AND '28' OR {day} IN ('29', '30') AND {month} <> '02'
        OR {day} = '31' AND {month} IN ('01', '03', '05', '07', '08', '10', '12'))
      AND {} <= '23' AND {} <= '59' AND {} <= '59'",
        part(12),
        part(15),
        part(18),
    );
    format!(
        "CROSS JOIN LATERAL (SELECT v AS freshness_value_{number},
    CASE WHEN {usual}
      AND substr(v, 20) IN ('', 'Z', ' UTC', '+00', '+00:00')
      THEN CASE WHEN length(v) = 19 THEN 'local' ELSE 'zoned' END
    WHEN {} THEN 'zoned'
    WHEN {} THEN 'local'
    WHEN {} THEN 'number'
    WHEN v IS NOT NULL THEN 'bad' END AS freshness_kind_{number}
  FROM (SELECT nullif(btrim({column}::text, E' \\t\\r\\n'), '') AS v OFFSET 0) w OFFSET 0) freshness_{number}",
        is(&format!("^{DAY}{CLOCK}{OFFSET}$")),
        is(&format!("^{DAY}(?:{CLOCK})?$")),
        is(NUMBER),
    )
}

/// A value as text; an instant as `@` and whole seconds since 1970, rounded
/// down, and a wall time as if it were one of UTC. An infinite one is none.
pub(super) fn value(kind: &Kind, column: &str) -> String {
    text(&match kind {
        Kind::Instant | Kind::Local | Kind::Day => format!(
            "CASE WHEN isfinite({column}) \
             THEN '@' || floor(extract(epoch FROM {column}))::bigint::text END"
        ),
        Kind::Text | Kind::Number | Kind::Other(_) => column.to_owned(),
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

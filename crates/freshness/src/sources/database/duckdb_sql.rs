//! How is DuckDB asked for the times of a column?
//!
//! A text is taken apart by one pattern: the wall time, which `try_cast` reads
//! or not, and the offset, which is taken off it. So it needs no extension for
//! time zones, and a bad value is quoted rather than the end of the query.

use super::column::Kind;
use super::query::TimesSql;
use super::table_name::literal;

/// Day, time of day, what says where it is meant, its sign, hours, minutes.
const TIME: &str = "^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})\
    (?:(?:[Tt]| +)([0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,12})?)?)\
    ( ?(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|([+-])(0[0-9]|1[0-4])(?::?([0-5][0-9]))?))?)?$";

const NUMBER: &str = "^-?[0-9]{1,20}(?:[.][0-9]+)?$";

/// The expressions for a column, its name quoted; `None` if it tells no time.
pub(super) fn times(kind: &Kind, column: &str) -> Option<TimesSql> {
    let plain = TimesSql {
        non_null: count(column),
        ..TimesSql::default()
    };
    Some(match kind {
        Kind::Instant => TimesSql {
            at: Some(epoch(&format!("max({column})"))),
            ..plain
        },
        Kind::Local | Kind::Day => TimesSql {
            local: Some(epoch(&format!("max({column})::TIMESTAMP"))),
            ..plain
        },
        Kind::Number => {
            let number = format!("{column}::DOUBLE");
            TimesSql {
                at: Some(whole(&seconds(&number))),
                bad: Some(format!(
                    "min({column}::VARCHAR) FILTER (WHERE NOT coalesce(abs({number}) < 1e20, true))"
                )),
                ..plain
            }
        }
        Kind::Text => {
            let value =
                format!("nullif(trim({column}::VARCHAR, ' ' || chr(9) || chr(10) || chr(13)), '')");
            let part = |n: u8| format!("regexp_extract({value}, {}, {n})", literal(TIME));
            let wall = format!(
                "try_cast(trim({} || ' ' || replace({}, ',', '.')) AS TIMESTAMP)",
                part(1),
                part(2),
            );
            let east = format!(
                "(CASE {} WHEN '-' THEN -1 ELSE 1 END) * (coalesce(try_cast({} AS INTEGER), 0) * 3600 \
                 + coalesce(try_cast({} AS INTEGER), 0) * 60)",
                part(4),
                part(5),
                part(6),
            );
            let number = format!(
                "CASE WHEN regexp_matches({value}, {}) THEN try_cast({value} AS DOUBLE) END",
                literal(NUMBER)
            );
            TimesSql {
                non_null: count(&value),
                at: Some(whole(&format!(
                    "greatest(max(CASE WHEN {} <> '' THEN epoch({wall}) - ({east}) END), {})",
                    part(3),
                    seconds(&format!("({number})")),
                ))),
                local: Some(epoch(&format!(
                    "max(CASE WHEN {} = '' THEN {wall} END)",
                    part(3)
                ))),
                bad: Some(format!(
                    "min(left({value}, 80)) FILTER (WHERE {value} IS NOT NULL AND {wall} IS NULL AND ({number}) IS NULL)"
                )),
                ..plain
            }
        }
        Kind::Other(_) => return None,
    })
}

/// A value as text; an instant as `@` and whole seconds since 1970, rounded
/// down, and a wall time as if it were one of UTC. An infinite one is none.
pub(super) fn value(kind: &Kind, column: &str) -> String {
    let value = match kind {
        Kind::Instant | Kind::Local | Kind::Day => {
            format!(
                "CASE WHEN isfinite({column}) THEN '@' || floor(epoch({column}))::BIGINT::VARCHAR END"
            )
        }
        Kind::Text | Kind::Number | Kind::Other(_) => column.to_owned(),
    };
    format!("({value})::VARCHAR")
}

/// Counts as text.
pub(super) fn count(of: &str) -> String {
    format!("count({of})::VARCHAR")
}

/// Epoch seconds of a timestamp; its name if it is infinite.
fn epoch(of: &str) -> String {
    format!(
        "CASE WHEN isfinite({of}) THEN {} ELSE ({of})::VARCHAR END",
        whole(&format!("epoch({of})"))
    )
}

fn whole(number: &str) -> String {
    format!("floor({number})::BIGINT::VARCHAR")
}

/// The greatest of epoch numbers, each in the unit that its size tells.
fn seconds(number: &str) -> String {
    format!(
        "max(CASE WHEN abs({number}) < 1e11 THEN {number} \
         WHEN abs({number}) < 1e14 THEN {number} / 1e3 \
         WHEN abs({number}) < 1e17 THEN {number} / 1e6 \
         WHEN abs({number}) < 1e20 THEN {number} / 1e9 END)"
    )
}

//! How does PostgreSQL answer a question of the user's own?
//!
//! Through a cursor in a transaction that reads only: a cursor takes nothing but
//! a query, and hands out as many rows at a time as are asked for.

use std::error::Error as StdError;

use freshness_core::civil::DAY;
use tokio_postgres::types::{FromSql, Kind, Type};
use tokio_postgres::{Client, Row};

use super::answer::{Counted, NAMED_BY, Question, Unanswered};
use super::postgres::Failure;
use crate::sources::problem::SourceError;
use crate::sources::table::{COLUMNS_MAX, Cell, OnRow, TableRead};

/// Rows that are fetched at once.
const ROWS_AT_ONCE: u64 = 2_000;

/// 2000-01-01, from which PostgreSQL counts, in seconds since 1970.
const YEAR_2000: i64 = 946_684_800;

/// Why an answer stopped inside the transaction.
pub(super) enum Stopped {
    Columns(SourceError),
    TooMany(u64),
}

pub(super) async fn ask(
    client: &Client,
    question: Question<'_>,
    on_row: &mut OnRow<'_>,
) -> Result<Result<TableRead, Stopped>, Failure> {
    let Question { sql, columns, .. } = question;
    // All rows will be fetched, so the plan should be the one for that.
    client
        .batch_execute("SET LOCAL cursor_tuple_fraction = 1.0")
        .await?;
    // The line ends a comment that the query may end with.
    let declare = format!("DECLARE freshness NO SCROLL CURSOR FOR {sql}\n");
    client.execute_typed(&declare, &[]).await?;
    let fetch = client
        .prepare(&format!("FETCH FORWARD {ROWS_AT_ONCE} FROM freshness"))
        .await?;
    let names: Vec<String> = (fetch.columns().iter())
        .map(|column| column.name().to_owned())
        .collect();
    let (places, ignored) = match columns.find(&names, NAMED_BY) {
        Ok(found) => found,
        Err(error) => return Ok(Err(Stopped::Columns(error))),
    };
    let mut counted = Counted::new(question, on_row);
    loop {
        let rows = client.query(&fetch, &[]).await?;
        if let Err(Unanswered::TooMany(n)) = counted.allow(rows.len() as u64) {
            return Ok(Err(Stopped::TooMany(n)));
        }
        for row in &rows {
            counted.rows += 1;
            let mut texts = [const { String::new() }; COLUMNS_MAX];
            let mut cells = [Cell::Missing; COLUMNS_MAX];
            for ((cell, place), text) in cells.iter_mut().zip(places).zip(&mut texts) {
                if let Some(place) = place {
                    *cell = self::cell(row, place, text)?;
                }
            }
            (counted.on_row)(counted.rows, Ok(&cells));
        }
        if (rows.len() as u64) < ROWS_AT_ONCE {
            return Ok(Ok(counted.read(ignored)));
        }
    }
}

/// A value as the server sends it.
struct Sent<'a> {
    of: Type,
    bytes: Option<&'a [u8]>,
}

impl<'a> FromSql<'a> for Sent<'a> {
    fn from_sql(of: &Type, bytes: &'a [u8]) -> Result<Sent<'a>, Box<dyn StdError + Sync + Send>> {
        Ok(Sent {
            of: of.clone(),
            bytes: Some(bytes),
        })
    }

    fn from_sql_null(of: &Type) -> Result<Sent<'a>, Box<dyn StdError + Sync + Send>> {
        Ok(Sent {
            of: of.clone(),
            bytes: None,
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn cell<'a>(
    row: &'a Row,
    place: usize,
    text: &'a mut String,
) -> Result<Cell<'a>, tokio_postgres::Error> {
    let Sent { of, bytes } = row.try_get(place)?;
    let Some(bytes) = bytes else {
        return Ok(Cell::Missing);
    };
    let of = base(&of).clone();
    let unreadable = Cell::Other("a value that cannot be read");
    let int = |n: Option<i64>| n.map_or(unreadable, |n| Cell::Integer(n.into()));
    Ok(match of {
        Type::TIMESTAMPTZ => moment(bytes).map_or(unreadable, Cell::Instant),
        Type::TIMESTAMP => moment(bytes).map_or(unreadable, Cell::Local),
        Type::DATE => match <[u8; 4]>::try_from(bytes).map(i32::from_be_bytes) {
            Ok(day) if day != i32::MAX && day != i32::MIN => {
                Cell::Day(day.saturating_add((YEAR_2000 / DAY) as i32))
            }
            _ => Cell::Other("no day"),
        },
        Type::INT2 => int(<[u8; 2]>::try_from(bytes)
            .ok()
            .map(|b| i16::from_be_bytes(b).into())),
        Type::INT4 => int(<[u8; 4]>::try_from(bytes)
            .ok()
            .map(|b| i32::from_be_bytes(b).into())),
        Type::INT8 => int(<[u8; 8]>::try_from(bytes).ok().map(i64::from_be_bytes)),
        Type::FLOAT4 => <[u8; 4]>::try_from(bytes)
            .map_or(unreadable, |b| Cell::Float(f32::from_be_bytes(b).into())),
        Type::FLOAT8 => {
            <[u8; 8]>::try_from(bytes).map_or(unreadable, |b| Cell::Float(f64::from_be_bytes(b)))
        }
        Type::BOOL => Cell::Flag(bytes.first() == Some(&1)),
        Type::NUMERIC => match numeric(bytes) {
            Some(digits) => {
                *text = digits;
                Cell::Text(text)
            }
            None => Cell::Other("a number that is none"),
        },
        Type::UUID => match bytes.len() {
            16 => {
                *text = uuid(bytes);
                Cell::Text(text)
            }
            _ => unreadable,
        },
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN | Type::CHAR => {
            plain(bytes)
        }
        ref named if matches!(named.kind(), Kind::Enum(_)) => plain(bytes),
        _ => Cell::Other("an unusual type"),
    })
}

/// The type that a domain restricts.
fn base(of: &Type) -> &Type {
    match of.kind() {
        Kind::Domain(inner) => base(inner),
        _ => of,
    }
}

fn plain(bytes: &[u8]) -> Cell<'_> {
    match std::str::from_utf8(bytes) {
        Ok("") => Cell::Missing,
        Ok(text) => Cell::Text(text),
        Err(_) => Cell::NotUtf8(bytes),
    }
}

/// Seconds since 1970 of microseconds since 2000; none of `infinity`.
fn moment(bytes: &[u8]) -> Option<i64> {
    let micros = i64::from_be_bytes(bytes.try_into().ok()?);
    (micros != i64::MAX && micros != i64::MIN).then(|| micros.div_euclid(1_000_000) + YEAR_2000)
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&i) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// The digits of a decimal number: groups of four, the first of them weighted by
/// 10000 to the power of `weight`; none of `NaN` and `Infinity`.
fn numeric(bytes: &[u8]) -> Option<String> {
    const NEGATIVE: i16 = 0x4000;
    /// A number of ours has few; more would fill memory.
    const GROUPS_MAX: i32 = 64;
    let mut shorts = bytes
        .chunks_exact(2)
        .map(|b| i16::from_be_bytes([b[0], b[1]]));
    let (n, weight, sign, scale) = (
        shorts.next()?,
        shorts.next()?,
        shorts.next()?,
        shorts.next()?,
    );
    if sign != 0 && sign != NEGATIVE {
        return None;
    }
    let groups: Vec<i16> = shorts.take(usize::try_from(n).ok()?).collect();
    let group = |i: i32| {
        let group = usize::try_from(i).ok().and_then(|i| groups.get(i));
        group.copied().unwrap_or(0)
    };
    let (weight, scale) = (i32::from(weight), usize::try_from(scale).ok()?);
    if weight > GROUPS_MAX || scale > 4 * GROUPS_MAX as usize {
        return None;
    }
    let at_power = |power: i32| format!("{:04}", group(weight - power));
    let whole: String = (0..=weight.max(0)).rev().map(at_power).collect();
    let mut fraction: String = (1..=scale.div_ceil(4) as i32)
        .map(|i| at_power(-i))
        .collect();
    fraction.truncate(scale);
    let sign = if sign == NEGATIVE { "-" } else { "" };
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    Some(match fraction.as_str() {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(shorts: &[i16]) -> Option<String> {
        let bytes: Vec<u8> = shorts.iter().flat_map(|n| n.to_be_bytes()).collect();
        numeric(&bytes)
    }

    #[test]
    fn a_decimal_number_is_read_from_its_groups_of_four_digits() {
        for (shorts, digits) in [
            (&[3, 2, 0, 0, 17, 8823, 3400][..], "1788233400"),
            (&[3, 2, 0, 0, 17, 8823, 3400, 0][..], "1788233400"),
            (&[4, 2, 0x4000, 1, 17, 8823, 3400, 5000], "-1788233400.5"),
            (&[1, 2, 0, 0, 12], "1200000000"),
            (&[0, 0, 0, 2], "0.00"),
            (&[1, -1, 0, 2, 500], "0.05"),
            (&[1, -2, 0, 8, 5], "0.00000005"),
        ] {
            assert_eq!(sent(shorts).as_deref(), Some(digits), "{shorts:?}");
        }
    }

    #[test]
    fn what_is_no_number_or_cut_off_has_no_digits() {
        const NAN: i16 = 0xc000_u16 as i16;
        assert_eq!(sent(&[0, 0, NAN, 0]), None);
        assert_eq!(sent(&[1, 0]), None);
        assert_eq!(sent(&[1, 9_000, 0, 0, 1]), None);
        assert_eq!(sent(&[-1, 0, 0, 0]), None);
    }

    #[test]
    fn infinity_is_no_moment() {
        assert_eq!(moment(&0_i64.to_be_bytes()), Some(YEAR_2000));
        assert_eq!(moment(&(-1_i64).to_be_bytes()), Some(YEAR_2000 - 1));
        assert_eq!(moment(&i64::MAX.to_be_bytes()), None);
        assert_eq!(moment(&[0; 3]), None);
    }
}

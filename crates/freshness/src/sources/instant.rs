//! Which instant does a value mean?
//!
//! | value | read as |
//! |---|---|
//! | `2026-09-01T12:00:00Z`, `… 12:00:00.5+02:00`, `… 12:00:00 UTC` | that instant |
//! | `2026-09-01T12:00:00[Europe/Berlin]` | that instant |
//! | a number below 10¹¹ in size | epoch seconds |
//! | … below 10¹⁴, 10¹⁷, 10²⁰ | epoch milli-, micro-, nanoseconds |
//! | `2026-09-01 12:00:00` | a naive time: needs an assumed zone |
//!
//! From 1990 to 2100 the four epoch units do not overlap, so a number has one
//! meaning. Fractions of a second are cut off. A naive time in an hour that the
//! clock skips is read as far after the jump as it is into the gap; in an hour
//! that comes twice it is the first (RFC 5545's rule, [`Zone::utc`]).

use freshness_core::civil::{DAY, Day, HOUR, MINUTE, Zone};
use jiff::Timestamp;

use super::problem::Problem;
use super::table::Cell;

/// How times are read.
#[derive(Debug, Clone, Copy)]
pub struct TimeRules {
    /// The present, UTC seconds.
    pub now: i64,
    /// The zone of times that name none.
    pub assume_zone: Option<Zone>,
}

/// The first instant that is supported: 1990-01-01T00:00:00Z.
pub const EARLIEST: i64 = 631_152_000;

/// No later instant is supported: 2100-01-01T00:00:00Z.
const LATEST: i64 = 4_102_444_800;

/// A sender's clock may be this much fast; past it an arrival is in the future.
pub const FUTURE_TOLERANCE_SECONDS: i64 = 300;

/// When did it arrive: 1990 to now, and five minutes for a fast clock.
pub(super) fn arrived_at(cell: &Cell<'_>, rules: &TimeRules) -> Result<i64, Problem> {
    let at = instant(cell, rules)?;
    if at >= EARLIEST && at <= rules.now + FUTURE_TOLERANCE_SECONDS {
        return Ok(at);
    }
    Err(match of_no_time(at) {
        Some(problem) => problem,
        None => Problem::Future {
            now: Timestamp::from_second(rules.now)
                .map_or_else(|_| rules.now.to_string(), |now| now.to_string()),
        },
    })
}

/// Up to when the data is complete: 1990 to 2099; it may lie ahead, as in a
/// forecast or a day that is declared complete before its end.
pub(super) fn supported(at: i64) -> Result<i64, Problem> {
    match of_no_time(at) {
        Some(problem) => Err(problem),
        None if at >= LATEST => Err(Problem::After2099),
        None => Ok(at),
    }
}

/// The instant, whatever year it is in.
pub(super) fn instant(cell: &Cell<'_>, rules: &TimeRules) -> Result<i64, Problem> {
    let local = |local: i64| match rules.assume_zone {
        Some(zone) => Ok(zone.utc(local)),
        None => Err(Problem::NaiveTime),
    };
    match cell {
        Cell::Missing => Err(Problem::NoValue),
        Cell::NotUtf8(_) => Err(Problem::NotUtf8),
        Cell::Instant(at) => Ok(*at),
        Cell::Local(at) => match of_no_time(*at) {
            Some(problem) => Err(problem),
            None => local(*at),
        },
        Cell::Day(_) => Err(Problem::DayOnly),
        Cell::Integer(n) => epoch(*n),
        Cell::Float(n) => epoch_float(*n),
        Cell::Text(text) => match read_text(text) {
            Some(Read::Instant(at)) => Ok(at),
            Some(Read::Local(at)) => local(at),
            Some(Read::Day) => Err(Problem::DayOnly),
            None => number_or_zoned(text.trim()),
        },
        other @ (Cell::Flag(_) | Cell::List(_) | Cell::Other(_)) => Err(Problem::Type {
            expected: "a time",
            found: other.type_name(),
        }),
    }
}

/// Times that stand for no time rather than for one.
fn of_no_time(at: i64) -> Option<Problem> {
    /// 1971-01-01 and 10000-01-01.
    const YEAR_1971: i64 = 31_536_000;
    const YEAR_10_000: i64 = 253_402_300_800;
    match at {
        0..YEAR_1971 => Some(Problem::Year1970),
        i64::MIN..EARLIEST => Some(Problem::Before1990),
        YEAR_10_000.. => Some(Problem::UnreadableTime),
        _ => match Day::of_local(at).year_month_day() {
            (year @ 2200.., _, _) => Some(Problem::Placeholder(year)),
            _ => None,
        },
    }
}

fn epoch(n: i128) -> Result<i64, Problem> {
    let per_second = match n.unsigned_abs() {
        0..100_000_000_000 => 1,
        100_000_000_000..100_000_000_000_000 => 1_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000_000,
        100_000_000_000_000_000..100_000_000_000_000_000_000 => 1_000_000_000,
        _ => return Err(Problem::UnreadableTime),
    };
    i64::try_from(n.div_euclid(per_second)).map_err(|_| Problem::UnreadableTime)
}

fn epoch_float(n: f64) -> Result<i64, Problem> {
    match n.is_finite() && n.abs() < 1e20 {
        true => epoch(n.floor() as i128),
        false => Err(Problem::UnreadableTime),
    }
}

fn number_or_zoned(text: &str) -> Result<i64, Problem> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_numeric = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if is_numeric && digits.bytes().any(|b| b.is_ascii_digit()) {
        return match text.parse::<i128>() {
            Ok(n) => epoch(n),
            Err(_) => text
                .parse::<f64>()
                .map_err(|_| Problem::UnreadableTime)
                .and_then(epoch_float),
        };
    }
    if let Some((time, zone)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        return match (read_text(time), Zone::named(zone)) {
            (Some(Read::Instant(at)), Ok(_)) => Ok(at),
            (Some(Read::Local(at)), Ok(zone)) => Ok(zone.utc(at)),
            _ => Err(Problem::UnreadableTime),
        };
    }
    // Rarer forms of ISO 8601, such as 20260901T120000Z.
    text.parse::<Timestamp>()
        .map(Timestamp::as_second)
        .map_err(|_| Problem::UnreadableTime)
}

enum Read {
    Instant(i64),
    Local(i64),
    Day,
}

/// `YYYY-MM-DD`, then `T` or a space, `HH:MM`, perhaps `:SS`, a fraction, and
/// a zone: nearly every time there is, without a general parser.
fn read_text(text: &str) -> Option<Read> {
    let bytes = text.trim().as_bytes();
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, rest @ ..] = bytes else {
        return None;
    };
    let year = two(*y1, *y2)? * 100 + two(*y3, *y4)?;
    let day = Day::of_date(year as i16, two(*m1, *m2)? as i8, two(*d1, *d2)? as i8)?;
    let [b'T' | b't' | b' ', h1, h2, b':', m1, m2, rest @ ..] = rest else {
        return rest.is_empty().then_some(Read::Day);
    };
    let (hour, minute) = (two(*h1, *h2)?, two(*m1, *m2)?);
    let (second, rest) = match rest {
        [b':', s1, s2, rest @ ..] => (two(*s1, *s2)?, fraction(rest)?),
        rest => (0, rest),
    };
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // A leap second counts as the one before it.
    let into = hour * HOUR + minute * MINUTE + second.min(59);
    let local = i64::from(day.0) * DAY + into;
    match zone(rest)? {
        Some(offset) => Some(Read::Instant(local - offset)),
        None => Some(Read::Local(local)),
    }
}

fn two(tens: u8, ones: u8) -> Option<i64> {
    (tens.is_ascii_digit() && ones.is_ascii_digit())
        .then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
}

/// What follows a fraction of a second, if there is one.
fn fraction(rest: &[u8]) -> Option<&[u8]> {
    let [b'.' | b',', digits @ ..] = rest else {
        return Some(rest);
    };
    let n = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    (n > 0).then(|| &digits[n..])
}

/// Seconds east of UTC; `Some(None)` if no zone is said.
fn zone(rest: &[u8]) -> Option<Option<i64>> {
    if let [b'Z'] = rest {
        return Some(Some(0));
    }
    if rest.is_empty() {
        return Some(None);
    }
    let name = rest.strip_prefix(b" ").unwrap_or(rest);
    let (hours, minutes) = match name {
        _ if [&b"z"[..], b"utc", b"gmt"]
            .iter()
            .any(|utc| name.eq_ignore_ascii_case(utc)) =>
        {
            return Some(Some(0));
        }
        [b'+' | b'-', h1, h2] => (two(*h1, *h2)?, 0),
        [b'+' | b'-', h1, h2, b':', m1, m2] | [b'+' | b'-', h1, h2, m1, m2] => {
            (two(*h1, *h2)?, two(*m1, *m2)?)
        }
        _ => return None,
    };
    if hours > 25 || minutes > 59 {
        return None;
    }
    let east = hours * HOUR + minutes * MINUTE;
    Some(Some(if name[0] == b'-' { -east } else { east }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: &str = "2026-09-30T12:00:00Z";

    fn rules(zone: Option<&str>) -> TimeRules {
        TimeRules {
            now: NOW.parse::<Timestamp>().unwrap().as_second(),
            assume_zone: zone.map(|zone| Zone::named(zone).unwrap()),
        }
    }

    fn shown(cell: &Cell<'_>, zone: Option<&str>) -> String {
        match arrived_at(cell, &rules(zone)) {
            Ok(at) => Timestamp::from_second(at).unwrap().to_string(),
            Err(problem) => problem.to_string(),
        }
    }

    #[track_caller]
    fn check_text(text: &str, read: &str) {
        assert_eq!(shown(&Cell::Text(text), None), read, "{text}");
    }

    #[test]
    fn an_instant_may_be_written_in_many_ways() {
        for text in [
            "2026-09-01T12:00:00Z",
            "2026-09-01T12:00Z",
            "2026-09-01T12:00:00.999Z",
            "2026-09-01 12:00:00.000 UTC",
            "2026-09-01 12:00:00+00",
            "2026-09-01T14:00:00+02:00",
            "2026-09-01T14:00:00+0200",
            "2026-09-01T08:00:00 -04:00",
            "2026-09-01T14:00:00[Europe/Berlin]",
            "2026-09-01T14:00:00+02:00[Europe/Berlin]",
            "20260901T120000Z",
            " 2026-09-01t12:00:00z ",
            "1788264000",
            "1788264000.75",
            "1788264000000",
            "1788264000000000",
            "1788264000000000000",
        ] {
            check_text(text, "2026-09-01T12:00:00Z");
        }
        for cell in [
            Cell::Integer(1_788_264_000),
            Cell::Integer(1_788_264_000_000),
            Cell::Float(1_788_264_000.5),
            Cell::Instant(1_788_264_000),
        ] {
            assert_eq!(shown(&cell, None), "2026-09-01T12:00:00Z");
        }
    }

    #[test]
    fn a_naive_time_is_never_guessed() {
        check_text("2026-09-01 12:00:00", "time without an offset or zone");
        check_text("2026-09-01", "a day, not a time");
        let cell = Cell::Text("2026-09-01 12:00:00");
        assert_eq!(shown(&cell, Some("Asia/Tokyo")), "2026-09-01T03:00:00Z");
        let wall = Cell::Local(1_788_264_000);
        assert_eq!(shown(&wall, None), "time without an offset or zone");
        assert_eq!(shown(&wall, Some("Asia/Tokyo")), "2026-09-01T03:00:00Z");
    }

    #[test]
    fn an_assumed_zone_reads_clock_changes_by_the_stated_rule() {
        let berlin = |text| shown(&Cell::Text(text), Some("Europe/Berlin"));
        assert_eq!(berlin("2026-03-29 02:30:00"), "2026-03-29T01:30:00Z");
        assert_eq!(berlin("2025-10-26 02:30:00"), "2025-10-26T00:30:00Z");
    }

    #[test]
    fn what_is_no_arrival_time_is_said_in_words() {
        check_text("", "unreadable time");
        check_text("yesterday", "unreadable time");
        check_text("NULL", "unreadable time");
        check_text("2026-02-30T00:00:00Z", "unreadable time");
        check_text("2026-09-01T25:00:00Z", "unreadable time");
        check_text("0", "year 1970 looks like a missing timestamp");
        check_text(
            "1970-01-01T00:00:00Z",
            "year 1970 looks like a missing timestamp",
        );
        check_text(
            "1989-12-31T23:59:59Z",
            "before 1990, too early for an arrival",
        );
        check_text(
            "2999-12-31T00:00:00Z",
            "year 2999 looks like a placeholder for no time",
        );
        check_text(
            "9999-12-31 23:59:59Z",
            "year 9999 looks like a placeholder for no time",
        );
        let future = "in the future (more than 5 minutes after 2026-09-30T12:00:00Z)";
        check_text("2026-09-30T12:05:00Z", "2026-09-30T12:05:00Z");
        check_text("2026-09-30T12:05:01Z", future);
        assert_eq!(shown(&Cell::Missing, None), "no value");
    }

    proptest! {
        #[test]
        fn every_instant_is_read_as_jiff_reads_it(
            at in EARLIEST..1_790_000_000i64, minutes in -720i32..720
        ) {
            let offset = jiff::tz::Offset::from_seconds(minutes * 60).unwrap();
            let local = offset.to_datetime(Timestamp::from_second(at).unwrap());
            let text = format!("{}{offset}", local.strftime("%Y-%m-%d %H:%M:%S"));
            let read = instant(&Cell::Text(&text), &rules(None));
            prop_assert_eq!(read, Ok(at), "{}", text);
        }

        #[test]
        fn any_text_is_a_time_or_a_problem(text in "\\PC*") {
            let _ = arrived_at(&Cell::Text(&text), &rules(Some("Europe/Berlin")));
        }

        #[test]
        fn nearly_a_time_is_a_time_or_a_problem(text in "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.+Z-]{0,20}") {
            let _ = arrived_at(&Cell::Text(&text), &rules(Some("Europe/Berlin")));
        }

        #[test]
        fn any_number_is_a_time_or_a_problem(n in any::<i128>(), float in any::<f64>()) {
            let _ = arrived_at(&Cell::Integer(n), &rules(None));
            let _ = arrived_at(&Cell::Float(float), &rules(None));
        }
    }
}

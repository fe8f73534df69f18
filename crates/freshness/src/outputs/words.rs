//! How are times, durations and states said?

use freshness_core::civil::{DAY, Day, MINUTE, Weekday, Zone};
use freshness_core::fit::{CellKey, Change, EffectKey, Source};
use freshness_core::state::{Severity, State};
use freshness_core::trust::{Standing, Trust};
use jiff::Timestamp;

/// A duration in words, as the reasons of verdicts say it: `3 h 05 min`.
pub use freshness_core::state::{STOPPED_SECONDS, duration, duration_to_the_minute};

use super::Paint;

/// The word of a state, the same in tables and JSON.
pub fn state(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Pending => "pending",
        State::Late => "late",
        State::LateArrival => "late_arrival",
        State::Missed => "missed",
        State::Unknown => "unknown",
        State::InsufficientHistory => "insufficient_history",
        State::NotEvaluated => "not_evaluated",
    }
}

/// The word of a severity, the same in tables and JSON.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Advisory => "advisory",
        Severity::Warning => "warning",
        Severity::Critical => "critical",
    }
}

/// How a dashboard stands, in words for people.
pub fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Late => "late",
        Standing::CouldNotTell => "could not tell",
        Standing::Healthy => "on time",
    }
}

/// The score of a dashboard, or its bounds where nobody can tell: `60–85`.
pub fn score(trust: &Trust) -> String {
    bounds(trust.at_least, trust.at_most)
}

/// A score by its bounds.
pub fn bounds(at_least: u8, at_most: u8) -> String {
    match at_least == at_most {
        true => at_most.to_string(),
        false => format!("{at_least}–{at_most}"),
    }
}

/// How a state stands out.
pub fn paint(state: State) -> Paint {
    match state {
        State::Late | State::Missed => Paint::Bad,
        State::LateArrival => Paint::Doubtful,
        State::Ok => Paint::Good,
        State::Pending => Paint::Plain,
        State::Unknown | State::InsufficientHistory | State::NotEvaluated => Paint::Faint,
    }
}

/// Minutes as a duration.
pub fn minutes(minutes: f64) -> String {
    duration((minutes * MINUTE as f64).round() as i64)
}

/// A delay in words, whichever side of the cycle's start it lies on:
/// `3 h 05 min after`, `15 h 56 min before`.
pub fn offset(delay: f64) -> String {
    let side = if delay < 0.0 { "before" } else { "after" };
    format!("{} {side}", to_the_minute(delay.abs()))
}

/// Minutes as a duration, to the minute also past a day.
pub fn to_the_minute(minutes: f64) -> String {
    duration_to_the_minute((minutes * MINUTE as f64).round() as i64)
}

/// A shift of the schedule: `40 min later`.
pub fn shift(minutes_later: f64) -> String {
    let direction = if minutes_later < 0.0 {
        "earlier"
    } else {
        "later"
    };
    format!("{} {direction}", minutes(minutes_later.abs()))
}

/// What a move changed.
pub fn change(change: &Change) -> String {
    match change {
        Change::Shift { minutes } => shift(*minutes),
        Change::LaterLoad { minutes } => format!("second delivery of the day {}", shift(*minutes)),
        Change::Cadence {
            per_week_before,
            per_week_after,
        } => format!("from {per_week_before:.1} to {per_week_after:.1} deliveries a week"),
    }
}

/// An instant in UTC, to the minute.
pub fn utc(at: Timestamp) -> String {
    format!("{} UTC", utc_minute(at))
}

/// … under a heading that says UTC.
pub fn utc_minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// What maintenance does, and why it is.
pub fn put_off(until: Timestamp, why: &str) -> String {
    format!("put off by maintenance until {} ({why})", utc(until))
}

/// How late, for a table. What has been late for more than a month may have
/// ended for good, and its hours matter to nobody.
pub fn late_by(seconds: i64) -> String {
    match seconds > STOPPED_SECONDS {
        true => format!("{} d, stopped?", thousands((seconds / DAY) as u64)),
        false => duration(seconds),
    }
}

/// An instant on the wall clock of a zone, to the minute, with the zone.
pub fn local(at: Timestamp, zone: Zone) -> String {
    let local = zone.local(at.as_second());
    format!("{} {} {zone}", Day::of_local(local), clock(local))
}

/// The civil day of an instant in a zone.
pub fn day(at: Timestamp, zone: Zone) -> Day {
    Day::of_local(zone.local(at.as_second()))
}

/// An instant on the wall clock of a zone, and in UTC if that reads
/// differently.
pub fn local_and_utc(at: Timestamp, zone: Zone) -> String {
    match zone == Zone::universal() {
        true => utc(at),
        false => format!("{} = {}", local(at, zone), utc(at)),
    }
}

/// The wall clock's hours and minutes.
pub fn clock(local: i64) -> String {
    let minutes = local.rem_euclid(DAY) / MINUTE;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A wall clock, and which day's it is, counted from another day.
pub fn clock_on_day(local: i64, days: i64) -> String {
    let clock = clock(local);
    match days {
        0 => clock,
        1 => format!("{clock} the next day"),
        -1 => format!("{clock} the day before"),
        2.. => format!("{clock} {days} days later"),
        ..-1 => format!("{clock} {} days before", -days),
    }
}

/// Who says so.
pub fn source(source: Source) -> &'static str {
    match source {
        Source::Declared => "declared",
        Source::Inferred => "inferred",
        Source::Default => "assumed",
    }
}

/// Which cycles a cell holds.
pub fn cell(key: CellKey) -> String {
    match key {
        CellKey::All => "all cycles".to_owned(),
        CellKey::Hour(hour) => format!("cycles of the hour from {hour:02}:00"),
        CellKey::Time(minute) => format!("the {:02}:{:02} load", minute / 60, minute % 60),
        CellKey::Weekday(weekday) => format!("cycles of {}", day_of_week(weekday)),
    }
}

fn day_of_week(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Mon => "Monday",
        Weekday::Tue => "Tuesday",
        Weekday::Wed => "Wednesday",
        Weekday::Thu => "Thursday",
        Weekday::Fri => "Friday",
        Weekday::Sat => "Saturday",
        Weekday::Sun => "Sunday",
    }
}

/// Which cycles an effect shifts.
pub fn effect(key: EffectKey) -> String {
    match key {
        EffectKey::Weekday(weekday) => day_of_week(weekday).to_owned(),
        EffectKey::MonthEnd { days: 1 } => "last day of the month".to_owned(),
        EffectKey::MonthEnd { days } => format!("last {days} days of the month"),
        EffectKey::MonthStart { days: 1 } => "first day of the month".to_owned(),
        EffectKey::MonthStart { days } => format!("first {days} days of the month"),
        EffectKey::MonthDay(day) => format!("day {day} of the month"),
    }
}

/// `1 dataset`, `2 datasets`, `403,200 arrivals`.
pub fn count(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(n))
}

/// A number with its thousands apart.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text from somebody else, for a terminal: what would move the cursor or
/// turn the direction of the line is escaped.
pub fn printable(text: &str) -> String {
    let is_odd = |c: char| {
        let turns = ['\u{200e}', '\u{200f}'].contains(&c)
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c);
        c.is_control() || turns
    };
    text.chars().fold(String::new(), |mut shown, c| {
        match is_odd(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_move_the_cursor_is_escaped_and_nothing_else() {
        assert_eq!(
            printable("a\u{1b}[2J\"é\u{202e}"),
            "a\\u{1b}[2J\"é\\u{202e}"
        );
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(count(1, "dataset"), "1 dataset");
        assert_eq!(count(403_200, "arrival"), "403,200 arrivals");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(999), "999");
    }

    #[test]
    fn what_lies_before_is_said_without_a_minus() {
        assert_eq!(offset(-956.0), "15 h 56 min before");
        assert_eq!(offset(1_792.0), "1 d 5 h 52 min after");
        assert_eq!(clock_on_day(8 * 3_600, -1), "08:00 the day before");
        assert_eq!(clock_on_day(8 * 3_600, 3), "08:00 3 days later");
    }

    #[test]
    fn what_is_late_for_more_than_a_month_may_have_stopped() {
        assert_eq!(late_by(30 * DAY), "30 d 0 h");
        assert_eq!(late_by(2_250 * DAY + 1), "2,250 d, stopped?");
    }

    #[test]
    fn an_instant_is_shown_on_the_wall_clock_of_the_dataset() {
        let at: Timestamp = "2026-07-01T05:50:00Z".parse().unwrap();
        let berlin = Zone::named("Europe/Berlin").unwrap();
        assert_eq!(local(at, berlin), "2026-07-01 07:50 Europe/Berlin");
        assert_eq!(utc(at), "2026-07-01 05:50 UTC");
    }
}

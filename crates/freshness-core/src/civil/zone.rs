//! What does the clock on the wall say in a zone?
//!
//! A zone is its table of UTC offsets, read once from the time zone database
//! bundled with `jiff`, so that a conversion costs two looks into tables and
//! every machine agrees on the answer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZoneDatabase;
use serde::{Deserialize, Serialize};

/// A time zone of the IANA database; cheap to copy and compare.
#[derive(Clone, Copy)]
pub struct Zone(&'static Table);

/// The name is not in the IANA database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown time zone: {0}")]
pub struct UnknownZone(pub String);

struct Table {
    name: String,
    /// From this instant on (UTC seconds), local time is UTC plus this offset.
    steps: Vec<(i64, i64)>,
    /// The step in force when each stretch of [`STRETCH`] seconds begins.
    stretches: Vec<u16>,
}

/// About the seven weeks in which clocks change once at most, almost anywhere.
const STRETCH: i64 = 1 << 22;

/// Offsets are tabulated from here on (1970-01-01) …
const TABLE_FROM: i64 = 0;
/// … up to here (2100-01-01).
const TABLE_TO: i64 = 4_102_444_800;

/// Tables read so far. Names are validated before they enter, so this holds at
/// most one entry per zone of the database.
static TABLES: Mutex<BTreeMap<String, &'static Table>> = Mutex::new(BTreeMap::new());

impl Zone {
    /// Looks a zone up by its IANA name, such as `Europe/Berlin` or `UTC`.
    pub fn named(name: &str) -> Result<Zone, UnknownZone> {
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(name) {
            return Ok(Zone(table));
        }
        let tz = TimeZoneDatabase::bundled()
            .get(name)
            .map_err(|_| UnknownZone(name.to_owned()))?;
        let start = Timestamp::from_second(TABLE_FROM).expect("1970 is in range");
        let mut steps = vec![(i64::MIN, i64::from(tz.to_offset(start).seconds()))];
        for transition in tz.following(start) {
            let at = transition.timestamp().as_second();
            if at > TABLE_TO {
                break;
            }
            let offset = i64::from(transition.offset().seconds());
            if offset != steps[steps.len() - 1].1 {
                steps.push((at, offset));
            }
        }
        let in_force = |at: i64| steps.partition_point(|&(from, _)| from <= at) - 1;
        let stretches = (TABLE_FROM / STRETCH..=TABLE_TO / STRETCH)
            .map(|stretch| in_force(stretch * STRETCH) as u16)
            .collect();
        let name = tz.iana_name().unwrap_or(name).to_owned();
        let table: &'static Table = Box::leak(Box::new(Table {
            name: name.clone(),
            steps,
            stretches,
        }));
        tables.insert(name, table);
        Ok(Zone(table))
    }

    /// Coordinated universal time.
    pub fn universal() -> Zone {
        Zone::named("UTC").expect("UTC is in the database")
    }

    /// The IANA name.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// Local seconds at a UTC instant (seconds).
    pub fn local(self, utc: i64) -> i64 {
        utc + self.offset(utc)
    }

    /// Seconds to add to UTC at a UTC instant.
    pub fn offset(self, utc: i64) -> i64 {
        self.0.steps[self.step(utc)].1
    }

    /// The UTC instant at which the wall clock shows `local`.
    ///
    /// In a gap the clock jumps over, the instant as far after the jump as
    /// `local` is into the gap; in a repeated hour the first of the two
    /// (RFC 5545's rule).
    pub fn utc(self, local: i64) -> i64 {
        let steps = &self.0.steps;
        // The step in force at `local - offset`, tried from the earlier side.
        let mut i = self.step(local - self.0.steps[self.step(local)].1);
        i = i.saturating_sub(1);
        while i + 1 < steps.len() && local - steps[i].1 >= steps[i + 1].0 {
            let next = i + 1;
            if local - steps[next].1 < steps[next].0 {
                // In a gap: read the clock as if it had not jumped.
                return local - steps[i].1;
            }
            i = next;
        }
        local - steps[i].1
    }

    /// Clock changes in `[from, to)`: the instant and the change of the
    /// offset in seconds.
    pub fn changes(self, from: i64, to: i64) -> impl Iterator<Item = (i64, i64)> {
        let steps = &self.0.steps;
        let begins = steps.partition_point(|&(at, _)| at < from).max(1);
        (begins..steps.len())
            .take_while(move |&i| steps[i].0 < to)
            .map(|i| (steps[i].0, steps[i].1 - steps[i - 1].1))
    }

    /// Does the clock change within `seconds` of the instant?
    pub fn changes_near(self, utc: i64, seconds: i64) -> bool {
        let steps = &self.0.steps;
        let next = steps.partition_point(|&(at, _)| at < utc - seconds);
        steps.get(next).is_some_and(|&(at, _)| at <= utc + seconds)
    }

    fn step(self, utc: i64) -> usize {
        let Table {
            steps, stretches, ..
        } = self.0;
        let stretch = (utc.div_euclid(STRETCH)).clamp(0, stretches.len() as i64 - 1);
        let mut step = usize::from(stretches[stretch as usize]);
        while steps.get(step + 1).is_some_and(|&(at, _)| at <= utc) {
            step += 1;
        }
        step
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Zone {}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}

impl Serialize for Zone {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Zone, D::Error> {
        let name = String::deserialize(deserializer)?;
        Zone::named(&name).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::DateTime;

    fn local(text: &str) -> i64 {
        let datetime: DateTime = text.parse().unwrap();
        jiff::tz::Offset::UTC
            .to_timestamp(datetime)
            .unwrap()
            .as_second()
    }

    #[track_caller]
    fn check_utc(zone: &str, wall: &str, utc: &str) {
        let instant: Timestamp = utc.parse().unwrap();
        assert_eq!(
            Zone::named(zone).unwrap().utc(local(wall)),
            instant.as_second(),
            "{wall} {zone}"
        );
    }

    #[test]
    fn a_wall_time_is_found_on_both_sides_of_a_clock_change() {
        check_utc("Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59Z");
        check_utc("Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00Z");
        check_utc("America/New_York", "2026-01-15T12:00", "2026-01-15T17:00Z");
        check_utc("America/New_York", "2026-07-15T12:00", "2026-07-15T16:00Z");
    }

    #[test]
    fn a_skipped_hour_moves_on_and_a_repeated_hour_is_its_first() {
        check_utc("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30Z");
        check_utc("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30Z");
    }

    #[test]
    fn every_instant_agrees_with_jiff() {
        for name in [
            "Europe/Berlin",
            "America/New_York",
            "Asia/Kolkata",
            "Australia/Lord_Howe",
            "UTC",
        ] {
            let zone = Zone::named(name).unwrap();
            let tz = TimeZoneDatabase::bundled().get(name).unwrap();
            for utc in (1_500_000_000..1_800_000_000).step_by(1_234_567) {
                let theirs = tz.to_offset(Timestamp::from_second(utc).unwrap()).seconds();
                assert_eq!(zone.offset(utc), i64::from(theirs), "{name} {utc}");
                let back = zone.utc(zone.local(utc));
                assert!(
                    back == utc || zone.local(back) == zone.local(utc),
                    "{name} {utc}"
                );
            }
        }
    }

    #[test]
    fn an_unknown_zone_is_named() {
        assert_eq!(
            Zone::named("Mars/Olympus").unwrap_err().to_string(),
            "unknown time zone: Mars/Olympus"
        );
    }
}

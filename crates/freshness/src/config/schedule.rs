//! When is which step of `freshness run` due?
//!
//! ```yaml
//! schedule:
//!   timezone: Europe/Berlin
//!   collect: 15m
//!   fit: "30 6 * * *"
//!   check: "15 * * * *"
//! ```
//!
//! A step is due at times of cron, on the clock of the zone, or so long after it was
//! last begun. A time that a clock change skips comes as far after the change as it lies
//! in the gap. One that is repeated comes once, unless it comes each hour: that goes on in
//! real time.

use std::fmt;
use std::path::PathBuf;

use freshness_core::civil::Zone;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

use super::cron::Cron;
use super::{file, schemas, values};

/// When the steps are due, as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleSection {
    /// Whose clock the times of cron are meant on, such as `Europe/Berlin`.
    #[serde(default, deserialize_with = "values::typed_zone")]
    #[schemars(with = "Option<String>")]
    pub timezone: Option<Zone>,
    /// When sources are read.
    #[serde(default, deserialize_with = "timing")]
    #[schemars(with = "Option<schemas::Timing>")]
    pub collect: Option<Timing>,
    /// When models are learned.
    #[serde(default, deserialize_with = "timing")]
    #[schemars(with = "Option<schemas::Timing>")]
    pub fit: Option<Timing>,
    /// When all is checked.
    #[serde(default, deserialize_with = "timing")]
    #[schemars(with = "Option<schemas::Timing>")]
    pub check: Option<Timing>,
    /// When the console is written.
    #[serde(default, deserialize_with = "timing")]
    #[schemars(with = "Option<schemas::Timing>")]
    pub report: Option<Timing>,
    /// The folder that it is written to, relative to the file.
    #[serde(default, deserialize_with = "folder")]
    pub report_out: Option<PathBuf>,
}

/// A folder; an empty name is none.
fn folder<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<PathBuf>, D::Error> {
    let folder = Option::<PathBuf>::deserialize(typed)?;
    match folder {
        Some(folder) if folder.as_os_str().is_empty() => {
            Err(de::Error::custom("expected a folder, and there is none"))
        }
        folder => Ok(folder),
    }
}

/// When the steps are due.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleSettings {
    /// Whose clock is meant.
    pub zone: Zone,
    /// When sources are read.
    pub collect: Timing,
    /// When models are learned.
    pub fit: Timing,
    /// When all is checked.
    pub check: Timing,
    /// When the console is written.
    pub report: Timing,
    /// The folder that it is written to.
    pub report_out: PathBuf,
}

impl Default for ScheduleSettings {
    /// The times of the DAGs in integrations/airflow.
    fn default() -> ScheduleSettings {
        let read = |text: &str| read(text).unwrap_or_else(|_| Timing::never());
        ScheduleSettings {
            zone: Zone::universal(),
            collect: read("*/15 * * * *"),
            fit: read("30 6 * * *"),
            check: read("15 * * * *"),
            report: Timing::never(),
            report_out: PathBuf::from("report"),
        }
    }
}

/// When a step is due.
#[derive(Debug, Clone)]
pub struct Timing {
    typed: String,
    when: When,
}

#[derive(Debug, Clone)]
enum When {
    Never,
    Every(i64),
    Cron(Cron),
}

/// A step takes seconds, and a check every second helps nobody.
const SHORTEST: SignedDuration = SignedDuration::from_mins(1);

impl Timing {
    fn never() -> Timing {
        Timing {
            typed: "never".to_owned(),
            when: When::Never,
        }
    }

    /// Is it never due?
    pub fn is_never(&self) -> bool {
        matches!(self.when, When::Never)
    }

    /// When it is due that was last begun at an instant; `None`: never. UTC seconds.
    pub fn after(&self, last: i64, zone: Zone) -> Option<i64> {
        match &self.when {
            When::Never => None,
            When::Every(seconds) => last.checked_add(*seconds),
            When::Cron(cron) => after(cron, last, zone),
        }
    }
}

/// When a time of cron comes after an instant, on the clock of a zone. UTC seconds.
fn after(cron: &Cron, last: i64, zone: Zone) -> Option<i64> {
    let from = zone.local(last);
    let mut local = from;
    let once = loop {
        local = cron.after(local)?;
        let at = zone.utc(local);
        // In an hour that is repeated the first time counts.
        if at > last {
            break at;
        }
    };
    // By how much the clock went back, if the instant lies in what is repeated or before it.
    let back = (once - last - (local - from)).max(last - zone.utc(from));
    if back <= 0 {
        return Some(once);
    }
    let mut local = from - back;
    loop {
        local = cron.after(local)?;
        let again = zone.utc(local) + back;
        if again >= once {
            return Some(once);
        }
        if again > last && zone.local(again) == local && cron.is_hourly_at(local) {
            return Some(again);
        }
    }
}

impl PartialEq for Timing {
    fn eq(&self, other: &Timing) -> bool {
        self.typed == other.typed
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

/// A time of cron with five fields, a duration, or `never`.
pub(crate) fn read(text: &str) -> Result<Timing, String> {
    let expected = || {
        "expected five fields of cron such as `30 6 * * *`, a duration from 1m on such as 15m, \
         or never"
            .to_owned()
    };
    let text = text.trim();
    let when = if text == "never" {
        When::Never
    } else if let Ok(every) = values::age(text) {
        if every < SHORTEST {
            return Err(expected());
        }
        When::Every(every.as_secs())
    } else {
        When::Cron(Cron::read(text).ok_or_else(expected)?)
    };
    let typed = text.to_owned();
    Ok(Timing { typed, when })
}

fn timing<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<Timing>, D::Error> {
    file::read(typed, read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[track_caller]
    fn check_after(timing: &str, zone: &str, last: &str, expected: &[&str]) {
        let (timing, zone) = (read(timing).unwrap(), Zone::named(zone).unwrap());
        let mut last = last.parse::<Timestamp>().unwrap().as_second();
        for expected in expected {
            last = timing.after(last, zone).unwrap();
            assert_eq!(Timestamp::from_second(last).unwrap().to_string(), *expected);
        }
    }

    #[test]
    fn a_step_is_due_by_the_clock_of_its_zone() {
        let from = "2026-12-01T05:30:00Z";
        let berlin = ["2026-12-02T05:30:00Z", "2026-12-03T05:30:00Z"];
        check_after("30 6 * * *", "Europe/Berlin", from, &berlin);
        let hours = ["2026-12-01T06:15:00Z", "2026-12-01T07:15:00Z"];
        check_after("15 * * * *", "UTC", from, &hours);
        check_after("15m", "UTC", from, &["2026-12-01T05:45:00Z"]);
        check_after(
            "0 7 * * mon-fri",
            "UTC",
            "2026-12-04T08:00:00Z",
            &["2026-12-07T07:00:00Z"],
        );
        assert_eq!(read("never").unwrap().after(0, Zone::universal()), None);
    }

    #[test]
    fn a_time_that_a_clock_change_skips_or_repeats_comes_once() {
        // Clocks go forward at 02:00 on 2026-03-29, and back at 03:00 on 2026-10-25.
        let skipped = ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"];
        check_after(
            "30 2 * * *",
            "Europe/Berlin",
            "2026-03-28T12:00:00Z",
            &skipped,
        );
        let repeated = ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"];
        check_after(
            "30 2 * * *",
            "Europe/Berlin",
            "2026-10-24T12:00:00Z",
            &repeated,
        );
    }

    #[test]
    fn what_comes_each_hour_goes_on_in_the_hour_that_is_repeated() {
        let quarters = [
            "2026-10-25T00:45:00Z",
            "2026-10-25T01:00:00Z",
            "2026-10-25T01:15:00Z",
            "2026-10-25T01:30:00Z",
            "2026-10-25T01:45:00Z",
            "2026-10-25T02:00:00Z",
        ];
        let from = "2026-10-25T00:30:00Z";
        check_after("*/15 * * * *", "Europe/Berlin", from, &quarters);
        let hours = ["2026-10-25T01:15:00Z", "2026-10-25T02:15:00Z"];
        check_after(
            "15 * * * *",
            "Europe/Berlin",
            "2026-10-25T00:15:00Z",
            &hours,
        );
        let set = ["2026-10-25T00:45:00Z", "2026-10-26T01:00:00Z"];
        check_after("*/15 2 * * *", "Europe/Berlin", from, &set);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "6:30",
            "* * * *",
            "* * * * * *",
            "61 * * * *",
            "30s",
            "0",
            "0 0 30 2 *",
            "sometimes",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

//! What do people know of a history?
//!
//! One JSON object per line. Calendars are written as the program writes them;
//! one that ends in `*` stands for all that begin so.

use freshness_core::civil::{DAY, Zone};
use freshness_core::schedule::{Calendar, Grain};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::AgreementError;

/// What is known of one dataset.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Which.
    pub dataset_id: String,
    /// How sure the annotator was.
    pub confidence: Confidence,
    /// Its calendar at the end of the history.
    pub calendar: String,
    /// Calendars that are as true.
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// With whose clocks its schedule moves; any of these.
    pub zones: Vec<ZoneFamily>,
    /// When its schedule moved, oldest first.
    #[serde(default)]
    pub moves: Vec<KnownMove>,
    /// What else must be known to judge by it.
    #[serde(default)]
    pub note: String,
}

/// How sure the annotator was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// Zones that change their clocks together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneFamily {
    /// As the European Union.
    Eu,
    /// As the United States.
    Us,
    /// Never.
    None,
    /// Otherwise.
    Other,
    /// The history does not tell.
    Any,
}

/// A move of the schedule.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownMove {
    /// The first day of the new schedule.
    pub date: Date,
    /// What kind of move.
    pub kind: MoveKind,
    /// Minutes later (or earlier), as far as that can be said.
    pub minutes: Option<f64>,
    /// From what to what.
    pub what: String,
}

/// What kind of move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    /// Deliveries come earlier or later from one day on.
    Shift,
    /// On other days, or more or less often.
    Cadence,
    /// Deliveries creep over months; the date is where that began.
    Drift,
    /// Deliveries come again after a long death.
    Restart,
}

/// Our view of a disagreement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Of which dataset.
    pub dataset_id: String,
    /// `calendar`, `zone`, or the date of a move.
    pub about: String,
    /// Who is wrong, and why.
    pub view: String,
}

/// Reads a truth file.
pub fn read_truth(text: &str) -> Result<Vec<Known>, AgreementError> {
    let known: Vec<Known> = read_lines(text)?;
    for (i, known) in known.iter().enumerate() {
        for calendar in known
            .calendars()
            .filter(|calendar| !calendar.ends_with('*'))
        {
            if calendar.parse::<Calendar>().is_err() {
                return Err(AgreementError::Calendar {
                    line: i + 1,
                    calendar: calendar.to_owned(),
                });
            }
        }
    }
    Ok(known)
}

/// Reads a file of views.
pub fn read_views(text: &str) -> Result<Vec<View>, AgreementError> {
    read_lines(text)
}

fn read_lines<T: for<'de> Deserialize<'de>>(text: &str) -> Result<Vec<T>, AgreementError> {
    text.lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line).map_err(|source| AgreementError::Fact {
                line: i + 1,
                source,
            })
        })
        .collect()
}

/// Set times of a day that lie no further apart are the same.
const SAME_TIME_MINUTES: u16 = 60;

impl Known {
    /// The calendar and its alternatives.
    pub fn calendars(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.calendar.as_str()).chain(self.alternatives.iter().map(String::as_str))
    }

    /// Is this calendar one of those that are true?
    pub fn admits_calendar(&self, learned: &Calendar) -> bool {
        let text = learned.to_string();
        self.calendars().any(|known| match known.strip_suffix('*') {
            Some(start) => text.starts_with(start),
            None => known
                .parse()
                .is_ok_and(|known: Calendar| is_same(&known, learned)),
        })
    }

    /// Is this how often its cycles come?
    pub fn admits_grain(&self, learned: Option<Grain>) -> bool {
        self.calendars().any(|known| {
            let known = known.trim_end_matches(['*', ' ']);
            let grain = match known {
                "monthly" => Some(Grain::Month),
                known => known.parse().ok().and_then(|known: Calendar| known.grain()),
            };
            grain == learned
        })
    }

    /// Is this one of the families whose clocks it may follow?
    pub fn admits_zone(&self, learned: ZoneFamily) -> bool {
        self.zones.contains(&ZoneFamily::Any) || self.zones.contains(&learned)
    }
}

/// Set times are known to the hour only; all else is exact.
fn is_same(known: &Calendar, learned: &Calendar) -> bool {
    let (
        Calendar::Times { times, days },
        Calendar::Times {
            times: learned_times,
            days: learned_days,
        },
    ) = (known, learned)
    else {
        return known == learned;
    };
    let near = |(a, b): (&u16, &u16)| a.abs_diff(*b) <= SAME_TIME_MINUTES;
    days == learned_days
        && times.len() == learned_times.len()
        && times.iter().zip(learned_times).all(near)
}

impl ZoneFamily {
    /// With whose clocks a zone's clocks changed between two instants.
    pub fn of(zone: Zone, from: i64, to: i64) -> ZoneFamily {
        let days =
            |zone: Zone| -> Vec<i64> { zone.changes(from, to).map(|(at, _)| at / DAY).collect() };
        let like = |name| Zone::named(name).is_ok_and(|other| days(other) == days(zone));
        match days(zone).is_empty() {
            true => ZoneFamily::None,
            false if like("Europe/Berlin") => ZoneFamily::Eu,
            false if like("America/New_York") => ZoneFamily::Us,
            false => ZoneFamily::Other,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            ZoneFamily::Eu => "EU clocks",
            ZoneFamily::Us => "US clocks",
            ZoneFamily::None => "no clock change",
            ZoneFamily::Other => "other clocks",
            ZoneFamily::Any => "not told",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_calendar(known: &str, learned: &str, agrees: bool) {
        let fact = format!(
            r#"{{"dataset_id":"a","confidence":"high","calendar":"{known}","zones":["any"]}}"#
        );
        let known = read_truth(&fact).unwrap().remove(0);
        let learned: Calendar = learned.parse().unwrap();
        let grain = known.admits_grain(learned.grain());
        assert_eq!(grain && known.admits_calendar(&learned), agrees);
    }

    #[test]
    fn a_calendar_is_itself_and_a_star_stands_for_what_follows() {
        check_calendar("daily", "daily", true);
        check_calendar("daily", "Mon–Fri", false);
        check_calendar("monthly *", "monthly day 3", true);
        check_calendar("monthly *", "weekly Mon", false);
        check_calendar("every 15 minutes*", "every 15 minutes Mon–Fri 08–17", true);
    }

    #[test]
    fn set_times_are_known_to_the_hour() {
        check_calendar("06:00, 18:00", "06:20, 18:50", true);
        check_calendar("06:00, 18:00", "06:00", false);
        check_calendar("06:00, 18:00", "06:00, 20:00", false);
    }

    #[test]
    fn a_zone_belongs_to_those_whose_clocks_change_with_it() {
        let family =
            |name| ZoneFamily::of(Zone::named(name).unwrap(), 1_577_836_800, 1_735_689_600);
        assert_eq!(family("Europe/London"), ZoneFamily::Eu);
        assert_eq!(family("America/Los_Angeles"), ZoneFamily::Us);
        assert_eq!(family("Asia/Shanghai"), ZoneFamily::None);
        assert_eq!(family("Australia/Sydney"), ZoneFamily::Other);
    }
}

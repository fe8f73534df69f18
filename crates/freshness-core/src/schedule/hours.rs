//! In which hours of the week does a feed run?

use std::fmt;

use crate::civil::{Weekday, WeekdaySet};

/// A set of hours of the local week.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HoursOfWeek([u32; 7]);

const EVERY_HOUR: u32 = 0xFF_FFFF;

impl HoursOfWeek {
    /// Around the clock.
    pub const ALL: HoursOfWeek = HoursOfWeek([EVERY_HOUR; 7]);
    /// No hour at all.
    pub const NONE: HoursOfWeek = HoursOfWeek([0; 7]);

    /// Is the hour (0–23) of the weekday in the set?
    pub fn contains(&self, weekday: Weekday, hour: usize) -> bool {
        self.0[weekday.index()] & (1 << hour) != 0
    }

    /// Adds an hour (0–23) of a weekday.
    pub fn insert(&mut self, weekday: Weekday, hour: usize) {
        self.0[weekday.index()] |= 1 << hour;
    }

    /// The number of hours in the set, at most 168.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|hours| hours.count_ones()).sum()
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for HoursOfWeek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Weekdays with the same hours together: `Mon–Fri 09–17; Sat 10–12`. The
/// last hour is included: `09–17` holds the hour that begins at 17:00.
impl fmt::Display for HoursOfWeek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut seen = WeekdaySet(0);
        let mut parts = Vec::new();
        for weekday in Weekday::ALL {
            let hours = self.0[weekday.index()];
            if hours == 0 || seen.contains(weekday) {
                continue;
            }
            let alike: WeekdaySet = Weekday::ALL
                .into_iter()
                .filter(|other| self.0[other.index()] == hours)
                .collect();
            seen = WeekdaySet(seen.0 | alike.0);
            let days = if alike == WeekdaySet::ALL {
                String::new()
            } else {
                alike.to_string()
            };
            let hours = if hours == EVERY_HOUR {
                String::new()
            } else {
                ranges(hours)
            };
            parts.push(
                [days, hours]
                    .iter()
                    .filter(|part| !part.is_empty())
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(" "),
            );
        }
        f.write_str(&parts.join("; "))
    }
}

fn ranges(hours: u32) -> String {
    let mut parts = Vec::new();
    let mut hour = 0;
    while hour < 24 {
        let run = (hour..24).take_while(|h| hours & (1 << h) != 0).count();
        match run {
            0 => hour += 1,
            1 => parts.push(format!("{hour:02}")),
            _ => parts.push(format!("{hour:02}–{:02}", hour + run - 1)),
        }
        hour += run;
    }
    parts.join(",")
}

//! How often do cycles come?

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::civil::{DAY, MINUTE};

/// How often cycles come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grain {
    /// Every so many minutes; 5 to 720, a divisor of a day.
    Minutes(u16),
    /// Once or a few set times a civil day.
    Day,
    /// Once a week.
    Week,
    /// Once a month.
    Month,
}

impl Grain {
    /// Every hour.
    pub const HOUR: Grain = Grain::Minutes(60);

    /// Typical length of a cycle in seconds (a month counts 30.4375 days).
    pub fn seconds(self) -> i64 {
        match self {
            Grain::Minutes(minutes) => i64::from(minutes) * MINUTE,
            Grain::Day => DAY,
            Grain::Week => 7 * DAY,
            Grain::Month => 2_629_800,
        }
    }
}

impl fmt::Display for Grain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grain::Minutes(60) => f.write_str("hourly"),
            Grain::Minutes(minutes) if minutes % 60 == 0 => write!(f, "{}h", minutes / 60),
            Grain::Minutes(minutes) => write!(f, "{minutes}min"),
            Grain::Day => f.write_str("daily"),
            Grain::Week => f.write_str("weekly"),
            Grain::Month => f.write_str("monthly"),
        }
    }
}

impl FromStr for Grain {
    type Err = String;

    fn from_str(text: &str) -> Result<Grain, String> {
        let lower = text.trim().to_ascii_lowercase();
        let refusal = || {
            format!(
                "unknown grain: {text} (expected 5min to 30min, hourly, 2h to 12h, daily, weekly or monthly)"
            )
        };
        let minutes = match lower.as_str() {
            "hourly" | "hour" => 60,
            "daily" | "day" => return Ok(Grain::Day),
            "weekly" | "week" => return Ok(Grain::Week),
            "monthly" | "month" => return Ok(Grain::Month),
            other => {
                let (digits, factor) = match (other.strip_suffix("min"), other.strip_suffix('h')) {
                    (Some(digits), _) => (digits, 1),
                    (_, Some(digits)) => (digits, 60),
                    _ => return Err(refusal()),
                };
                digits
                    .parse::<u16>()
                    .ok()
                    .and_then(|n| n.checked_mul(factor))
                    .ok_or_else(refusal)?
            }
        };
        match (5..=720).contains(&minutes) && 1_440 % minutes == 0 {
            true => Ok(Grain::Minutes(minutes)),
            false => Err(refusal()),
        }
    }
}

impl Serialize for Grain {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Grain {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Grain, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

//! What did a look at a table show?

use freshness_core::civil::Zone;
use freshness_core::slo::{Filled, Newest};
use jiff::Timestamp;

/// What was seen of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Rows that the filter lets through.
    pub rows: u64,
    /// The greatest time of the freshness field, if asked.
    pub newest: Option<Reading>,
    /// The greatest time of the source field, if asked.
    pub source_newest: Option<Reading>,
    /// How much is filled, if asked.
    pub filled: Option<Filled>,
}

/// The greatest time of a column, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// UTC seconds.
    At(i64),
    /// The table has no rows.
    NoRows,
    /// Every value is null, or an empty text.
    AllNull,
    /// The table has no such column.
    NoColumn,
    /// Its times name no zone, and none is declared; the greatest of them.
    NoZone(String),
    /// Some value is no time, quoted.
    Unreadable(String),
    /// The type of the column tells no time.
    NotTimes(String),
}

/// What a query says of the times in a column, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Times {
    /// Values.
    pub(super) non_null: u64,
    /// Greatest instant, epoch seconds.
    pub(super) at: Option<String>,
    /// Greatest wall time, as seconds since 1970-01-01 on that wall.
    pub(super) local: Option<String>,
    /// A value that is no time.
    pub(super) bad: Option<String>,
}

/// 1971-01-01: an earlier time after 1970-01-01 is an epoch of 0, or a number
/// that is no epoch, such as 20260901.
const YEAR_1971: i64 = 31_536_000;

impl Reading {
    pub(super) fn of(times: Times, rows: u64, zone: Option<Zone>) -> Reading {
        let Times {
            non_null,
            at,
            local,
            bad,
        } = times;
        if rows == 0 {
            return Reading::NoRows;
        }
        if non_null == 0 {
            return Reading::AllNull;
        }
        if let Some(bad) = bad {
            return Reading::Unreadable(bad);
        }
        let read =
            |text: Option<String>| text.map(|text| within_time(&text).ok_or(text)).transpose();
        let (at, local) = match (read(at), read(local)) {
            (Ok(at), Ok(local)) => (at, local),
            (Err(text), _) | (_, Err(text)) => return Reading::Unreadable(text.to_lowercase()),
        };
        let local = match (local, zone) {
            (None, _) => None,
            (Some(local), Some(zone)) => Some(zone.utc(local)),
            (Some(local), None) => return Reading::NoZone(wall(local)),
        };
        match at.max(local) {
            Some(at @ 0..YEAR_1971) => Reading::Unreadable(at.to_string()),
            Some(at) => Reading::At(at),
            None => Reading::Unreadable("no time among the values".to_owned()),
        }
    }

    /// The word for it in tables and JSON.
    pub fn state(&self) -> &'static str {
        match self {
            Reading::At(_) => "at",
            Reading::NoRows => "no_rows",
            Reading::AllNull => "all_null",
            Reading::NoColumn => "no_column",
            Reading::NoZone(_) => "no_zone",
            Reading::Unreadable(_) => "unreadable",
            Reading::NotTimes(_) => "not_times",
        }
    }

    /// What a run keeps of it.
    pub fn newest(&self) -> Newest {
        match self {
            Reading::At(at) => Newest::At(*at),
            Reading::NoRows => Newest::NoRows,
            Reading::AllNull => Newest::AllNull,
            Reading::NoColumn => Newest::NoColumn,
            Reading::NoZone(wall) => Newest::Unreadable(format!("{wall}, a time without a zone")),
            Reading::Unreadable(value) => Newest::Unreadable(value.clone()),
            Reading::NotTimes(kind) => Newest::Unreadable(format!("a column of type {kind}")),
        }
    }
}

/// Seconds that a calendar can name; not `infinity`, not the year 200000.
fn within_time(text: &str) -> Option<i64> {
    let seconds: i64 = text.parse().ok()?;
    Timestamp::from_second(seconds).ok().map(|_| seconds)
}

/// A wall time as people write it.
fn wall(local: i64) -> String {
    Timestamp::from_second(local).map_or_else(
        |_| local.to_string(),
        |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(at: Option<&str>, local: Option<&str>) -> Times {
        Times {
            non_null: 1,
            at: at.map(str::to_owned),
            local: local.map(str::to_owned),
            bad: None,
        }
    }

    #[test]
    fn the_later_of_an_instant_and_a_wall_time_counts() {
        let tokyo = Zone::named("Asia/Tokyo").ok();
        // Noon in Tokyo is 03:00 UTC.
        let noon = times(Some("1788233400"), Some("1788264000"));
        assert_eq!(
            Reading::of(noon.clone(), 9, tokyo),
            Reading::At(1_788_233_400)
        );
        let earlier = times(Some("1788200000"), Some("1788264000"));
        assert_eq!(Reading::of(earlier, 9, tokyo), Reading::At(1_788_231_600));
        let nowhere = Reading::of(noon, 9, None);
        assert_eq!(nowhere, Reading::NoZone("2026-09-01 12:00:00".to_owned()));
    }

    #[test]
    fn what_no_calendar_names_is_quoted() {
        for (text, quoted) in [
            ("Infinity", "infinity"),
            ("-Infinity", "-infinity"),
            ("9224318015999", "9224318015999"),
            ("20260901", "20260901"),
            ("0", "0"),
        ] {
            let reading = Reading::of(times(Some(text), None), 9, None);
            assert_eq!(reading, Reading::Unreadable(quoted.to_owned()));
        }
    }

    #[test]
    fn nothing_has_a_state_of_its_own() {
        assert_eq!(Reading::of(Times::default(), 0, None), Reading::NoRows);
        assert_eq!(Reading::of(Times::default(), 2, None), Reading::AllNull);
    }
}

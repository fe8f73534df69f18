//! How does local time work?
//!
//! Schedules are understood in local time, so every floor above counts in
//! *local seconds*: seconds since 1970-01-01 00:00 as the clock on the wall of
//! the dataset's zone shows them. Instants are UTC seconds since the epoch.

mod day;
mod holidays;
mod zone;

pub use day::{Day, Weekday, WeekdaySet};
pub use holidays::{HolidayCalendar, Holidays};
pub use zone::{UnknownZone, Zone};

/// Seconds in a minute.
pub const MINUTE: i64 = 60;
/// Seconds in an hour.
pub const HOUR: i64 = 3_600;
/// Seconds in a civil day without a clock change.
pub const DAY: i64 = 86_400;

//! On which cycles can a delivery be expected, and how is that said?
//!
//! A [`Calendar`] is a value with one canonical text form, read from
//! declarations and shown in reports; [`Calendar::cycles`] lists the cycles it
//! expects.

mod calendar;
mod cycles;
mod grain;
mod hours;
mod text;

pub use calendar::{Calendar, DayRule, MonthRule};
pub use cycles::Cycle;
pub use grain::Grain;
pub use hours::HoursOfWeek;
pub use text::{CALENDAR_FORMS, CalendarError};

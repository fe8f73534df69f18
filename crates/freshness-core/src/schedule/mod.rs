//! On which cycles can a delivery be expected, and how is that said?
//!
//! A [`Calendar`] is a value with one canonical text form, read from
//! declarations and shown in reports; [`Calendar::cycles`] lists the cycles it
//! expects. [`Maintenance`] says when none is, calendar or not.

mod calendar;
mod cycles;
mod grain;
mod hours;
mod maintenance;
mod text;
mod time_off;

pub(crate) use calendar::business_day_of_week;
pub use calendar::{Calendar, DayRule, MonthRule};
pub use cycles::Cycle;
pub use grain::Grain;
pub use hours::HoursOfWeek;
pub use maintenance::{Maintenance, PutOff, When, Window, leaves_time};
pub use text::{CALENDAR_FORMS, CalendarError, WeekdaysError};
pub use time_off::TimeOff;

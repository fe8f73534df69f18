//! Which time is unlike other time, of a dataset?

use super::maintenance::Maintenance;
use crate::civil::Holidays;

/// What is known of days and hours on which less is owed.
#[derive(Debug, Clone, Copy)]
pub struct TimeOff<'a> {
    /// Which days are holidays.
    pub holidays: &'a Holidays,
    /// When somebody works on what delivers.
    pub maintenance: &'a Maintenance,
}

static NONE: Maintenance = Maintenance::NONE;

impl<'a> TimeOff<'a> {
    /// Holidays, and no maintenance.
    pub fn holidays(holidays: &'a Holidays) -> TimeOff<'a> {
        TimeOff {
            holidays,
            maintenance: &NONE,
        }
    }
}

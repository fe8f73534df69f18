//! At which times of the clock on the wall does an expression of cron fall?
//!
//! The crate that reads them is asked in civil time only, so that what a zone does is
//! said once, by our own.

use std::cmp::Ordering;

use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};
use croner::{CivilDateTime, CronDateTime, Resolution, Weekday};
use freshness_core::civil::Day;
use jiff::SignedDuration;
use jiff::civil::DateTime;

/// Seconds.
const HOUR: i64 = 3600;

/// An expression of five fields.
#[derive(Debug, Clone)]
pub(super) struct Cron(Box<croner::Cron>);

impl Cron {
    /// Reads one; `None` if it is none, or one that never comes, such as on the 30th of
    /// February.
    pub(super) fn read(text: &str) -> Option<Cron> {
        let parser = CronParser::builder();
        let parser = parser.seconds(Seconds::Disallowed).year(Year::Disallowed);
        let cron = Cron(Box::new(parser.build().parse(text).ok()?));
        cron.after(0).map(|_| cron)
    }

    /// The first time after another; `None`: there is none. Local seconds.
    pub(super) fn after(&self, local: i64) -> Option<i64> {
        let midnight = Day::of_local(local);
        let into = SignedDuration::from_secs(local - midnight.start());
        let from = midnight.date().at(0, 0, 0, 0).checked_add(into).ok()?;
        let OnTheWall(next) = self.0.find_next_occurrence(&OnTheWall(from), false).ok()?;
        let day = Day::from(next.date());
        let into = next.duration_since(next.date().at(0, 0, 0, 0));
        Some(day.start() + into.as_secs())
    }

    /// Does it fall an hour before a local time and an hour after it too?
    pub(super) fn is_hourly_at(&self, local: i64) -> bool {
        let falls = |at: i64| self.after(at - 1) == Some(at);
        falls(local - HOUR) && falls(local + HOUR)
    }
}

/// What a clock shows, whatever its zone.
#[derive(Debug, Clone, Copy)]
struct OnTheWall(DateTime);

impl CronDateTime for OnTheWall {
    fn to_civil(&self) -> CivilDateTime {
        let OnTheWall(at) = *self;
        let (date, time) = (at.date(), at.time());
        let part = |of: i8| u32::try_from(of).unwrap_or(0);
        CivilDateTime::from_ymd_hms_opt(
            date.year().into(),
            part(date.month()),
            part(date.day()),
            part(time.hour()),
            part(time.minute()),
            part(time.second()),
        )
        .expect("what one calendar has, the other has too")
    }

    fn civil_weekday(&self) -> Weekday {
        let day = Day::from(self.0.date()).weekday();
        Weekday::from_days_from_sunday(day.index() as u32 + 1)
    }

    fn resolve_civil(&self, civil: CivilDateTime) -> Result<Resolution<OnTheWall>, CronError> {
        let part = |of: u32| i8::try_from(of).map_err(|_| CronError::InvalidDate);
        let year = i16::try_from(civil.year()).map_err(|_| CronError::InvalidDate)?;
        let at = DateTime::new(
            year,
            part(civil.month())?,
            part(civil.day())?,
            part(civil.hour())?,
            part(civil.minute())?,
            part(civil.second())?,
            0,
        );
        let at = at.map_err(|_| CronError::InvalidDate)?;
        Ok(Resolution::Single(OnTheWall(at)))
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<OnTheWall> {
        let later = self.0.checked_add(SignedDuration::from_secs(seconds));
        later.ok().map(OnTheWall)
    }

    fn cmp_instant(&self, other: &OnTheWall) -> Ordering {
        self.0.cmp(&other.0)
    }
}

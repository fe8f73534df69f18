//! What does a model expect of one cycle?

use serde::Serialize;

use super::model::{ArrivalModel, CellKey, Effect, EffectKey, to_seconds};
use crate::arrivals::Opening;
use crate::calendar::clocks_were_set_back;
use crate::civil::{Day, Weekday};
use crate::schedule::{Calendar, Cycle, DayRule};

/// What a model says of one cycle. Minutes from the start of the cycle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expectation {
    /// The cell it comes from.
    pub cell: CellKey,
    /// Delays the cell rests on.
    pub n: u32,
    /// Share of the cell's expected cycles that were delivered, 0–1.
    pub delivered: f64,
    /// Chance that such a cycle is skipped though nothing is wrong.
    pub skipped: f64,
    /// Start of the expected window.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// End of the expected window.
    pub p90: f64,
    /// The alert threshold.
    pub threshold: f64,
    /// How much of these four is the effects of such a day.
    #[serde(skip)]
    pub effects: f64,
}

impl CellKey {
    /// The key of the cell that a cycle belongs to, if cells are told apart
    /// the way the calendar does.
    pub fn of(cycle: &Cycle, calendar: &Calendar) -> CellKey {
        let minute = cycle.local.rem_euclid(crate::civil::DAY) / crate::civil::MINUTE;
        match calendar {
            Calendar::Grid { .. } => CellKey::Hour((minute / 60) as u8),
            Calendar::Times { .. } => CellKey::Time(minute as u16),
            Calendar::Days(DayRule::BusinessDayOfWeek { .. })
            | Calendar::Months(_)
            | Calendar::Irregular => CellKey::All,
            Calendar::Days(_) => CellKey::Weekday(cycle.day().weekday()),
        }
    }
}

/// Where a day lies in its week and month.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DayPlace {
    weekday: Weekday,
    of_month: i8,
    to_month_end: i32,
}

impl DayPlace {
    pub(crate) fn of(day: Day) -> DayPlace {
        DayPlace {
            weekday: day.weekday(),
            of_month: day.year_month_day().2,
            to_month_end: day.days_to_month_end(),
        }
    }
}

impl EffectKey {
    /// Does the effect shift cycles of this day?
    pub fn applies(self, day: Day) -> bool {
        self.applies_at(DayPlace::of(day))
    }

    pub(crate) fn applies_at(self, day: DayPlace) -> bool {
        match self {
            EffectKey::Weekday(weekday) => day.weekday == weekday,
            EffectKey::MonthEnd { days } => day.to_month_end < i32::from(days),
            EffectKey::MonthStart { days } => day.of_month <= days as i8,
            EffectKey::MonthDay(of_month) => day.of_month == of_month as i8,
        }
    }
}

impl ArrivalModel {
    /// When a cycle is open: what comes from then on is credited to it.
    pub fn opening(&self, cycle: &Cycle) -> Opening {
        let expectation = self.expect(cycle);
        let instant = |minutes: f64| self.calendar.instant(self.zone, cycle, to_seconds(minutes));
        Opening {
            opens: instant(expectation.p50 - self.early_minutes),
            usual: instant(expectation.p50),
            usual_by: instant(expectation.p90),
        }
    }

    /// What to expect of a cycle.
    pub fn expect(&self, cycle: &Cycle) -> Expectation {
        let key = CellKey::of(cycle, &self.calendar);
        let cell = self
            .cells
            .iter()
            .find(|cell| cell.key == key)
            .or_else(|| self.cells.iter().find(|cell| cell.key == CellKey::All))
            .unwrap_or(&self.cells[0]);
        let shift: f64 = match self.effects.is_empty() {
            true => 0.0,
            false => {
                let day = DayPlace::of(cycle.day());
                let applies = |effect: &&Effect| effect.key.applies_at(day);
                let effects = self.effects.iter().filter(applies);
                effects.map(|effect| effect.shift).sum()
            }
        };
        Expectation {
            cell: cell.key,
            n: cell.n,
            delivered: cell.delivered,
            skipped: cell.skipped,
            p10: cell.p10 + shift,
            p50: cell.p50 + shift,
            p90: cell.p90 + shift,
            threshold: cell.threshold + shift + self.clock_allowance(cycle),
            effects: shift,
        }
    }

    /// Minutes that a cycle is allowed because clocks were set back and nobody
    /// knows whether the schedule follows them.
    pub fn clock_allowance(&self, cycle: &Cycle) -> f64 {
        match self.clock_untested_since {
            Some(since) if clocks_were_set_back(since.as_second(), cycle.start) => 60.0,
            _ => 0.0,
        }
    }
}

//! What can be said of a dataset with little history?
//!
//! A loose default, which by its type can only advise.

use super::cells::round;
use super::model::ColdStart;
use super::quantile::median;
use crate::calendar::{Inference, Source};
use crate::civil::{MINUTE, WeekdaySet, Zone};
use crate::dataset::Dataset;
use crate::schedule::{Calendar, DayRule, Grain, HoursOfWeek};

/// Cycles below which nothing is learned.
pub(crate) fn floor(grain: Option<Grain>) -> u32 {
    match grain {
        Some(Grain::Minutes(minutes)) if minutes < 60 => 120,
        Some(Grain::Minutes(60)) => 60,
        Some(Grain::Minutes(_)) => 24,
        Some(Grain::Day) => 10,
        Some(Grain::Week) => 6,
        Some(Grain::Month) => 3,
        None => 20,
    }
}

/// Minutes past the usual delay that are allowed meanwhile.
fn allowance(grain: Option<Grain>) -> f64 {
    match grain {
        Some(Grain::Minutes(minutes)) => (f64::from(minutes) * 1.5).min(480.0),
        Some(Grain::Day) => 480.0,
        Some(Grain::Week) => 2.0 * 1_440.0,
        Some(Grain::Month) => 5.0 * 1_440.0,
        None => 3.0 * 1_440.0,
    }
}

/// The default for a dataset that has delivered `n_cycles` cycles with these
/// delays (minutes).
pub(crate) fn loose(inference: &Inference, n_cycles: u32, delays: &mut [f64]) -> ColdStart {
    let grain = inference.calendar.grain();
    let p50 = median(delays).map(round);
    ColdStart {
        calendar: inference.calendar.clone(),
        calendar_source: inference.source,
        zone: inference.zone,
        zone_source: inference.zone_source,
        n_cycles,
        n_needed: floor(grain),
        p50,
        threshold: round(p50.unwrap_or(0.0) + allowance(grain)),
    }
}

/// The default for a dataset that has delivered nothing yet.
pub(crate) fn before_the_first_arrival(dataset: &Dataset) -> ColdStart {
    let calendar = dataset
        .calendar
        .clone()
        .or_else(|| dataset.grain.map(plainest));
    let grain = calendar.as_ref().and_then(Calendar::grain);
    ColdStart {
        calendar_source: if calendar.is_some() {
            Source::Declared
        } else {
            Source::Default
        },
        calendar: calendar.unwrap_or(Calendar::Irregular),
        zone: dataset.timezone.unwrap_or_else(Zone::universal),
        zone_source: if dataset.timezone.is_some() {
            Source::Declared
        } else {
            Source::Default
        },
        n_cycles: 0,
        n_needed: floor(grain),
        p50: None,
        threshold: allowance(grain) + grain.map_or(0.0, |grain| (grain.seconds() / MINUTE) as f64),
    }
}

/// The plainest calendar of a grain.
fn plainest(grain: Grain) -> Calendar {
    match grain {
        Grain::Minutes(minutes) => Calendar::Grid {
            minutes,
            hours: HoursOfWeek::ALL,
        },
        Grain::Day => Calendar::Days(DayRule::Weekdays(WeekdaySet::ALL)),
        // Which day cannot be known before the first delivery.
        Grain::Week | Grain::Month => Calendar::Irregular,
    }
}

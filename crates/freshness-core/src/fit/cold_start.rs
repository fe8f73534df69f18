//! What can be said of a dataset with little history?
//!
//! A loose default, which by its type can only advise.

use super::cells::round;
use super::model::ColdStart;
use super::quantile::median;
use crate::calendar::{Inference, Source};
use crate::civil::{Day, MINUTE, Zone};
use crate::dataset::Dataset;
use crate::schedule::{Calendar, Grain};

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

/// Deliveries below which a calendar is not even guessed.
const MIN_GUESS: u32 = 3;

/// The default for a dataset that has delivered `n_cycles` cycles with these
/// delays (minutes). In less than a week the weekdays it is silent on cannot
/// be told (`is_guess`): every cycle of its grain is awaited.
pub(crate) fn loose(
    inference: &Inference,
    n_cycles: u32,
    delays: &mut [f64],
    is_guess: bool,
) -> ColdStart {
    let (calendar, calendar_source) = match inference.calendar.grain() {
        _ if !is_guess => (inference.calendar.clone(), inference.source),
        Some(grain @ (Grain::Minutes(_) | Grain::Day)) if n_cycles >= MIN_GUESS => {
            (Calendar::plainest(grain, Day(0)), Source::Default)
        }
        _ => (Calendar::Irregular, Source::Default),
    };
    let grain = calendar.grain();
    let p50 = median(delays).map(round);
    ColdStart {
        calendar,
        calendar_source,
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
    // On which weekday or day of the month cannot be known before the first
    // delivery.
    let calendar = dataset.calendar.clone().or_else(|| match dataset.grain? {
        Grain::Week | Grain::Month => None,
        grain => Some(Calendar::plainest(grain, Day(0))),
    });
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

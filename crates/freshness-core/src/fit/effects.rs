//! Which days are slower or faster than their cell says?
//!
//! Weekdays (where cells are hours or set times), the ends of a month, and
//! single days of the month. A day's cycles share their fate, so each day
//! counts once, with the median of what its cell leaves. The effect that stands
//! out most is taken first and the others are sought in what it leaves, so that
//! of two that overlap the one that says more is named.

use super::cells::{Delivery, least_margin, least_spread, round};
use super::expect::DayPlace;
use super::model::{Effect, EffectKey};
use super::quantile::{median, of_sorted, spread};
use crate::civil::{Day, Weekday};
use crate::schedule::{Calendar, Grain};

/// Days that an effect must rest on.
const MIN_DAYS: usize = 6;
/// Standard errors that it must stand out by.
const MIN_ERRORS: f64 = 4.0;
/// Days at an end of a month that may differ together.
const MONTH_END_DAYS: u8 = 3;
/// The most effects of one dataset.
const MAX_EFFECTS: usize = 8;
/// Many days of the month are tried, so three of four deliveries of one that is
/// named must be among the slowest fifth of all.
const SLOW_SHARE: f64 = 0.8;
const MIN_SLOW: f64 = 0.25;

/// The effects in what is left of deliveries (in order of time) when the shift
/// of their cell is taken away (minutes).
pub(crate) fn find(
    deliveries: &[Delivery],
    rest: &[f64],
    calendar: &Calendar,
    grain: Grain,
) -> Vec<Effect> {
    let mut days = day_medians(deliveries, rest);
    let same_day = deliveries.chunk_by(|a, b| a.day == b.day);
    let n_of_day: Vec<usize> = same_day.map(<[Delivery]>::len).collect();
    let all: Vec<f64> = days.iter().map(|(_, rest)| *rest).collect();
    let spread = spread(&mut rest.to_vec())
        .unwrap_or(0.0)
        .max(least_spread(grain));
    let slow = slowest(all, SLOW_SHARE);
    let places: Vec<DayPlace> = days.iter().map(|(day, _)| DayPlace::of(*day)).collect();
    let mut candidates: Vec<(EffectKey, Vec<usize>)> = candidates(calendar, grain)
        .into_iter()
        .map(|key| {
            let on = (0..days.len()).filter(|&i| key.applies_at(places[i]));
            (key, on.collect::<Vec<usize>>())
        })
        .filter(|(_, on)| on.len() >= MIN_DAYS)
        .collect();
    let mut effects = Vec::new();
    while effects.len() < MAX_EFFECTS {
        let best = candidates
            .iter()
            .enumerate()
            .filter_map(|(i, (key, on))| {
                let mut values: Vec<f64> = on.iter().map(|&day| days[day].1).collect();
                let shift = median(&mut values)?;
                let errors = shift.abs() / (1.25 * spread) * (on.len() as f64).sqrt();
                let matters = errors > MIN_ERRORS
                    && shift.abs() > spread / 2.0
                    && shift.abs() > least_margin(grain) / 5.0;
                let is_named = || match key {
                    EffectKey::MonthDay(_) => {
                        shift > least_margin(grain) && slowest(values, MIN_SLOW) >= slow
                    }
                    _ => true,
                };
                (matters && is_named()).then_some((i, shift, errors))
            })
            .max_by(|a, b| a.2.total_cmp(&b.2));
        let Some((i, shift, _)) = best else { break };
        let (key, on) = candidates.swap_remove(i);
        on.iter().for_each(|&day| days[day].1 -= shift);
        let n: usize = on.iter().map(|&day| n_of_day[day]).sum();
        effects.push(Effect {
            key,
            shift: round(shift),
            n: n as u32,
        });
    }
    effects.sort_by_key(|effect| effect.key);
    effects
}

/// What the effects add to each delivery, minutes.
pub(crate) fn sums(deliveries: &[Delivery], effects: &[Effect]) -> Vec<f64> {
    let mut of_day = (Day(i32::MIN), 0.0);
    deliveries
        .iter()
        .map(|delivery| {
            if delivery.day != of_day.0 {
                let place = DayPlace::of(delivery.day);
                let applies = |effect: &&Effect| effect.key.applies_at(place);
                let sum = effects.iter().filter(applies).map(|effect| effect.shift);
                of_day = (delivery.day, sum.sum());
            }
            of_day.1
        })
        .collect()
}

fn slowest(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    of_sorted(&values, share)
}

fn day_medians(deliveries: &[Delivery], rest: &[f64]) -> Vec<(Day, f64)> {
    let mut days = Vec::new();
    let mut from = 0;
    for same in deliveries.chunk_by(|a, b| a.day == b.day) {
        let mut values = rest[from..from + same.len()].to_vec();
        from += same.len();
        days.extend(median(&mut values).map(|median| (same[0].day, median)));
    }
    days
}

/// Which effects could be told for a calendar.
fn candidates(calendar: &Calendar, grain: Grain) -> Vec<EffectKey> {
    let mut keys = match calendar {
        // Other calendars have a cell for each weekday.
        Calendar::Grid { .. } | Calendar::Times { .. } => {
            Weekday::ALL.map(EffectKey::Weekday).to_vec()
        }
        Calendar::Days(_) | Calendar::Months(_) | Calendar::Irregular => Vec::new(),
    };
    match grain {
        Grain::Minutes(_) | Grain::Day => {
            for days in (1..=MONTH_END_DAYS).rev() {
                keys.push(EffectKey::MonthEnd { days });
                keys.push(EffectKey::MonthStart { days });
            }
            keys.extend((2..=28).map(EffectKey::MonthDay));
        }
        Grain::Week | Grain::Month => {}
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::model::CellKey;

    /// 14 months of a daily feed with noise of up to 5 minutes; `late` says how
    /// much later a day is.
    #[track_caller]
    fn check_effects(late: impl Fn(Day) -> f64, expected: &[(EffectKey, f64)]) {
        let first: Day = "2025-01-01".parse().unwrap();
        let deliveries: Vec<Delivery> = (0..420)
            .map(|i| Delivery {
                key: CellKey::All,
                day: first.plus(i),
                regime: 0,
                delay: f64::from(i * 7919 % 11) - 5.0 + late(first.plus(i)),
            })
            .collect();
        let rest: Vec<f64> = deliveries.iter().map(|delivery| delivery.delay).collect();
        let calendar = "daily".parse().unwrap();
        let found = find(&deliveries, &rest, &calendar, Grain::Day);
        let keys: Vec<EffectKey> = found.iter().map(|effect| effect.key).collect();
        let wanted: Vec<EffectKey> = expected.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, wanted);
        for (effect, (_, shift)) in found.iter().zip(expected) {
            assert!((effect.shift - shift).abs() < 4.0, "{effect:?}");
        }
    }

    #[test]
    fn slow_days_of_the_month_are_named_by_the_fewest_effects() {
        let day = |day: Day| day.year_month_day().2;
        check_effects(|_| 0.0, &[]);
        check_effects(
            |at| if day(at) == 15 { 90.0 } else { 0.0 },
            &[(EffectKey::MonthDay(15), 90.0)],
        );
        check_effects(
            |at| {
                if at.days_to_month_end() < 3 {
                    60.0
                } else {
                    0.0
                }
            },
            &[(EffectKey::MonthEnd { days: 3 }, 60.0)],
        );
        check_effects(
            |at| match (day(at), at.days_to_month_end()) {
                (1, _) => 120.0,
                (_, 0) => 60.0,
                _ => 0.0,
            },
            &[
                (EffectKey::MonthEnd { days: 1 }, 60.0),
                (EffectKey::MonthStart { days: 1 }, 120.0),
            ],
        );
    }

    #[test]
    fn noise_and_a_single_incident_are_no_effect() {
        let skewed = |at: Day| f64::from((at.0 * 7919 % 101).pow(2)) / 100.0;
        check_effects(skewed, &[]);
        let incident: Day = "2025-06-15".parse().unwrap();
        check_effects(|at| if at == incident { 600.0 } else { 0.0 }, &[]);
    }
}

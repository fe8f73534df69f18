//! Which calendar does a history follow?
//!
//! Candidates of every family are scored by F1 on cycles over the last cadence
//! of the history; the simplest of the best wins. What is declared wins over
//! what is inferred.

mod cadence;
mod days;
mod intraday;
mod months;
mod phase;
mod score;
pub mod split;
mod weekdays;
mod zone;

use crate::civil::{DAY, Day, Holidays, MINUTE, Zone};
use crate::dataset::Dataset;
use crate::schedule::{Calendar, Grain};
use days::DaySeries;
pub(crate) use phase::Phase;
use score::Scored;
use zone::Follows;
pub(crate) use zone::{DAYS_TO_TELL, admits_a_move, clocks_were_set_back};

/// Who says so?
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The owner.
    Declared,
    /// The history.
    Inferred,
    /// Nobody: nothing spoke for anything else.
    Default,
}

/// A calendar with the zone it is kept in, and how sure both are.
#[derive(Debug, Clone, PartialEq)]
pub struct Inference {
    /// The calendar.
    pub calendar: Calendar,
    /// Who says so.
    pub source: Source,
    /// F1 on the last cadence, 0–1.
    pub f1: f64,
    /// The best calendar found, also where it is too bad to be used.
    pub best: Calendar,
    /// The zone.
    pub zone: Zone,
    /// Who says so.
    pub zone_source: Source,
    /// Changes of the cadence: first instant (UTC seconds), deliveries a week
    /// before and after; oldest first.
    pub cadence_changes: Vec<(i64, f64, f64)>,
    /// Start of the last cadence, UTC seconds.
    pub since: i64,
}

/// Below this F1 a feed has no calendar.
const MIN_F1: f64 = 0.8;
/// A simpler calendar is taken if it is not worse by more than this.
const SIMPLER: f64 = 0.01;

/// Infers calendar and zone from arrivals (UTC seconds, ascending).
/// `None` without arrivals.
pub fn infer(dataset: &Dataset, at: &[i64], holidays: &Holidays) -> Option<Inference> {
    let declared = dataset.timezone;
    let zone = declared.unwrap_or_else(Zone::universal);
    let (changes, since) = last_cadence(at, zone)?;
    let recent = &at[at.partition_point(|&time| time < since)..];
    let (zone, zone_source) = match declared {
        Some(zone) => (zone, Source::Declared),
        None => {
            let follows = match zone::infer_zone(recent) {
                // The last cadence speaks first, the whole history if it cannot tell.
                Follows::Unknown if recent.len() < at.len() => zone::infer_zone(at),
                told => told,
            };
            match follows {
                Follows::Local(zone) => (zone, Source::Inferred),
                Follows::Utc => (zone, Source::Inferred),
                Follows::Unknown => (zone, Source::Default),
            }
        }
    };
    let found = best_calendar(dataset.grain, recent, zone, holidays);
    let (calendar, source, f1, best) = match (&dataset.calendar, found) {
        (Some(calendar), found) => {
            let f1 = declared_f1(calendar, recent, zone, holidays);
            let best = found.map_or_else(|| calendar.clone(), |best| best.calendar);
            (calendar.clone(), Source::Declared, f1, best)
        }
        (None, Some(best)) if best.f1 >= MIN_F1 || dataset.grain.is_some() => (
            best.calendar.clone(),
            Source::Inferred,
            best.f1,
            best.calendar,
        ),
        (None, Some(best)) => (
            Calendar::Irregular,
            Source::Inferred,
            best.f1,
            best.calendar,
        ),
        (None, None) if dataset.grain.is_some() => {
            let day = Day::of_local(zone.local(recent[recent.len() - 1]));
            let grain = dataset.grain.unwrap_or(Grain::Day);
            let calendar = Calendar::plainest(grain, day);
            let f1 = declared_f1(&calendar, recent, zone, holidays);
            (calendar.clone(), Source::Declared, f1, calendar)
        }
        (None, None) => (
            Calendar::Irregular,
            Source::Default,
            0.0,
            Calendar::Irregular,
        ),
    };
    Some(Inference {
        calendar,
        source,
        f1,
        best,
        zone,
        zone_source,
        cadence_changes: changes,
        since,
    })
}

type CadenceChanges = Vec<(i64, f64, f64)>;

fn last_cadence(at: &[i64], zone: Zone) -> Option<(CadenceChanges, i64)> {
    let local = to_local(at, zone);
    let phase = Phase::of(local.iter().copied(), DAY)?;
    let shift = phase.slot_shift(DAY);
    let start = |day: Day| zone.utc(day.start() + shift);
    let admitted = |day: Day| admits_a_move(zone, start(day));
    let cadences = cadence::cadences(&DaySeries::new(&local, shift), &admitted);
    let changes = cadences
        .windows(2)
        .map(|pair| (start(pair[1].since), pair[0].per_week, pair[1].per_week))
        .collect();
    Some((changes, start(cadences[cadences.len() - 1].since)))
}

fn best_calendar(
    grain: Option<Grain>,
    at: &[i64],
    zone: Zone,
    holidays: &Holidays,
) -> Option<Scored> {
    let local = to_local(at, zone);
    let shift = Phase::of(local.iter().copied(), DAY)?.slot_shift(DAY);
    let days = DaySeries::new(&local, shift);
    let asked = |calendar: &Calendar| match grain {
        None => true,
        // Weekly and daily calendars differ only in the number of weekdays.
        Some(grain) => calendar.grain() == Some(grain),
    };
    // Simple calendars first; a family far from the usual gap is not tried.
    let gap = usual_gap(&local);
    let mut candidates = vec![weekdays::weekday_calendar(&local, &days, holidays)];
    if gap >= 2 * DAY {
        candidates.push(weekdays::weekly_calendar(&local, &days, holidays));
    }
    if gap >= 10 * DAY {
        candidates.push(months::monthly_calendar(&local, &days, holidays));
    }
    if gap < DAY {
        candidates.push(intraday::times_calendar(&local, &days, holidays));
        candidates.push(intraday::grid_calendar(&local, &days));
    }
    let mut best: Option<Scored> = None;
    for candidate in candidates
        .into_iter()
        .flatten()
        .filter(|scored| asked(&scored.calendar))
    {
        if best
            .as_ref()
            .is_none_or(|best| candidate.f1 > best.f1 + SIMPLER)
        {
            best = Some(candidate);
        }
    }
    best
}

/// The median gap (seconds) between deliveries, redeliveries within a minute
/// left out; a day if there is none.
fn usual_gap(times: &[i64]) -> i64 {
    let mut gaps: Vec<i64> = times
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|gap| *gap >= MINUTE)
        .collect();
    if gaps.is_empty() {
        return DAY;
    }
    let middle = gaps.len() / 2;
    *gaps.select_nth_unstable(middle).1
}

fn declared_f1(calendar: &Calendar, at: &[i64], zone: Zone, holidays: &Holidays) -> f64 {
    let (Some(&first), Some(&last), Some(grain)) = (at.first(), at.last(), calendar.grain()) else {
        return 0.0;
    };
    let cycles = calendar.cycles(zone, holidays, first - grain.seconds(), last + 1);
    let n_hit = cycles
        .iter()
        .enumerate()
        .filter(|(i, cycle)| {
            let end = cycles.get(i + 1).map_or(i64::MAX, |next| next.start);
            let arrival = at.partition_point(|&time| time < cycle.start);
            at.get(arrival).is_some_and(|&time| time < end)
        })
        .count();
    score::f1(n_hit, cycles.len(), score::n_bursts(at, grain.seconds()))
}

fn to_local(at: &[i64], zone: Zone) -> Vec<i64> {
    at.iter().map(|&time| zone.local(time)).collect()
}

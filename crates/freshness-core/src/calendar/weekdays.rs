//! Which days of the week does a daily or weekly feed deliver on, and does it
//! keep holidays?

use super::days::DaySeries;
use super::score::{Scored, best_groups, f1, n_bursts};
use crate::civil::{DAY, Day, Holidays, Weekday, WeekdaySet};
use crate::schedule::{Calendar, DayRule};

/// Odds that a feed that keeps holidays is silent on one.
const KEPT: f64 = 0.9;
/// Holidays that must have been kept before a country is named.
const MIN_KEPT: usize = 3;
/// Evidence for a country, in nats, beyond that of the number of countries.
const MIN_EVIDENCE: f64 = 3.0;

/// … and beyond that of a country named before it.
const MIN_MORE_EVIDENCE: f64 = 1.0;
/// Tried first: the largest economies.
const LIKELY_COUNTRIES: [&str; 12] = [
    "US", "XNYS", "DE", "GB", "FR", "JP", "CN", "IN", "CA", "AU", "BR", "IT",
];

/// The best weekday calendar for arrivals (local seconds) and their days.
pub(crate) fn weekday_calendar(
    local: &[i64],
    days: &DaySeries,
    holidays: &Holidays,
) -> Option<Scored> {
    let mut groups = [(0usize, 0usize); 7];
    for (day, hours) in days.live() {
        let (delivered, expected) = &mut groups[day.weekday().index()];
        *delivered += usize::from(hours > 0);
        *expected += 1;
    }
    let set: WeekdaySet = best_groups(&groups)
        .into_iter()
        .map(Weekday::from_index)
        .collect();
    if set.is_empty() {
        return None;
    }
    let n_bursts = n_bursts(local, DAY);
    let rule = business_days(set, days, holidays).unwrap_or(DayRule::Weekdays(set));
    let score = |rule: &DayRule| {
        let expected = days.live().filter(|(day, _)| rule.expects(*day, holidays));
        let (mut n_hit, mut n_expected) = (0, 0);
        for (_, hours) in expected {
            n_hit += usize::from(hours > 0);
            n_expected += 1;
        }
        f1(n_hit, n_expected, n_bursts)
    };
    Some(Scored {
        f1: score(&rule),
        calendar: Calendar::Days(rule),
    })
}

/// The weekly calendar: one delivery a week, mostly on one weekday. Scored by
/// weeks, as a delivery a day late is still that week's.
pub(crate) fn weekly_calendar(local: &[i64], days: &DaySeries) -> Option<Scored> {
    let mut by_weekday = [0usize; 7];
    for (day, _) in days.live().filter(|(_, hours)| *hours > 0) {
        by_weekday[day.weekday().index()] += 1;
    }
    let n: usize = by_weekday.iter().sum();
    let (modal, most) = by_weekday
        .iter()
        .enumerate()
        .max_by_key(|&(i, &count)| (count, 7 - i))?;
    if 2 * most < n {
        return None;
    }
    // A week begins three days before the usual day.
    let week_of = |day: Day| (day.0 + 3 - modal as i32 + 3).div_euclid(7);
    let mut weeks: Vec<(i32, bool)> = days
        .live()
        .map(|(day, hours)| (week_of(day), hours > 0))
        .collect();
    weeks.dedup_by(|later, earlier| {
        earlier.1 |= later.1 && later.0 == earlier.0;
        later.0 == earlier.0
    });
    let n_hit = weeks.iter().filter(|(_, delivered)| *delivered).count();
    let set = WeekdaySet(0).with(Weekday::from_index(modal));
    Some(Scored {
        f1: f1(n_hit, weeks.len(), n_bursts(local, 7 * DAY)),
        calendar: Calendar::Days(DayRule::Weekdays(set)),
    })
}

/// The country whose holidays explain the silent working days, if one does
/// clearly. Likelihood ratio of "silent on holidays" against "as silent as on
/// other days".
pub(crate) fn business_days(
    set: WeekdaySet,
    days: &DaySeries,
    holidays: &Holidays,
) -> Option<DayRule> {
    const TUE_SAT: WeekdaySet = WeekdaySet(0b011_1110);
    let after = match set {
        WeekdaySet::MON_FRI => 0u8,
        TUE_SAT => 1,
        _ => return None,
    };
    let working: Vec<(Day, bool)> = days
        .live()
        .filter(|(day, _)| set.contains(day.weekday()))
        .map(|(day, hours)| (day.plus(-i32::from(after)), hours > 0))
        .collect();
    let n_silent = working.iter().filter(|(_, delivered)| !delivered).count();
    if n_silent < MIN_KEPT {
        return None;
    }
    let (first, last) = (working[0].0, working[working.len() - 1].0);
    let mut best: Option<(f64, &str)> = None;
    let mut n_countries = 0usize;
    let likely = LIKELY_COUNTRIES
        .iter()
        .filter_map(|code| holidays.get(code));
    for calendar in likely.chain(holidays.candidates()) {
        n_countries += 1;
        let in_range = &calendar.days()[calendar.days().partition_point(|day| *day < first)..];
        let (mut kept, mut ignored) = (0usize, 0usize);
        for holiday in in_range.iter().take_while(|day| **day <= last) {
            if let Ok(i) = working.binary_search_by_key(holiday, |(day, _)| *day) {
                match working[i].1 {
                    true => ignored += 1,
                    false => kept += 1,
                }
            }
        }
        if kept < MIN_KEPT {
            continue;
        }
        // The rate of silence on days that are no holidays, by rule of succession.
        let others = working.len() - kept - ignored;
        let rate = ((n_silent - kept) as f64 + 1.0) / (others as f64 + 2.0);
        let evidence =
            kept as f64 * (KEPT / rate).ln() + ignored as f64 * ((1.0 - KEPT) / (1.0 - rate)).ln();
        // Countries share their days; a less likely one must say more.
        if best.is_none_or(|(most, _)| evidence > most + MIN_MORE_EVIDENCE) {
            best = Some((evidence, calendar.code.as_str()));
        }
    }
    let (evidence, country) = best?;
    (evidence > (n_countries as f64).ln() + MIN_EVIDENCE).then(|| DayRule::BusinessDays {
        country: country.to_owned(),
        after,
    })
}

//! Which days of the week does a daily or weekly feed deliver on, and does it
//! keep holidays?

use super::days::DaySeries;
use super::score::{Scored, best_groups, f1, n_bursts};
use crate::civil::{DAY, Day, HolidayCalendar, Holidays, Weekday, WeekdaySet};
use crate::schedule::{Calendar, DayRule, business_day_of_week};

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
pub(crate) fn weekly_calendar(
    local: &[i64],
    days: &DaySeries,
    holidays: &Holidays,
) -> Option<Scored> {
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
    let mut weeks: Vec<(i32, Option<Day>)> = days
        .live()
        .map(|(day, hours)| (week_of(day), (hours > 0).then_some(day)))
        .collect();
    weeks.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        earlier.1 = earlier.1.or(later.1.filter(|_| is_same));
        is_same
    });
    let delivered: Vec<Day> = weeks.iter().filter_map(|(_, day)| *day).collect();
    let usual = Weekday::from_index(modal);
    let rule = moved_by_holidays(usual, &delivered, holidays)
        .unwrap_or(DayRule::Weekdays(WeekdaySet(0).with(usual)));
    Some(Scored {
        f1: f1(delivered.len(), weeks.len(), n_bursts(local, 7 * DAY)),
        calendar: Calendar::Days(rule),
    })
}

/// Does a holiday before its usual day make a weekly feed wait for the next?
/// `delivered` are the days on which it came, one a week.
fn moved_by_holidays(usual: Weekday, delivered: &[Day], holidays: &Holidays) -> Option<DayRule> {
    let is_usual = |day: &&Day| day.weekday() == usual;
    let n_moved = delivered.len() - delivered.iter().filter(is_usual).count();
    if n_moved < MIN_KEPT {
        return None;
    }
    // Of a feed in another zone than its country, the usual day is the one after.
    let rules = [0, 1].into_iter().filter_map(|after: i32| {
        let k = (usual.index() as i32 - after + 1) as u8;
        let found = (1..=5).contains(&k).then(|| {
            most_evidence(holidays, n_moved, delivered.len(), |calendar| {
                let is_open = |day: Day| !calendar.contains(day);
                let mut heeded = Heeded::default();
                for day in delivered {
                    let worked = day.plus(-after);
                    match business_day_of_week(worked, k, is_open) {
                        Some(due) if due.plus(after).weekday() == usual => {}
                        Some(due) if due == worked => heeded.kept += 1,
                        _ => heeded.ignored += 1,
                    }
                }
                heeded
            })
        })??;
        let (evidence, country) = found;
        let rule = DayRule::BusinessDayOfWeek {
            k,
            country: country.to_owned(),
            after: after as u8,
        };
        Some((evidence, rule))
    });
    rules
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, rule)| rule)
}

/// The country whose holidays explain the silent working days, if one does
/// clearly.
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
    let (_, country) = most_evidence(holidays, n_silent, working.len(), |calendar| {
        let mut heeded = Heeded::default();
        let in_range = &calendar.days()[calendar.days().partition_point(|day| *day < first)..];
        for holiday in in_range.iter().take_while(|day| **day <= last) {
            if let Ok(i) = working.binary_search_by_key(holiday, |(day, _)| *day) {
                match working[i].1 {
                    true => heeded.ignored += 1,
                    false => heeded.kept += 1,
                }
            }
        }
        heeded
    })?;
    Some(DayRule::BusinessDays {
        country: country.to_owned(),
        after,
    })
}

/// How often a feed did on the holidays of a country what one that keeps them
/// would do.
#[derive(Debug, Clone, Copy, Default)]
struct Heeded {
    kept: usize,
    ignored: usize,
}

/// The country that explains best why `n_unusual` of `n` cycles were unusual,
/// and the evidence for it, if that is clear: the likelihood ratio of "unusual
/// on holidays" against "as unusual as on other days".
fn most_evidence(
    holidays: &Holidays,
    n_unusual: usize,
    n: usize,
    heeded: impl Fn(&HolidayCalendar) -> Heeded,
) -> Option<(f64, &str)> {
    let mut best: Option<(f64, &str)> = None;
    let mut n_countries = 0usize;
    let likely = LIKELY_COUNTRIES
        .iter()
        .filter_map(|code| holidays.get(code));
    for calendar in likely.chain(holidays.candidates()) {
        n_countries += 1;
        let Heeded { kept, ignored } = heeded(calendar);
        if kept < MIN_KEPT {
            continue;
        }
        // The rate on days that are no holidays, by rule of succession.
        let others = n - kept - ignored;
        let rate = ((n_unusual - kept) as f64 + 1.0) / (others as f64 + 2.0);
        let evidence =
            kept as f64 * (KEPT / rate).ln() + ignored as f64 * ((1.0 - KEPT) / (1.0 - rate)).ln();
        // Countries share their days; a less likely one must say more.
        if best.is_none_or(|(most, _)| evidence > most + MIN_MORE_EVIDENCE) {
            best = Some((evidence, calendar.code.as_str()));
        }
    }
    best.filter(|(evidence, _)| *evidence > (n_countries as f64).ln() + MIN_EVIDENCE)
}

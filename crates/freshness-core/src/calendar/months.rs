//! On which day of the month does a monthly feed deliver?

use super::days::DaySeries;
use super::score::{Scored, f1, n_bursts};
use crate::civil::{DAY, Day, Holidays};
use crate::schedule::{Calendar, MonthRule};

/// Share of months that a rule must hit on the day to be named.
const MIN_ON_DAY: f64 = 0.6;
/// Countries whose business days are tried.
const COUNTRIES: [&str; 4] = ["US", "GB", "DE", "JP"];

/// The best monthly calendar for arrivals (local seconds) and their days.
///
/// Scored by months; the rule is the one that names the most delivery days
/// exactly, simple rules first. Where none does, deliveries spread over the
/// month: the day is then the earliest usual one, and the delay tells the rest.
pub(crate) fn monthly_calendar(
    local: &[i64],
    days: &DaySeries,
    holidays: &Holidays,
) -> Option<Scored> {
    let delivered: Vec<Day> = days
        .live()
        .filter(|(_, hours)| *hours > 0)
        .map(|(day, _)| day)
        .collect();
    // The first delivery of each month; a month is counted if it was alive.
    let mut months: Vec<(Day, Option<Day>)> = Vec::new();
    for (day, hours) in days.live() {
        let month = day.month_start();
        if months.last().is_none_or(|(last, _)| *last != month) {
            months.push((month, None));
        }
        let slot = months.last_mut().expect("just pushed");
        if hours > 0 && slot.1.is_none() {
            slot.1 = Some(day);
        }
    }
    let firsts: Vec<Day> = months.iter().filter_map(|(_, first)| *first).collect();
    if firsts.len() < 2 {
        return None;
    }
    // A history may begin or end in mid-month; that is no miss.
    let n_expected = months
        .iter()
        .enumerate()
        .filter(|(i, (_, first))| first.is_some() || (*i > 0 && *i + 1 < months.len()))
        .count();
    let score = f1(firsts.len(), n_expected, n_bursts(local, 30 * DAY));
    let share_on_day = |rule: &MonthRule| {
        let hits = delivered
            .iter()
            .filter(|day| rule.day_in(day.month_start(), holidays) == Some(**day))
            .count();
        hits as f64 / delivered.len() as f64
    };
    let mut best: Option<(f64, MonthRule)> = None;
    for rule in rules() {
        let share = share_on_day(&rule);
        // A later, more special rule must be clearly better.
        if best.as_ref().is_none_or(|(most, _)| share > most + 0.1) {
            best = Some((share, rule));
        }
    }
    let rule = match best {
        Some((share, rule)) if share >= MIN_ON_DAY => rule,
        _ => {
            let mut of_month: Vec<u8> = firsts
                .iter()
                .map(|day| day.year_month_day().2 as u8)
                .collect();
            of_month.sort_unstable();
            MonthRule::Day(of_month[of_month.len() / 10])
        }
    };
    Some(Scored {
        calendar: Calendar::Months(rule),
        f1: score,
    })
}

/// Rules in the order of their simplicity.
fn rules() -> impl Iterator<Item = MonthRule> {
    let days = (1..=28).map(MonthRule::Day).chain([MonthRule::LastDay]);
    let business = COUNTRIES.into_iter().flat_map(|country| {
        (1..=15)
            .map(move |k| MonthRule::BusinessDay {
                k,
                country: country.to_owned(),
            })
            .chain([MonthRule::LastBusinessDay {
                country: country.to_owned(),
            }])
    });
    days.chain(business)
}

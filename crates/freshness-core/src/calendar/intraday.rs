//! How often a day does a feed deliver, and in which hours?

use std::cmp::Ordering;

use super::days::DaySeries;
use super::phase::Phase;
use super::score::{Scored, best_groups, f1, n_bursts};
use super::weekdays::business_days;
use crate::civil::{DAY, Day, HOUR, Holidays, MINUTE, Weekday, WeekdaySet};
use crate::schedule::{Calendar, DayRule, HoursOfWeek};

/// Lengths of cycles that are tried, minutes.
const PERIODS: [u16; 12] = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720];
/// What leaving out hours must gain in F1.
const MIN_GAIN_OF_HOURS: f64 = 0.01;
/// A grid has at least so many cycles a day; fewer are set times.
const MIN_PER_DAY: usize = 3;
/// The most set times a day.
const MAX_TIMES: usize = 8;
/// Deliveries this close (minutes) to a set time belong to it.
const TIME_REACH: i64 = 45;

/// The best grid for arrivals (local seconds, ascending).
pub(crate) fn grid_calendar(local: &[i64], days: &DaySeries) -> Option<Scored> {
    let mut gaps: Vec<i64> = local
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|gap| *gap >= MINUTE)
        .collect();
    if gaps.len() < MIN_PER_DAY {
        return None;
    }
    let middle = gaps.len() / 2;
    let median = *gaps.select_nth_unstable(middle).1;
    let mut best: Option<Scored> = None;
    for minutes in PERIODS {
        let period = i64::from(minutes) * MINUTE;
        // A cycle far from the usual gap explains nothing.
        if median * 3 < period || period * 2 < median {
            continue;
        }
        let scored = score_grid(local, days, minutes);
        // Of equals the one that runs around the clock, then the longer: it
        // claims less.
        let is_better = |this: &Scored, best: &Scored| match runs_all_day(&this.calendar)
            .cmp(&runs_all_day(&best.calendar))
        {
            Ordering::Greater => this.f1 >= best.f1 - MIN_GAIN_OF_HOURS,
            Ordering::Equal => this.f1 >= best.f1,
            Ordering::Less => this.f1 > best.f1 + MIN_GAIN_OF_HOURS,
        };
        if let Some(this) = scored
            && best.as_ref().is_none_or(|best| is_better(&this, best))
        {
            best = Some(this);
        }
    }
    best
}

fn runs_all_day(calendar: &Calendar) -> bool {
    matches!(calendar, Calendar::Grid { hours, .. } if *hours == HoursOfWeek::ALL)
}

fn score_grid(local: &[i64], days: &DaySeries, minutes: u16) -> Option<Scored> {
    let period = i64::from(minutes) * MINUTE;
    let shift = Phase::of(local.iter().copied(), period)?.slot_shift(period);
    let n_bursts = n_bursts(local, period);
    let per_hour = (HOUR / period).max(1) as usize;
    // Slots that were hit, by hour of the week.
    let mut hit = [[0usize; 24]; 7];
    let mut newest = i64::MIN;
    for &time in local {
        let slot = (time - shift).div_euclid(period);
        if slot > newest {
            newest = slot;
            let start = slot * period;
            hit[Day::of_local(start).weekday().index()][(start.rem_euclid(DAY) / HOUR) as usize] +=
                1;
        }
    }
    let mut n_days = [0usize; 7];
    days.live()
        .for_each(|(day, _)| n_days[day.weekday().index()] += 1);
    let hours: Vec<usize> = (0..24)
        .filter(|hour| (hour * 60) % usize::from(minutes) == 0 || minutes < 60)
        .collect();
    let score = |weekdays: WeekdaySet, hours: &[usize]| {
        let (mut n_hit, mut n_expected) = (0, 0);
        for weekday in weekdays.iter() {
            for &hour in hours {
                n_hit += hit[weekday.index()][hour];
                n_expected += n_days[weekday.index()] * per_hour;
            }
        }
        f1(n_hit, n_expected, n_bursts)
    };
    let all = score(WeekdaySet::ALL, &hours);
    let by_weekday: Vec<(usize, usize)> = (0..7)
        .map(|weekday| {
            (
                hit[weekday].iter().sum(),
                n_days[weekday] * per_hour * hours.len(),
            )
        })
        .collect();
    let weekdays: WeekdaySet = best_groups(&by_weekday)
        .into_iter()
        .map(Weekday::from_index)
        .collect();
    let by_hour: Vec<(usize, usize)> = hours
        .iter()
        .map(|&hour| {
            weekdays
                .iter()
                .fold((0, 0), |(delivered, expected), weekday| {
                    let i = weekday.index();
                    (delivered + hit[i][hour], expected + n_days[i] * per_hour)
                })
        })
        .collect();
    let some_hours: Vec<usize> = best_groups(&by_hour)
        .into_iter()
        .map(|i| hours[i])
        .collect();
    let choices = [
        (WeekdaySet::ALL, hours.clone()),
        (weekdays, hours.clone()),
        (WeekdaySet::ALL, some_hours.clone()),
        (weekdays, some_hours),
    ];
    let mut best = (all, 0);
    for (i, (weekdays, hours)) in choices.iter().enumerate().skip(1) {
        let this = score(*weekdays, hours);
        if this > best.0 + MIN_GAIN_OF_HOURS {
            best = (this, i);
        }
    }
    let (weekdays, hours) = &choices[best.1];
    if hours.len() * per_hour < MIN_PER_DAY {
        return None;
    }
    let mut set = HoursOfWeek::NONE;
    for weekday in weekdays.iter() {
        match best.1 {
            0 => (0..24).for_each(|hour| set.insert(weekday, hour)),
            _ => hours.iter().for_each(|&hour| set.insert(weekday, hour)),
        }
    }
    Some(Scored {
        calendar: Calendar::Grid {
            minutes,
            hours: set,
        },
        f1: best.0,
    })
}

/// The best set of times a day (two or more) for arrivals (local seconds).
pub(crate) fn times_calendar(
    local: &[i64],
    days: &DaySeries,
    holidays: &Holidays,
) -> Option<Scored> {
    let times = set_times(local, days);
    if !(2..=MAX_TIMES).contains(&times.len()) || is_a_grid(&times) {
        return None;
    }
    // The time each delivery serves: the last one not more than its reach away.
    let reach = (TIME_REACH * MINUTE).min(
        times
            .windows(2)
            .map(|pair| i64::from(pair[1] - pair[0]) * MINUTE / 3)
            .min()
            .unwrap_or(DAY),
    );
    let mut hit: Vec<(Day, usize)> = local
        .iter()
        .filter_map(|&time| {
            let early = time + reach;
            let minute = early.rem_euclid(DAY) / MINUTE;
            let i = times.iter().rposition(|&at| i64::from(at) <= minute)?;
            Some((Day::of_local(early), i))
        })
        .collect();
    hit.sort_unstable();
    hit.dedup();
    let mut groups = [(0usize, 0usize); 7];
    for (day, _) in days.live() {
        groups[day.weekday().index()].1 += times.len();
    }
    hit.iter()
        .for_each(|(day, _)| groups[day.weekday().index()].0 += 1);
    let set: WeekdaySet = best_groups(&groups)
        .into_iter()
        .map(Weekday::from_index)
        .collect();
    if set.is_empty() {
        return None;
    }
    let rule = business_days(set, days, holidays).unwrap_or(DayRule::Weekdays(set));
    let n_expected = days
        .live()
        .filter(|(day, _)| rule.expects(*day, holidays))
        .count()
        * times.len();
    let n_hit = hit
        .iter()
        .filter(|(day, _)| days.is_live(*day) && rule.expects(*day, holidays))
        .count();
    let shortest = times
        .windows(2)
        .map(|pair| i64::from(pair[1] - pair[0]) * MINUTE)
        .min()
        .unwrap_or(DAY);
    let n_bursts = n_bursts(local, shortest);
    Some(Scored {
        calendar: Calendar::Times { times, days: rule },
        f1: f1(n_hit, n_expected, n_bursts),
    })
}

/// Are the times (minutes of the day) three or more and equally far apart?
fn is_a_grid(times: &[u16]) -> bool {
    let apart = 24 * 60 / times.len() as i64;
    let gaps = times.windows(2).map(|pair| i64::from(pair[1] - pair[0]));
    times.len() >= MIN_PER_DAY
        && gaps
            .into_iter()
            .all(|gap| (gap - apart).abs() <= TIME_REACH / 3)
}

/// Minutes of the day around which deliveries crowd on most days, rounded down
/// to 5 minutes before the crowd begins.
fn set_times(local: &[i64], days: &DaySeries) -> Vec<u16> {
    const BIN: i64 = 15;
    let n_bins = (24 * 60 / BIN) as usize;
    let mut bins = vec![0usize; n_bins];
    for &time in local {
        bins[(time.rem_euclid(DAY) / MINUTE / BIN) as usize] += 1;
    }
    let n_days = days.live().filter(|(_, hours)| *hours > 0).count();
    // Peaks: half an hour that holds a delivery on at least 40 % of the days.
    let mass = |i: usize| bins[i] + bins[(i + 1) % n_bins];
    let mut taken = vec![false; n_bins];
    let mut peaks: Vec<usize> = Vec::new();
    let mut order: Vec<usize> = (0..n_bins).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(mass(i)), i));
    for i in order {
        if mass(i) * 10 < n_days * 4 || peaks.len() > MAX_TIMES {
            break;
        }
        let near = |offset: usize| (i + n_bins + offset - 4) % n_bins;
        if (0..9).any(|offset| taken[near(offset)]) {
            continue;
        }
        taken[i] = true;
        peaks.push(i);
    }
    if !(2..=MAX_TIMES).contains(&peaks.len()) {
        return Vec::new();
    }
    let mut times: Vec<u16> = peaks
        .into_iter()
        .map(|i| {
            let from = i as i64 * BIN * MINUTE;
            let mut minutes: Vec<i64> = local
                .iter()
                .map(|time| (time.rem_euclid(DAY) - from).rem_euclid(DAY))
                .filter(|into| *into < 2 * BIN * MINUTE)
                .collect();
            let early = minutes.len() / 20;
            let start = from + *minutes.select_nth_unstable(early).1;
            (start / (5 * MINUTE) * 5).rem_euclid(24 * 60) as u16
        })
        .collect();
    times.sort_unstable();
    times.dedup();
    times
}

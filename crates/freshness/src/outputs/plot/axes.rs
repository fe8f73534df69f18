//! Where do the axes have marks, and what do these say?

use std::ops::Range;

use freshness_core::civil::{DAY, Day, HOUR, MINUTE};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use crate::outputs::words;
use crate::rounds::Height;

/// Steps that people count times of day in, minutes.
const CLOCK_STEPS: [f64; 20] = [
    1.0 / 12.0,
    1.0 / 6.0,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    15.0,
    30.0,
    60.0,
    120.0,
    180.0,
    360.0,
    720.0,
    1_440.0,
    2_880.0,
    7_200.0,
    14_400.0,
    43_200.0,
    144_000.0,
];
/// Marks on the axis of silences, minutes: from a minute to 30 years.
const SILENCES: [f64; 15] = [
    1.0,
    5.0,
    15.0,
    60.0,
    180.0,
    720.0,
    1_440.0,
    4_320.0,
    10_080.0,
    43_200.0,
    129_600.0,
    525_960.0,
    1_577_880.0,
    5_259_600.0,
    15_778_800.0,
];

/// An axis with marks where we want them.
pub(super) struct Axis {
    pub(super) range: Range<f64>,
    pub(super) marks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.marks.clone(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// How minutes become heights and back: silences differ by powers of ten.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale(pub(super) Height);

/// What is shorter counts as that: minutes.
const SHORTEST_SILENCE: f64 = 0.1;

impl Scale {
    pub(super) fn height(self, minutes: f64) -> f64 {
        match self.0 {
            Height::Clock | Height::Delay => minutes,
            Height::Silence => minutes.max(SHORTEST_SILENCE).log10(),
        }
    }

    pub(super) fn minutes(self, height: f64) -> f64 {
        match self.0 {
            Height::Clock | Height::Delay => height,
            Height::Silence => 10_f64.powf(height),
        }
    }

    /// Heights closer together than this count as so far apart.
    pub(super) fn least_span(self) -> f64 {
        match self.0 {
            Height::Clock => 20.0,
            Height::Delay => 2.0,
            Height::Silence => 1.0,
        }
    }

    /// Heights of the marks in a range, at most so many.
    pub(super) fn marks(self, from: f64, to: f64, most: usize) -> Vec<f64> {
        match self.0 {
            Height::Clock | Height::Delay => {
                let step = self.step(from, to, most);
                let first = (from / step).ceil() as i64;
                let last = (to / step).floor() as i64;
                (first..=last).map(|i| i as f64 * step).collect()
            }
            Height::Silence => SILENCES
                .into_iter()
                .map(f64::log10)
                .filter(|height| (from..=to).contains(height))
                .collect(),
        }
    }

    /// A step that people count in, so that at most so many fit in a range.
    pub(super) fn step(self, from: f64, to: f64, most: usize) -> f64 {
        let least = (to - from) / most as f64;
        match self.0 {
            Height::Clock | Height::Delay => CLOCK_STEPS
                .into_iter()
                .find(|&step| step >= least)
                .unwrap_or(least),
            Height::Silence => least,
        }
    }

    /// What is written at a height.
    pub(super) fn label(self, height: f64) -> String {
        let minutes = self.minutes(height);
        let seconds = (minutes * MINUTE as f64).round() as i64;
        match self.0 {
            Height::Clock => match seconds.div_euclid(DAY) {
                0 => words::clock(seconds),
                days if days > 0 && seconds % DAY == 0 => format!("+{days} d"),
                // Of a monthly feed nobody counts minutes.
                7.. => format!("+{:.1} d", seconds as f64 / DAY as f64),
                days if days < 0 => format!("−{} d {}", -days, words::clock(seconds)),
                days => format!("+{days} d {}", words::clock(seconds)),
            },
            Height::Delay if minutes < 0.0 => {
                format!("−{}", words::duration_to_the_minute(-seconds))
            }
            Height::Delay if seconds < HOUR && seconds % MINUTE != 0 => match seconds / MINUTE {
                0 => format!("{seconds} s"),
                whole => format!("{whole} min {:02} s", seconds % MINUTE),
            },
            Height::Delay => words::duration_to_the_minute(seconds),
            Height::Silence if minutes < 1.0 => format!("{seconds} s"),
            Height::Silence if minutes >= 525_000.0 => {
                let years = minutes / 525_960.0;
                let plural = if years < 1.05 { "" } else { "s" };
                match (years - years.round()).abs() < 0.05 {
                    true => format!("{years:.0} year{plural}"),
                    false => format!("{years:.1} years"),
                }
            }
            Height::Silence if seconds % DAY == 0 => format!("{} d", seconds / DAY),
            Height::Silence if seconds % HOUR == 0 && seconds < DAY => {
                format!("{} h", seconds / HOUR)
            }
            Height::Silence => words::duration(seconds),
        }
    }
}

/// A mark on the axis of dates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DateMark {
    /// Local seconds.
    pub(super) local: i64,
    pub(super) label: String,
}

/// Marks for the dates between two local times, at most so many (but for
/// windows of centuries).
pub(super) fn date_marks(from: i64, to: i64, most: usize) -> Vec<DateMark> {
    const HOURS: [i64; 5] = [1, 3, 6, 12, 24];
    const DAYS: [i64; 2] = [2, 7];
    const MONTHS: [i32; 4] = [1, 2, 3, 6];
    const YEARS: [i32; 6] = [1, 2, 5, 10, 20, 50];
    let span = to - from;
    let most = most.max(2) as i64;
    let mark = |local: i64, label: String| DateMark { local, label };
    let every = |step: i64, phase: i64| {
        let first = (from - phase).div_euclid(step) + 1;
        let last = (to - phase).div_euclid(step);
        (first..=last).map(move |i| phase + i * step)
    };
    if let Some(hours) = HOURS
        .into_iter()
        .find(|hours| span / (hours * HOUR) <= most)
    {
        return every(hours * HOUR, 0)
            .map(|local| match local.rem_euclid(DAY) {
                0 => mark(local, day_label(Day::of_local(local), false)),
                _ => mark(local, words::clock(local)),
            })
            .collect();
    }
    if let Some(days) = DAYS.into_iter().find(|days| span / (days * DAY) <= most) {
        // Weeks begin on Mondays; day 0 was a Thursday.
        let phase = if days == 7 { 4 * DAY } else { 0 };
        return every(days * DAY, phase)
            .map(|local| mark(local, day_label(Day::of_local(local), false)))
            .collect();
    }
    let n_months = (span / (30 * DAY)) as i32;
    let months = MONTHS
        .into_iter()
        .chain(YEARS.map(|years| 12 * years))
        .find(|months| n_months / months <= most as i32)
        .unwrap_or(1_200);
    let mut marks = Vec::new();
    let (year, ..) = Day::of_local(from).year_month_day();
    // From the first of January of a round year.
    let round_year = i32::from(year).div_euclid((months / 12).max(1)) * (months / 12).max(1);
    let Some(mut month) = Day::of_date(round_year as i16, 1, 1) else {
        return marks;
    };
    while month.start() <= to {
        if month.start() >= from {
            let (year, of_year, _) = month.year_month_day();
            let label = match (months, of_year) {
                (12.., _) | (_, 1) => year.to_string(),
                _ => MONTH_NAMES[usize::from(of_year as u8) - 1].to_owned(),
            };
            marks.push(mark(month.start(), label));
        }
        month = month.month_start_after(months);
    }
    marks
}

const MONTH_NAMES: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// `1 Jan`, or `1 Jan 2026`.
pub(super) fn day_label(day: Day, with_year: bool) -> String {
    let (year, month, of_month) = day.year_month_day();
    let name = MONTH_NAMES[usize::from(month as u8) - 1];
    match with_year {
        true => format!("{of_month} {name} {year}"),
        false => format!("{of_month} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_dates(from: (i16, i8, i8), n_days: i64, most: usize, expected: &str) {
        let from = Day::of_date(from.0, from.1, from.2).unwrap().start();
        let marks = date_marks(from, from + n_days * DAY, most);
        let labels: Vec<&str> = marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(labels.join(" "), expected);
    }

    #[test]
    fn dates_are_marked_where_people_count_them() {
        check_dates((2026, 3, 1), 1, 5, "06:00 12:00 18:00 2 Mar");
        check_dates((2026, 3, 1), 5, 6, "2 Mar 3 Mar 4 Mar 5 Mar 6 Mar");
        check_dates((2026, 3, 1), 28, 5, "2 Mar 9 Mar 16 Mar 23 Mar");
        check_dates((2025, 11, 20), 150, 6, "Dec 2026 Feb Mar Apr");
        check_dates((2015, 4, 28), 2_600, 5, "2016 2018 2020 2022");
    }

    #[test]
    fn heights_are_read_as_times_or_durations() {
        let label = |height: Height, minutes: f64| {
            let scale = Scale(height);
            scale.label(scale.height(minutes))
        };
        assert_eq!(label(Height::Clock, 372.0), "06:12");
        assert_eq!(label(Height::Clock, 1_500.0), "+1 d 01:00");
        assert_eq!(label(Height::Clock, 1_440.0), "+1 d");
        assert_eq!(label(Height::Clock, 71_780.0), "+49.8 d");
        assert_eq!(label(Height::Clock, -30.0), "−1 d 23:30");
        assert_eq!(label(Height::Delay, 15.0), "15 min");
        assert_eq!(label(Height::Delay, 3.25), "3 min 15 s");
        assert_eq!(label(Height::Delay, 0.1), "6 s");
        assert_eq!(label(Height::Delay, -5.0), "−5 min");
        assert_eq!(label(Height::Silence, 4_320.0), "3 d");
        assert_eq!(label(Height::Silence, 180.0), "3 h");
        assert_eq!(label(Height::Silence, 525_960.0), "1 year");
    }

    #[test]
    fn marks_of_times_of_day_are_round() {
        let marks = Scale(Height::Clock).marks(355.0, 440.0, 6);
        assert_eq!(marks, [360.0, 375.0, 390.0, 405.0, 420.0, 435.0]);
        assert_eq!(Scale(Height::Silence).marks(0.5, 2.0, 6).len(), 3);
    }
}

//! How does one dataset deliver?
//!
//! Everything about it that is true, before any chance: its calendar, when in
//! the cycle it delivers and what moves that, how noisy it is, what it waits
//! for, how often it fails, and how its sender speaks. All delays are minutes
//! after the start of the cycle, instants UTC seconds.

use freshness_core::civil::{Day, HOUR, MINUTE, Zone};
use freshness_core::dataset::DatasetId;
use freshness_core::schedule::{Calendar, Cycle, Grain};

use super::jitter::Jitter;

/// One dataset.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) id: DatasetId,
    pub(super) class: &'static str,
    pub(super) calendar: Calendar,
    pub(super) zone: Zone,
    /// Minutes into the cycle on a plain day.
    pub(super) usual: f64,
    pub(super) jitter: Jitter,
    /// Minutes later on each weekday, Monday first.
    pub(super) weekday: [f64; 7],
    /// Minutes later at each hour of the local day; for feeds of many a day.
    pub(super) hour: [f64; 24],
    /// Minutes later on the last two days of a month and the first.
    pub(super) month_end: f64,
    /// From when on it delivers how many minutes later, oldest first.
    pub(super) moves: Vec<(i64, f64)>,
    pub(super) drift: Option<Drift>,
    /// Places of the datasets it is made from, all before its own.
    pub(super) parents: Vec<usize>,
    /// Minutes from the last parent's arrival to its own.
    pub(super) lag: f64,
    /// It waits for its parents from here on.
    pub(super) waits_from: i64,
    pub(super) trouble: Trouble,
    /// First and last cycle begin in here.
    pub(super) begins: i64,
    /// It stopped: no deliveries from the first to before the second.
    pub(super) stops: Option<(i64, i64)>,
    /// Share of cycles that its owner skips.
    pub(super) skips: f64,
    pub(super) sender: Sender,
}

/// It creeps from one time to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drift {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) minutes: f64,
}

/// What goes wrong.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble {
    /// Share of cycles on which something of its own goes wrong.
    pub(super) rate: f64,
    /// Share of those that never come.
    pub(super) missed: f64,
    /// The rest by size, in minutes: how often, from, to.
    pub(super) sizes: Vec<(f64, f64, f64)>,
    /// From when on it delivers nothing for how many cycles, then all of them.
    pub(super) outages: Vec<(i64, usize)>,
    /// Silent from here to the end of the history.
    pub(super) silent_from: Option<i64>,
}

/// What its sender says, and says twice.
#[derive(Debug, Clone, Default)]
pub(super) struct Sender {
    pub(super) names_cycles: bool,
    pub(super) names_runs: bool,
    /// Rows in an ordinary delivery, if it counts them.
    pub(super) rows: Option<f64>,
    /// Share of deliveries that come twice.
    pub(super) duplicates: f64,
    /// Old cycles delivered again.
    pub(super) backfills: Vec<Backfill>,
}

/// Old cycles delivered again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backfill {
    pub(super) at: i64,
    pub(super) n_cycles: usize,
    /// Does each say which cycle it is?
    pub(super) named: bool,
}

impl Plan {
    /// The time of an ordinary delivery by its own schedule.
    pub(super) fn scheduled_at(&self, cycle: &Cycle) -> i64 {
        let delay = (self.delay(cycle) * MINUTE as f64).round() as i64;
        self.calendar.instant(self.zone, cycle, delay)
    }

    /// How often its cycles come.
    pub(super) fn grain(&self) -> Grain {
        self.calendar.grain().unwrap_or(Grain::Day)
    }

    fn delay(&self, cycle: &Cycle) -> f64 {
        let day = Day::of_local(cycle.local);
        let mut delay = self.usual + self.weekday[day.weekday().index()];
        if self.grain() < Grain::Day {
            let hour = day.start().abs_diff(cycle.local) / HOUR as u64;
            delay += self.hour[hour as usize];
        }
        if day.days_to_month_end() < 2 || day.year_month_day().2 == 1 {
            delay += self.month_end;
        }
        for &(at, minutes) in &self.moves {
            if cycle.start >= at {
                delay += minutes;
            }
        }
        if let Some(Drift { from, to, minutes }) = self.drift {
            let share = (cycle.start - from) as f64 / (to - from) as f64;
            delay += minutes * share.clamp(0.0, 1.0);
        }
        delay.max(0.0)
    }
}

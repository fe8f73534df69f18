//! What has been learned of a dataset?
//!
//! The model is stored as one row of JSON per dataset, and read by the person
//! who asks why they were paged. Delays are minutes from the start of the
//! cycle; negative ones are early.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::burst::Burst;
use crate::calendar::Source;
use crate::civil::{Weekday, Zone};
use crate::dataset::DatasetId;
use crate::schedule::Calendar;

/// What [`super::fit`] gives back: a model and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Version of this form; see [`Model::VERSION`].
    pub version: u32,
    /// Whose it is.
    pub dataset_id: DatasetId,
    /// Arrivals after this instant were not seen.
    pub as_of: Timestamp,
    /// The first arrival; `None` if there never was one.
    pub first_arrival: Option<Timestamp>,
    /// Arrivals seen.
    pub n_arrivals: u64,
    /// How its deliveries come, if each takes many arrivals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Burst>,
    /// What was learned.
    pub fitted: Fitted,
}

/// How much could be learned. Only the first two can fail a check. In JSON its
/// `status` comes first: see `fitted.rs`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Fitted {
    /// A calendar and a deadline that rest on enough history.
    Learned(ArrivalModel),
    /// Learned, but the schedule moved too recently: a wider threshold.
    Provisional {
        /// The model, its thresholds widened.
        model: ArrivalModel,
        /// What moved.
        shift: ShiftNote,
    },
    /// No calendar: how long the feed is ever silent.
    Irregular(GapModel),
    /// Too little history: a loose default that can only advise.
    ColdStart(ColdStart),
}

/// When a dataset that has a calendar arrives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArrivalModel {
    /// On which cycles a delivery is expected.
    pub calendar: Calendar,
    /// Who says so.
    pub calendar_source: Source,
    /// F1 of the expected against the delivered cycles of the regime, 0–1.
    pub calendar_f1: f64,
    /// The zone the schedule is kept in.
    pub zone: Zone,
    /// Who says so.
    pub zone_source: Source,
    /// Clock changes after this instant could not tell whether the schedule
    /// follows them; `None` where the zone is known or makes no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_untested_since: Option<Timestamp>,
    /// Start of the current regime.
    pub regime_since: Timestamp,
    /// Cycles of the regime that were expected.
    pub n_expected: u32,
    /// Of them, how many a delivery was matched to.
    pub n_delivered: u32,
    /// Delays kept out of the tail as incidents.
    pub n_trimmed: u32,
    /// An arrival up to this long before its cycle's median still belongs to it.
    pub early_minutes: f64,
    /// The share of ordinary cycles that pass the threshold, as the data supports it.
    pub false_alarm_rate: f64,
    /// Groups of similar cycles.
    pub cells: Vec<Cell>,
    /// Shifts that come on top of the cell.
    pub effects: Vec<Effect>,
    /// Changes of the schedule over the whole history, oldest first.
    pub moves: Vec<Move>,
}

/// A set of similar cycles that share a normal delay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Which cycles.
    pub key: CellKey,
    /// Delays that it rests on.
    pub n: u32,
    /// Share of its expected cycles that were delivered, 0–1.
    pub delivered: f64,
    /// Chance that one of its cycles is skipped though nothing is wrong; 0
    /// where skipping is rare enough to be an incident.
    pub skipped: f64,
    /// Quantiles of the delay, minutes.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// The 90 % quantile.
    pub p90: f64,
    /// The learned alert threshold, minutes.
    pub threshold: f64,
    /// Bootstrap band of the threshold (5 % and 95 %), minutes.
    pub band: (f64, f64),
}

/// What the cycles of a cell have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellKey {
    /// All cycles.
    All,
    /// Cycles that begin in this local hour.
    Hour(u8),
    /// Loads set for this minute of the day.
    Time(u16),
    /// Cycles of this day of the week.
    Weekday(Weekday),
}

/// A shift of some cycles that comes on top of their cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Which cycles.
    pub key: EffectKey,
    /// Minutes later (or earlier) than their cell says.
    pub shift: f64,
    /// Delays that it rests on.
    pub n: u32,
}

/// Which cycles an effect shifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKey {
    /// Cycles of this day of the week.
    Weekday(Weekday),
    /// The last days of a month.
    MonthEnd {
        /// How many days, counted from the last.
        days: u8,
    },
    /// The first days of a month.
    MonthStart {
        /// How many days.
        days: u8,
    },
    /// This day of the month.
    MonthDay(u8),
}

/// A change of the schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Move {
    /// The first cycle that follows the new schedule.
    pub at: Timestamp,
    /// What changed.
    pub change: Change,
}

/// What a move changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Deliveries come this many minutes later (or earlier).
    Shift {
        /// Minutes.
        minutes: f64,
    },
    /// The second delivery of the day comes this many minutes later (or
    /// earlier); the calendar waits for the first one only.
    LaterLoad {
        /// Minutes.
        minutes: f64,
    },
    /// Deliveries come more or less often.
    Cadence {
        /// Deliveries a week before.
        per_week_before: f64,
        /// Deliveries a week since.
        per_week_after: f64,
    },
}

/// A move that is too recent to refit on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShiftNote {
    /// Since when deliveries differ.
    pub since: Timestamp,
    /// By how many minutes.
    pub minutes: f64,
    /// Cycles seen since.
    pub n: u32,
}

/// How long a feed without a calendar is silent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapModel {
    /// The zone its hours of the week are kept in.
    pub zone: Zone,
    /// Who says so.
    pub zone_source: Source,
    /// Start of the current regime.
    pub regime_since: Timestamp,
    /// Does its owner say that it has no calendar, or does its history?
    pub source: Source,
    /// Silences by when they began.
    pub cells: Vec<GapCell>,
    /// Silences kept out of the tail as incidents.
    pub n_trimmed: u32,
    /// Changes of the schedule over the whole history, oldest first.
    pub moves: Vec<Move>,
    /// Whether the feed is steady enough for its deadline to page.
    pub supports_promise: bool,
}

/// Silences that began in the same part of the week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapCell {
    /// First hour of the local week (0 is Monday 00:00) of the part.
    pub from_hour: u8,
    /// Silences it rests on.
    pub n: u32,
    /// 10 % quantile, minutes.
    pub p10: f64,
    /// Median silence, minutes.
    pub p50: f64,
    /// 90 % quantile, minutes.
    pub p90: f64,
    /// A silence longer than this is late, minutes.
    pub threshold: f64,
}

/// A loose default for a dataset with too little history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColdStart {
    /// The calendar, declared or guessed.
    pub calendar: Calendar,
    /// Who says so.
    pub calendar_source: Source,
    /// The zone.
    pub zone: Zone,
    /// Who says so.
    pub zone_source: Source,
    /// Cycles seen.
    pub n_cycles: u32,
    /// Cycles needed to learn.
    pub n_needed: u32,
    /// Median delay so far, minutes; `None` before the first arrival.
    pub p50: Option<f64>,
    /// Advisory threshold: minutes after the start of the cycle.
    pub threshold: f64,
}

impl Model {
    /// The version this program writes. A store that holds another is refitted.
    pub const VERSION: u32 = 1;
}

impl Fitted {
    /// `learned`, `provisional`, `irregular` or `cold_start`.
    pub fn status(&self) -> &'static str {
        match self {
            Fitted::Learned(_) => "learned",
            Fitted::Provisional { .. } => "provisional",
            Fitted::Irregular(_) => "irregular",
            Fitted::ColdStart(_) => "cold_start",
        }
    }

    /// The calendar; irregular feeds have [`Calendar::Irregular`].
    pub fn calendar(&self) -> &Calendar {
        match self {
            Fitted::Learned(model) | Fitted::Provisional { model, .. } => &model.calendar,
            Fitted::Irregular(_) => &Calendar::Irregular,
            Fitted::ColdStart(cold) => &cold.calendar,
        }
    }

    /// The zone and who says so.
    pub fn zone(&self) -> (Zone, Source) {
        match self {
            Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
                (model.zone, model.zone_source)
            }
            Fitted::Irregular(gaps) => (gaps.zone, gaps.zone_source),
            Fitted::ColdStart(cold) => (cold.zone, cold.zone_source),
        }
    }

    /// Changes of the schedule, oldest first.
    pub fn moves(&self) -> &[Move] {
        match self {
            Fitted::Learned(model) | Fitted::Provisional { model, .. } => &model.moves,
            Fitted::Irregular(gaps) => &gaps.moves,
            Fitted::ColdStart(_) => &[],
        }
    }
}

/// Whole seconds of a delay in minutes.
pub(crate) fn to_seconds(minutes: f64) -> i64 {
    (minutes * crate::civil::MINUTE as f64).round() as i64
}

/// A UTC second as an instant. Arrivals are checked when they are read.
pub(crate) fn to_timestamp(utc: i64) -> Timestamp {
    Timestamp::from_second(utc).expect("a supported instant")
}

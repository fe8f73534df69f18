//! What would other rules have said?
//!
//! Each rule is a file. Some are handed what nobody has: the true calendar, or
//! thresholds chosen with the truth of the very days they are scored on. That
//! makes them as good as such a rule can be.

mod age;
mod clock;
mod gaps;
mod oracle;
mod per_cadence;
mod plain;
mod reference;
mod threshold;

use serde::{Serialize, Serializer};

use crate::evaluate::{Deadline, Scope, Subject, Window};

pub use reference::Reference;
pub use threshold::{Threshold, best_threshold};

/// What can be held against the learned deadlines, and those themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// The program.
    Learned,
    /// Per dataset the threshold on the residual from the true location with
    /// the best F1, chosen with the truth in hand.
    Oracle,
    /// Quantiles of calendar cells, given the true calendar, zone and last move.
    Reference,
    /// The same with the level and scale of its thresholds chosen for the best
    /// F1 on the days it is scored on.
    ReferenceBest,
    /// One threshold per cadence, chosen for the best F1 on the days it is
    /// scored on, given the true calendar and zone.
    PerCadence,
    /// Not loaded by 07:00 UTC.
    SevenOClock,
    /// Older than 24 hours.
    MaximumAge,
    /// A gap more than three standard deviations above the mean of 14 days.
    ZScore,
    /// A gap longer than 99 % of those of six weeks.
    IntervalP99,
    /// Weekdays that delivered over eight weeks, by the trimmed 0.998 quantile
    /// of the UTC time of day over 120 days.
    Plain,
}

/// One dataset with what is fair to score of it.
#[derive(Debug, Clone, Copy)]
pub struct Contestant<'a> {
    /// The dataset.
    pub subject: Subject<'a>,
    /// Over which time.
    pub window: Window,
    /// What of it decides where a rule is tuned.
    pub scope: Scope,
}

impl Method {
    /// All, in the order in which they are told.
    pub const ALL: [Method; 10] = [
        Method::Learned,
        Method::Oracle,
        Method::Reference,
        Method::ReferenceBest,
        Method::PerCadence,
        Method::SevenOClock,
        Method::MaximumAge,
        Method::ZScore,
        Method::IntervalP99,
        Method::Plain,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Method::Learned => "learned",
            Method::Oracle => "oracle",
            Method::Reference => "reference",
            Method::ReferenceBest => "reference_best_f1",
            Method::PerCadence => "fixed_per_cadence",
            Method::SevenOClock => "not_loaded_by_07",
            Method::MaximumAge => "maximum_age_24h",
            Method::ZScore => "z_score_14d",
            Method::IntervalP99 => "interval_p99_6w",
            Method::Plain => "plain_learned_rule",
        }
    }

    /// What it is, for a person.
    pub fn words(self) -> &'static str {
        match self {
            Method::Learned => "learned by freshness",
            Method::Oracle => "oracle, truth in hand",
            Method::Reference => "reference learned method",
            Method::ReferenceBest => "reference at its best F1",
            Method::PerCadence => "fixed per cadence, best F1",
            Method::SevenOClock => "not loaded by 07:00",
            Method::MaximumAge => "older than 24 h",
            Method::ZScore => "gap z-score 3, 14 days",
            Method::IntervalP99 => "gap p99, six weeks",
            Method::Plain => "plain learned rule",
        }
    }

    /// Must the truth of every cycle be known?
    pub fn needs_every_cycle(self) -> bool {
        match self {
            Method::Oracle | Method::Reference | Method::ReferenceBest | Method::PerCadence => true,
            Method::Learned
            | Method::SevenOClock
            | Method::MaximumAge
            | Method::ZScore
            | Method::IntervalP99
            | Method::Plain => false,
        }
    }

    /// What a rule says of every contestant; `None` for the program itself,
    /// which has its own page.
    pub fn deadlines(self, contestants: &[Contestant<'_>]) -> Option<Vec<Vec<Deadline>>> {
        let each = |rule: fn(&Subject<'_>, &Window) -> Vec<Deadline>| {
            contestants
                .iter()
                .map(|contestant| rule(&contestant.subject, &contestant.window))
                .collect()
        };
        Some(match self {
            Method::Learned => return None,
            Method::Oracle => contestants.iter().map(oracle::deadlines).collect(),
            Method::Reference => reference::usual(contestants),
            Method::ReferenceBest => reference::best(contestants),
            Method::PerCadence => per_cadence::deadlines(contestants),
            Method::SevenOClock => each(clock::deadlines),
            Method::MaximumAge => each(age::deadlines),
            Method::ZScore => each(gaps::z_score),
            Method::IntervalP99 => each(gaps::interval_p99),
            Method::Plain => each(plain::deadlines),
        })
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod check;

//! What becomes of a warehouse if some of its deliveries go wrong?
//!
//! Each dataset is tampered with at its own pace, as its calendar says. A feed
//! without a calendar stays as it is, because of none of its deliveries can be
//! said that it was due; so does one with few deliveries.

use std::collections::BTreeMap;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::calendar::infer;
use freshness_core::civil::{DAY, Holidays, WeekdaySet};
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::lineage::Lineage;
use freshness_core::schedule::{Calendar, DayRule, Grain};
use jiff::Timestamp;

use super::deliveries::deliveries;
use super::inject::{Terms, inject};
use super::pace::Pace;
use crate::seed::Warehouse;
use crate::truth::{DatasetTruth, IncidentKind, Truth};

/// What is to be done to a warehouse.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Deliveries from here on (UTC seconds). Without, each dataset's last days
    /// by its pace.
    pub from: Option<i64>,
    /// … and before here. Without, the end of the history.
    pub to: Option<i64>,
    /// The share of mishaps that begin an outage.
    pub outages: f64,
    /// Which mishaps: each number draws others.
    pub seed: u64,
}

/// What was done to one dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// Which.
    pub dataset: DatasetId,
    /// Its class.
    pub class: &'static str,
    /// Deliveries in its window.
    pub n_deliveries: usize,
    /// Those that come late.
    pub n_late: usize,
    /// Those that never come.
    pub n_missed: usize,
    /// Those that an outage holds up.
    pub n_held_up: usize,
    /// Why nothing was done; `None` if something might have been.
    pub untouched: Option<Untouched>,
}

/// Why nothing was done to a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untouched {
    /// It has no calendar.
    NoCalendar,
    /// It has too few deliveries in all.
    FewDeliveries,
    /// It has none in the window.
    OutsideWindow,
}

/// Why nothing could be done at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TamperError {
    /// There are no arrivals.
    #[error("no arrivals")]
    NoArrivals,
    /// … in the window.
    #[error("nothing arrived in the window: {from} to {to}")]
    EmptyWindow {
        /// Its begin.
        from: Timestamp,
        /// Its end.
        to: Timestamp,
    },
    /// No dataset has enough of them.
    #[error("too few arrivals: nothing to go wrong in {n_deliveries} deliveries of the window")]
    FewArrivals {
        /// Deliveries in the window, of datasets that could be tampered with.
        n_deliveries: usize,
    },
}

/// Deliveries below which a dataset stays as it is: their spread says nothing.
pub const LEAST_DELIVERIES: usize = 10;

/// The warehouse in which some deliveries go wrong, what was done to each of
/// its datasets, in their order. `outages` are known silences.
pub fn tamper(
    datasets: Vec<(Dataset, ArrivalHistory)>,
    outages: &BTreeMap<DatasetId, Vec<(i64, i64)>>,
    holidays: &Holidays,
    asked: &Asked,
) -> Result<(Warehouse, Vec<Done>), TamperError> {
    let arrivals = || datasets.iter().flat_map(|(_, history)| history.at());
    let (Some(&first), Some(&last)) = (arrivals().min(), arrivals().max()) else {
        return Err(TamperError::NoArrivals);
    };
    let mut done = Vec::new();
    let mut truth = Truth::default();
    let mut tampered = Vec::new();
    for (dataset, history) in datasets {
        let (history, mut of_dataset, what) = tamper_one(&dataset, &history, last, holidays, asked);
        of_dataset.outages = outages.get(&dataset.id).cloned().unwrap_or_default();
        truth.datasets.insert(dataset.id.clone(), of_dataset);
        tampered.push((dataset, history));
        done.push(what);
    }
    let n_deliveries: usize = done.iter().map(|one| one.n_deliveries).sum();
    if n_deliveries == 0 && (asked.from.is_some() || asked.to.is_some()) {
        let instant = |at| Timestamp::from_second(at).unwrap_or_default();
        return Err(TamperError::EmptyWindow {
            from: instant(asked.from.unwrap_or(first)),
            to: instant(asked.to.unwrap_or(last)),
        });
    }
    if truth.datasets.values().all(|one| one.cycles.is_empty()) {
        return Err(TamperError::FewArrivals { n_deliveries });
    }
    let lineage = Lineage::new([]).expect("no edges make no circle");
    let warehouse = Warehouse {
        datasets: tampered,
        lineage,
        dashboards: Vec::new(),
        truth,
        from: first,
        ends_at: last,
    };
    Ok((warehouse, done))
}

fn tamper_one(
    dataset: &Dataset,
    history: &ArrivalHistory,
    ends_at: i64,
    holidays: &Holidays,
    asked: &Asked,
) -> (ArrivalHistory, DatasetTruth, Done) {
    let inferred = infer(dataset, history.at(), holidays);
    let calendar = dataset
        .calendar
        .clone()
        .or(inferred.map(|found| found.calendar));
    let grain = dataset
        .grain
        .or(calendar.as_ref().and_then(Calendar::grain));
    let class = class(calendar.as_ref(), grain);
    let mut done = Done {
        dataset: dataset.id.clone(),
        class,
        n_deliveries: 0,
        n_late: 0,
        n_missed: 0,
        n_held_up: 0,
        untouched: None,
    };
    let untouched = DatasetTruth {
        class: class.to_owned(),
        schedule: None,
        moves: Vec::new(),
        cycles: Vec::new(),
        outages: Vec::new(),
    };
    let Some(pace) = pace(calendar.as_ref(), grain) else {
        done.untouched = Some(match history.len() < LEAST_DELIVERIES {
            true => Untouched::FewDeliveries,
            false => Untouched::NoCalendar,
        });
        return (history.clone(), untouched, done);
    };
    let to = asked.to.unwrap_or(ends_at + 1);
    let terms = Terms {
        pace,
        from: asked.from.unwrap_or(to - pace.days() * DAY),
        to,
        outages: asked.outages,
    };
    let slots = deliveries(history.at(), pace, terms.from, terms.to);
    let in_window = |at: &i64| (terms.from..terms.to).contains(at);
    done.n_deliveries = slots.iter().filter(|slot| in_window(&slot.at)).count();
    done.untouched = match () {
        () if done.n_deliveries == 0 => Some(Untouched::OutsideWindow),
        () if slots.len() < LEAST_DELIVERIES => Some(Untouched::FewDeliveries),
        () => None,
    };
    if done.untouched.is_some() {
        return (history.clone(), untouched, done);
    }
    let (tampered, truth) = inject(&dataset.id, class, history, &terms, asked.seed);
    for kind in truth
        .cycles
        .iter()
        .filter_map(|cycle| cycle.incident.as_ref())
    {
        match kind.kind {
            IncidentKind::Late | IncidentKind::Propagated => done.n_late += 1,
            IncidentKind::Missed | IncidentKind::Stopped => done.n_missed += 1,
            IncidentKind::Backlog => done.n_held_up += 1,
        }
    }
    (tampered, truth, done)
}

/// Set times of a day make slots of an even part of it.
fn pace(calendar: Option<&Calendar>, grain: Option<Grain>) -> Option<Pace> {
    match calendar {
        Some(Calendar::Times { times, .. }) if times.len() > 1 => {
            Some(Pace::Within(DAY / times.len() as i64))
        }
        _ => grain.map(Pace::of_grain),
    }
}

/// Datasets of one class are reported together.
fn class(calendar: Option<&Calendar>, grain: Option<Grain>) -> &'static str {
    match (grain, calendar) {
        (Some(Grain::Minutes(60)), _) => "hourly",
        (Some(Grain::Minutes(_)), _) => "multi",
        (Some(Grain::Week), _) => "weekly",
        (Some(Grain::Month), _) => "monthly",
        (Some(Grain::Day), Some(Calendar::Days(DayRule::BusinessDays { .. }))) => "business_days",
        (Some(Grain::Day), Some(Calendar::Days(DayRule::Weekdays(WeekdaySet::MON_FRI)))) => {
            "weekdays"
        }
        (Some(Grain::Day), Some(Calendar::Times { .. })) => "multi",
        (Some(Grain::Day), _) => "daily",
        (None, _) => "irregular",
    }
}

//! What does a warehouse look like of which every cycle is written by hand?

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
use freshness_core::civil::{DAY, Holidays, MINUTE, Zone};
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::schedule::Calendar;
use freshness_lab::baselines::Method;
use freshness_lab::evaluate::{Plan, Refit, Subject};
use freshness_lab::truth::{CycleTruth, DatasetTruth, Incident, IncidentKind};

/// 2025-01-06, a Monday: the first day of the warehouse.
pub(crate) const BEGINS: i64 = 1_736_121_600;

/// One dataset of it.
pub(crate) struct Made {
    pub(crate) dataset: Dataset,
    pub(crate) history: ArrivalHistory,
    pub(crate) truth: DatasetTruth,
}

impl Made {
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject {
            dataset: &self.dataset,
            history: &self.history,
            truth: &self.truth,
        }
    }
}

/// A dataset with a delivery on each of its cycles, `usual` minutes into it and
/// up to nine minutes more. Exceptions are (cycle, minutes late); `None` never
/// comes.
pub(crate) fn made(
    id: &str,
    calendar: &str,
    n_days: i64,
    usual: i64,
    exceptions: &[(usize, Option<i64>)],
) -> Made {
    let id = DatasetId::try_from(id).unwrap();
    let calendar: Calendar = calendar.parse().unwrap();
    let zone = Zone::universal();
    let holidays = Holidays::builtin();
    let cycles = calendar.cycles(zone, &holidays, BEGINS, BEGINS + n_days * DAY);
    let cycle = |(i, cycle): (usize, &freshness_core::schedule::Cycle)| {
        let usual_at = cycle.start + (usual + 4) * MINUTE;
        let due_at = cycle.start + usual * MINUTE + (i as i64 * 7_919) % 540;
        let exception = exceptions.iter().find(|(other, _)| *other == i);
        let (arrived_at, kind) = match exception {
            None => (Some(due_at), None),
            Some((_, Some(late))) => (Some(due_at + late * MINUTE), Some(IncidentKind::Late)),
            Some((_, None)) => (None, Some(IncidentKind::Missed)),
        };
        CycleTruth {
            start: cycle.start,
            usual_at,
            due_at: Some(due_at),
            arrived_at,
            incident: kind.map(|kind| Incident {
                root: id.clone(),
                kind,
            }),
        }
    };
    let cycles: Vec<CycleTruth> = cycles.iter().enumerate().map(cycle).collect();
    let arrivals = cycles.iter().filter_map(|cycle| cycle.arrived_at);
    Made {
        dataset: Dataset::undeclared(id),
        history: history(arrivals),
        truth: DatasetTruth {
            class: "daily".to_owned(),
            schedule: Some((calendar, zone)),
            moves: Vec::new(),
            cycles,
            outages: Vec::new(),
        },
    }
}

/// Nothing but times.
pub(crate) fn history(arrivals: impl IntoIterator<Item = i64>) -> ArrivalHistory {
    let arrival = |at| Arrival {
        at,
        detail: ArrivalDetail::default(),
    };
    ArrivalHistory::new(arrivals.into_iter().map(arrival).collect())
}

/// Everything, with one fit.
pub(crate) fn plan(holidays: &Holidays) -> Plan<'_> {
    Plan {
        holdout_days: None,
        refit: Refit::Never,
        methods: Method::ALL.to_vec(),
        onset: true,
        parameters: freshness_core::fit::Parameters::default(),
        lineage: None,
        holidays,
        n_threads: 2,
    }
}

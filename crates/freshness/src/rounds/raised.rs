//! Of what would a person have been told, by dataset and by week?
//!
//! Rows are cycles, and a person is not told of each: an alert stands until
//! something is delivered, and what is overdue meanwhile belongs to it. So
//! there are at most as many alerts as alerted cycles. An alert is counted in
//! the week, and a cycle in the week, of its deadline.

use std::collections::BTreeMap;

use freshness_core::civil::{DAY, Day, Weekday};
use freshness_core::dataset::DatasetId;
use freshness_core::state::{Replayed, State, Walk};
use jiff::Timestamp;
use serde::Serialize;

use super::{Backtested, ReplayedDataset};

/// What would have been raised over a walk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Raised {
    /// Over all datasets.
    pub total: Total,
    /// By name.
    pub datasets: Vec<DatasetRaised>,
    /// Every week from Monday, UTC; the first and the last may be cut.
    pub weeks: Vec<WeekRaised>,
}

/// Counts that add up, of datasets as of weeks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Alerts: each one is a person told once.
    pub n_alerts: u64,
    /// Cycles that were late at their deadline: rows with `alerted` true.
    pub n_alerted_cycles: u64,
    /// Cycles late at their deadline by a model that can only advise.
    pub n_advisory_cycles: u64,
    /// Cycles that came past their deadline.
    pub n_arrived_late: u64,
    /// Cycles that never came.
    pub n_missed: u64,
}

/// Over all datasets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Total {
    /// Datasets with an expected cycle.
    pub n_datasets: u64,
    /// Of them, alerted.
    pub n_datasets_alerted: u64,
    /// Expected cycles: rows.
    pub n_cycles: u64,
    /// What was raised.
    #[serde(flatten)]
    pub counts: Counts,
    /// Days from the first arrival of any dataset, within the window.
    pub days: f64,
    /// Days from the first arrival of each, added up.
    pub dataset_days: f64,
    /// Alerts per day.
    pub alerts_per_day: Option<f64>,
    /// Alerts per week.
    pub alerts_per_week: Option<f64>,
    /// Alerts per 1,000 days of a dataset.
    pub alerts_per_1000_dataset_days: Option<f64>,
}

/// Of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatasetRaised {
    /// Its name.
    pub dataset_id: DatasetId,
    /// Days since its first arrival, within the window.
    pub days: f64,
    /// Expected cycles: rows.
    pub n_cycles: u64,
    /// What was raised.
    #[serde(flatten)]
    pub counts: Counts,
    /// Alerts per week.
    pub alerts_per_week: Option<f64>,
}

/// Of one week.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeekRaised {
    /// Its Monday, UTC.
    pub week: Day,
    /// Datasets alerted in it.
    pub n_datasets_alerted: u64,
    /// What was raised.
    #[serde(flatten)]
    pub counts: Counts,
    /// The dataset with most alerts, by name if there are several.
    pub worst_dataset: Option<DatasetId>,
    /// Its alerts.
    pub worst_n_alerts: u64,
}

/// Counts what a backtest found.
pub fn raised(found: &Backtested) -> Raised {
    let walk = &found.walk;
    let first = found.datasets.iter().filter_map(|one| one.first_arrival);
    let since = first.min().map_or(walk.to, |first| first.max(walk.from));
    let mut weeks: BTreeMap<Day, WeekRaised> = BTreeMap::new();
    let last = (walk.to - 1).max(since);
    for week in (monday(since).0..=monday(last).0).step_by(7) {
        weeks.insert(Day(week), WeekRaised::new(Day(week)));
    }
    let mut datasets = Vec::with_capacity(found.datasets.len());
    for one in &found.datasets {
        let mut counts = Counts::default();
        let mut by_week: BTreeMap<Day, Counts> = BTreeMap::new();
        for (cycle, is_new) in one.cycles.iter().zip(new_alerts(&one.cycles)) {
            let at = cycle.verdict.deadline.unwrap_or(cycle.verdict.cycle_start);
            counts.add(cycle, is_new);
            by_week
                .entry(monday(at.as_second()))
                .or_default()
                .add(cycle, is_new);
        }
        for (week, counts) in by_week {
            // Deadlines of the last cycles may lie beyond the window.
            if counts != Counts::default() {
                let of = weeks.entry(week);
                of.or_insert_with(|| WeekRaised::new(week))
                    .add(&one.id, counts);
            }
        }
        let days = days_of(one, walk);
        datasets.push(DatasetRaised {
            dataset_id: one.id.clone(),
            days,
            n_cycles: one.cycles.len() as u64,
            counts,
            alerts_per_week: rate(counts.n_alerts, days / 7.0),
        });
    }
    let days = days_between(since, walk.to);
    Raised {
        total: total(&datasets, days),
        datasets,
        weeks: weeks.into_values().collect(),
    }
}

fn total(datasets: &[DatasetRaised], days: f64) -> Total {
    let mut counts = Counts::default();
    datasets.iter().for_each(|one| counts.plus(one.counts));
    let dataset_days = datasets.iter().map(|one| one.days).sum();
    let n_with = |of: fn(&DatasetRaised) -> bool| datasets.iter().filter(|&one| of(one)).count();
    Total {
        n_datasets: n_with(|one| one.n_cycles > 0) as u64,
        n_datasets_alerted: n_with(|one| one.counts.n_alerts > 0) as u64,
        n_cycles: datasets.iter().map(|one| one.n_cycles).sum(),
        counts,
        days,
        dataset_days,
        alerts_per_day: rate(counts.n_alerts, days),
        alerts_per_week: rate(counts.n_alerts, days / 7.0),
        alerts_per_1000_dataset_days: rate(counts.n_alerts, dataset_days / 1_000.0),
    }
}

/// For each cycle, does it raise an alert that did not stand already? One
/// stands until the delivery it waits for comes, or the next one after a cycle
/// that never came.
fn new_alerts(cycles: &[Replayed]) -> impl Iterator<Item = bool> {
    // The second up to which an alert stands; nobody knows it before the
    // next delivery is seen.
    let mut stands_until = i64::MIN;
    cycles.iter().map(move |cycle| {
        let deadline = cycle.verdict.deadline.map(Timestamp::as_second);
        let arrived = cycle.verdict.arrived_at.map(Timestamp::as_second);
        let is_new = cycle.alerted && deadline.is_some_and(|deadline| deadline > stands_until);
        stands_until = match (cycle.alerted, arrived) {
            (_, Some(arrived)) if stands_until == i64::MAX => arrived,
            (true, arrived) if is_new => arrived.unwrap_or(i64::MAX),
            (true, None) => i64::MAX,
            _ => stands_until,
        };
        is_new
    })
}

impl Counts {
    fn add(&mut self, cycle: &Replayed, is_new: bool) {
        self.n_alerts += u64::from(is_new);
        self.n_alerted_cycles += u64::from(cycle.alerted);
        self.n_advisory_cycles += u64::from(cycle.severity.is_some() && !cycle.alerted);
        self.n_arrived_late += u64::from(cycle.verdict.state == State::LateArrival);
        self.n_missed += u64::from(cycle.verdict.state == State::Missed);
    }

    fn plus(&mut self, other: Counts) {
        let Counts {
            n_alerts,
            n_alerted_cycles,
            n_advisory_cycles,
            n_arrived_late,
            n_missed,
        } = other;
        self.n_alerts += n_alerts;
        self.n_alerted_cycles += n_alerted_cycles;
        self.n_advisory_cycles += n_advisory_cycles;
        self.n_arrived_late += n_arrived_late;
        self.n_missed += n_missed;
    }
}

impl WeekRaised {
    fn new(week: Day) -> WeekRaised {
        WeekRaised {
            week,
            n_datasets_alerted: 0,
            counts: Counts::default(),
            worst_dataset: None,
            worst_n_alerts: 0,
        }
    }

    /// Datasets come by name, so that of equals the first stays.
    fn add(&mut self, id: &DatasetId, counts: Counts) {
        self.counts.plus(counts);
        self.n_datasets_alerted += u64::from(counts.n_alerts > 0);
        if counts.n_alerts > self.worst_n_alerts {
            self.worst_n_alerts = counts.n_alerts;
            self.worst_dataset = Some(id.clone());
        }
    }
}

/// The days on which something could have been raised.
fn days_of(one: &ReplayedDataset, walk: &Walk) -> f64 {
    one.first_arrival
        .map_or(0.0, |first| days_between(first.max(walk.from), walk.to))
}

fn days_between(from: i64, to: i64) -> f64 {
    (to - from).max(0) as f64 / DAY as f64
}

fn rate(n: u64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| n as f64 / of)
}

fn monday(at: i64) -> Day {
    let day = Day::of_local(at);
    let mut back = day;
    while back.weekday() != Weekday::Mon {
        back = Day(back.0 - 1);
    }
    back
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness_core::state::CycleVerdict;
    use jiff::SignedDuration;

    fn at(hour: i64) -> Timestamp {
        let monday: Timestamp = "2026-03-02T00:00:00Z".parse().unwrap();
        monday + SignedDuration::from_hours(hour)
    }

    /// A cycle a day with its deadline at 08:00. For each: the hours after the
    /// first midnight at which it came, or `-`; with `!` if it was alerted.
    #[track_caller]
    fn check_alerts(cycles: &str, expected: &[usize]) {
        let cycles: Vec<Replayed> = (0..)
            .zip(cycles.split_whitespace())
            .map(|(day, said)| {
                let arrived = said.trim_end_matches('!').parse().ok().map(at);
                let deadline = at(day * 24 + 8);
                Replayed {
                    verdict: CycleVerdict {
                        usual_at: None,
                        held_up_by: None,
                        waits_for: None,
                        learned_deadline: None,
                        maintenance: None,
                        cycle: day.to_string(),
                        cycle_start: at(day * 24),
                        deadline: Some(deadline),
                        arrived_at: arrived,
                        state: match arrived {
                            Some(arrived) if arrived > deadline => State::LateArrival,
                            Some(_) => State::Ok,
                            None => State::Missed,
                        },
                        because: None,
                    },
                    alerted: said.ends_with('!'),
                    severity: None,
                    model_status: "learned",
                    as_upstream: None,
                }
            })
            .collect();
        let new = new_alerts(&cycles).enumerate();
        let days: Vec<usize> = new
            .filter_map(|(day, is_new)| is_new.then_some(day))
            .collect();
        assert_eq!(days, expected);
    }

    #[test]
    fn each_delivery_that_is_late_on_its_own_is_an_alert() {
        check_alerts("10! 34! 55 82!", &[0, 1, 3]);
    }

    #[test]
    fn an_outage_is_one_alert_until_something_is_delivered() {
        check_alerts("6 -! -! -! 102 -!", &[1, 5]);
        check_alerts("6 -! -! 82! 106!", &[1, 4]);
    }

    #[test]
    fn a_backlog_belongs_to_the_outage_before_it() {
        check_alerts("6 75! 75! 76 106!", &[1, 4]);
    }

    #[test]
    fn a_cycle_that_could_only_be_advised_of_ends_no_outage() {
        check_alerts("6 -! - -! 102 126", &[1]);
    }

    #[test]
    fn what_is_counted_by_dataset_and_by_week_adds_up_to_the_total() {
        let cycle = |day: i64, alerted| Replayed {
            verdict: CycleVerdict {
                usual_at: None,
                held_up_by: None,
                waits_for: None,
                learned_deadline: None,
                maintenance: None,
                cycle: day.to_string(),
                cycle_start: at(day * 24),
                deadline: Some(at(day * 24 + 8)),
                arrived_at: None,
                state: State::Missed,
                because: None,
            },
            alerted,
            severity: None,
            model_status: "learned",
            as_upstream: None,
        };
        let dataset = |name: &str, alerted: [bool; 3]| ReplayedDataset {
            id: DatasetId::try_from(name).unwrap(),
            first_arrival: Some(at(-48).as_second()),
            cycles: (5..8)
                .zip(alerted)
                .map(|(day, alerted)| cycle(day, alerted))
                .collect(),
        };
        // Saturday to Monday.
        let found = Backtested {
            datasets: vec![
                dataset("a", [true, true, true]),
                dataset("b", [false, true, true]),
            ],
            failed: Vec::new(),
            walk: Walk {
                from: at(-72).as_second(),
                to: at(8 * 24).as_second(),
                refit: DAY,
                known_until: at(9 * 24).as_second(),
            },
        };
        let raised = raised(&found);
        let weeks: Vec<_> = raised
            .weeks
            .iter()
            .map(|one| {
                (
                    one.week.to_string(),
                    one.counts.n_alerts,
                    one.counts.n_alerted_cycles,
                )
            })
            .collect();
        let week = |week: &str, alerts, cycles| (week.to_owned(), alerts, cycles);
        assert_eq!(
            weeks,
            [
                week("2026-02-23", 0, 0),
                week("2026-03-02", 2, 3),
                week("2026-03-09", 0, 2)
            ]
        );
        assert_eq!(raised.total.counts.n_alerts, 2);
        assert_eq!(raised.total.counts.n_alerted_cycles, 5);
        // Two days of February, before which nothing had arrived, and eight more.
        assert_eq!(raised.total.days, 10.0);
        assert_eq!(raised.total.alerts_per_1000_dataset_days, Some(100.0));
    }
}

//! Is what is done to real histories what the truth says?

use std::collections::BTreeMap;
use std::path::Path;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::{DAY, HOUR, Holidays};
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_lab::agreement::read_folder;
use freshness_lab::mishap::{Asked, Done, TamperError, Untouched, tamper};
use freshness_lab::seed::Warehouse;
use freshness_lab::truth::{CycleTruth, IncidentKind};

type Datasets = Vec<(Dataset, ArrivalHistory)>;

/// The real histories that the demo is told with.
fn demo() -> Datasets {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../freshness/demo");
    let histories = read_folder(&folder).unwrap().histories;
    let named = histories.into_iter().map(|(name, history)| {
        let id = DatasetId::try_from(name.as_str()).unwrap();
        (Dataset::undeclared(id), history)
    });
    named.collect()
}

fn tampered(datasets: Datasets, asked: &Asked) -> Result<(Warehouse, Vec<Done>), TamperError> {
    tamper(datasets, &BTreeMap::new(), &Holidays::builtin(), asked)
}

fn asked(seed: u64) -> Asked {
    Asked {
        from: None,
        to: None,
        outages: 0.1,
        seed,
    }
}

/// Each dataset with its history before and after, and its tampered cycles.
fn each(seed: u64) -> Vec<(String, ArrivalHistory, ArrivalHistory, Vec<CycleTruth>)> {
    let (warehouse, _) = tampered(demo(), &asked(seed)).unwrap();
    let pairs = demo().into_iter().zip(warehouse.datasets.clone());
    pairs
        .map(|((_, before), (dataset, after))| {
            let cycles = warehouse.truth.datasets[&dataset.id].cycles.clone();
            (dataset.id.to_string(), before, after, cycles)
        })
        .collect()
}

#[test]
fn what_the_truth_says_is_what_arrived() {
    for (name, before, after, cycles) in each(3) {
        assert!(cycles.windows(2).all(|pair| pair[0].start < pair[1].start));
        for cycle in &cycles {
            let due = cycle.due_at.unwrap();
            assert!(before.at().binary_search(&due).is_ok(), "{name} {due}");
            let next = after.at()[after.at().partition_point(|&at| at < due)];
            match cycle.arrived_at {
                Some(came) => assert!(next <= came && after.at().contains(&came), "{name} {due}"),
                None => assert!(next > due, "{name} {due}"),
            }
        }
        // A delivery is one of both or its cycle is told of.
        let lost = before.at().iter().filter(|at| !after.at().contains(at));
        let n_told = cycles.len();
        assert!(lost.count() >= n_told, "{name}");
        let new = after.at().iter().filter(|at| !before.at().contains(at));
        let came: Vec<i64> = cycles.iter().filter_map(|cycle| cycle.arrived_at).collect();
        assert!(new.into_iter().all(|at| came.contains(at)), "{name}");
    }
}

#[test]
fn late_deliveries_come_within_most_of_a_period_and_something_comes_after() {
    let (warehouse, _) = tampered(demo(), &asked(5)).unwrap();
    let mut n_late = 0;
    for (dataset, after) in &warehouse.datasets {
        let truth = &warehouse.truth.datasets[&dataset.id];
        let period = match truth.class.as_str() {
            "hourly" => HOUR,
            "weekly" => 7 * DAY,
            "monthly" => 31 * DAY,
            _ => DAY,
        };
        for cycle in &truth.cycles {
            let kind = cycle.incident.as_ref().unwrap().kind;
            let (Some(came), IncidentKind::Late) = (cycle.arrived_at, kind) else {
                continue;
            };
            let late = came - cycle.due_at.unwrap();
            assert!(late > 0, "{} {late}", dataset.id);
            assert!(late as f64 <= 0.8 * period as f64, "{} {late}", dataset.id);
            assert!(*after.at().last().unwrap() > came, "{}", dataset.id);
            n_late += 1;
        }
    }
    assert!(n_late > 20, "{n_late}");
}

#[test]
fn about_the_shares_that_are_known_go_wrong() {
    let (mut n_hourly, mut hourly) = (0, 0);
    let (mut n_daily, mut daily) = (0, 0);
    for seed in 0..10 {
        let (_, done) = tampered(
            demo(),
            &Asked {
                outages: 0.0,
                ..asked(seed)
            },
        )
        .unwrap();
        for one in done.iter().filter(|one| one.untouched.is_none()) {
            let n_wrong = one.n_late + one.n_missed + one.n_held_up;
            match one.class {
                "hourly" => (n_hourly, hourly) = (n_hourly + one.n_deliveries, hourly + n_wrong),
                "daily" => (n_daily, daily) = (n_daily + one.n_deliveries, daily + n_wrong),
                _ => {}
            }
        }
    }
    let share = |n: usize, of: usize| n as f64 / of as f64;
    assert!(
        (0.008..0.012).contains(&share(hourly, n_hourly)),
        "{hourly} of {n_hourly}"
    );
    assert!(
        (0.03..0.05).contains(&share(daily, n_daily)),
        "{daily} of {n_daily}"
    );
}

#[test]
fn a_seed_draws_the_same_whatever_other_datasets_there_are() {
    let (all, _) = tampered(demo(), &asked(7)).unwrap();
    let only: Datasets = demo()
        .into_iter()
        .filter(|(dataset, _)| dataset.id.as_str() == "trackers_all")
        .collect();
    let id = only[0].0.id.clone();
    let asked = Asked {
        to: Some(all.ends_at + 1),
        ..asked(7)
    };
    let (one, _) = tampered(only, &asked).unwrap();
    assert_eq!(one.truth.datasets[&id], all.truth.datasets[&id]);
    assert!(!one.truth.datasets[&id].cycles.is_empty());
}

#[test]
fn nothing_is_done_where_nothing_can_be_said() {
    let few = |n: usize| {
        let mut datasets = demo();
        for (_, history) in &mut datasets {
            let at: Vec<i64> = history.at().iter().copied().take(n).collect();
            *history = ArrivalHistory::from_columns(at, Vec::new());
        }
        datasets
    };
    assert_eq!(
        tampered(few(0), &asked(1)).unwrap_err(),
        TamperError::NoArrivals
    );
    assert!(matches!(
        tampered(few(3), &asked(1)).unwrap_err(),
        TamperError::FewArrivals { .. }
    ));
    let long_ago = Asked {
        from: Some(0),
        to: Some(DAY),
        ..asked(1)
    };
    assert!(matches!(
        tampered(demo(), &long_ago).unwrap_err(),
        TamperError::EmptyWindow { .. }
    ));
    let (warehouse, done) = tampered(demo(), &asked(1)).unwrap();
    for one in done.iter().filter(|one| one.untouched.is_some()) {
        assert!(warehouse.truth.datasets[&one.dataset].cycles.is_empty());
        assert_ne!(
            one.untouched,
            Some(Untouched::OutsideWindow),
            "{}",
            one.dataset
        );
    }
}

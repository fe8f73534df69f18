//! Is the made-up warehouse as it is said to be, whatever the seed?

use std::collections::BTreeSet;

use freshness_core::civil::DAY;
use freshness_core::dataset::DatasetId;
use freshness_lab::seed::{Warehouse, warehouse};
use freshness_lab::truth::IncidentKind;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=6;

fn n_arrivals(warehouse: &Warehouse) -> usize {
    let histories = warehouse.datasets.iter();
    histories.map(|(_, history)| history.len()).sum()
}

fn is_critical(warehouse: &Warehouse, id: &DatasetId) -> bool {
    let mut datasets = warehouse.datasets.iter();
    datasets.any(|(dataset, _)| dataset.id == *id && dataset.critical)
}

/// What was due on the last day and has not come, though its feed goes on, and
/// the roots of it.
fn late_on_last_day(warehouse: &Warehouse) -> (BTreeSet<&DatasetId>, BTreeSet<&DatasetId>) {
    let last_day = warehouse.ends_at - warehouse.ends_at.rem_euclid(DAY);
    let cycles = warehouse.truth.datasets.iter();
    cycles
        .flat_map(|(id, truth)| truth.cycles.iter().map(move |cycle| (id, cycle)))
        .filter(|(_, cycle)| cycle.due_at.is_some_and(|due| due >= last_day))
        .filter_map(|(id, cycle)| Some((id, cycle.incident.as_ref()?)))
        .filter(|(_, incident)| incident.kind != IncidentKind::Stopped)
        .map(|(id, incident)| (id, &incident.root))
        .unzip()
}

#[test]
fn the_number_of_everything_is_the_same_for_every_seed() {
    for seed in SEEDS {
        let made = warehouse(seed);
        let classes = made.truth.datasets.values();
        let hourly = classes.filter(|truth| truth.class == "hourly").count();
        assert_eq!((made.datasets.len(), hourly), (53, 10), "seed {seed}");
        assert_eq!((made.lineage.n_edges(), made.dashboards.len()), (47, 13));
        let n = n_arrivals(&made);
        assert!(n.abs_diff(74_600) < 1_492, "seed {seed}: {n} arrivals");
    }
}

#[test]
fn a_seed_makes_the_same_warehouse_again_and_another_makes_another() {
    assert_eq!(warehouse(3), warehouse(3));
    assert_ne!(warehouse(3), warehouse(4));
}

#[test]
fn on_the_last_day_twelve_are_late_from_four_roots_and_three_are_critical() {
    for seed in SEEDS {
        let made = warehouse(seed);
        let (late, roots) = late_on_last_day(&made);
        let critical = late.iter().filter(|id| is_critical(&made, id)).count();
        assert_eq!(
            (late.len(), roots.len(), critical),
            (12, 4, 3),
            "seed {seed}"
        );
        assert!(roots.is_subset(&late));
        for id in late.difference(&roots) {
            let above = made.lineage.ancestors(id.as_str());
            assert!(above.iter().any(|(above, _)| roots.contains(above)), "{id}");
        }
    }
}

#[test]
fn what_the_truth_says_arrived_has_arrived() {
    for seed in SEEDS {
        let made = warehouse(seed);
        for (dataset, history) in &made.datasets {
            for cycle in &made.truth.datasets[&dataset.id].cycles {
                let Some(at) = cycle.arrived_at else { continue };
                assert!(history.at().binary_search(&at).is_ok(), "{}", dataset.id);
            }
        }
    }
}

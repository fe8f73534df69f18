//! Is each late dataset of the made-up warehouse under what it began with?

use std::collections::BTreeMap;

use freshness_core::civil::{DAY, Holidays};
use freshness_core::dataset::DatasetId;
use freshness_core::fit::Parameters;
use freshness_core::incidents::Incident;
use freshness_lab::evaluate::{Subject, incidents_at, root_cause};
use freshness_lab::seed::{Warehouse, warehouse};

const THREADS: usize = 4;

fn subjects(made: &Warehouse) -> Vec<Subject<'_>> {
    Subject::all(&made.datasets, &made.truth)
}

#[test]
fn at_the_end_twelve_late_datasets_are_four_incidents() {
    (1..=3).map(warehouse).for_each(|made| check_end(&made));
}

fn check_end(made: &Warehouse) {
    let subjects = subjects(made);
    let (holidays, now) = (Holidays::builtin(), made.ends_at);
    let found = incidents_at(
        &subjects,
        &made.lineage,
        now,
        &holidays,
        &Parameters::default(),
        THREADS,
    );
    let incidents: Vec<&Incident> = found.incidents.iter().collect();
    let n_late: u64 = incidents.iter().map(|incident| incident.n_late).sum();
    assert_eq!((n_late, incidents.len()), (12, 4));
    let n_suppressed = n_late - incidents.len() as u64;
    assert_eq!(
        format!("{:.1}", 100.0 * n_suppressed as f64 / n_late as f64),
        "66.7"
    );

    let truth: BTreeMap<&DatasetId, &DatasetId> = subjects
        .iter()
        .filter_map(|subject| {
            let last = subject.truth.cycles.iter().rev();
            let silent = last.take_while(|cycle| cycle.arrived_at.is_none()).last()?;
            Some((&subject.dataset.id, &silent.incident.as_ref()?.root))
        })
        .collect();
    for incident in incidents {
        let root = incident.root.as_ref().unwrap();
        assert_eq!(truth.get(root), Some(&root));
        for member in &incident.members {
            assert_eq!(truth.get(&member.dataset_id), Some(&root), "{member:?}");
        }
    }
}

#[test]
fn over_two_weeks_late_cycles_are_under_their_roots_and_recover_as_told() {
    let made = warehouse(5);
    let subjects = subjects(&made);
    let window = (made.ends_at - 14 * DAY, made.ends_at);
    let counted = root_cause(
        &subjects,
        &made.lineage,
        window,
        &Holidays::builtin(),
        &Parameters::default(),
        THREADS,
    );
    let rates = counted.rates();
    assert!(
        counted.n_late >= 15 && counted.n_feed_pages == 0,
        "{counted:?}"
    );
    assert!(rates.accuracy >= Some(0.95), "{counted:?}");
    assert!(rates.precision_per_page >= Some(0.8), "{counted:?}");
    assert!(rates.recovered_as_told >= Some(0.75), "{counted:?}");
}

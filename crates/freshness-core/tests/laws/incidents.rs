//! Is each late dataset in one incident, under what began it?

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::dataset::DatasetId;
use freshness_core::incidents::{
    EdgeLags, IncidentKind, Incidents, LateDataset, ROOTS_NAMED, incidents,
};
use freshness_core::lineage::Lineage;
use freshness_core::state::State;
use proptest::prelude::*;

const NOW: i64 = 1_772_000_000;

fn id(i: usize) -> DatasetId {
    DatasetId::try_from(format!("d{i:03}").as_str()).unwrap()
}

fn late(i: usize) -> LateDataset {
    LateDataset {
        cycle: "today".to_owned(),
        ..LateDataset::new(id(i), State::Late, NOW - 7_200, NOW - 3_600)
    }
}

/// Edges from lower to higher numbers, and who is late.
fn warehouse() -> impl Strategy<Value = (Vec<(usize, usize)>, BTreeSet<usize>)> {
    let edge = (0usize..40, 1usize..12).prop_map(|(from, over)| (from, from + over));
    (
        prop::collection::vec(edge, 0..120),
        prop::collection::btree_set(0usize..50, 0..40),
    )
}

fn found(edges: &[(usize, usize)], are_late: &BTreeSet<usize>) -> Incidents {
    let lineage = Lineage::new(edges.iter().map(|&(from, to)| (id(from), id(to)))).unwrap();
    let late: Vec<LateDataset> = are_late.iter().map(|&i| late(i)).collect();
    incidents(&lineage, &late, &EdgeLags::default(), &[], NOW)
}

/// The roots of each late dataset and their distances, the slow way.
fn roots(
    edges: &[(usize, usize)],
    are_late: &BTreeSet<usize>,
) -> BTreeMap<usize, BTreeMap<usize, u32>> {
    let mut roots: BTreeMap<usize, BTreeMap<usize, u32>> = BTreeMap::new();
    // Edges lead to higher numbers: lower ones are done.
    for &i in are_late {
        let mut of: BTreeMap<usize, u32> = BTreeMap::new();
        for &(from, _) in edges.iter().filter(|&&(_, to)| to == i) {
            for (&root, &hops) in roots.get(&from).into_iter().flatten() {
                let known = of.entry(root).or_insert(hops + 1);
                *known = (*known).min(hops + 1);
            }
        }
        if of.is_empty() {
            of.insert(i, 0);
        }
        roots.insert(i, of);
    }
    roots
}

proptest! {
    #[test]
    fn every_late_dataset_is_counted_in_one_incident((edges, are_late) in warehouse()) {
        let found = found(&edges, &are_late);
        let mut counted: Vec<DatasetId> = Vec::new();
        for incident in &found.incidents {
            counted.extend(incident.root.clone());
            let members = incident.members.iter().filter(|member| member.counted);
            let before = counted.len();
            counted.extend(members.map(|member| member.dataset_id.clone()));
            prop_assert_eq!(incident.n_late, (counted.len() - before) as u64 + 1);
        }
        counted.sort();
        let all: Vec<DatasetId> = are_late.iter().map(|&i| id(i)).collect();
        prop_assert_eq!(counted, all);
        prop_assert_eq!(found.n_late, are_late.len() as u64);
        prop_assert!(found.incidents.len() as u64 <= found.n_late);
    }

    #[test]
    fn a_dataset_is_under_every_root_that_a_late_path_leads_from((edges, are_late) in warehouse()) {
        let found = found(&edges, &are_late);
        for (i, expected) in roots(&edges, &are_late) {
            let mut nearest: Vec<(u32, DatasetId)> =
                expected.iter().map(|(&root, &hops)| (hops, id(root))).collect();
            nearest.sort();
            nearest.truncate(ROOTS_NAMED);
            let mut told: Vec<(u32, DatasetId)> = found
                .incidents
                .iter()
                .filter_map(|incident| {
                    let root = incident.root.clone()?;
                    let hops = match root == id(i) {
                        true => 0,
                        false => incident.member(&id(i))?.hops,
                    };
                    Some((hops, root))
                })
                .collect();
            told.sort();
            prop_assert_eq!(told, nearest);
        }
    }

    #[test]
    fn a_root_has_no_late_parent((edges, are_late) in warehouse()) {
        for incident in found(&edges, &are_late).incidents {
            prop_assert_eq!(&incident.kind, &IncidentKind::Root);
            let root = incident.root.unwrap();
            let parents = edges.iter().filter(|&&(_, to)| id(to) == root);
            prop_assert!(parents.clone().all(|&(from, _)| !are_late.contains(&from)));
        }
    }

    #[test]
    fn what_is_on_time_changes_nothing(
        (edges, are_late) in warehouse(),
        more in prop::collection::vec((0usize..50, any::<bool>()), 0..30),
    ) {
        let before = found(&edges, &are_late);
        // Edges to and from a dataset that is on time, before or after all.
        let beside = more.into_iter().map(|(i, above)| match above {
            true => (998, 1 + i),
            false => (1 + i, 999),
        });
        let edges: Vec<(usize, usize)> = edges.iter().rev().copied().chain(beside).collect();
        prop_assert_eq!(found(&edges, &are_late), before);
    }
}

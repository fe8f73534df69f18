//! Do imports obey the rules of core, however they are cut and ordered?

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory, CycleName};
use freshness_store::{Access, ArrivalBatch, ImportedFile, Store};
use jiff::Timestamp;
use proptest::prelude::*;

fn arrival() -> impl Strategy<Value = Arrival> {
    (
        // Few seconds and few values, so that many arrivals are the same.
        0i64..40,
        proptest::option::weighted(0.3, (0i64..3).prop_map(CycleName::Civil)),
        proptest::option::weighted(0.3, "[ab]"),
        proptest::option::weighted(0.3, 0i64..3),
        proptest::option::weighted(0.3, 0u64..3),
    )
        .prop_map(|(at, cycle, run_id, covers_through, rows)| Arrival {
            at,
            detail: ArrivalDetail {
                cycle,
                run_id: run_id.map(Into::into),
                covers_through,
                rows,
            },
        })
}

/// Imports the parts one after another; gives the history and how many were new.
fn import(parts: &[Vec<Arrival>]) -> (ArrivalHistory, u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path().join("s.db"), Access::Create).unwrap();
    let mut new = 0;
    for (i, part) in parts.iter().enumerate() {
        let mut batch = ArrivalBatch::new();
        let a = batch.dataset("a").unwrap();
        for Arrival { at, detail } in part {
            batch.push_with(
                a,
                *at,
                detail.cycle,
                detail.run_id.as_deref(),
                detail.covers_through,
                detail.rows,
            );
        }
        let file = ImportedFile {
            name: i.to_string(),
            hash: i.to_string(),
            at: Timestamp::UNIX_EPOCH,
        };
        let counts = store.import_arrivals(batch, &file).unwrap();
        assert_eq!(counts.new + counts.duplicate, part.len() as u64);
        new += counts.new;
    }
    let no = store.dataset_no("a").unwrap().unwrap();
    (store.history(no).unwrap(), new)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_in_any_order_give_the_history_of_the_whole(
        arrivals in proptest::collection::vec(arrival(), 1..60),
        n_parts in 1usize..5,
    ) {
        let whole = ArrivalHistory::new(arrivals.clone());
        let size = arrivals.len().div_ceil(n_parts);
        let mut parts: Vec<Vec<Arrival>> = arrivals.chunks(size).map(<[_]>::to_vec).collect();
        let (found, new) = import(&parts);
        prop_assert_eq!(&found, &whole);
        prop_assert_eq!(new as usize, whole.len());
        parts.reverse();
        // Once more: importing again is a no-op.
        parts.extend(parts.clone());
        let (found, new) = import(&parts);
        prop_assert_eq!(&found, &whole);
        prop_assert_eq!(new as usize, whole.len());
    }

    #[test]
    fn times_alone_obey_the_same_law_over_many_chunks(
        mut times in proptest::collection::vec(0i64..200_000, 1..4_000),
        n_parts in 1usize..5,
    ) {
        let size = times.len().div_ceil(n_parts);
        let plain = |&at: &i64| Arrival { at, detail: ArrivalDetail::default() };
        let parts: Vec<Vec<Arrival>> = times
            .chunks(size)
            .map(|part| part.iter().map(plain).collect())
            .collect();
        let (found, _) = import(&parts);
        times.sort();
        times.dedup();
        prop_assert_eq!(found.at(), &times[..]);
    }
}

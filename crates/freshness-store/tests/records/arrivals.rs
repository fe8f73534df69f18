//! Are arrivals kept once, whatever order they come in?

use super::*;

#[test]
fn arrivals_come_back_sorted_and_once() {
    let (_folder, mut store) = store();
    let counts = import(&mut store, "1.csv", "b 20\n a 10\n b 5\n b 20");
    assert_eq!(
        (counts.new, counts.duplicate, counts.datasets_new),
        (3, 1, 2)
    );
    assert_eq!(history(&store, "b").at(), [5, 20]);
}

#[test]
fn importing_twice_changes_nothing_and_says_when_it_was() {
    let (_folder, mut store) = store();
    let first = import(&mut store, "1.csv", "a 10 run1 7\n a 20");
    assert!(first.before.is_none());
    let before = history(&store, "a");
    let again = import(&mut store, "1.csv", "a 10 run1 7\n a 20");
    assert_eq!((again.new, again.duplicate, again.datasets_new), (0, 2, 0));
    let record = again.before.unwrap();
    assert_eq!(
        (record.file.name.as_str(), record.n_rows, record.n_new),
        ("1.csv", 2, 2)
    );
    assert_eq!(history(&store, "a"), before);
    assert!(store.import_of("hash of 2.csv").unwrap().is_none());
}

#[test]
fn the_arrival_that_says_more_stays_whatever_the_order() {
    for lines in [["a 10 r\n a 20", "a 10 r 7"], ["a 10 r 7\n a 20", "a 10 r"]] {
        let (_folder, mut store) = store();
        import(&mut store, "1", lines[0]);
        let counts = import(&mut store, "2", lines[1]);
        assert_eq!((counts.new, counts.duplicate), (0, 1));
        let found = history(&store, "a");
        assert_eq!(found.len(), 2);
        assert_eq!(found.detail(0).unwrap().rows, Some(7));
    }
}

#[test]
fn a_named_cycle_and_its_coverage_come_back() {
    let (_folder, mut store) = store();
    let mut batch = ArrivalBatch::new();
    let a = batch.dataset("a").unwrap();
    let cycle: CycleName = "2026-03-01".parse().unwrap();
    batch.push_with(
        a,
        1_772_400_000,
        Some(cycle),
        Some("run é"),
        Some(1_772_399_000),
        Some(5),
    );
    store.import_arrivals(batch, &file("1")).unwrap();
    let found = history(&store, "a");
    assert_eq!(found.named_cycle(0), Some(cycle));
    let detail = found.detail(0).unwrap();
    assert_eq!(detail.run_id.as_deref(), Some("run é"));
    assert_eq!(
        (detail.covers_through, detail.rows),
        (Some(1_772_399_000), Some(5))
    );
}

#[test]
fn the_order_of_imports_never_matters() {
    let all: Vec<i64> = (0..5_000).map(|i| i * 977 % 4_999 * 60 + 1_000).collect();
    let mut sorted = all.clone();
    sorted.sort();
    sorted.dedup();
    for size in [1_500, 5_000] {
        for reversed in [false, true] {
            let (_folder, mut store) = store();
            let mut parts: Vec<&[i64]> = all.chunks(size).collect();
            if reversed {
                parts.reverse();
            }
            let new: u64 = parts
                .iter()
                .map(|part| import_times(&mut store, "a", part.iter().copied()))
                .sum();
            assert_eq!(new as usize, sorted.len());
            assert_eq!(history(&store, "a").at(), sorted);
        }
    }
}

#[test]
fn many_arrivals_in_one_second_stay_together() {
    let (_folder, mut store) = store();
    let lines: String = (0..3_000)
        .map(|run| format!("a {} r{run}\n", 500 + run / 2_500))
        .collect();
    assert_eq!(import(&mut store, "1", &lines).new, 3_000);
    assert_eq!(import(&mut store, "2", &lines).new, 0);
    assert_eq!(history(&store, "a").len(), 3_000);
}

#[test]
fn the_tail_is_the_end_of_the_whole() {
    let (_folder, mut store) = store();
    import_times(&mut store, "a", (0..4_000).map(|i| i * 10));
    import_times(&mut store, "b", [7].into_iter());
    let no = store.dataset_no("a").unwrap().unwrap();
    for (at_least, since, first) in [
        (1, 39_950, 39_940),
        (100, 39_950, 39_000),
        (3_000, 0, 0),
        (9_999, 0, 0),
    ] {
        let tail = store.recent(no, Tail { at_least, since }).unwrap();
        assert_eq!(tail.at()[0], first, "{at_least} since {since}");
        assert_eq!(*tail.at().last().unwrap(), 39_990);
    }
    let tails = store
        .recent_all(Tail {
            at_least: 2,
            since: i64::MAX,
        })
        .unwrap();
    let lengths: Vec<_> = tails
        .iter()
        .map(|(_, tail)| tail.as_ref().unwrap().len())
        .collect();
    assert_eq!(lengths, [2, 1]);
}

#[test]
fn a_time_that_no_key_can_hold_is_refused_and_nothing_is_stored() {
    let (_folder, mut store) = store();
    for wrong in [-1, 1 << 34] {
        let mut batch = ArrivalBatch::new();
        let a = batch.dataset("a").unwrap();
        batch.push(a, 10);
        batch.push(a, wrong);
        let error = store.import_arrivals(batch, &file("1")).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "an arrival of a is outside the years 1970 to 2514: {wrong} seconds since 1970"
            )
        );
    }
    assert_eq!(store.dataset_no("a").unwrap(), None);
}

#[test]
fn a_million_arrivals_take_less_than_four_bytes_each() {
    let (folder, mut store) = store();
    let mut batch = ArrivalBatch::new();
    for dataset in 0..1_000 {
        let index = batch.dataset(&format!("dataset_{dataset}")).unwrap();
        for day in 0..1_000 {
            let minutes = (dataset * 31 + day * 7_919) % 90;
            batch.push(
                index,
                1_600_000_000 + day * 86_400 + minutes * 60 + dataset % 60,
            );
        }
    }
    let n = batch.len() as u64;
    assert_eq!(store.import_arrivals(batch, &file("1")).unwrap().new, n);
    let mut n_read = 0;
    for reader in store.readers(2).unwrap() {
        for no in reader.dataset_numbers().unwrap() {
            n_read += reader.history(no).unwrap().len() as u64;
        }
    }
    assert_eq!(n_read, 2 * n);
    let bytes = store.integrity().unwrap().bytes;
    drop(store);
    let on_disk = std::fs::metadata(folder.path().join("a/b.db"))
        .unwrap()
        .len();
    assert_eq!(on_disk, bytes);
    assert!(bytes < 4 * n, "{bytes} bytes");
}

//! Does the store give back what was put in, once?

use freshness_core::arrivals::{ArrivalHistory, CycleName};
use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::fit::{ColdStart, Fitted, Model, Source};
use freshness_core::incidents::Advanced;
use freshness_core::state::{Severity, State};
use freshness_store::{
    Access, ArrivalBatch, CheckRecord, DashboardMode, DatasetCounts, FitRun, ImportCounts,
    ImportedFile, LineageEdge, LineageMode, Store, StoreError, StraightEdges, Tail,
};
use jiff::Timestamp;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("a/b.db"), Access::Create).unwrap();
    (folder, store)
}

fn file(name: &str) -> ImportedFile {
    ImportedFile {
        name: name.to_owned(),
        hash: format!("hash of {name}"),
        at: Timestamp::from_second(1_800_000_000).unwrap(),
    }
}

fn id(text: &str) -> DatasetId {
    DatasetId::try_from(text).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Imports lines of `dataset second [run_id [rows]]`.
fn import(store: &mut Store, name: &str, lines: &str) -> ImportCounts {
    let mut batch = ArrivalBatch::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let dataset = batch.dataset(words.next().unwrap()).unwrap();
        let at = words.next().unwrap().parse().unwrap();
        let run_id = words.next();
        let rows = words.next().map(|rows| rows.parse().unwrap());
        batch.push_with(dataset, at, None, run_id, None, rows);
    }
    store.import_arrivals(batch, &file(name)).unwrap()
}

fn history(store: &Store, dataset: &str) -> ArrivalHistory {
    let no = store.dataset_no(dataset).unwrap().unwrap();
    store.history(no).unwrap()
}

fn import_times(store: &mut Store, dataset: &str, times: impl Iterator<Item = i64>) -> u64 {
    let mut batch = ArrivalBatch::new();
    let index = batch.dataset(dataset).unwrap();
    times.for_each(|at| batch.push(index, at));
    store.import_arrivals(batch, &file(dataset)).unwrap().new
}

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
fn a_declaration_replaces_the_one_before() {
    let (_folder, mut store) = store();
    import(&mut store, "1", "a 10");
    let mut a = Dataset::undeclared(id("a"));
    a.critical = true;
    let mut b = Dataset::undeclared(id("b \"🦀\""));
    b.tags = vec!["x".to_owned()];
    let declared = [a.clone(), b];
    let counts = store.import_datasets(&declared).unwrap();
    assert_eq!(
        counts,
        DatasetCounts {
            new: 1,
            changed: 1,
            unchanged: 0
        }
    );
    let counts = store.import_datasets(&declared).unwrap();
    assert_eq!(
        counts,
        DatasetCounts {
            new: 0,
            changed: 0,
            unchanged: 2
        }
    );
    a.owner = Some("Ada".to_owned());
    store.import_datasets(&[a.clone()]).unwrap();
    let found: Vec<Dataset> = store
        .datasets()
        .unwrap()
        .into_iter()
        .map(|entry| entry.declared.unwrap())
        .collect();
    assert_eq!(found, [a, declared[1].clone()]);
}

#[test]
fn lineage_is_added_or_replaced_and_refused_as_a_whole() {
    let (_folder, mut store) = store();
    let edge = |upstream, downstream| LineageEdge {
        upstream: id(upstream),
        downstream: id(downstream),
    };
    let fine = |_: &[LineageEdge], _: &[LineageEdge]| Ok::<_, StoreError>(StraightEdges::default());
    let counts = store
        .import_lineage(
            &[edge("a", "b"), edge("b", "c"), edge("a", "b")],
            LineageMode::Add,
            fine,
        )
        .unwrap();
    assert_eq!(
        (counts.new, counts.duplicate, counts.datasets_new),
        (2, 1, 3)
    );

    let refused = store.import_lineage(&[edge("c", "a")], LineageMode::Add, |all, _| {
        assert_eq!(all, [edge("a", "b"), edge("b", "c"), edge("c", "a")]);
        Err(Refused::Cycle)
    });
    assert!(matches!(refused, Err(Refused::Cycle)));
    assert_eq!(store.lineage().unwrap(), [edge("a", "b"), edge("b", "c")]);

    let counts = store
        .import_lineage(
            &[edge("a", "b"), edge("a", "d")],
            LineageMode::Replace,
            fine,
        )
        .unwrap();
    assert_eq!((counts.new, counts.duplicate, counts.removed), (1, 1, 1));
    assert_eq!(store.lineage().unwrap(), [edge("a", "b"), edge("a", "d")]);
}

#[derive(Debug)]
enum Refused {
    Cycle,
    Store,
}

impl From<StoreError> for Refused {
    fn from(_: StoreError) -> Refused {
        Refused::Store
    }
}

fn model(dataset: &str) -> Model {
    Model {
        version: Model::VERSION,
        dataset_id: id(dataset),
        as_of: at(1_700_000_000),
        first_arrival: None,
        n_arrivals: 0,
        fitted: Fitted::ColdStart(ColdStart {
            calendar: "daily".parse().unwrap(),
            calendar_source: Source::Default,
            zone: freshness_core::civil::Zone::universal(),
            zone_source: Source::Default,
            n_cycles: 0,
            n_needed: 10,
            p50: None,
            threshold: 480.0,
        }),
    }
}

#[test]
fn a_model_that_cannot_be_read_concerns_its_dataset_only() {
    let (folder, mut store) = store();
    import(&mut store, "1", "a 10\n b 10\n c 10\n d 10");
    assert!(store.last_fit().unwrap().is_none());
    let numbers = store.dataset_numbers().unwrap();
    let models: Vec<_> = numbers
        .iter()
        .copied()
        .zip(["a", "b", "c", "d"].map(model))
        .collect();
    let run = FitRun::new(
        at(5),
        at(6),
        at(4),
        models.iter().map(|(_, model)| model),
        1,
    );
    assert_eq!((run.n_cold_start, run.n_learned), (4, 0));
    store.record_fit(&run, &models, &[]).unwrap();
    assert_eq!(store.last_fit().unwrap(), Some(run));
    assert_eq!(store.model(numbers[0]).unwrap(), Some(model("a")));

    let other = rusqlite::Connection::open(folder.path().join("a/b.db")).unwrap();
    other
        .execute_batch(
            "UPDATE models SET model = '{' WHERE dataset_no = 2;
             UPDATE models SET version = 99 WHERE dataset_no = 3;",
        )
        .unwrap();
    let found: Vec<String> = store
        .models()
        .unwrap()
        .into_iter()
        .map(|(_, model)| match model {
            Ok(model) => model.dataset_id.to_string(),
            Err(error) => format!("{error}; {}", error.hint().unwrap()),
        })
        .collect();
    assert_eq!(
        found,
        [
            "a",
            "the stored model of b cannot be read: EOF while parsing an object at line 1 column 1; run `freshness fit`",
            "the model of c was made by another version of freshness: 99 (this program reads 1); run `freshness fit`",
            "d",
        ]
    );
}

#[test]
fn damaged_arrivals_concern_their_dataset_only() {
    let (folder, mut store) = store();
    import(&mut store, "1", "a 10\n b 10");
    let other = rusqlite::Connection::open(folder.path().join("a/b.db")).unwrap();
    other
        .execute(
            "UPDATE chunks SET packed = zeroblob(20) WHERE key >> 34 = 1",
            [],
        )
        .unwrap();
    let tails = store
        .recent_all(Tail {
            at_least: 1,
            since: 0,
        })
        .unwrap();
    assert_eq!(
        tails[0].1.as_ref().unwrap_err().to_string(),
        "the stored arrivals of a cannot be read: checksum does not match"
    );
    assert_eq!(tails[1].1.as_ref().unwrap().at(), [10]);

    let counts = import(&mut store, "2", "a 20\n b 20");
    assert_eq!((counts.new, counts.duplicate), (1, 0));
    assert_eq!(counts.refused[0].0.as_str(), "a");
    assert!(store.import_of("hash of 2").unwrap().is_none());
    assert_eq!(history(&store, "b").at(), [10, 20]);
    let problems = store.integrity().unwrap().problems;
    assert_eq!(
        problems,
        ["the stored arrivals of a cannot be read: checksum does not match"]
    );
}

#[test]
fn a_state_is_kept_since_it_began() {
    let (_folder, mut store) = store();
    import(&mut store, "1", "a 10\n b 10");
    let numbers = store.dataset_numbers().unwrap();
    let (a, b) = (numbers[0], numbers[1]);
    let mut check = |now: i64, states: &[_]| {
        let check = CheckRecord {
            now: at(now),
            at: at(now + 1),
            n_datasets: 2,
            n_late: 0,
            n_critical: 0,
        };
        let follow = |_, _: &[_]| Advanced::default();
        let changes = store.record_check(&check, states, follow).unwrap().changes;
        let states: Vec<_> = store
            .states()
            .unwrap()
            .into_iter()
            .map(|current| (current.no, current.state, current.since.as_second()))
            .collect();
        (
            changes.len(),
            states,
            store.last_check().unwrap().unwrap().now.as_second(),
        )
    };
    let fine = [(a, State::Ok, None), (b, State::Ok, None)];
    let late = [
        (a, State::Late, Some(Severity::Critical)),
        (b, State::Ok, None),
    ];
    assert_eq!(
        check(100, &fine),
        (2, vec![(a, State::Ok, 100), (b, State::Ok, 100)], 100)
    );
    assert_eq!(
        check(200, &late),
        (1, vec![(a, State::Late, 200), (b, State::Ok, 100)], 200)
    );
    assert_eq!(
        check(300, &late),
        (0, vec![(a, State::Late, 200), (b, State::Ok, 100)], 300)
    );
    // An older check changes no state, and the latest instant stays known.
    assert_eq!(
        check(250, &fine),
        (0, vec![(a, State::Late, 200), (b, State::Ok, 100)], 300)
    );
}

#[test]
fn a_healthy_store_has_no_problems() {
    let (_folder, mut store) = store();
    import(&mut store, "1", "a 10\n b 10\n b 20");
    let found = store.integrity().unwrap();
    assert_eq!(found.problems, Vec::<String>::new());
    assert_eq!(
        (found.n_datasets, found.n_arrivals, found.n_imports),
        (2, 3, 1)
    );
    assert_eq!(
        (found.journal_mode.as_str(), found.schema_version),
        ("wal", freshness_store::SCHEMA_VERSION)
    );
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

fn dashboard(name: &str, title: Option<&str>, feeds: &[(&str, &str)]) -> Dashboard {
    let fed = |&(part, dataset): &(&str, &str)| (part.to_owned(), id(dataset));
    let mut dashboard = Dashboard::new(name.try_into().unwrap(), feeds.iter().map(fed));
    dashboard.title = title.map(str::to_owned);
    dashboard
}

#[test]
fn a_dashboard_replaces_the_one_of_its_name_and_told_again_changes_nothing() {
    let (_folder, mut store) = store();
    let board = dashboard(
        "board",
        Some("Board"),
        &[("b", "y"), ("a", "x"), ("b", "x")],
    );
    let sales = dashboard("sales", None, &[("all", "y")]);
    let told = [sales.clone(), board.clone()];
    let add = |store: &mut Store, told: &[Dashboard], mode| {
        let counts = store.import_dashboards(told, mode).unwrap();
        [counts.new, counts.changed, counts.unchanged, counts.removed]
    };
    assert_eq!(add(&mut store, &told, DashboardMode::Add), [2, 0, 0, 0]);
    assert_eq!(add(&mut store, &told, DashboardMode::Replace), [0, 0, 2, 0]);
    assert_eq!(store.dashboards().unwrap(), [board, sales]);
    let smaller = dashboard("board", None, &[("a", "x")]);
    let told = std::slice::from_ref(&smaller);
    assert_eq!(add(&mut store, told, DashboardMode::Add), [0, 1, 0, 0]);
    assert_eq!(add(&mut store, told, DashboardMode::Replace), [0, 0, 1, 1]);
    assert_eq!(store.dashboards().unwrap(), [smaller]);
    assert_eq!(store.integrity().unwrap().n_dashboards, 1);
}

//! Does the store give back what was put in, once?

mod arrivals;
mod declared;

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

fn model(dataset: &str) -> Model {
    Model {
        version: Model::VERSION,
        dataset_id: id(dataset),
        as_of: at(1_700_000_000),
        first_arrival: None,
        n_arrivals: 0,
        burst: None,
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

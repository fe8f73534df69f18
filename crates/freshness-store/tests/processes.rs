//! Do several processes share a store, and does it survive their death?
//!
//! The other processes are this test program itself, started again with a
//! role to play.

#![allow(
    clippy::disallowed_methods,
    reason = "a child process is told its role by its environment"
)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use freshness_core::civil::Zone;
use freshness_core::dataset::DatasetId;
use freshness_core::fit::{ColdStart, Fitted, Model, Source};
use freshness_core::incidents::{Incident, IncidentKind, Incidents, advance};
use freshness_core::state::State;
use freshness_store::{Access, ArrivalBatch, CheckRecord, FitRun, ImportedFile, Store, Tail};
use jiff::Timestamp;

const ROLE: &str = "FRESHNESS_STORE_TEST_ROLE";
const STORE: &str = "FRESHNESS_STORE_TEST_STORE";
const N_DATASETS: usize = 7;

fn start(role: &str, store: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_plays_its_role", "--nocapture"])
        .env(ROLE, role)
        .env(STORE, store)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the started processes run; without a role there is nothing to do.
#[test]
fn a_process_plays_its_role() {
    let (Ok(role), Ok(path)) = (std::env::var(ROLE), std::env::var(STORE)) else {
        return;
    };
    let mut store = Store::open(path, Access::Create).unwrap();
    match role.split_once(' ') {
        Some(("import", who)) => (0..60).for_each(|round| import(&mut store, who, round)),
        // Until it is killed, or its parent has died without doing so.
        Some(("import_forever", who)) => {
            (0..20_000).for_each(|round| import(&mut store, who, round));
        }
        Some(("work_forever", who)) => {
            let start = store.integrity().unwrap().n_imports as i64;
            for round in start..start + 20_000 {
                import(&mut store, who, round);
                fit(&mut store, round);
                check(&mut store, round);
            }
        }
        Some(("check", _)) => (0..60).for_each(|round| check(&mut store, round)),
        _ => panic!("unknown role: {role}"),
    }
}

/// One arrival for each of the datasets of `who`.
fn import(store: &mut Store, who: &str, round: i64) {
    let mut batch = ArrivalBatch::new();
    for dataset in 0..N_DATASETS {
        let index = batch.dataset(&format!("{who} {dataset}")).unwrap();
        batch.push(index, 1_700_000_000 + round * 60);
    }
    let file = ImportedFile {
        name: format!("{who} {round}"),
        hash: format!("{who} {round}"),
        at: Timestamp::UNIX_EPOCH,
    };
    let counts = store.import_arrivals(batch, &file).unwrap();
    assert_eq!(counts.new as usize, N_DATASETS);
}

/// Reads the tails, as a check does, and records a state for each.
fn check(store: &mut Store, round: i64) {
    let tails = store
        .recent_all(Tail {
            at_least: 2,
            since: i64::MAX,
        })
        .unwrap();
    let states: Vec<_> = tails
        .into_iter()
        .map(|(no, tail)| {
            assert!(
                !tail.unwrap().is_empty(),
                "a dataset comes with its arrival"
            );
            let state = if round % 2 == 0 {
                State::Ok
            } else {
                State::Late
            };
            (no, state, None)
        })
        .collect();
    let instant = Timestamp::from_second(1_800_000_000 + round).unwrap();
    let check = CheckRecord {
        now: instant,
        at: instant,
        n_datasets: states.len() as u64,
        n_late: 0,
        n_critical: 0,
    };
    let known = store.datasets().unwrap();
    let found = match known.first() {
        Some(first) if round % 2 != 0 => one_incident(first.id.clone(), instant),
        _ => Incidents::default(),
    };
    let follow = |before, _: &[_]| advance(before, found, |_| None, |_| true, instant);
    store.record_check(&check, &states, follow).unwrap();
}

/// A dataset is late since an instant.
fn one_incident(root: DatasetId, since: Timestamp) -> Incidents {
    let incident = Incident {
        kind: IncidentKind::Root,
        root: Some(root),
        state: State::Late,
        severity: None,
        cycle: None,
        breaches: Vec::new(),
        since,
        arrived_at: None,
        n_late: 1,
        members: Vec::new(),
        bottleneck: None,
    };
    Incidents {
        incidents: vec![incident],
        n_late: 1,
    }
}

/// Records a run and a model for each dataset.
fn fit(store: &mut Store, round: i64) {
    let as_of = Timestamp::from_second(1_800_000_000 + round).unwrap();
    let models: Vec<_> = store
        .datasets()
        .unwrap()
        .into_iter()
        .map(|entry| (entry.no, model(entry.id, as_of)))
        .collect();
    let run = FitRun::new(
        as_of,
        as_of,
        as_of,
        models.iter().map(|(_, model)| model),
        0,
    );
    store.record_fit(&run, &models, &[]).unwrap();
}

fn model(dataset_id: DatasetId, as_of: Timestamp) -> Model {
    Model {
        version: Model::VERSION,
        dataset_id,
        as_of,
        first_arrival: None,
        n_arrivals: 0,
        burst: None,
        fitted: Fitted::ColdStart(ColdStart {
            calendar: "daily".parse().unwrap(),
            calendar_source: Source::Default,
            zone: Zone::universal(),
            zone_source: Source::Default,
            n_cycles: 0,
            n_needed: 10,
            p50: None,
            threshold: 480.0,
        }),
    }
}

fn lengths(store: &Store) -> Vec<usize> {
    let numbers = store.dataset_numbers().unwrap();
    let length = |no| store.history(no).unwrap().len();
    numbers.into_iter().map(length).collect()
}

#[test]
fn two_imports_and_a_check_at_once_all_succeed_on_a_store_that_none_had_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/store.db");
    let roles = ["import a", "import b", "check c"];
    for mut child in roles.map(|role| start(role, &path)) {
        assert!(child.wait().unwrap().success());
    }
    let store = Store::open(&path, Access::ReadOnly).unwrap();
    assert_eq!(lengths(&store), [60; 2 * N_DATASETS]);
    assert_eq!(store.integrity().unwrap().problems, Vec::<String>::new());
    assert_eq!(
        store.last_check().unwrap().unwrap().now.as_second(),
        1_800_000_059
    );
}

#[test]
fn a_killed_import_fit_or_check_leaves_whole_transactions_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(Store::open(&path, Access::Create).unwrap());
    let mut n_before = 0;
    for life in 0..12 {
        let mut child = start("work_forever a", &path);
        wait_for_growth(&path, n_before);
        // Some more work, so that the deaths fall into different moments.
        std::thread::sleep(Duration::from_micros(life * 700));
        child.kill().unwrap();
        child.wait().unwrap();

        let store = Store::open(&path, Access::ReadOnly).unwrap();
        let integrity = store.integrity().unwrap();
        assert_eq!(integrity.problems, Vec::<String>::new());
        let n_imports = integrity.n_imports;
        assert_eq!(lengths(&store), [n_imports as usize; N_DATASETS]);
        let fitted = store.last_fit().unwrap().unwrap().as_of;
        let models = store.models().unwrap();
        assert_eq!(models.len(), N_DATASETS);
        assert!(
            models
                .into_iter()
                .all(|(_, model)| model.unwrap().as_of == fitted)
        );
        let checked = store.last_check().unwrap().unwrap().now;
        let states = store.states().unwrap();
        assert_eq!(states.len(), N_DATASETS);
        assert!(states.iter().all(|current| current.since == checked));
        // The verdict and the incident are of the same check, and nothing
        // happened twice.
        let is_late = states.iter().all(|current| current.state == State::Late);
        let followed = store.followed(checked).unwrap();
        let standing = followed.iter().filter(|of| of.resolved_at.is_none());
        assert_eq!(standing.count(), usize::from(is_late));
        let events = store.incident_events(None).unwrap();
        assert_eq!(events.last().unwrap().at, checked);
        assert!(events.windows(2).all(|pair| pair[0].at < pair[1].at));
        n_before = n_imports;
    }
}

/// Until the other process has stored something.
fn wait_for_growth(path: &Path, n_before: u64) {
    let started = Instant::now();
    let store = Store::open(path, Access::ReadOnly).unwrap();
    while store.integrity().unwrap().n_imports <= n_before + 3 {
        assert!(started.elapsed() < Duration::from_secs(60), "no growth");
        std::thread::yield_now();
    }
}

#[test]
fn readers_see_one_instant_while_another_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = Store::open(&path, Access::Create).unwrap();
    let mut child = start("import_forever a", &path);
    wait_for_growth(&path, 0);
    for _ in 0..20 {
        let readers = store.readers(3).unwrap();
        let seen: Vec<_> = readers.iter().map(lengths).collect();
        assert_eq!(seen[0], seen[1]);
        assert_eq!(seen[0], seen[2]);
        assert!(seen[0].windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(lengths(&readers[1]), seen[1], "and go on seeing it");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn many_threads_may_make_the_store_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let barrier = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for who in 0..8 {
            let (path, barrier) = (&path, &barrier);
            scope.spawn(move || {
                barrier.wait();
                let mut store = Store::open(path, Access::Create).unwrap();
                import(&mut store, &format!("t{who}"), 0);
            });
        }
    });
    let store = Store::open(&path, Access::ReadOnly).unwrap();
    assert_eq!(lengths(&store), [1; 8 * N_DATASETS]);
}

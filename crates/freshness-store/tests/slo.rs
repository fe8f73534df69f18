//! Are runs and what was said of promises kept as they were told?

use freshness_core::civil::Holidays;
use freshness_core::dataset::DatasetId;
use freshness_core::schedule::TimeOff;
use freshness_core::slo::{
    About, Counts, Filled, Freshness, Newest, Reach, Run, RunHistory, ServiceLevels, Stage, judge,
};
use freshness_store::{Access, RunCounts, SloCheck, SloJudged, Store};
use jiff::Timestamp;
use proptest::prelude::*;

const ALL: Reach = Reach {
    runs: usize::MAX,
    seconds: 0,
    since: 0,
};

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store.db"), Access::Create).unwrap();
    (folder, store)
}

fn id(name: &str) -> DatasetId {
    DatasetId::try_from(name).unwrap()
}

fn run(name: &str, finished_at: i64) -> Run {
    Run {
        run_id: name.to_owned(),
        environment: "prod".to_owned(),
        started_at: None,
        finished_at,
        stage: Stage::Normal,
        counts: Counts::default(),
        newest: Some(Newest::At(finished_at)),
        source_newest: None,
        filled: None,
    }
}

fn recent(store: &Store, name: &str, environment: &str, until: i64, reach: Reach) -> Vec<Run> {
    let no = store.dataset_no(name).unwrap().unwrap();
    let environment_no = store.environment_no(environment).unwrap().unwrap();
    let tail = store.recent_runs(no, (environment_no, environment), until, reach);
    tail.unwrap().runs
}

#[test]
fn a_run_is_given_back_as_it_was_told() {
    let (_folder, mut store) = store();
    let mut told = run("a", 100);
    told.started_at = Some(90);
    told.counts.quarantined = Some(3);
    told.filled = Some(Filled::Rows {
        non_null: 1,
        total: 2,
    });
    let mut odd = run("b", 200);
    odd.stage = Stage::Reprocess { from: 1, to: 9 };
    odd.newest = Some(Newest::Unreadable("\"noonish\"".to_owned()));
    odd.source_newest = Some(Newest::NoColumn);
    odd.filled = Some(Filled::NoColumn);
    let mut elsewhere = run("b", 150);
    elsewhere.environment = "dev".to_owned();
    elsewhere.stage = Stage::NoNewData;
    let runs = [told.clone(), odd.clone(), elsewhere.clone()].map(|run| (id("x"), run));
    let counts = store.import_runs(&runs).unwrap();
    assert_eq!((counts.new, counts.datasets_new), (3, 1));
    assert_eq!(recent(&store, "x", "prod", 1_000, ALL), [told.clone(), odd]);
    assert_eq!(recent(&store, "x", "dev", 1_000, ALL), [elsewhere]);
    assert_eq!(recent(&store, "x", "prod", 199, ALL), [told]);
}

#[test]
fn only_as_many_runs_are_read_as_it_takes() {
    let (_folder, mut store) = store();
    let runs: Vec<(DatasetId, Run)> = (0..100)
        .map(|n| (id("x"), run(&format!("{n}"), n * 10)))
        .collect();
    store.import_runs(&runs).unwrap();
    let n = |runs, seconds, since| {
        let reach = Reach {
            runs,
            seconds,
            since,
        };
        recent(&store, "x", "prod", 2_000, reach).len()
    };
    assert_eq!(n(5, 0, i64::MAX), 6);
    assert_eq!(n(5, 200, i64::MAX), 22);
    assert_eq!(n(5, 0, 500), 51);
    assert_eq!(n(500, 0, i64::MAX), 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn the_order_of_imports_changes_no_run(
        told in proptest::collection::vec((0u8..4, 0i64..4, proptest::option::of(0u64..3)), 1..12)
    ) {
        let runs: Vec<(DatasetId, Run)> = told
            .iter()
            .map(|&(name, at, rows)| {
                let mut run = run(&name.to_string(), at);
                run.counts.source = rows;
                (id("x"), run)
            })
            .collect();
        let kept = |runs: &[(DatasetId, Run)]| {
            let (_folder, mut store) = store();
            store.import_runs(runs).unwrap();
            let again = store.import_runs(runs).unwrap();
            let n_told = RunCounts { contradicting: again.contradicting, duplicate: runs.len() as u64, ..RunCounts::default() };
            assert_eq!(again, n_told);
            recent(&store, "x", "prod", 100, ALL)
        };
        let backwards: Vec<(DatasetId, Run)> = runs.iter().rev().cloned().collect();
        prop_assert_eq!(kept(&runs), kept(&backwards));
    }
}

fn fresh() -> ServiceLevels {
    ServiceLevels {
        freshness: Some(Freshness {
            about: About {
                critical: true,
                ..About::default()
            },
            threshold: Some(50.0),
            field: Some("at".to_owned()),
            ..Freshness::default()
        }),
        ..ServiceLevels::default()
    }
}

/// Looks at `x` at an instant, with runs that were over at these.
fn look(store: &mut Store, now: i64, runs: &[i64], is_promised: bool) -> usize {
    let told: Vec<(DatasetId, Run)> = runs
        .iter()
        .map(|&at| (id("x"), run(&at.to_string(), at)))
        .collect();
    store.import_runs(&told).unwrap();
    let no = store.dataset_no("x").unwrap().unwrap();
    let history = RunHistory::new("prod", told.into_iter().map(|(_, run)| run));
    let verdicts = judge(
        &fresh(),
        &history,
        TimeOff::holidays(&Holidays::builtin()),
        now,
    );
    let at = |second| Timestamp::from_second(second).unwrap();
    let check = SloCheck {
        now: at(now),
        at: at(now),
        environment: "prod".to_owned(),
        is_whole: true,
        n_datasets: 1,
        n_breached: 0,
        n_doubtful: 0,
    };
    let judged = SloJudged {
        no,
        run_id: runs.last().map(ToString::to_string),
        verdicts,
    };
    let judged = if is_promised {
        vec![judged]
    } else {
        Vec::new()
    };
    store.record_slo_checks(&[(check, judged)]).unwrap().len()
}

#[test]
fn an_event_is_written_each_time_a_verdict_changes_and_only_then() {
    let (_folder, mut store) = store();
    let told = |store: &Store| -> Vec<String> {
        let events = store.slo_events(None).unwrap();
        let told = events.iter().map(|event| {
            let before = event.before.as_deref().unwrap_or("-");
            format!("{} {before} {}", event.at.as_second(), event.outcome)
        });
        told.collect()
    };
    assert_eq!(look(&mut store, 120, &[100], true), 0);
    assert_eq!(look(&mut store, 151, &[100], true), 1);
    assert_eq!(look(&mut store, 160, &[100], true), 0);
    // Looking back changes nothing.
    assert_eq!(look(&mut store, 110, &[100], true), 0);
    assert_eq!(look(&mut store, 170, &[100, 165], true), 1);
    assert_eq!(look(&mut store, 300, &[100, 165], true), 1);
    // What is promised no more is broken no more.
    look(&mut store, 310, &[100, 165], false);
    assert_eq!(
        told(&store),
        [
            "151 kept breached",
            "170 breached kept",
            "300 kept breached",
            "310 breached withdrawn"
        ]
    );
    let last = store.last_slo_check("prod").unwrap().unwrap();
    assert_eq!(last.now.as_second(), 310);
}

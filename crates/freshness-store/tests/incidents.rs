//! Are incidents kept as the checks told them?

use freshness_core::dataset::DatasetId;
use freshness_core::incidents::{
    Ack, Bottleneck, Broken, EdgeLag, Event, Followed, Incident, IncidentKind, Incidents, Matchers,
    Member, OtherRoots, Silence, Status, Wait, What, advance,
};
use freshness_core::slo::Objective;
use freshness_core::state::{Severity, State};
use freshness_store::{
    Access, ArrivalBatch, CheckRecord, FitRun, ImportedFile, LineageEdge, LineageMode,
    NumberedEdge, Recorded, Store, StoreError, StraightEdges,
};
use jiff::Timestamp;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn id(name: &str) -> DatasetId {
    DatasetId::try_from(name).unwrap()
}

/// A store that knows `raw`, `stg` and `fct`.
fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path().join("store.db"), Access::Create).unwrap();
    let mut batch = ArrivalBatch::new();
    for name in ["raw", "stg", "fct"] {
        let dataset = batch.dataset(name).unwrap();
        batch.push(dataset, 10);
    }
    let file = ImportedFile {
        name: "1".to_owned(),
        hash: "1".to_owned(),
        at: at(10),
    };
    store.import_arrivals(batch, &file).unwrap();
    (folder, store)
}

fn incident(members: &[&str]) -> Incident {
    let member = |name: &&str| Member {
        dataset_id: id(name),
        hops: 1,
        state: State::Missed,
        since: at(60),
        n_overdue: 2,
        breaches: match *name {
            "stg" => vec![
                Broken::Level(Objective::RowCount),
                Broken::Scope(id("coverage:orders/FR")),
            ],
            _ => Vec::new(),
        },
        counted: *name != "fct",
        also: if *name == "fct" {
            [id("other, \"root\"")].into_iter().collect()
        } else {
            OtherRoots::new()
        },
        more: *name == "fct",
        wait: (*name == "stg").then_some(Wait {
            from_seconds: 60,
            to_seconds: 600,
        }),
    };
    Incident {
        kind: IncidentKind::Secondary { below: id("fct") },
        root: Some(id("raw")),
        state: State::Late,
        severity: Some(Severity::Critical),
        cycle: Some("2026-02-27".to_owned()),
        breaches: vec![Broken::Level(Objective::Freshness)],
        since: at(50),
        arrived_at: Some(at(70)),
        n_late: 2,
        members: members.iter().map(member).collect(),
        bottleneck: Some(Bottleneck {
            upstream: id("raw"),
            downstream: id("stg"),
            lag_seconds: 300,
        }),
    }
}

fn check(store: &mut Store, now: i64, found: Option<Incident>) -> Recorded {
    let record = CheckRecord {
        now: at(now),
        at: at(now),
        n_datasets: 3,
        n_late: 0,
        n_critical: 0,
    };
    let found = Incidents {
        n_late: found.as_ref().map_or(0, |found| found.n_late),
        incidents: found.into_iter().collect(),
    };
    let follow = |before: Vec<Followed>, silences: &[Silence]| {
        let silence = silences.first().map(|silence| silence.no);
        advance(before, found, |_| silence, |_| true, at(now))
    };
    store.record_check(&record, &[], follow).unwrap()
}

fn happened(store: &Store) -> Vec<(i64, What)> {
    let events = store.incident_events(None).unwrap();
    let told = events
        .into_iter()
        .map(|Event { at, what, .. }| (at.as_second(), what));
    told.collect()
}

#[test]
fn an_incident_comes_back_as_the_check_told_it() {
    let (_folder, mut store) = store();
    let recorded = check(&mut store, 100, Some(incident(&["stg", "fct"])));
    let mut told = recorded.advanced.followed;
    told[0]
        .incident
        .members
        .sort_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
    assert_eq!(store.followed(at(100)).unwrap(), told);
    check(&mut store, 200, Some(incident(&["stg"])));
    let followed = store.followed(at(200)).unwrap();
    assert_eq!(followed[0].incident, incident(&["stg"]));
    assert_eq!(
        (followed[0].id.as_str(), followed[0].opened_at),
        (told[0].id.as_str(), at(100))
    );
}

#[test]
fn what_is_over_stays_in_the_history() {
    let (_folder, mut store) = store();
    check(&mut store, 100, Some(incident(&[])));
    check(&mut store, 200, None);
    let day_later = at(200 + 86_400);
    assert_eq!(store.followed(at(300)).unwrap().len(), 1);
    assert_eq!(store.followed(day_later).unwrap(), []);
    let all = store.incidents().unwrap();
    assert_eq!((all.len(), all[0].resolved_at), (1, Some(at(200))));
    assert_eq!(
        happened(&store),
        [
            (100, What::Opened { n_late: 2 }),
            (200, What::Resolved { n_late_most: 2 })
        ]
    );
}

#[test]
fn a_check_of_an_earlier_instant_changes_no_incident() {
    let (_folder, mut store) = store();
    check(&mut store, 100, Some(incident(&[])));
    assert_eq!(check(&mut store, 50, None), Recorded::default());
    assert_eq!(store.followed(at(100)).unwrap().len(), 1);
}

#[test]
fn an_ack_is_kept_until_the_incident_is_over() {
    let (_folder, mut store) = store();
    let recorded = check(&mut store, 100, Some(incident(&[])));
    let id = recorded.advanced.followed[0].id.clone();
    let ack = Ack {
        by: "ana".to_owned(),
        why: "vendor is on it".to_owned(),
        at: at(120),
        until: None,
    };
    assert!(store.acknowledge(&id, &ack).unwrap());
    assert!(!store.acknowledge("no such", &ack).unwrap());
    check(&mut store, 200, Some(incident(&[])));
    let followed = &store.followed(at(200)).unwrap()[0];
    assert_eq!(followed.ack.as_ref(), Some(&ack));
    assert_eq!(followed.status(at(200)), Status::Acknowledged);
    check(&mut store, 300, None);
    assert!(!store.acknowledge(&id, &ack).unwrap());
    check(&mut store, 400, Some(incident(&[])));
    assert_eq!(store.followed(at(400)).unwrap()[0].ack, None);
    assert_eq!(store.incident_events(Some(&id)).unwrap().len(), 4);
}

#[test]
fn a_silence_is_seen_by_checks_until_it_ends() {
    let (_folder, mut store) = store();
    let silence = Silence {
        no: 0,
        matchers: Matchers {
            dataset: Some("raw*".to_owned()),
            ..Matchers::default()
        },
        by: "ana".to_owned(),
        why: "migration".to_owned(),
        from: at(50),
        until: at(150),
    };
    let no = store.set_silence(&silence).unwrap();
    assert_eq!(
        store.silences(at(100)).unwrap(),
        [Silence { no, ..silence }]
    );
    check(&mut store, 100, Some(incident(&[])));
    assert_eq!(store.followed(at(100)).unwrap()[0].silence, Some(no));
    check(&mut store, 160, Some(incident(&[])));
    assert_eq!(store.followed(at(160)).unwrap()[0].silence, None);
    assert_eq!(
        happened(&store)[1..],
        [
            (100, What::Silenced { silence: no }),
            (160, What::Unsilenced)
        ]
    );
    assert!(!store.end_silence(no, at(160)).unwrap());
}

#[test]
fn lags_are_those_of_the_last_fit() {
    let (_folder, mut store) = store();
    let edge = LineageEdge {
        upstream: id("raw"),
        downstream: id("stg"),
    };
    let import = store.import_lineage(&[edge], LineageMode::Add, |_, _| {
        Ok::<_, StoreError>(StraightEdges::default())
    });
    assert_eq!(import.unwrap().new, 1);
    let edges = store.numbered_lineage().unwrap();
    let no = |name: &str| store.dataset_no(name).unwrap().unwrap();
    let edge = NumberedEdge {
        upstream: no("raw"),
        downstream: no("stg"),
    };
    assert_eq!(edges, [edge]);
    let lag = EdgeLag {
        n: 100,
        p10: 1,
        p50: 2,
        p90: 3,
        n_held: 4,
        wait_from: -5,
        wait_to: 6,
        abnormal: 7,
        parent_period: None,
    };
    let run = FitRun::new(at(1), at(2), at(1), [], 0);
    store.record_fit(&run, &[], &[(edge, lag)]).unwrap();
    assert_eq!(store.edge_lags().unwrap(), [(id("raw"), id("stg"), lag)]);
    assert_eq!(store.edge_lag(edge).unwrap(), Some(lag));
    store.record_fit(&run, &[], &[]).unwrap();
    assert_eq!(store.edge_lag(edge).unwrap(), None);
}

//! Does it matter in which order the parts of a run are imported?
//!
//! Files of one event each, imported one after the other in every order: what is
//! stored is what all of them together come to.

use std::fmt::Write;

use freshness::config::Renames;
use freshness::rounds::told::take_events;
use freshness::sources::{BadRows, Events, Origin, Source, TimeRules};
use freshness_core::slo::Reach;
use freshness_store::{Access, Store};
use snapbox::{assert_data_eq, str};

const NOW: i64 = 1_788_000_000;

/// An event of the job `load`, with more keys.
fn event(kind: &str, at: &str, run: &str, more: &str) -> String {
    format!(
        r#"{{"eventType":"{kind}","eventTime":"2026-08-{at}:00Z","run":{{"runId":"{run}"{}}},"job":{{"namespace":"prod","name":"load"}}{}}}"#,
        if kind == "START" { CYCLE } else { "" },
        if more.is_empty() {
            String::new()
        } else {
            format!(",{more}")
        },
    )
}

const CYCLE: &str = r#","facets":{"nominalTime":{"nominalStartTime":"2026-08-01T00:00:00Z"}}"#;

fn table(name: &str, facets: &str) -> String {
    format!(r#"{{"namespace":"db","name":"{name}"{facets}}}"#)
}

fn events(parts: &[&str]) -> Events {
    let (mut events, mut bad) = (Events::default(), BadRows::default());
    let times = TimeRules {
        now: NOW,
        assume_zone: None,
    };
    for part in parts {
        let source = Source {
            origin: Origin::Bytes("part".to_owned(), part.as_bytes().to_vec()),
            format: None,
        };
        events.read(&source, &times, &|_| {}, &mut bad).unwrap();
    }
    assert!(bad.is_empty());
    events
}

fn import(store: &mut Store, parts: &[&str]) -> u64 {
    let taken = take_events(
        store,
        events(parts),
        Vec::new(),
        &Renames::default(),
        None,
        NOW,
    );
    taken.unwrap().counts.arrivals_new
}

/// Everything that is stored, in words.
fn stored(store: &Store) -> String {
    let mut text = String::from("\n");
    for entry in store.datasets().unwrap() {
        writeln!(text, "{}", entry.id).unwrap();
        let history = store.history(entry.no).unwrap();
        for (i, at) in history.at().iter().enumerate() {
            let detail = history.detail(i).unwrap();
            let at = jiff::Timestamp::from_second(*at).unwrap();
            let cycle = detail
                .cycle
                .map_or("none".to_owned(), |cycle| cycle.to_string());
            let (run, rows) = (detail.run_id.as_deref().unwrap(), detail.rows);
            writeln!(text, "  {at} by {run} for {cycle}, rows {rows:?}").unwrap();
        }
        if let Some(environment) = store.environment_no("prod").unwrap() {
            let reach = Reach {
                runs: 100,
                seconds: 0,
                since: i64::MAX,
            };
            let tail = store
                .recent_runs(entry.no, (environment, "prod"), NOW, reach)
                .unwrap();
            for run in tail.runs {
                let counts = serde_json::to_string(&run.counts).unwrap();
                writeln!(text, "  measured by {} {counts}", run.run_id).unwrap();
            }
        }
    }
    for edge in store.lineage().unwrap() {
        writeln!(text, "{} > {}", edge.upstream, edge.downstream).unwrap();
    }
    text
}

fn fresh() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store.db"), Access::Create).unwrap();
    (folder, store)
}

/// Imports parts one by one in every order, each twice, and holds what is stored
/// against what all of them at once come to, which is given.
fn check_every_order(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (_folder, mut store) = fresh();
    import(&mut store, &parts);
    let expected = stored(&store);
    assert_eq!(
        import(&mut store, &parts),
        0,
        "nothing is new in what is imported again"
    );
    assert_eq!(stored(&store), expected);
    for order in orders(parts.len()) {
        let (_folder, mut store) = fresh();
        for &i in &order {
            import(&mut store, &[parts[i]]);
        }
        assert_eq!(stored(&store), expected, "{order:?}");
        for &i in &order {
            assert_eq!(import(&mut store, &[parts[i]]), 0, "{order:?}, again");
        }
        assert_eq!(stored(&store), expected, "{order:?}, again");
    }
    expected
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for last in 0..n {
        orders = (orders.iter())
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, last);
                    longer
                })
            })
            .collect();
    }
    orders
}

#[test]
fn a_run_that_is_told_in_parts_is_one_in_any_order() {
    let outputs = |facets: &str| format!(r#""outputs":[{}]"#, table("orders", facets));
    let rows = r#","outputFacets":{"outputStatistics":{"rowCount":7},"dataQualityMetrics":{"rowCount":7}}"#;
    let parts = [
        // The cycle and what is read; what is written, and how much; that it is done.
        event(
            "START",
            "01T05:00",
            "a",
            &format!(r#""inputs":[{}]"#, table("raw", "")),
        ),
        event("RUNNING", "01T05:10", "a", &outputs("")),
        event("OTHER", "01T05:15", "a", &outputs(rows)),
        event("COMPLETE", "01T05:20", "a", ""),
    ];
    assert_data_eq!(
        check_every_order(&parts),
        str![[r#"

db/orders
  2026-08-01T05:20:00Z by a for 2026-08-01T00:00:00Z, rows Some(7)
  measured by a {"source":7,"total":7}
db/raw
db/raw > db/orders

"#]]
    );
}

#[test]
fn what_a_part_seemed_to_bring_is_withdrawn_if_another_says_otherwise() {
    let outputs = |name: &str| format!(r#""outputs":[{}]"#, table(name, ""));
    let renamed = r#","facets":{"lifecycleStateChange":{"lifecycleStateChange":"ALTER"}}"#;
    let parts = [
        event("COMPLETE", "01T05:20", "a", &outputs("orders")),
        // It failed after all.
        event("FAIL", "01T05:30", "a", ""),
        event("COMPLETE", "02T05:20", "b", &outputs("orders")),
        // Only its form was changed.
        event(
            "RUNNING",
            "02T05:10",
            "b",
            &format!(r#""outputs":[{}]"#, table("orders", renamed)),
        ),
    ];
    assert_data_eq!(
        check_every_order(&parts),
        str![[r#"

db/orders

"#]]
    );
}

#[test]
fn a_run_that_is_done_again_is_there_when_the_first_of_its_outputs_said_so() {
    let outputs = |names: &[&str]| {
        let tables: Vec<String> = names.iter().map(|name| table(name, "")).collect();
        format!(r#""outputs":[{}]"#, tables.join(","))
    };
    let parts = [
        event("COMPLETE", "01T05:20", "a", &outputs(&["orders"])),
        event("COMPLETE", "01T05:10", "a", &outputs(&["orders", "visits"])),
        event("START", "01T05:00", "a", &outputs(&["never_named_again"])),
        event("COMPLETE", "01T06:00", "c", &outputs(&["orders"])),
    ];
    assert_data_eq!(
        check_every_order(&parts),
        str![[r#"

db/never_named_again
  2026-08-01T05:20:00Z by a for 2026-08-01T00:00:00Z, rows None
db/orders
  2026-08-01T05:10:00Z by a for 2026-08-01T00:00:00Z, rows None
  2026-08-01T06:00:00Z by c for none, rows None
db/visits
  2026-08-01T05:10:00Z by a for 2026-08-01T00:00:00Z, rows None

"#]]
    );
}

#[test]
fn of_many_runs_the_unfinished_are_remembered() {
    let (_folder, mut store) = fresh();
    let outputs = format!(r#""outputs":[{}]"#, table("orders", ""));
    // More than there is room for.
    let many: Vec<String> = (0..120_000)
        .flat_map(|i| {
            let run = format!("{i:0>60}");
            let start = event("START", "02T05:00", &run, "");
            [start, event("COMPLETE", "02T05:20", &run, &outputs)]
        })
        .collect();
    import(&mut store, &[&event("START", "01T05:00", "open", "")]);
    import(&mut store, &[&many.join("\n")]);
    import(
        &mut store,
        &[&event("COMPLETE", "01T05:20", "open", &outputs)],
    );
    let told = stored(&store);
    assert!(told.contains("2026-08-01T05:20:00Z by open for 2026-08-01T00:00:00Z"));
    let bytes = std::fs::metadata(store.path()).unwrap().len();
    assert!(bytes < 50 << 20, "{bytes} bytes");
}

//! Events in, what they tell out.

mod house;
mod refused;

use super::*;
use crate::sources::Origin;
use jiff::Timestamp;

const NOW: &str = "2026-03-10T12:00:00Z";

/// An event of a run `r1` of job `j` in namespace `prod`, at an hour and minute of
/// 2026-03-02. `more` is put inside.
fn event(kind: &str, run: &str, at: &str, more: &str) -> String {
    let more = match more {
        "" => String::new(),
        more => format!(",{more}"),
    };
    format!(
        r#"{{"eventType":"{kind}","eventTime":"2026-03-02T{at}:00.5Z","run":{{"runId":"{run}"}},"job":{{"namespace":"prod","name":"j"}}{more}}}"#
    )
}

/// Datasets in namespace `db`: `outputs:a,b`.
fn datasets(which: &str, names: &str) -> String {
    let one = |name: &str| format!(r#"{{"namespace":"db","name":"{name}"}}"#);
    let all: Vec<String> = names.split(',').map(one).collect();
    format!(r#""{which}":[{}]"#, all.join(","))
}

fn read(files: &[String]) -> (Told, BadRows) {
    let rules = TimeRules {
        now: NOW.parse::<Timestamp>().unwrap().as_second(),
        assume_zone: None,
    };
    let mut events = Events::default();
    let mut bad = BadRows::default();
    for (i, text) in files.iter().enumerate() {
        let source = Source {
            origin: Origin::Bytes(format!("f{i}"), text.clone().into_bytes()),
            format: None,
        };
        events.read(&source, &rules, &|_| {}, &mut bad).unwrap();
    }
    (events.told().unwrap(), bad)
}

/// What is told, a line for each thing.
fn shown(told: &Told) -> String {
    let time = |at: i64| {
        let text = Timestamp::from_second(at).unwrap().to_string();
        text.trim_start_matches("2026-03-02T")
            .trim_end_matches(":00Z")
            .to_owned()
    };
    let mut lines = Vec::new();
    for arrival in &told.arrivals {
        let mut line = format!("{} at {}", arrival.dataset, time(arrival.at));
        if let Some(cycle) = arrival.cycle {
            line += &format!(" of {cycle}");
        }
        if let Some(run_id) = &arrival.run_id {
            line += &format!(" by {run_id}");
        }
        if let Some(rows) = arrival.rows {
            line += &format!(" rows {rows}");
        }
        lines.push(line);
    }
    for (dataset, run) in &told.runs {
        let freshness_core::slo::Counts {
            source,
            total,
            good,
            quarantined,
        } = run.counts;
        lines.push(format!(
            "run {} of {dataset}: {source:?} {total:?} {good:?} {quarantined:?}",
            run.run_id
        ));
    }
    for house in &told.houses {
        for dataset in house
            .datasets
            .iter()
            .filter(|dataset| dataset.owner.is_some() || !dataset.tags.is_empty())
        {
            let owner = dataset.owner.as_deref().unwrap_or_default();
            lines.push(format!(
                "{}: {} owner {owner} tags {:?}",
                house.source, dataset.id, dataset.tags
            ));
        }
        lines.extend(
            house
                .edges
                .iter()
                .map(|(a, b)| format!("{}: {a} -> {b}", house.source)),
        );
    }
    lines.extend(
        told.remarks
            .iter()
            .map(|remark| format!("note {}: {}", remark.place, remark.what)),
    );
    lines.join("\n")
}

/// The events of one file, forwards, backwards, twice and in files of their own
/// tell the same.
#[track_caller]
fn check_told(events: &[String], expected: &str) {
    let (told, bad) = read(&[events.join("\n")]);
    assert!(bad.is_empty(), "{bad:?}");
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(shown(&told), expected.join("\n"));
    let backwards: Vec<String> = events.iter().rev().cloned().collect();
    let array = format!("[{}]", [events, &backwards].concat().join(",\n"));
    for files in [backwards, vec![array]] {
        let (again, _) = read(&files);
        // The place of a remark is that of the first event.
        let same = shown(&again).replace("f1 line 1", "f0 line 1");
        assert_eq!(same, expected.join("\n"));
    }
}

#[test]
fn only_outputs_of_complete_runs_arrive() {
    let io = format!(
        "{},{}",
        datasets("inputs", "raw"),
        datasets("outputs", "a,b")
    );
    check_told(
        &[
            event("START", "r1", "05:00", &io),
            event("RUNNING", "r1", "05:10", &io),
            event("COMPLETE", "r1", "05:20", &io),
            event("START", "r2", "06:00", &io),
            event("FAIL", "r2", "06:20", &io),
            event("ABORT", "r3", "07:20", &io),
            event("OTHER", "r4", "08:20", &io),
            event("START", "r5", "09:20", &io),
        ],
        "db/a at 05:20 by r1
         db/b at 05:20 by r1
         openlineage:prod: db/raw -> db/a
         openlineage:prod: db/raw -> db/b",
    );
}

#[test]
fn what_a_run_tells_over_several_events_adds_up() {
    check_told(
        &[
            event("START", "r1", "05:00", &datasets("inputs", "x")),
            event("RUNNING", "r1", "05:10", &datasets("inputs", "y")),
            event("RUNNING", "r1", "05:11", &datasets("outputs", "a")),
            event("COMPLETE", "r1", "05:20", ""),
        ],
        "db/a at 05:20 by r1
         openlineage:prod: db/x -> db/a
         openlineage:prod: db/y -> db/a",
    );
}

#[test]
fn a_start_after_the_end_changes_nothing_and_the_last_end_counts() {
    let out = datasets("outputs", "a");
    check_told(
        &[
            event("COMPLETE", "r1", "05:20", &out),
            event("START", "r1", "05:30", &out),
            event("COMPLETE", "r2", "06:20", &out),
            event("FAIL", "r2", "06:20", &out),
            event("FAIL", "r3", "07:10", &out),
            event("COMPLETE", "r3", "07:20", &out),
            event("COMPLETE", "r4", "08:10", &out),
            event("FAIL", "r4", "08:20", &out),
        ],
        "db/a at 05:20 by r1
         db/a at 07:20 by r3",
    );
}

#[test]
fn each_output_is_there_when_the_event_that_names_it_says_complete() {
    check_told(
        &[
            event("COMPLETE", "r1", "05:20", &datasets("outputs", "a")),
            event("COMPLETE", "r1", "05:40", &datasets("outputs", "b")),
            event("RUNNING", "r1", "05:10", &datasets("outputs", "c")),
        ],
        "db/a at 05:20 by r1
         db/b at 05:40 by r1
         db/c at 05:40 by r1",
    );
}

fn with_facets(name: &str, facets: &str, output_facets: &str) -> String {
    format!(
        r#""outputs":[{{"namespace":"db","name":"{name}","facets":{{{facets}}},"outputFacets":{{{output_facets}}}}}]"#
    )
}

#[test]
fn statistics_are_rows_and_the_nominal_time_is_the_cycle() {
    let out = with_facets("a", "", r#""outputStatistics":{"rowCount":42,"size":7}"#);
    let event = event("COMPLETE", "r1", "05:20", &out).replace(
        r#""runId":"r1""#,
        r#""runId":"r1","facets":{"nominalTime":{"nominalStartTime":"2026-03-01T01:00:00+01:00","nominalEndTime":"2026-03-02T00:00:00Z"},"parent":{"run":{"runId":"unknown"},"job":{"namespace":"x","name":"y"}}}"#,
    );
    check_told(
        &[event],
        "db/a at 05:20 of 2026-03-01T00:00:00Z by r1 rows 42",
    );
}

fn lifecycle(kind: &str) -> String {
    format!(r#""lifecycleStateChange":{{"lifecycleStateChange":"{kind}"}}"#)
}

#[test]
fn a_change_of_form_or_name_is_no_arrival() {
    let mut events = Vec::new();
    for (i, kind) in ["ALTER", "CREATE", "DROP", "OVERWRITE", "RENAME", "TRUNCATE"]
        .iter()
        .enumerate()
    {
        let out = with_facets("a", &lifecycle(kind), "");
        events.push(event(
            "COMPLETE",
            &format!("r{kind}"),
            &format!("05:0{i}"),
            &out,
        ));
    }
    check_told(&events, "db/a at 05:03 by rOVERWRITE");
}

#[test]
fn a_table_that_is_created_with_rows_in_it_is_an_arrival_and_a_dropped_one_never() {
    let rows = r#""outputStatistics":{"rowCount":3}"#;
    check_told(
        &[
            event(
                "COMPLETE",
                "r1",
                "05:20",
                &with_facets("a", &lifecycle("CREATE"), rows),
            ),
            event(
                "COMPLETE",
                "r2",
                "06:20",
                &with_facets("a", &lifecycle("DROP"), rows),
            ),
        ],
        "db/a at 05:20 by r1 rows 3",
    );
}

//! What is refused, and what passed over?

use super::*;

#[track_caller]
fn check_refused(event: &str, message: &str) {
    let (told, bad) = read(&[format!("{event}\n")]);
    assert_eq!(shown(&told), "");
    assert_eq!(bad.first()[0].to_string(), format!("f0 line 1{message}"));
}

#[test]
fn an_event_that_means_nothing_is_refused_with_its_line_and_leaves_nothing() {
    let good = event("COMPLETE", "r1", "05:20", &datasets("outputs", "a"));
    check_refused(
        &good.replace("2026-03-02T05:20:00.5Z", "2026-03-02T05:20:00"),
        ", eventTime: time without an offset or zone",
    );
    check_refused(
        &good.replace("2026-03-02", "2026-04-02"),
        ", eventTime: in the future (more than 5 minutes after 2026-03-10T12:00:00Z)",
    );
    check_refused(
        &good.replace("\"eventTime\"", "\"x\""),
        ", eventTime: no value",
    );
    check_refused(&good.replace("\"r1\"", "\"\""), ", runId: no value");
    check_refused(&good.replace("\"a\"", "\"\""), ", outputs: no value");
    check_refused(
        &good.replace("\"a\"", "\"a\\u0007\""),
        ", outputs: control character",
    );
    check_refused(
        &good.replace("\"r1\"", "[\"secret\"]"),
        ": not an OpenLineage event: expected a string at column 76",
    );
    check_refused(
        &good.replace("\"job\"", "\"jab\""),
        ": not an OpenLineage event: a run without a job",
    );
    check_refused("{}", ", eventTime: no value");
    check_refused(
        "{\"eventTime\":\"2026-03-02T05:20:00Z\"}",
        ": not an OpenLineage event: neither run nor job nor dataset",
    );
    check_refused(
        &good[..50],
        ": not a JSON object: EOF while parsing a string at column 50",
    );
}

#[test]
fn facets_that_are_not_known_or_were_deleted_are_passed_over() {
    let facets = format!(
        r#""own_thing":{{"x":[{}1{}]}},"columnLineage":{{"_deleted":true}},"ownership":null,"symlinks":{{}}"#,
        "[".repeat(60),
        "]".repeat(60)
    );
    let out = with_facets("a", &facets, r#""outputStatistics":{"rowCount":null}"#);
    check_told(
        &[event("COMPLETE", "r1", "05:20", &out)],
        "db/a at 05:20 by r1",
    );
}

#[test]
fn a_run_with_thousands_of_outputs_is_read_at_once() {
    let names: Vec<String> = (0..20_000).map(|i| format!("t{i}")).collect();
    let io = format!(
        "{},{}",
        datasets("inputs", "x"),
        datasets("outputs", &names.join(","))
    );
    let events = [
        event("START", "r1", "05:00", &io),
        event("COMPLETE", "r1", "05:20", &io),
    ];
    let (told, _) = read(&[events.join("\n")]);
    assert_eq!(told.arrivals.len(), 20_000);
    assert_eq!(told.houses[0].edges.len(), 20_000);
}

#[test]
fn a_graph_with_more_edges_than_can_be_kept_is_refused() {
    let names = |of: &str| {
        (0..1_500)
            .map(|i| format!("{of}{i}"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let io = format!(
        "{},{}",
        datasets("inputs", &names("x")),
        datasets("outputs", &names("y"))
    );
    let rules = TimeRules {
        now: NOW.parse::<Timestamp>().unwrap().as_second(),
        assume_zone: None,
    };
    let mut events = Events::default();
    let source = Source {
        origin: Origin::Bytes(
            "f".to_owned(),
            event("COMPLETE", "r1", "05:20", &io).into_bytes(),
        ),
        format: None,
    };
    events
        .read(&source, &rules, &|_| {}, &mut BadRows::default())
        .unwrap();
    let error = events.told().unwrap_err();
    assert_eq!(error.to_string(), "more than 2000000 edges in one import");
}

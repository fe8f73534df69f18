//! What does a person see who imports events of OpenLineage?

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use snapbox::{assert_data_eq, str};

mod house;
use house::House;

const EVENTS: &str = r#"{"eventType":"START","eventTime":"2026-02-26T05:00:00Z","run":{"runId":"0195471c-0000-7000-8000-000000000001"},"job":{"namespace":"prod","name":"orders"},"inputs":[{"namespace":"db","name":"raw"}]}
{"eventType":"COMPLETE","eventTime":"2026-02-26T05:20:00Z","run":{"runId":"0195471c-0000-7000-8000-000000000001"},"job":{"namespace":"prod","name":"orders"},"outputs":[{"namespace":"db","name":"orders","outputFacets":{"outputStatistics":{"rowCount":7}}}]}
{"eventType":"COMPLETE","eventTime":"2026-02-26T06:20:00Z","run":{"runId":"0195471c-0000-7000-8000-000000000002"},"job":{"namespace":"prod","name":"back"},"inputs":[{"namespace":"db","name":"orders"}],"outputs":[{"namespace":"db","name":"raw"}]}
"#;

fn house(files: &[(&str, &str)]) -> House {
    let house = House::empty();
    for (name, content) in files {
        fs::write(house.path(name), content).unwrap();
    }
    house
}

#[test]
fn events_are_imported_once_and_circles_are_said() {
    let house = house(&[("events.ndjson", EVENTS)]);
    let ran = house.run("import openlineage events.ndjson").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported     files  new arrivals  duplicate  new runs  new datasets  gone  news of datasets, edges, dashboards
openlineage      1             2          0         0             2     0                                    4

"#]]
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
warning: lineage goes in a circle and is straightened, so that none of these explains another: db/orders, db/raw

"#]]
    );
    let again = house
        .run("import openlineage events.ndjson --format json")
        .expect(0);
    for count in [
        "\"arrivals_new\": 0",
        "\"arrivals_duplicate\": 2",
        "\"told_new\": 0",
    ] {
        assert!(again.stdout.contains(count), "{}", again.stdout);
    }
}

#[test]
fn the_parts_of_a_run_may_lie_in_two_files_in_any_order() {
    let lines: Vec<&str> = EVENTS.lines().collect();
    let files = [("start.json", lines[0]), ("complete.json", lines[1])];
    for order in ["start.json complete.json", "complete.json start.json"] {
        let house = house(&files);
        let ran = house.run(&format!("import openlineage {order} --format json"));
        // Two datasets, and the edge that neither file tells alone.
        assert!(ran.stdout.contains("\"told_new\": 3"), "{}", ran.stdout);
    }
}

#[test]
fn what_an_earlier_import_seemed_to_bring_is_withdrawn_and_said() {
    let lines: Vec<&str> = EVENTS.lines().collect();
    let failed = lines[1]
        .replace("COMPLETE", "FAIL")
        .replace("T05:20", "T05:25");
    let house = house(&[("done.json", lines[1]), ("failed.json", &failed)]);
    let ran = house.run("import openlineage done.json").expect(0);
    assert_eq!(ran.stderr, "");
    let ran = house.run("import openlineage failed.json").expect(0);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: openlineage: 1 arrival withdrawn that an earlier part of a run seemed to bring (what is known of the run now is told anew)

"#]]
    );
    let ran = house
        .run("import openlineage failed.json done.json")
        .expect(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_bad_event_stops_everything_or_is_left_out_with_its_line() {
    let bad = EVENTS.replacen("2026-02-26T05:20:00Z", "five o'clock", 1);
    let house = house(&[("events.ndjson", &bad)]);
    let ran = house.run("import openlineage events.ndjson").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: 1 bad row (1 unreadable time); nothing was imported
  events.ndjson line 2, eventTime: unreadable time

hint: times are read as 2026-09-01T12:00:00Z, with an offset, or as epoch seconds or milliseconds
hint: `--on-error skip` imports the other rows

"#]]
    );
    assert!(!house.path(".freshness").exists());
    let ran = house
        .run("import openlineage events.ndjson --on-error skip")
        .expect(0);
    assert!(
        ran.stderr
            .contains("left out 1 bad row (1 unreadable time)"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_event_of_any_size_is_passed_over() {
    let house = house(&[("events.ndjson", EVENTS)]);
    // Packed it is small: nobody sees what it unpacks to.
    let packed = fs::File::create(house.path("large.ndjson.gz")).unwrap();
    let mut packed = GzEncoder::new(packed, Compression::fast());
    packed
        .write_all(b"{\"eventType\":\"START\",\"x\":\"")
        .unwrap();
    for _ in 0..150 {
        packed.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    packed.write_all(b"\"}\n").unwrap();
    packed.write_all(EVENTS.as_bytes()).unwrap();
    packed.finish().unwrap();
    let ran = house.run("import openlineage large.ndjson.gz").expect(2);
    let said = "large.ndjson.gz line 1: an event of more than 16 MiB";
    assert!(ran.stderr.contains(said), "{ran:?}");
    let line = "import openlineage large.ndjson.gz --on-error skip --format json";
    let ran = house.run(line).expect(0);
    assert!(ran.stdout.contains("\"arrivals_new\": 2"), "{ran:?}");
    assert!(ran.stderr.contains(said), "{ran:?}");
}

#[test]
fn what_is_no_events_is_said() {
    let house = house(&[
        ("empty.json", ""),
        ("table.csv", "dataset_id,arrived_at\na,2026-02-26\n"),
        ("binary.json", "\u{1}\u{2}\u{3}\0"),
    ]);
    for (file, message) in [
        ("empty.json", "the file is empty"),
        ("none.json", "no such file"),
        ("table.csv", "table.csv line 1: not a JSON object"),
        ("binary.json", "binary data"),
    ] {
        let ran = house.run(&format!("import openlineage {file}")).expect(2);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}

#[test]
fn an_event_of_an_unknown_type_is_said_and_hints_fit_the_command() {
    let strange = EVENTS.replace("\"COMPLETE\"", "\"COMPLETED\"");
    let naive = EVENTS.replace("05:20:00Z", "05:20:00");
    let house = house(&[("strange.ndjson", &strange), ("naive.ndjson", &naive)]);
    let ran = house.run("import openlineage strange.ndjson").expect(0);
    let note =
        "note: strange.ndjson line 2: unknown eventType, no end of a run: COMPLETED (events: 2)";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let ran = house.run("import openlineage naive.ndjson").expect(2);
    assert!(
        ran.stderr.contains("wants times with Z or an offset"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("assume-zone"), "{}", ran.stderr);
    let ran = house.run("import openlineage .").expect(2);
    assert!(ran.stderr.contains("DIR/*.ndjson"), "{}", ran.stderr);
}

/// Daily runs that write a dataset, from 2026-01-20 on, as a type of event at an hour.
fn daily(kind: &str, hour: u32, name: &str, n: i64) -> String {
    let first: i64 = 1_768_867_200;
    let line = |day: i64| {
        let at = jiff::Timestamp::from_second(first + day * 86_400 + i64::from(hour) * 3_600);
        let at = at.unwrap();
        format!(
            r#"{{"eventType":"{kind}","eventTime":"{at}","run":{{"runId":"{name}-{day}"}},"job":{{"namespace":"prod","name":"{name}"}},"outputs":[{{"namespace":"db","name":"{name}"}}]}}"#
        ) + "\n"
    };
    (0..n).map(line).collect()
}

#[test]
fn a_dataset_whose_arrivals_were_all_withdrawn_is_not_judged_and_spares_the_others() {
    let (done, failed) = (
        daily("COMPLETE", 5, "orders", 35),
        daily("FAIL", 6, "orders", 35),
    );
    let others = daily("COMPLETE", 5, "visits", 35);
    let house = house(&[
        ("done.ndjson", &done),
        ("others.ndjson", &others),
        ("failed.ndjson", &failed),
    ]);
    house
        .run("import openlineage done.ndjson others.ndjson")
        .expect(0);
    house.run("fit --now 2026-02-23T12:00:00Z").expect(0);
    house.run("import openlineage failed.ndjson").expect(0);
    let reason = "all of its arrivals were withdrawn by what a source told later";
    let looks = || {
        let check = house.run("check --now 2026-02-23T12:00:00Z").expect(0);
        assert!(
            check.stdout.contains("1 not evaluated, 1 ok"),
            "{}",
            check.stdout
        );
        let explained = house.run("explain db/orders --now 2026-02-23T12:00:00Z");
        assert!(explained.stdout.contains(reason), "{}", explained.stdout);
        let gone = house.run("status db/orders --now 2026-02-23T12:00:00Z");
        assert!(gone.stdout.contains("not_evaluated"), "{}", gone.stdout);
        house.run("doctor --now 2026-02-23T12:00:00Z");
        house
            .run("report --out out --now 2026-02-23T12:00:00Z")
            .expect(0);
    };
    looks();
    let fitted = house.run("fit --now 2026-02-23T12:00:00Z").expect(0);
    assert!(!fitted.stderr.contains("stays"), "{}", fitted.stderr);
    looks();
}

//! What is said of a bad row, and what of those that are left out?

use super::*;

#[test]
fn a_bad_row_is_named_by_file_line_column_and_value() {
    check_refused(
        "arrivals",
        "bad.csv",
        "dataset_id,arrived_at,rows,cycle,secret
a,2026-09-01 05:00:00,1,,hush
a,yesterday,1,,hush
a,1970-01-01T00:00:00Z,1,,hush
a,2999-12-31T00:00:00Z,1,,hush
a,2026-10-01T05:00:00Z,1,,hush
a,,1,,hush
,2026-09-01T05:00:00Z,1,,hush
a,2026-09-01T05:00:00Z,-1,,hush
a,2026-09-01T05:00:00Z,1,someday,hush
a,2026-09-01T05:00:00Z,1
a\tb,2026-09-01T05:00:00Z,1,,hush
 a ,2026-09-01T05:00:00Z,1,,hush
",
        str![[r#"
error: 12 bad rows (1 control character, 1 dataset id begins or ends with white space, 1 in the future, 2 no value, 1 not a number of rows, 1 placeholder for no time, 1 time without an offset or zone, 1 unreadable cycle, 1 unreadable time, 1 wrong number of fields, 1 year 1970 looks like a missing timestamp); nothing was imported
  bad.csv line 2, arrived_at: time without an offset or zone: "2026-09-01 05:00:00"
  bad.csv line 3, arrived_at: unreadable time: "yesterday"
  bad.csv line 4, arrived_at: year 1970 looks like a missing timestamp: "1970-01-01T00:00:00Z"
  bad.csv line 5, arrived_at: year 2999 looks like a placeholder for no time: "2999-12-31T00:00:00Z"
  bad.csv line 6, arrived_at: in the future (more than 5 minutes after 2026-09-30T12:00:00Z): "2026-10-01T05:00:00Z"
  bad.csv line 7, arrived_at: no value
  bad.csv line 8, dataset_id: no value
  bad.csv line 9, rows: not a number of rows (expected a whole number from 0): "-1"
  bad.csv line 10, cycle: unreadable cycle (expected a date, a local time or a time with an offset): "someday"
  bad.csv line 11: wrong number of fields (the header has 5, this line 3)
  bad.csv line 12, dataset_id: control character: "a\tb"
  bad.csv line 13, dataset_id: dataset id begins or ends with white space: " a "

hint: say what such times mean with --assume-zone ZONE
hint: times are read as 2026-09-01T12:00:00Z, with an offset, or as epoch seconds or milliseconds
hint: is the sender's clock or zone wrong? --now pins the clock of this command
hint: `--on-error skip` imports the other rows

"#]],
    );
}

#[test]
fn lines_are_counted_alike_whatever_ends_them() {
    let head = ["dataset_id,arrived_at", "a,2026-09-01T05:00:00Z"];
    let cases: [(&[&str], u32); 4] = [
        (&["a,soon", ""], 3),
        // Nothing ends the last one.
        (&["a,soon"], 3),
        // Empty lines count, and belong to no row.
        (&["", "", "a,soon", ""], 5),
        // So do those inside of quotes.
        (
            &["\"b", "c\",2026-09-01T05:00:00Z", "\"d", "e\",soon", ""],
            5,
        ),
    ];
    for end in ["\n", "\r\n"] {
        for (rows, line) in cases {
            let folder = TempDir::new().unwrap();
            let text = [&head[..], rows].concat().join(end);
            fs::write(folder.path().join("some.csv"), &text).unwrap();
            let ran = import(folder.path(), "arrivals some.csv", b"");
            assert!(
                ran.stderr.contains(&format!("some.csv line {line}, ")),
                "{text:?}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn bad_lines_of_json_are_named_too() {
    check_refused(
        "arrivals",
        "bad.ndjson",
        "{\"dataset_id\":\"a\",\"arrived_at\":\"2026-09-01T05:00:00Z\"}
{\"dataset_id\":\"a\",\"arrived_at\":
[1]
{\"dataset_id\":[\"a\"],\"arrived_at\":\"2026-09-01T05:00:00Z\"}
{\"dataset_id\":\"a\",\"arrived_at\":true}
{\"dataset_id\":\"a\",\"arrived_at\":null}
",
        str![[r#"
error: 5 bad rows (1 no value, 2 not a JSON object, 2 wrong type); nothing was imported
  bad.ndjson line 2: not a JSON object: EOF while parsing a value at column 0
  bad.ndjson line 3: not a JSON object: another JSON value
  bad.ndjson line 4, dataset_id: wrong type (expected text, found a list): "\"a\""
  bad.ndjson line 5, arrived_at: wrong type (expected a time, found true or false): true
  bad.ndjson line 6, arrived_at: no value

hint: `--on-error skip` imports the other rows

"#]],
    );
}

#[test]
fn many_bad_rows_are_counted_after_the_first_twenty() {
    let rows: String = (0..500).map(|i| format!("d{i},soon\n")).collect();
    let content = format!("dataset_id,arrived_at\n{rows}");
    check_refused(
        "arrivals",
        "many.csv",
        content,
        str![[r#"
error: 500 bad rows (500 unreadable time); nothing was imported
  many.csv line 2, arrived_at: unreadable time: "soon"
  many.csv line 3, arrived_at: unreadable time: "soon"
  many.csv line 4, arrived_at: unreadable time: "soon"
  many.csv line 5, arrived_at: unreadable time: "soon"
  many.csv line 6, arrived_at: unreadable time: "soon"
  many.csv line 7, arrived_at: unreadable time: "soon"
  many.csv line 8, arrived_at: unreadable time: "soon"
  many.csv line 9, arrived_at: unreadable time: "soon"
  many.csv line 10, arrived_at: unreadable time: "soon"
  many.csv line 11, arrived_at: unreadable time: "soon"
  many.csv line 12, arrived_at: unreadable time: "soon"
  many.csv line 13, arrived_at: unreadable time: "soon"
  many.csv line 14, arrived_at: unreadable time: "soon"
  many.csv line 15, arrived_at: unreadable time: "soon"
  many.csv line 16, arrived_at: unreadable time: "soon"
  many.csv line 17, arrived_at: unreadable time: "soon"
  many.csv line 18, arrived_at: unreadable time: "soon"
  many.csv line 19, arrived_at: unreadable time: "soon"
  many.csv line 20, arrived_at: unreadable time: "soon"
  many.csv line 21, arrived_at: unreadable time: "soon"
  … and 480 more

hint: times are read as 2026-09-01T12:00:00Z, with an offset, or as epoch seconds or milliseconds
hint: `--on-error skip` imports the other rows

"#]],
    );
}

#[test]
fn bad_rows_may_be_left_out() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("mixed.csv"), format!("{GOOD}c,soon\n")).unwrap();
    let ran = import(folder.path(), "arrivals mixed.csv --on-error skip", b"");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
warning: left out 1 bad row (1 unreadable time)
  mixed.csv line 4, arrived_at: unreadable time: "soon"
hint: times are read as 2026-09-01T12:00:00Z, with an offset, or as epoch seconds or milliseconds

"#]]
        .raw()
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
arrivals     3    2          0        1             2

"#]]
        .raw()
    );
    assert_eq!(ran.code, Some(0));
}

#[test]
fn a_dataset_may_begin_with_a_bad_row() {
    let content = "dataset_id,arrived_at\na,soon\nb,2026-09-01T06:00:00Z\na,2026-09-01T05:00:00Z\nb,2026-09-02T06:00:00Z\n";
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.csv"), content).unwrap();
    let ran = import(folder.path(), "arrivals --on-error skip a.csv", b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let store = freshness_store::Store::open(
        folder.path().join("store.db"),
        freshness_store::Access::ReadOnly,
    )
    .unwrap();
    let arrivals: Vec<(String, usize)> = store
        .datasets()
        .unwrap()
        .iter()
        .map(|entry| (entry.id.to_string(), store.history(entry.no).unwrap().len()))
        .collect();
    assert_eq!(arrivals, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
}

#[test]
fn one_bad_file_stops_all_of_them() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("good.csv"), GOOD).unwrap();
    let ran = import(folder.path(), "arrivals good.csv missing.csv", b"");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: missing.csv: no such file

"#]]
        .raw()
    );
    assert_eq!(ran.code, Some(2));
    assert!(!folder.path().join("store.db").exists());
}

#[test]
fn an_id_may_be_nearly_any_text() {
    check_imported(
        "arrivals",
        "ids.csv",
        "dataset_id,arrived_at
raw orders,2026-09-01T05:00:00Z
\"say \"\"hello\"\", twice\",2026-09-01T05:00:00Z
📦 pakete/größe,2026-09-01T05:00:00Z
",
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
arrivals     3    3          0        0             3

"#]],
    );
    let long = "x".repeat(10_000);
    let content = format!("dataset_id,arrived_at\n{long},2026-09-01T05:00:00Z\n");
    check_refused(
        "arrivals",
        "long.csv",
        content,
        str![[r#"
error: 1 bad row (1 dataset id is too long); nothing was imported
  long.csv line 2, dataset_id: dataset id is too long (10000 bytes, at most 1024): "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"

hint: `--on-error skip` imports the other rows

"#]],
    );
    let odd = b"dataset_id,arrived_at\n\x1b[31mred,2026-09-01T05:00:00Z\nca\xff\xfe,1788238800\n";
    check_refused(
        "arrivals",
        "odd.csv",
        odd,
        str![[r#"
error: 2 bad rows (1 control character, 1 not UTF-8 text); nothing was imported
  odd.csv line 2, dataset_id: control character: "\u{1b}[31mred"
  odd.csv line 3, dataset_id: not UTF-8 text: "ca\xff\xfe"

hint: `--on-error skip` imports the other rows

"#]],
    );
}

#[test]
fn a_line_without_end_is_refused_before_it_is_all_in_memory() {
    let long = "x".repeat(3 << 20);
    let content = format!("dataset_id,arrived_at\na,{long}\n");
    check_refused(
        "arrivals",
        "long.csv",
        content,
        str![[r#"
error: long.csv: line 2 is longer than 1 MiB

hint: in CSV, a quote that is opened and never closed makes one long line

"#]],
    );
    let rows = "b,1788238800\n".repeat(200_000);
    let content = format!("dataset_id,arrived_at\n\"a,1788238800\n{rows}");
    check_refused(
        "arrivals",
        "quote.csv",
        content,
        str![[r#"
error: quote.csv: line 2 is longer than 1 MiB

hint: in CSV, a quote that is opened and never closed makes one long line

"#]],
    );
    let content = format!("{{\"dataset_id\":\"{long}\"}}");
    check_refused(
        "arrivals",
        "long.ndjson",
        content,
        str![[r#"
error: long.ndjson: line 1 is longer than 1 MiB

hint: in CSV, a quote that is opened and never closed makes one long line

"#]],
    );
}

#[test]
fn a_quote_that_is_never_closed_is_named_where_it_opens() {
    check_refused(
        "arrivals",
        "quote.csv",
        "dataset_id,arrived_at,note
a,1788238800,\"fine, over
two lines\"
a,1788238801,\"never closed
a,1788238802,
a,1788238803,
",
        str![[r#"
error: 1 bad row (1 quote never closed); nothing was imported
  quote.csv line 4: a quote that is opened here is never closed

hint: all that follows the quote, to the end of the file, is one value: close it, or write "" for a quote inside quotes
hint: `--on-error skip` imports the other rows

"#]],
    );
    check_imported(
        "arrivals",
        "closed.csv",
        "dataset_id,arrived_at,note\na,1788238800,\"over\ntwo lines\"",
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
arrivals     1    1          0        0             1

"#]],
    );
}

#[test]
fn a_cycle_long_after_its_arrival_is_a_bad_row() {
    check_refused(
        "arrivals",
        "cycles.csv",
        "dataset_id,arrived_at,cycle,covers_through
a,2026-08-01T06:00:00Z,2027-07-30,2098-01-01T00:00:00Z
a,2026-08-01T06:00:00Z,2031-08-01,
",
        str![[r#"
error: 1 bad row (1 cycle long after its arrival); nothing was imported
  cycles.csv line 3, cycle: begins more than 366 days after its arrival: "2031-08-01"

hint: `--on-error skip` imports the other rows

"#]],
    );
}

#[test]
fn an_unknown_zone_is_named() {
    let folder = TempDir::new().unwrap();
    let args = "arrivals good.csv --assume-zone Mars/Olympus";
    let ran = import(folder.path(), args, b"");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: invalid value 'Mars/Olympus' for '--assume-zone <ZONE>': unknown time zone: Mars/Olympus

For more information, try '--help'.

"#]]
        .raw()
    );
    assert_eq!(ran.code, Some(2));
}

//! What does a person see who imports good files, and bad ones?
//!
//! Through the real binary, with a pinned clock: each test shows the message.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray,
};
use arrow::datatypes::Int32Type;
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use snapbox::data::Inline;
use snapbox::{IntoData, assert_data_eq, str};
use tempfile::TempDir;

const NOW: &str = "2026-09-30T12:00:00Z";
const GOOD: &str = "dataset_id,arrived_at\na,2026-09-01T05:00:00Z\nb,2026-09-01T06:00:00Z\n";

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs `freshness import …` in a folder.
fn import(folder: &Path, args: &str, stdin: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_freshness"))
        .current_dir(folder)
        .args(["--now", NOW, "--store", "store.db", "import"])
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file that is refused with this message; no store is made.
#[track_caller]
fn check_refused(kind: &str, name: &str, content: impl AsRef<[u8]>, message: Inline) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    let ran = import(folder.path(), &format!("{kind} {name}"), b"");
    assert_data_eq!(ran.stderr, message.raw());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        !folder.path().join("store.db").exists(),
        "nothing is stored"
    );
}

/// A file that is imported: what stdout says.
#[track_caller]
fn check_imported(args: &str, name: &str, content: impl AsRef<[u8]>, stdout: Inline) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    let ran = import(folder.path(), &format!("{args} {name}"), b"");
    assert_data_eq!(ran.stdout, stdout.raw());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn ids() -> ArrayRef {
    Arc::new(StringArray::from(vec!["a", "b"]))
}

/// The times of [`GOOD`].
fn times(per_second: i64) -> Vec<i64> {
    [1_788_238_800, 1_788_242_400]
        .map(|seconds: i64| seconds * per_second)
        .to_vec()
}

#[test]
fn every_format_gives_the_same_arrivals_in_any_order_of_columns() {
    let ndjson = "{\"dataset_id\":\"a\",\"arrived_at\":\"2026-09-01T05:00:00Z\"}\n\n\
                  {\"arrived_at\":1788242400,\"dataset_id\":\"b\",\"more\":{}}";
    let odd_csv = "\u{feff}MORE;arrived_at;dataset_id\r\n7;2026-09-01T05:00:00+00:00;\"a\"\r\n\
                   \r\n\"y\nz\";\"1788242400\";b\r\n";
    let dictionary: DictionaryArray<Int32Type> = vec!["a", "b"].into_iter().collect();
    let columns: [ArrayRef; 6] = [
        Arc::new(TimestampSecondArray::from(times(1)).with_timezone("UTC")),
        Arc::new(TimestampMillisecondArray::from(times(1_000)).with_timezone("+02:00")),
        Arc::new(TimestampMicrosecondArray::from(times(1_000_000)).with_timezone("UTC")),
        Arc::new(TimestampNanosecondArray::from(times(1_000_000_000)).with_timezone("UTC")),
        Arc::new(Int64Array::from(times(1_000))),
        Arc::new(StringArray::from(vec![
            "2026-09-01 05:00:00.000 UTC",
            "2026-09-01T06:00:00Z",
        ])),
    ];
    let mut files = vec![
        GOOD.as_bytes().to_vec(),
        gzip(GOOD.as_bytes()),
        ndjson.as_bytes().to_vec(),
        gzip(ndjson.as_bytes()),
        odd_csv.as_bytes().to_vec(),
    ];
    for column in columns {
        files.push(parquet(vec![
            ("arrived_at", column.clone()),
            ("dataset_id", ids()),
        ]));
        files.push(gzip(&parquet(vec![
            ("dataset_id", Arc::new(dictionary.clone())),
            ("arrived_at", column),
        ])));
    }
    let folder = TempDir::new().unwrap();
    import(folder.path(), "arrivals -", GOOD.as_bytes());
    for (i, content) in files.into_iter().enumerate() {
        fs::write(folder.path().join("file"), content).unwrap();
        let ran = import(folder.path(), "arrivals file --format ndjson", b"");
        let counts = "\"rows\":2,\"new\":0,\"duplicate\":2,\"skipped\":0";
        assert!(
            ran.stdout.contains(counts),
            "{i}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_parquet_time_without_a_zone_is_naive() {
    let naive = parquet(vec![
        ("dataset_id", ids()),
        (
            "arrived_at",
            Arc::new(TimestampMicrosecondArray::from(times(1_000_000))),
        ),
    ]);
    check_refused(
        "arrivals",
        "naive.parquet",
        &naive,
        str![[r#"
error: 2 bad rows (2 time without an offset or zone); nothing was imported
  naive.parquet row 1, arrived_at: time without an offset or zone: 2026-09-01T05:00:00
  naive.parquet row 2, arrived_at: time without an offset or zone: 2026-09-01T06:00:00

hint: say what such times mean with --assume-zone ZONE
hint: `--on-error skip` imports the other rows

"#]],
    );
    check_imported(
        "arrivals --assume-zone UTC",
        "naive.parquet",
        &naive,
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
arrivals     2    2          0        0             2

"#]],
    );
}

#[test]
fn standard_input_is_read_and_its_format_told_or_said() {
    let folder = TempDir::new().unwrap();
    let ran = import(
        folder.path(),
        "arrivals - --input-format csv",
        GOOD.as_bytes(),
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
arrivals     2    2          0        0             2

"#]]
        .raw()
    );
    let ran = import(folder.path(), "arrivals -", b"");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: <stdin>: the file is empty

"#]]
        .raw()
    );
    let ran = import(
        folder.path(),
        "arrivals - --input-format parquet",
        GOOD.as_bytes(),
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: <stdin>: not a Parquet file: it does not begin with PAR1

hint: CSV, NDJSON (both plain or gzip) and Parquet are read; --input-format says which

"#]]
        .raw()
    );
}

#[test]
fn importing_a_file_again_adds_nothing_and_says_when_it_was() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("one.csv"), GOOD).unwrap();
    fs::write(folder.path().join("same.csv"), GOOD).unwrap();
    import(folder.path(), "arrivals one.csv", b"");
    let ran = import(folder.path(), "arrivals same.csv --format json", b"");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
same.csv: already imported on 2026-09-30T12:00:00Z (one.csv): 0 new

"#]]
        .raw()
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
{
  "version": 1,
  "imported": "arrivals",
  "rows": 2,
  "new": 0,
  "duplicate": 2,
  "skipped": 0,
  "datasets_new": 0,
  "files": [
    {
      "file": "same.csv",
      "rows": 2,
      "new": 0,
      "duplicate": 2,
      "skipped": 0,
      "imported_before": "2026-09-30T12:00:00Z"
    }
  ],
  "skipped_by_kind": []
}

"#]]
        .raw()
    );
    assert_eq!(ran.code, Some(0));
}

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
fn what_is_not_a_table_is_named() {
    let junk = [7u8, 0, 1, 2, 255, 254, 0, 9];
    check_refused(
        "arrivals",
        "junk.csv",
        junk,
        str![[r#"
error: junk.csv: not CSV, NDJSON or Parquet: binary data

hint: CSV, NDJSON (both plain or gzip) and Parquet are read; --input-format says which

"#]],
    );
    check_refused(
        "arrivals",
        "book.xlsx",
        b"PK\x03\x04rest of a zip",
        str![[r#"
error: book.xlsx: not CSV, NDJSON or Parquet: a zip archive or an Excel workbook

hint: CSV, NDJSON (both plain or gzip) and Parquet are read; --input-format says which

"#]],
    );
    check_refused(
        "arrivals",
        "wide.csv",
        b"\xff\xfed\0a\0",
        str![[r#"
error: wide.csv: not CSV, NDJSON or Parquet: UTF-16 text (save it as UTF-8)

hint: CSV, NDJSON (both plain or gzip) and Parquet are read; --input-format says which

"#]],
    );
    check_refused(
        "arrivals",
        "list.json",
        "[{\"dataset_id\":\"a\"}]",
        str![[r#"
error: list.json: not CSV, NDJSON or Parquet: a JSON array (write one object on each line: jq -c '.[]')

hint: CSV, NDJSON (both plain or gzip) and Parquet are read; --input-format says which

"#]],
    );
    check_refused(
        "arrivals",
        "text.parquet",
        GOOD,
        str![[r#"
error: text.parquet: not a Parquet file: it does not begin with PAR1

hint: CSV, NDJSON (both plain or gzip) and Parquet are read; --input-format says which

"#]],
    );
    let folder = TempDir::new().unwrap();
    let ran = import(folder.path(), "arrivals .", b"");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: .: a directory, not a file

hint: name the files in it: DIR/*.csv

"#]]
        .raw()
    );
}

#[test]
fn an_empty_file_is_an_error_and_a_header_alone_a_warning() {
    check_refused(
        "arrivals",
        "empty.csv",
        "",
        str![[r#"
error: empty.csv: the file is empty

"#]],
    );
    check_refused(
        "arrivals",
        "blank.csv",
        "\n\n  \n",
        str![[r#"
error: blank.csv: the file is empty

"#]],
    );
    check_imported(
        "arrivals",
        "header.csv",
        "dataset_id,arrived_at\n",
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
arrivals     0    0          0        0             0

"#]],
    );
}

#[test]
fn a_missing_column_is_named_with_those_found() {
    let near = "dataset_id,arived_at,x\na,b,c\n";
    check_refused(
        "arrivals",
        "near.csv",
        near,
        str![[r#"
error: near.csv: missing column: arrived_at (found: dataset_id, arived_at, x)

hint: rename arived_at to arrived_at, if that is what it is

"#]],
    );
    check_refused(
        "arrivals",
        "meant.csv",
        "table_name,loaded_at\n",
        str![[r#"
error: meant.csv: missing column: dataset_id (found: table_name, loaded_at)

hint: rename table_name to dataset_id, if that is what it is

"#]],
    );
    check_refused(
        "arrivals",
        "none.csv",
        "first,second\n",
        str![[r#"
error: none.csv: missing column: dataset_id (found: first, second)

hint: the first line of a CSV file must name its columns: one must be dataset_id

"#]],
    );
    let keys = "{\"dataset_id\":\"a\",\"when\":1}\n";
    check_refused(
        "arrivals",
        "keys.ndjson",
        keys,
        str![[r#"
error: keys.ndjson: missing column: arrived_at (found: dataset_id, when)

hint: the keys of the objects name the columns: one must be arrived_at

"#]],
    );
    let twice = "dataset_id,arrived_at,Arrived_At\n";
    check_refused(
        "arrivals",
        "twice.csv",
        twice,
        str![[r#"
error: twice.csv: column named twice: arrived_at

"#]],
    );
}

#[test]
fn truncated_files_are_told_from_whole_ones() {
    let rows: String = (0..5_000)
        .map(|i| format!("d{i},{}\n", 1_788_238_800 + i * 37))
        .collect();
    let zipped = gzip(format!("dataset_id,arrived_at\n{rows}").as_bytes());
    let half = &zipped[..zipped.len() / 2];
    check_refused(
        "arrivals",
        "cut.csv.gz",
        half,
        str![[r#"
error: cut.csv.gz: truncated gzip: the data ends in the middle

hint: was the file still being written? fetch it again

"#]],
    );
    let whole = parquet(vec![
        ("dataset_id", ids()),
        ("arrived_at", Arc::new(Int64Array::from(times(1)))),
    ]);
    let half = &whole[..whole.len() / 2];
    check_refused(
        "arrivals",
        "cut.parquet",
        half,
        str![[r#"
error: cut.parquet: damaged or truncated Parquet: parquet error: invalid parquet file. corrupt footer

hint: was the file still being written? fetch it again

"#]],
    );
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

#[test]
fn what_is_declared_is_read_from_csv_and_json() {
    check_imported(
        "datasets",
        "datasets.csv",
        "dataset_id,grain,timezone,calendar,critical,owner,team,tags
fct_orders,daily,Europe/Berlin,business days DE,yes,ann,sales,\"core, pii\"
clicks,15min,,,no,,,
",
        str![[r#"
imported  rows  new  changed  unchanged  skipped
datasets     2    2        0          0        0

"#]],
    );
    check_imported(
        "datasets",
        "datasets.ndjson",
        "{\"dataset_id\":\"a\",\"calendar\":\"Mon-Fri\",\"critical\":true,\"tags\":[\"core\"]}\n",
        str![[r#"
imported  rows  new  changed  unchanged  skipped
datasets     1    1        0          0        0

"#]],
    );
}

#[test]
fn what_cannot_be_declared_is_named() {
    check_refused(
        "datasets",
        "datasets.csv",
        "dataset_id,grain,timezone,calendar,critical
a,fortnightly,,,
b,,Mars/Olympus,,
c,,,dailyish,
d,,,business days ZZ,
e,,,,maybe
f,hourly,,Mon-Fri,
g,daily,,,
g,weekly,,,
",
        str![[r#"
error: 7 bad rows (1 country without known holidays, 1 declared twice, 1 grain and calendar disagree, 1 neither true nor false, 1 unknown calendar, 1 unknown grain, 1 unknown time zone); nothing was imported
  datasets.csv line 2, grain: unknown grain (expected 5min to 30min, hourly, 2h to 12h, daily, weekly or monthly): "fortnightly"
  datasets.csv line 3, timezone: unknown time zone (expected a name such as Europe/Berlin or UTC): "Mars/Olympus"
  datasets.csv line 4, calendar: unknown calendar: "dailyish"
  datasets.csv line 5, calendar: no holidays are known for the country ZZ of the calendar: "business days ZZ"
  datasets.csv line 6, critical: neither true nor false: "maybe"
  datasets.csv line 7, grain: calendar comes daily, grain is hourly: "hourly"
  datasets.csv line 9, dataset_id: declared twice with different fields (first in line 8): "g"

hint: calendars are: every 15 minutes, hourly or every 6 hours, each perhaps with days and hours such as Mon-Fri 09-17; set times such as 06:00, 18:00 Mon-Fri; daily, Mon-Fri, Mon, Wed or weekly Wed; business days US, or +1 for the day after; monthly day 1, monthly last day, monthly business day 3 US or monthly last business day US; irregular
hint: `--on-error skip` imports the other rows

"#]],
    );
}

#[test]
fn a_lineage_cycle_names_the_datasets_on_it() {
    let cycle = "upstream_id,downstream_id\nraw,stg\nstg,fct\nfct,stg\nfct,report\n";
    check_refused(
        "lineage",
        "lineage.csv",
        cycle,
        str![[r#"
error: lineage has a cycle: fct → stg → fct

hint: nothing was imported; one of these edges is wrong

"#]],
    );
    let itself = "upstream_id,downstream_id\na,a\n";
    check_refused(
        "lineage",
        "self.csv",
        itself,
        str![[r#"
error: lineage has a cycle: a → a

hint: nothing was imported; one of these edges is wrong

"#]],
    );
}

#[test]
fn a_cycle_closed_by_a_later_file_is_refused_and_the_rest_stays() {
    let folder = TempDir::new().unwrap();
    let lineage = |edges: &str, args: &str| {
        let content = format!("upstream_id,downstream_id\n{edges}");
        import(
            folder.path(),
            &format!("lineage - {args}"),
            content.as_bytes(),
        )
    };
    let ran = lineage("a,b\nb,c\na,b\n", "");
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
lineage      3    2          1        0             3

"#]]
        .raw()
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 3 datasets not known before, named by an edge: a, b, c

"#]]
        .raw()
    );
    let ran = lineage("c,a\n", "");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: lineage has a cycle: a → b → c → a

hint: nothing was imported; one of these edges is wrong

"#]]
        .raw()
    );
    assert_eq!(ran.code, Some(2));
    let ran = lineage("c,a\n", "--replace");
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  rows  new  duplicate  removed  skipped  new datasets
lineage      1    1          0        2        0             0

"#]]
        .raw()
    );
}

#[test]
fn gzip_may_have_several_members_and_zeros_after_them_but_nothing_else() {
    let first = gzip(b"dataset_id,arrived_at\na,1788238800\n");
    let padded = [first, gzip(b"b,1788242400\n"), vec![0; 300_000]].concat();
    check_imported(
        "arrivals",
        "padded.csv.gz",
        &padded,
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
arrivals     2    2          0        0             2

"#]],
    );
    check_refused(
        "arrivals",
        "junk.csv.gz",
        [padded.as_slice(), b"junk"].concat(),
        str![[r#"
error: junk.csv.gz: after the end of the gzip data comes something else

hint: cut off what follows, or fetch the file again

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
fn a_column_that_parquet_lacks_is_missed_in_its_schema() {
    check_refused(
        "arrivals",
        "none.parquet",
        parquet(vec![("dataset_id", ids()), ("x", ids())]),
        str![[r#"
error: none.parquet: missing column: arrived_at (found: dataset_id, x)

hint: the schema of the file names the columns: one must be arrived_at

"#]],
    );
}

#[test]
fn lineage_names_the_first_datasets_that_were_not_known() {
    let folder = TempDir::new().unwrap();
    let edges: String = (1..=4).map(|i| format!("up{i},down{i}\n")).collect();
    let edges = format!("upstream_id,downstream_id\n{edges}");
    let ran = import(folder.path(), "lineage -", edges.as_bytes());
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 8 datasets not known before, named by an edge: up1, down1, up2, down2, up3 and 3 more

"#]]
    );
}

/// A cause is said once, and the remedy is that of the command.
#[cfg(unix)]
#[test]
fn a_folder_is_neither_a_file_nor_a_store() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("store.db")).unwrap();
    let good = b"dataset_id,arrived_at\na,1788238800\n";
    let ran = import(folder.path(), "arrivals -", good);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: cannot open the store: store.db: is a directory

"#]]
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_asks_for_the_right_to_write() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    // By another process: a program that any process of ours still holds open
    // for writing, such as a child of another test, cannot be started.
    let copied = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_freshness"))
        .arg(path("freshness"))
        .status();
    assert!(copied.unwrap().success());
    fs::write(path("a.csv"), "dataset_id,arrived_at\na,1788238800\n").unwrap();
    fs::write(path("secret.csv"), "dataset_id,arrived_at\n").unwrap();
    let allow = |name: &str, mode| {
        fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    allow("secret.csv", 0o000);
    allow("", 0o555);
    let run = |file: &str| {
        let mut command = Command::new(path("freshness"));
        command
            .current_dir(folder.path())
            .args(["--now", NOW, "--store", "new/store.db"])
            .args(["import", "arrivals", file]);
        if fs::metadata(path("a.csv")).unwrap().uid() == 0 {
            // Root may write everywhere: play it as nobody.
            command.uid(65_534).gid(65_534);
        }
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert_data_eq!(
        run("a.csv"),
        str![[r#"
error: cannot open the store: new/store.db: Permission denied (os error 13)

hint: give this user the right to write the file and its folder, or name another with --store

"#]]
    );
    assert_data_eq!(
        run("secret.csv"),
        str![[r#"
error: secret.csv: cannot be read: Permission denied (os error 13)

"#]]
    );
    allow("", 0o755);
}

//! In which forms are arrivals read, and which files are no such form?

use super::*;

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

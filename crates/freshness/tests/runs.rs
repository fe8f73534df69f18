//! What does a person see who imports runs?

use std::fs;

use snapbox::{assert_data_eq, str};

mod house;
use house::{House, duckdb};

const RUNS: &str = "\
dataset_id,run_id,finished_at,environment,started_at,stage,reprocess_from,reprocess_to,counts_source,counts_total,counts_good,counts_quarantined,newest,source_newest,non_null,non_null_of
orders,1,2026-02-26T06:00:00Z,,2026-02-26T05:50:00Z,normal,,,1000,1000,990,10,2026-02-26T05:59:00Z,2026-02-26T05:00:00Z,999,1000
orders,2,2026-02-27T06:00:00Z,prod,,no new data,,,0,,,,no rows,all_null,no column,
orders,3,2026-02-28T06:00:00Z,dev,,reprocess,2026-02-01T00:00:00Z,2026-02-02T00:00:00Z,5,,,,noonish,,,
";

fn house(files: &[(&str, &str)]) -> House {
    let house = House::empty();
    for (name, content) in files {
        fs::write(house.path(name), content).unwrap();
    }
    house
}

#[test]
fn runs_are_imported_once_whatever_the_format() {
    let ndjson = "{\"dataset_id\":\"orders\",\"run_id\":1,\"finished_at\":\"2026-02-26T06:00:00Z\",\"counts_source\":1000}\n";
    let house = house(&[("runs.csv", RUNS), ("runs.ndjson", ndjson)]);
    let ran = house.run("import runs runs.csv").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  rows  new  duplicate  changed  skipped  new datasets
runs         3    3          0        0        0             1

"#]]
    );
    let again = house.run("import runs runs.csv").expect(0);
    assert!(
        again.stdout.contains("3    0          3"),
        "{}",
        again.stdout
    );
    // The one that says more stays.
    let less = house.run("import runs runs.ndjson --format json").expect(0);
    assert!(less.stdout.contains("\"duplicate\": 1"), "{}", less.stdout);
}

#[test]
fn runs_are_read_from_parquet_as_databases_write_it() {
    let house = house(&[("runs.csv", RUNS)]);
    let text = |name: &str| house.path(name).display().to_string();
    // Texts as they stand, and as a database types them.
    let all = "read_csv('RUNS', all_varchar = true, nullstr = '')";
    let all = all.replace("RUNS", &text("runs.csv"));
    duckdb::run(
        &house.path("any.duckdb"),
        &format!(
            "SET TimeZone = 'UTC';
COPY (SELECT * FROM {all}) TO '{}' (FORMAT parquet);
COPY (SELECT * REPLACE (run_id::INTEGER AS run_id, finished_at::TIMESTAMPTZ AS finished_at,
    started_at::TIMESTAMPTZ AS started_at, counts_source::BIGINT AS counts_source,
    counts_total::INTEGER AS counts_total, counts_good::UINTEGER AS counts_good)
    FROM {all}) TO '{}' (FORMAT parquet);
",
            text("texts.parquet"),
            text("typed.parquet")
        ),
    );
    let ran = house.run("import runs runs.csv --format json").expect(0);
    assert!(ran.stdout.contains("\"new\": 3"), "{ran:?}");
    for file in ["texts.parquet", "typed.parquet"] {
        // Just what is known by the text.
        let ran = house
            .run(&format!("import runs {file} --format json"))
            .expect(0);
        for count in ["\"rows\": 3", "\"duplicate\": 3", "\"changed\": 0"] {
            assert!(ran.stdout.contains(count), "{file}: {ran:?}");
        }
        let alone = format!("import runs {file} --store {file}.db --format json");
        let ran = house.run(&alone).expect(0);
        assert!(ran.stdout.contains("\"new\": 3"), "{file}: {ran:?}");
    }
    let bytes = fs::read(house.path("typed.parquet")).unwrap();
    fs::write(house.path("half.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    let ran = house.run("import runs half.parquet").expect(2);
    assert!(ran.stderr.contains("half.parquet"), "{ran:?}");
}

/// Of two that say as much at the same end neither can be known to be right.
#[test]
fn of_two_that_contradict_each_other_the_worse_stays_whatever_came_first() {
    let told = |good: u64| {
        format!(
            "dataset_id,run_id,finished_at,counts_total,counts_good\norders,1,2026-02-26T07:00:00Z,100,{good}\n"
        )
    };
    for files in [["good.csv", "bad.csv"], ["bad.csv", "good.csv"]] {
        let house = house(&[("good.csv", &told(97)), ("bad.csv", &told(3))]);
        let contract = "dataset: orders\nservice_levels:\n  quality: { min_good_ratio: 0.9 }\n";
        fs::write(house.path("orders.yaml"), contract).unwrap();
        house.run("import slo orders.yaml").expect(0);
        house.run(&format!("import runs {}", files[0])).expect(0);
        let second = house.run(&format!("import runs {}", files[1])).expect(0);
        assert!(
            second.stderr.contains("1 run told differently before"),
            "{second:?}"
        );
        let checked = house.run("slo check").expect(1);
        assert!(checked.stdout.contains("3 % good"), "{}", checked.stdout);
    }
}

#[test]
fn there_cannot_be_more_good_rows_than_rows() {
    for counts in ["100,300,0", "100,90,30", "100,,101"] {
        let rows = format!(
            "dataset_id,run_id,finished_at,counts_total,counts_good,counts_quarantined\norders,1,2026-02-26T07:00:00Z,{counts}\n"
        );
        let house = house(&[("runs.csv", &rows)]);
        let ran = house.run("import runs runs.csv").expect(2);
        assert!(
            ran.stderr.contains("more rows than there are in all"),
            "{ran:?}"
        );
    }
}

#[test]
fn a_run_that_ended_later_takes_the_place_of_one_of_its_name() {
    let later = "dataset_id,run_id,finished_at\norders,1,2026-02-26T07:00:00Z\n";
    let house = house(&[("runs.csv", RUNS), ("later.csv", later)]);
    house.run("import runs runs.csv").expect(0);
    let ran = house.run("import runs later.csv --format json").expect(0);
    assert!(ran.stdout.contains("\"changed\": 1"), "{}", ran.stdout);
    let back = house.run("import runs runs.csv --format json").expect(0);
    assert!(back.stdout.contains("\"duplicate\": 3"), "{}", back.stdout);
}

#[test]
fn a_bad_run_is_named_by_its_line_column_and_value() {
    let bad = "\
dataset_id,run_id,finished_at,started_at,stage,counts_source,newest,non_null,non_null_of,reprocess_from,reprocess_to
orders,,2026-02-26T06:00:00Z,,,,,,,,
orders,2,2026-02-26T06:00:00Z,2026-02-26T07:00:00Z,,,,,,,
orders,3,2026-02-26T06:00:00Z,,nightly,,,,,,
orders,4,2026-02-26T06:00:00Z,,,-1,,,,,
orders,5,2026-02-26T06:00:00Z,,,,2026-02-26 06:00:00,,,,
orders,6,2026-02-26T06:00:00Z,,,,,11,10,,
orders,7,2026-02-26T06:00:00Z,,reprocess,,,,,2026-02-02T00:00:00Z,2026-02-01T00:00:00Z
orders,8,2026-03-26T06:00:00Z,,,,,,,,
";
    let house = house(&[("bad.csv", bad)]);
    let ran = house.run("import runs bad.csv").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: 8 bad rows (2 ends before it begins, 1 in the future, 1 more rows than in all, 1 no value, 1 not a number of rows, 1 time without an offset or zone, 1 unknown stage); nothing was imported
  bad.csv line 2, run_id: no value
  bad.csv line 3, finished_at: not after its begin: "2026-02-26T06:00:00Z"
  bad.csv line 4, stage: unknown stage (expected normal, reprocess or no_new_data): "nightly"
  bad.csv line 5, counts_source: not a number of rows (expected a whole number from 0): "-1"
  bad.csv line 6, newest: time without an offset or zone: "2026-02-26 06:00:00"
  bad.csv line 7, non_null: more rows than there are in all: "11"
  bad.csv line 8, reprocess_to: not after its begin: "2026-02-01T00:00:00Z"
  bad.csv line 9, finished_at: in the future (more than 5 minutes after 2026-02-28T12:00:00Z): "2026-03-26T06:00:00Z"

hint: say what such times mean with --assume-zone ZONE
...
"#]]
    );
    // A span is of days, whole ones, also a single one.
    let days = "dataset_id,run_id,finished_at,stage,reprocess_from,reprocess_to
orders,1,2026-02-26T06:00:00Z,reprocess,2026-02-01,2026-02-01
orders,2,2026-02-26T06:00:00Z,reprocess,2026-02-01,2026-02-03T12:00:00Z
";
    fs::write(house.path("days.csv"), days).unwrap();
    house.run("import runs days.csv").expect(0);
    house
        .run("import runs days.csv --assume-zone Asia/Tokyo")
        .expect(0);
    let turned = days.replace("2026-02-01\n", "2026-01-31\n");
    fs::write(house.path("turned.csv"), turned).unwrap();
    let ran = house.run("import runs turned.csv").expect(2);
    assert!(
        ran.stderr
            .contains("line 2, reprocess_to: not after its begin: \"2026-01-31\""),
        "{ran:?}"
    );
    let day = "dataset_id,run_id,finished_at\norders,1,2026-02-26\n";
    fs::write(house.path("day.csv"), day).unwrap();
    let ran = house.run("import runs day.csv").expect(2);
    assert!(
        ran.stderr.contains("hint: a time of day is needed"),
        "{ran:?}"
    );
    // A zone that is said mends the one that lacks it.
    let naive = "dataset_id,run_id,finished_at,newest\norders,1,2026-02-26 06:00:00,2026-02-26\n";
    fs::write(house.path("naive.csv"), naive).unwrap();
    house
        .run("import runs naive.csv --assume-zone Asia/Tokyo")
        .expect(0);
}

#[test]
fn a_column_that_is_one_letter_off_is_refused_and_not_ignored() {
    let csv =
        "dataset_id,run_id,finished_at,enviroment,team\norders,1,2026-02-26T06:00:00Z,dev,x\n";
    let ndjson = "{\"dataset_id\":\"orders\",\"run_id\":1,\"finished_at\":\"2026-02-26T06:00:00Z\",\"environment\":\"dev\"}
{\"dataset_id\":\"orders\",\"run_id\":2,\"finished_at\":\"2026-02-26T06:00:00Z\",\"enviroment\":\"dev\"}\n";
    let arrivals = "dataset_id,arrived_at,row_s\norders,2026-02-26T06:00:00Z,1\n";
    let datasets = "dataset_id,garin\norders,daily\n";
    let house = house(&[
        ("a.csv", csv),
        ("b.ndjson", ndjson),
        ("c.csv", arrivals),
        ("d.csv", datasets),
    ]);
    for (line, given, meant) in [
        ("runs a.csv", "enviroment", "environment"),
        ("runs b.ndjson", "enviroment", "environment"),
        ("arrivals c.csv", "row_s", "rows"),
        ("datasets d.csv", "garin", "grain"),
    ] {
        let ran = house.run(&format!("import {line}")).expect(2);
        let error = format!("unknown column: {given}\n\nhint: did you mean `{meant}`?\n");
        assert!(ran.stderr.ends_with(&error), "{}", ran.stderr);
    }
    // What has both names means both.
    let both = csv.replace("team", "environment");
    fs::write(house.path("both.csv"), both).unwrap();
    let ran = house.run("import runs both.csv").expect(0);
    assert!(
        ran.stderr.contains("columns ignored: enviroment"),
        "{ran:?}"
    );
}

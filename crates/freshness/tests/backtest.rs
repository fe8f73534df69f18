//! What would have been raised over a stretch of the past?

mod house;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;

use arrow::array::{Array, BooleanArray, StringArray, TimestampMillisecondArray};
use house::House;
use jiff::Timestamp;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

const WINDOW: &str = "--from 2026-02-20 --to 2026-02-28";

fn rows(house: &House, file: &str) -> Vec<String> {
    let text = fs::read_to_string(house.path(file)).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn one_row_for_each_expected_cycle_says_what_became_of_it() {
    let house = House::imported();
    house
        .run(&format!("backtest {WINDOW} --out out.csv"))
        .expect(0);
    let rows = rows(&house, "out.csv");
    assert_eq!(
        rows[0],
        "dataset_id,cycle,cycle_start,deadline,arrived_at,state,alerted,severity,model_status,held_up_by"
    );
    let orders: Vec<&str> = rows
        .iter()
        .filter(|row| row.starts_with("raw_orders,"))
        .map(String::as_str)
        .collect();
    assert_eq!(orders.len(), 8);
    assert!(orders[0].starts_with("raw_orders,2026-02-20,2026-02-20T00:00:00Z,2026-02-20T06:"));
    assert!(orders[0].ends_with("Z,ok,false,,learned,"), "{}", orders[0]);
    // It stopped on the 26th: no arrival, alerted.
    assert!(
        orders[6].contains("Z,,missed,true,critical,learned"),
        "{}",
        orders[6]
    );
}

/// A cell of the CSV, as NDJSON and Parquet would say it.
fn spelled(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    let any = column.as_any();
    if let Some(text) = any.downcast_ref::<StringArray>() {
        return text.value(row).to_owned();
    }
    if let Some(flag) = any.downcast_ref::<BooleanArray>() {
        return flag.value(row).to_string();
    }
    let instant = any.downcast_ref::<TimestampMillisecondArray>().unwrap();
    let instant = Timestamp::from_millisecond(instant.value(row)).unwrap();
    instant.to_string()
}

#[test]
fn all_formats_hold_the_same_rows_and_no_store_is_needed() {
    let house = House::imported();
    for out in ["a.csv", "a.ndjson", "a.parquet"] {
        house
            .run(&format!("backtest {WINDOW} --out {out}"))
            .expect(0);
    }
    let csv = rows(&house, "a.csv");
    let columns: Vec<&str> = csv[0].split(',').collect();
    let from_ndjson = rows(&house, "a.ndjson").into_iter().map(|line| {
        let line: Value = serde_json::from_str(&line).unwrap();
        let cells = columns.iter().map(|&column| match &line[column] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        cells.collect::<Vec<_>>().join(",")
    });
    assert_eq!(from_ndjson.collect::<Vec<_>>(), csv[1..]);

    let file = File::open(house.path("a.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let from_parquet = reader.build().unwrap().flat_map(|batch| {
        let batch = batch.unwrap();
        let row = |row| {
            let cells = batch.columns().iter().map(|column| spelled(column, row));
            cells.collect::<Vec<_>>().join(",")
        };
        (0..batch.num_rows()).map(row).collect::<Vec<_>>()
    });
    assert_eq!(from_parquet.collect::<Vec<_>>(), csv[1..]);

    fs::rename(house.path(".freshness"), house.path("elsewhere")).unwrap();
    let line =
        format!("backtest {WINDOW} --arrivals arrivals.csv --datasets datasets.csv --out b.csv");
    house.run(&line).expect(0);
    assert_eq!(rows(&house, "b.csv"), csv);
    assert!(!house.path(".freshness").exists());
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let house = House::imported();
    let written: BTreeSet<String> = [1, 2, 7]
        .map(|threads| {
            house
                .run(&format!(
                    "backtest {WINDOW} --threads {threads} --out t.csv"
                ))
                .expect(0);
            fs::read_to_string(house.path("t.csv")).unwrap()
        })
        .into();
    assert_eq!(written.len(), 1);
}

#[test]
fn a_summary_counts_alerts_by_dataset_and_by_week() {
    let ran = House::imported()
        .run(&format!("backtest {WINDOW} --summary"))
        .expect(0);
    // raw_orders misses two cycles in a row: one alert, two alerted cycles.
    assert_data_eq!(
        ran.stdout,
        str![[r#"
DATASET      CYCLES  ALERTS  A WEEK  ALERTED CYCLES  ARRIVED LATE  MISSED  NOT ALERTED: ADVISORY
events          192       0    0.00               0             0       0                      0
fct_revenue       6       0    0.00               0             0       0                      0
new_feed          4       0    0.00               0             0       0                      0
raw_orders        8       1    0.88               2             0       2                      0

WEEK FROM   ALERTS  DATASETS  ALERTED CYCLES  ARRIVED LATE  MISSED  NOT ALERTED: ADVISORY  WORST DATASET
2026-02-16       0         0               0             0       0                      0  -
2026-02-23       1         1               2             0       2                      0  raw_orders (1)

1 alert of 1 dataset in 1.1 weeks: 0.12 a day, 0.88 a week, 35.99 per 1,000 dataset-days.
They stand for 2 alerted cycles (rows with alerted=true): an alert stands until the next delivery, and
what else is late meanwhile raises no other. Weeks begin on Monday, UTC; a deadline's counts.

"#]]
    );
}

#[test]
fn the_summary_as_json_is_what_the_rows_say() {
    let house = House::imported();
    let line = format!("backtest {WINDOW} --summary --out a.csv --format");
    let ran = house.run(&format!("{line} json")).expect(0);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["version"], 1);
    assert_eq!(summary["from"], "2026-02-20T00:00:00Z");
    let rows = rows(&house, "a.csv");
    let alerted = rows.iter().filter(|row| row.contains(",true,")).count();
    let number = |of: &Value| of.as_u64().unwrap();
    assert_eq!(number(&summary["total"]["n_cycles"]), rows.len() as u64 - 1);
    assert_eq!(
        number(&summary["total"]["n_alerted_cycles"]),
        alerted as u64
    );
    for count in [
        "n_alerts",
        "n_alerted_cycles",
        "n_advisory_cycles",
        "n_arrived_late",
        "n_missed",
    ] {
        for part in ["datasets", "weeks"] {
            let each = summary[part].as_array().unwrap();
            let sum: u64 = each.iter().map(|one| number(&one[count])).sum();
            assert_eq!(sum, number(&summary["total"][count]), "{count} of {part}");
        }
    }

    let ran = house.run(&format!("{line} ndjson")).expect(0);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let parts: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line["part"].as_str())
        .collect();
    assert_eq!(parts, BTreeSet::from(["dataset", "week", "total"]));
    let last = lines.last().unwrap();
    assert_eq!(last["n_alerts"], summary["total"]["n_alerts"]);
}

#[test]
fn a_file_is_replaced_when_the_new_one_is_complete_and_not_before() {
    let house = House::imported();
    fs::write(house.path("out.csv"), "as it was").unwrap();
    fs::write(house.path("out.unfinished"), "somebody else's").unwrap();
    // No file may become larger than half a kilobyte, as on a full disk.
    let binary = env!("CARGO_BIN_EXE_freshness");
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {binary} backtest --now {} {WINDOW} \
        --arrivals arrivals.csv --out out.csv",
        house::NOW
    );
    let mut shell = std::process::Command::new("sh");
    let ran = shell.current_dir(house.path("")).args(["-c", &script]);
    let ran = ran.output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(told.contains("cannot write "), "{told}");
    assert_eq!(
        fs::read_to_string(house.path("out.csv")).unwrap(),
        "as it was"
    );
    assert!(!house.path("out.csv.unfinished").exists());

    house
        .run(&format!("backtest {WINDOW} --out out.csv"))
        .expect(0);
    assert!(rows(&house, "out.csv").len() > 100);
    assert!(!house.path("out.csv.unfinished").exists());
    let other = fs::read_to_string(house.path("out.unfinished")).unwrap();
    assert_eq!(other, "somebody else's");
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_is_read() {
    let house = House::empty();
    fs::create_dir(house.path("folder.csv")).unwrap();
    let check = |out: &str, stderr: snapbox::data::Inline| {
        let line = format!("backtest {WINDOW} --arrivals none.csv --out {out}");
        assert_data_eq!(house.run(&line).expect(2).stderr, stderr);
    };
    check(
        "folder.csv",
        str![[r#"
error: a folder, not a file: folder.csv

hint: name a file in it

"#]],
    );
    check(
        "nowhere/out.csv",
        str![[r#"
error: cannot write nowhere/out.csv: No such file or directory (os error 2)

"#]],
    );
    check(
        "out.xlsx",
        str![[r#"
error: unknown kind of file: out.xlsx

hint: the name ends in .csv, .ndjson or .parquet

"#]],
    );
    check(
        "out.csv",
        str![[r#"
error: none.csv: no such file

"#]],
    );
    assert!(!house.path("out.csv").exists() && !house.path("out.csv.unfinished").exists());
}

#[test]
fn a_backtest_that_is_killed_leaves_nothing_behind() {
    let house = House::imported();
    let temporary = house.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut command = house.command(&format!(
        "backtest {WINDOW} --arrivals - --datasets datasets.csv --out out.csv"
    ));
    let command = command.env("TMPDIR", &temporary).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // More than a pipe holds: when it is written, some of it has been read.
    let arrivals = fs::read(house.path("arrivals.csv")).unwrap().repeat(4);
    assert!(arrivals.len() > 1 << 17);
    child.stdin.as_mut().unwrap().write_all(&arrivals).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    let names = fs::read_dir(house.path("")).unwrap();
    let left: Vec<_> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("out"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_window_without_a_past_is_refused() {
    let house = House::imported();
    let check = |line: &str, stderr: snapbox::data::Inline| {
        assert_data_eq!(house.run(line).expect(2).stderr, stderr);
    };
    check(
        "backtest --from 2026-02-28 --to 2026-02-20 --summary",
        str![[r#"
error: the window is empty: it begins 2026-02-28T00:00:00Z and ends 2026-02-20T00:00:00Z

hint: --from must be before --to

"#]],
    );
    check(
        "backtest --from 2027-01-01 --to 2027-02-01 --summary",
        str![[r#"
error: the window lies ahead: it begins 2027-01-01T00:00:00Z, now is 2026-02-28T12:00:00Z

hint: a backtest replays the past

"#]],
    );
    check(
        "backtest --from 1995-01-01 --to 1995-02-01 --summary",
        str![[r#"
error: the window lies before the history: it ends 1995-02-01T00:00:00Z, the first arrival was 2025-12-01T00:10:00Z

hint: choose a window inside the history

"#]],
    );
    check(
        "backtest --from 2026-02-01 --to 2026-02-20 --arrivals arrivals.csv --out ./arrivals.csv",
        str![[r#"
error: --out would overwrite an input: arrivals.csv

hint: name another file

"#]],
    );
    check(
        "backtest --from 2026-02-01 --to 2026-02-20 --out rows.txt",
        str![[r#"
error: unknown kind of file: rows.txt

hint: the name ends in .csv, .ndjson or .parquet

"#]],
    );
}

//! What would have been raised over a stretch of the past?

mod house;

use std::collections::BTreeSet;
use std::fs::{self, File};

use house::House;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
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
        "dataset_id,cycle,cycle_start,deadline,arrived_at,state,alerted,severity,model_status"
    );
    let orders: Vec<&str> = rows
        .iter()
        .filter(|row| row.starts_with("raw_orders,"))
        .map(String::as_str)
        .collect();
    assert_eq!(orders.len(), 8);
    assert!(orders[0].starts_with("raw_orders,2026-02-20,2026-02-20T00:00:00Z,2026-02-20T06:"));
    assert!(orders[0].ends_with("Z,ok,false,,learned"), "{}", orders[0]);
    // It stopped on the 26th: no arrival, alerted.
    assert!(
        orders[6].contains("Z,,missed,true,critical,learned"),
        "{}",
        orders[6]
    );
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
    assert_eq!(rows(&house, "a.ndjson").len(), csv.len() - 1);
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(house.path("a.parquet")).unwrap())
            .unwrap()
            .build()
            .unwrap();
    let n_rows: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(n_rows, csv.len() - 1);

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
    let orders = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("raw_orders"))
        .unwrap();
    // Two cycles in a row are missed: one alert.
    let words: Vec<&str> = orders.split_whitespace().collect();
    assert_eq!(words[1..3], ["8", "1"], "{orders}");
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
error: nothing to replay: no dataset has an expected cycle in the window

hint: choose a window inside the history; `freshness status` shows the last arrivals

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
error: unknown kind of file: rows.txt (it ends in none of .csv, .ndjson, .parquet)

"#]],
    );
}

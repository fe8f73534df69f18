//! What the bench writes, measures and tells. No time is asserted.

use std::fs::{self, File};
use std::process::Command;

use freshness_lab::bench::{
    ConsoleResults, Instruments, Machine, Results, Spread, measure, page, write_csv, write_parquet,
};
use freshness_lab::warehouse::{LARGE, SMALL};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

#[test]
fn a_warehouse_is_the_same_as_csv_and_as_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, parquet) = (folder.path().join("a.csv"), folder.path().join("a.parquet"));
    write_csv(&SMALL, &csv).unwrap();
    write_parquet(&SMALL, &parquet).unwrap();
    let text = fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("dataset_id,arrived_at"));
    assert_eq!(lines.next(), Some("hourly_00000,2025-12-31T00:26:51Z"));
    assert_eq!(lines.count() + 1, SMALL.n_arrivals());
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&parquet).unwrap());
    let rows: usize = reader
        .unwrap()
        .build()
        .unwrap()
        .map(|batch| batch.unwrap().num_rows())
        .sum();
    assert_eq!(rows, SMALL.n_arrivals());
}

#[test]
fn a_process_is_measured_and_its_failure_is_an_error() {
    let shell = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    };
    let measured = measure(&mut shell("sleep 0.05"), 0, true).unwrap();
    assert!(measured.peak_mib.unwrap() > 0.1);
    assert_eq!(
        measure(&mut shell("exit 1"), 1, false).unwrap().peak_mib,
        None
    );
    let error = measure(&mut shell("exit 1"), 0, false).unwrap_err();
    assert!(
        error.to_string().ends_with("failed: exit status: 1"),
        "{error}"
    );
}

#[test]
fn the_page_sets_the_large_warehouse_beside_the_tool_that_inspired_this_one() {
    let spread = Spread::of(vec![0.008, 0.2]).unwrap();
    let results = Results {
        shape: LARGE.name.to_owned(),
        n_datasets: LARGE.n_datasets(),
        n_arrivals: LARGE.n_arrivals(),
        file_bytes: 1,
        store_bytes: 1 << 20,
        import: spread,
        import_peak_mib: 1.0,
        fit: spread,
        fit_one_thread: spread,
        fit_peak_mib: 16.0,
        fit_dataset: spread,
        fit_over_sort: Some(12.5),
        check: spread,
        check_peak_mib: 1.0,
        console: Some(ConsoleResults {
            report: spread,
            peak_mib: 9.0,
            page_bytes: 1 << 20,
            document_bytes: 1 << 21,
        }),
        machine: Machine::here(),
    };
    let instruments = Instruments {
        n_datasets: 53,
        n_arrivals: 74_600,
        evaluate: spread,
        backtest: spread,
        backtest_peak_mib: 20.0,
        machine: Machine::here(),
    };
    let page = page(&[results], Some(&instruments));
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| large"))
        .collect();
    assert!(rows[0].starts_with("| large | 150 | 403,200 | 8.00 ms | 8.00 ms, 8.00 ms |"));
    assert!(rows[1].contains("12.36 s") && rows[1].contains("421 ms"));
    assert_eq!(
        rows[2],
        "| large | 150 | 8.00 ms, 8.00 ms, 200 ms | 9 MiB | 1.0 MiB | 2.0 MiB |"
    );
    assert_eq!(rows.len(), 4);
    assert!(page.contains("\n| 53 | 74,600 | 8.00 ms, 8.00 ms | 8.00 ms, 8.00 ms | 20 MiB |\n"));
}

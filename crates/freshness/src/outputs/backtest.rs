//! How is a backtest written: one row for each expected cycle?
//!
//! The columns are the same in every format. Instants are RFC 3339 UTC (in
//! Parquet, timestamps); what there is none of is empty (null).

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray, TimestampMillisecondArray};
use freshness_core::dataset::DatasetId;
use freshness_core::state::Replayed;
use jiff::Timestamp;
use parquet::arrow::ArrowWriter;
use serde::Serialize;

use super::words;
use crate::hint::failure;
use crate::rounds::ReplayedDataset;

/// One expected cycle.
#[derive(Debug, Serialize)]
struct Row<'a> {
    dataset_id: &'a DatasetId,
    cycle: &'a str,
    cycle_start: Timestamp,
    deadline: Option<Timestamp>,
    arrived_at: Option<Timestamp>,
    state: &'static str,
    alerted: bool,
    severity: Option<&'static str>,
    model_status: &'static str,
    held_up_by: Option<&'a DatasetId>,
}

/// What a file's name ends in says how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BacktestFormat {
    /// `.csv`
    Csv,
    /// `.ndjson` or `.jsonl`
    Ndjson,
    /// `.parquet`
    Parquet,
}

impl BacktestFormat {
    /// The format of a file.
    pub fn of(path: &Path) -> anyhow::Result<BacktestFormat> {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "csv" => Ok(BacktestFormat::Csv),
            "ndjson" | "jsonl" => Ok(BacktestFormat::Ndjson),
            "parquet" => Ok(BacktestFormat::Parquet),
            _ => Err(failure(
                format_args!("unknown kind of file: {}", path.display()),
                "the name ends in .csv, .ndjson or .parquet",
            )),
        }
    }
}

/// Writes the rows.
pub fn write_backtest(
    datasets: &[ReplayedDataset],
    mut out: impl Write + Send,
    format: BacktestFormat,
) -> anyhow::Result<()> {
    let rows = || {
        datasets
            .iter()
            .flat_map(|one| one.cycles.iter().map(|cycle| row(&one.id, cycle)))
    };
    match format {
        BacktestFormat::Csv => {
            let mut csv = csv::WriterBuilder::new()
                .has_headers(false)
                .from_writer(out);
            csv.write_record(COLUMNS)?;
            rows().try_for_each(|row| csv.serialize(row))?;
            csv.flush()?;
        }
        BacktestFormat::Ndjson => {
            for row in rows() {
                serde_json::to_writer(&mut out, &row)?;
                out.write_all(b"\n")?;
            }
            out.flush()?;
        }
        BacktestFormat::Parquet => {
            let schema = batch(&[])?.schema();
            let mut writer = ArrowWriter::try_new(&mut out, schema, None)?;
            for one in datasets {
                let rows: Vec<Row<'_>> =
                    one.cycles.iter().map(|cycle| row(&one.id, cycle)).collect();
                writer.write(&batch(&rows)?)?;
            }
            writer.close()?;
            out.flush()?;
        }
    }
    Ok(())
}

const COLUMNS: [&str; 10] = [
    "dataset_id",
    "cycle",
    "cycle_start",
    "deadline",
    "arrived_at",
    "state",
    "alerted",
    "severity",
    "model_status",
    "held_up_by",
];

fn row<'a>(dataset_id: &'a DatasetId, cycle: &'a Replayed) -> Row<'a> {
    let verdict = &cycle.verdict;
    Row {
        dataset_id,
        cycle: &verdict.cycle,
        cycle_start: verdict.cycle_start,
        deadline: verdict.deadline,
        arrived_at: verdict.arrived_at,
        state: words::state(verdict.state),
        alerted: cycle.alerted,
        severity: cycle.severity.map(words::severity),
        model_status: cycle.model_status,
        held_up_by: verdict.held_up_by.as_ref(),
    }
}

fn batch(rows: &[Row<'_>]) -> anyhow::Result<RecordBatch> {
    let text = |of: fn(&Row<'_>) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringArray>())
    };
    let instant = |of: fn(&Row<'_>) -> Option<Timestamp>| -> ArrayRef {
        let millis = rows
            .iter()
            .map(|row| of(row).map(Timestamp::as_millisecond));
        Arc::new(
            millis
                .collect::<TimestampMillisecondArray>()
                .with_timezone("UTC"),
        )
    };
    let alerted: BooleanArray = rows.iter().map(|row| Some(row.alerted)).collect();
    let columns: [ArrayRef; 10] = [
        text(|row| Some(row.dataset_id.to_string())),
        text(|row| Some(row.cycle.to_owned())),
        instant(|row| Some(row.cycle_start)),
        instant(|row| row.deadline),
        instant(|row| row.arrived_at),
        text(|row| Some(row.state.to_owned())),
        Arc::new(alerted),
        text(|row| row.severity.map(str::to_owned)),
        text(|row| Some(row.model_status.to_owned())),
        text(|row| row.held_up_by.map(DatasetId::to_string)),
    ];
    Ok(RecordBatch::try_from_iter_with_nullable(
        COLUMNS
            .into_iter()
            .zip(columns)
            .map(|(name, column)| (name, column, true)),
    )?)
}

//! How is a warehouse written to a file that can be imported?

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, TimestampMillisecondArray};
use freshness_core::civil::DAY;
use jiff::Timestamp;
use parquet::arrow::ArrowWriter;

use crate::warehouse::Shape;

/// As CSV.
pub fn write_csv(shape: &Shape, path: &Path) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "dataset_id,arrived_at")?;
    for (dataset, at) in shape.datasets() {
        // The date is the slow part, and mostly that of the line before.
        let (mut day, mut date) = (i64::MIN, String::new());
        for at in at {
            if at.div_euclid(DAY) != day {
                day = at.div_euclid(DAY);
                let midnight = Timestamp::from_second(day * DAY)?;
                date = midnight.strftime("%Y-%m-%d").to_string();
            }
            let second = at.rem_euclid(DAY);
            let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
            writeln!(out, "{dataset},{date}T{hour:02}:{minute:02}:{second:02}Z")?;
        }
    }
    Ok(out.into_inner()?.sync_all()?)
}

/// Datasets written at once.
const DATASETS_PER_BATCH: usize = 200;

/// As Parquet.
pub fn write_parquet(shape: &Shape, path: &Path) -> anyhow::Result<()> {
    let mut writer = None;
    let mut datasets = shape.datasets().peekable();
    while datasets.peek().is_some() {
        let (mut names, mut times) = (Vec::new(), Vec::new());
        for (dataset, at) in datasets.by_ref().take(DATASETS_PER_BATCH) {
            names.extend(std::iter::repeat_n(dataset, at.len()));
            times.extend(at.into_iter().map(|at| at * 1_000));
        }
        let names: ArrayRef = Arc::new(StringArray::from(names));
        let times = TimestampMillisecondArray::from(times).with_timezone("UTC");
        let times: ArrayRef = Arc::new(times);
        let batch = RecordBatch::try_from_iter([("dataset_id", names), ("arrived_at", times)])?;
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(ArrowWriter::try_new(
                File::create(path)?,
                batch.schema(),
                None,
            )?),
        };
        writer.write(&batch)?;
    }
    if let Some(writer) = writer {
        writer.close()?;
    }
    Ok(())
}

//! How is Parquet read?
//!
//! Only the columns that are wanted, a batch of rows at a time; `arrow_cells`
//! says what their types mean.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::arrow_cells;
use super::input::ParquetBytes;
use super::problem::SourceError;
use super::table::{Columns, OnRow, TableRead};

const NAMED_BY: &str = "the schema of the file names the columns";

const ROWS_PER_BATCH: usize = 8_192;

pub(super) fn read(
    bytes: ParquetBytes,
    columns: &Columns,
    on_row: &mut OnRow<'_>,
) -> Result<TableRead, SourceError> {
    let builder = guarded(|| ParquetRecordBatchReaderBuilder::try_new(bytes).map_err(damaged))?;
    let given: Vec<String> = builder
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let (places, ignored) = columns.find(&given, NAMED_BY)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), places.into_iter().flatten());
    let mut reader = guarded(|| {
        let builder = builder
            .with_projection(mask)
            .with_batch_size(ROWS_PER_BATCH);
        builder.build().map_err(damaged)
    })?;
    let mut rows = 0;
    while let Some(batch) = guarded(|| reader.next().transpose().map_err(damaged))? {
        arrow_cells::each_row(&batch, columns, &mut rows, on_row).map_err(damaged)?;
    }
    Ok(TableRead { rows, ignored })
}

/// The reader checks its input, but a damaged page can still get it to panic;
/// that is a damaged file, not the end of the program.
fn guarded<T>(work: impl FnOnce() -> Result<T, SourceError>) -> Result<T, SourceError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let words = "the reader gave up";
        Err(SourceError::DamagedParquet(words.to_owned()))
    })
}

fn damaged(error: impl std::fmt::Display) -> SourceError {
    let words: String = error.to_string().chars().take(200).collect();
    SourceError::DamagedParquet(words.to_lowercase())
}

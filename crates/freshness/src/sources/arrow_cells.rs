//! How do columns of Arrow become cells?
//!
//! Whatever type they have: text (plain, view or dictionary), whole numbers,
//! timestamps of any unit. A timestamp without a zone is a wall time, not UTC.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, TimeUnit, UInt64Type};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

use super::table::{COLUMNS_MAX, Cell, Columns, OnRow};

/// Hands on the rows of a batch; `rows` counts them, from 1.
pub(super) fn each_row(
    batch: &RecordBatch,
    columns: &Columns,
    rows: &mut u64,
    on_row: &mut OnRow<'_>,
) -> Result<(), ArrowError> {
    let found = found(batch, columns)?;
    for i in 0..batch.num_rows() {
        *rows += 1;
        let mut cells = [Cell::Missing; COLUMNS_MAX];
        for (cell, column) in cells.iter_mut().zip(&found) {
            *cell = column
                .as_ref()
                .map_or(Cell::Missing, |column| column.cell(i));
        }
        on_row(*rows, Ok(&cells));
    }
    Ok(())
}

/// A column of a batch, in the few types that matter.
enum Column {
    Text(ArrayRef),
    Binary(ArrayRef),
    Integer(ArrayRef),
    Unsigned(ArrayRef),
    Float(ArrayRef),
    Flag(ArrayRef),
    Day(ArrayRef),
    /// Whole numbers, so many a second; with a zone an instant.
    Time {
        counts: ArrayRef,
        per_second: i64,
        has_zone: bool,
    },
    Other(ArrayRef),
}

fn found(
    batch: &RecordBatch,
    columns: &Columns,
) -> Result<[Option<Column>; COLUMNS_MAX], ArrowError> {
    let mut found = [const { None }; COLUMNS_MAX];
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        if let Some(i) = columns.place(field.name()) {
            found[i] = Some(Column::of(array)?);
        }
    }
    Ok(found)
}

impl Column {
    fn of(array: &ArrayRef) -> Result<Column, ArrowError> {
        let to = |to: &DataType| cast(array, to);
        Ok(match array.data_type() {
            DataType::Utf8 => Column::Text(array.clone()),
            DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => Column::Text(to(&DataType::Utf8)?),
            DataType::Dictionary(_, value) => return Column::of(&to(value)?),
            DataType::Binary => Column::Binary(array.clone()),
            DataType::LargeBinary | DataType::BinaryView => Column::Binary(to(&DataType::Binary)?),
            DataType::UInt64 => Column::Unsigned(array.clone()),
            integer if integer.is_integer() => Column::Integer(to(&DataType::Int64)?),
            float if float.is_floating() => Column::Float(to(&DataType::Float64)?),
            DataType::Boolean => Column::Flag(array.clone()),
            DataType::Date32 | DataType::Date64 => Column::Day(to(&DataType::Date32)?),
            DataType::Timestamp(unit, zone) => Column::Time {
                counts: to(&DataType::Int64)?,
                per_second: match unit {
                    TimeUnit::Second => 1,
                    TimeUnit::Millisecond => 1_000,
                    TimeUnit::Microsecond => 1_000_000,
                    TimeUnit::Nanosecond => 1_000_000_000,
                },
                has_zone: zone.is_some(),
            },
            _ => Column::Other(array.clone()),
        })
    }

    fn cell(&self, i: usize) -> Cell<'_> {
        let (Column::Text(array)
        | Column::Binary(array)
        | Column::Integer(array)
        | Column::Unsigned(array)
        | Column::Float(array)
        | Column::Flag(array)
        | Column::Day(array)
        | Column::Time { counts: array, .. }
        | Column::Other(array)) = self;
        if array.is_null(i) {
            return Cell::Missing;
        }
        match self {
            Column::Text(array) => text(array.as_string::<i32>().value(i)),
            Column::Binary(array) => {
                let bytes = array.as_binary::<i32>().value(i);
                std::str::from_utf8(bytes).map_or(Cell::NotUtf8(bytes), text)
            }
            Column::Integer(array) => {
                Cell::Integer(array.as_primitive::<Int64Type>().value(i).into())
            }
            Column::Unsigned(array) => {
                Cell::Integer(array.as_primitive::<UInt64Type>().value(i).into())
            }
            Column::Float(array) => Cell::Float(array.as_primitive::<Float64Type>().value(i)),
            Column::Flag(array) => Cell::Flag(array.as_boolean().value(i)),
            Column::Day(array) => Cell::Day(array.as_primitive::<Date32Type>().value(i)),
            Column::Time {
                counts,
                per_second,
                has_zone,
            } => {
                let count = counts.as_primitive::<Int64Type>().value(i);
                match (count.div_euclid(*per_second), has_zone) {
                    (seconds, true) => Cell::Instant(seconds),
                    (seconds, false) => Cell::Local(seconds),
                }
            }
            Column::Other(_) => Cell::Other("a nested or unusual type"),
        }
    }
}

fn text(text: &str) -> Cell<'_> {
    match text {
        "" => Cell::Missing,
        text => Cell::Text(text),
    }
}

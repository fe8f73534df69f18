//! Which query reads the rows of a table?

use super::column::{self, Column, Kind};
use super::refusal::Refusal;
use super::table_name::{TableName, quoted};

/// A column that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    /// Its name.
    pub(super) name: &'static str,
    /// Must the table have it? Else it is null where there is none.
    pub(super) required: bool,
}

/// The query for the fields of a table that has these columns; `value` is the
/// dialect: how a column of this kind, its name quoted, becomes a text.
pub(super) fn sql(
    table: &TableName,
    fields: &[Field],
    columns: &[Column],
    from: &str,
    value: impl Fn(&Kind, &str) -> String,
) -> Result<String, Refusal> {
    let cell = |field: &Field| match column::find(columns, field.name) {
        Some(column) => Ok(value(&column.kind, &quoted(&column.name))),
        None if field.required => Err(Refusal::QueryFailed(format!(
            "no column {} in {table}",
            field.name
        ))),
        None => Ok(value(&Kind::Text, "NULL")),
    };
    let cells = fields.iter().map(cell).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("SELECT {}\nFROM {from}", cells.join(",\n  ")))
}

//! How is SQL for a warehouse told?

use serde::Serialize;

use super::Context;
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::warehouse::{Dialect, Statement, UnsafeName};
use crate::outputs::{write_document, write_line};
use crate::sources::database::TableName;

/// What helps with a name that is none.
const NAMES: &str = "such as sales.ledger; a part that is no plain name stands in double quotes: \"my-project\".sales.ledger";

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    dialect: &'static str,
    statements: &'a [Statement],
}

/// Prints statements.
pub(super) fn print(
    command: &'static str,
    dialect: Dialect,
    statements: &[Statement],
    context: &mut Context,
) -> anyhow::Result<()> {
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            for (i, statement) in statements.iter().enumerate() {
                // One alone needs no end: it may become a part of another.
                let end = match (i + 1 == statements.len(), statement.sql.ends_with(';')) {
                    (true, _) => "",
                    (false, true) => "\n",
                    (false, false) => ";\n",
                };
                out.line(format_args!("{}{end}", statement.sql))?;
            }
        }
        Format::Json => {
            let dialect = dialect.name();
            let document = Document {
                command,
                dialect,
                statements,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for statement in statements {
                write_line(out.data(), statement)?;
            }
        }
    }
    Ok(())
}

/// The table that a flag names.
pub(super) fn table_name(flag: &str, text: &str) -> anyhow::Result<TableName> {
    text.parse()
        .map_err(|error| failure(format_args!("{flag}: {error}"), NAMES))
}

/// What is said of a name that would not be safe in a statement.
pub(super) fn unsafe_name(error: UnsafeName) -> anyhow::Error {
    failure(error, NAMES)
}

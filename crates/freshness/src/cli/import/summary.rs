//! What came of an import?

use std::fmt::{self, Write as _};

use jiff::Timestamp;
use serde::Serialize;

use crate::cli::Context;
use crate::config::Format as OutputFormat;
use crate::outputs::{Paint, Table, write_document, write_line};
use crate::rounds::ingest::Ingested;
use crate::sources::BadRows;

/// What the command prints: counts.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) imported: &'static str,
    pub(super) rows: u64,
    pub(super) new: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duplicate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unchanged: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) removed: Option<u64>,
    pub(super) skipped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) datasets_new: Option<u64>,
    pub(super) files: Vec<FileSummary>,
    pub(super) skipped_by_kind: Vec<KindCount>,
}

#[derive(Debug, Serialize)]
pub(super) struct FileSummary {
    pub(super) file: String,
    pub(super) rows: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duplicate: Option<u64>,
    pub(super) skipped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) imported_before: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
pub(super) struct KindCount {
    pub(super) kind: &'static str,
    pub(super) n: u64,
}

impl Summary {
    pub(super) fn new<T>(imported: &'static str, done: &Ingested<T>) -> Summary {
        let files: Vec<FileSummary> = done
            .files
            .iter()
            .map(|file| FileSummary {
                file: file.name.clone(),
                rows: file.table.rows,
                new: None,
                duplicate: None,
                skipped: file.skipped,
                imported_before: None,
            })
            .collect();
        Summary {
            imported,
            rows: files.iter().map(|file| file.rows).sum(),
            new: 0,
            duplicate: None,
            changed: None,
            unchanged: None,
            removed: None,
            skipped: done.bad.n(),
            datasets_new: None,
            files,
            skipped_by_kind: done
                .bad
                .by_kind()
                .map(|(kind, n)| KindCount { kind, n })
                .collect(),
        }
    }

    /// The counts that this import has.
    pub(super) fn counts(&self) -> Vec<(&'static str, u64)> {
        [
            ("rows", Some(self.rows)),
            ("new", Some(self.new)),
            ("duplicate", self.duplicate),
            ("changed", self.changed),
            ("unchanged", self.unchanged),
            ("removed", self.removed),
            ("skipped", Some(self.skipped)),
            ("new datasets", self.datasets_new),
        ]
        .into_iter()
        .filter_map(|(name, n)| Some((name, n?)))
        .collect()
    }
}

/// `3 bad rows (2 unreadable time, 1 no value)`.
pub(super) fn counted(bad: &BadRows) -> String {
    let kinds: Vec<String> = bad
        .by_kind()
        .map(|(kind, n)| format!("{n} {kind}"))
        .collect();
    let rows = if bad.n() == 1 { "row" } else { "rows" };
    format!("{} bad {rows} ({})", bad.n(), kinds.join(", "))
}

/// The first bad rows, one on each line.
pub(super) struct Shown<'a>(pub(super) &'a BadRows);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.0.first() {
            write!(f, "\n  {row}")?;
        }
        match self.0.n() - self.0.first().len() as u64 {
            0 => Ok(()),
            more => write!(f, "\n  … and {more} more"),
        }
    }
}

/// Says what was left out and ignored, and prints the counts.
pub(super) fn report<T>(
    done: &Ingested<T>,
    summary: &Summary,
    context: &mut Context,
) -> anyhow::Result<()> {
    for file in &done.files {
        if !file.table.ignored.is_empty() {
            let columns = file.table.ignored.join(", ");
            context.out.talk(format_args!(
                "note: {}: columns ignored: {columns}",
                file.name
            ));
        }
        if file.table.rows == 0 {
            context.out.warn(format_args!(
                "{}: no rows, so nothing was imported from it",
                file.name
            ));
        }
    }
    skipped(&done.bad, context)?;
    match context.out.format {
        OutputFormat::Json => write_document(context.out.data(), summary)?,
        OutputFormat::Ndjson => write_line(context.out.data(), summary)?,
        OutputFormat::Table => {
            let counts = summary.counts();
            let names: Vec<&str> = counts.iter().map(|&(name, _)| name).collect();
            let mut table = Table::new(&[&["imported"], names.as_slice()].concat());
            let cells = counts.iter().map(|(_, n)| (n.to_string(), Paint::Plain));
            let first = (summary.imported.to_owned(), Paint::Plain);
            table.row(std::iter::once(first).chain(cells));
            (1..=counts.len()).for_each(|column| table.align_right(column));
            context.out.table(table)?;
        }
    }
    Ok(())
}

/// Says what was left out.
pub(super) fn skipped(bad: &BadRows, context: &Context) -> anyhow::Result<()> {
    if bad.is_empty() {
        return Ok(());
    }
    let mut words = String::new();
    write!(words, "left out {}{}", counted(bad), Shown(bad))?;
    for hint in bad.hints() {
        write!(words, "\nhint: {hint}")?;
    }
    context.out.warn(words);
    Ok(())
}

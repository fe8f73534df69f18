//! What came of taking over what another tool tells?

use anyhow::anyhow;
use freshness_core::dataset::DatasetId;
use serde::Serialize;

use crate::cli::Context;
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::told::{TakeError, Taken};

/// So many remarks and circles are shown in a table; JSON has all.
const SHOWN: usize = 20;

/// What the command prints: counts.
#[derive(Serialize)]
struct Document<'a> {
    imported: &'a str,
    files: u64,
    arrivals_new: u64,
    arrivals_duplicate: u64,
    runs_new: u64,
    runs_changed: u64,
    datasets_new: u64,
    datasets_gone: u64,
    told_new: u64,
    remarks: Vec<Remark<'a>>,
    circles: &'a [Vec<DatasetId>],
}

#[derive(Serialize)]
struct Remark<'a> {
    place: &'a str,
    what: &'a str,
}

/// Reports what was taken over from `n_files` files of a tool.
pub(in crate::cli) fn report(
    tool: &str,
    n_files: u64,
    taken: &Taken,
    context: &mut Context,
) -> anyhow::Result<()> {
    let counts = &taken.counts;
    let n_shown = match context.out.format {
        Format::Table => SHOWN,
        Format::Json | Format::Ndjson => 0,
    };
    for remark in taken.remarks.iter().take(n_shown) {
        let (place, what) = (
            words::printable(&remark.place),
            words::printable(&remark.what),
        );
        context.out.talk(format_args!("note: {place}: {what}"));
    }
    for circle in taken.circles.iter().take(n_shown) {
        let names: Vec<&str> = circle.iter().take(5).map(DatasetId::as_str).collect();
        let more = match circle.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        context.out.warn(format_args!(
            "lineage goes in a circle and is straightened, so that none of these explains another: {}{more}",
            words::printable(&names.join(", "))
        ));
    }
    let n_more =
        taken.remarks.len().saturating_sub(SHOWN) + taken.circles.len().saturating_sub(SHOWN);
    if n_shown > 0 && n_more > 0 {
        context
            .out
            .talk(format_args!("… and {n_more} more notes: see --format json"));
    }
    for (_, error) in &counts.refused {
        context.out.warn(error);
    }
    let document = Document {
        imported: tool,
        files: n_files,
        arrivals_new: counts.arrivals_new,
        arrivals_duplicate: counts.arrivals_duplicate,
        runs_new: counts.runs.new,
        runs_changed: counts.runs.changed,
        datasets_new: counts.datasets_new,
        datasets_gone: counts.datasets_gone,
        told_new: counts.told_new,
        remarks: (taken.remarks.iter())
            .map(|remark| Remark {
                place: &remark.place,
                what: &remark.what,
            })
            .collect(),
        circles: &taken.circles,
    };
    match context.out.format {
        Format::Json => write_document(context.out.data(), &document)?,
        Format::Ndjson => write_line(context.out.data(), &document)?,
        Format::Table => {
            let counts = [
                ("files", document.files),
                ("new arrivals", document.arrivals_new),
                ("duplicate", document.arrivals_duplicate),
                ("new runs", document.runs_new),
                ("new datasets", document.datasets_new),
                ("gone", document.datasets_gone),
                ("news of datasets, edges, dashboards", document.told_new),
            ];
            let names: Vec<&str> = counts.iter().map(|&(name, _)| name).collect();
            let mut table = Table::new(&[&["imported"], names.as_slice()].concat());
            let cells = counts
                .iter()
                .map(|(_, n)| (words::thousands(*n), Paint::Plain));
            table.row(std::iter::once((tool.to_owned(), Paint::Plain)).chain(cells));
            (1..=counts.len()).for_each(|column| table.align_right(column));
            context.out.table(table)?;
        }
    }
    Ok(())
}

/// Why nothing was taken over.
pub(in crate::cli) fn in_words(error: TakeError) -> anyhow::Error {
    let hint = match &error {
        TakeError::Lineage(_) => {
            Some("nothing was imported; one of these edges is wrong".to_owned())
        }
        TakeError::Events(error) => error.hint(),
        TakeError::Store(error) => error.hint().map(str::to_owned),
    };
    match hint {
        Some(hint) => failure(&error, hint),
        None => anyhow!(error),
    }
}

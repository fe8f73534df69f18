//! How is it shown what would have been raised?
//!
//! A table by dataset, one by week, and totals; the same as JSON.

use std::io;

use jiff::Timestamp;
use serde::Serialize;

use super::{Output, Paint, Table, words, write_document, write_line};
use crate::config::Format;
use crate::rounds::{Counts, DatasetFailure, DatasetRaised, Raised, WeekRaised};

/// The summary as JSON.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    from: Timestamp,
    to: Timestamp,
    refit_seconds: i64,
    #[serde(flatten)]
    raised: &'a Raised,
    failed: &'a [DatasetFailure],
}

/// One line of NDJSON, and of what it is a part.
#[derive(Serialize)]
struct Line<'a, T> {
    part: &'static str,
    #[serde(flatten)]
    content: &'a T,
}

/// The window that was replayed, and how often it was learned anew.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Its begin.
    pub from: Timestamp,
    /// Its end.
    pub to: Timestamp,
    /// Seconds from one fit to the next.
    pub refit_seconds: i64,
}

/// Shows it in the form that was asked for. `failed` could not be replayed.
pub fn show(
    raised: &Raised,
    window: Window,
    failed: &[DatasetFailure],
    out: &mut Output,
) -> io::Result<()> {
    match out.format {
        Format::Json => write_document(
            out.data(),
            &Document {
                command: "backtest",
                from: window.from,
                to: window.to,
                refit_seconds: window.refit_seconds,
                raised,
                failed,
            },
        ),
        Format::Ndjson => {
            for one in &raised.datasets {
                line(out, "dataset", one)?;
            }
            for one in &raised.weeks {
                line(out, "week", one)?;
            }
            for one in failed {
                line(out, "failed", one)?;
            }
            line(out, "total", &raised.total)
        }
        Format::Table => tables(raised, out),
    }
}

fn line<T: Serialize>(out: &mut Output, part: &'static str, content: &T) -> io::Result<()> {
    write_line(out.data(), &Line { part, content })
}

fn tables(raised: &Raised, out: &mut Output) -> io::Result<()> {
    out.table(by_dataset(&raised.datasets))?;
    out.line("")?;
    out.table(by_week(&raised.weeks))?;
    out.line("")?;
    let total = &raised.total;
    let counts = &total.counts;
    out.line(format_args!(
        "{} of {} in {:.1} weeks: {} a day, {} a week, {} per 1,000 dataset-days.",
        words::count(counts.n_alerts, "alert"),
        words::count(total.n_datasets_alerted, "dataset"),
        total.days / 7.0,
        rate(total.alerts_per_day),
        rate(total.alerts_per_week),
        rate(total.alerts_per_1000_dataset_days),
    ))?;
    out.line(format_args!(
        "They stand for {} (rows with alerted=true): an alert stands until the next delivery, and",
        words::count(counts.n_alerted_cycles, "alerted cycle"),
    ))?;
    out.line(
        "what else is late meanwhile raises no other. Weeks begin on Monday, UTC; a deadline's counts.",
    )
}

fn by_dataset(datasets: &[DatasetRaised]) -> Table {
    let headings = [
        "DATASET",
        "CYCLES",
        "ALERTS",
        "A WEEK",
        "ALERTED CYCLES",
        "ARRIVED LATE",
        "MISSED",
        "NOT ALERTED: ADVISORY",
    ];
    let mut table = Table::new(&headings);
    for one in datasets {
        let [alerts, rest @ ..] = cells(one.counts);
        let begin = [
            one.dataset_id.to_string(),
            one.n_cycles.to_string(),
            alerts,
            rate(one.alerts_per_week),
        ];
        let all = begin.into_iter().chain(rest);
        table.row(all.map(|cell| (cell, Paint::Plain)));
    }
    (1..headings.len()).for_each(|column| table.align_right(column));
    table.names(0);
    // Advisory ones, those that came late or never, the rows.
    table.dispensable(&[7, 5, 6, 1]);
    table
}

fn by_week(weeks: &[WeekRaised]) -> Table {
    let headings = [
        "WEEK FROM",
        "ALERTS",
        "DATASETS",
        "ALERTED CYCLES",
        "ARRIVED LATE",
        "MISSED",
        "NOT ALERTED: ADVISORY",
        "WORST DATASET",
    ];
    const WORST: usize = 7;
    let mut table = Table::new(&headings);
    for one in weeks {
        let [alerts, rest @ ..] = cells(one.counts);
        let worst = one.worst_dataset.as_ref();
        let begin = [
            one.week.to_string(),
            alerts,
            one.n_datasets_alerted.to_string(),
        ];
        let worst = worst.map_or("-".to_owned(), |worst| {
            format!("{worst} ({})", one.worst_n_alerts)
        });
        let all = begin.into_iter().chain(rest).chain([worst]);
        table.row(all.map(|cell| (cell, Paint::Plain)));
    }
    (1..WORST).for_each(|column| table.align_right(column));
    table.names(WORST);
    table.dispensable(&[6, 4, 5]);
    table
}

/// The counts that both tables show, in their order.
fn cells(counts: Counts) -> [String; 5] {
    let Counts {
        n_alerts,
        n_alerted_cycles,
        n_advisory_cycles,
        n_arrived_late,
        n_missed,
    } = counts;
    [
        n_alerts,
        n_alerted_cycles,
        n_arrived_late,
        n_missed,
        n_advisory_cycles,
    ]
    .map(|n| n.to_string())
}

fn rate(rate: Option<f64>) -> String {
    rate.map_or("-".to_owned(), |rate| format!("{rate:.2}"))
}

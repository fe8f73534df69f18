//! When did a promise break, and what was each run judged to be?

use clap::Args;
use freshness_core::slo::Verdict;
use freshness_store::{Access, SloEvent, SloResult};
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::cli::status::dataset_named;
use crate::config::Format;
use crate::outputs::slo_words::why;
use crate::outputs::{Paint, Table, words, write_document, write_line};

/// Show when promises were broken and kept again, as `slo check` found it.
///
/// One event each time a verdict became another, the oldest first. Records nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo log
  freshness slo log fct_orders --results        what each run was judged to be
  freshness slo log --format ndjson | jq 'select(.outcome == \"breached\")'

Exit codes: 0 shown, 2 could not.")]
pub(in crate::cli) struct LogArgs {
    /// Only of this dataset
    dataset: Option<String>,

    /// Show the run log: the last judgement of each run, with what it was judged against
    #[arg(long)]
    results: bool,
}

/// What the JSON says.
#[derive(Serialize)]
struct Events<'a> {
    command: &'static str,
    now: Timestamp,
    events: Vec<Event<'a>>,
}

/// … of the run log.
#[derive(Serialize)]
struct Results<'a> {
    command: &'static str,
    now: Timestamp,
    results: &'a [SloResult],
}

#[derive(Serialize)]
struct Event<'a> {
    kind: &'static str,
    at: Timestamp,
    dataset_id: &'a str,
    environment: &'a str,
    objective: &'static str,
    before: Option<&'a str>,
    outcome: &'a str,
    why: String,
    verdict: &'a Verdict,
}

pub(super) fn run(args: &LogArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let asked = args.dataset.as_deref();
    let no = asked
        .map(|asked| dataset_named(&store, asked))
        .transpose()?;
    let no = no.map(|entry| entry.no);
    let (command, now) = ("slo log", context.clock.now());
    let out = &mut context.out;
    if args.results {
        let mut results = store.slo_results(no)?;
        results.retain(|of| of.judged_at <= now);
        match out.format {
            Format::Table if results.is_empty() => out.line("no run was judged")?,
            Format::Table => out.table(results_table(&results))?,
            Format::Json => {
                let results = &results;
                let document = Results {
                    command,
                    now,
                    results,
                };
                write_document(out.data(), &document)?;
            }
            Format::Ndjson => {
                for result in &results {
                    write_line(out.data(), result)?;
                }
            }
        }
        return Ok(Answer::Healthy);
    }
    let events = store.slo_events(no)?;
    let events: Vec<Event<'_>> = events
        .iter()
        .filter(|of| of.at <= now)
        .map(Event::new)
        .collect();
    match out.format {
        Format::Table if events.is_empty() => out.line("no verdict has changed")?,
        Format::Table => out.table(events_table(&events))?,
        Format::Json => write_document(
            out.data(),
            &Events {
                command,
                now,
                events,
            },
        )?,
        Format::Ndjson => {
            for event in &events {
                write_line(out.data(), event)?;
            }
        }
    }
    Ok(Answer::Healthy)
}

impl<'a> Event<'a> {
    fn new(of: &'a SloEvent) -> Event<'a> {
        Event {
            kind: "slo_breach",
            at: of.at,
            dataset_id: of.dataset_id.as_str(),
            environment: &of.environment,
            objective: of.objective.word(),
            before: of.before.as_deref(),
            outcome: &of.outcome,
            why: why(&of.verdict),
            verdict: &of.verdict,
        }
    }
}

fn events_table(events: &[Event<'_>]) -> Table {
    let mut table = Table::new(&[
        "AT (UTC)",
        "DATASET",
        "ENVIRONMENT",
        "OBJECTIVE",
        "BEFORE",
        "OUTCOME",
        "WHY",
    ]);
    table.names(1);
    for of in events {
        let plain = |text: &str| (text.to_owned(), Paint::Plain);
        let paint = match of.outcome {
            "breached" => Paint::Bad,
            "kept" => Paint::Good,
            _ => Paint::Doubtful,
        };
        table.row([
            (words::utc_minute(of.at), Paint::Plain),
            plain(of.dataset_id),
            plain(of.environment),
            plain(of.objective),
            plain(of.before.unwrap_or("-")),
            (of.outcome.to_owned(), paint),
            plain(&of.why),
        ]);
    }
    table
}

fn results_table(results: &[SloResult]) -> Table {
    let mut table = Table::new(&[
        "JUDGED AT (UTC)",
        "DATASET",
        "ENVIRONMENT",
        "RUN",
        "FRESHNESS",
        "ROWS",
        "USUAL ROWS",
        "AVAILABILITY",
        "QUALITY",
    ]);
    table.names(1);
    for of in results {
        let pass = |pass: Option<bool>| match pass {
            Some(true) => ("pass".to_owned(), Paint::Good),
            Some(false) => ("fail".to_owned(), Paint::Bad),
            None => ("-".to_owned(), Paint::Plain),
        };
        let plain = |text: &str| (words::printable(text), Paint::Plain);
        table.row([
            (words::utc_minute(of.judged_at), Paint::Plain),
            plain(of.dataset_id.as_str()),
            plain(&of.environment),
            plain(of.run_id.as_deref().unwrap_or("-")),
            pass(of.slo_freshness_pass),
            pass(of.slo_row_count_pass),
            pass(of.slo_row_count_anomaly_pass),
            pass(of.slo_availability_pass),
            pass(of.slo_quality_pass),
        ]);
    }
    table
}

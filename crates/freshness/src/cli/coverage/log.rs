//! What was attempted?

use clap::Args;
use freshness_store::{Access, Attempt, AttemptFilter, Outcome};
use jiff::Timestamp;
use serde::Serialize;

use super::super::{Answer, Context};
use crate::config::Format;
use crate::outputs::{Paint, Table, words, write_document, write_line};

/// Show what was told to the ledger, and why some of it was refused.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage log
  freshness coverage log --refused --last 20
  freshness coverage log --source orders --scope FR --format ndjson

Exit codes: 0 shown, 2 could not.")]
pub(super) struct LogArgs {
    /// Only of this source
    #[arg(long, value_name = "NAME")]
    source: Option<String>,

    /// Only of this scope
    #[arg(long, value_name = "NAME")]
    scope: Option<String>,

    /// Only what was refused
    #[arg(long)]
    refused: bool,

    /// The newest so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    last: u32,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    attempts: &'a [Attempt],
}

pub(super) fn run(args: &LogArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let store = context.open(Access::ReadOnly)?;
    let attempts = store.attempts(&AttemptFilter {
        source: args.source.clone(),
        scope: args.scope.clone(),
        refused: args.refused,
        at_most: u64::from(args.last),
    })?;
    let out = &mut context.out;
    match out.format {
        Format::Table if attempts.is_empty() => out.line("nothing was attempted")?,
        Format::Table => out.table(table(&attempts))?,
        Format::Json => write_document(
            out.data(),
            &Document {
                command: "coverage log",
                now,
                attempts: &attempts,
            },
        )?,
        Format::Ndjson => {
            for attempt in &attempts {
                write_line(out.data(), attempt)?;
            }
        }
    }
    Ok(Answer::Healthy)
}

fn table(attempts: &[Attempt]) -> Table {
    let mut table = Table::new(&[
        "AT (UTC)", "OUTCOME", "SOURCE", "SCOPE", "RUN", "SEQ", "WHY",
    ]);
    table.align_right(5);
    for attempt in attempts {
        let paint = match attempt.outcome {
            Outcome::Accepted => Paint::Good,
            Outcome::Refused => Paint::Bad,
            Outcome::Aborted => Paint::Doubtful,
            Outcome::Repeated | Outcome::Begun => Paint::Plain,
        };
        // What was refused may hold anything.
        let plain = |text: &str| (words::printable(text), Paint::Plain);
        let run_id = attempt.run_id.as_deref().unwrap_or_default();
        let seq = attempt.seq.map_or_else(String::new, |seq| seq.to_string());
        table.row([
            (words::utc_minute(attempt.at), Paint::Plain),
            (attempt.outcome.word().to_owned(), paint),
            plain(&attempt.source),
            plain(&attempt.scope),
            plain(run_id),
            (seq, Paint::Plain),
            plain(&why(attempt)),
        ]);
    }
    table
}

fn why(attempt: &Attempt) -> String {
    match (&attempt.detail, &attempt.regression, attempt.correction) {
        (Some(detail), ..) => detail.clone(),
        (None, Some(reason), _) => format!("took coverage back: {reason}"),
        (None, None, true) => "correction".to_owned(),
        (None, None, false) => String::new(),
    }
}

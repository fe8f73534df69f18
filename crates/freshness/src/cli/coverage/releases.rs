//! Which releases does the ledger hold?

use clap::Args;
use freshness_core::coverage::{Claim, Publication, ScopeKey};
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::super::{Answer, Context};
use crate::config::Format;
use crate::outputs::{Paint, Table, words, write_document, write_line};

/// Show the accepted releases: what was published, and what was shown for it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage releases --source orders --scope FR
  freshness coverage releases --last 1
  freshness coverage releases --format ndjson | jq 'select(.regression != null)'

Exit codes: 0 shown, 2 could not.")]
pub(super) struct ReleasesArgs {
    /// Only of this source
    #[arg(long, value_name = "NAME")]
    source: Option<String>,

    /// Only of this scope
    #[arg(long, value_name = "NAME")]
    scope: Option<String>,

    /// The newest so many of each scope
    #[arg(long, value_name = "N", default_value_t = 10)]
    last: u32,
}

/// A release, as JSON says it.
#[derive(Serialize)]
struct ReleaseLine<'a> {
    source: &'a str,
    scope: &'a str,
    publication_seq: u64,
    run_id: &'a str,
    complete_through: Option<Timestamp>,
    published_at: Option<Timestamp>,
    rows: Option<u64>,
    position: Option<&'a str>,
    claim: &'a Claim,
    regression: Option<&'a str>,
    correction: bool,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    releases: Vec<ReleaseLine<'a>>,
}

pub(super) fn run(args: &ReleasesArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let ReleasesArgs {
        source,
        scope,
        last,
    } = args;
    let now = context.clock.now();
    let store = context.open(Access::ReadOnly)?;
    let releases = store.at_one_instant(|store| {
        store.releases(source.as_deref(), scope.as_deref(), u64::from(*last))
    })?;
    let out = &mut context.out;
    match out.format {
        Format::Table if releases.is_empty() => out.line("nothing was released")?,
        Format::Table => out.table(table(&releases))?,
        Format::Json => write_document(
            out.data(),
            &Document {
                command: "coverage releases",
                now,
                releases: releases.iter().map(ReleaseLine::new).collect(),
            },
        )?,
        Format::Ndjson => {
            for release in &releases {
                write_line(out.data(), &ReleaseLine::new(release))?;
            }
        }
    }
    Ok(Answer::Healthy)
}

impl<'a> ReleaseLine<'a> {
    fn new((key, release): &'a (ScopeKey, Publication)) -> ReleaseLine<'a> {
        let Publication {
            seq,
            run_id,
            complete_through,
            published_at,
            position,
            rows,
            claim,
            regression,
            correction,
        } = release;
        ReleaseLine {
            source: key.source(),
            scope: key.scope(),
            publication_seq: *seq,
            run_id,
            complete_through: Timestamp::from_second(*complete_through).ok(),
            published_at: Timestamp::from_second(*published_at).ok(),
            rows: *rows,
            position: position.as_deref(),
            claim,
            regression: regression.as_deref(),
            correction: *correction,
        }
    }
}

fn table(releases: &[(ScopeKey, Publication)]) -> Table {
    let mut table = Table::new(&[
        "SOURCE",
        "SCOPE",
        "SEQ",
        "RUN",
        "COMPLETE THROUGH (UTC)",
        "PUBLISHED (UTC)",
        "ROWS",
        "POSITION",
        "SHOWN FOR IT",
    ]);
    [2, 6]
        .into_iter()
        .for_each(|column| table.align_right(column));
    for release in releases {
        let line = ReleaseLine::new(release);
        let time = |at: Option<Timestamp>| at.map_or_else(String::new, words::utc_minute);
        let cells = [
            words::printable(line.source),
            words::printable(line.scope),
            line.publication_seq.to_string(),
            words::printable(line.run_id),
            time(line.complete_through),
            time(line.published_at),
            line.rows.map_or_else(String::new, words::thousands),
            words::printable(line.position.unwrap_or_default()),
            shown(&line),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    table
}

/// The claim in a few words, and what was unusual.
fn shown(line: &ReleaseLine<'_>) -> String {
    let Claim {
        manifest,
        totals,
        confirmed_position,
    } = line.claim;
    let mut parts = Vec::new();
    if let Some(manifest) = manifest {
        parts.push(words::count(manifest.n_expected() as u64, "expected file"));
    }
    for total in totals {
        let (name, sum) = (&total.name, &total.found);
        parts.push(words::printable(&format!("{name} {sum}")));
    }
    if confirmed_position.is_some() {
        parts.push("position confirmed".to_owned());
    }
    if line.correction {
        parts.push("correction".to_owned());
    }
    if let Some(reason) = line.regression {
        parts.push(format!("took coverage back: {}", words::printable(reason)));
    }
    parts.join(", ")
}

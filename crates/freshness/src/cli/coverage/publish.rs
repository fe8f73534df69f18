//! What was published?

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use freshness_core::coverage::{Decision, Step};
use freshness_store::{Access, Asked, Store};

use super::super::{Answer, Context};
use super::release::{ReleaseArgs, RunArgs};
use super::said::{Said, refusal, say};
use crate::config::Format;
use crate::hint;
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::coverage;
use crate::sources::{ReadPublication, Source, SourceError, read_publications};

/// Tell the ledger of a release, after it was published.
///
/// Accepted only if nothing is missing, the scope has a contract, the times are
/// in order and not in the future, every expected file is there, and coverage
/// does not go back. Every attempt is logged, also one that is refused.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage publish --source orders --scope FR --run-id load-17 \\
    --complete-through 2026-03-02T06:00:00Z --published-at 2026-03-02T06:04:00Z --rows 0
  freshness coverage publish … --manifest expected.txt --delivered delivered.txt
  freshness coverage publish --file releases.ndjson
  some-loader | freshness coverage publish --file - --format ndjson

A line of NDJSON: source, scope, run_id, complete_through, published_at, and if you have them
position, rows, manifest ({\"expected\":[…],\"delivered\":[…]}), totals
([{\"name\":…,\"expected\":…,\"found\":…}]), confirmed_position, expect_seq, allow_regression,
correction. Each is accepted or refused on its own, and stored before it is answered.

Exit codes: 0 accepted, or the run has published so already; 1 refused, or one of them; 2 could
not be recorded.")]
pub(super) struct PublishArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    release: ReleaseArgs,

    /// Read releases from NDJSON, one a line, also compressed with gzip; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "source", "scope", "run_id", "complete_through", "published_at", "position", "rows",
        "manifest", "delivered", "total", "confirmed_position", "expect_seq",
        "allow_regression", "correction",
    ])]
    file: Option<PathBuf>,
}

/// So many lines are stored at once, or fewer if no more are there.
const BATCH_LINES: usize = 500;

/// Counts of many lines.
#[derive(Debug, Default)]
struct Counts {
    accepted: u64,
    repeated: u64,
    refused: BTreeMap<&'static str, u64>,
    /// The first that were refused, in words.
    first: Vec<String>,
    hints: Vec<&'static str>,
}

/// What the JSON says of many lines.
#[derive(serde::Serialize)]
struct Document<'a> {
    command: &'static str,
    n_accepted: u64,
    n_repeated: u64,
    n_refused: u64,
    refused_by_reason: &'a BTreeMap<&'static str, u64>,
    refused: &'a [String],
}

const COMMAND: &str = "coverage publish";

/// So many refused lines are shown.
const SHOWN: usize = 20;

pub(super) fn run(args: &PublishArgs, context: &mut Context) -> anyhow::Result<Answer> {
    if let Some(file) = &args.file {
        return bulk(&Source::named(file.clone(), None), context);
    }
    let asked = args.release.asked(&args.run, Step::Publish, context)?;
    let mut store = context.open(Access::ReadWrite)?;
    let now = context.clock.now();
    let decisions = coverage::take(&mut store, std::slice::from_ref(&asked), now)?;
    say(COMMAND, &asked, &decisions[0], context)
}

fn bulk(source: &Source, context: &mut Context) -> anyhow::Result<Answer> {
    let mut store = context.open(Access::ReadWrite)?;
    let mut waiting: Vec<(u64, Asked)> = Vec::new();
    let mut counts = Counts::default();
    let read = read_publications(source, &mut |read: ReadPublication| {
        let asked = Asked {
            step: Step::Publish,
            proposal: read.proposal,
            why: String::new(),
            unreadable: read
                .unreadable
                .map(|words| format!("line {}: {words}", read.line)),
        };
        waiting.push((read.line, asked));
        match waiting.len() >= BATCH_LINES || !read.more {
            true => record(&mut store, &mut waiting, &mut counts, context).map_err(Bulk::Work),
            false => Ok(()),
        }
    });
    let done = match read {
        Ok(()) => record(&mut store, &mut waiting, &mut counts, context),
        Err(Bulk::Work(error)) => Err(error),
        Err(Bulk::Source(error)) => {
            // What was read before is not lost.
            record(&mut store, &mut waiting, &mut counts, context)?;
            let message = format!("{}: {error}", source.label());
            Err(match error.hint() {
                Some(hint) => hint::failure(message, hint),
                None => anyhow::anyhow!(message),
            })
        }
    };
    report(&counts, context)?;
    done?;
    if counts.is_empty() {
        context
            .out
            .warn(format_args!("{} has no releases", source.label()));
    }
    Ok(match counts.refused.is_empty() {
        true => Answer::Healthy,
        false => Answer::Late,
    })
}

/// Why reading many lines ended early.
enum Bulk {
    Source(SourceError),
    Work(anyhow::Error),
}

impl From<SourceError> for Bulk {
    fn from(error: SourceError) -> Bulk {
        Bulk::Source(error)
    }
}

/// Stores what waits, then tells what became of it.
fn record(
    store: &mut Store,
    waiting: &mut Vec<(u64, Asked)>,
    counts: &mut Counts,
    context: &mut Context,
) -> anyhow::Result<()> {
    let (lines, asked): (Vec<u64>, Vec<Asked>) = std::mem::take(waiting).into_iter().unzip();
    if asked.is_empty() {
        return Ok(());
    }
    let decisions = coverage::take(store, &asked, context.clock.now())?;
    for ((line, asked), decision) in lines.into_iter().zip(&asked).zip(&decisions) {
        let said = Said::new(COMMAND, Some(line), asked, decision);
        counts.add(line, &said, decision);
        if context.out.format == Format::Ndjson {
            write_line(context.out.data(), &said)?;
        }
    }
    // Whoever waits for the answer hears it now.
    if context.out.format == Format::Ndjson {
        std::io::Write::flush(context.out.data())?;
    }
    Ok(())
}

impl Counts {
    fn add(&mut self, line: u64, said: &Said<'_>, decision: &Decision) {
        match refusal(decision) {
            None if matches!(decision, Decision::Repeat(_)) => self.repeated += 1,
            None => self.accepted += 1,
            Some(refusal) => {
                *self.refused.entry(refusal.word()).or_default() += 1;
                if self.first.len() < SHOWN {
                    self.first.push(format!("line {line}: {}", said.sentence()));
                }
                if let Some(hint) = refusal.hint()
                    && !self.hints.contains(&hint)
                {
                    self.hints.push(hint);
                }
            }
        }
    }

    /// Was nothing told?
    fn is_empty(&self) -> bool {
        self.accepted + self.repeated + self.n_refused() == 0
    }

    fn n_refused(&self) -> u64 {
        self.refused.values().sum()
    }
}

fn report(counts: &Counts, context: &mut Context) -> anyhow::Result<()> {
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            let mut table = Table::new(&["ACCEPTED", "REPEATED", "REFUSED"]);
            (0..3).for_each(|column| table.align_right(column));
            let n_refused = counts.n_refused();
            let paint = if n_refused > 0 {
                Paint::Bad
            } else {
                Paint::Plain
            };
            table.row([
                (words::thousands(counts.accepted), Paint::Plain),
                (words::thousands(counts.repeated), Paint::Plain),
                (words::thousands(n_refused), paint),
            ]);
            out.table(table)?;
            for line in &counts.first {
                out.line(line)?;
            }
            let n_more = n_refused - counts.first.len() as u64;
            if n_more > 0 {
                out.line(format_args!(
                    "… and {} more: `freshness coverage log --refused`",
                    words::thousands(n_more)
                ))?;
            }
        }
        Format::Json => write_document(
            out.data(),
            &Document {
                command: COMMAND,
                n_accepted: counts.accepted,
                n_repeated: counts.repeated,
                n_refused: counts.n_refused(),
                refused_by_reason: &counts.refused,
                refused: &counts.first,
            },
        )?,
        Format::Ndjson => {}
    }
    for hint in &counts.hints {
        out.talk(format_args!("hint: {hint}"));
    }
    Ok(())
}

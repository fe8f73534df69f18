//! Is every scope covered as its contract asks?
//!
//! Which answer wins, first to last: *could not tell* (2) without contracts,
//! without a readable store, or with a clock behind the last check; *not
//! covered* (1) if a contract fails, or inventory and contracts differ;
//! *healthy* (0).

use clap::Args;
use freshness_core::coverage::{Gap, GapKind, ScopeState};
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::super::{Answer, Context};
use crate::config::Format;
use crate::outputs::coverage::{RollUpLine, ScopeLine, dataset_lines, source_lines, table};
use crate::outputs::{words, write_document, write_line};
use crate::rounds::coverage::{self, Covered};
use crate::rounds::{RoundError, open_words};

/// Fail if a scope is not covered as its contract asks.
///
/// Of each contract the first failing condition is told, in this order:
/// invalid_contract (also two contracts of a scope), missing_publication,
/// invalid_publication, invalid_clock_order, source_stale, publication_gap. The
/// publication gap is counted from when coverage first came so far: publishing
/// old data again does not make a scope healthy. What maintenance put off is
/// put_off: it is not healthy, and fails only once it had its time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage check
  freshness coverage check --format json | jq '.scopes[] | select(.condition != \"healthy\") | .reason'

Exit codes:
  0  every scope is covered, or put off by maintenance
  1  one is not, or inventory and contracts differ
  2  could not tell: no contracts, an unreadable store, a clock behind the last check")]
pub(super) struct CheckArgs {}

/// What the JSON says.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    answer: &'static str,
    n_contracts: u64,
    n_unhealthy: u64,
    n_open_runs: u64,
    n_old_runs: u64,
    scopes: Vec<ScopeLine<'a>>,
    sources: Vec<RollUpLine<'a>>,
    datasets: Vec<RollUpLine<'a>>,
    gaps: &'a [Gap],
}

/// So many open runs are named.
const OPEN_NAMED: usize = 3;

pub(super) fn run(_: &CheckArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mut store = context.open(Access::ReadWrite).map_err(RoundError::from)?;
    let covered = coverage::check(&mut store, &context.clock)?;
    if !covered.recorded {
        context.out.warn(
            "the pinned clock is ahead of the machine's, so nothing was recorded: later checks would look back",
        );
    }
    let answer = answer(&covered);
    let is_wrong = |state: &&ScopeState| !state.is_healthy();
    show("coverage check", &covered, answer, is_wrong, context)?;
    Ok(answer)
}

pub(super) fn answer(covered: &Covered) -> Answer {
    match covered.is_healthy() {
        true => Answer::Healthy,
        false => Answer::Late,
    }
}

/// Shows what was found; tables and lines show the scopes that `is_shown`.
pub(super) fn show(
    command: &'static str,
    covered: &Covered,
    answer: Answer,
    is_shown: impl Fn(&&ScopeState) -> bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let Covered {
        now,
        scopes,
        gaps,
        open_runs,
        recorded: _,
    } = covered;
    let max_age = context.settings.coverage.max_open_age;
    let old = covered.old_runs(max_age);
    let out = &mut context.out;
    if let Some(oldest) = old.first() {
        out.warn(format_args!(
            "{} open for longer than {}, such as {}; settle what is open: `freshness coverage reconcile`",
            words::count(old.len() as u64, "run"),
            words::duration(max_age.as_secs()),
            open_words(oldest, *now)
        ));
    }
    match out.format {
        Format::Table => {
            if scopes.iter().any(|state| is_shown(&state)) {
                out.table(table(scopes.iter().filter(&is_shown), *now))?;
                out.line("")?;
            }
            for gap in gaps {
                out.line(gap_words(gap))?;
            }
            for line in source_lines(scopes, gaps, *now) {
                out.line(line.words())?;
            }
            for line in dataset_lines(scopes, *now) {
                out.line(format_args!("dataset {}", line.words()))?;
            }
            if !open_runs.is_empty() {
                let are = match open_runs.len() {
                    1 => "1 run is".to_owned(),
                    n => format!("{} runs are", words::thousands(n as u64)),
                };
                let named = open_runs.iter().take(OPEN_NAMED);
                let named: Vec<String> = named.map(|run| open_words(run, *now)).collect();
                let more = match open_runs.len().saturating_sub(OPEN_NAMED) {
                    0 => String::new(),
                    n => format!(" and {} more", words::thousands(n as u64)),
                };
                out.line("")?;
                out.line(format_args!(
                    "{are} open: {}{more}: `freshness coverage reconcile`",
                    named.join("; ")
                ))?;
            }
        }
        Format::Json => {
            let document = Document {
                command,
                now: *now,
                answer: match answer {
                    Answer::Late => "not_covered",
                    other => other.word(),
                },
                n_contracts: scopes.len() as u64,
                n_unhealthy: covered.n_unhealthy(),
                n_open_runs: open_runs.len() as u64,
                n_old_runs: old.len() as u64,
                scopes: scopes
                    .iter()
                    .map(|state| ScopeLine::new(state, *now))
                    .collect(),
                sources: source_lines(scopes, gaps, *now),
                datasets: dataset_lines(scopes, *now),
                gaps,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for state in scopes {
                write_line(out.data(), &ScopeLine::new(state, *now))?;
            }
        }
    }
    Ok(())
}

fn gap_words(gap: &Gap) -> String {
    let Gap {
        source,
        scope,
        missing,
    } = gap;
    match missing {
        GapKind::Contract => format!("{source} / {scope} is in the inventory and has no contract"),
        GapKind::Inventory => {
            format!("{source} / {scope} has a contract and is not in the inventory")
        }
    }
}

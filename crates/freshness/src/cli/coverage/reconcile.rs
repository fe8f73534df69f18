//! Which runs were begun, and never said how they ended?

use clap::Args;
use freshness_core::coverage::Step;
use freshness_store::{Access, Asked, OpenRun};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::super::ack::text;
use super::super::backtest::duration;
use super::super::{Answer, Context};
use super::release::{ReleaseArgs, RunArgs};
use super::said::say;
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::coverage;

/// Name the runs that were begun and are still open, or settle one.
///
/// A run is settled from its id: look at the data whether it was published,
/// and say so. What its begin said of the release need not be said again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage reconcile
  freshness coverage reconcile --open-for 2h
  freshness coverage reconcile --run-id load-17 --published --published-at 2026-03-02T06:04:00Z
  freshness coverage reconcile --source orders --scope FR --run-id load-17 --not-published 'no data'

Exit codes: 0 no run is open, or it was settled; 1 runs are open, or settling was refused; 2 could
not tell.")]
pub(super) struct ReconcileArgs {
    #[command(flatten)]
    run: RunArgs,

    /// It has published
    #[arg(long, conflicts_with = "not_published")]
    published: bool,

    /// It has not, and why
    #[arg(long, value_name = "WHY", value_parser = text)]
    not_published: Option<String>,

    /// Settle the run in every scope that began it
    #[arg(long)]
    all: bool,

    /// Name only runs that have been open for so long
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    open_for: Option<SignedDuration>,

    #[command(flatten)]
    release: ReleaseArgs,
}

/// An open run, as JSON says it.
#[derive(Serialize)]
struct RunLine<'a> {
    source: &'a str,
    scope: &'a str,
    run_id: &'a str,
    begun_at: Timestamp,
    open_seconds: i64,
    complete_through: Option<Timestamp>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    open: Vec<RunLine<'a>>,
}

const COMMAND: &str = "coverage reconcile";

pub(super) fn run(args: &ReconcileArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match args.published || args.not_published.is_some() {
        true => settle(args, context),
        false => name(args, context),
    }
}

fn name(args: &ReconcileArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let store = context.open(Access::ReadOnly)?;
    let mut open = store.open_runs()?;
    let least = args.open_for.unwrap_or(SignedDuration::ZERO);
    open.retain(|run| is_meant(run, &args.run) && now.duration_since(run.begun_at) >= least);
    let out = &mut context.out;
    match out.format {
        Format::Table if open.is_empty() => out.line("no run is open")?,
        Format::Table => out.table(table(&open, now))?,
        Format::Json => {
            let open = open.iter().map(|run| RunLine::new(run, now)).collect();
            let command = COMMAND;
            write_document(out.data(), &Document { command, now, open })?;
        }
        Format::Ndjson => {
            for run in &open {
                write_line(out.data(), &RunLine::new(run, now))?;
            }
        }
    }
    Ok(match open.is_empty() {
        true => Answer::Healthy,
        false => Answer::Late,
    })
}

fn settle(args: &ReconcileArgs, context: &mut Context) -> anyhow::Result<Answer> {
    if args.run.run_id.is_empty() {
        return Err(failure(
            "which run is to be settled?",
            "give its --run-id; `freshness coverage reconcile` names those that are open",
        ));
    }
    let now = context.clock.now();
    let mut store = context.open(Access::ReadWrite)?;
    let mut open = store.open_runs()?;
    open.retain(|run| is_meant(run, &args.run));
    if open.is_empty() {
        return Err(failure(
            format_args!("no such run is open: {}", args.run.run_id),
            "`freshness coverage log` tells what became of a run",
        ));
    }
    if open.len() > 1 && !args.all {
        return Err(several(&open, &args.run.run_id));
    }
    // Each scope is settled on its own.
    let mut answer = Answer::Healthy;
    for run in open {
        let named = RunArgs {
            source: run.plan.source.clone(),
            scope: run.plan.scope.clone(),
            run_id: run.plan.run_id.clone(),
        };
        let asked = match &args.not_published {
            Some(why) => Asked {
                step: Step::Abort,
                proposal: named.proposal(),
                why: why.clone(),
                unreadable: None,
            },
            None => args.release.asked(&named, Step::Commit, context)?,
        };
        let decisions = coverage::take(&mut store, std::slice::from_ref(&asked), now)?;
        if say(COMMAND, &asked, &decisions[0], context)? != Answer::Healthy {
            answer = Answer::Late;
        }
    }
    Ok(answer)
}

/// What is true of one scope need not be true of another: who settles says of
/// which.
fn several(open: &[OpenRun], run_id: &str) -> anyhow::Error {
    const NAMED: usize = 5;
    let name = |run: &OpenRun| {
        let (source, scope) = (&run.plan.source, &run.plan.scope);
        format!("{} / {}", words::printable(source), words::printable(scope))
    };
    let mut named: Vec<String> = open.iter().take(NAMED).map(name).collect();
    if open.len() > NAMED {
        named.push(format!(
            "{} more",
            words::thousands((open.len() - NAMED) as u64)
        ));
    }
    failure(
        format_args!(
            "{} scopes have an open run of this id: {} ({})",
            words::thousands(open.len() as u64),
            words::printable(run_id),
            named.join(", ")
        ),
        "name one with --source and --scope, or settle it in each with --all",
    )
}

fn is_meant(run: &OpenRun, named: &RunArgs) -> bool {
    let is = |asked: &str, found: &str| asked.is_empty() || asked == found;
    is(&named.source, &run.plan.source)
        && is(&named.scope, &run.plan.scope)
        && is(&named.run_id, &run.plan.run_id)
}

impl<'a> RunLine<'a> {
    fn new(run: &'a OpenRun, now: Timestamp) -> RunLine<'a> {
        RunLine {
            source: &run.plan.source,
            scope: &run.plan.scope,
            run_id: &run.plan.run_id,
            begun_at: run.begun_at,
            open_seconds: now.as_second() - run.begun_at.as_second(),
            complete_through: (run.plan.complete_through)
                .and_then(|through| Timestamp::from_second(through).ok()),
        }
    }
}

fn table(open: &[OpenRun], now: Timestamp) -> Table {
    let mut table = Table::new(&["SOURCE", "SCOPE", "RUN", "BEGUN (UTC)", "OPEN FOR"]);
    for run in open {
        let open_for = now.as_second() - run.begun_at.as_second();
        let cells = [
            run.plan.source.clone(),
            run.plan.scope.clone(),
            run.plan.run_id.clone(),
            words::utc_minute(run.begun_at),
            words::duration(open_for.max(0)),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    table
}

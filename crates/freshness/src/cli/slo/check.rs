//! Is every promise kept?
//!
//! Which answer wins, first to last:
//!
//! 1. *could not tell* (2): no store, an unreadable one, nothing promised, a clock
//!    behind the last check, a promise that cannot be read, or an objective of
//!    which nobody knows. What is unknown may be worse than what is known to be
//!    broken, and a job that goes on after a breach must not go on then.
//! 2. *breached* (1): an objective does not hold.
//! 3. *healthy* (0): all hold, or nothing is due.
//!
//! An objective that only warns (`severity: warning`, `warn_only`) is shown and
//! changes no answer. Too few runs for a usual number of rows are no doubt: so
//! many were asked for before anything is enforced.

use clap::Args;
use freshness_core::slo::objectives;
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::cli::status::globs;
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::slo::{SloSummary, VerdictLine, table};
use crate::outputs::{words, write_document, write_line};
use crate::rounds::{self, Promise, Promises, RoundError, SloChecked, SloDataset};

/// Fail if a promise is not kept.
///
/// Judges every objective that is declared by what was measured, on the clock: a
/// pipeline that is silent breaks its promise of freshness. Records what changed,
/// and prints what is not kept; JSON has every verdict with its evidence.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo check
  freshness slo check fct_orders 'raw_*'
  freshness slo check --environment prod
  freshness slo check --format json | jq '.verdicts[] | select(.outcome == \"breached\") | .why'

Exit codes, the first that applies:
  2  could not tell: nothing promised, a store or a promise that cannot be read, a
     clock behind the last check, or an objective of which nobody knows: it never
     ran, has no rows, no such column, a time that cannot be read, no count
  1  an objective is breached
  0  all are kept, or not due

What came past its deadline is shown until the next one is due, and is not a breach
any more. An objective that only warns (severity: warning, or warn_only) is shown and changes
no exit code; nor do too few runs for a usual number of rows.")]
pub(in crate::cli) struct CheckArgs {
    /// Only datasets whose name matches one of these (`*`, `?`, `[a-z]`, `{a,b}`) [default: all]
    #[arg(value_name = "DATASET")]
    datasets: Vec<String>,

    /// Only what is promised in this environment [default: all]
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    answer: &'static str,
    summary: SloSummary,
    verdicts: Vec<VerdictLine<'a>>,
}

pub(super) fn run(args: &CheckArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mut store = context.open(Access::ReadWrite).map_err(RoundError::from)?;
    let globs = globs(&args.datasets)?;
    let promises = rounds::promises(&store, args.environment.as_deref(), |id| {
        globs
            .as_ref()
            .is_none_or(|globs| globs.is_match(id.as_str()))
    })?;
    super::refuse_none(
        &store,
        &promises,
        &args.datasets,
        args.environment.as_deref(),
    )?;
    refuse_empty(&promises)?;
    let checked = rounds::slo_check(
        &mut store,
        promises,
        &context.clock,
        context.settings.threads,
    )?;
    for failure in &checked.failures {
        context
            .out
            .warn(format_args!("not judged: {}", failure.error));
    }
    if !checked.recorded {
        context.out.warn(
            "the pinned clock is ahead of the machine's, so nothing was recorded: later checks would look back",
        );
    }
    let answer = answer(&checked);
    let summary = SloSummary::of(&checked.datasets);
    let out = &mut context.out;
    let lines = || checked.datasets.iter().flat_map(VerdictLine::all);
    match out.format {
        Format::Table => {
            let mut wrong: Vec<VerdictLine<'_>> = lines().filter(VerdictLine::is_wrong).collect();
            wrong.sort_by_key(VerdictLine::rank);
            if !wrong.is_empty() {
                out.table(table(&wrong))?;
                out.line("")?;
            }
            out.line(summary.line(checked.now))?;
        }
        Format::Json => {
            let document = Document {
                command: "slo check",
                now: checked.now,
                answer: word(answer),
                summary,
                verdicts: lines().collect(),
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for line in lines() {
                write_line(out.data(), &line)?;
            }
        }
    }
    if answer == Answer::CouldNotTell {
        out.talk("could not tell whether every promise is kept");
    }
    Ok(answer)
}

/// Contracts without an objective promise nothing that could be kept.
fn refuse_empty(promises: &Promises) -> anyhow::Result<()> {
    let is_empty = |of: &Promise| objectives(&of.levels).is_empty();
    if !promises.failures.is_empty() || !promises.promises.iter().all(is_empty) {
        return Ok(());
    }
    let n = promises.promises.len() as u64;
    Err(failure(
        format_args!(
            "nothing is promised: {} without an objective",
            words::count(n, "contract")
        ),
        "say what is owed in `service_levels`, such as `freshness: { deadline: \"07:30\" }`, and import it again",
    ))
}

/// The answer, by the order that this file begins with.
fn answer(checked: &SloChecked) -> Answer {
    let weighed = || {
        let all = checked.datasets.iter().flat_map(SloDataset::weighed);
        all.filter(|(_, fails)| *fails).map(|(verdict, _)| verdict)
    };
    if !checked.failures.is_empty() || weighed().any(|verdict| verdict.outcome.is_doubt()) {
        return Answer::CouldNotTell;
    }
    match weighed().any(|verdict| verdict.outcome.is_breach()) {
        true => Answer::Late,
        false => Answer::Healthy,
    }
}

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Late => "breached",
        answer => answer.word(),
    }
}

//! Is a critical dataset late?
//!
//! Which answer wins, first to last:
//!
//! 1. *could not tell* (2), when the doubt is about everything: no store, an
//!    unreadable or empty one, no models and no promise that tells, a clock behind the last check, or
//!    with `--strict` models that are too old. A verdict found on the way is
//!    not to be believed then, in either direction.
//! 2. *late* (1), when a critical dataset is late, or is known by its promises
//!    alone (nothing ever arrived of it) and breaks one: doubts about other
//!    datasets cannot undo that.
//! 3. *could not tell* (2), when datasets have arrivals and nothing was ever
//!    fitted, when a critical dataset cannot be read, or with
//!    `--strict` cannot be judged: it might be late. That is one that never
//!    arrived, has too little history, is not evaluated, or is late by a model
//!    that can only advise.
//! 4. *healthy* (0).

use clap::Args;
use freshness_core::state::State;
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::incidents::Counts;
use super::status::{say_doubts, write_lines};
use super::{Answer, Context};
use crate::config::Format;
use crate::outputs::datasets::{DatasetLine, sort_late_first, table};
use crate::outputs::incidents::{self, Addressed, Recipients};
use crate::outputs::summary::{self, Scope};
use crate::outputs::write_document;
use crate::rounds::{
    self, Checked, Doubt, Judged, RoundError, Summary, is_broken_critical, is_unjudged_critical,
};

/// Fail if a critical dataset is late.
///
/// Judges every dataset, records what it found, and prints what is not as it
/// should be.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness check
  freshness check --strict                     old models are a reason not to tell
  freshness check --format json | jq '.datasets[].reason'
  freshness check --now 2026-03-01T07:00:00Z   with the clock pinned

A deadline is `early` while something that the dataset waits for is overdue.

Exit codes:
  0  no critical dataset is late
  1  a critical dataset is late; or nothing ever arrived of it, and it breaks a
     promise of its service levels
  2  could not tell: no models (nor promises to judge by), an empty inventory, an unreadable store, a clock
     behind the last check, a critical dataset that cannot be read; with --strict
     also models older than 36 h (check.max_model_age), or a critical dataset
     that cannot be judged: it never arrived, has fewer than three arrivals, or is
     late by a model that can only advise (cold start, provisional)

Where both hold: a doubt about everything outranks 1, a doubt about single
datasets does not.")]
pub(super) struct CheckArgs {
    /// Do not answer from old models, nor while a critical dataset cannot be judged [env: FRESHNESS_STRICT]
    #[arg(long)]
    strict: bool,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    fitted_at: Option<Timestamp>,
    answer: &'static str,
    summary: Summary,
    datasets: Vec<DatasetLine<'a>>,
    #[serde(flatten)]
    counts: Counts,
    incidents: Vec<Addressed<'a>>,
}

pub(super) fn run(args: &CheckArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let settings = context.settings.check;
    let strict = args.strict || settings.strict;
    let mut store = context.open(Access::ReadWrite).map_err(RoundError::from)?;
    let mut checked = rounds::check(
        &mut store,
        &context.clock,
        settings.max_model_age,
        context.settings.threads,
    )?;
    say_doubts(&checked.doubts, context);
    if !checked.recorded {
        context.out.warn(
            "the pinned clock is ahead of the machine's, so nothing was recorded: later checks would look back",
        );
    }

    let answer = answer(&checked, strict);
    let summary = Summary::of(&checked.datasets);
    sort_late_first(&mut checked.datasets);
    let wrong = || checked.datasets.iter().filter(|judged| is_wrong(judged));
    let causes = &checked.causes;
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            if wrong().next().is_some() {
                out.table(table(wrong()))?;
                out.line("")?;
            }
            if let Some(line) = incidents::summary(causes, checked.now) {
                out.line(line)?;
            }
            for line in summary::lines(&checked.datasets, checked.now, Scope::All) {
                out.line(line)?;
            }
            if let Some(line) = checked.promises.map(summary::promises) {
                out.line(line)?;
            }
        }
        Format::Json => {
            let dashboards = store.dashboards()?;
            let datasets = checked.datasets.iter().map(|judged| &judged.dataset);
            let recipients = Recipients::new(datasets, &dashboards, &context.settings.rules);
            let document = Document {
                command: "check",
                now: checked.now,
                fitted_at: checked.fitted_at,
                answer: answer.word(),
                summary,
                datasets: wrong().map(DatasetLine::new).collect(),
                counts: Counts::of(causes),
                incidents: causes
                    .standing
                    .iter()
                    .map(|followed| recipients.address(followed, checked.now))
                    .collect(),
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => write_lines(wrong(), out.data())?,
    }
    if answer == Answer::CouldNotTell {
        out.talk("could not tell whether every critical dataset is on time");
    }
    Ok(answer)
}

/// The answer, by the order that this file begins with.
fn answer(checked: &Checked, strict: bool) -> Answer {
    let old_models = checked
        .doubts
        .iter()
        .any(|doubt| matches!(doubt, Doubt::OldModels { .. }));
    if strict && old_models {
        return Answer::CouldNotTell;
    }
    let summary = Summary::of(&checked.datasets);
    if summary.n_critical_late + summary.n_critical_broken > 0 {
        return Answer::Late;
    }
    let unreadable = checked.doubts.iter().any(|doubt| match doubt {
        Doubt::Unreadable {
            may_be_critical, ..
        } => *may_be_critical,
        Doubt::NoModels { .. } => true,
        Doubt::OldModels { .. } => false,
    });
    match unreadable || (strict && summary.n_critical_unjudged > 0) {
        true => Answer::CouldNotTell,
        false => Answer::Healthy,
    }
}

/// Is it worth a line? What is late, and what is critical and cannot be judged.
fn is_wrong(judged: &Judged) -> bool {
    match judged.state.state {
        State::Late | State::Missed | State::LateArrival => true,
        State::Unknown | State::InsufficientHistory | State::NotEvaluated => {
            is_unjudged_critical(judged) || is_broken_critical(judged)
        }
        State::Ok | State::Pending => false,
    }
}

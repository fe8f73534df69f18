//! May a dashboard be refreshed?
//!
//! Which answer wins, first to last: *could not tell* (2) when the doubt is
//! about everything, as of `check`; *yes* (0) when even the lower bound of the
//! score is enough; *no* (1) when even the upper bound is not; else *could not
//! tell* (2).

use clap::Args;
use freshness_core::trust::Trust;
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::status::say_doubts;
use super::trust::{place_of, trusted_in};
use super::{Answer, Context};
use crate::config::Format;
use crate::outputs::trust::DashboardLine;
use crate::outputs::{words, write_document, write_line};
use crate::rounds::{self, Doubt};

/// Fail if a dashboard cannot be believed far enough to be refreshed.
///
/// Says nothing if it can, and in one line on stderr why not if it cannot; as
/// JSON it says why either way.
/// Records nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness gate board_report --min-score 90 && refresh-board-report
  freshness gate board_report --min-score 100     only if everything behind it is on time

Exit codes:
  0  its score is N or more
  1  its score is below N
  2  could not tell: what cannot be judged decides; or no dashboards, no models
     nor promises to judge by, no dashboard of that name, an unreadable store; with --strict also models older
     than 36 h (check.max_model_age)")]
pub(super) struct GateArgs {
    /// The dashboard
    dashboard: String,

    /// The least score that will do, 0 to 100
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = score)]
    min_score: u8,

    /// Do not answer from old models [env: FRESHNESS_STRICT]
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
    min_score: u8,
    #[serde(flatten)]
    dashboard: DashboardLine<'a>,
}

pub(super) fn run(args: &GateArgs, context: &mut Context) -> anyhow::Result<Answer> {
    // A refresh must not be let through because a clock is wrong.
    let store = context.open(Access::ReadOnly)?;
    rounds::not_behind(&store, &context.clock)?;
    let trusted = trusted_in(&store, context)?;
    let (dashboard, trust) = &trusted.dashboards[place_of(&args.dashboard, &trusted.dashboards)?];
    let doubts = &trusted.checked.doubts;
    say_doubts(doubts, context);
    let strict = args.strict || context.settings.check.strict;
    let are_old = |doubt: &Doubt| matches!(doubt, Doubt::OldModels { .. });
    let too_old = strict && doubts.iter().any(are_old);
    let answer = match too_old {
        true => Answer::CouldNotTell,
        false => answer(trust, args.min_score),
    };
    let document = Document {
        command: "gate",
        now: trusted.checked.now,
        fitted_at: trusted.checked.fitted_at,
        answer: answer.word(),
        min_score: args.min_score,
        dashboard: DashboardLine::new(dashboard, trust),
    };
    match context.out.format {
        Format::Table => {}
        Format::Json => write_document(context.out.data(), &document)?,
        Format::Ndjson => write_line(context.out.data(), &document)?,
    }
    if too_old {
        context
            .out
            .talk("could not tell: the models are too old to be strict with");
    } else if answer != Answer::Healthy {
        let (id, score) = (&trust.dashboard_id, words::score(trust));
        let caveat = trust.caveat.as_deref().unwrap_or_default();
        let verdict = match answer {
            Answer::Late => "below",
            Answer::Healthy | Answer::CouldNotTell => "which may be below",
        };
        let least = args.min_score;
        context.out.talk(format_args!(
            "{id} has a score of {score}, {verdict} {least}: {caveat}"
        ));
    }
    Ok(answer)
}

fn score(text: &str) -> Result<u8, String> {
    let score = text.parse().ok().filter(|score| *score <= 100);
    score.ok_or_else(|| "expected a whole number from 0 to 100".to_owned())
}

fn answer(trust: &Trust, min_score: u8) -> Answer {
    match (trust.at_least, trust.at_most) {
        (at_least, _) if at_least >= min_score => Answer::Healthy,
        (_, at_most) if at_most < min_score => Answer::Late,
        _ => Answer::CouldNotTell,
    }
}

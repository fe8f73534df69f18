//! May a dashboard be refreshed?
//!
//! Which answer wins, first to last: *could not tell* (2) when the doubt is
//! about everything, as of `check`; *yes* (0) when even the lower bound of the
//! score is enough; *no* (1) when even the upper bound is not; else *could not
//! tell* (2).

use clap::Args;
use freshness_core::trust::Trust;
use freshness_store::Access;

use super::status::say_doubts;
use super::trust::{place_of, trusted_in};
use super::{Answer, Context};
use crate::outputs::words;
use crate::rounds::{self, Doubt};

/// Fail if a dashboard cannot be believed far enough to be refreshed.
///
/// Says nothing if it can, and in one line on stderr why not if it cannot.
/// Records nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness gate board_report --min-score 90 && refresh-board-report
  freshness gate board_report --min-score 100     only if everything behind it is on time

Exit codes:
  0  its score is N or more
  1  its score is below N
  2  could not tell: what cannot be judged decides; or no dashboards, no models, no
     dashboard of that name, an unreadable store; with --strict also models older
     than 36 h (check.max_model_age)")]
pub(super) struct GateArgs {
    /// The dashboard
    dashboard: String,

    /// The least score that will do, 0 to 100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=100))]
    min_score: u8,

    /// Do not answer from old models [env: FRESHNESS_STRICT]
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(args: &GateArgs, context: &mut Context) -> anyhow::Result<Answer> {
    // A refresh must not be let through because a clock is wrong.
    let store = context.open(Access::ReadOnly)?;
    rounds::not_behind(&store, &context.clock)?;
    let trusted = trusted_in(&store, context)?;
    let (_, trust) = &trusted.dashboards[place_of(&args.dashboard, &trusted.dashboards)?];
    let doubts = &trusted.checked.doubts;
    say_doubts(doubts, context);
    let strict = args.strict || context.settings.check.strict;
    let are_old = |doubt: &Doubt| matches!(doubt, Doubt::OldModels { .. });
    if strict && doubts.iter().any(are_old) {
        context
            .out
            .talk("could not tell: the models are too old to be strict with");
        return Ok(Answer::CouldNotTell);
    }
    let answer = answer(trust, args.min_score);
    if answer != Answer::Healthy {
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

fn answer(trust: &Trust, min_score: u8) -> Answer {
    match (trust.at_least, trust.at_most) {
        (at_least, _) if at_least >= min_score => Answer::Healthy,
        (_, at_most) if at_most < min_score => Answer::Late,
        _ => Answer::CouldNotTell,
    }
}

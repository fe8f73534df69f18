//! Who looks after an incident?

use clap::Args;
use freshness_core::incidents::Ack;
use freshness_store::Access;
use jiff::{SignedDuration, Timestamp};

use super::backtest::{duration, instant};
use super::incidents::named;
use super::{Answer, Context};
use crate::hint;
use crate::outputs::incidents::title;
use crate::outputs::words;

/// Say that somebody looks after an incident.
///
/// It stays in every list, as acknowledged, until it is resolved or the time is
/// over. If it opens again, somebody has to look again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness ack raw_orders --by ana --why 'vendor is on it'
  freshness ack 0e58e0802f --by ana --why 'loads again tonight' --for 8h
  freshness ack raw_orders --by ana --why 'holiday in Spain' --until 2026-03-02T06:00:00Z

Only what a check has recorded can be acknowledged.

Exit codes: 0 acknowledged, 2 there is no such incident.")]
pub(super) struct AckArgs {
    /// Which: its id, the start of it, or the name of a dataset in it
    #[arg(value_name = "INCIDENT")]
    incident: String,

    /// Who looks after it
    #[arg(long, value_name = "NAME", value_parser = text)]
    by: String,

    /// Why it may wait
    #[arg(long, value_name = "TEXT", value_parser = text)]
    why: String,

    /// Until when: a date (UTC) or an instant [default: until it is resolved]
    #[arg(long, value_name = "TIME", value_parser = instant)]
    until: Option<Timestamp>,

    /// … or for how long
    #[arg(long = "for", value_name = "DURATION", allow_hyphen_values = true, value_parser = duration, conflicts_with = "until")]
    lasting: Option<SignedDuration>,
}

/// What `freshness incidents` lists may be newer than the last check.
const RECORDED: &str =
    "`freshness check` records incidents; run it if `freshness incidents` lists this one";

pub(super) fn run(args: &AckArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let until = end(args.until, args.lasting, now)?;
    let mut store = context.open(Access::ReadWrite)?;
    let mut standing = store.followed(now)?;
    standing.retain(|followed| followed.resolved_at.is_none());
    if standing.is_empty() {
        return Err(hint::failure(
            format_args!(
                "no such incident: {}: no check has found one that stands",
                args.incident
            ),
            RECORDED,
        ));
    }
    let found = named(&standing, &args.incident, RECORDED)?;
    let [followed] = found[..] else {
        let ids: Vec<&str> = found.iter().map(|followed| followed.id.as_str()).collect();
        return Err(hint::failure(
            format_args!("more than one incident: {}", args.incident),
            format_args!("say which by its id: {}", ids.join(", ")),
        ));
    };
    let ack = Ack {
        by: args.by.clone(),
        why: args.why.clone(),
        at: now,
        until,
    };
    let before = followed.ack.as_ref().filter(|ack| ack.holds(now));
    // A check may have resolved it just now.
    if !store.acknowledge(&followed.id, &ack)? {
        return Err(hint::failure(
            format_args!("the incident is over: {}", args.incident),
            "`freshness incidents --history` tells what happened",
        ));
    }
    let instead = before.map_or(String::new(), |before| {
        format!(", no longer by {}: {}", before.by, before.why)
    });
    context.out.talk(format_args!(
        "{} ({}) is looked after by {} until {}{instead}",
        followed.id,
        title(&followed.incident),
        args.by,
        until.map_or("it is resolved".to_owned(), words::utc),
    ));
    Ok(Answer::Healthy)
}

/// The instant that was said in one way or the other; it lies ahead.
pub(super) fn end(
    until: Option<Timestamp>,
    lasting: Option<SignedDuration>,
    now: Timestamp,
) -> anyhow::Result<Option<Timestamp>> {
    let until = match (until, lasting) {
        (Some(until), _) => Some(until),
        (None, Some(lasting)) => Some(now.checked_add(lasting)?),
        (None, None) => None,
    };
    match until {
        Some(until) if until <= now => Err(hint::failure(
            format_args!("that time is over: {until}"),
            format_args!("it is {now}"),
        )),
        until => Ok(until),
    }
}

/// Some text.
pub(super) fn text(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("expected some text".to_owned()),
        // They would reach the terminal of everybody who reads it.
        text if text.contains(char::is_control) => {
            Err("expected text on one line, without control characters".to_owned())
        }
        text => Ok(text.to_owned()),
    }
}

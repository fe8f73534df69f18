//! What should the reader of a dashboard know?
//!
//! One caveat: which tables are late, the worst cause first and since when,
//! which parts of the report that concerns, and when they should be there.

use jiff::Timestamp;

use super::score::{Cause, Doubted, Standing, Trust};
use crate::incidents::Broken;
use crate::schedule::PutOff;
use crate::state::STOPPED_SECONDS;

/// Names in a sentence; more are counted.
const NAMED: usize = 3;

/// The caveat of a dashboard; `None` if everything behind it is in time.
pub(super) fn of(trust: &Trust) -> Option<String> {
    match trust.standing {
        Standing::Healthy => None,
        Standing::CouldNotTell => Some(untold(trust)),
        Standing::Late => Some(late(trust)),
    }
}

fn late(trust: &Trust) -> String {
    let mut causes = trust.causes.iter();
    let first = causes.next().map_or_else(String::new, |cause| {
        format!("{} {}", cause.dataset_id, since(cause))
    });
    let others: Vec<String> = causes
        .map(|cause| format!("{} ({})", cause.dataset_id, since_when(cause)))
        .collect();
    let also = match trust
        .causes
        .iter()
        .skip(1)
        .all(|cause| !is_only_broken(cause))
    {
        true => "also late",
        false => "also",
    };
    let also = match others.as_slice() {
        [] => String::new(),
        others => format!(", {also}: {}", listed(others)),
    };
    let parts = concerned(trust, trust.causes.iter().map(|cause| &cause.parts));
    let back = back(trust).map_or_else(String::new, |back| format!(" {back}"));
    let untold = match trust.doubts.as_slice() {
        [] => String::new(),
        doubts => format!(" Nobody can tell {}.", whether(doubts)),
    };
    format!(
        "{first}{also}; {parts} may be {}.{back}{untold}",
        wrong(trust)
    )
}

/// What a reader must reckon with: what is late is old, rows that are missing or
/// bad make it wrong.
fn wrong(trust: &Trust) -> &'static str {
    let broken = || trust.causes.iter().flat_map(|cause| &cause.breaches);
    let late = trust.causes.iter().any(|cause| !is_only_broken(cause));
    match (
        late || broken().any(Broken::is_old),
        broken().all(Broken::is_old),
    ) {
        (_, true) => "out of date",
        (true, false) => "out of date or wrong",
        (false, false) => "wrong",
    }
}

/// Is it in time by what is learned?
fn is_only_broken(cause: &Cause) -> bool {
    !cause.breaches.is_empty() && cause.late_seconds.is_none() && cause.arrived_at.is_none()
}

/// `row_count and quality`.
fn promises(cause: &Cause) -> String {
    let names: Vec<String> = cause.breaches.iter().map(Broken::words).collect();
    listed(&names)
}

fn untold(trust: &Trust) -> String {
    if trust.doubts.is_empty() {
        return "No part of it is known, so nobody can tell whether it is up to date.".to_owned();
    }
    let parts = concerned(trust, trust.doubts.iter().map(|doubted| &doubted.parts));
    format!(
        "Nobody can tell {}; {parts} may be out of date.",
        whether(&trust.doubts)
    )
}

fn whether(doubts: &[Doubted]) -> String {
    let names: Vec<String> = doubts.iter().map(|of| of.dataset_id.to_string()).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    format!("whether {} {are} up to date", listed(&names))
}

/// When it should recover, as far as that can be said.
fn back(trust: &Trust) -> Option<String> {
    let at = utc(trust.recovers?);
    let mut awaited = trust.causes.iter().filter(|of| of.arrived_at.is_none());
    Some(match (awaited.next(), awaited.next()) {
        (None, _) => format!("That should be over by {at}."),
        (Some(one), None) => {
            let id = &one.dataset_id;
            format!("If {id} comes by its next deadline, that should be over by {at}.")
        }
        _ => format!("If these come by their next deadlines, that should be over by {at}."),
    })
}

fn since(cause: &Cause) -> String {
    if is_only_broken(cause) {
        let since = cause
            .since
            .map_or_else(String::new, |at| format!(" since {}", utc(at)));
        return format!("has broken its promise of {}{since}", promises(cause));
    }
    if let Some(at) = cause.arrived_at {
        return format!("came late, at {}", utc(at));
    }
    if let Some(PutOff { until, reason }) = &cause.maintenance {
        let since = cause.since.map_or_else(String::new, |at| {
            format!(", and would be late since {}", utc(at))
        });
        return format!(
            "is held up by maintenance until {} ({reason}){since}",
            utc(*until)
        );
    }
    let stopped = match cause.late_seconds > Some(STOPPED_SECONDS) {
        true => " and may have stopped for good",
        false => "",
    };
    match cause.since {
        Some(at) => format!("has been late since {}{stopped}", utc(at)),
        None => format!("is late{stopped}"),
    }
}

fn since_when(cause: &Cause) -> String {
    if is_only_broken(cause) {
        return format!("breaks its promise of {}", promises(cause));
    }
    if cause.maintenance.is_some() {
        return "held up by maintenance".to_owned();
    }
    match (cause.arrived_at, cause.since) {
        (Some(at), _) => format!("came at {}", utc(at)),
        (None, Some(at)) => format!("since {}", utc(at)),
        (None, None) => "not there yet".to_owned(),
    }
}

/// `headline and trend (2 of 4 parts)`.
fn concerned<'a>(trust: &Trust, of: impl Iterator<Item = &'a Vec<String>>) -> String {
    let mut parts: Vec<String> = of.flatten().cloned().collect();
    parts.sort_unstable();
    parts.dedup();
    let n = trust.parts.len();
    match parts.len() {
        _ if n == 1 => listed(&parts),
        2 if n == 2 => format!("{} (both parts)", listed(&parts)),
        all if all == n => format!("{} (all {n} parts)", listed(&parts)),
        some => format!("{} ({some} of {n} parts)", listed(&parts)),
    }
}

/// `a`, `a and b`, `a, b and c`, `a, b, c and 2 more`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= NAMED => format!("{} and {last}", first.join(", ")),
        _ => format!(
            "{} and {} more",
            names[..NAMED].join(", "),
            names.len() - NAMED
        ),
    }
}

fn utc(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

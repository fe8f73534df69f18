//! How is coverage told, in tables, JSON and words?

use freshness_core::civil::{Day, MINUTE, Zone};
use freshness_core::coverage::{
    Condition, ContractRow, Gap, RollUp, ScopeKey, ScopeState, by_dataset, by_source,
};
use freshness_core::dataset::DatasetId;
use freshness_core::schedule::PutOff;
use jiff::Timestamp;
use serde::Serialize;

use super::{Paint, Table, words};

/// A scope, as JSON says it.
#[derive(Debug, Serialize)]
pub struct ScopeLine<'a> {
    source: &'a str,
    scope: &'a str,
    condition: Condition,
    reason: String,
    dataset: Option<&'a str>,
    owner: Option<&'a str>,
    complete_through: Option<Timestamp>,
    lag_seconds: Option<i64>,
    published_at: Option<Timestamp>,
    reached_at: Option<Timestamp>,
    publication_seq: Option<i64>,
    run_id: Option<&'a str>,
    rows: Option<i64>,
    max_source_lag_minutes: Option<i64>,
    max_publication_gap_minutes: Option<i64>,
    learned_as: Option<DatasetId>,
    maintenance: Option<&'a PutOff>,
}

/// The fields of a scope, for the reference.
pub const SCOPE_FIELDS: &[(&str, &str)] = &[
    ("source`, `scope", "which part of which feed"),
    (
        "condition",
        "the first that fails: invalid_contract, missing_publication, invalid_publication, invalid_clock_order, source_stale, publication_gap; else put_off (one of the last two, were it not for maintenance) or healthy",
    ),
    (
        "reason",
        "in words: how far it is covered, and how long since",
    ),
    ("dataset`, `owner", "the dataset it feeds, and whom to ask"),
    (
        "complete_through`, `lag_seconds",
        "up to when it is covered, and how long ago that is; null if nothing to be believed was published",
    ),
    (
        "published_at`, `publication_seq`, `run_id`, `rows",
        "of its newest release",
    ),
    (
        "reached_at",
        "when coverage first came so far: the publication gap is counted from here",
    ),
    (
        "max_source_lag_minutes`, `max_publication_gap_minutes",
        "the limits of its contract",
    ),
    (
        "learned_as",
        "the dataset whose arrivals are its releases, for fit, check and explain",
    ),
    (
        "maintenance",
        "what puts it off: `until`, when it is over, and its `reason`; null if nothing does",
    ),
];

/// All scopes of a source, or of a dataset, as JSON says it.
#[derive(Debug, Serialize)]
pub struct RollUpLine<'a> {
    name: &'a str,
    n_scopes: u64,
    n_healthy: u64,
    complete_through: Option<Timestamp>,
    words: String,
}

/// How many scopes that are behind a sentence names.
const NAMED: usize = 3;

impl<'a> ScopeLine<'a> {
    /// What is said of a scope.
    pub fn new(state: &'a ScopeState, now: Timestamp) -> ScopeLine<'a> {
        let ContractRow {
            source,
            scope,
            max_source_lag_minutes,
            max_publication_gap_minutes,
            dataset,
            calendar: _,
            timezone: _,
            skew_tolerance_minutes: _,
            owner,
        } = &state.contract;
        let newest = state.newest.as_ref();
        let through = state.complete_through();
        ScopeLine {
            source,
            scope,
            condition: state.condition,
            reason: reason(state, now),
            dataset: dataset.as_deref(),
            owner: owner.as_deref(),
            complete_through: through.and_then(instant),
            lag_seconds: through.map(|through| now.as_second().saturating_sub(through)),
            published_at: newest.and_then(|newest| instant(newest.published_at?)),
            reached_at: newest.and_then(|newest| instant(newest.reached_at?)),
            publication_seq: newest.and_then(|newest| newest.seq),
            run_id: newest.and_then(|newest| newest.run_id.as_deref()),
            rows: newest.and_then(|newest| newest.rows),
            max_source_lag_minutes: *max_source_lag_minutes,
            max_publication_gap_minutes: *max_publication_gap_minutes,
            learned_as: ScopeKey::new(source, scope)
                .ok()
                .map(|key| key.dataset_id()),
            maintenance: state.put_off.as_ref().map(|(_, put_off)| put_off),
        }
    }
}

impl RollUpLine<'_> {
    /// The sentence.
    pub fn words(&self) -> &str {
        &self.words
    }
}

/// All scopes by source, as JSON says them.
pub fn source_lines<'a>(
    states: &'a [ScopeState],
    gaps: &'a [Gap],
    now: Timestamp,
) -> Vec<RollUpLine<'a>> {
    lines(by_source(states, gaps), now)
}

/// … and by the dataset they feed.
pub fn dataset_lines(states: &[ScopeState], now: Timestamp) -> Vec<RollUpLine<'_>> {
    lines(by_dataset(states), now)
}

fn lines(rolled: Vec<RollUp<'_>>, now: Timestamp) -> Vec<RollUpLine<'_>> {
    rolled
        .into_iter()
        .map(|roll_up| RollUpLine {
            name: roll_up.name,
            n_scopes: roll_up.n_scopes,
            n_healthy: roll_up.n_healthy,
            complete_through: match roll_up.n_healthy == roll_up.n_scopes {
                true => roll_up.healthy_through.and_then(instant),
                false => None,
            },
            words: sentence(&roll_up, now),
        })
        .collect()
}

/// `orders: 11 of 12 scopes complete through 06:00 UTC; FR stopped at
/// yesterday 06:00`.
pub fn sentence(roll_up: &RollUp<'_>, now: Timestamp) -> String {
    let RollUp {
        name,
        n_scopes,
        n_healthy,
        healthy_through,
        behind,
        put_off,
        without_contract,
        several_sources,
        zone,
    } = roll_up;
    let mut parts = Vec::new();
    let through = match healthy_through {
        Some(through) => format!(" through {} {zone}", moment(*through, *zone, now)),
        None => String::new(),
    };
    parts.push(match (n_healthy, n_scopes) {
        (1, 1) => format!("complete{through}"),
        (n, all) if n == all => format!("all {} complete{through}", words::count(*all, "scope")),
        (n, all) => format!(
            "{} of {} complete{through}",
            words::thousands(*n),
            words::count(*all, "scope")
        ),
    });
    let not_covered = || behind.iter().chain(put_off);
    for state in not_covered().take(NAMED) {
        // One zone for the whole sentence, named once.
        let zone_name = match healthy_through {
            Some(_) => None,
            None => Some(*zone),
        };
        let ContractRow { source, scope, .. } = &state.contract;
        let name = match several_sources {
            true => format!("{source} / {scope}"),
            false => scope.clone(),
        };
        let words = behind_words(state, *zone, zone_name, now);
        parts.push(format!("{name} {words}"));
    }
    let n_left = NAMED.saturating_sub(not_covered().count());
    for scope in without_contract.iter().take(n_left) {
        parts.push(format!("{scope} has no contract"));
    }
    let n_not_covered = not_covered().count() + without_contract.len();
    if n_not_covered > NAMED {
        let more = (n_not_covered - NAMED) as u64;
        let are = if more == 1 { "is" } else { "are" };
        parts.push(format!("{} more {are} behind", words::thousands(more)));
    }
    format!("{name}: {}", parts.join("; "))
}

/// What is the matter with a scope, after its name.
fn behind_words(state: &ScopeState, zone: Zone, named: Option<Zone>, now: Timestamp) -> String {
    let at = |at: Option<i64>| {
        let at = at.map_or_else(|| "an unknown time".to_owned(), |at| moment(at, zone, now));
        named.map_or(at.clone(), |zone| format!("{at} {zone}"))
    };
    let newest = state.newest.as_ref();
    let fault = state.fault.as_deref().unwrap_or("unknown");
    match state.condition {
        Condition::InvalidContract => format!("has no valid contract: {fault}"),
        Condition::MissingPublication => "never published".to_owned(),
        Condition::InvalidPublication => format!("published something incomplete: {fault}"),
        Condition::InvalidClockOrder => format!("published something impossible: {fault}"),
        Condition::SourceStale => format!("stopped at {}", at(state.complete_through())),
        Condition::PublicationGap => format!(
            "made no step since {}",
            at(newest.and_then(|newest| newest.reached_at.or(newest.published_at)))
        ),
        Condition::PutOff => match &state.put_off {
            Some((_, PutOff { until, reason })) => format!("is {}", words::put_off(*until, reason)),
            None => "is put off by maintenance".to_owned(),
        },
        Condition::Healthy => format!("is complete through {}", at(state.complete_through())),
    }
}

/// How far a scope is covered and how long since, as one sentence.
pub fn reason(state: &ScopeState, now: Timestamp) -> String {
    let zone = state.zone;
    let words = behind_words(state, zone, Some(zone), now);
    let ago = |at: i64| words::duration(now.as_second().saturating_sub(at).max(0));
    let limit = |minutes: Option<i64>| words::duration(minutes.unwrap_or_default() * MINUTE);
    let calendar = match &state.contract.calendar {
        Some(calendar) => format!(" of {calendar}"),
        None => String::new(),
    };
    match (state.condition, state.complete_through()) {
        (Condition::SourceStale, Some(through)) => format!(
            "{words}, {} ago (at most {}{calendar})",
            ago(through),
            limit(state.contract.max_source_lag_minutes)
        ),
        (Condition::PublicationGap, Some(through)) => format!(
            "{words} (at most {}{calendar}); complete through {}",
            limit(state.contract.max_publication_gap_minutes),
            moment(through, zone, now)
        ),
        (Condition::PutOff, Some(through)) => {
            let due = state.put_off.as_ref().and_then(|(due, _)| instant(*due));
            let due = due.map(|due| format!(", to be covered by {}", words::utc(due)));
            format!(
                "{words}{}; complete through {}",
                due.unwrap_or_default(),
                moment(through, zone, now)
            )
        }
        (Condition::Healthy, Some(through)) => format!("{words}, {} ago", ago(through)),
        _ => words,
    }
}

/// A table of scopes.
pub fn table<'a>(states: impl Iterator<Item = &'a ScopeState>, now: Timestamp) -> Table {
    let mut table = Table::new(&[
        "CONDITION",
        "SOURCE",
        "SCOPE",
        "COMPLETE THROUGH (UTC)",
        "SEQ",
        "WHY",
    ]);
    table.align_right(4);
    for state in states {
        let paint = match state.condition {
            Condition::Healthy => Paint::Good,
            Condition::PutOff => Paint::Doubtful,
            _ => Paint::Bad,
        };
        let through = state.complete_through().and_then(instant);
        let seq = state.newest.as_ref().and_then(|newest| newest.seq);
        table.row([
            (state.condition.word().to_owned(), paint),
            (state.contract.source.clone(), Paint::Plain),
            (state.contract.scope.clone(), Paint::Plain),
            (
                through.map_or_else(String::new, words::utc_minute),
                Paint::Plain,
            ),
            (
                seq.map_or_else(String::new, |seq| seq.to_string()),
                Paint::Plain,
            ),
            (reason(state, now), Paint::Plain),
        ]);
    }
    table
}

/// An instant on the wall clock of a zone, as near as it is: `06:00`,
/// `yesterday 06:00`, `2026-02-27 06:00`.
fn moment(at: i64, zone: Zone, now: Timestamp) -> String {
    let Some(known) = instant(at) else {
        return format!("{at} seconds since 1970");
    };
    let local = zone.local(known.as_second());
    let clock = words::clock(local);
    let today = Day::of_local(zone.local(now.as_second()));
    match today.0 - Day::of_local(local).0 {
        0 => clock,
        1 => format!("yesterday {clock}"),
        _ => format!("{} {clock}", Day::of_local(local)),
    }
}

fn instant(at: i64) -> Option<Timestamp> {
    Timestamp::from_second(at).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness_core::civil::Holidays;
    use freshness_core::coverage::{GapKind, Ledgered, Newest, check};
    use freshness_core::schedule::Maintenance;

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_second()
    }

    fn row(scope: &str, through: Option<&str>) -> Ledgered {
        Ledgered {
            contract: ContractRow {
                source: "orders".to_owned(),
                scope: scope.to_owned(),
                max_source_lag_minutes: Some(120),
                max_publication_gap_minutes: Some(120),
                ..ContractRow::default()
            },
            maintenance: Maintenance::NONE,
            newest: through.map(|through| Newest {
                seq: Some(7),
                n_of_seq: 1,
                run_id: Some("r".to_owned()),
                complete_through: Some(at(through)),
                published_at: Some(at(through)),
                reached_at: Some(at(through)),
                rows: None,
            }),
        }
    }

    #[track_caller]
    fn check_sentence(rows: Vec<Ledgered>, sentence: &str) {
        let now: Timestamp = "2026-03-02T06:30:00Z".parse().unwrap();
        let states = check(rows, &Holidays::builtin(), now.as_second());
        assert_eq!(source_lines(&states, &[], now)[0].words, sentence);
    }

    #[test]
    fn a_source_is_told_in_one_sentence() {
        let mut rows: Vec<Ledgered> = (1..12)
            .map(|n| row(&format!("{n:02}"), Some("2026-03-02T06:00:00Z")))
            .collect();
        check_sentence(
            rows.clone(),
            "orders: all 11 scopes complete through 06:00 UTC",
        );
        rows.push(row("FR", Some("2026-03-01T06:00:00Z")));
        check_sentence(
            rows.clone(),
            "orders: 11 of 12 scopes complete through 06:00 UTC; FR stopped at yesterday 06:00",
        );
        rows.extend(["IT", "NL", "PL"].map(|scope| row(scope, None)));
        check_sentence(
            rows,
            "orders: 11 of 15 scopes complete through 06:00 UTC; FR stopped at yesterday 06:00; \
             IT never published; NL never published; 1 more is behind",
        );
        check_sentence(
            vec![row("FR", Some("2026-02-27T06:00:00Z"))],
            "orders: 0 of 1 scope complete; FR stopped at 2026-02-27 06:00 UTC",
        );
    }

    #[test]
    fn a_scope_without_contract_counts_and_is_named() {
        let now: Timestamp = "2026-03-02T06:30:00Z".parse().unwrap();
        let rows = vec![row("FR", Some("2026-03-02T06:00:00Z"))];
        let states = check(rows, &Holidays::builtin(), now.as_second());
        let gap = |source: &str, scope: &str| Gap {
            source: source.to_owned(),
            scope: scope.to_owned(),
            missing: GapKind::Contract,
        };
        let gaps = [gap("orders", "XX"), gap("prices", "all")];
        let lines = source_lines(&states, &gaps, now);
        let words: Vec<&str> = lines.iter().map(RollUpLine::words).collect();
        assert_eq!(
            words,
            [
                "orders: 1 of 2 scopes complete through 06:00 UTC; XX has no contract",
                "prices: 0 of 1 scope complete; all has no contract",
            ]
        );
        assert_eq!(lines[0].complete_through, None);
    }

    #[test]
    fn scopes_of_one_name_are_told_with_their_source() {
        let now: Timestamp = "2026-03-02T06:30:00Z".parse().unwrap();
        let mut rows = vec![row("FR", None), row("FR", None)];
        rows[1].contract.source = "returns".to_owned();
        for row in &mut rows {
            row.contract.dataset = Some("raw".to_owned());
        }
        let states = check(rows, &Holidays::builtin(), now.as_second());
        assert_eq!(
            dataset_lines(&states, now)[0].words,
            "raw: 0 of 2 scopes complete; orders / FR never published; returns / FR never published"
        );
    }
}

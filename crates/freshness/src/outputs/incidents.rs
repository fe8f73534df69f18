//! How are incidents shown?
//!
//! One line an incident: what it began with, since when, what it explains and
//! when that should recover. `incidents`, `check`, `explain` and the reports
//! share these words and one JSON shape.

mod addressed;
mod line;

use freshness_core::civil::{DAY, MINUTE};
use freshness_core::dataset::DatasetId;
use freshness_core::incidents::{
    Bottleneck, Broken, Event, Followed, Incident, IncidentKind, Member, Status, Wait, What,
};
use jiff::Timestamp;

pub use addressed::{Addressed, Because, Recipient, Recipients};
pub use line::{ByHops, INCIDENT_FIELDS, IncidentLine};

use super::{Paint, Table, words};
use crate::rounds::Causes;

/// Incidents as a table.
pub fn table<'a>(incidents: impl IntoIterator<Item = &'a Followed>, now: Timestamp) -> Table {
    let mut table = Table::new(&[
        "INCIDENT",
        "STATUS",
        "SEVERITY",
        "ROOT",
        "SINCE (UTC)",
        "LATE BY",
        "EXPLAINS (BY HOPS)",
        "RECOVERY AFTER THE ROOT",
        "BOTTLENECK",
    ]);
    const ROOT: usize = 3;
    table.names(ROOT);
    // The bottleneck, the severity, since when, the recovery.
    table.dispensable(&[8, 2, 4, 7]);
    for followed in incidents {
        let incident = &followed.incident;
        let status = followed.status(now);
        let plain = |text: String| (text, Paint::Plain);
        table.row([
            plain(followed.id.clone()),
            (self::status(status).to_owned(), paint(status)),
            plain(incident.severity.map_or("-", words::severity).to_owned()),
            plain(title(incident)),
            plain(words::utc_minute(incident.since)),
            plain(words::late_by(late_seconds(followed, now))),
            plain(explains(incident)),
            plain(incident.recovery().map_or("-".to_owned(), wait)),
            plain(
                incident
                    .bottleneck
                    .as_ref()
                    .map_or("-".to_owned(), bottleneck),
            ),
        ]);
    }
    table
}

/// What an incident explains, as a table.
pub fn members(incident: &Incident) -> Table {
    let mut table = Table::new(&[
        "HOPS",
        "DATASET",
        "STATE",
        "SINCE (UTC)",
        "AFTER THE ROOT",
        "EXPECTED (UTC)",
        "ALSO EXPLAINED BY",
    ]);
    const DATASET: usize = 1;
    table.align_right(0);
    table.names(DATASET);
    table.dispensable(&[6, 3, 5]);
    for member in &incident.members {
        let plain = |text: String| (text, Paint::Plain);
        // One that is in time by what is learned is here for its promises.
        let (state, paint) = match member.breaches.as_slice() {
            [] => (
                words::state(member.state).to_owned(),
                words::paint(member.state),
            ),
            broken => (
                format!(
                    "{}, breaks {}",
                    words::state(member.state),
                    promises(broken)
                ),
                Paint::Bad,
            ),
        };
        let expected = incident
            .expected(member)
            .map(|(from, to)| format!("{} to {}", words::utc_minute(from), words::utc_minute(to)));
        table.row([
            plain(member.hops.to_string()),
            plain(member.dataset_id.to_string()),
            (state, paint),
            plain(words::utc_minute(member.since)),
            plain(member.wait.map_or("-".to_owned(), wait)),
            plain(expected.unwrap_or_else(|| "-".to_owned())),
            plain(other_roots(member)),
        ]);
    }
    table
}

/// `12 late datasets, 4 incidents, 8 alerts suppressed (66.7 %)`; where some of
/// it is older than a day, also what became of the alerts since. `None` if
/// nothing is late.
pub fn summary(causes: &Causes, now: Timestamp) -> Option<String> {
    let share = causes.suppressed_share()?;
    let n_incidents = causes.standing.len() as u64;
    let n_broken = causes.n_only_broken();
    let n_suppressed = causes.n_suppressed();
    let all = match n_broken {
        0 => counts(causes.n_late, n_incidents, n_suppressed, share),
        // They are not late, and no count of the last day is made of both.
        _ => {
            return Some(format!(
                "{} and {} in time that break a promise, {}, {} suppressed ({:.1} %)",
                words::count(causes.n_late.saturating_sub(n_broken), "late dataset"),
                words::thousands(n_broken),
                words::count(n_incidents, "incident"),
                words::count(n_suppressed, "alert"),
                100.0 * share,
            ));
        }
    };
    let Some((n_late, n_new)) = of_the_last_day(causes, now) else {
        return Some(all);
    };
    let n_suppressed = n_late - n_new;
    let share = n_suppressed as f64 / n_late as f64;
    let today = counts(n_late, n_new, n_suppressed, share);
    Some(format!("{all}; new in the last 24 h: {today}"))
}

/// Datasets that turned late and incidents that began in the last day, where
/// most of what is late has been so for longer; `None` elsewhere, or if nothing
/// of the day is suppressed.
pub fn of_the_last_day(causes: &Causes, now: Timestamp) -> Option<(u64, u64)> {
    let is_new = |since: Timestamp| now.duration_since(since).as_secs() <= DAY;
    let (mut n_late, mut n_new) = (0, 0);
    for Followed { incident, .. } in &causes.standing {
        let n_members = incident
            .members
            .iter()
            .filter(|of| is_new(of.since))
            .count();
        let began = is_new(incident.since);
        // The root counts itself; a suspect feed has none.
        n_late += n_members as u64 + u64::from(began && incident.root.is_some());
        n_new += u64::from(began);
    }
    (n_late > n_new && 2 * n_late < causes.n_late).then_some((n_late, n_new))
}

fn counts(n_late: u64, n_incidents: u64, n_suppressed: u64, share: f64) -> String {
    format!(
        "{}, {}, {} suppressed ({:.1} %)",
        words::count(n_late, "late dataset"),
        words::count(n_incidents, "incident"),
        words::count(n_suppressed, "alert"),
        100.0 * share,
    )
}

/// What it began with.
pub fn title(incident: &Incident) -> String {
    let name = match (&incident.root, &incident.kind) {
        (Some(root), IncidentKind::Secondary { below }) => {
            format!("{root} (on its own, below {below})")
        }
        (Some(root), _) => root.to_string(),
        (None, _) => "the feed of arrivals".to_owned(),
    };
    match incident.breaches.is_empty() {
        true => name,
        false => format!("{name} breaks {}", promises(&incident.breaches)),
    }
}

/// `row_count, quality`.
pub fn promises(breaches: &[Broken]) -> String {
    let names: Vec<String> = breaches.iter().map(Broken::words).collect();
    names.join(", ")
}

/// What a dataset has to do with an incident, in a sentence or two.
pub fn part_of(followed: &Followed, id: &DatasetId) -> String {
    let Followed {
        id: no, incident, ..
    } = followed;
    let Some(member) = incident.member(id) else {
        let explained = match incident.members.len() as u64 {
            0 => "nothing else is late because of it".to_owned(),
            1 => "1 other dataset is late because of it".to_owned(),
            n => format!("{} others are late because of it", words::thousands(n)),
        };
        let said = match &incident.kind {
            IncidentKind::Secondary { below } => format!(
                "Incident {no}: late on its own, though {below} above it is late too; {explained}"
            ),
            IncidentKind::Root | IncidentKind::Feed { .. } => {
                format!("Incident {no}: nothing it is made from is late; {explained}")
            }
        };
        let said = match incident.breaches.as_slice() {
            [] => said,
            broken => format!(
                "{said}; it does not keep its promise of {}",
                promises(broken)
            ),
        };
        return said;
    };
    let Some(root) = &incident.root else {
        return format!(
            "Incident {no}: one of {} that turned late at once; is the feed of arrivals broken?",
            words::count(incident.n_late, "dataset")
        );
    };
    let also = match other_roots(member).as_str() {
        "-" => String::new(),
        others => format!(" and by {others}"),
    };
    let recovers = match (incident.expected(member), member.wait) {
        (Some((from, to)), _) => {
            format!(
                "; it should come between {} and {}",
                words::utc_minute(from),
                words::utc(to)
            )
        }
        (None, Some(of)) => format!("; it should come {} after that", wait(of)),
        (None, None) => String::new(),
    };
    format!(
        "Incident {no}: explained by {root}{also}, {} up{recovers}",
        words::count(u64::from(member.hops), "hop"),
    )
}

/// How many datasets it explains, nearest first: `4 (1 + 1 + 2)`.
pub fn explains(incident: &Incident) -> String {
    let n = incident.members.len() as u64;
    let by_hops: Vec<String> = incident
        .by_hops()
        .into_iter()
        .map(|(_, n)| words::thousands(n))
        .collect();
    match by_hops.len() {
        0 | 1 => words::thousands(n),
        _ => format!("{} ({})", words::thousands(n), by_hops.join(" + ")),
    }
}

/// `25 min to 1 h 10 min`, `within 40 min`, `at once`.
pub fn wait(wait: Wait) -> String {
    let (from, to) = (
        words::duration(wait.from_seconds),
        words::duration(wait.to_seconds),
    );
    match (wait.from_seconds < MINUTE, wait.to_seconds < MINUTE) {
        (_, true) => "at once".to_owned(),
        (true, false) => format!("within {to}"),
        (false, false) if from == to => format!("about {to}"),
        (false, false) => format!("{from} to {to}"),
    }
}

/// `stg_orders → fct_orders, usually 45 min`.
pub fn bottleneck(bottleneck: &Bottleneck) -> String {
    format!(
        "{} → {}, usually {}",
        bottleneck.upstream,
        bottleneck.downstream,
        words::duration(bottleneck.lag_seconds)
    )
}

/// The word of a status, the same in tables and JSON.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Open => "open",
        Status::Acknowledged => "acknowledged",
        Status::Silenced => "silenced",
        Status::Resolved => "resolved",
    }
}

/// What happened to an incident, in words.
pub fn what(event: &Event) -> String {
    let root = |root: &Option<DatasetId>| {
        let root = root.as_ref().map(ToString::to_string);
        root.unwrap_or_else(|| "the feed of arrivals".to_owned())
    };
    let late = |n: &u64| words::count(*n, "dataset");
    match &event.what {
        What::Opened { n_late } => format!("opened with {}", late(n_late)),
        What::Grew {
            n_more,
            datasets,
            n_late,
        } => {
            let named: Vec<&str> = datasets.iter().take(3).map(DatasetId::as_str).collect();
            let more = match *n_more > named.len() as u64 {
                true => ", …",
                false => "",
            };
            format!("grew to {} by {}{more}", late(n_late), named.join(", "))
        }
        What::Moved { from, to } => {
            format!("began further up: not {} but {}", root(from), root(to))
        }
        What::Merged { into } => format!("is part of {into}"),
        What::Acknowledged { by, why, until } => match until {
            Some(until) => format!("acknowledged by {by} until {}: {why}", words::utc(*until)),
            None => format!("acknowledged by {by}: {why}"),
        },
        What::AckEnded { by } => format!("the time given by {by} is over"),
        What::Silenced { silence } => format!("silenced by silence {silence}"),
        What::Unsilenced => "silenced no more".to_owned(),
        What::Resolved { n_late_most } => format!("resolved; {} at most", late(n_late_most)),
        What::Reopened { n_late } => format!("opened again with {}", late(n_late)),
    }
}

/// Seconds since its deadline, until now or until it was over.
pub fn late_seconds(followed: &Followed, now: Timestamp) -> i64 {
    let until = followed.resolved_at.unwrap_or(now);
    until.duration_since(followed.incident.since).as_secs()
}

/// The other roots that explain a member.
fn other_roots(member: &Member) -> String {
    let mut roots: Vec<&str> = member.also.iter().map(DatasetId::as_str).collect();
    roots.extend(member.more.then_some("…"));
    match roots.is_empty() {
        true => "-".to_owned(),
        false => roots.join(", "),
    }
}

fn paint(status: Status) -> Paint {
    match status {
        Status::Open => Paint::Bad,
        Status::Acknowledged => Paint::Doubtful,
        Status::Silenced => Paint::Faint,
        Status::Resolved => Paint::Good,
    }
}

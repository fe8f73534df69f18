//! What does the page say of an incident?

use freshness_core::incidents::{Followed, Incident, IncidentKind, Member, Status, Wait};
use freshness_core::state::Severity;
use jiff::Timestamp;

use super::graph::{Graph, graph};
use super::page::{Moment, spoken};
use crate::outputs::incidents::promises;
use crate::outputs::words;
use crate::rounds::{Console, is_overdue};

/// A card of the page.
pub(super) struct Card<'a> {
    pub(super) id: &'a str,
    /// The dataset it began with; empty if the feed of arrivals is suspect.
    pub(super) root: &'a str,
    pub(super) severity: &'static str,
    /// The word of the root's state, and how people say it.
    pub(super) state: &'static str,
    pub(super) spoken: &'static str,
    pub(super) late_by: String,
    pub(super) since: Moment,
    pub(super) came: Option<Moment>,
    /// Promises that it breaks, if it is in time.
    pub(super) breaks: String,
    /// What kind it is, unless it is a plain one.
    pub(super) kind: String,
    /// What it explains, by hops.
    pub(super) by_hops: Vec<Hop>,
    pub(super) n_explained: usize,
    /// Who looks after it, or that nobody wants to hear of it.
    pub(super) status: String,
    pub(super) why: &'a str,
    pub(super) until: Option<Moment>,
    /// When what it explains should be there.
    pub(super) recovery: String,
    pub(super) graph: Option<Graph>,
    pub(super) members: Vec<Explained<'a>>,
    pub(super) n_more: usize,
}

/// How many datasets are so far below the root.
pub(super) struct Hop {
    pub(super) hops: u32,
    pub(super) n: u64,
}

/// A dataset that it explains.
pub(super) struct Explained<'a> {
    pub(super) name: &'a str,
    pub(super) hops: u32,
    pub(super) since: Moment,
    /// How long after the root it should come.
    pub(super) wait: String,
    /// By when that is, once the root has come.
    pub(super) by: Option<Moment>,
    /// Other roots that explain it as well.
    pub(super) also: String,
}

/// Incidents that are told in full; more are counted.
const N_CARDS: usize = 100;
/// Datasets that are named below one.
const N_MEMBERS: usize = 50;

/// The cards, the worst first, and how many more there are.
pub(super) fn cards<P>(console: &Console<P>) -> (Vec<Card<'_>>, usize) {
    let standing = &console.checked.causes.standing;
    let now = console.checked.now;
    let card = |followed| Card::of(followed, console, now);
    (
        standing.iter().take(N_CARDS).map(card).collect(),
        standing.len().saturating_sub(N_CARDS),
    )
}

impl Card<'_> {
    fn of<'a, P>(followed: &'a Followed, console: &'a Console<P>, now: Timestamp) -> Card<'a> {
        let incident = &followed.incident;
        let late_by = now.duration_since(incident.since).as_secs().max(0);
        let (status, why, until) = status(followed, now);
        Card {
            id: &followed.id,
            root: incident.root.as_ref().map_or("", |root| root.as_str()),
            severity: severity(incident.severity),
            state: words::state(incident.state),
            spoken: spoken(incident.state),
            late_by: words::late_by(late_by),
            since: Moment(incident.since),
            came: incident.arrived_at.map(Moment),
            breaks: match is_overdue(incident.state) {
                true => String::new(),
                false => promises(&incident.breaches),
            },
            kind: kind(&incident.kind),
            by_hops: match incident.root {
                Some(_) => incident.by_hops(),
                None => Vec::new(),
            }
            .into_iter()
            .map(|(hops, n)| Hop { hops, n })
            .collect(),
            n_explained: incident.members.len(),
            status,
            why,
            until: until.map(Moment),
            recovery: recovery(followed),
            graph: graph(incident, &console.edges),
            members: incident
                .members
                .iter()
                .take(N_MEMBERS)
                .map(|member| Explained::of(incident, member))
                .collect(),
            n_more: incident.members.len().saturating_sub(N_MEMBERS),
        }
    }

    /// What it explains, in words.
    pub(super) fn distances(&self) -> String {
        let parts = self.by_hops.iter().map(|hop| match hop.hops {
            1 => format!("{} one hop below", hop.n),
            hops => format!("{} at {hops} hops", hop.n),
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl Explained<'_> {
    fn of<'a>(incident: &Incident, member: &'a Member) -> Explained<'a> {
        let also: Vec<&str> = member
            .also
            .iter()
            .map(freshness_core::dataset::DatasetId::as_str)
            .collect();
        Explained {
            name: member.dataset_id.as_str(),
            hops: member.hops,
            since: Moment(member.since),
            wait: member.wait.map_or_else(String::new, waited),
            by: incident.expected(member).map(|(_, by)| Moment(by)),
            also: match (also.is_empty(), member.more) {
                (true, _) => String::new(),
                (false, false) => also.join(", "),
                (false, true) => format!("{} and others", also.join(", ")),
            },
        }
    }
}

fn severity(severity: Option<Severity>) -> &'static str {
    severity.map_or("advisory", words::severity)
}

fn kind(kind: &IncidentKind) -> String {
    match kind {
        IncidentKind::Root => String::new(),
        IncidentKind::Secondary { below } => {
            format!("late on its own, below {below}, which does not explain it")
        }
        IncidentKind::Feed { mass } => format!(
            "{} of {} datasets that were due turned late at once, where about {:.0} would be usual: \
             look at the feed of arrivals first",
            words::thousands(mass.n_late),
            words::thousands(mass.n_due),
            mass.expected.ceil(),
        ),
    }
}

fn status(followed: &Followed, now: Timestamp) -> (String, &str, Option<Timestamp>) {
    match (followed.status(now), &followed.ack) {
        (Status::Acknowledged, Some(ack)) => (
            format!("acknowledged by {}", ack.by),
            ack.why.as_str(),
            ack.until,
        ),
        (Status::Silenced, _) => ("silenced".to_owned(), "", None),
        (Status::Acknowledged | Status::Open | Status::Resolved, _) => (String::new(), "", None),
    }
}

/// When all below the root should be there, and what takes longest.
fn recovery(followed: &Followed) -> String {
    let incident = &followed.incident;
    let (Some(wait), Some(root)) = (incident.recovery(), &incident.root) else {
        return String::new();
    };
    let slowest = incident.bottleneck.as_ref().map_or_else(String::new, |of| {
        let lag = words::duration(of.lag_seconds);
        format!(
            "; slowest from {} to {}, usually {lag}",
            of.upstream, of.downstream
        )
    });
    format!(
        "All of it should be there {} after {root} comes{slowest}.",
        waited(wait)
    )
}

fn waited(wait: Wait) -> String {
    let (from, to) = (
        words::duration(wait.from_seconds.max(0)),
        words::duration(wait.to_seconds.max(0)),
    );
    match from == to {
        true => from,
        false if wait.from_seconds < 60 => format!("within {to}"),
        false => format!("{from} to {to}"),
    }
}

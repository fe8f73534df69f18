//! How is the trust in dashboards shown to people and to programs?

use freshness_core::dashboard::Dashboard;
use freshness_core::trust::{Cause, Doubted, Standing, Trust};
use jiff::Timestamp;
use serde::Serialize;

use super::incidents::promises;
use super::{Paint, Table, words};

/// A dashboard as JSON says it.
#[derive(Debug, Serialize)]
pub struct DashboardLine<'a> {
    title: Option<&'a str>,
    owner: Option<&'a str>,
    url: Option<&'a str>,
    maturity: Option<&'a str>,
    #[serde(flatten)]
    trust: &'a Trust,
}

/// The fields and what they mean, for docs/json.md; a test compares them to
/// what is written.
pub const FIELDS: [(&str, &str); 15] = [
    ("dashboard_id", "its name"),
    ("title", "what people call it, as declared"),
    ("owner", "as declared"),
    ("url", "where it is read, as declared"),
    (
        "maturity",
        "how far its own team relies on it, as told: `high`, `medium` or `low`; null: not told",
    ),
    (
        "standing",
        "`late`: something behind it is late; `could_not_tell`: nothing is known to be, but not everything can be judged; `healthy`",
    ),
    (
        "score",
        "0–100 ([the rule](trust.md)); null where what cannot be judged makes a difference",
    ),
    ("at_least", "the score if all that cannot be judged is lost"),
    (
        "at_most",
        "the score if all that cannot be judged is in time",
    ),
    ("n_datasets", "datasets behind it, over any number of edges"),
    (
        "parts",
        "its parts: `part`, `datasets` that it shows, `at_least`, `at_most`",
    ),
    (
        "causes",
        "what is late because of nothing else, most points first: `dataset_id`, `state`, `severity`, `breaches` (objectives of its service levels that it does not keep, and scopes that feed it and are not covered; absent: none), `since` (the deadline; of one that is in time, when the breach was found), `late_seconds`, `arrived_at` (if it came late and what is made from it is late still), `points` lost by it, `hops` to the dashboard, `parts` that lose by it, `next_due` (deadline of its next delivery, unless it has come), `wait_seconds` (how long after it the rest should be there that is late because of it, at most)",
    ),
    (
        "doubts",
        "what cannot be judged, nearest first: `dataset_id`, `state`, `reason`, `hops`, `parts`",
    ),
    (
        "recovers",
        "by when it should have lost nothing, if the causes that have not come do by their next deadline; null if that cannot be said",
    ),
    (
        "caveat",
        "what its reader should know, in a sentence or two; null if healthy",
    ),
];

impl<'a> DashboardLine<'a> {
    /// The JSON form of a dashboard.
    pub fn new(dashboard: &'a Dashboard, trust: &'a Trust) -> DashboardLine<'a> {
        DashboardLine {
            title: dashboard.title.as_deref(),
            owner: dashboard.owner.as_deref(),
            url: dashboard.url.as_deref(),
            maturity: dashboard.maturity.as_deref(),
            trust,
        }
    }
}

/// The worst first: by the score at most, then at least, then by name.
pub fn sort_worst_first(dashboards: &mut [(Dashboard, Trust)]) {
    dashboards.sort_by(|(_, a), (_, b)| {
        let key = |trust: &Trust| (trust.at_most, trust.at_least);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.dashboard_id.cmp(&b.dashboard_id))
    });
}

/// All dashboards as a table.
pub fn table<'a>(dashboards: impl IntoIterator<Item = &'a (Dashboard, Trust)>) -> Table {
    let mut table = Table::new(&["SCORE", "STATE", "DASHBOARD", "CAVEAT"]);
    table.align_right(0);
    for (_, trust) in dashboards {
        let paint = paint(trust.standing);
        table.row([
            (words::score(trust), paint),
            (words::standing(trust.standing).to_owned(), paint),
            (trust.dashboard_id.to_string(), Paint::Plain),
            (
                trust.caveat.clone().unwrap_or_else(|| "-".to_owned()),
                Paint::Plain,
            ),
        ]);
    }
    table
}

/// The counts in a line: `13 dashboards as of …: 8 late, 5 on time`.
pub fn summary(dashboards: &[(Dashboard, Trust)], now: Timestamp) -> String {
    let counted = |standing| {
        let of = |(_, trust): &&(Dashboard, Trust)| trust.standing == standing;
        match dashboards.iter().filter(of).count() as u64 {
            0 => None,
            n => Some(format!(
                "{} {}",
                words::thousands(n),
                words::standing(standing)
            )),
        }
    };
    let counts: Vec<String> = [Standing::Late, Standing::CouldNotTell, Standing::Healthy]
        .into_iter()
        .filter_map(counted)
        .collect();
    format!(
        "{} as of {}: {}",
        words::count(dashboards.len() as u64, "dashboard"),
        words::utc(now),
        counts.join(", "),
    )
}

/// One dashboard: its head, in lines.
pub fn head(dashboard: &Dashboard, trust: &Trust, now: Timestamp) -> Vec<String> {
    let name = match &dashboard.title {
        Some(title) => format!("{} ({title})", dashboard.id),
        None => dashboard.id.to_string(),
    };
    let mut lines = vec![format!(
        "{name}: {} of 100, {}, as of {}",
        words::score(trust),
        words::standing(trust.standing),
        words::utc(now),
    )];
    let behind = words::count(trust.n_datasets.into(), "dataset");
    lines.push(match &trust.caveat {
        Some(caveat) => caveat.clone(),
        None => format!("Everything behind it is on time: {behind}."),
    });
    let said = [
        ("owner", &dashboard.owner),
        ("url", &dashboard.url),
        ("maturity", &dashboard.maturity),
    ];
    lines.extend(
        said.into_iter()
            .filter_map(|(what, said)| Some(format!("{what}: {}", said.as_ref()?))),
    );
    lines
}

/// Its parts.
pub fn parts(trust: &Trust) -> Table {
    let mut table = Table::new(&["SCORE", "PART", "SHOWS"]);
    table.align_right(0);
    for part in &trust.parts {
        let shows: Vec<String> = part.datasets.iter().map(ToString::to_string).collect();
        table.row([
            (
                words::bounds(part.at_least, part.at_most),
                match (part.at_least, part.at_most) {
                    (100, _) => Paint::Good,
                    (_, 100) => Paint::Faint,
                    _ => Paint::Doubtful,
                },
            ),
            (part.part.clone(), Paint::Plain),
            (shows.join(", "), Paint::Plain),
        ]);
    }
    table
}

/// What each cause costs it.
pub fn causes(causes: &[Cause]) -> Table {
    let mut table = Table::new(&[
        "LOST",
        "BY",
        "STATE",
        "SEVERITY",
        "LATE BY",
        "SINCE (UTC)",
        "HOPS",
        "PARTS",
    ]);
    table.align_right(0);
    table.align_right(6);
    for cause in causes {
        let plain = |text: Option<String>| (text.unwrap_or_else(|| "-".to_owned()), Paint::Plain);
        table.row([
            (format!("{:.1}", cause.points), Paint::Plain),
            (cause.dataset_id.to_string(), Paint::Plain),
            match cause.breaches.as_slice() {
                [] => (
                    words::state(cause.state).to_owned(),
                    words::paint(cause.state),
                ),
                broken => (
                    format!("{}, breaks {}", words::state(cause.state), promises(broken)),
                    Paint::Bad,
                ),
            },
            plain(cause.severity.map(|of| words::severity(of).to_owned())),
            plain(cause.late_seconds.map(words::late_by)),
            plain(cause.since.map(words::utc_minute)),
            (cause.hops.to_string(), Paint::Plain),
            (cause.parts.join(", "), Paint::Plain),
        ]);
    }
    table
}

/// What cannot be judged behind it, and why.
pub fn doubts(doubts: &[Doubted]) -> Table {
    let mut table = Table::new(&["CANNOT BE JUDGED", "STATE", "HOPS", "PARTS", "WHY"]);
    table.align_right(2);
    for doubted in doubts {
        table.row([
            (doubted.dataset_id.to_string(), Paint::Plain),
            (
                words::state(doubted.state).to_owned(),
                words::paint(doubted.state),
            ),
            (doubted.hops.to_string(), Paint::Plain),
            (doubted.parts.join(", "), Paint::Plain),
            (doubted.reason.clone(), Paint::Plain),
        ]);
    }
    table
}

fn paint(standing: Standing) -> Paint {
    match standing {
        Standing::Late => Paint::Bad,
        Standing::CouldNotTell => Paint::Doubtful,
        Standing::Healthy => Paint::Good,
    }
}

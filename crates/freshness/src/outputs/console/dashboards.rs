//! What does the page say of a dashboard?

use freshness_core::dashboard::Dashboard;
use freshness_core::trust::{Standing, Trust};

use crate::outputs::words;

/// A card of the page.
pub(super) struct Board<'a> {
    pub(super) name: &'a str,
    /// Where it is read; empty if nobody said.
    pub(super) url: &'a str,
    pub(super) owner: &'a str,
    /// Its score, or the bounds of it.
    pub(super) score: String,
    /// 0–100, for the ring: what is sure of it.
    pub(super) sure: u8,
    /// The word of the standing, and how people say it.
    pub(super) standing: &'static str,
    pub(super) spoken: &'static str,
    pub(super) caveat: &'a str,
    pub(super) parts: Vec<PartLine<'a>>,
}

/// A part of a report.
pub(super) struct PartLine<'a> {
    pub(super) name: &'a str,
    pub(super) score: String,
    pub(super) is_whole: bool,
}

/// The dashboards, the least trusted first, then by name.
pub(super) fn boards(dashboards: &[(Dashboard, Trust)]) -> Vec<Board<'_>> {
    let mut sorted: Vec<&(Dashboard, Trust)> = dashboards.iter().collect();
    sorted.sort_by_key(|(dashboard, trust)| (trust.at_most, trust.at_least, dashboard.name()));
    sorted.into_iter().map(Board::of).collect()
}

impl Board<'_> {
    fn of((dashboard, trust): &(Dashboard, Trust)) -> Board<'_> {
        let score = |at_least: u8, at_most: u8| match at_least == at_most {
            true => at_least.to_string(),
            false => format!("{at_least}–{at_most}"),
        };
        Board {
            name: dashboard.name(),
            url: dashboard.url.as_deref().unwrap_or_default(),
            owner: dashboard.owner.as_deref().unwrap_or_default(),
            score: words::score(trust),
            sure: trust.at_least,
            standing: match trust.standing {
                Standing::Healthy => "ok",
                Standing::CouldNotTell => "unknown",
                Standing::Late => "late",
            },
            spoken: words::standing(trust.standing),
            caveat: trust.caveat.as_deref().unwrap_or_default(),
            parts: trust
                .parts
                .iter()
                .map(|part| PartLine {
                    name: &part.part,
                    score: score(part.at_least, part.at_most),
                    is_whole: part.at_least == 100,
                })
                .collect(),
        }
    }
}

//! What do owners say of their datasets, and who reads them?
//!
//! Most declare only who they are; a few the grain, a few calendar and zone as
//! well, so that the rest is for inference.

use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::schedule::Maintenance;

use super::chance::Chance;
use super::layout::{self, Place, Rhythm};
use super::plan::Plan;

/// A report, and what each part of it is fed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dashboard {
    /// Its name for programs.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// Part and dataset.
    pub parts: Vec<(String, DatasetId)>,
}

const OWNERS: [&str; 9] = [
    "ada", "boris", "chen", "dana", "emeka", "farah", "goran", "hana", "ivan",
];
const TEAMS: [&str; 4] = ["platform", "commerce", "finance", "growth"];

/// Critical of the twelve that are late on the last day.
const CRITICAL_AND_LATE: usize = 3;
/// Critical of the others.
const CRITICAL_ELSE: usize = 6;

/// What is declared of each plan, in order.
pub(super) fn datasets(places: &[Place], plans: &[Plan], chance: &mut Chance) -> Vec<Dataset> {
    let late: Vec<usize> = layout::LATE_ON_LAST_DAY.map(layout::place).to_vec();
    let others = (0..places.len()).filter(|i| {
        let steady = matches!(places[*i].rhythm, Rhythm::Hourly | Rhythm::Daily);
        !late.contains(i) && steady && plans[*i].stops.is_none() && plans[*i].skips == 0.0
    });
    let mut critical = chance.shuffled(late.iter().copied());
    critical.truncate(CRITICAL_AND_LATE);
    critical.extend(chance.shuffled(others).into_iter().take(CRITICAL_ELSE));
    let declares = chance.shuffled(0..places.len());
    let (calendars, rest) = declares.split_at(8);
    let grains = &rest[..5];
    let teams: Vec<&str> = chance.shuffled(TEAMS);
    plans
        .iter()
        .enumerate()
        .map(|(i, plan)| {
            let says_all = calendars.contains(&i);
            let layer = ["raw", "staging", "fact", "mart"][places[i].layer];
            Dataset {
                id: plan.id.clone(),
                grain: (says_all || grains.contains(&i)).then(|| plan.grain()),
                timezone: says_all.then_some(plan.zone),
                calendar: says_all.then(|| plan.calendar.clone()),
                critical: critical.contains(&i),
                owner: chance.happens(0.9).then(|| chance.pick(&OWNERS).to_owned()),
                team: Some(teams[(i / 3) % teams.len()].to_owned()),
                tags: vec![layer.to_owned()],
                maintenance: Maintenance::NONE,
            }
        })
        .collect()
}

/// Thirteen dashboards over marts and facts. What is shown together is made
/// from one another where it can be.
pub(super) fn dashboards(places: &[Place], plans: &[Plan], chance: &mut Chance) -> Vec<Dashboard> {
    let fed = (0..places.len()).filter(|&i| places[i].layer >= 2);
    let fed = chance.shuffled(fed);
    let mut titles = chance.shuffled(TITLES).into_iter();
    (0..TITLES.len())
        .map(|k| {
            let title = titles.next().expect("a title for each");
            let n_parts = chance.whole(2, PARTS.len() as i64) as usize;
            let main = fed[k % fed.len()];
            let is_related =
                |i: &usize| plans[*i].parents.contains(&main) || plans[main].parents.contains(i);
            let (related, others): (Vec<usize>, Vec<usize>) = fed
                .iter()
                .filter(|&&i| i != main)
                .partition(|i| is_related(i));
            let shown = std::iter::once(main).chain(related).chain(others);
            Dashboard {
                id: title.to_lowercase().replace(' ', "_"),
                title: title.to_owned(),
                parts: PARTS[..n_parts]
                    .iter()
                    .zip(shown)
                    .map(|(part, i)| ((*part).to_owned(), plans[i].id.clone()))
                    .collect(),
            }
        })
        .collect()
}

const TITLES: [&str; 13] = [
    "Morning numbers",
    "Board report",
    "Sales by region",
    "Supply outlook",
    "Campaign returns",
    "Customer health",
    "Finance close",
    "Service levels",
    "Product usage",
    "Pricing monitor",
    "Stock cover",
    "Fraud watch",
    "Partner scorecard",
];
const PARTS: [&str; 4] = ["headline", "trend", "breakdown", "detail table"];

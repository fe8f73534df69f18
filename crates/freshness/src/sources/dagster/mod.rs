//! What does Dagster say was materialised since?
//!
//! Its GraphQL is asked for assets, a hundred at a time, each with what it is made
//! from, who owns it and its materialisations since the last reading, less a few
//! minutes. Each materialisation is an arrival. An asset with more of them than fit
//! is asked for the older ones by itself.

mod api;

use std::time::Duration;

use freshness_core::arrivals::CycleName;
use freshness_core::dataset::{Dataset, DatasetId};
use serde_json::json;

use api::{Answer, Asset, Assets, Materialisation, Older};

use super::arrivals::CYCLE_AHEAD_MAX;
use super::collect::{Asked, Collected, NotCollected};
use super::instant::EARLIEST;
use super::told::{Extent, House, Told, ToldArrival, ToldRemark};
use super::web::Web;

/// A Dagster, and who asks.
#[derive(Clone)]
pub struct DagsterSource {
    /// Its address, without `/graphql`.
    pub url: String,
    /// A token of Dagster+, if it asks for one.
    pub token: Option<String>,
    /// How far back the first reading goes.
    pub since: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
}

/// Assets in one answer.
const ASSETS: usize = 100;

/// Materialisations of an asset in one answer.
const ROWS: usize = 500;

/// Materialisations in one reading.
const ROWS_MAX: usize = 2_000_000;

/// What is written when a list was read may be older than its end by so much.
const OVERLAP_MILLIS: i64 = 15 * 60 * 1_000;

/// Reads what Dagster tells that it did not tell before.
pub fn collect_dagster(
    source: &DagsterSource,
    asked: &Asked<'_>,
) -> Result<Collected, NotCollected> {
    let first = asked.now.saturating_sub_unsigned(source.since.as_secs());
    let mut newest: i64 = match asked.cursor {
        None => first.max(0).saturating_mul(1_000),
        Some(text) => text
            .parse()
            .map_err(|_| NotCollected::new("the place where to go on cannot be read"))?,
    };
    let after = newest.saturating_sub(OVERLAP_MILLIS).to_string();
    let mut web = Web::new(&source.url, source.timeout)?;
    if let Some(token) = &source.token {
        web.set_secret("Dagster-Cloud-Api-Token", token)?;
    }
    let mut found = Found::default();
    let mut cursor: Option<String> = None;
    loop {
        let page = assets(&web, cursor.as_deref(), &after)?;
        let n_assets = page.nodes.len();
        for mut asset in page.nodes {
            older(&web, &mut asset, &after)?;
            newest = found.take(&asset).max(newest);
        }
        if found.arrivals.len() > ROWS_MAX {
            return Err(NotCollected::with_hint(
                format_args!("more than {ROWS_MAX} materialisations"),
                Some("begin later: `since: 30d`"),
            ));
        }
        // A cursor that does not move would be asked for ever.
        if n_assets < ASSETS || page.cursor.is_none() || page.cursor == cursor {
            break;
        }
        cursor = page.cursor;
    }
    Ok(Collected {
        events: None,
        told: found.told(asked),
        cursor: Some(newest.to_string()),
    })
}

fn assets(web: &Web, cursor: Option<&str>, after: &str) -> Result<Assets, NotCollected> {
    let body = json!({
        "query": include_str!("assets.graphql"),
        "variables": {"assets": ASSETS, "cursor": cursor, "rows": ROWS, "after": after},
    });
    let answer: Answer = web.post("graphql", &body)?;
    let assets = answer.data.and_then(|data| data.assets);
    assets.ok_or_else(|| NotCollected::new("/graphql answers without assets"))
}

/// Adds what did not fit into the first answer.
fn older(web: &Web, asset: &mut Asset, after: &str) -> Result<(), NotCollected> {
    let mut n_found = asset.materialisations.len();
    while n_found >= ROWS && asset.materialisations.len() <= ROWS_MAX {
        let oldest = asset
            .materialisations
            .iter()
            .filter_map(Materialisation::millis);
        let Some(oldest) = oldest.min() else { break };
        let body = json!({
            "query": include_str!("older.graphql"),
            "variables": {
                "path": asset.key.path, "rows": ROWS, "after": after,
                "before": oldest.to_string(),
            },
        });
        let answer: Older = web.post("graphql", &body)?;
        let more = answer.data.and_then(|data| data.asset?.materialisations);
        let more = more.ok_or_else(|| NotCollected::new("/graphql answers without an asset"))?;
        n_found = more.len();
        asset.materialisations.extend(more);
    }
    Ok(())
}

/// What was found so far.
#[derive(Default)]
struct Found {
    arrivals: Vec<ToldArrival>,
    datasets: Vec<Dataset>,
    edges: Vec<(DatasetId, DatasetId)>,
    /// Names that no dataset can have.
    n_impossible: u64,
}

impl Found {
    /// Takes an asset, and gives the time of its newest materialisation in
    /// milliseconds.
    fn take(&mut self, asset: &Asset) -> i64 {
        let Some(id) = asset.key.dataset() else {
            self.n_impossible += 1;
            return 0;
        };
        let mut newest = 0;
        for materialisation in &asset.materialisations {
            let Some(millis) = materialisation.millis() else {
                continue;
            };
            newest = millis.max(newest);
            let at = millis.div_euclid(1_000);
            let is_near = |cycle: &CycleName| cycle.seconds() - at <= CYCLE_AHEAD_MAX;
            self.arrivals.push(ToldArrival {
                dataset: id.clone(),
                at,
                cycle: materialisation.cycle().filter(is_near),
                run_id: materialisation.run_id().map(Into::into),
                covers_through: None,
                rows: materialisation.rows(),
            });
        }
        let definition = asset.definition.as_ref();
        for upstream in definition.iter().flat_map(|of| &of.dependency_keys) {
            if let Some(upstream) = upstream.dataset().filter(|upstream| *upstream != id) {
                self.edges.push((upstream, id.clone()));
            }
        }
        let mut dataset = Dataset::undeclared(id);
        dataset.owner = definition.and_then(api::Definition::owner);
        self.datasets.push(dataset);
        newest
    }

    fn told(mut self, asked: &Asked<'_>) -> Told {
        self.arrivals.sort_unstable_by(|a, b| {
            (&a.dataset, a.at, &a.run_id, a.cycle).cmp(&(&b.dataset, b.at, &b.run_id, b.cycle))
        });
        self.arrivals.dedup();
        self.edges.sort_unstable();
        self.edges.dedup();
        self.datasets.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let (owned, others) = (self.datasets.into_iter()).partition(|of| of.owner.is_some());
        // Part of all there is: a folder of code that cannot be loaded just now has no
        // assets. That one exists is never outdated, who owns it is as of now.
        let house = |as_of, datasets, edges| House {
            source: format!("dagster:{}", asked.name),
            as_of,
            extent: Extent::Part,
            datasets,
            edges,
            dashboards: Vec::new(),
            called: Default::default(),
        };
        let remarks = (self.n_impossible > 0).then(|| ToldRemark {
            place: asked.name.to_owned(),
            what: format!(
                "assets left out, because no dataset can have the name: {}",
                self.n_impossible
            ),
        });
        Told {
            arrivals: self.arrivals,
            runs: Vec::new(),
            houses: vec![
                house(EARLIEST, others, self.edges),
                house(asked.now, owned, Vec::new()),
            ],
            remarks: remarks.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_answer_is_read_as_what_was_materialised() {
        let answer: Answer = serde_json::from_str(include_str!("answer.json")).unwrap();
        let mut found = Found::default();
        for asset in &answer.data.unwrap().assets.unwrap().nodes {
            found.take(asset);
        }
        let asked = Asked {
            name: "nightly",
            cursor: None,
            now: 1_796_080_000,
        };
        let told = found.told(&asked);
        let shown: Vec<String> = (told.arrivals.iter())
            .map(|arrival| {
                let cycle = arrival.cycle.map(|cycle| cycle.to_string());
                format!(
                    "{} {cycle:?} {:?} {:?}",
                    arrival.dataset, arrival.rows, arrival.run_id
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "orders Some(\"2026-03-02T00:00:00\") Some(42) Some(\"006b12c5-3a20-479b-9e3f-76b28b06cd7e/2026-03-02\")",
                "shop/revenue None Some(7) Some(\"8951ccfe-66ad-4ab8-951a-561b7cff83db\")",
            ]
        );
        let edges: Vec<String> = (told.houses[0].edges.iter())
            .map(|(upstream, downstream)| format!("{upstream} -> {downstream}"))
            .collect();
        assert_eq!(edges, ["orders -> shop/revenue"]);
        let owned = &told.houses[1].datasets[0];
        assert_eq!(owned.owner.as_deref(), Some("ann@example.com"));
    }
}

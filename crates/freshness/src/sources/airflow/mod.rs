//! What does Airflow say has been there since?
//!
//! Its stable API (v2, Airflow 3) is asked for the events of assets, which are
//! deliveries; for the runs of DAGs, which say for which cycle each was, and are
//! deliveries of `airflow:DAG` themselves; for tasks, if they are wanted; and for
//! assets, whose producers and consumers say what is made from what. Each list is
//! read in the order of time from where the last reading ended, less a few minutes,
//! since the server writes what ends at one time in any order.

mod api;
mod lineage;
mod pages;

use std::collections::HashMap;
use std::time::Duration;

use freshness_core::arrivals::CycleName;
use freshness_core::dataset::{Dataset, DatasetId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use api::{Asset, AssetEvent, DagRun, TaskInstance, Token};
use pages::{Listing, each_page};

use super::collect::{Asked, Collected, NotCollected};
use super::instant::EARLIEST;
use super::told::{Extent, House, Told, ToldArrival, ToldRemark};
use super::web::Web;

/// An Airflow, and what is read of it.
#[derive(Debug, Clone)]
pub struct AirflowSource {
    /// Its address, without `/api/v2`.
    pub url: String,
    /// Who asks.
    pub login: AirflowLogin,
    /// Is a run of a DAG a delivery too?
    pub dags: bool,
    /// Is a task?
    pub tasks: bool,
    /// How far back the first reading goes.
    pub since: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
}

/// Who asks Airflow.
#[derive(Clone)]
pub enum AirflowLogin {
    /// A user, who is given a token for an hour or a day.
    Password {
        /// The user's name.
        user: String,
        /// The password.
        password: String,
    },
    /// A token that somebody else was given.
    Token(String),
}

/// Where the last reading ended, list by list.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Cursor {
    events: Timestamp,
    runs: Timestamp,
    tasks: Timestamp,
}

/// What is written when a list was read may be older than its end by so much.
const OVERLAP: SignedDuration = SignedDuration::from_mins(15);

/// Reads what Airflow tells that it did not tell before.
pub fn collect_airflow(
    source: &AirflowSource,
    asked: &Asked<'_>,
) -> Result<Collected, NotCollected> {
    let now = Timestamp::from_second(asked.now).map_err(NotCollected::new)?;
    let first = SignedDuration::try_from(source.since)
        .ok()
        .and_then(|since| now.checked_sub(since).ok())
        .unwrap_or(Timestamp::UNIX_EPOCH);
    let mut cursor = match asked.cursor {
        None => Cursor {
            events: first,
            runs: first,
            tasks: first,
        },
        Some(text) => serde_json::from_str(text)
            .map_err(|_| NotCollected::new("the place where to go on cannot be read"))?,
    };
    let web = logged_in(source)?;
    let mut found = Found::default();
    // Events first: the run of each of them is then among those that go on or ended.
    let events: Vec<AssetEvent> = each_page(&web, &Listing::EVENTS, since(cursor.events))?;
    let open: Vec<DagRun> = each_page(&web, &Listing::OPEN_RUNS, first)?;
    let ended: Vec<DagRun> = each_page(&web, &Listing::ENDED_RUNS, since(cursor.runs))?;
    let cycles: HashMap<(&str, &str), CycleName> = (open.iter().chain(&ended))
        .filter_map(|run| Some(((&*run.dag_id, &*run.dag_run_id), run.cycle()?)))
        .collect();
    for event in &events {
        let run = event
            .source_dag_id
            .as_deref()
            .zip(event.source_run_id.as_deref());
        let cycle = event.partition().or_else(|| cycles.get(&run?).copied());
        found.arrival(
            event.dataset(),
            event.timestamp,
            cycle,
            event.run_id(),
            event.rows(),
        );
        cursor.events = cursor.events.max(event.timestamp);
    }
    for run in &ended {
        let Some(end) = run.end_date else { continue };
        cursor.runs = cursor.runs.max(end);
        if source.dags && run.state == "success" {
            let dataset = format!("airflow:{}", run.dag_id);
            found.arrival(&dataset, end, run.cycle(), run.dag_run_id.clone(), None);
        }
    }
    if source.tasks {
        let tasks: Vec<TaskInstance> = each_page(&web, &Listing::TASKS, since(cursor.tasks))?;
        for task in &tasks {
            let Some(end) = task.end_date else { continue };
            cursor.tasks = cursor.tasks.max(end);
            let cycle = cycles.get(&(&*task.dag_id, &*task.dag_run_id)).copied();
            let cycle = cycle.or_else(|| task.logical_date.map(cycle_at));
            found.arrival(&task.dataset(), end, cycle, task.run_id(), None);
        }
    } else {
        cursor.tasks = cursor.tasks.max(cursor.runs);
    }
    let assets: Vec<Asset> = each_page(&web, &Listing::ASSETS, first)?;
    let told = found.told(asked, &assets);
    let cursor = serde_json::to_string(&cursor).map_err(NotCollected::new)?;
    Ok(Collected {
        events: None,
        told,
        cursor: Some(cursor),
    })
}

fn since(cursor: Timestamp) -> Timestamp {
    cursor.checked_sub(OVERLAP).unwrap_or(cursor)
}

fn logged_in(source: &AirflowSource) -> Result<Web, NotCollected> {
    let mut web = Web::new(&source.url, source.timeout)?;
    let token = match &source.login {
        AirflowLogin::Token(token) => token.clone(),
        AirflowLogin::Password { user, password } => {
            let body = json!({ "username": user, "password": password });
            web.post::<Token>("auth/token", &body)?.access_token
        }
    };
    web.set_secret("Authorization", &format!("Bearer {token}"))?;
    Ok(web)
}

/// The cycle that an instant names.
fn cycle_at(at: Timestamp) -> CycleName {
    CycleName::Instant(at.as_second())
}

/// No delivery comes so long before its cycle.
const CYCLE_AHEAD_MAX: i64 = super::arrivals::CYCLE_AHEAD_MAX;

/// Deliveries so far, and what was left out.
#[derive(Default)]
struct Found {
    arrivals: Vec<ToldArrival>,
    /// Names that no dataset can have, and how many deliveries of them there were.
    impossible: u64,
}

impl Found {
    fn arrival(
        &mut self,
        dataset: &str,
        at: Timestamp,
        cycle: Option<CycleName>,
        run_id: String,
        rows: Option<u64>,
    ) {
        let at = at.as_second();
        let Ok(dataset) = DatasetId::try_from(dataset.trim()) else {
            self.impossible += 1;
            return;
        };
        let is_run = !run_id.is_empty() && run_id.len() <= 1_024;
        self.arrivals.push(ToldArrival {
            dataset,
            at,
            cycle: cycle.filter(|cycle| cycle.seconds() - at <= CYCLE_AHEAD_MAX),
            run_id: is_run.then(|| run_id.into()),
            covers_through: None,
            rows,
        });
    }

    fn told(mut self, asked: &Asked<'_>, assets: &[Asset]) -> Told {
        let (datasets, edges) = lineage::of(assets);
        self.arrivals.sort_unstable_by(|a, b| {
            (&a.dataset, a.at, &a.run_id, a.cycle).cmp(&(&b.dataset, b.at, &b.run_id, b.cycle))
        });
        self.arrivals.dedup();
        let remarks = (self.impossible > 0).then(|| ToldRemark {
            place: asked.name.to_owned(),
            what: format!(
                "left out, because no dataset can have the name: {}",
                self.impossible
            ),
        });
        Told {
            arrivals: self.arrivals,
            runs: Vec::new(),
            houses: vec![House {
                source: format!("airflow:{}", asked.name),
                as_of: EARLIEST,
                // Nothing but that it exists, which is never outdated. What a scheduler
                // knows depends on which DAGs it could read just
                // now, and assets may be made from each other.
                extent: Extent::Part,
                datasets: datasets.into_iter().map(Dataset::undeclared).collect(),
                edges,
                dashboards: Vec::new(),
                called: Default::default(),
            }],
            remarks: remarks.into_iter().collect(),
        }
    }
}

impl std::fmt::Debug for AirflowLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AirflowLogin")
    }
}

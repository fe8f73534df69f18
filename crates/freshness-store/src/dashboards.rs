//! Which reports does the store know, and what feeds them?

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::dashboard::{Dashboard, DashboardId};
use freshness_core::dataset::DatasetId;
use rusqlite::Error::FromSqlConversionFailure;
use rusqlite::types::Type;
use rusqlite::{Connection, Transaction};
use serde::{Deserialize, Serialize};

use crate::datasets::{dataset_id, number};
use crate::error::{Fault, StoreError};
use crate::store::Store;

/// What becomes of the dashboards that are stored already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DashboardMode {
    /// They stay, unless one of the same name is told anew.
    Add,
    /// They go: the new ones are all there are.
    Replace,
}

/// What an import of dashboards did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DashboardCounts {
    /// Not known before.
    pub new: u64,
    /// Known, and told differently before.
    pub changed: u64,
    /// Told just so before.
    pub unchanged: u64,
    /// Dashboards that went.
    pub removed: u64,
}

impl Store {
    /// Stores dashboards; each replaces the one of its name. Repeating it
    /// changes nothing. A dataset that is not known is from then on, so that
    /// nothing behind a dashboard is ever lost.
    pub fn import_dashboards(
        &mut self,
        dashboards: &[Dashboard],
        mode: DashboardMode,
    ) -> Result<DashboardCounts, StoreError> {
        self.write(|transaction| {
            let mut counts = DashboardCounts::default();
            let before: BTreeMap<DashboardId, Dashboard> = read(transaction)?
                .into_iter()
                .map(|dashboard| (dashboard.id.clone(), dashboard))
                .collect();
            if mode == DashboardMode::Replace {
                let told: BTreeSet<&DashboardId> =
                    dashboards.iter().map(|dashboard| &dashboard.id).collect();
                for id in before.keys().filter(|id| !told.contains(id)) {
                    forget(transaction, id)?;
                    counts.removed += 1;
                }
            }
            for dashboard in dashboards {
                *match before.get(&dashboard.id) {
                    Some(before) if before == dashboard => {
                        counts.unchanged += 1;
                        continue;
                    }
                    Some(_) => {
                        forget(transaction, &dashboard.id)?;
                        &mut counts.changed
                    }
                    None => &mut counts.new,
                } += 1;
                insert(transaction, dashboard)?;
            }
            Ok(counts)
        })
    }

    /// All dashboards, by name: the user's, and those that only others tell of.
    pub fn dashboards(&self) -> Result<Vec<Dashboard>, StoreError> {
        self.explain(|| {
            let mut all: BTreeMap<DashboardId, Dashboard> = BTreeMap::new();
            let own = read(&self.connection)?;
            for dashboard in own.into_iter().chain(read_told(&self.connection)?) {
                all.entry(dashboard.id.clone()).or_insert(dashboard);
            }
            Ok(all.into_values().collect())
        })
    }
}

/// A dashboard as it is told.
#[derive(Serialize, Deserialize)]
struct ToldDashboard {
    title: Option<String>,
    owner: Option<String>,
    url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maturity: Option<String>,
    /// Part and dataset.
    feeds: Vec<(String, DatasetId)>,
}

/// A dashboard as text that [`Store::dashboards`] reads.
pub(crate) fn told_json(dashboard: &Dashboard) -> String {
    let feeds = dashboard.parts().iter().flat_map(|part| {
        let datasets = part.datasets.iter();
        datasets.map(|dataset| (part.name.clone(), dataset.clone()))
    });
    let told = ToldDashboard {
        title: dashboard.title.clone(),
        owner: dashboard.owner.clone(),
        url: dashboard.url.clone(),
        maturity: dashboard.maturity.clone(),
        feeds: feeds.collect(),
    };
    serde_json::to_string(&told).expect("a dashboard has only text keys")
}

/// The dashboards that others tell of, by name; of several sources of one the
/// first by name comes first.
fn read_told(connection: &Connection) -> Result<Vec<Dashboard>, Fault> {
    let mut all =
        connection.prepare_cached("SELECT id, told FROM dashboards_told ORDER BY id, source")?;
    let rows = all.query_map([], |row| {
        let told: ToldDashboard = serde_json::from_str(row.get_ref(1)?.as_str()?)
            .map_err(|error| FromSqlConversionFailure(1, Type::Text, Box::new(error)))?;
        let mut dashboard = Dashboard::new(dashboard_id(row, 0)?, told.feeds);
        dashboard.title = told.title;
        dashboard.owner = told.owner;
        dashboard.url = told.url;
        dashboard.maturity = told.maturity;
        Ok(dashboard)
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(connection: &Connection) -> Result<Vec<Dashboard>, Fault> {
    let mut feeds: BTreeMap<i64, Vec<(String, DatasetId)>> = BTreeMap::new();
    let mut all = connection.prepare_cached(
        "SELECT dashboard_no, part, id FROM dashboard_feeds JOIN datasets ON no = dataset_no",
    )?;
    let rows = all.query_map([], |row| {
        let feed: (String, DatasetId) = (row.get(1)?, dataset_id(row, 2)?);
        Ok((row.get(0)?, feed))
    })?;
    for row in rows {
        let (dashboard, feed) = row?;
        feeds.entry(dashboard).or_default().push(feed);
    }
    let mut all = connection
        .prepare_cached("SELECT no, id, title, owner, url FROM dashboards ORDER BY id")?;
    let rows = all.query_map([], |row| {
        let fed = feeds.remove(&row.get(0)?).unwrap_or_default();
        let mut dashboard = Dashboard::new(dashboard_id(row, 1)?, fed);
        dashboard.title = row.get(2)?;
        dashboard.owner = row.get(3)?;
        dashboard.url = row.get(4)?;
        Ok(dashboard)
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn forget(transaction: &Transaction<'_>, id: &DashboardId) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "DELETE FROM dashboard_feeds
             WHERE dashboard_no = (SELECT no FROM dashboards WHERE id = ?1)",
        )?
        .execute([id.as_str()])?;
    transaction
        .prepare_cached("DELETE FROM dashboards WHERE id = ?1")?
        .execute([id.as_str()])?;
    Ok(())
}

fn insert(transaction: &Transaction<'_>, dashboard: &Dashboard) -> Result<(), Fault> {
    let Dashboard {
        id,
        title,
        owner,
        url,
        ..
    } = dashboard;
    transaction
        .prepare_cached("INSERT INTO dashboards (id, title, owner, url) VALUES (?1, ?2, ?3, ?4)")?
        .execute((id.as_str(), title, owner, url))?;
    let no = transaction.last_insert_rowid();
    let mut feed = transaction.prepare_cached("INSERT INTO dashboard_feeds VALUES (?1, ?2, ?3)")?;
    for part in dashboard.parts() {
        for dataset in &part.datasets {
            let (dataset, _) = number(transaction, dataset)?;
            feed.execute((no, &part.name, dataset.0))?;
        }
    }
    Ok(())
}

fn dashboard_id(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<DashboardId> {
    let text = row.get_ref(column)?.as_str()?;
    DashboardId::try_from(text)
        .map_err(|error| FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

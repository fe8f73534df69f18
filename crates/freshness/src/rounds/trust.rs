//! How far can each dashboard be believed now?

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::DatasetId;
use freshness_core::lineage::Lineage;
use freshness_core::trust::{self, Root, Seen, Trust};
use freshness_store::{DatasetNo, Store};
use jiff::{SignedDuration, Timestamp};

use super::{Causes, Checked, Judged, RoundError, holidays, is_overdue, look};

/// The trust in every dashboard.
#[derive(Debug)]
pub struct Trusted {
    /// The states behind it, as of the instant asked for.
    pub checked: Checked,
    /// Every dashboard and how far it can be believed, by name.
    pub dashboards: Vec<(Dashboard, Trust)>,
}

/// Judges all datasets and what they mean to the dashboards; records nothing.
pub fn trust(
    store: &Store,
    now: Timestamp,
    max_model_age: SignedDuration,
    threads: Option<u16>,
) -> Result<Trusted, RoundError> {
    let dashboards = store.dashboards()?;
    if dashboards.is_empty() {
        return Err(RoundError::NoDashboards(store.path().display().to_string()));
    }
    let checked = look(store, now, max_model_age, threads)?;
    let dashboards = trust_of(store, &checked, dashboards)?;
    Ok(Trusted {
        checked,
        dashboards,
    })
}

/// What states that were judged already mean to the dashboards.
pub fn trust_of(
    store: &Store,
    checked: &Checked,
    dashboards: Vec<Dashboard>,
) -> Result<Vec<(Dashboard, Trust)>, RoundError> {
    let lineage = lineage(store)?;
    let roots = roots(&checked.causes);
    let next_dues = next_dues(store, checked, &lineage, &dashboards)?;
    let seen: Vec<Seen<'_>> = checked
        .datasets
        .iter()
        .map(|judged| Seen {
            state: &judged.state,
            critical: judged.dataset.critical,
            period_seconds: judged.period_seconds,
            next_due: next_dues.get(&judged.no).copied(),
            roots: roots.get(&judged.dataset.id).map_or(&[], Vec::as_slice),
            breach: judged.breach.as_ref(),
            is_promised: judged.is_promised,
        })
        .collect();
    let trusts = trust::trust(&seen, &lineage, &dashboards);
    Ok(dashboards.into_iter().zip(trusts).collect())
}

/// What the datasets are late because of that do not begin an incident.
fn roots(causes: &Causes) -> BTreeMap<&DatasetId, Vec<Root>> {
    let mut roots: BTreeMap<&DatasetId, Vec<Root>> = BTreeMap::new();
    for incident in causes.standing.iter().map(|followed| &followed.incident) {
        // Of a suspect feed each dataset stands for itself.
        let Some(root) = &incident.root else {
            continue;
        };
        for member in incident.members.iter().filter(|member| member.hops > 0) {
            roots.entry(&member.dataset_id).or_default().push(Root {
                dataset_id: root.clone(),
                wait_seconds: member.wait.map(|wait| wait.to_seconds),
            });
        }
    }
    roots
}

/// When the next deliveries are due of what is late behind a dashboard, and of
/// what is made from that. A model that cannot be read promises nothing.
fn next_dues(
    store: &Store,
    checked: &Checked,
    lineage: &Lineage,
    dashboards: &[Dashboard],
) -> Result<BTreeMap<DatasetNo, Timestamp>, RoundError> {
    let concerned = concerned(checked, lineage, dashboards);
    let holidays = holidays();
    let now = checked.now.as_second();
    store.at_one_instant(|store| {
        let mut dues = BTreeMap::new();
        for judged in concerned {
            let Ok(Some(model)) = store.model(judged.no) else {
                continue;
            };
            if let Some(at) = trust::next_due(
                &model,
                &judged.state,
                &holidays,
                &judged.dataset.maintenance,
                now,
            ) {
                dues.insert(judged.no, at);
            }
        }
        Ok(dues)
    })
}

/// What is late, or made from something late, and behind a dashboard.
fn concerned<'a>(
    checked: &'a Checked,
    lineage: &Lineage,
    dashboards: &[Dashboard],
) -> Vec<&'a Judged> {
    let mut late: Vec<bool> = vec![false; lineage.datasets().len()];
    for judged in checked
        .datasets
        .iter()
        .filter(|of| is_overdue(of.state.state) || of.state.excused.is_some())
    {
        if let Some(at) = lineage.index(judged.dataset.id.as_str()) {
            late[at] = true;
        }
    }
    let mut behind: Vec<bool> = vec![false; late.len()];
    let mut feeds: BTreeSet<&DatasetId> = BTreeSet::new();
    for dataset in dashboards
        .iter()
        .flat_map(Dashboard::parts)
        .flat_map(|of| &of.datasets)
    {
        match lineage.index(dataset.as_str()) {
            Some(at) => behind[at] = true,
            None => drop(feeds.insert(dataset)),
        }
    }
    for &i in lineage.topological_indices() {
        let inherits = |&parent: &u32| late[parent as usize];
        late[i as usize] |= lineage.parent_indices(i as usize).iter().any(inherits);
    }
    for &i in lineage.topological_indices().iter().rev() {
        let feeds = |&child: &u32| behind[child as usize];
        behind[i as usize] |= lineage.child_indices(i as usize).iter().any(feeds);
    }
    let is_concerned = |judged: &&Judged| match lineage.index(judged.dataset.id.as_str()) {
        Some(at) => late[at] && behind[at],
        None => is_overdue(judged.state.state) && feeds.contains(&judged.dataset.id),
    };
    checked.datasets.iter().filter(is_concerned).collect()
}

fn lineage(store: &Store) -> Result<Lineage, RoundError> {
    let edges = store.lineage()?;
    let pairs = edges
        .into_iter()
        .map(|edge| (edge.upstream, edge.downstream));
    Ok(Lineage::new(pairs)?)
}

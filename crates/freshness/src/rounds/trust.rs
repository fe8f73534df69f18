//! How far can each dashboard be believed now?

use std::collections::BTreeMap;

use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::DatasetId;
use freshness_core::lineage::Lineage;
use freshness_core::trust::{self, Root, Seen, Trust};
use freshness_store::Store;
use jiff::{SignedDuration, Timestamp};

use super::{Causes, Checked, RoundError, look};

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
    let seen: Vec<Seen<'_>> = checked
        .datasets
        .iter()
        .map(|judged| Seen {
            state: &judged.state,
            critical: judged.dataset.critical,
            period_seconds: judged.period_seconds,
            roots: roots.get(&judged.dataset.id).map_or(&[], Vec::as_slice),
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

fn lineage(store: &Store) -> Result<Lineage, RoundError> {
    let edges = store.lineage()?;
    let pairs = edges
        .into_iter()
        .map(|edge| (edge.upstream, edge.downstream));
    Ok(Lineage::new(pairs)?)
}

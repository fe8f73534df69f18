//! How long after its parent does each dataset come?
//!
//! Learned with the models of a fit, edge by edge, over the present schedule of
//! both ends. The cycles of a child are matched once for all its parents.

use std::collections::HashMap;

use freshness_core::civil::Holidays;
use freshness_core::fit::Model;
use freshness_core::incidents::{EdgeLag, comparable_since, learn_edge, served};
use freshness_store::{DatasetNo, NumberedEdge, Store, StoreError, Tail};
use jiff::Timestamp;

use super::share::share;
use crate::threads::n_threads;

/// Below so many datasets a second thread costs more than it saves.
const DATASETS_PER_THREAD: usize = 32;

/// Learns the lag of every edge whose ends have models. What cannot be read of
/// an edge concerns that edge only.
pub(super) fn edge_lags(
    store: &Store,
    models: &[(DatasetNo, Model)],
    holidays: &Holidays,
    as_of: Timestamp,
    threads: Option<u16>,
) -> Result<Vec<(NumberedEdge, EdgeLag)>, StoreError> {
    let edges = store.numbered_lineage()?;
    let models: HashMap<DatasetNo, &Model> =
        models.iter().map(|(no, model)| (*no, model)).collect();
    // By downstream dataset, as they come.
    let families: Vec<&[NumberedEdge]> = edges
        .chunk_by(|a, b| a.downstream == b.downstream)
        .collect();
    let lags = share(
        store,
        n_threads(threads, families.len(), DATASETS_PER_THREAD),
        &families,
        |store, family| family_lags(store, family, &models, holidays, as_of.as_second()),
        |_| (),
    )?;
    Ok(lags.into_iter().flatten().collect())
}

/// The lags of a child behind each of its parents.
fn family_lags(
    store: &Store,
    family: &[NumberedEdge],
    models: &HashMap<DatasetNo, &Model>,
    holidays: &Holidays,
    as_of: i64,
) -> Vec<(NumberedEdge, EdgeLag)> {
    let child_no = family[0].downstream;
    let Some(child) = models.get(&child_no) else {
        return Vec::new();
    };
    let parents = || {
        family
            .iter()
            .filter_map(|edge| Some((edge, *models.get(&edge.upstream)?)))
    };
    let since = |parent: &Model| comparable_since(parent, child, as_of);
    let Some(first) = parents().map(|(_, parent)| since(parent)).min() else {
        return Vec::new();
    };
    let tail = |since: i64| Tail { at_least: 0, since };
    let Ok(history) = store.recent(child_no, tail(first)) else {
        return Vec::new();
    };
    let served = served(child, &history.until(as_of), holidays, first, as_of);
    let lags = parents().filter_map(|(edge, parent)| {
        let came = store.recent(edge.upstream, tail(since(parent))).ok()?;
        Some((*edge, learn_edge((parent, &came), (child, &served), as_of)?))
    });
    lags.collect()
}

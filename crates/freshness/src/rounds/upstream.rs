//! Which datasets are late already, or not yet, because of what they are made from?
//!
//! Each is judged by itself first, in parallel. How those stand that are overdue,
//! and those they are made from, is then handed down the lineage, and only what is
//! overdue or stands below it is judged again.

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::civil::Holidays;
use freshness_core::dataset::DatasetId;
use freshness_core::lineage::Lineage;
use freshness_core::state::{Upstream, parents_first};
use freshness_store::{DatasetNo, NumberedEdge, Store, StoreError};
use jiff::Timestamp;

use super::RoundError;
use super::check::{JudgedOne, judge_one};

/// Judges anew what is overdue or stands below it. `judged` are all datasets, by
/// name; `judge` judges the one at a place, told how those stand that it is made
/// from.
pub(super) fn hand_down(
    store: &Store,
    judged: &mut [JudgedOne],
    judge: impl Fn(usize, &[Upstream]) -> Result<JudgedOne, StoreError>,
) -> Result<(), RoundError> {
    if !judged.iter().any(is_overdue) {
        return Ok(());
    }
    let concerned = below(store, judged)?;
    let places: Vec<usize> = concerned.iter().map(|(place, _)| *place).collect();
    let ids: Vec<DatasetId> = (places.iter())
        .map(|&place| judged[place].0.state.dataset_id.clone())
        .collect();
    let ids: Vec<&DatasetId> = ids.iter().collect();
    let edges = concerned.iter().enumerate().flat_map(|(to, (_, parents))| {
        let ids = &ids;
        (parents.iter()).map(move |parent| (ids[*parent].clone(), ids[to].clone()))
    });
    let lineage = Lineage::new(edges)?;
    let look = |i: usize, upstream: &[Upstream]| match upstream {
        [] => Ok(judged[places[i]].clone()),
        _ => judge(places[i], upstream),
    };
    let anew = parents_first(&lineage, &ids, look, |(judged, _)| {
        judged.as_upstream.clone()
    })?;
    for (place, anew) in places.into_iter().zip(anew) {
        judged[place] = anew;
    }
    Ok(())
}

fn is_overdue((judged, _): &JudgedOne) -> bool {
    let upstream = judged.as_upstream.as_ref();
    upstream.is_some_and(|upstream| upstream.is_overdue)
}

/// The overdue datasets, all below them, and what all these are made from: their
/// places among all, and their parents among these; a parent that nothing overdue
/// stands above has none.
fn below(store: &Store, judged: &[JudgedOne]) -> Result<Vec<(usize, Vec<usize>)>, RoundError> {
    let edges = store.numbered_lineage()?;
    let mut children: BTreeMap<DatasetNo, Vec<DatasetNo>> = BTreeMap::new();
    for edge in &edges {
        children
            .entry(edge.upstream)
            .or_default()
            .push(edge.downstream);
    }
    let overdue = judged.iter().filter(|judged| is_overdue(judged));
    let mut next: Vec<DatasetNo> = overdue.map(|(judged, _)| judged.no).collect();
    let mut reached: BTreeSet<DatasetNo> = next.iter().copied().collect();
    while let Some(no) = next.pop() {
        for &child in children.get(&no).into_iter().flatten() {
            if reached.insert(child) {
                next.push(child);
            }
        }
    }
    let into_reached = edges
        .iter()
        .filter(|edge| reached.contains(&edge.downstream));
    let beside: BTreeSet<DatasetNo> = into_reached.clone().map(|edge| edge.upstream).collect();
    let places = judged.iter().enumerate();
    let places: Vec<(usize, DatasetNo)> = places
        .map(|(place, (judged, _))| (place, judged.no))
        .filter(|(_, no)| reached.contains(no) || beside.contains(no))
        .collect();
    let at: BTreeMap<DatasetNo, usize> = places
        .iter()
        .enumerate()
        .map(|(i, (_, no))| (*no, i))
        .collect();
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    for NumberedEdge {
        upstream,
        downstream,
    } in into_reached
    {
        if let (Some(&from), Some(&to)) = (at.get(upstream), at.get(downstream)) {
            parents[to].push(from);
        }
    }
    Ok(places
        .into_iter()
        .map(|(place, _)| place)
        .zip(parents)
        .collect())
}

/// How the datasets stand that one is made from.
pub(super) fn upstream_of(
    store: &Store,
    id: &DatasetId,
    holidays: &Holidays,
    now: Timestamp,
) -> Result<Vec<Upstream>, RoundError> {
    let edges = store.lineage()?.into_iter();
    let lineage = Lineage::new(edges.map(|edge| (edge.upstream, edge.downstream)))?;
    let ancestors = lineage.ancestors(id.as_str());
    let mut ids: Vec<&DatasetId> = ancestors.into_iter().map(|(id, _)| id).collect();
    ids.push(id);
    let entries = store.datasets()?;
    let entry = |id: &DatasetId| {
        let at = entries.binary_search_by(|entry| entry.id.cmp(id)).ok()?;
        Some(&entries[at])
    };
    let look = |place: usize, upstream: &[Upstream]| match entry(ids[place]) {
        // Only what is above it is asked for.
        Some(entry) if ids[place] != id => {
            let (judged, _) = judge_one(store, entry, holidays, upstream, now)?;
            Ok((judged.as_upstream, Vec::new()))
        }
        _ => Ok((None, upstream.to_vec())),
    };
    let above: Result<_, RoundError> = parents_first(&lineage, &ids, look, |(own, _)| own.clone());
    Ok(above?.pop().map_or_else(Vec::new, |(_, upstream)| upstream))
}

//! What is behind all that is late?
//!
//! Of the lineage only edges between late datasets are read: others explain
//! nothing.

use std::collections::HashMap;

use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::incidents::{
    Advanced, EdgeLags, Event, Feed, Followed, Incident, Incidents, LateDataset, Silence, advance,
    incidents, remember,
};
use freshness_core::lineage::Lineage;
use freshness_core::state::{DatasetState, State};
use freshness_store::{DatasetNo, NumberedEdge, Store};
use globset::{Glob, GlobMatcher};
use jiff::Timestamp;

use super::check::NO_MODEL;
use super::{Judged, RoundError};

/// The incidents of a look at all datasets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Causes {
    /// Those that stand, the worst first.
    pub standing: Vec<Followed>,
    /// Those that have ended since the last check.
    pub ended: Vec<Followed>,
    /// What happened to them since the last check.
    pub events: Vec<Event>,
    /// Datasets that are late or missed, or break a promise.
    pub n_late: u64,
}

impl Causes {
    /// Alerts that nobody has to get: late datasets beyond one for each
    /// incident.
    pub fn n_suppressed(&self) -> u64 {
        self.n_late.saturating_sub(self.standing.len() as u64)
    }

    /// … as a share of all late datasets, 0–1; `None` if nothing is late.
    pub fn suppressed_share(&self) -> Option<f64> {
        (self.n_late > 0).then(|| self.n_suppressed() as f64 / self.n_late as f64)
    }

    /// Of what is counted, how many datasets are in time by what is learned and
    /// only break a promise.
    pub fn n_only_broken(&self) -> u64 {
        let standing = self.standing.iter();
        standing.map(|of| of.incident.n_only_broken()).sum()
    }

    /// The incidents that a dataset began or is explained by; the one that
    /// counts it first.
    pub fn of(&self, id: &DatasetId) -> Vec<&Followed> {
        let mut of: Vec<(bool, &Followed)> = self
            .standing
            .iter()
            .filter_map(|followed| Some((!followed.incident.counts(id)?, followed)))
            .collect();
        of.sort_by_key(|(is_counted_elsewhere, _)| *is_counted_elsewhere);
        of.into_iter().map(|(_, followed)| followed).collect()
    }

    pub(super) fn new(advanced: Advanced, n_late: u64) -> Causes {
        let Advanced { followed, events } = advanced;
        let (standing, ended) = followed
            .into_iter()
            .partition(|followed| followed.resolved_at.is_none());
        Causes {
            standing,
            ended,
            events,
            n_late,
        }
    }
}

/// Groups what is late. `judged` are all datasets, by name; `before` are the
/// incidents that stood.
pub(super) fn found(
    store: &Store,
    judged: &[Judged],
    before: &[Followed],
    now: Timestamp,
) -> Result<Incidents, RoundError> {
    let mut late: Vec<LateDataset> = judged
        .iter()
        .filter_map(|judged| LateDataset::or_broken(&judged.state, judged.breach.as_ref()))
        .collect();
    if !late.iter().any(LateDataset::needs_a_look) {
        return Ok(Incidents::default());
    }
    remember(&mut late, before, |id| {
        let last = find(judged, id)?.state.last_arrival;
        last.map(Timestamp::as_second)
    });
    let place_of: HashMap<DatasetNo, usize> = late
        .iter()
        .enumerate()
        .filter_map(|(i, of)| Some((find(judged, &of.dataset_id)?.no, i)))
        .collect();
    let mut edges = store.numbered_lineage()?;
    edges.retain(
        |NumberedEdge {
             upstream,
             downstream,
         }| { place_of.contains_key(upstream) && place_of.contains_key(downstream) },
    );
    let id = |no: DatasetNo| &late[place_of[&no]].dataset_id;
    let named = |edge: &NumberedEdge| (id(edge.upstream).clone(), id(edge.downstream).clone());
    let lineage = Lineage::new(edges.iter().map(named))?;
    let mut lags = Vec::with_capacity(edges.len());
    for edge in &edges {
        let lag = store.edge_lag(*edge)?;
        lags.extend(lag.map(|lag| {
            (
                id(edge.upstream).as_str(),
                id(edge.downstream).as_str(),
                lag,
            )
        }));
    }
    let lags = EdgeLags::new(&lineage, lags);
    let feeds: Vec<Feed> = judged
        .iter()
        .filter_map(|judged| {
            Some(Feed {
                last_arrival: judged.state.last_arrival.map(Timestamp::as_second),
                odds: judged.odds?,
                late: place_of.get(&judged.no).copied(),
            })
        })
        .collect();
    Ok(incidents(&lineage, &late, &lags, &feeds, now.as_second()))
}

/// What became of the incidents `before`.
pub(super) fn follow(
    before: Vec<Followed>,
    found: Incidents,
    silences: &[Silence],
    judged: &[Judged],
    now: Timestamp,
) -> Advanced {
    let declared =
        |id: &DatasetId| -> Option<&Dataset> { find(judged, id).map(|judged| &judged.dataset) };
    let silences: Vec<(&Silence, Option<GlobMatcher>)> = silences
        .iter()
        .filter(|silence| silence.holds(now))
        .map(|silence| (silence, pattern(silence)))
        .collect();
    let silenced = |incident: &Incident| -> Option<u64> {
        let covers = |(silence, glob): &&(&Silence, Option<GlobMatcher>)| {
            let is_named = |name: &str| glob.as_ref().is_some_and(|glob| glob.is_match(name));
            silence.covers(incident, is_named, declared)
        };
        silences.iter().find(covers).map(|(silence, _)| silence.no)
    };
    // What is gone from the inventory is judged: there is nothing to wait for.
    let is_judged = |id: &DatasetId| {
        find(judged, id).is_none_or(|judged| judged.is_promised || !is_unreadable(&judged.state))
    };
    advance(before, found, silenced, is_judged, now)
}

/// A dataset by its name; `judged` is sorted.
fn find<'a>(judged: &'a [Judged], id: &DatasetId) -> Option<&'a Judged> {
    let at = judged.binary_search_by(|judged| judged.state.dataset_id.cmp(id));
    at.ok().map(|at| &judged[at])
}

/// Its pattern; one that cannot be read matches nothing.
fn pattern(silence: &Silence) -> Option<GlobMatcher> {
    let glob = Glob::new(silence.matchers.dataset.as_deref()?).ok()?;
    Some(glob.compile_matcher())
}

fn is_unreadable(state: &DatasetState) -> bool {
    state.state == State::NotEvaluated && state.model_status == NO_MODEL
}

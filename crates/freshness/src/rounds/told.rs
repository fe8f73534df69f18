//! How does what other tools tell get into the store?
//!
//! Whatever the tool, in this order: times that cannot be are left out and said;
//! then everything is stored at once. Edges that were told in passing may go in a
//! circle and are straightened; those that somebody vouches for may not.

use freshness_core::dataset::DatasetId;
use freshness_core::lineage::{LineageError, Straightened, straighten};
use freshness_core::slo::Run;
use freshness_store::{
    ArrivalBatch, Collected, LineageEdge, Store, StoreError, StraightEdges, ToldBatch, ToldCounts,
    ToldHouse,
};

use crate::config::Renames;
use crate::outputs::words;
use crate::sources::{EARLIEST, Extent, FUTURE_TOLERANCE_SECONDS, House, Told, ToldRemark};

/// What taking over a telling did.
#[derive(Debug)]
pub struct Taken {
    /// What the store counted.
    pub counts: ToldCounts,
    /// What a person should know.
    pub remarks: Vec<ToldRemark>,
    /// Told circles that were straightened, the datasets of each by name.
    pub circles: Vec<Vec<DatasetId>>,
}

/// Why nothing was taken over.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// Edges that somebody vouches for go in a circle.
    #[error(transparent)]
    Lineage(#[from] LineageError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores what was told, in one transaction; the same again changes nothing.
/// `now` is the present in UTC seconds; `renames` say under which names datasets are
/// kept; `collected` is the configured source that it is from, if it is of one.
pub fn take(
    store: &mut Store,
    told: Told,
    renames: &Renames,
    collected: Option<Collected>,
    now: i64,
) -> Result<Taken, TakeError> {
    let Told {
        arrivals,
        runs,
        houses,
        mut remarks,
    } = renames.apply(told);
    let mut batch = ArrivalBatch::new();
    let mut impossible = Vec::new();
    for arrival in arrivals {
        if !(EARLIEST..=now + FUTURE_TOLERANCE_SECONDS).contains(&arrival.at) {
            impossible.push(arrival);
            continue;
        }
        let dataset = batch.dataset_of(&arrival.dataset);
        batch.push_with(
            dataset,
            arrival.at,
            arrival.cycle,
            arrival.run_id.as_deref(),
            arrival.covers_through,
            arrival.rows,
        );
    }
    if let Some(first) = impossible.first() {
        let at = jiff::Timestamp::from_second(first.at)
            .map_or_else(|_| first.at.to_string(), |at| at.to_string());
        remarks.push(ToldRemark {
            place: first.dataset.to_string(),
            what: format!(
                "{} left out that did not arrive from 1990 to now, such as at {at}",
                words::count(impossible.len() as u64, "arrival")
            ),
        });
    }
    let n_runs = runs.len();
    let is_possible = |run: &Run| {
        let times = EARLIEST..=now + FUTURE_TOLERANCE_SECONDS;
        times.contains(&run.finished_at)
    };
    let runs: Vec<(DatasetId, Run)> = (runs.into_iter())
        .filter(|(_, run)| is_possible(run))
        .collect();
    if runs.len() < n_runs {
        remarks.push(ToldRemark {
            place: "measurements".to_owned(),
            what: format!(
                "{} left out that did not end from 1990 to now",
                words::count((n_runs - runs.len()) as u64, "run")
            ),
        });
    }
    let batch = ToldBatch {
        arrivals: batch,
        runs,
        houses: houses.into_iter().map(house).collect(),
        collected,
    };
    let mut circles = Vec::new();
    let counts = store.take_told(batch, |firm, loose| {
        let (straight, found) = straightened(firm, loose)?;
        circles = found;
        Ok::<_, TakeError>(straight)
    })?;
    Ok(Taken {
        counts,
        remarks,
        circles,
    })
}

/// How edges told in passing are straightened beside firm ones, and the circles
/// they went in.
pub(super) fn straightened(
    firm: &[LineageEdge],
    loose: &[LineageEdge],
) -> Result<(StraightEdges, Vec<Vec<DatasetId>>), LineageError> {
    let pairs = |edges: &[LineageEdge]| {
        let pair = |edge: &LineageEdge| (edge.upstream.clone(), edge.downstream.clone());
        edges.iter().map(pair).collect::<Vec<_>>()
    };
    let Straightened {
        left_out,
        added,
        circles,
    } = straighten(&pairs(firm), &pairs(loose))?;
    let edges = |pairs: Vec<_>| pairs.into_iter().map(edge).collect();
    let (left_out, added) = (edges(left_out), edges(added));
    Ok((StraightEdges { left_out, added }, circles))
}

fn edge((upstream, downstream): (DatasetId, DatasetId)) -> LineageEdge {
    LineageEdge {
        upstream,
        downstream,
    }
}

fn house(house: House) -> ToldHouse {
    ToldHouse {
        source: house.source,
        as_of: house.as_of,
        is_whole: house.extent == Extent::Whole,
        datasets: house.datasets,
        edges: house.edges.into_iter().map(edge).collect(),
        dashboards: house.dashboards,
    }
}

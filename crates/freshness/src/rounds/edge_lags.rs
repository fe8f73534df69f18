//! How long after its parent does each dataset come?
//!
//! Learned with the models of a fit, edge by edge, over the present schedule of
//! both ends. The cycles of a child are matched once for all its parents.

use std::collections::HashMap;

use freshness_core::civil::{Holidays, MINUTE};
use freshness_core::fit::{Fitted, Model};
use freshness_core::incidents::{EdgeLag, PAIRS_KEPT, Served, allowance, edge_lag};
use freshness_core::schedule::Grain;
use freshness_core::state::{CycleVerdict, cycles_until};
use freshness_store::{DatasetNo, NumberedEdge, Store, StoreError, Tail};
use jiff::Timestamp;

use super::share::{n_threads, share};

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
    let since: Vec<Option<i64>> = family
        .iter()
        .map(|edge| {
            let parent = models.get(&edge.upstream)?;
            Some(since(parent, child, as_of))
        })
        .collect();
    let Some(first) = since.iter().flatten().copied().min() else {
        return Vec::new();
    };
    let Ok(served) = served(store, child_no, child, holidays, first, as_of) else {
        return Vec::new();
    };
    let allowed = allowance(&child.fitted);
    let lags = family.iter().zip(since).filter_map(|(edge, since)| {
        let (since, parent) = (since?, models.get(&edge.upstream)?);
        let tail = Tail { at_least: 0, since };
        let came = store.recent(edge.upstream, tail).ok()?;
        let came = &came.at()[..came.at().partition_point(|&at| at <= as_of)];
        let served = &served[served.partition_point(|served| served.arrived_at < since)..];
        let period = parent.fitted.calendar().grain().map(Grain::seconds);
        let lag = edge_lag(came, served, allowed, period)?;
        Some((*edge, lag))
    });
    lags.collect()
}

/// From when on the two are compared: both keep their present schedule, and
/// there are pairs enough.
fn since(parent: &Model, child: &Model, as_of: i64) -> i64 {
    let period = |model: &Model| {
        let grain = model.fitted.calendar().grain();
        grain.map_or(freshness_core::civil::DAY, Grain::seconds)
    };
    let regime = |model: &Model| match &model.fitted {
        Fitted::Learned(model) | Fitted::Provisional { model, .. } => {
            model.regime_since.as_second()
        }
        Fitted::Irregular(gaps) => gaps.regime_since.as_second(),
        Fitted::ColdStart(_) => i64::MIN,
    };
    let enough = as_of.saturating_sub(PAIRS_KEPT * period(parent).max(period(child)));
    enough.max(regime(parent)).max(regime(child))
}

/// The deliveries of a child since an instant, by arrival.
fn served(
    store: &Store,
    no: DatasetNo,
    model: &Model,
    holidays: &Holidays,
    since: i64,
    as_of: i64,
) -> Result<Vec<Served>, StoreError> {
    let history = store.recent(no, Tail { at_least: 0, since })?.until(as_of);
    if model.fitted.calendar().grain().is_none() {
        let plain = |&arrived_at: &i64| Served {
            arrived_at,
            usual_at: None,
            spread: (0, 0),
        };
        return Ok(history.at().iter().map(plain).collect());
    }
    let cycles = cycles_until(model, &history, holidays, since, as_of, as_of);
    let mut served: Vec<Served> = cycles.iter().filter_map(one_served).collect();
    served.sort_unstable_by_key(|served| served.arrived_at);
    Ok(served)
}

fn one_served(cycle: &CycleVerdict) -> Option<Served> {
    let seconds = |minutes: f64| (minutes * MINUTE as f64).round() as i64;
    let because = cycle.because.as_ref();
    let deadline = cycle.deadline.map(Timestamp::as_second);
    Some(Served {
        arrived_at: cycle.arrived_at?.as_second(),
        usual_at: deadline
            .zip(because)
            .map(|(deadline, because)| deadline - seconds(because.threshold - because.p50)),
        spread: because.map_or((0, 0), |because| {
            (
                seconds(because.p50 - because.p10),
                seconds(because.p90 - because.p50),
            )
        }),
    })
}

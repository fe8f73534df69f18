//! Which deliveries of a parent and its child can be compared?

use jiff::Timestamp;

use super::lag::{EdgeLag, PAIRS_KEPT, Served, allowance, edge_lag};
use crate::arrivals::ArrivalHistory;
use crate::civil::{DAY, Holidays};
use crate::fit::{Fitted, Model, to_seconds};
use crate::schedule::{Grain, Maintenance};
use crate::state::{CycleVerdict, cycles_until};

/// From when on an edge is learned: both ends keep their present schedule, and
/// there are pairs enough. UTC seconds.
pub fn comparable_since(parent: &Model, child: &Model, as_of: i64) -> i64 {
    let period = |model: &Model| period(model).unwrap_or(DAY);
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

/// The deliveries of a dataset in `[since, as_of)`, by arrival.
pub fn served(
    model: &Model,
    history: &ArrivalHistory,
    holidays: &Holidays,
    since: i64,
    as_of: i64,
) -> Vec<Served> {
    if period(model).is_none() {
        let of = |at: &[i64]| {
            let until = at.partition_point(|&at| at < as_of);
            at.partition_point(|&at| at < since).min(until)..until
        };
        let plain = |&arrived_at: &i64| Served {
            arrived_at,
            usual_at: None,
            spread: (0, 0),
        };
        let at = history.at();
        return at[of(at)].iter().map(plain).collect();
    }
    let cycles = cycles_until(
        model,
        history,
        holidays,
        &[],
        // What came and when is asked, not whether it was late.
        &Maintenance::NONE,
        (since, as_of),
        as_of,
    );
    let mut served: Vec<Served> = cycles.iter().filter_map(one_served).collect();
    served.sort_unstable_by_key(|served| served.arrived_at);
    served
}

/// Learns one edge from what its parent and its child delivered, the child's
/// deliveries as [`served`] gives them.
pub fn learn_edge(
    parent: (&Model, &ArrivalHistory),
    child: (&Model, &[Served]),
    as_of: i64,
) -> Option<EdgeLag> {
    let (parent_model, history) = parent;
    let (child_model, served) = child;
    let since = comparable_since(parent_model, child_model, as_of);
    let deliveries = parent_model.deliveries(history, as_of);
    let at = deliveries.at();
    let until = at.partition_point(|&at| at <= as_of);
    let came = &at[at.partition_point(|&at| at < since).min(until)..until];
    let served = &served[served.partition_point(|served| served.arrived_at < since)..];
    let allowed = allowance(&child_model.fitted);
    edge_lag(came, served, allowed, period(parent_model))
}

fn period(model: &Model) -> Option<i64> {
    model.fitted.calendar().grain().map(Grain::seconds)
}

fn one_served(cycle: &CycleVerdict) -> Option<Served> {
    let because = cycle.because.as_ref();
    Some(Served {
        arrived_at: cycle.arrived_at?.as_second(),
        usual_at: cycle.usual_at.map(Timestamp::as_second),
        spread: because.map_or((0, 0), |because| {
            (
                to_seconds(because.p50 - because.p10),
                to_seconds(because.p90 - because.p50),
            )
        }),
    })
}

//! What does a rule alert in a small history?

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
use freshness_core::civil::{DAY, HOUR};
use freshness_core::dataset::{Dataset, DatasetId};

use crate::evaluate::{Deadline, Subject, Window};
use crate::truth::DatasetTruth;

/// Arrivals and alerts as (day, hour); the window in days. Alerts may be up to
/// a second off.
#[track_caller]
pub(super) fn check_alerts(
    rule: fn(&Subject<'_>, &Window) -> Vec<Deadline>,
    arrivals: &[(i64, f64)],
    window: (i64, i64),
    expected: &[(i64, f64)],
) {
    let instant = |(day, hour): &(i64, f64)| day * DAY + (hour * HOUR as f64).round() as i64;
    let arrival = |at| Arrival {
        at: instant(at),
        detail: ArrivalDetail::default(),
    };
    let dataset = Dataset::undeclared(DatasetId::try_from("raw").unwrap());
    let history = ArrivalHistory::new(arrivals.iter().map(arrival).collect());
    let truth = DatasetTruth {
        class: "daily".to_owned(),
        schedule: None,
        moves: Vec::new(),
        cycles: Vec::new(),
        outages: Vec::new(),
    };
    let subject = Subject {
        dataset: &dataset,
        history: &history,
        truth: &truth,
    };
    let window = Window {
        from: window.0 * DAY,
        to: window.1 * DAY,
        known_until: window.1 * DAY,
        refit: None,
    };
    let deadlines = rule(&subject, &window);
    let raised: Vec<i64> = deadlines
        .iter()
        .filter(|deadline| deadline.raised)
        .map(|deadline| deadline.at)
        .collect();
    let expected: Vec<i64> = expected.iter().map(instant).collect();
    assert_eq!(raised.len(), expected.len(), "{raised:?} {expected:?}");
    for (raised, expected) in raised.iter().zip(&expected) {
        assert!((raised - expected).abs() <= 1, "{raised} {expected}");
    }
}

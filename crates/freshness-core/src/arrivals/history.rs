//! What has one dataset delivered, in order?

use std::collections::HashSet;

use super::{Arrival, ArrivalDetail, CycleName};

/// The arrivals of one dataset, sorted by time, each once.
///
/// Columns rather than rows: most histories say nothing but when, and the fit
/// reads millions of times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArrivalHistory {
    /// UTC seconds, ascending.
    at: Vec<i64>,
    /// Empty, or one for each arrival.
    details: Vec<ArrivalDetail>,
    /// Like `details`: whether the run has delivered before. Found once, as
    /// every look at the history asks.
    repeats: Vec<bool>,
}

impl ArrivalHistory {
    /// Sorts the arrivals and drops duplicates: two arrivals are one if time,
    /// cycle and run agree; the one with more to say about rows and coverage
    /// (the later in the order of values) stays, whatever order they came in.
    pub fn new(mut arrivals: Vec<Arrival>) -> ArrivalHistory {
        arrivals.sort_unstable();
        // Of equals the last in the order of values stays.
        arrivals.dedup_by(|later, earlier| {
            let same = later.at == earlier.at
                && later.detail.cycle == earlier.detail.cycle
                && later.detail.run_id == earlier.detail.run_id;
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        let (at, details): (Vec<i64>, Vec<ArrivalDetail>) = arrivals
            .into_iter()
            .map(|arrival| (arrival.at, arrival.detail))
            .unzip();
        match details.iter().all(ArrivalDetail::is_empty) {
            true => ArrivalHistory::from_columns(at, Vec::new()),
            false => ArrivalHistory::from_columns(at, details),
        }
    }

    /// From columns as [`ArrivalHistory::columns`] gave them.
    /// Panics if they are not sorted or not of one length.
    pub fn from_columns(at: Vec<i64>, details: Vec<ArrivalDetail>) -> ArrivalHistory {
        assert!(at.is_sorted(), "arrivals are sorted");
        assert!(
            details.is_empty() || details.len() == at.len(),
            "one detail for each arrival"
        );
        let mut runs: HashSet<&str> = HashSet::new();
        let repeats = details.iter().map(|detail| {
            let run = detail.run_id.as_deref();
            run.is_some_and(|run| !runs.insert(run))
        });
        let repeats = repeats.collect();
        ArrivalHistory {
            at,
            details,
            repeats,
        }
    }

    /// The columns: times (UTC seconds, ascending), and details (empty if
    /// no arrival has any, else one each).
    pub fn columns(&self) -> (&[i64], &[ArrivalDetail]) {
        (&self.at, &self.details)
    }

    /// Times of arrival: UTC seconds, ascending.
    pub fn at(&self) -> &[i64] {
        &self.at
    }

    /// The cycle that the sender named, if any, of arrival `i`.
    pub fn named_cycle(&self, i: usize) -> Option<CycleName> {
        self.details.get(i).and_then(|detail| detail.cycle)
    }

    /// What the sender said of arrival `i`; `None` if nothing.
    pub fn detail(&self, i: usize) -> Option<&ArrivalDetail> {
        self.details.get(i).filter(|detail| !detail.is_empty())
    }

    /// Has the run of arrival `i` delivered before?
    pub(super) fn repeats_run(&self, i: usize) -> bool {
        self.repeats.get(i).is_some_and(|repeats| *repeats)
    }

    /// The number of arrivals.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Has nothing arrived yet?
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// The newest arrivals up to and including `now`: those since an instant,
    /// and at least so many.
    pub fn recent(&self, now: i64, since: i64, at_least: usize) -> ArrivalHistory {
        let n = self.at.partition_point(|&at| at <= now);
        let first = self.at[..n].partition_point(|&at| at < since);
        let range = first.min(n.saturating_sub(at_least))..n;
        let details = self.details.get(range.clone()).unwrap_or_default();
        ArrivalHistory::from_columns(self.at[range].to_vec(), details.to_vec())
    }

    /// The arrivals up to and including `now`: what could be known then.
    pub fn until(&self, now: i64) -> ArrivalHistory {
        let n = self.at.partition_point(|&at| at <= now);
        let details = &self.details[..n.min(self.details.len())];
        ArrivalHistory::from_columns(self.at[..n].to_vec(), details.to_vec())
    }
}

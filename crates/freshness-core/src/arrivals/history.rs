//! What has one dataset delivered, in order?

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
        if arrivals.iter().all(|arrival| arrival.detail.is_empty()) {
            return ArrivalHistory {
                at: arrivals.iter().map(|arrival| arrival.at).collect(),
                details: Vec::new(),
            };
        }
        let (at, details) = arrivals
            .into_iter()
            .map(|arrival| (arrival.at, arrival.detail))
            .unzip();
        ArrivalHistory { at, details }
    }

    /// From columns as [`ArrivalHistory::columns`] gave them.
    /// Panics if they are not sorted or not of one length.
    pub fn from_columns(at: Vec<i64>, details: Vec<ArrivalDetail>) -> ArrivalHistory {
        assert!(at.is_sorted(), "arrivals are sorted");
        assert!(
            details.is_empty() || details.len() == at.len(),
            "one detail for each arrival"
        );
        ArrivalHistory { at, details }
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
        ArrivalHistory {
            at: self.at[range.clone()].to_vec(),
            details: self.details.get(range).unwrap_or_default().to_vec(),
        }
    }

    /// The arrivals up to and including `now`: what could be known then.
    pub fn until(&self, now: i64) -> ArrivalHistory {
        let n = self.at.partition_point(|&at| at <= now);
        ArrivalHistory {
            at: self.at[..n].to_vec(),
            details: self.details[..n.min(self.details.len())].to_vec(),
        }
    }
}

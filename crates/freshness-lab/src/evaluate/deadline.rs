//! What does a method hold a dataset to?

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::dataset::Dataset;

use crate::truth::{DatasetTruth, Truth};

/// One dataset, what arrived of it, and what is true of it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// What is declared.
    pub dataset: &'a Dataset,
    /// What arrived.
    pub history: &'a ArrivalHistory,
    /// What is true.
    pub truth: &'a DatasetTruth,
}

/// The stretch of time that is scored. UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Cycles that begin from here on …
    pub from: i64,
    /// … and before here.
    pub to: i64,
    /// Nothing later is known: what would alert after it has not.
    pub known_until: i64,
    /// Seconds from one fit to the next; `None` for one fit at the beginning.
    pub refit: Option<i64>,
}

/// An instant at which a method alerts, unless what it waits for has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// The instant (UTC seconds).
    pub at: i64,
    /// The cycle it waits for; `None` for a rule that knows no cycles.
    pub awaited: Option<Awaited>,
    /// What came for it in the end, as the method sees it (UTC seconds).
    pub arrived_at: Option<i64>,
    /// Did it alert?
    pub raised: bool,
}

/// A cycle as a method sees it. UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Awaited {
    /// When it begins.
    pub start: i64,
    /// When the method thinks that a delivery of it usually comes.
    pub usual_at: i64,
}

impl<'a> Subject<'a> {
    /// All datasets of which the truth is known, by name.
    pub fn all(datasets: &'a [(Dataset, ArrivalHistory)], truth: &'a Truth) -> Vec<Subject<'a>> {
        let known = datasets.iter().filter_map(|(dataset, history)| {
            Some(Subject {
                dataset,
                history,
                truth: truth.datasets.get(&dataset.id)?,
            })
        });
        let mut known: Vec<Subject<'_>> = known.collect();
        // Sums of fractions depend on their order.
        known.sort_by(|a, b| a.dataset.id.cmp(&b.dataset.id));
        known
    }
}

impl Window {
    /// The stretches between two fits: when the fit is made (and the stretch
    /// begins), and when the stretch ends.
    pub fn stretches(self) -> impl Iterator<Item = (i64, i64)> {
        let step = self.refit_seconds();
        let mut next = self.from;
        std::iter::from_fn(move || {
            let from = next;
            next = from.saturating_add(step).min(self.to);
            (from < self.to).then_some((from, next))
        })
    }

    /// Seconds from one fit to the next, at least one.
    pub fn refit_seconds(self) -> i64 {
        self.refit
            .unwrap_or_else(|| self.to.saturating_sub(self.from))
            .max(1)
    }

    /// Does a cycle that begins then belong to it?
    pub fn contains(self, start: i64) -> bool {
        (self.from..self.to).contains(&start)
    }
}

impl Deadline {
    /// The deadline of a cycle of which it is known when it came.
    pub(crate) fn of_cycle(
        awaited: Awaited,
        at: i64,
        arrived_at: Option<i64>,
        known_until: i64,
    ) -> Deadline {
        Deadline {
            at,
            awaited: Some(awaited),
            arrived_at,
            raised: at <= known_until && arrived_at.is_none_or(|arrived| arrived > at),
        }
    }
}

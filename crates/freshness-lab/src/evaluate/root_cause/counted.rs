//! What is counted of incidents over a holdout, and which rates follow?

use serde::Serialize;

/// What was counted of incidents over a holdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RootCause {
    /// Late cycles for which something had gone wrong.
    pub n_late: u64,
    /// Of them, those of which the dataset it began with was seen late at all:
    /// it passed its own deadline.
    pub n_root_seen: u64,
    /// Of these, those under the dataset it began with when they were last seen.
    pub n_named: u64,
    /// Of them, those already so when they were first seen.
    pub n_named_at_once: u64,
    /// Incidents opened: each pages somebody once.
    pub n_pages: u64,
    /// Of them, those of a dataset with which something had begun.
    pub n_right_pages: u64,
    /// Of them, a suspect feed of arrivals.
    pub n_feed_pages: u64,
    /// Cycles that turned late: alerts without incidents.
    pub n_alerts: u64,
    /// Dependents of which a recovery was told, and that came.
    pub n_recoveries: u64,
    /// Of them, those that came when it was said.
    pub n_within: u64,
}

/// The rates of [`RootCause`]; `None` where nothing was counted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RootCauseRates {
    /// Of late cycles whose root was seen late, the share under that root.
    pub accuracy: Option<f64>,
    /// … when they were first seen.
    pub accuracy_at_once: Option<f64>,
    /// Share of pages of a dataset with which something had begun.
    pub precision_per_page: Option<f64>,
    /// Share of alerts that nobody has to get.
    pub suppressed: Option<f64>,
    /// Share of dependents that came when it was said.
    pub recovered_as_told: Option<f64>,
}

impl RootCause {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &RootCause) {
        let RootCause {
            n_late,
            n_root_seen,
            n_named,
            n_named_at_once,
            n_pages,
            n_right_pages,
            n_feed_pages,
            n_alerts,
            n_recoveries,
            n_within,
        } = *other;
        self.n_late += n_late;
        self.n_root_seen += n_root_seen;
        self.n_named += n_named;
        self.n_named_at_once += n_named_at_once;
        self.n_pages += n_pages;
        self.n_right_pages += n_right_pages;
        self.n_feed_pages += n_feed_pages;
        self.n_alerts += n_alerts;
        self.n_recoveries += n_recoveries;
        self.n_within += n_within;
    }

    /// As rates.
    pub fn rates(&self) -> RootCauseRates {
        let share = |n: u64, of: u64| (of > 0).then(|| n as f64 / of as f64);
        RootCauseRates {
            accuracy: share(self.n_named, self.n_root_seen),
            accuracy_at_once: share(self.n_named_at_once, self.n_root_seen),
            precision_per_page: share(self.n_right_pages, self.n_pages),
            suppressed: share(self.n_alerts.saturating_sub(self.n_pages), self.n_alerts),
            recovered_as_told: share(self.n_within, self.n_recoveries),
        }
    }
}

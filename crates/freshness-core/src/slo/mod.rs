//! What does an owner promise of a dataset, and is it kept?
//!
//! An [`Objective`] is one promise: freshness, freshness of the source,
//! availability, row count, quality. [`ServiceLevels`] holds those of a
//! dataset; a [`Run`] says what was measured of it. This floor stands below
//! the learned ones, so a promise is never judged by what is usual in arrivals.

mod baseline;
mod clocked;
mod counted;
mod history;
mod judge;
mod owed;
mod run;
mod runs;
mod service_levels;
mod verdict;

pub use baseline::{Baseline, MONTHLY_LOOKBACK_DAYS, NoBaseline, baseline, monthly};
pub use history::{Budget, DayCompliance, DayState, ObjectiveHistory, Unit, history};
pub use judge::{judge, objectives};

pub use run::{Counts, Filled, Newest, Run, Stage, USUAL_ENVIRONMENT};
pub use runs::RunHistory;
pub use service_levels::{
    About, Anomaly, AnomalyMethod, Availability, CountField, DayPromise, Freshness, Objective,
    Quality, RowCount, ServiceLevels,
};
pub use verdict::{
    BreachSeverity, Direction, Evidence, Outcome, Reason, SKEW_TOLERANCE_SECONDS, Season, Verdict,
};

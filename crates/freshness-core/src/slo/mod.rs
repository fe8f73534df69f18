//! What does an owner promise of a dataset, and is it kept?
//!
//! An [`Objective`] is one promise: freshness, freshness of the source,
//! availability, row count, quality. [`ServiceLevels`] holds those of a
//! dataset; a [`Run`] says what was measured of it. This floor stands below
//! the learned ones, so a promise is never judged by what is usual in arrivals.

mod baseline;
mod check;
mod clocked;
mod counted;
mod declaration;
mod duration;
mod history;
mod judge;
mod keys;
mod lost;
mod meaning;
mod node;
mod origins;
mod owed;
mod reach;
mod run;
mod runs;
mod service_levels;
mod since;
mod values;
mod verdict;

pub use baseline::{Baseline, MONTHLY_LOOKBACK_DAYS, NoBaseline, baseline, monthly};
pub use check::{Fault, Findings, Oddity, Problem, checked};
pub use declaration::{Declaration, Measured, Origin};
pub use duration::{DurationError, duration_seconds, duration_text};
pub use history::{BURN_DAYS, Budget, DayCompliance, DayState, ObjectiveHistory, Unit, history};
pub use judge::{judge, objectives, only_warns};
pub use keys::{CONTRACT, Holds, Key, LEVEL, SERVICE_LEVELS};
pub use lost::lost;
pub use meaning::{declaration, service_levels};
pub use node::{Content, Node, Place, Scalar};
pub use origins::origins;
pub use reach::{Reach, before_history, may_reach_further, reach};
pub use run::{Counts, Filled, Newest, Run, Stage, USUAL_ENVIRONMENT};
pub use runs::RunHistory;
pub use service_levels::{
    About, Anomaly, AnomalyMethod, Availability, CountField, DayPromise, Freshness, Objective,
    Quality, RowCount, ServiceLevels,
};
pub use since::broken_since;
pub use values::ValueError;
pub use verdict::{
    BreachSeverity, Direction, Evidence, Outcome, Reason, SKEW_TOLERANCE_SECONDS, Season, Verdict,
};

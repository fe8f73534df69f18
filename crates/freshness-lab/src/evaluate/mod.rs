//! How good are the alerts?
//!
//! Every method says of each delivery by when it waits for it, and whether it
//! alerted then. What was true decides which alerts were right. Learned
//! deadlines and the rules they replace are scored by the same few lines, over
//! the same cycles.

mod calibration;
mod compare;
mod deadline;
mod interval;
mod learned;
mod onset;
mod parallel;
mod report;
mod root_cause;
mod run;
mod score;
mod seeds;
mod sparse;
mod tally;

pub use calibration::{Calibration, Exceedance, calibrate};
pub use deadline::{Awaited, Deadline, Subject, Window};
pub use interval::{binomial_band, clopper_pearson};
pub(crate) use learned::seconds;
pub use learned::{Learned, learn};
pub use onset::{Onset, onset};
pub use parallel::in_parallel;
pub use report::{DatasetLine, Evaluation, Figures, Group, MethodScores};
pub use root_cause::{RootCause, RootCauseRates, incidents_at, root_cause};
pub use run::{EvaluateError, HOLDOUT_DAYS, Plan, Refit, evaluate, holdout};
pub(crate) use score::scored;
pub use score::{Scope, score};
pub use seeds::{ClassCounts, Spread, Spreads, over_seeds};
pub(crate) use tally::quantile;
pub use tally::{Scores, SizeScores, Tally};

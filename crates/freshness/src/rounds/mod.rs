//! In which order do the floors work together?
//!
//! The one page that wires `freshness-core` to the store. The command line and
//! the server both call it, and judge nothing themselves.

mod backtest;
mod breaches;
mod check;
pub mod collect;
mod compare;
mod console;
pub mod coverage;
mod doctor;
mod edge_lags;
mod explain;
mod figure;
mod fit;
mod incidents;
mod learning;
mod namesakes;
mod owed;
pub mod ingest;
mod measure;
mod promises;
mod pull;
mod raised;
mod share;
mod slo;
mod summary;
pub mod told;
mod trust;
mod upstream;

use std::fmt;
use std::sync::OnceLock;

use freshness_core::civil::Holidays;
use freshness_core::dataset::DatasetId;
use freshness_core::lineage::LineageError;
use freshness_store::StoreError;

pub use backtest::{Backtested, ReplayedDataset, backtest, backtest_of};
pub use breaches::PromisesCounted;
pub use check::{Checked, Doubt, Judged, check, look, not_behind};
pub use compare::{AllCompared, Compared, compare_promises};
pub use console::{Console, ModelCounts, Shown, console};
pub use doctor::{Finding, Health, MaxAges, Said, SourceHealth, doctor, open_words};
pub use explain::{Credit, Explained, cycles_between, explain};
pub use figure::{
    Figure, Height, Missing, Moved, NoFigure, Outage, Point, PointKind, Reference, Slot, Window,
    figure,
};
pub use fit::{AsOf, FitChange, FitReport, News, fit};
pub use incidents::Causes;
pub use learning::Learning;
pub use measure::{Asking, measure, measuring_sql, run_of};
pub use owed::{AllOwed, KeptPromise, Owed, owed, promises_of};
pub use promises::{DeclareError, Promised, declare};
pub use pull::{Pulled, pull};
pub use raised::{Counts, DatasetRaised, Raised, Total, WeekRaised, raised};
pub use slo::{
    Promise, Promises, SloChecked, SloDataset, SloPast, USUAL_DAYS, promises, slo_check,
    slo_history, slo_look,
};
pub use summary::{Summary, is_broken_critical, is_overdue, is_unjudged_critical};
pub use trust::{Trusted, trust, trust_of};

/// Why a round could not do its work for anything at all. What concerns one
/// dataset only is part of the round's result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RoundError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the stored lineage cannot be used: {0}")]
    Lineage(#[from] LineageError),
    #[error("no datasets in the store: {0}")]
    EmptyInventory(String),
    #[error("no contracts in the store: {0}")]
    NoContracts(String),
    #[error("no dashboards in the store: {0}")]
    NoDashboards(String),
    #[error("no promises in the store: {0}")]
    NoPromises(String),
    #[error("the clock is behind the last look at the promises: now is {now}, that judged {last}")]
    SloClockBehind {
        now: jiff::Timestamp,
        last: jiff::Timestamp,
    },
    #[error("no models: nothing has been fitted yet")]
    NoModels,
    #[error("nothing can be judged: no models, and no run tells whether a promise is kept")]
    NothingTold,
    #[error("none of the models can be read: {0}")]
    NoReadableModels(String),
    #[error("nothing had arrived by {as_of}: there is nothing to learn from")]
    NothingArrived { as_of: jiff::Timestamp },
    #[error("a fit as of {as_of} would replace newer models: the newest are of {newest}")]
    Backdated {
        as_of: jiff::Timestamp,
        newest: jiff::Timestamp,
    },
    #[error(
        "a fit as of {as_of} lies in the future: its models would make nothing late until then"
    )]
    FitAhead { as_of: jiff::Timestamp },
    #[error("the clock is behind the last check: now is {now}, the last check judged {last}")]
    ClockBehind {
        now: jiff::Timestamp,
        last: jiff::Timestamp,
    },
}

/// What went wrong with one dataset; the others went on.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DatasetFailure {
    /// Whose.
    pub dataset_id: DatasetId,
    /// What, in words.
    pub error: String,
}

impl RoundError {
    /// What helps, if it is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RoundError::Store(StoreError::ReadOnly { .. }) => Some(
                "`freshness status` needs no right to write; else make the file and its folder writable",
            ),
            RoundError::Store(error) => error.hint(),
            RoundError::Lineage(_) => {
                Some("import the whole lineage again: `freshness import lineage --replace FILE`")
            }
            RoundError::NoContracts(_) => {
                Some("import what must be covered: `freshness coverage contracts import FILE`")
            }
            RoundError::NoDashboards(_) => Some("import them: `freshness import dashboards FILE`"),
            RoundError::EmptyInventory(_) => {
                Some("import what has arrived: `freshness import arrivals FILE`")
            }
            RoundError::NothingArrived { .. } => {
                Some("is the clock right? `freshness doctor` says when the newest arrival was")
            }
            RoundError::Backdated { .. } => {
                Some("set the clock right or give a later --now; --any-time says that it is meant")
            }
            RoundError::FitAhead { .. } => {
                Some("give an earlier --now; --any-time says that it is meant")
            }
            RoundError::NoPromises(_) => {
                Some("declare service levels and import them: `freshness import slo DIR`")
            }
            RoundError::SloClockBehind { .. } => Some(
                "set the clock right; to look back use `freshness slo history --now`, which records nothing",
            ),
            RoundError::NoModels => Some("run `freshness fit` first"),
            RoundError::NothingTold => Some(
                "import what ran, `freshness import runs FILE`, or measure it, `freshness slo measure`",
            ),
            RoundError::NoReadableModels(_) => Some("run `freshness fit`"),
            RoundError::ClockBehind { .. } => Some(
                "set the clock right; to look back use `freshness status --now`, which records nothing",
            ),
        }
    }
}

impl fmt::Display for DatasetFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.dataset_id, self.error)
    }
}

/// Set once, before anything is judged, and the same for all that is.
static HOLIDAYS: OnceLock<Holidays> = OnceLock::new();

/// Says which holidays calendars may name, unless it was said before.
pub fn know_holidays(known: Holidays) {
    let _ = HOLIDAYS.set(known);
}

/// The public holidays that calendars may name, the user's own lists first.
pub(crate) fn holidays() -> Holidays {
    HOLIDAYS.get().cloned().unwrap_or_else(Holidays::builtin)
}

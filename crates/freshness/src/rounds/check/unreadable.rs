//! What can be said of a dataset of which something cannot be read?

use freshness_core::dataset::Dataset;
use freshness_core::state::{DatasetState, State};
use freshness_store::{DatasetEntry, StoreError};

use super::super::DatasetFailure;
use super::{Judged, JudgedOne, NO_MODEL};

/// Is one dataset's record wrong, rather than the store?
pub(super) fn is_of_one_dataset(error: &StoreError) -> bool {
    match error {
        StoreError::BadChunk { .. }
        | StoreError::BadDeclaration { .. }
        | StoreError::BadPromise { .. }
        | StoreError::BadModel { .. }
        | StoreError::ModelVersion { .. }
        | StoreError::TimeOutOfRange { .. } => true,
        StoreError::Missing { .. }
        | StoreError::CannotOpen { .. }
        | StoreError::NotAStore { .. }
        | StoreError::Damaged { .. }
        | StoreError::Newer { .. }
        | StoreError::Older { .. }
        | StoreError::DeclaredTwice { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Locked { .. }
        | StoreError::DiskFull { .. }
        | StoreError::NoRoomToRead { .. }
        | StoreError::Disk { .. }
        | StoreError::Unexpected { .. } => false,
    }
}

/// A dataset of which something cannot be read, and why.
pub(super) fn unreadable(entry: &DatasetEntry, dataset: Dataset, error: &StoreError) -> JudgedOne {
    let failure = DatasetFailure {
        dataset_id: entry.id.clone(),
        error: error.to_string(),
    };
    let state = DatasetState {
        dataset_id: entry.id.clone(),
        state: State::NotEvaluated,
        severity: None,
        model_status: NO_MODEL,
        last_arrival: None,
        current: None,
        late_seconds: None,
        excused: None,
        n_overdue: 0,
        newest_overdue: None,
        reason: failure.error.clone(),
    };
    let judged = Judged {
        no: entry.no,
        dataset,
        state,
        upstream: Vec::new(),
        as_upstream: None,
        odds: None,
        period_seconds: None,
        breach: None,
        is_promised: false,
    };
    (judged, Some(failure))
}

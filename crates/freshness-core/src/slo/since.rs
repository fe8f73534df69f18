//! Since when is a promise broken?
//!
//! Not since somebody looked: an age passes its threshold and a deadline its hour
//! whether anybody looks or not, and what is counted is broken by the run that
//! brought it.

use jiff::Timestamp;

use super::owed::Owed;
use super::service_levels::{Objective, ServiceLevels};
use super::verdict::{Outcome, Verdict};
use crate::civil::Holidays;

/// The instant at which the promise of a breach broke, UTC seconds, by the data
/// that was judged at `now`: when its age reached the threshold (on a calendar by
/// the time that counts), when it was owed, or when the run was over that brought
/// it. `None` of what is no breach, or does not say.
pub fn broken_since(
    levels: &ServiceLevels,
    verdict: &Verdict,
    holidays: &Holidays,
    now: i64,
) -> Option<i64> {
    let Outcome::Breached { because, .. } = &verdict.outcome else {
        return None;
    };
    let evidence = &verdict.evidence;
    let ran = || evidence.run_at.map(Timestamp::as_second);
    match verdict.objective {
        Objective::Freshness | Objective::SourceFreshness if because.is_none() => {
            let newest = evidence.newest?.as_second();
            let owed = Owed::new(levels.freshness.as_ref()?, holidays);
            let passed = owed.passes(newest, evidence.threshold_seconds?, newest, now)?;
            // At just its threshold an age still holds.
            Some((passed - 1).max(newest))
        }
        // All of it is null, or of a time that has not come.
        Objective::Freshness | Objective::SourceFreshness => ran(),
        Objective::Deadline => evidence.due_at.map(Timestamp::as_second),
        Objective::Availability
        | Objective::RowCount
        | Objective::RowCountAnomaly
        | Objective::Quality => ran(),
    }
}

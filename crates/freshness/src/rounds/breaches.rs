//! Which datasets break a promise, as the last looks at the promises found?

use std::collections::BTreeMap;

use freshness_core::incidents::Breach;
use freshness_core::slo::{BreachSeverity, USUAL_ENVIRONMENT, lost};
use freshness_core::state::Severity;
use freshness_store::{DatasetNo, Store, StoreError};
use jiff::Timestamp;

/// What stands at an instant; of what began after it nobody knew. Arrivals are
/// those of production, so where anything runs in `prod` only promises there
/// count: what is broken in a test is no incident.
pub(super) fn breaches(
    store: &Store,
    now: Timestamp,
) -> Result<BTreeMap<DatasetNo, Breach>, StoreError> {
    let is_known = store.environment_no(USUAL_ENVIRONMENT)?.is_some();
    let mut breaches: BTreeMap<DatasetNo, Breach> = BTreeMap::new();
    for standing in store.standing_breaches()? {
        let is_elsewhere = is_known && standing.environment != USUAL_ENVIRONMENT;
        let Some(severity) = standing.verdict.outcome.severity() else {
            continue;
        };
        if is_elsewhere || standing.since > now {
            continue;
        }
        let severity = match severity {
            BreachSeverity::Advisory => Severity::Advisory,
            BreachSeverity::Warning => Severity::Warning,
            BreachSeverity::Critical => Severity::Critical,
        };
        // What only warns takes nothing away.
        let lost = match severity {
            Severity::Advisory => 0.0,
            Severity::Warning | Severity::Critical => lost(&standing.verdict),
        };
        let objective = standing.verdict.objective;
        let since = standing.since.as_second();
        let breach = breaches.entry(standing.no).or_insert_with(|| Breach {
            since,
            severity,
            objectives: Vec::new(),
            lost,
        });
        breach.since = breach.since.min(since);
        breach.severity = breach.severity.max(severity);
        breach.lost = breach.lost.max(lost);
        if !breach.objectives.contains(&objective) {
            breach.objectives.push(objective);
        }
    }
    for breach in breaches.values_mut() {
        breach.objectives.sort_unstable();
    }
    Ok(breaches)
}

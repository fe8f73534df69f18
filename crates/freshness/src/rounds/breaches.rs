//! Which datasets break a promise, as the last looks at the promises found?

use std::collections::BTreeMap;

use freshness_core::coverage::{Condition, ContractRow, ScopeKey, ScopeState, by_dataset};
use freshness_core::incidents::{Breach, Broken};
use freshness_core::slo::{BreachSeverity, USUAL_ENVIRONMENT, lost};
use freshness_core::state::Severity;
use freshness_store::{DatasetNo, Store};
use jiff::Timestamp;

use super::{RoundError, coverage};

/// What stands at an instant; of what began after it nobody knew. Arrivals are
/// those of production, so where anything runs in `prod` only promises there
/// count: what is broken in a test is no incident.
pub(super) fn breaches(
    store: &Store,
    now: Timestamp,
) -> Result<BTreeMap<DatasetNo, Breach>, RoundError> {
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
            broken: Vec::new(),
            lost,
        });
        breach.since = breach.since.min(since);
        breach.severity = breach.severity.max(severity);
        breach.lost = breach.lost.max(lost);
        let broken = Broken::Level(objective);
        if !breach.broken.contains(&broken) {
            breach.broken.push(broken);
        }
    }
    add_scopes(store, now, &mut breaches)?;
    for breach in breaches.values_mut() {
        breach.broken.sort_unstable();
    }
    Ok(breaches)
}

/// Scopes that are not covered as their contracts ask, under the datasets that
/// they feed. A dataset loses the share of its scopes.
fn add_scopes(
    store: &Store,
    now: Timestamp,
    breaches: &mut BTreeMap<DatasetNo, Breach>,
) -> Result<(), RoundError> {
    let covered = match coverage::look(store, now) {
        Ok(covered) => covered,
        Err(RoundError::NoContracts(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    for fed in by_dataset(&covered.scopes) {
        let Some(no) = store.dataset_no(fed.name)? else {
            continue;
        };
        let lost = fed.behind.len() as f64 / fed.n_scopes as f64;
        for state in fed.behind {
            let ContractRow { source, scope, .. } = &state.contract;
            let Ok(key) = ScopeKey::new(source, scope) else {
                continue;
            };
            let since = since(state, now);
            let breach = breaches.entry(no).or_insert_with(|| Breach {
                since,
                severity: Severity::Warning,
                broken: Vec::new(),
                lost,
            });
            breach.since = breach.since.min(since);
            breach.severity = breach.severity.max(Severity::Warning);
            breach.lost = breach.lost.max(lost);
            let broken = Broken::Scope(key.dataset_id());
            if !breach.broken.contains(&broken) {
                breach.broken.push(broken);
            }
        }
    }
    Ok(())
}

/// When the limit was reached that a scope exceeds, if all time counted; of
/// what has no such instant, now.
fn since(state: &ScopeState, now: Timestamp) -> i64 {
    let now = now.as_second();
    let newest = state.newest.as_ref();
    let after = |at: Option<i64>, minutes: Option<i64>| {
        Some(at?.saturating_add(minutes?.saturating_mul(60)))
    };
    let limit = match state.condition {
        Condition::SourceStale => after(
            newest.and_then(|newest| newest.complete_through),
            state.contract.max_source_lag_minutes,
        ),
        Condition::PublicationGap => after(
            newest.and_then(|newest| newest.reached_at.or(newest.published_at)),
            state.contract.max_publication_gap_minutes,
        ),
        Condition::InvalidContract
        | Condition::MissingPublication
        | Condition::InvalidPublication
        | Condition::InvalidClockOrder
        | Condition::Healthy => None,
    };
    limit.map_or(now, |limit| limit.clamp(0, now.max(0)))
}

//! When was what is declared last looked at: promises, and coverage?

use freshness_store::{OpenRun, Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::{Finding, Health, some};
use crate::outputs::words;
use crate::rounds::coverage;

/// Nothing where nothing is promised. Of several environments the one that was
/// checked longest ago tells.
pub(super) fn last_slo_check(
    store: &Store,
    now: Timestamp,
    max_age: SignedDuration,
) -> Result<Option<Finding>, StoreError> {
    let mut last = Vec::new();
    for environment in store.environments_declared()? {
        let check = store.last_slo_check(&environment)?;
        last.push((check.map(|check| check.now), environment));
    }
    let Some((oldest, environment)) = last.into_iter().min() else {
        return Ok(None);
    };
    let problem = |finding: String| Ok(Some(Finding::new("slo", Health::Problem, finding)));
    let Some(at) = oldest else {
        return problem(format!(
            "promises in {environment} were never checked; run `freshness slo check` as often as you want to know"
        ));
    };
    let age = now.duration_since(at);
    let told = format!(
        "{} ({} ago)",
        words::utc(at),
        words::duration(age.as_secs())
    );
    if age.is_negative() {
        problem(format!(
            "the clock is behind the last check of promises in {environment}: now is {}, that judged {}",
            words::utc(now),
            words::utc(at)
        ))
    } else if age > max_age {
        problem(format!(
            "the last check of promises in {environment} is old: {told}; run `freshness slo check` at least every {}",
            words::duration(max_age.as_secs())
        ))
    } else {
        Ok(Some(Finding::new("slo", Health::Ok, told)))
    }
}

/// Nothing where there is nothing to cover.
pub(super) fn last_coverage_check(
    store: &Store,
    now: Timestamp,
    max_age: SignedDuration,
) -> Result<Option<Finding>, StoreError> {
    let (n_contracts, last) = (store.n_contracts()?, store.last_coverage_check()?);
    let problem = |finding: String| Some(Finding::new("coverage", Health::Problem, finding));
    let Some(check) = last else {
        let never = "never checked; run `freshness coverage check` as often as you want to know";
        return Ok(match n_contracts {
            0 => None,
            _ => problem(never.to_owned()),
        });
    };
    let age = now.duration_since(check.now);
    let at = format!(
        "{} ({} ago)",
        words::utc(check.now),
        words::duration(age.as_secs())
    );
    Ok(if age.is_negative() {
        problem(format!(
            "the clock is behind the last check: now is {}, the last check judged {}",
            words::utc(now),
            words::utc(check.now)
        ))
    } else if n_contracts == 0 {
        problem("no contracts: nothing is known to be missing".to_owned())
    } else if age > max_age {
        problem(format!(
            "the last check is old: {at}; run `freshness coverage check` at least every {}",
            words::duration(max_age.as_secs())
        ))
    } else {
        let gaps = match check.n_gaps {
            0 => String::new(),
            n => format!(
                ", {} in only one of inventory and contracts",
                words::count(n, "scope")
            ),
        };
        let finding = format!(
            "{at}: {} of {} not covered{gaps}",
            words::thousands(check.n_unhealthy),
            words::count(check.n_contracts, "contract")
        );
        Some(Finding::new("coverage", Health::Ok, finding))
    })
}

/// Runs that were begun so long ago that whoever began them has died.
pub(super) fn old_runs(
    store: &Store,
    now: Timestamp,
    max_age: SignedDuration,
) -> Result<Option<Finding>, StoreError> {
    let open = store.open_runs()?;
    let old: Vec<String> = coverage::old(&open, now, max_age)
        .map(|run| open_words(run, now))
        .collect();
    if old.is_empty() {
        return Ok(None);
    }
    let finding = format!(
        "{} open for longer than {}: {}; settle what is open: `freshness coverage reconcile`",
        words::count(old.len() as u64, "run"),
        words::duration(max_age.as_secs()),
        some(old.iter().map(String::as_str))
    );
    Ok(Some(Finding::new("coverage", Health::Problem, finding)))
}

/// `orders / FR, run load-17 (26 h 0 min)`: a run, and how long it is open.
pub fn open_words(run: &OpenRun, now: Timestamp) -> String {
    let open_for = now.duration_since(run.begun_at).as_secs();
    format!(
        "{} / {}, run {} ({})",
        words::printable(&run.plan.source),
        words::printable(&run.plan.scope),
        words::printable(&run.plan.run_id),
        words::duration(open_for.max(0))
    )
}

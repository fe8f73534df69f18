//! How does one promise stand, and how many runs are read for that?

use std::collections::BTreeMap;

use freshness_core::civil::{DAY, Holidays};
use freshness_core::schedule::TimeOff;
use freshness_core::slo::{
    BURN_DAYS, MONTHLY_LOOKBACK_DAYS, Reach, Run, RunHistory, USUAL_ENVIRONMENT, Verdict,
    before_history, broken_since, judge, may_reach_further, reach,
};
use freshness_store::{EnvironmentNo, Store, StoreError, Tail};

use super::{Promise, USUAL_DAYS};

/// The numbers of environments in the store, by name.
pub(super) type Numbers = BTreeMap<String, EnvironmentNo>;

/// Older runs are looked at where they may matter: so many, or as far as earlier
/// months are.
const FAR: Reach = Reach {
    runs: 2_000,
    seconds: (MONTHLY_LOOKBACK_DAYS + 1) * DAY,
    since: i64::MAX,
};

impl Promise {
    /// Which time is unlike other time.
    pub(super) fn time<'a>(&'a self, holidays: &'a Holidays) -> TimeOff<'a> {
        TimeOff {
            holidays,
            maintenance: &self.maintenance,
        }
    }
}

/// What has to be known to say how promises were kept on so many days, and since
/// when they are broken.
pub(super) fn past_reach(promise: &Promise, holidays: &Holidays, n_days: u16, now: i64) -> Reach {
    let levels = &promise.levels;
    let n_days = n_days.max(BURN_DAYS);
    Reach {
        since: now - i64::from(n_days) * DAY - before_history(levels),
        ..reach(levels, promise.time(holidays), now)
    }
}

/// What was said of a dataset.
pub(super) struct Said {
    pub(super) run_id: Option<String>,
    pub(super) verdicts: Vec<Verdict>,
    pub(super) broken_since: Vec<Option<i64>>,
}

/// Judges what is promised of one dataset.
pub(super) fn judge_one(
    store: &Store,
    promise: &Promise,
    environments: &Numbers,
    holidays: &Holidays,
    now: i64,
) -> Result<Said, StoreError> {
    let levels = &promise.levels;
    let time = promise.time(holidays);
    let near = reach(levels, time, now);
    let (mut history, mut is_whole) = runs(store, promise, environments, now, near)?;
    let mut verdicts = judge(levels, &history, time, now);
    if !is_whole && verdicts.iter().any(may_reach_further) {
        let far = Reach {
            since: near.since,
            ..FAR
        };
        (history, is_whole) = runs(store, promise, environments, now, far)?;
        verdicts = judge(levels, &history, time, now);
    }
    let since = |history: &RunHistory| -> Vec<Option<i64>> {
        let since = |verdict: &Verdict| {
            let is_breach = verdict.outcome.is_breach();
            let since = || broken_since(levels, history, time, verdict.objective, now);
            is_breach.then(since).flatten()
        };
        verdicts.iter().map(since).collect()
    };
    let mut broken_since = since(&history);
    // As far back as is known it was broken: what was before?
    let oldest = history.runs().first().map(|run| run.finished_at);
    let is_open = |since: &Option<i64>| since.is_some() && *since <= oldest;
    if !is_whole && broken_since.iter().any(is_open) {
        let past = past_reach(promise, holidays, USUAL_DAYS, now);
        broken_since = since(&runs(store, promise, environments, now, past)?.0);
    }
    let run_id = history.runs().last().map(|run: &Run| run.run_id.clone());
    Ok(Said {
        run_id,
        verdicts,
        broken_since,
    })
}

/// The newest runs of a dataset, and whether these are all. Where nothing was
/// ever measured of it, its arrivals are what ran in the usual environment.
pub(super) fn runs(
    store: &Store,
    promise: &Promise,
    environments: &Numbers,
    now: i64,
    reach: Reach,
) -> Result<(RunHistory, bool), StoreError> {
    let name = promise.environment.as_str();
    if let Some(environment) = environments.get(name) {
        let tail = store.recent_runs(promise.no, (*environment, name), now, reach)?;
        if !tail.runs.is_empty() {
            return Ok((RunHistory::new(name, tail.runs), tail.is_whole));
        }
    }
    if name != USUAL_ENVIRONMENT || store.has_runs(promise.no)? {
        return Ok((RunHistory::new(name, []), true));
    }
    let tail = Tail {
        at_least: reach.runs,
        since: reach.since.min(now - reach.seconds),
    };
    let arrivals = store.recent(promise.no, tail)?.until(now);
    let is_whole = arrivals.len() < tail.at_least;
    Ok((RunHistory::of_arrivals(name, &arrivals), is_whole))
}

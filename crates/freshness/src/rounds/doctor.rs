//! Is the monitor itself healthy?
//!
//! A monitor that is not fed, not fitted or not run reports nothing late, and
//! looks like a warehouse in which nothing is.

mod collected;
mod named;
mod steps;
mod watched;

pub use self::collected::SourceHealth;
pub use self::watched::open_words;

use std::path::Path;

use freshness_core::coverage::ScopeKey;
use freshness_core::dataset::DatasetId;
use freshness_core::fit::Model;
use freshness_store::{Access, DatasetEntry, Store, StoreError, Tail};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use self::watched::{last_coverage_check, last_slo_check, old_runs};
use crate::clock::CLOCK_SLACK;
use crate::config::{CoverageSettings, DatasetRules, MaintenanceRules, ScheduleSettings};
use crate::outputs::words;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at: one word.
    pub part: &'static str,
    /// How it is.
    pub health: Health,
    /// One sentence.
    pub finding: String,
}

/// How a part of the monitor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Ok,
    /// Worth a look; the answers still hold.
    Warning,
    /// The answers are wrong or missing.
    Problem,
    /// It could not be told.
    Unknown,
}

/// How old what is done again and again may be.
#[derive(Debug, Clone, Copy)]
pub struct MaxAges {
    /// Models, and the newest arrival.
    pub models: SignedDuration,
    /// Checks of coverage, and runs that are open.
    pub coverage: CoverageSettings,
    /// Checks of promises.
    pub slo: SignedDuration,
    /// The last time that a source was read.
    pub collected: SignedDuration,
}

/// What the configuration says of datasets, and of what is done with them.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// By pattern and by team.
    pub rules: &'a DatasetRules,
    /// When nothing is expected of them.
    pub maintenance: &'a MaintenanceRules,
    /// When the steps of `freshness run` are due.
    pub schedule: &'a ScheduleSettings,
}

/// Looks at the store and what has been done with it; `names` are the configured
/// sources, `said` what the configuration says of datasets.
pub fn doctor(
    path: &Path,
    names: &[String],
    said: Said<'_>,
    now: Timestamp,
    ages: MaxAges,
) -> (Vec<Finding>, Vec<SourceHealth>) {
    let MaxAges {
        models: max_age,
        coverage,
        slo: max_slo_age,
        collected: max_collected_age,
    } = ages;
    let mut findings = Vec::new();
    let mut sources = Vec::new();
    let looked = Store::open(path, Access::ReadOnly).and_then(|store| {
        store.at_one_instant(|store| {
            examine(store, said, now, max_age, &mut findings)?;
            findings.extend(steps::steps(store, said.schedule, now)?);
            findings.extend(last_slo_check(store, now, max_slo_age)?);
            let CoverageSettings {
                max_check_age,
                max_open_age,
            } = coverage;
            findings.extend(last_coverage_check(store, now, max_check_age)?);
            findings.extend(old_runs(store, now, max_open_age)?);
            sources = collected::sources(store, names, now, max_collected_age)?;
            findings.extend(sources.iter().map(|source| source.finding(now)));
            Ok::<_, StoreError>(())
        })
    });
    if let Err(error) = looked {
        let remedy = error.hint().map(|hint| format!("; {hint}"));
        let finding = format!("{error}{}", remedy.unwrap_or_default());
        findings.push(Finding::new("store", Health::Unknown, finding));
    }
    (findings, sources)
}

fn examine(
    store: &Store,
    said: Said<'_>,
    now: Timestamp,
    max_age: SignedDuration,
    findings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let entries = store.datasets()?;
    findings.push(integrity(store)?);
    findings.extend(arrivals(store, &entries, now, max_age)?);
    findings.extend(gone(store)?);
    findings.extend(named::named(store, &entries, now, said)?);
    findings.push(models(store, &entries, now)?);
    findings.push(last_fit(store, now, max_age)?);
    findings.push(last_check(store, now)?);
    Ok(())
}

fn integrity(store: &Store) -> Result<Finding, StoreError> {
    let integrity = store.integrity()?;
    if !integrity.problems.is_empty() {
        let n = integrity.problems.len() as u64;
        let finding = format!(
            "{} with {}: {}",
            words::count(n, "problem"),
            store.path().display(),
            some(integrity.problems.iter().map(String::as_str))
        );
        return Ok(Finding::new("store", Health::Problem, finding));
    }
    let dashboards = match integrity.n_dashboards {
        0 => String::new(),
        n => format!(", {}", words::count(n, "dashboard")),
    };
    let finding = format!(
        "{} is sound: {}, {}{dashboards}, {} bytes (format {}, SQLite {}, {})",
        store.path().display(),
        words::count(integrity.n_datasets, "dataset"),
        words::count(integrity.n_arrivals, "arrival"),
        words::thousands(integrity.bytes),
        integrity.schema_version,
        integrity.sqlite_version,
        integrity.journal_mode,
    );
    Ok(Finding::new("store", Health::Ok, finding))
}

fn arrivals(
    store: &Store,
    entries: &[DatasetEntry],
    now: Timestamp,
    max_age: SignedDuration,
) -> Result<Vec<Finding>, StoreError> {
    if entries.is_empty() {
        let finding = "no datasets; import what has arrived: `freshness import arrivals FILE`";
        return Ok(vec![Finding::new("arrivals", Health::Problem, finding)]);
    }
    let mut findings = Vec::new();
    let (mut newest, mut silent, mut ahead) = (None, Vec::new(), Vec::new());
    let last = Tail {
        at_least: 1,
        since: now.as_second(),
    };
    // Releases tell nothing of whether arrivals are still imported.
    let is_release = |entry: &&DatasetEntry| ScopeKey::of_dataset(&entry.id).is_some();
    let n_of_releases = entries.iter().filter(is_release).count();
    for entry in entries.iter().filter(|entry| !is_release(entry)) {
        // What cannot be read is a problem of the store, and reported as one.
        let Ok(history) = store.recent(entry.no, last) else {
            continue;
        };
        let at = history.at();
        let n_known = at.partition_point(|&at| at <= now.as_second());
        match n_known {
            0 if at.is_empty() => silent.push(&entry.id),
            0 => {}
            n => newest = newest.max(Some(at[n - 1])),
        }
        if n_known < at.len() {
            ahead.push(&entry.id);
        }
    }
    findings.push(match newest {
        None if n_of_releases > 0 => {
            let finding = "nothing has ever arrived besides releases of coverage";
            Finding::new("arrivals", Health::Warning, finding)
        }
        None => Finding::new("arrivals", Health::Problem, "nothing has ever arrived"),
        Some(newest) => {
            let age = now.as_second() - newest;
            let ago = words::duration(age);
            match age > max_age.as_secs() {
                true => Finding::new(
                    "arrivals",
                    Health::Warning,
                    format!("nothing has arrived for {ago}; are arrivals still imported?"),
                ),
                false => Finding::new("arrivals", Health::Ok, format!("the newest is {ago} old")),
            }
        }
    });
    if !silent.is_empty() {
        let finding = format!(
            "{} never delivered: {}",
            words::count(silent.len() as u64, "dataset"),
            some(silent.into_iter().map(DatasetId::as_str))
        );
        findings.push(Finding::new("arrivals", Health::Warning, finding));
    }
    if !ahead.is_empty() {
        let finding = format!(
            "{} with arrivals in the future: {}; they count when their time comes",
            words::count(ahead.len() as u64, "dataset"),
            some(ahead.into_iter().map(DatasetId::as_str))
        );
        findings.push(Finding::new("arrivals", Health::Warning, finding));
    }
    Ok(findings)
}

/// Datasets that their tool no longer has.
fn gone(store: &Store) -> Result<Option<Finding>, StoreError> {
    let gone = store.gone_datasets()?;
    let finding = || {
        let n = words::count(gone.len() as u64, "dataset");
        let named = some(gone.iter().map(DatasetId::as_str));
        let finding = format!("{n} not judged any more, because no tool has them now: {named}");
        Finding::new("datasets", Health::Ok, finding)
    };
    Ok((!gone.is_empty()).then(finding))
}

fn models(store: &Store, entries: &[DatasetEntry], now: Timestamp) -> Result<Finding, StoreError> {
    let rows = store.model_rows()?;
    if rows.is_empty() {
        return Ok(Finding::new(
            "models",
            Health::Problem,
            "none; run `freshness fit`",
        ));
    }
    let other_version: Vec<&str> = rows
        .iter()
        .filter(|row| row.version != Model::VERSION)
        .map(|row| row.dataset.as_str())
        .collect();
    if !other_version.is_empty() {
        let finding = format!(
            "{} of another version of freshness: {}; run `freshness fit`",
            words::count(other_version.len() as u64, "model"),
            some(other_version.into_iter())
        );
        return Ok(Finding::new("models", Health::Problem, finding));
    }
    let ahead: Vec<&str> = rows
        .iter()
        .filter(|row| row.as_of.duration_since(now) > CLOCK_SLACK)
        .map(|row| row.dataset.as_str())
        .collect();
    if !ahead.is_empty() {
        let finding = format!(
            "{} from the future: {}; if the clock is right now, run `freshness fit --any-time`",
            words::count(ahead.len() as u64, "model"),
            some(ahead.into_iter())
        );
        return Ok(Finding::new("models", Health::Problem, finding));
    }
    let without: Vec<&str> = entries
        .iter()
        .filter(|entry| rows.binary_search_by_key(&entry.no, |row| row.no).is_err())
        .map(|entry| entry.id.as_str())
        .collect();
    if !without.is_empty() {
        let finding = format!(
            "{} without one: {}; run `freshness fit`",
            words::count(without.len() as u64, "dataset"),
            some(without.into_iter())
        );
        return Ok(Finding::new("models", Health::Warning, finding));
    }
    let n_of = |status: &str| {
        let n = rows.iter().filter(|row| row.status == status).count();
        words::thousands(n as u64)
    };
    let finding = format!(
        "{} learned, {} provisional, {} irregular, {} with too little history",
        n_of("learned"),
        n_of("provisional"),
        n_of("irregular"),
        n_of("cold_start")
    );
    Ok(Finding::new("models", Health::Ok, finding))
}

fn last_fit(store: &Store, now: Timestamp, max_age: SignedDuration) -> Result<Finding, StoreError> {
    let Some(run) = store.last_fit()? else {
        return Ok(Finding::new(
            "fit",
            Health::Problem,
            "never; run `freshness fit`",
        ));
    };
    let age = now.duration_since(run.as_of);
    let at = format!(
        "{} ({} ago)",
        words::utc(run.as_of),
        words::duration(age.as_secs())
    );
    Ok(if age.is_negative() {
        let at = words::utc(run.as_of);
        Finding::new(
            "fit",
            Health::Problem,
            format!("the last one is in the future: {at}"),
        )
    } else if age > max_age {
        let finding = format!("the last one is old: {at}; run `freshness fit` every day");
        Finding::new("fit", Health::Problem, finding)
    } else if run.n_failed > 0 {
        let finding = format!(
            "{at}; {} could not be fitted: see `freshness fit`",
            words::count(run.n_failed, "dataset")
        );
        Finding::new("fit", Health::Warning, finding)
    } else {
        Finding::new("fit", Health::Ok, at)
    })
}

fn last_check(store: &Store, now: Timestamp) -> Result<Finding, StoreError> {
    let Some(check) = store.last_check()? else {
        let finding = "never; run `freshness check` as often as you want to know";
        return Ok(Finding::new("check", Health::Warning, finding));
    };
    let at = words::utc(check.now);
    if check.now > now {
        let finding = format!(
            "the clock is behind the last check: now is {}, the last check judged {at}",
            words::utc(now)
        );
        return Ok(Finding::new("check", Health::Problem, finding));
    }
    let ago = words::duration(now.as_second() - check.now.as_second());
    let finding = format!(
        "{at} ({ago} ago): {} late, {} critical",
        words::thousands(check.n_late),
        words::thousands(check.n_critical)
    );
    Ok(Finding::new("check", Health::Ok, finding))
}

/// The first few of many.
fn some<'a>(all: impl ExactSizeIterator<Item = &'a str>) -> String {
    const NAMED: usize = 5;
    let n_more = all.len().saturating_sub(NAMED);
    let named: Vec<&str> = all.take(NAMED).collect();
    match n_more {
        0 => named.join(", "),
        n => format!(
            "{} and {} more",
            named.join(", "),
            words::thousands(n as u64)
        ),
    }
}

impl Finding {
    /// A finding.
    pub fn new(part: &'static str, health: Health, finding: impl Into<String>) -> Finding {
        Finding {
            part,
            health,
            finding: finding.into(),
        }
    }
}

//! Does `freshness.yaml` name datasets and teams that there are?
//!
//! A pattern with a slip in it matches nothing, and what it says holds for nothing:
//! a dataset that was to be critical is not.

use std::collections::BTreeSet;

use freshness_core::civil::DAY;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_store::{DatasetEntry, Store, StoreError};

use jiff::Timestamp;

use super::{Finding, Health, Said, some};
use crate::hint::did_you_mean;
use crate::outputs::words;

/// Nobody works on something for longer without a dataset to come: seconds.
const ENDLESS: i64 = 31 * DAY;

/// Patterns and windows that match no dataset, teams that are not declared, and declared teams
/// that nothing is of; datasets whose maintenance is as good as never over. Nothing is
/// said of patterns while there are no datasets.
pub(super) fn named(
    store: &Store,
    entries: &[DatasetEntry],
    now: Timestamp,
    Said {
        rules,
        maintenance,
        schedule: _,
    }: Said<'_>,
) -> Result<Vec<Finding>, StoreError> {
    if (rules.is_empty() && maintenance.is_empty()) || entries.is_empty() {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    let mut warn = |finding: String| {
        findings.push(Finding::new("config", Health::Warning, finding));
    };
    let gone = store.gone_datasets()?;
    let known: Vec<&str> = (entries.iter().map(|entry| &entry.id))
        .chain(&gone)
        .map(DatasetId::as_str)
        .collect();
    let idle: Vec<String> = (rules.idle(&known).into_iter())
        .map(|pattern| words_of(pattern, &known))
        .collect();
    if !idle.is_empty() {
        let n = words::count(idle.len() as u64, "pattern");
        let verb = if idle.len() == 1 { "matches" } else { "match" };
        let idle = some(idle.iter().map(String::as_str));
        warn(format!("{n} of `datasets` {verb} no dataset: {idle}"));
    }
    let datasets: Vec<&Dataset> = (entries.iter())
        .filter_map(|entry| entry.declared.as_ref().ok())
        .collect();
    let idle: Vec<&str> = maintenance.idle(&datasets).collect();
    if !idle.is_empty() {
        let n = words::count(idle.len() as u64, "window");
        let verb = if idle.len() == 1 { "is" } else { "are" };
        let idle = some(idle.into_iter());
        warn(format!("{n} of `maintenance` {verb} of no dataset: {idle}"));
    }
    let now = now.as_second();
    let endless: Vec<&str> = (datasets.iter())
        .filter(|dataset| {
            let windows = maintenance.over((**dataset).clone()).maintenance;
            windows.counted(now, now) > now + ENDLESS
        })
        .map(|dataset| dataset.id.as_str())
        .collect();
    if !endless.is_empty() {
        let n = words::count(endless.len() as u64, "dataset");
        let endless = some(endless.into_iter());
        warn(format!(
            "maintenance of {n} is not over within a month, and until then none is late: {endless}"
        ));
    }
    let declared: Vec<&str> = rules.teams().collect();
    for team in rules.undeclared_teams() {
        let team = words_of(team, &declared);
        warn(format!("no such team under `teams`: {team}"));
    }
    let used: BTreeSet<&str> = (entries.iter())
        .filter_map(|entry| entry.declared.as_ref().ok()?.team.as_deref())
        .collect();
    let unused: Vec<&str> = (rules.teams_of_no_pattern())
        .filter(|team| !used.contains(team))
        .collect();
    if !unused.is_empty() {
        let n = words::count(unused.len() as u64, "team");
        let unused = some(unused.into_iter());
        warn(format!("{n} of `teams` that no dataset is of: {unused}"));
    }
    Ok(findings)
}

/// `fct_order (did you mean fct_orders?)`
fn words_of(typed: &str, known: &[&str]) -> String {
    let typed_words = words::printable(typed);
    match did_you_mean(typed, known.iter().copied()) {
        Some(meant) => format!("{typed_words} (did you mean {}?)", words::printable(meant)),
        None => typed_words.to_string(),
    }
}

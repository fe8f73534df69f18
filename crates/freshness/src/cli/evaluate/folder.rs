//! What was made and is known of a warehouse in a folder?
//!
//! `freshness seed` and `freshness mishap` write one: files as they are
//! imported, and the truth beside them.

use std::fs;
use std::path::Path;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::lineage::Lineage;
use freshness_lab::seed::Warehouse;
use freshness_lab::truth::Truth;
use jiff::Timestamp;
use serde::Deserialize;

use crate::cli::import::in_words_to_stop;
use crate::hint::{WithHint as _, failure};
use crate::rounds::ingest;
use crate::sources::{Source, TimeRules};

/// A warehouse of which something is known.
#[derive(Debug)]
pub(super) struct Known {
    /// What is declared of each dataset, and what arrived.
    pub(super) datasets: Vec<(Dataset, ArrivalHistory)>,
    /// What is made from what, if it says so.
    pub(super) lineage: Option<Lineage>,
    /// What is true of them.
    pub(super) truth: Truth,
    /// Its history ends here (UTC seconds).
    pub(super) ends_at: i64,
}

/// What of the mark in the folder matters here.
#[derive(Debug, Deserialize)]
struct Mark {
    ends_at: Timestamp,
}

/// Reads a folder. `now` bounds what can have arrived.
pub(super) fn read(folder: &Path, now: Timestamp) -> anyhow::Result<Known> {
    let remedy = "name a folder that `freshness seed` or `freshness mishap` wrote";
    let truth = Warehouse::truth_in(folder);
    if !truth.is_dir() {
        let message = format!("there is no truth in the folder: {}", folder.display());
        return Err(failure(message, remedy));
    }
    let truth = Truth::read(&truth).hint("write the folder anew")?;
    let mut datasets = datasets(folder, now)?;
    // What never arrived was due all the same.
    let is_read = |id: &DatasetId| datasets.iter().any(|(dataset, _)| dataset.id == *id);
    let silent: Vec<DatasetId> = truth
        .datasets
        .keys()
        .filter(|id| !is_read(id))
        .cloned()
        .collect();
    datasets.extend(
        silent
            .into_iter()
            .map(|id| (Dataset::undeclared(id), ArrivalHistory::default())),
    );
    let last = datasets
        .iter()
        .filter_map(|(_, history)| history.at().last().copied())
        .max();
    let marked = fs::read(folder.join("seed.json")).ok();
    let marked = marked.and_then(|bytes| serde_json::from_slice::<Mark>(&bytes).ok());
    let ends_at = marked.map(|mark| mark.ends_at.as_second()).or(last);
    Ok(Known {
        datasets,
        lineage: lineage(folder)?,
        truth,
        ends_at: ends_at.unwrap_or(now.as_second()),
    })
}

/// What arrived and what is declared, by name.
fn datasets(folder: &Path, now: Timestamp) -> anyhow::Result<Vec<(Dataset, ArrivalHistory)>> {
    let source = |name: &str| Source::named(folder.join(name), None);
    let times = TimeRules {
        now: now.as_second(),
        assume_zone: None,
    };
    let declared: Vec<Source> = (folder.join("datasets.csv").exists())
        .then(|| source("datasets.csv"))
        .into_iter()
        .collect();
    ingest::histories(&[source("arrivals.csv")], &declared, &times, &|_| {})
        .map_err(in_words_to_stop)
}

/// The lineage, if there is one in the folder.
fn lineage(folder: &Path) -> anyhow::Result<Option<Lineage>> {
    let path = folder.join("lineage.csv");
    if !path.exists() {
        return Ok(None);
    }
    let lineage = ingest::edges(&[Source::named(path, None)]).map_err(in_words_to_stop)?;
    Ok(Some(lineage))
}

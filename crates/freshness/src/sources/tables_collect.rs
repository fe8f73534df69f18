//! How are configured tables and files of events collected?
//!
//! Tables of a lake tell where to go on, each by itself. Events are read
//! together: each file may hold a part of what is told, so a change of one means
//! to read them all; while none has changed, nothing is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use freshness_core::dataset::DatasetId;

use super::arrival_files::{matching, no_match, stamp_of};
use super::collect::{Asked, Collected, NotCollected};
use super::input::Source;
use super::instant::TimeRules;
use super::lake::{LakeError, ReadTable, Settle, read_delta, read_iceberg};
use super::openlineage::Events;
use super::place::{Place, folder_name};
use super::problem::BadRows;
use super::told::Told;

/// Which kind of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lake {
    /// Delta.
    Delta,
    /// Iceberg.
    Iceberg,
}

/// Tables of a lake, and what they are.
#[derive(Debug, Clone)]
pub struct LakeTables {
    /// Their kind.
    pub lake: Lake,
    /// Their folders.
    pub tables: Vec<String>,
    /// What the only one is called, if not as its folder.
    pub dataset: Option<String>,
    /// The partition column whose values are cycles.
    pub cycle: Option<String>,
    /// How long nothing more comes once a load is done: seconds.
    pub settle: Option<i64>,
    /// How object stores are reached.
    pub variables: Vec<(String, String)>,
}

/// Reads what is new in tables.
pub fn collect_tables(source: &LakeTables, asked: &Asked<'_>) -> Result<Collected, NotCollected> {
    let before: BTreeMap<String, String> = asked
        .cursor
        .and_then(|cursor| serde_json::from_str(cursor).ok())
        .unwrap_or_default();
    let settle = source.settle.map(|seconds| Settle {
        seconds,
        now: asked.now,
    });
    let mut after = BTreeMap::new();
    let mut told = Told::default();
    for table in &source.tables {
        let folder = table.trim_end_matches('/');
        let own = folder_name(folder);
        let name = source.dataset.as_deref().unwrap_or(&own);
        let id = DatasetId::try_from(name)
            .map_err(|error| NotCollected::new(format_args!("{table}: {error}")))?;
        let place = Place::named(folder, &source.variables).map_err(|error| {
            NotCollected::with_hint(format_args!("{table}: {error}"), error.hint())
        })?;
        let cursor = before.get(table).map(String::as_str);
        let cycle = source.cycle.as_deref();
        let read = match source.lake {
            Lake::Delta => read_delta(&place, &id, cycle, cursor),
            Lake::Iceberg => read_iceberg(&place, None, &id, cycle, cursor),
        };
        let ReadTable {
            told: its, cursor, ..
        } = read
            .map_err(|error: LakeError| NotCollected::with_hint(&error, error.fault.hint()))?
            .in_loads(settle, cursor);
        told.arrivals.extend(its.arrivals);
        told.runs.extend(its.runs);
        told.houses.extend(its.houses);
        told.remarks.extend(its.remarks);
        after.extend(cursor.map(|cursor| (table.clone(), cursor)));
    }
    let cursor = serde_json::to_string(&after).map_err(NotCollected::new)?;
    Ok(Collected {
        told,
        events: None,
        cursor: Some(cursor),
    })
}

/// Reads files of events, all of them when one has changed.
pub fn collect_events(patterns: &[PathBuf], asked: &Asked<'_>) -> Result<Collected, NotCollected> {
    let mut files = Vec::new();
    let mut remarks = Vec::new();
    for pattern in patterns {
        let found = matching(pattern)?;
        if found.is_empty() {
            remarks.push(no_match(pattern));
        }
        files.extend(found);
    }
    files.sort();
    files.dedup();
    let cursor = stamps(&files)?;
    if asked.cursor == Some(cursor.as_str()) {
        let told = Told {
            remarks,
            ..Told::default()
        };
        return Ok(Collected {
            told,
            events: None,
            cursor: Some(cursor),
        });
    }
    let times = TimeRules {
        now: asked.now,
        assume_zone: None,
    };
    let mut events = Events::default();
    let mut bad = BadRows::default();
    for file in &files {
        let source = Source::named(file.clone(), None);
        events
            .read(&source, &times, &|_| {}, &mut bad)
            .map_err(|error| {
                let file = file.display();
                NotCollected::with_hint(format_args!("{file}: {error}"), error.hint())
            })?;
    }
    if !bad.is_empty() {
        return Err(NotCollected::of_rows(&bad));
    }
    Ok(Collected {
        told: Told {
            remarks,
            ..Told::default()
        },
        events: Some(Box::new(events)),
        cursor: Some(cursor),
    })
}

fn stamps(files: &[PathBuf]) -> Result<String, NotCollected> {
    let stamp = |file: &PathBuf| Ok((shown(file), stamp_of(file)?));
    let stamps: BTreeMap<String, String> = files
        .iter()
        .map(stamp)
        .collect::<Result<_, NotCollected>>()?;
    serde_json::to_string(&stamps).map_err(NotCollected::new)
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

//! Which snapshots of an Iceberg table brought data, and when?
//!
//! The newest metadata file of a table has all snapshots that were not expired.
//! Which file that is a catalog knows; without one it is the one with the
//! highest number. Snapshots that are expired by the next reading stay in our
//! history, since arrivals are only ever added.

use std::io::Read;

use freshness_core::dataset::DatasetId;
use serde::{Deserialize, Serialize};

use super::cycles::ByCycle;
use super::metadata::{Metadata, Summary, read_metadata};
use super::snapshots::{Came, came};
use super::{LakeError, LakeFault, ReadTable};
use crate::sources::place::{Entry, Place, PlaceError};
use crate::sources::problem::quoted;
use crate::sources::told::{ToldArrival, ToldRemark};

/// Where metadata lies in the folder of a table.
const METADATA: &str = "metadata";

/// Clocks of writers differ by so much: what came within it before the last
/// reading is told again.
const OVERLAP_MILLIS: i64 = 10 * 60 * 1_000;

/// The metadata file that was read last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    file: String,
    bytes: u64,
    updated_ms: i64,
}

/// Reads an Iceberg table from the newest metadata file in its folder, or from
/// the `file` in the folder that is named. `cycle_column` is a partition field
/// whose values are cycles. A `cursor` of an earlier reading leaves out what it
/// told.
pub fn read_iceberg(
    folder: &Place,
    file: Option<&str>,
    dataset: &DatasetId,
    cycle_column: Option<&str>,
    cursor: Option<&str>,
) -> Result<ReadTable, LakeError> {
    let cursor: Option<Cursor> = cursor.and_then(|cursor| serde_json::from_str(cursor).ok());
    let mut read = ReadTable::default();
    let (place, candidates) = match file {
        Some(file) => {
            let entry = folder.entry(file).map_err(|error| LakeError {
                place: folder.shown_file(file),
                fault: error.into(),
            })?;
            (folder.clone(), vec![entry])
        }
        None => newest(folder)?,
    };
    let is_seen = |entry: &Entry| {
        let is = |cursor: &Cursor| cursor.file == entry.name && cursor.bytes == entry.bytes;
        cursor.as_ref().is_some_and(is)
    };
    if let [entry] = &candidates[..]
        && is_seen(entry)
    {
        read.cursor = cursor.and_then(|cursor| serde_json::to_string(&cursor).ok());
        return Ok(read);
    }
    let parse = |_: &Entry, bytes: &mut dyn Read| read_metadata(bytes);
    let parsed = place.read_each(&candidates, parse);
    let parsed = parsed.map_err(|(i, fault)| LakeError {
        place: place.shown_file(&candidates[i].name),
        fault,
    })?;
    let both = candidates.into_iter().zip(parsed);
    let Some((entry, metadata)) = both.max_by_key(|(_, metadata)| metadata.last_updated_ms) else {
        return Ok(read);
    };
    let since = cursor.filter(|cursor| cursor.updated_ms <= metadata.last_updated_ms);
    let since = since.map(|cursor| cursor.updated_ms.saturating_sub(OVERLAP_MILLIS));
    let shown = place.shown_file(&entry.name);
    tell(&metadata, &shown, dataset, cycle_column, since, &mut read)?;
    let cursor = Cursor {
        file: entry.name,
        bytes: entry.bytes,
        updated_ms: metadata.last_updated_ms,
    };
    read.cursor = serde_json::to_string(&cursor).ok();
    Ok(read)
}

/// The metadata files with the highest number: mostly one; a writer that lost
/// against another may have left one of the same number.
fn newest(table: &Place) -> Result<(Place, Vec<Entry>), LakeError> {
    let place = table.folder(METADATA);
    let no_iceberg = || LakeError {
        place: table.shown().to_owned(),
        fault: LakeFault::NoIceberg,
    };
    let mut found = place.list(None).map_err(|error| match error {
        PlaceError::NotFound => no_iceberg(),
        error => LakeError {
            place: place.shown().to_owned(),
            fault: error.into(),
        },
    })?;
    let highest = found.iter().filter_map(|entry| version(&entry.name)).max();
    found.retain(|entry| version(&entry.name).is_some_and(|version| Some(version) == highest));
    match found.is_empty() {
        true => Err(no_iceberg()),
        false => Ok((place, found)),
    }
}

/// Of `00007-….metadata.json`, `v7.metadata.json` and `v7.gz.metadata.json` 7.
fn version(name: &str) -> Option<u64> {
    let stem = name
        .strip_suffix(".metadata.json")
        .or_else(|| name.strip_suffix(".metadata.json.gz"))?;
    let number = stem.strip_prefix('v').unwrap_or(stem);
    let digits = number.split(['-', '.']).next()?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

fn tell(
    metadata: &Metadata,
    shown: &str,
    dataset: &DatasetId,
    cycle_column: Option<&str>,
    since: Option<i64>,
    read: &mut ReadTable,
) -> Result<(), LakeError> {
    let (mut n_unclear, mut n_without_parts) = (0u64, 0u64);
    let new = came(metadata).into_iter();
    for came in new.filter(|came| since.is_none_or(|since| came.at_millis >= since)) {
        read.n_read += 1;
        let Came {
            snapshot,
            at_millis,
        } = came;
        match brought(&snapshot.summary) {
            Some(true) => {}
            Some(false) => continue,
            None => {
                n_unclear += 1;
                continue;
            }
        }
        read.n_brought += 1;
        let by_cycle = by_cycle(&snapshot.summary, cycle_column).map_err(|fault| LakeError {
            place: format!("{shown}: snapshot {}", snapshot.snapshot_id),
            fault,
        })?;
        n_without_parts += u64::from(cycle_column.is_some() && by_cycle.is_none());
        let parts = match by_cycle {
            Some(by_cycle) => by_cycle.parts(None),
            None => {
                let mut whole = ByCycle::default();
                whole.add(None, snapshot.summary.added_records);
                whole.parts(None)
            }
        };
        for part in parts {
            if let Some((column, value)) = cycle_column.zip(part.unreadable) {
                read.told.remarks.push(ToldRemark {
                    place: format!("{shown}: snapshot {}", snapshot.snapshot_id),
                    what: format!("{column} names no cycle: {}", quoted(&value)),
                });
            }
            read.told.arrivals.push(ToldArrival {
                dataset: dataset.clone(),
                at: at_millis.div_euclid(1_000),
                cycle: part.cycle,
                run_id: Some(format!("iceberg:{}", snapshot.snapshot_id).into()),
                covers_through: None,
                rows: part.rows,
            });
        }
    }
    let mut say = |n: u64, what: &str| {
        if n > 0 {
            read.told.remarks.push(ToldRemark {
                place: shown.to_owned(),
                what: format!("{what}: {n}"),
            });
        }
    };
    say(
        n_unclear,
        "snapshots that do not say what they did, taken for none that brought data",
    );
    say(
        n_without_parts,
        "snapshots that do not say which partitions they wrote to, so that their cycle is not known \
         (write.summary.partition-limit makes writers say it)",
    );
    Ok(())
}

/// Did the snapshot bring data? `None`: it does not say what it did.
fn brought(summary: &Summary) -> Option<bool> {
    match summary.operation.as_deref()? {
        "append" | "overwrite" => Some(match (summary.added_records, summary.added_data_files) {
            (Some(rows), _) => rows > 0,
            (None, Some(files)) => files > 0,
            (None, None) => false,
        }),
        "replace" | "delete" => Some(false),
        _ => None,
    }
}

/// What came for each value of a partition field; `None` if no field is asked
/// for, or the writer does not say.
fn by_cycle(summary: &Summary, column: Option<&str>) -> Result<Option<ByCycle>, LakeFault> {
    let Some(column) = column.filter(|_| !summary.partitions.is_empty()) else {
        return Ok(None);
    };
    let mut found = ByCycle::default();
    for partition in &summary.partitions {
        let fields: Vec<(&str, &str)> = (partition.path.split('/'))
            .filter_map(|field| field.split_once('='))
            .collect();
        match fields.iter().find(|(name, _)| *name == column) {
            Some((_, value)) => found.add(Some(value), partition.added_records),
            None => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
                return Err(LakeFault::no_column(column, &names));
            }
        }
    }
    Ok(Some(found))
}

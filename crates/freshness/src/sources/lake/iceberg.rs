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
        PlaceError::NotFound if !table.is_missing() => no_iceberg(),
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
    let (mut n_unclear, mut n_shrunk, mut n_without_parts) = (0u64, 0u64, 0u64);
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
        n_shrunk += u64::from(took_more(&snapshot.summary));
        let by_cycle = by_cycle(&snapshot.summary, cycle_column).map_err(|fault| LakeError {
            place: format!("{shown}: snapshot {}", snapshot.snapshot_id),
            fault,
        })?;
        n_without_parts += u64::from(cycle_column.is_some() && by_cycle.is_none());
        let parts = match by_cycle {
            Some(by_cycle) => by_cycle.parts().parts,
            None => {
                let mut whole = ByCycle::default();
                whole.add(None, snapshot.summary.added_records);
                whole.parts().parts
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
        n_shrunk,
        "overwrites that took away more rows than they added, as a delete that rewrites files does",
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

/// Might it be a delete? One that rewrites files has the summary of an overwrite.
fn took_more(summary: &Summary) -> bool {
    summary.operation.as_deref() == Some("overwrite")
        && summary.deleted_records > summary.added_records
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const MINUTE: i64 = 60_000;

    /// Writes a metadata file of snapshots: `minute summary`, each made from the
    /// one before.
    fn write(folder: &Path, file: &str, snapshots: &[(i64, &str)]) {
        fs::create_dir_all(folder.join(METADATA)).unwrap();
        let (mut list, mut log, mut last) = (Vec::new(), Vec::new(), 0);
        for (minute, summary) in snapshots {
            let at = minute * MINUTE;
            list.push(format!(
                r#"{{"snapshot-id":{minute},"parent-snapshot-id":{last},"timestamp-ms":{at},"summary":{{{summary}}}}}"#
            ));
            log.push(format!(r#"{{"snapshot-id":{minute},"timestamp-ms":{at}}}"#));
            last = *minute;
        }
        let json = format!(
            r#"{{"format-version":2,"last-updated-ms":{},"current-snapshot-id":{last},"snapshots":[{}],"snapshot-log":[{}]}}"#,
            last * MINUTE,
            list.join(","),
            log.join(",")
        );
        fs::write(folder.join(METADATA).join(file), json).unwrap();
    }

    fn read(folder: &Path, column: Option<&str>, cursor: Option<&str>) -> (String, String) {
        let table = Place::named(folder.to_str().unwrap(), &[]).unwrap();
        let dataset = DatasetId::try_from("orders").unwrap();
        let read = read_iceberg(&table, None, &dataset, column, cursor).unwrap();
        let mut said: Vec<String> = (read.told.arrivals.iter())
            .map(|arrival| {
                let cycle = arrival
                    .cycle
                    .map_or(String::new(), |cycle| format!(" {cycle}"));
                let rows = arrival.rows.map_or("?".to_owned(), |rows| rows.to_string());
                format!("{}:{rows}{cycle}", arrival.at / 60)
            })
            .collect();
        said.extend(
            read.told
                .remarks
                .iter()
                .map(|remark| format!("# {}", remark.what)),
        );
        (said.join(", "), read.cursor.unwrap())
    }

    const APPEND: &str = r#""operation":"append","added-records":"3""#;

    #[test]
    fn what_added_rows_brought_data() {
        let folder = tempfile::tempdir().unwrap();
        let snapshots = [
            (10, APPEND),
            (20, r#""operation":"append","added-data-files":"1""#),
            (30, r#""operation":"append","total-records":"3""#),
            (40, r#""operation":"replace","added-records":"3""#),
            (
                50,
                r#""operation":"overwrite","added-records":"2","deleted-records":"1""#,
            ),
            (60, r#""operation":"overwrite","deleted-records":"1""#),
            (70, r#""operation":"delete","deleted-records":"1""#),
        ];
        write(folder.path(), "v1.metadata.json", &snapshots);
        assert_eq!(read(folder.path(), None, None).0, "10:3, 20:?, 50:2");
    }

    #[test]
    fn an_overwrite_that_may_be_a_delete_is_remarked() {
        let folder = tempfile::tempdir().unwrap();
        let shrunk = r#""operation":"overwrite","added-records":"2","deleted-records":"3""#;
        write(
            folder.path(),
            "v1.metadata.json",
            &[(10, APPEND), (20, shrunk)],
        );
        let (said, _) = read(folder.path(), None, None);
        let words =
            "10:3, 20:2, # overwrites that took away more rows than they added, as a delete";
        assert!(said.starts_with(words), "{said}");
    }

    #[test]
    fn a_snapshot_that_does_not_say_what_it_did_is_remarked() {
        let folder = tempfile::tempdir().unwrap();
        let snapshots = [(10, ""), (20, r#""operation":"unheard of""#), (30, APPEND)];
        write(folder.path(), "v1.metadata.json", &snapshots);
        let words =
            "# snapshots that do not say what they did, taken for none that brought data: 2";
        assert_eq!(read(folder.path(), None, None).0, format!("30:3, {words}"));
    }

    #[test]
    fn partitions_are_cycles_where_the_writer_says_them() {
        let folder = tempfile::tempdir().unwrap();
        let said = r#""operation":"append","added-records":"3","partitions.day=2026-09-01/area=eu":"added-records=1","partitions.day=2026-09-02/area=eu":"added-data-files=1,added-records=2""#;
        write(
            folder.path(),
            "v1.metadata.json",
            &[(10, said), (20, APPEND)],
        );
        let (said, _) = read(folder.path(), Some("day"), None);
        let words = "10:1 2026-09-01T00:00:00, 10:2 2026-09-02T00:00:00, 20:3, # snapshots that do \
                     not say which partitions they wrote to";
        assert!(said.starts_with(words), "{said}");
        let (said, _) = read(folder.path(), Some("area"), None);
        assert!(
            said.starts_with("10:3, 20:3, # area names no cycle: \"eu\""),
            "{said}"
        );
    }

    #[test]
    fn the_file_with_the_highest_number_is_read_and_of_two_the_later() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "00009-a.metadata.json", &[(10, APPEND)]);
        write(
            folder.path(),
            "00010-b.metadata.json",
            &[(10, APPEND), (30, APPEND)],
        );
        write(
            folder.path(),
            "00010-c.metadata.json",
            &[(10, APPEND), (20, APPEND)],
        );
        for other in [
            "snap-11.avro",
            "version-hint.text",
            "x12.metadata.json",
            "99.json",
        ] {
            fs::write(folder.path().join(METADATA).join(other), "99").unwrap();
        }
        assert_eq!(read(folder.path(), None, None).0, "10:3, 30:3");
    }

    #[test]
    fn a_second_reading_tells_what_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write(folder, "v1.metadata.json", &[(10, APPEND), (100, APPEND)]);
        let (_, cursor) = read(folder, None, None);
        assert_eq!(read(folder, None, Some(&cursor)).0, "");
        write(
            folder,
            "v2.metadata.json",
            &[(10, APPEND), (100, APPEND), (200, APPEND)],
        );
        // What came shortly before is told again, for clocks differ.
        assert_eq!(read(folder, None, Some(&cursor)).0, "100:3, 200:3");
        // A table that was made anew, or put back.
        write(folder, "v3.metadata.json", &[(50, APPEND)]);
        assert_eq!(read(folder, None, Some(&cursor)).0, "50:3");
    }
}

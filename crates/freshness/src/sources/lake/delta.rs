//! Which commits of a Delta table brought data, and when?
//!
//! The log of a table is a folder of commits, numbered without gaps. Old ones
//! are removed once a checkpoint has what they say of the table's present
//! state; what they said of its past is then in nobody's memory but ours.
//! So no checkpoint is read, and what was read before stays as it was.

use std::io::Read;

use freshness_core::dataset::DatasetId;
use serde::{Deserialize, Serialize};

use super::commit::{CommitReader, Wrote};
use super::{LakeError, LakeFault, ReadTable};
use crate::sources::place::{Entry, Place, PlaceError};
use crate::sources::told::{ToldArrival, ToldRemark};

/// Where the log lies in the folder of a table.
const LOG: &str = "_delta_log";

/// Bytes of a commit that are read at once.
const PIECE_BYTES: usize = 64 << 10;

/// The last commit that was read. The commit that has its number next time must
/// be the same: if it is not, this is another table in the same place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    version: u64,
    at_millis: Option<i64>,
    bytes: u64,
}

/// Reads the log of the table in a folder, from where `cursor` says that the
/// last reading ended. `cycle_column` is a partition column whose values are
/// cycles.
pub fn read_delta(
    table: &Place,
    dataset: &DatasetId,
    cycle_column: Option<&str>,
    cursor: Option<&str>,
) -> Result<ReadTable, LakeError> {
    let log = table.folder(LOG);
    // One that nobody can read any more is none.
    let cursor: Option<Cursor> = cursor.and_then(|cursor| serde_json::from_str(cursor).ok());
    let found = Log::read(table, &log, cycle_column, cursor.as_ref())?;
    let found = match (&cursor, found.first()) {
        (Some(cursor), Some(first)) if first.is_at(cursor) => found,
        (Some(_), _) => Log::read(table, &log, cycle_column, None)?,
        (None, _) => found,
    };
    let mut read = ReadTable::default();
    found.remark(&log, cursor.as_ref(), &mut read.told.remarks);
    let seen = cursor.filter(|cursor| found.first().is_some_and(|first| first.is_at(cursor)));
    let new = found.0.iter().filter(|commit| {
        let version = commit.version;
        seen.as_ref().is_none_or(|seen| version > seen.version)
    });
    for commit in new {
        read.n_read += 1;
        if commit.wrote.brought() {
            read.n_brought += 1;
            commit.tell(&log, dataset, cycle_column, &mut read)?;
        }
    }
    let last = found.0.last().map(Commit::cursor);
    read.cursor = last.and_then(|last| serde_json::to_string(&last).ok());
    Ok(read)
}

/// The commits that were read, in order.
struct Log(Vec<Commit>);

struct Commit {
    version: u64,
    /// When its file was written: UTC seconds.
    modified: i64,
    bytes: u64,
    wrote: Wrote,
}

impl Log {
    fn read(
        table: &Place,
        log: &Place,
        cycle_column: Option<&str>,
        cursor: Option<&Cursor>,
    ) -> Result<Log, LakeError> {
        // A name that sorts right before that of the last commit read.
        let after = cursor.map(|cursor| format!("{:020}", cursor.version));
        let listed = log.list(after.as_deref()).map_err(|error| LakeError {
            place: table.shown().to_owned(),
            fault: match error {
                PlaceError::NotFound => LakeFault::NoDelta,
                error => error.into(),
            },
        })?;
        let mut commits: Vec<Entry> = listed;
        commits.retain(|entry| version(&entry.name).is_some());
        if commits.is_empty() && cursor.is_none() {
            return Err(LakeError {
                place: log.shown().to_owned(),
                fault: LakeFault::NoCommits,
            });
        }
        let read = |entry: &Entry, bytes: &mut dyn Read| {
            Ok(Commit {
                version: version(&entry.name).unwrap_or_default(),
                modified: entry.modified,
                bytes: entry.bytes,
                wrote: read_commit(bytes, cycle_column)?,
            })
        };
        let found = log.read_each(&commits, read);
        found.map(Log).map_err(|(i, fault)| LakeError {
            place: log.shown_file(&commits[i].name),
            fault,
        })
    }

    fn first(&self) -> Option<&Commit> {
        self.0.first()
    }

    /// Says what of the log is not there.
    fn remark(&self, log: &Place, cursor: Option<&Cursor>, remarks: &mut Vec<ToldRemark>) {
        let mut say = |what: String| {
            remarks.push(ToldRemark {
                place: log.shown().to_owned(),
                what,
            });
        };
        if let (Some(first), Some(cursor)) = (self.first(), cursor)
            && !first.is_at(cursor)
        {
            say(match first.version > cursor.version + 1 {
                true => format!(
                    "commits {} to {} were removed before they were read",
                    cursor.version + 1,
                    first.version - 1
                ),
                false => "another table than at the last look: read from its start".to_owned(),
            });
        }
        for pair in self.0.windows(2) {
            let (before, after) = (pair[0].version, pair[1].version);
            if after > before + 1 {
                say(format!(
                    "commits are missing: {} to {}",
                    before + 1,
                    after - 1
                ));
            }
        }
        let unnamed = |commit: &&Commit| commit.wrote.operation.is_none() && commit.wrote.brought();
        let n_unnamed = self.0.iter().filter(unnamed).count();
        if n_unnamed > 0 {
            say(format!(
                "commits that do not say what they did, taken for writes: {n_unnamed}"
            ));
        }
    }
}

impl Commit {
    fn cursor(&self) -> Cursor {
        Cursor {
            version: self.version,
            at_millis: self.wrote.at_millis,
            bytes: self.bytes,
        }
    }

    fn is_at(&self, cursor: &Cursor) -> bool {
        self.cursor() == *cursor
    }

    fn tell(
        &self,
        log: &Place,
        dataset: &DatasetId,
        cycle_column: Option<&str>,
        read: &mut ReadTable,
    ) -> Result<(), LakeError> {
        let place = || log.shown_file(&format!("{:020}.json", self.version));
        if let Some((column, found)) = cycle_column.zip(self.wrote.other_columns.as_ref()) {
            return Err(LakeError {
                place: place(),
                fault: LakeFault::no_column(column, found),
            });
        }
        let at = self.wrote.at_millis.map(|millis| millis.div_euclid(1_000));
        for part in self.wrote.added.parts(self.wrote.rows) {
            if let Some((column, value)) = cycle_column.zip(part.unreadable) {
                read.told.remarks.push(ToldRemark {
                    place: place(),
                    what: format!(
                        "{column} names no cycle: {}",
                        crate::sources::problem::quoted(&value)
                    ),
                });
            }
            read.told.arrivals.push(ToldArrival {
                dataset: dataset.clone(),
                at: at.unwrap_or(self.modified),
                cycle: part.cycle,
                run_id: Some(format!("delta:{}", self.version).into()),
                covers_through: None,
                rows: part.rows,
            });
        }
        Ok(())
    }
}

/// Of `00000000000000000007.json` 7; nothing else is a commit.
fn version(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".json")?;
    let is_version = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_version.then(|| digits.parse().ok())?
}

fn read_commit(bytes: &mut dyn Read, cycle_column: Option<&str>) -> Result<Wrote, LakeFault> {
    let mut reader = CommitReader::new(cycle_column);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match bytes.read(&mut piece) {
            Ok(0) => return reader.finish(),
            Ok(n) => reader.push(&piece[..n])?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(PlaceError::from(error).into()),
        }
    }
}

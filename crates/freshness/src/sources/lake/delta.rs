//! Which commits of a Delta table brought data, and when?
//!
//! The log of a table is a folder of commits, numbered without gaps. Old ones
//! are removed once a checkpoint has what they say of the table's present
//! state; what they said of its past is then in nobody's memory but ours.
//! So no checkpoint is read, and what was read before stays as it was.
//!
//! A number that is missing may still come, as when a log is being copied. The
//! next reading begins before it, until it is there, or until a checkpoint
//! shows that it was.

use std::io::Read;

use freshness_core::dataset::DatasetId;
use serde::{Deserialize, Serialize};

use super::commit::{CommitReader, Wrote};
use super::{LakeError, LakeFault, ReadTable};
use crate::sources::place::{Entry, Place, PlaceError};
use crate::sources::problem::quoted;
use crate::sources::told::{ToldArrival, ToldRemark};

/// Where the log lies in the folder of a table.
const LOG: &str = "_delta_log";

/// Commits whose actions are in memory at once.
const COMMITS_AT_ONCE: usize = 8_192;

/// A log with more gaps than this has no more to say.
const GAPS_TOLD: usize = 20;

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
    let log = Log {
        folder: table.folder(LOG),
        cycle_column,
    };
    // One that nobody can read any more is none.
    let cursor: Option<Cursor> = cursor.and_then(|cursor| serde_json::from_str(cursor).ok());
    let (mut commits, mut checkpoint) = log.list(table, cursor.as_ref())?;
    let mut read = ReadTable::default();
    let mut last: Option<Cursor> = None;
    if let Some(cursor) = &cursor {
        let known = log.read(&commits[..commits.len().min(1)])?.pop();
        if known.as_ref().map(Commit::cursor).as_ref() == Some(cursor) {
            commits.remove(0);
            last = known.map(|known| known.cursor());
        } else {
            (commits, checkpoint) = log.list(table, None)?;
            log.remark(lost(cursor, &commits), &mut read);
        }
    }
    // A log begins with 0, unless what came before is said to be gone.
    let next = match (&last, &cursor) {
        (Some(known), _) => known.version.saturating_add(1),
        (None, Some(gone)) if first_version(&commits) > Some(gone.version) => {
            first_version(&commits).unwrap_or_default()
        }
        (None, _) => 0,
    };
    let mut gaps = gaps(next, &commits);
    // Most logs have been cleaned up.
    gaps.retain(|gap| gap.from > 0 || gap.is_open(checkpoint));
    let open = gaps.iter().find(|gap| gap.is_open(checkpoint));
    let stay_before = open.map(|gap| gap.from);
    log.remark(gaps.iter().take(GAPS_TOLD).map(Gap::in_words), &mut read);
    let (mut n_unnamed, mut n_unsure) = (0u64, 0u64);
    for some in commits.chunks(COMMITS_AT_ONCE) {
        for commit in log.read(some)? {
            read.n_read += 1;
            if commit.wrote.brought() {
                read.n_brought += 1;
                n_unnamed += u64::from(commit.wrote.operation.is_none());
                n_unsure += u64::from(log.tell(&commit, dataset, &mut read)?);
            }
            if stay_before.is_none_or(|stay_before| commit.version < stay_before) {
                last = Some(commit.cursor());
            }
        }
    }
    if n_unnamed > 0 {
        let what = "commits that do not say what they did, taken for writes";
        log.remark([format!("{what}: {n_unnamed}")], &mut read);
    }
    if n_unsure > 0 {
        let what = "commits that merged into cycles which had rows, and do not say whether more \
                    came to these: no arrivals of them";
        log.remark([format!("{what}: {n_unsure}")], &mut read);
    }
    read.cursor = last.and_then(|last| serde_json::to_string(&last).ok());
    Ok(read)
}

/// What of the log has gone, or was not there when it was read last.
fn lost(cursor: &Cursor, commits: &[Entry]) -> Option<String> {
    let first = first_version(commits)?;
    let next = cursor.version.saturating_add(1);
    Some(match first > cursor.version {
        true if first == next => return None,
        true => format!(
            "commits {next} to {} were removed before they were read",
            first - 1
        ),
        false => "another table than at the last look: read from its start".to_owned(),
    })
}

fn first_version(commits: &[Entry]) -> Option<u64> {
    version(&commits.first()?.name)
}

/// Commits that should be there.
struct Gap {
    from: u64,
    to: u64,
}

impl Gap {
    /// May its commits still come? Not if a checkpoint was made of them.
    fn is_open(&self, checkpoint: Option<u64>) -> bool {
        checkpoint.is_none_or(|checkpoint| checkpoint < self.to)
    }

    fn in_words(&self) -> String {
        let Gap { from, to } = self;
        format!("commits are missing: {from} to {to}")
    }
}

/// The gaps before and between commits, the first of which should be `next`.
fn gaps(mut next: u64, commits: &[Entry]) -> Vec<Gap> {
    let listed = commits.iter().filter_map(|commit| version(&commit.name));
    let gap = |version: u64| {
        let from = std::mem::replace(&mut next, version.saturating_add(1));
        (version > from).then(|| Gap {
            from,
            to: version - 1,
        })
    };
    listed.filter_map(gap).collect()
}

/// The log of a table.
struct Log<'a> {
    folder: Place,
    cycle_column: Option<&'a str>,
}

struct Commit {
    version: u64,
    /// When its file was written: UTC seconds.
    modified: i64,
    bytes: u64,
    wrote: Wrote,
}

impl Log<'_> {
    /// The commits of the log in their order, from the one that was read last,
    /// and the version of the newest checkpoint.
    fn list(
        &self,
        table: &Place,
        cursor: Option<&Cursor>,
    ) -> Result<(Vec<Entry>, Option<u64>), LakeError> {
        // What sorts right before the name of that commit.
        let after = cursor.map(|cursor| format!("{:020}", cursor.version));
        let listed = self.folder.list(after.as_deref());
        let mut commits = listed.map_err(|error| LakeError {
            place: table.shown().to_owned(),
            fault: match error {
                PlaceError::NotFound if !table.is_missing() => LakeFault::NoDelta,
                error => error.into(),
            },
        })?;
        let checkpoint = commits.iter().filter_map(|of| checkpoint(&of.name)).max();
        commits.retain(|entry| version(&entry.name).is_some());
        match commits.is_empty() && cursor.is_none() {
            true => Err(LakeError {
                place: self.folder.shown().to_owned(),
                fault: LakeFault::NoCommits,
            }),
            false => Ok((commits, checkpoint)),
        }
    }

    fn read(&self, commits: &[Entry]) -> Result<Vec<Commit>, LakeError> {
        let read = |entry: &Entry, bytes: &mut dyn Read| {
            Ok(Commit {
                version: version(&entry.name).unwrap_or_default(),
                modified: entry.modified,
                bytes: entry.bytes,
                wrote: read_commit(bytes, self.cycle_column)?,
            })
        };
        let found = self.folder.read_each(commits, read);
        found.map_err(|(i, fault)| LakeError {
            place: self.folder.shown_file(&commits[i].name),
            fault,
        })
    }

    fn remark(&self, what: impl IntoIterator<Item = String>, read: &mut ReadTable) {
        let place = self.folder.shown();
        read.told
            .remarks
            .extend(what.into_iter().map(|what| ToldRemark {
                place: place.to_owned(),
                what,
            }));
    }

    /// Tells of a commit that brought data; is it unsure to which cycles?
    fn tell(
        &self,
        commit: &Commit,
        dataset: &DatasetId,
        read: &mut ReadTable,
    ) -> Result<bool, LakeError> {
        let Commit {
            version,
            modified,
            wrote,
            ..
        } = commit;
        let place = || self.folder.shown_file(&format!("{version:020}.json"));
        if let Some((column, found)) = self.cycle_column.zip(wrote.other_columns.as_ref()) {
            return Err(LakeError {
                place: place(),
                fault: LakeFault::no_column(column, found),
            });
        }
        let at = wrote.at_millis.map(|millis| millis.div_euclid(1_000));
        let found = wrote.parts(self.cycle_column.is_some());
        for part in found.parts {
            if let Some((column, value)) = self.cycle_column.zip(part.unreadable) {
                read.told.remarks.push(ToldRemark {
                    place: place(),
                    what: format!("{column} names no cycle: {}", quoted(&value)),
                });
            }
            read.told.arrivals.push(ToldArrival {
                dataset: dataset.clone(),
                at: at.unwrap_or(*modified),
                cycle: part.cycle,
                run_id: Some(format!("delta:{version}").into()),
                covers_through: None,
                rows: part.rows,
            });
        }
        Ok(found.is_unsure)
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
}

/// Of `00000000000000000007.json` 7; nothing else is a commit.
fn version(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".json")?;
    let is_version = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_version.then(|| digits.parse().ok())?
}

/// Of `00000000000000000007.checkpoint.parquet` 7.
fn checkpoint(name: &str) -> Option<u64> {
    let (digits, _) = name.split_once(".checkpoint.")?;
    version(&format!("{digits}.json"))
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// A commit that writes a row at a minute, or one that only marks one.
    fn commit(folder: &Path, version: u64, minute: i64, operation: &str) {
        let log = folder.join(LOG);
        fs::create_dir_all(&log).unwrap();
        let at = minute * 60_000;
        let actions = format!(
            "{{\"commitInfo\":{{\"timestamp\":{at},\"operation\":\"{operation}\"}}}}\n\
             {{\"add\":{{\"path\":\"p\",\"dataChange\":true,\"stats\":\"{{\\\"numRecords\\\":1}}\"}}}}\n"
        );
        fs::write(log.join(format!("{version:020}.json")), actions).unwrap();
    }

    /// What a reading tells: `minute:version`, and the remarks; then its cursor.
    fn read(folder: &Path, cursor: Option<&str>) -> (String, String) {
        let table = Place::named(folder.to_str().unwrap(), &[]).unwrap();
        let dataset = DatasetId::try_from("orders").unwrap();
        let read = read_delta(&table, &dataset, None, cursor).unwrap();
        let mut said: Vec<String> = (read.told.arrivals.iter())
            .map(|arrival| format!("{} {}", arrival.at / 60, arrival.run_id.as_deref().unwrap()))
            .collect();
        said.extend(
            read.told
                .remarks
                .iter()
                .map(|remark| format!("# {}", remark.what)),
        );
        (said.join(", "), read.cursor.unwrap())
    }

    #[test]
    fn a_second_reading_begins_where_the_first_ended() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        commit(folder, 0, 10, "WRITE");
        commit(folder, 1, 20, "OPTIMIZE");
        let (said, cursor) = read(folder, None);
        assert_eq!(said, "10 delta:0");
        assert_eq!(read(folder, Some(&cursor)), (String::new(), cursor.clone()));
        commit(folder, 2, 30, "WRITE");
        assert_eq!(read(folder, Some(&cursor)).0, "30 delta:2");
        assert_eq!(
            read(folder, Some("of another version")).0,
            "10 delta:0, 30 delta:2"
        );
    }

    #[test]
    fn what_was_removed_before_it_was_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        (0..5).for_each(|version| commit(folder, version, 10, "WRITE"));
        let log = folder.join(LOG);
        let remove =
            |version: u64| fs::remove_file(log.join(format!("{version:020}.json"))).unwrap();
        (2..5).for_each(remove);
        let (_, cursor) = read(folder, None);
        commit(folder, 2, 20, "WRITE");
        (0..2).for_each(remove);
        assert_eq!(read(folder, Some(&cursor)).0, "20 delta:2");
        remove(2);
        commit(folder, 4, 40, "WRITE");
        commit(folder, 7, 70, "WRITE");
        assert_eq!(
            read(folder, Some(&cursor)).0,
            "40 delta:4, 70 delta:7, # commits 2 to 3 were removed before they were read, \
             # commits are missing: 5 to 6"
        );
    }

    #[test]
    fn a_commit_that_comes_after_a_later_one_is_read_when_it_comes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        commit(folder, 0, 40, "WRITE");
        commit(folder, 2, 60, "WRITE");
        let missing = "# commits are missing: 1 to 1";
        let (said, cursor) = read(folder, None);
        assert_eq!(said, format!("40 delta:0, 60 delta:2, {missing}"));
        // Told again as long as one is missing, which changes nothing.
        commit(folder, 3, 70, "WRITE");
        let (said, cursor) = read(folder, Some(&cursor));
        assert_eq!(said, format!("60 delta:2, 70 delta:3, {missing}"));
        commit(folder, 1, 50, "WRITE");
        let (said, cursor) = read(folder, Some(&cursor));
        assert_eq!(said, "50 delta:1, 60 delta:2, 70 delta:3");
        assert_eq!(read(folder, Some(&cursor)).0, "");
        // Right after the last one that was read.
        commit(folder, 5, 90, "WRITE");
        let (_, cursor) = read(folder, Some(&cursor));
        commit(folder, 4, 80, "WRITE");
        assert_eq!(read(folder, Some(&cursor)).0, "80 delta:4, 90 delta:5");
    }

    #[test]
    fn commits_that_are_missing_at_the_start_are_said_and_read_when_they_come() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        commit(folder, 2, 30, "WRITE");
        let table = Place::named(folder.to_str().unwrap(), &[]).unwrap();
        let dataset = DatasetId::try_from("orders").unwrap();
        let found = read_delta(&table, &dataset, None, None).unwrap();
        assert_eq!(found.told.remarks[0].what, "commits are missing: 0 to 1");
        assert_eq!(found.cursor, None);
        commit(folder, 0, 10, "WRITE");
        commit(folder, 1, 20, "WRITE");
        assert_eq!(read(folder, None).0, "10 delta:0, 20 delta:1, 30 delta:2");
    }

    #[test]
    fn what_a_checkpoint_has_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        commit(folder, 4, 40, "WRITE");
        commit(folder, 6, 60, "WRITE");
        let checkpoint = folder
            .join(LOG)
            .join("00000000000000000005.checkpoint.parquet");
        fs::write(checkpoint, "?").unwrap();
        let (said, cursor) = read(folder, None);
        assert!(said.ends_with("# commits are missing: 5 to 5"), "{said}");
        assert_eq!(read(folder, Some(&cursor)).0, "");
    }

    #[test]
    fn a_commit_that_is_a_link_to_nothing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        commit(folder, 0, 10, "WRITE");
        let link = folder.join(LOG).join("00000000000000000001.json");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let table = Place::named(folder.to_str().unwrap(), &[]).unwrap();
        let dataset = DatasetId::try_from("orders").unwrap();
        let error = read_delta(&table, &dataset, None, None).unwrap_err();
        let words = format!("{}: a link to nothing", link.display());
        assert_eq!(error.to_string(), words);
    }

    #[test]
    fn another_table_in_the_same_place_is_read_from_its_start() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        commit(folder, 0, 10, "WRITE");
        commit(folder, 1, 20, "WRITE");
        let (_, cursor) = read(folder, None);
        commit(folder, 0, 30, "WRITE");
        commit(folder, 1, 40, "WRITE");
        let words = "# another table than at the last look: read from its start";
        assert_eq!(
            read(folder, Some(&cursor)).0,
            format!("30 delta:0, 40 delta:1, {words}")
        );
        fs::remove_file(folder.join(LOG).join("00000000000000000001.json")).unwrap();
        assert_eq!(
            read(folder, Some(&cursor)).0,
            format!("30 delta:0, {words}")
        );
    }

    #[test]
    fn only_commits_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        commit(folder, 7, 10, "WRITE");
        for other in [
            "_last_checkpoint",
            "00000000000000000006.checkpoint.parquet",
            "00000000000000000006.checkpoint.0a1b.json",
            "00000000000000000000.00000000000000000006.compacted.json",
            "00000000000000000007.crc",
            ".00000000000000000008.json.tmp",
            "0000000000000000000x.json",
        ] {
            fs::write(folder.join(LOG).join(other), "?").unwrap();
        }
        fs::create_dir(folder.join(LOG).join("00000000000000000009.json")).unwrap();
        assert_eq!(read(folder, None).0, "10 delta:7");
    }
}

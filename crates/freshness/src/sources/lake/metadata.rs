//! What does a metadata file of an Iceberg table say?
//!
//! Every change of a table writes such a file, with all snapshots that were not
//! expired, how its main branch went from one to the next, and what each did in
//! a summary. Only that is read: schemas, manifests and statistics are
//! skipped. Source: the specification of Iceberg, "Table Metadata" and
//! "Optional Snapshot Summary Fields", versions 1 to 3.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use super::LakeFault;

/// What is read of a metadata file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Metadata {
    format_version: i64,
    /// When the file was written: milliseconds since 1970 of UTC.
    pub(super) last_updated_ms: i64,
    /// `None` or -1 of a table that nothing was written to yet.
    current_snapshot_id: Option<i64>,
    #[serde(default)]
    refs: BTreeMap<String, Ref>,
    #[serde(default, deserialize_with = "or_none")]
    pub(super) snapshots: Vec<Snapshot>,
    #[serde(default, deserialize_with = "or_none")]
    pub(super) snapshot_log: Vec<LogEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Ref {
    snapshot_id: i64,
}

/// A state of the table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Snapshot {
    pub(super) snapshot_id: i64,
    pub(super) parent_snapshot_id: Option<i64>,
    pub(super) timestamp_ms: i64,
    #[serde(default)]
    pub(super) summary: Summary,
}

/// The main branch came to a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct LogEntry {
    pub(super) timestamp_ms: i64,
    pub(super) snapshot_id: i64,
}

/// What a snapshot did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// `append`, `overwrite`, `replace`, `delete`.
    pub(super) operation: Option<String>,
    pub(super) added_records: Option<u64>,
    pub(super) added_data_files: Option<u64>,
    pub(super) deleted_records: Option<u64>,
    /// What it did to each partition, where its writer says so.
    pub(super) partitions: Vec<Partition>,
}

/// What was added to a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Partition {
    /// `day=2026-09-01/region=eu`
    pub(super) path: String,
    pub(super) added_records: Option<u64>,
}

/// No file is larger, unzipped: it would be of hundreds of thousands of
/// snapshots.
pub(super) const MIB_MAX: u64 = 256;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads a metadata file, plain or zipped.
pub(super) fn read_metadata(bytes: &mut dyn Read) -> Result<Metadata, LakeFault> {
    read_within(bytes, MIB_MAX << 20)
}

fn read_within(bytes: &mut dyn Read, bytes_max: u64) -> Result<Metadata, LakeFault> {
    let mut bytes = BufReader::with_capacity(64 << 10, bytes);
    let head = bytes.fill_buf().map_err(LakeFault::unread)?;
    let metadata: Metadata = match head {
        [] => return Err(LakeFault::Empty),
        head if head.starts_with(&GZIP) => parsed(MultiGzDecoder::new(bytes), bytes_max)?,
        _ => parsed(bytes, bytes_max)?,
    };
    match metadata.format_version {
        1..=3 => Ok(metadata),
        unknown => Err(LakeFault::Version(unknown)),
    }
}

impl Metadata {
    /// Where the main branch is.
    pub(super) fn current(&self) -> Option<i64> {
        let main = self.refs.get("main").map(|main| main.snapshot_id);
        main.or(self.current_snapshot_id).filter(|&id| id != -1)
    }
}

fn parsed(bytes: impl Read, bytes_max: u64) -> Result<Metadata, LakeFault> {
    let mut bytes = Bounded {
        bytes,
        left: bytes_max,
        failure: None,
    };
    let parsed = serde_json::from_reader(BufReader::with_capacity(64 << 10, &mut bytes));
    parsed.map_err(|error| match bytes.failure.take() {
        Some(failure) => failure,
        None => LakeFault::json(error, 0),
    })
}

/// Ends a reading that would not end, and keeps why it ended: JSON only says
/// that something was amiss.
struct Bounded<R> {
    bytes: R,
    left: u64,
    failure: Option<LakeFault>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.bytes.read(into);
        let failure = match read {
            Ok(n) if n as u64 > self.left => LakeFault::TooLarge,
            Ok(n) => {
                self.left -= n as u64;
                return Ok(n);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Err(error),
            Err(error) => LakeFault::unread(error),
        };
        self.failure = Some(failure);
        Err(std::io::Error::other("cannot be read"))
    }
}

/// `null` is nothing.
fn or_none<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl<'de> Deserialize<'de> for Summary {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Summary, D::Error> {
        deserializer.deserialize_any(SummaryVisitor)
    }
}

struct SummaryVisitor;

impl<'de> Visitor<'de> for SummaryVisitor {
    type Value = Summary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a summary: text by name")
    }

    fn visit_unit<E>(self) -> Result<Summary, E> {
        Ok(Summary::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Summary, A::Error> {
        let mut summary = Summary::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "operation" => summary.operation = Some(map.next_value()?),
                "added-records" => summary.added_records = number(&map.next_value::<String>()?),
                "added-data-files" => {
                    summary.added_data_files = number(&map.next_value::<String>()?);
                }
                "deleted-records" => {
                    summary.deleted_records = number(&map.next_value::<String>()?);
                }
                name => match name.strip_prefix("partitions.") {
                    Some(path) => {
                        let did: String = map.next_value()?;
                        summary.partitions.extend(partition(path, &did));
                    }
                    None => {
                        map.next_value::<IgnoredAny>()?;
                    }
                },
            }
        }
        Ok(summary)
    }
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// What was added to a partition, if anything was:
/// `added-data-files=1,added-records=4`.
fn partition(path: &str, did: &str) -> Option<Partition> {
    let said = |name: &str| {
        let mut said = did.split(',').filter_map(|said| said.split_once('='));
        said.find(|(known, _)| *known == name)
            .and_then(|(_, n)| number(n))
    };
    let added_records = said("added-records");
    let is_added = added_records.map_or_else(|| said("added-data-files") > Some(0), |n| n > 0);
    is_added.then(|| Partition {
        path: path.to_owned(),
        added_records,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const SMALL: &str = r#"{"format-version":2,"last-updated-ms":5,"current-snapshot-id":-1,
        "schemas":[{"fields":[{"id":1}]}],"refs":{"main":{"snapshot-id":7,"type":"branch"}},
        "snapshots":[{"snapshot-id":7,"timestamp-ms":3,"summary":{"operation":"append",
            "added-records":"4","total-records":"9","partitions.ds=1":"added-records=4",
            "partitions.ds=2":"deleted-records=4"}}],
        "snapshot-log":null}"#;

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn check_refused(bytes: &[u8]) -> String {
        read_metadata(&mut &*bytes).unwrap_err().to_string()
    }

    #[test]
    fn snapshots_and_their_summaries_are_read_plain_and_zipped() {
        let plain = read_metadata(&mut SMALL.as_bytes()).unwrap();
        assert_eq!(plain.current(), Some(7));
        let summary = &plain.snapshots[0].summary;
        assert_eq!(summary.operation.as_deref(), Some("append"));
        assert_eq!(summary.added_records, Some(4));
        let paths: Vec<&str> = (summary.partitions.iter())
            .map(|part| part.path.as_str())
            .collect();
        assert_eq!(paths, ["ds=1"]);
        assert_eq!(
            read_metadata(&mut &*zipped(SMALL.as_bytes())).unwrap(),
            plain
        );
    }

    #[test]
    fn what_is_no_metadata_is_refused() {
        assert_eq!(check_refused(b""), "the file is empty");
        assert_eq!(
            check_refused(&SMALL.as_bytes()[..60]),
            "line 1, column 60: the file ends in the middle"
        );
        assert_eq!(
            check_refused(b"{}"),
            "line 1, column 2: missing field `format-version`"
        );
        let four = SMALL.replace("\"format-version\":2", "\"format-version\":4");
        assert_eq!(
            check_refused(four.as_bytes()),
            "format version 4 of Iceberg is not known (known: 1 to 3)"
        );
        let mut damaged = zipped(SMALL.as_bytes());
        damaged.truncate(30);
        assert!(check_refused(&damaged).starts_with("damaged gzip: "));
    }

    #[test]
    fn a_zip_bomb_ends() {
        let mut bomb = zipped(b"{\"x\":\"");
        bomb.extend_from_slice(&zipped(&vec![b'a'; 2 << 20]));
        let refused = read_within(&mut &*bomb, 1 << 20).unwrap_err();
        assert_eq!(refused.to_string(), "larger than 256 MiB, unzipped");
    }
}

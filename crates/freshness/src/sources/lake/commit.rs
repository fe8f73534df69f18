//! What did one commit of a Delta table do?
//!
//! A commit is a file of actions, one JSON object on each line: which files
//! were added and removed, and, mostly, what was done (`commitInfo`). It brought
//! data if it added files with rows in them, said that this changes data, and
//! is none of the operations that only take away, rewrite or go back.
//! Source: the protocol of Delta Lake, "Actions" and "Commit Provenance
//! Information".

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{IgnoredAny, Visitor};

use super::LakeFault;
use super::cycles::{ByCycle, Copied, CycleParts};
use super::metrics::Metrics;

/// What a commit did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wrote {
    /// Its own time, in milliseconds since 1970 of UTC, if it says one.
    pub(super) at_millis: Option<i64>,
    /// What it calls itself, if it says so: `WRITE`, `OPTIMIZE`.
    pub(super) operation: Option<String>,
    /// What the files it added hold.
    pub(super) added: ByCycle,
    /// Rows that came, where files also hold rows that were there before.
    pub(super) copied: Option<Copied>,
    /// The partition columns of the files, where one is looked for and missing.
    pub(super) other_columns: Option<Vec<String>>,
}

/// Longest line of a commit: the schema of a table of ten thousand columns is a
/// few MiB.
pub(super) const LINE_MIB_MAX: usize = 16;

/// Operations after which the table holds nothing that it had not, whatever
/// files they add: they take rows away, rewrite them, go back to an earlier
/// state, or register what lay there. (Most of them say so by `dataChange` too;
/// deleting, restoring and converting do not.)
const BRINGS_NOTHING: [&str; 9] = [
    "DELETE", "TRUNCATE", "RESTORE", "CONVERT", "OPTIMIZE", "REORG", "VACUUM", "FSCK", "CLUSTER",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Action<'a> {
    #[serde(borrow)]
    commit_info: Option<CommitInfo<'a>>,
    #[serde(borrow)]
    add: Option<Add<'a>>,
    #[serde(borrow)]
    remove: Option<Remove<'a>>,
    #[expect(dead_code, reason = "it is only asked whether it is one")]
    meta_data: Option<MetaData>,
    #[expect(dead_code, reason = "it is only asked whether it is one")]
    protocol: Option<Protocol>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remove<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    partition_values: Option<BTreeMap<Cow<'a, str>, Option<Cow<'a, str>>>>,
    data_change: Option<bool>,
    #[expect(dead_code, reason = "it is only asked whether it is one")]
    deletion_timestamp: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is only asked whether it is one")]
struct MetaData {
    id: Option<String>,
    name: Option<String>,
    schema_string: Option<IgnoredText>,
    partition_columns: Option<Vec<String>>,
    configuration: Option<BTreeMap<String, Option<String>>>,
    created_time: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is only asked whether it is one")]
struct Protocol {
    min_reader_version: Option<u64>,
    min_writer_version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommitInfo<'a> {
    in_commit_timestamp: Option<i64>,
    timestamp: Option<i64>,
    #[serde(borrow)]
    operation: Option<Cow<'a, str>>,
    #[serde(default)]
    operation_metrics: Option<Metrics>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Add<'a> {
    #[expect(dead_code, reason = "it is only asked whether there is one")]
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow, default)]
    partition_values: BTreeMap<Cow<'a, str>, Option<Cow<'a, str>>>,
    data_change: bool,
    #[serde(borrow)]
    stats: Option<Cow<'a, str>>,
    deletion_vector: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    num_records: Option<u64>,
}

/// Reads a commit as its bytes come.
#[derive(Debug)]
pub(super) struct CommitReader<'a> {
    cycle_column: Option<&'a str>,
    wrote: Wrote,
    metrics: Option<Metrics>,
    line: Vec<u8>,
    n_lines: u64,
    n_actions: u64,
}

impl<'a> CommitReader<'a> {
    /// A commit of which nothing was read. `cycle_column` is the partition
    /// column whose values are cycles.
    pub(super) fn new(cycle_column: Option<&'a str>) -> CommitReader<'a> {
        CommitReader {
            cycle_column,
            wrote: Wrote::default(),
            metrics: None,
            line: Vec::new(),
            n_lines: 0,
            n_actions: 0,
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Result<(), LakeFault> {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            self.keep(line)?;
            self.take_line()?;
        }
        self.keep(bytes)
    }

    /// The commit has ended.
    pub(super) fn finish(mut self) -> Result<Wrote, LakeFault> {
        self.take_line()?;
        if self.n_actions == 0 {
            return Err(LakeFault::Empty);
        }
        let mut wrote = self.wrote;
        let operation = wrote.operation.as_deref().unwrap_or_default();
        wrote.copied = self.metrics.unwrap_or_default().copied(operation);
        Ok(wrote)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), LakeFault> {
        if self.line.len() + bytes.len() > LINE_MIB_MAX << 20 {
            return Err(LakeFault::LongLine {
                line: self.n_lines + 1,
            });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn take_line(&mut self) -> Result<(), LakeFault> {
        let line = std::mem::take(&mut self.line);
        if !line.iter().all(u8::is_ascii_whitespace) {
            let action: Action<'_> = serde_json::from_slice(&line)
                .map_err(|error| LakeFault::json(error, self.n_lines))?;
            self.take(action);
            self.n_actions += 1;
        }
        self.n_lines += 1;
        self.line = line;
        self.line.clear();
        Ok(())
    }

    fn take(&mut self, action: Action<'_>) {
        if let Some(info) = action.commit_info {
            self.wrote.at_millis = info.in_commit_timestamp.or(info.timestamp);
            self.wrote.operation = info.operation.map(Cow::into_owned);
            self.metrics = info.operation_metrics;
        }
        let removed = (action.remove).filter(|remove| remove.data_change != Some(false));
        if let Some((remove, column)) = removed.zip(self.cycle_column) {
            self.wrote.added.take_away(remove.value(column));
        }
        // A file with marks of deleted rows was there before it was marked.
        let Some(add) = action
            .add
            .filter(|add| add.data_change && add.deletion_vector.is_none())
        else {
            return;
        };
        let value = self.cycle_column.and_then(|column| {
            let value = add.partition_values.get(column);
            if value.is_none() {
                let names = add.partition_values.keys().map(ToString::to_string);
                self.wrote.other_columns = Some(names.collect());
            }
            value?.as_deref()
        });
        let stats = add
            .stats
            .as_deref()
            .and_then(|stats| serde_json::from_str(stats).ok());
        let rows = stats.and_then(|Stats { num_records }| num_records);
        self.wrote.added.add(value, rows);
    }
}

impl Wrote {
    /// Did it bring data?
    pub(super) fn brought(&self) -> bool {
        let takes_away = self.operation.as_ref().is_some_and(|operation| {
            let first = operation.split(' ').next().unwrap_or_default();
            BRINGS_NOTHING
                .iter()
                .any(|known| first.eq_ignore_ascii_case(known))
        });
        let rows = (self.copied).map_or_else(|| self.added.rows(), |copied| copied.written);
        !takes_away && self.added.n_files() > 0 && rows != Some(0)
    }

    /// What it brought; by cycle, if there is a column of them.
    pub(super) fn parts(&self, by_cycle: bool) -> CycleParts {
        match self.copied {
            copied if !by_cycle => self.added.whole(copied),
            Some(copied) => self.added.parts_beside_copies(copied),
            None => self.added.parts(),
        }
    }
}

impl Remove<'_> {
    /// Its value of a partition column: of what it says itself, else of the folder
    /// it lies in, as most writers name them. `None` if neither says.
    fn value(&self, column: &str) -> Option<Option<&str>> {
        if let Some(values) = &self.partition_values {
            return Some(values.get(column)?.as_deref());
        }
        let mut folders = self.path.split('/');
        let value = folders.find_map(|folder| folder.strip_prefix(column)?.strip_prefix('='))?;
        // What is escaped (`%3A`) would have to be read first.
        (!value.contains('%')).then_some(Some(value))
    }
}

/// A text that nobody reads: a schema may take megabytes.
struct IgnoredText;

impl<'de> Deserialize<'de> for IgnoredText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<IgnoredText, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = IgnoredText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_str<E>(self, _: &str) -> Result<IgnoredText, E> {
                Ok(IgnoredText)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a commit of such actions did, in one line.
    fn check(actions: &str) -> String {
        check_by("ds", actions)
    }

    fn check_by(column: &str, actions: &str) -> String {
        let mut reader = CommitReader::new(Some(column));
        // In pieces, as they come from a disk.
        let pushed = actions
            .as_bytes()
            .chunks(7)
            .try_for_each(|piece| reader.push(piece));
        let wrote = match pushed.and_then(|()| reader.finish()) {
            Ok(wrote) => wrote,
            Err(fault) => return fault.to_string(),
        };
        let parts = wrote.parts(true);
        let parts = parts.parts.iter().map(|part| {
            let cycle = part.cycle.map_or("-".to_owned(), |cycle| cycle.to_string());
            let rows = part.rows.map_or("?".to_owned(), |rows| rows.to_string());
            format!(" {}:{rows}", &cycle[..cycle.len().min(10)])
        });
        let brought = if wrote.brought() {
            "brought"
        } else {
            "nothing"
        };
        let at = wrote.at_millis.map_or("-".to_owned(), |at| at.to_string());
        format!("{at} {brought}{}", parts.collect::<String>())
    }

    fn info(operation: &str, metrics: &str) -> String {
        format!(
            r#"{{"commitInfo":{{"timestamp":17,"operation":"{operation}","operationMetrics":{metrics}}}}}"#
        )
    }

    fn add(day: &str, rows: u64) -> String {
        format!(
            r#"
{{"add":{{"path":"a","partitionValues":{{"ds":"{day}"}},"dataChange":true,"stats":"{{\"numRecords\":{rows},\"minValues\":{{}}}}"}}}}"#
        )
    }

    #[test]
    fn an_added_file_without_its_name_or_its_purpose_is_refused() {
        assert!(
            check(r#"{"add":{"path":5}}"#).starts_with("line 1, column 16: invalid type: integer")
        );
        assert!(check(r#"{"add":{"dataChange":true}}"#).contains("missing field `path`"));
        assert!(check(r#"{"add":{"path":"a"}}"#).contains("missing field `dataChange`"));
    }

    #[test]
    fn a_write_brings_the_rows_of_its_files() {
        let two = format!(
            "{}{}{}",
            info("WRITE", "{}"),
            add("2026-09-01", 3),
            add("2026-09-01", 4)
        );
        assert_eq!(check(&two), "17 brought 2026-09-01:7");
        let other = format!("{two}{}\n", add("2026-09-02", 1));
        assert_eq!(check(&other), "17 brought 2026-09-01:7 2026-09-02:1");
    }

    fn remove(path: &str, more: &str) -> String {
        format!(
            r#"
{{"remove":{{"path":"{path}","dataChange":true{more}}}}}"#
        )
    }

    #[test]
    fn a_merge_brings_what_it_inserted_and_updated_not_what_it_copied() {
        let files = format!("{}{}", add("2026-09-01", 8), remove("ds=2026-09-01/a", ""));
        for metrics in [
            r#"{"num_target_rows_inserted":2,"num_target_rows_updated":1,"num_target_rows_copied":5}"#,
            r#"{"numTargetRowsInserted":"2","numTargetRowsUpdated":"1","numOutputRows":"8"}"#,
        ] {
            let merge = format!("{}{files}", info("MERGE", metrics));
            assert_eq!(check(&merge), "17 brought 2026-09-01:3");
        }
        let deleted = r#"{"numTargetRowsInserted":0,"numTargetRowsUpdated":0}"#;
        let deleted = format!("{}{files}", info("MERGE", deleted));
        assert_eq!(check(&deleted), "17 nothing");
        let into_new = format!("{}{}", info("MERGE", "null"), add("2026-09-01", 8));
        assert_eq!(check(&into_new), "17 brought 2026-09-01:8");
    }

    #[test]
    fn an_update_brings_no_day_what_was_there_before() {
        for removed in [
            remove("ds=2026-09-01/a", ""),
            remove("a", r#","partitionValues":{"ds":"2026-09-01"}"#),
            // Of a day that is not told.
            remove("a", ""),
            remove("ds=2026%2D09-01/a", ""),
        ] {
            for metrics in ["null", r#"{"num_updated_rows":2}"#] {
                let update = format!(
                    "{}{}{removed}",
                    info("UPDATE", metrics),
                    add("2026-09-01", 8)
                );
                assert_eq!(check(&update), "17 brought", "{removed}");
            }
        }
        // Rows may have been moved to another day.
        let moved = format!(
            "{}{}{}",
            info("UPDATE", "null"),
            add("2026-09-02", 1),
            remove("ds=2026-09-01/a", "")
        );
        assert_eq!(check(&moved), "17 brought 2026-09-02:1");
    }

    #[test]
    fn actions_of_other_types_are_refused() {
        for (action, said) in [
            (r#"{"remove":{"path":5}}"#, "invalid type: integer"),
            (r#"{"remove":{"dataChange":true}}"#, "missing field `path`"),
            (
                r#"{"remove":{"path":"a","dataChange":"yes"}}"#,
                "expected a boolean",
            ),
            (r#"{"remove":"a"}"#, "invalid type: string"),
            (r#"{"metaData":{"id":7}}"#, "invalid type: integer"),
            (r#"{"metaData":{"schemaString":{}}}"#, "expected a text"),
            (
                r#"{"metaData":{"partitionColumns":"ds"}}"#,
                "expected a sequence",
            ),
            (r#"{"metaData":{"createdTime":"now"}}"#, "expected i64"),
            (r#"{"protocol":{"minReaderVersion":-1}}"#, "expected u64"),
        ] {
            let refused = check(action);
            assert!(
                refused.starts_with("line 1, column ") && refused.contains(said),
                "{refused}"
            );
        }
        let whole = r#"{"metaData":{"id":"1","name":null,"schemaString":"{\"a\":1}","partitionColumns":["ds"],"configuration":{"a":null},"createdTime":1}}"#;
        assert_eq!(check(whole), "- nothing");
    }

    #[test]
    fn what_takes_away_rewrites_or_goes_back_brings_nothing() {
        for operation in [
            "DELETE",
            "RESTORE",
            "OPTIMIZE",
            "VACUUM END",
            "CONVERT",
            "delete",
        ] {
            let commit = format!("{}{}", info(operation, "{}"), add("2026-09-01", 3));
            assert_eq!(check(&commit), "17 nothing 2026-09-01:3", "{operation}");
        }
        let compacted = add("2026-09-01", 3).replace("true", "false");
        assert_eq!(
            check(&format!("{}{compacted}", info("WRITE", "{}"))),
            "17 nothing"
        );
        let marked = add("2026-09-01", 3).replace("\"path\"", "\"deletionVector\":{},\"path\"");
        assert_eq!(
            check(&format!("{}{marked}", info("UNHEARD OF", "{}"))),
            "17 nothing"
        );
        assert_eq!(check(&info("ADD COLUMN", "{}")), "17 nothing");
    }

    #[test]
    fn no_rows_are_no_data() {
        let empty = format!("{}{}", info("WRITE", "{}"), add("2026-09-01", 0));
        assert_eq!(check(&empty), "17 nothing");
    }

    #[test]
    fn the_time_in_the_commit_counts_before_that_of_its_writer() {
        let info = r#"{"commitInfo":{"inCommitTimestamp":5,"timestamp":17}}"#;
        assert_eq!(check(info), "5 nothing");
        assert_eq!(check(&add("2026-09-01", 1)), "- brought 2026-09-01:1");
    }

    #[test]
    fn a_column_that_is_not_there_is_noticed() {
        let mut reader = CommitReader::new(Some("day"));
        reader.push(add("2026-09-01", 1).as_bytes()).unwrap();
        assert_eq!(
            reader.finish().unwrap().other_columns,
            Some(vec!["ds".to_owned()])
        );
        let null = add("", 1).replace("\"\"", "null");
        assert_eq!(check(&null), "- brought -:1");
    }

    #[test]
    fn what_is_no_commit_is_refused_with_its_line() {
        assert_eq!(check(""), "the file is empty");
        assert_eq!(
            check("\n{"),
            "line 2, column 1: the file ends in the middle"
        );
        assert_eq!(check("{}\n\u{1}"), "line 2, column 1: not JSON");
        assert_eq!(
            check("{\"commitInfo\":{\"timestamp\":\"soon\"}}"),
            "line 1, column 33: invalid type: string \\\"soon\\\", expected i64"
        );
        let deep = format!("{{\"add\":{}", "[".repeat(100_000));
        assert!(
            check(&deep).starts_with("line 1, column "),
            "{}",
            check(&deep)
        );
        let mut reader = CommitReader::new(None);
        let piece = vec![b' '; 1 << 20];
        let long = (0..=LINE_MIB_MAX).try_for_each(|_| reader.push(&piece));
        assert_eq!(long.unwrap_err().to_string(), "line 1: longer than 16 MiB");
    }
}

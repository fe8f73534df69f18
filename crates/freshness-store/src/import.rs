//! How do new arrivals join the old ones?
//!
//! Each chunk that new arrivals fall into is unpacked, merged by the same
//! rules as [`ArrivalHistory::new`], and written again only if that changed
//! it: importing the same thing twice writes no chunk.

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
use freshness_core::dataset::DatasetId;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction};

use crate::batch::ArrivalBatch;
use crate::chunk::{self, CHUNK_ARRIVALS};
use crate::datasets::{DatasetNo, number};
use crate::error::{Fault, StoreError};
use crate::history::{SECOND_BITS, first_key, key, last_key, unpack};
use crate::store::Store;

/// The file that a batch was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// As the user named it; `-` for standard input.
    pub name: String,
    /// Hash of its content, to know it again under any name.
    pub hash: String,
    /// When it was imported.
    pub at: Timestamp,
}

/// An import that has been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRecord {
    /// Of which file, and when.
    pub file: ImportedFile,
    /// Arrivals in it.
    pub n_rows: u64,
    /// Of these, how many the store did not have.
    pub n_new: u64,
}

/// What an import did.
#[derive(Debug, Default)]
pub struct ImportCounts {
    /// Arrivals that the store did not have.
    pub new: u64,
    /// Arrivals that it had, or that the batch had twice.
    pub duplicate: u64,
    /// Datasets that it did not know.
    pub datasets_new: u64,
    /// The first import of a file with the same content, if there was one.
    pub before: Option<ImportRecord>,
    /// Datasets whose stored arrivals are damaged: nothing of theirs was
    /// stored, and the file does not count as imported.
    pub refused: Vec<(DatasetId, StoreError)>,
}

impl Store {
    /// Stores a batch in one transaction; what is stored already changes
    /// nothing.
    pub fn import_arrivals(
        &mut self,
        batch: ArrivalBatch,
        file: &ImportedFile,
    ) -> Result<ImportCounts, StoreError> {
        let mut counts = self.import_arrivals_of(vec![(batch, file.clone())])?;
        Ok(counts.pop().expect("one batch, one answer"))
    }

    /// Stores the batches of several files, in their order, in one
    /// transaction: all of them or none.
    pub fn import_arrivals_of(
        &mut self,
        batches: Vec<(ArrivalBatch, ImportedFile)>,
    ) -> Result<Vec<ImportCounts>, StoreError> {
        let mut sorted = Vec::with_capacity(batches.len());
        for (batch, file) in batches {
            let n_rows = batch.len() as u64;
            let histories = batch.into_histories();
            check_times(&histories)?;
            sorted.push((histories, n_rows, file));
        }
        self.write(|transaction| {
            sorted
                .iter()
                .map(|(histories, n_rows, file)| import_file(transaction, histories, *n_rows, file))
                .collect()
        })
    }

    /// The first import of a file with this content, if there was one.
    pub fn import_of(&self, hash: &str) -> Result<Option<ImportRecord>, StoreError> {
        self.explain(|| find_import(&self.connection, hash))
    }
}

pub(crate) fn check_times(histories: &[(DatasetId, ArrivalHistory)]) -> Result<(), StoreError> {
    for (dataset, history) in histories {
        let out_of_range = |&&at: &&i64| at < 0 || at >> SECOND_BITS != 0;
        if let Some(&at) = history.at().iter().find(out_of_range) {
            let dataset = dataset.clone();
            return Err(StoreError::TimeOutOfRange { dataset, at });
        }
    }
    Ok(())
}

fn import_file(
    transaction: &Transaction<'_>,
    histories: &[(DatasetId, ArrivalHistory)],
    n_rows: u64,
    file: &ImportedFile,
) -> Result<ImportCounts, Fault> {
    let mut counts = ImportCounts {
        before: find_import(transaction, &file.hash)?,
        ..ImportCounts::default()
    };
    let joined = join_arrivals(transaction, histories)?;
    counts.new = joined.new;
    counts.datasets_new = joined.datasets_new;
    counts.refused = joined.refused;
    counts.duplicate = n_rows.saturating_sub(counts.new + joined.n_refused);
    if counts.refused.is_empty() {
        record_import(transaction, file, n_rows, counts.new)?;
    }
    Ok(counts)
}

/// What became of arrivals.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// Arrivals that the store did not have.
    pub new: u64,
    /// Datasets that it did not know.
    pub datasets_new: u64,
    /// Arrivals that were not stored.
    pub n_refused: u64,
    /// Datasets whose stored arrivals are damaged: nothing of theirs was stored,
    /// and they hold up nothing else.
    pub refused: Vec<(DatasetId, StoreError)>,
}

/// Stores arrivals within a transaction.
pub(crate) fn join_arrivals(
    transaction: &Transaction<'_>,
    histories: &[(DatasetId, ArrivalHistory)],
) -> Result<Joined, Fault> {
    let mut joined = Joined::default();
    for (dataset, fresh) in histories {
        let (no, is_new) = number(transaction, dataset)?;
        joined.datasets_new += u64::from(is_new);
        match merge_history(transaction, no, dataset, fresh) {
            Ok(0) => {}
            Ok(n_new) => {
                joined.new += n_new;
                transaction
                    .prepare_cached("DELETE FROM emptied WHERE dataset_no = ?1")?
                    .execute([no.0])?;
            }
            Err(Fault::Words(error)) => {
                joined.n_refused += fresh.len() as u64;
                joined.refused.push((dataset.clone(), error));
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(joined)
}

/// Merges sorted arrivals into the chunks of a dataset; gives how many are new.
fn merge_history(
    transaction: &Transaction<'_>,
    no: DatasetNo,
    dataset: &DatasetId,
    fresh: &ArrivalHistory,
) -> Result<u64, Fault> {
    let (Some(&first), Some(&last)) = (fresh.at().first(), fresh.at().last()) else {
        return Ok(0);
    };
    // All are unpacked before any is written: a damaged chunk leaves the
    // dataset as it was.
    let mut olds = Vec::new();
    for (key, packed) in chunks_between(transaction, no, first, last)? {
        let old = unpack(&packed, key).map_err(|reason| StoreError::BadChunk {
            dataset: dataset.clone(),
            reason,
        })?;
        olds.push((Some(key), old));
    }
    if olds.is_empty() {
        olds.push((None, ArrivalHistory::default()));
    }
    let mut n_new = 0;
    let mut start = 0;
    for i in 0..olds.len() {
        let (old_key, old) = &olds[i];
        let end = match olds.get(i + 1) {
            Some((_, next)) => fresh.at().partition_point(|&at| at < next.at()[0]),
            None => fresh.len(),
        };
        if start < end {
            n_new += merge_chunk(transaction, no, *old_key, old, fresh, start..end)?;
        }
        start = end;
    }
    Ok(n_new)
}

/// The chunks that arrivals of `first..=last` fall into. Those before the
/// first chunk fall into it, so that importing backwards leaves no crumbs.
pub(crate) fn chunks_between(
    transaction: &Transaction<'_>,
    no: DatasetNo,
    first: i64,
    last: i64,
) -> Result<Vec<(i64, Vec<u8>)>, Fault> {
    let start: Option<i64> = transaction
        .prepare_cached(
            "SELECT coalesce(
                 (SELECT max(key) FROM chunks WHERE key BETWEEN ?1 AND ?2),
                 (SELECT min(key) FROM chunks WHERE key BETWEEN ?1 AND ?3))",
        )?
        .query_row([first_key(no), key(no, first), last_key(no)], |row| {
            row.get(0)
        })?;
    let Some(start) = start else {
        return Ok(Vec::new());
    };
    let mut chunks = transaction.prepare_cached(
        "SELECT key, packed FROM chunks WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
    )?;
    let rows = chunks.query_map([start, key(no, last).max(start)], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn merge_chunk(
    transaction: &Transaction<'_>,
    no: DatasetNo,
    old_key: Option<i64>,
    old: &ArrivalHistory,
    fresh: &ArrivalHistory,
    range: std::ops::Range<usize>,
) -> Result<u64, Fault> {
    let appends = old
        .at()
        .last()
        .is_none_or(|&last| last <= fresh.at()[range.start]);
    let merged = merge(old, fresh, range);
    if merged == *old {
        return Ok(0);
    }
    let (at, details) = merged.columns();
    let mut start = 0;
    if let Some(old_key) = old_key.filter(|&old_key| old_key != key(no, at[0])) {
        transaction
            .prepare_cached("DELETE FROM chunks WHERE key = ?1")?
            .execute([old_key])?;
    }
    let mut insert =
        transaction.prepare_cached("INSERT OR REPLACE INTO chunks VALUES (?1, ?2, ?3)")?;
    for end in cuts(at, appends) {
        let details = details.get(start..end).unwrap_or_default();
        let packed = chunk::encode(&at[start..end], details);
        insert.execute((key(no, at[start]), (end - start) as i64, packed))?;
        start = end;
    }
    Ok((merged.len() - old.len()) as u64)
}

/// Where each chunk ends. Appended chunks are filled, since more will follow;
/// others are cut evenly, to leave room. A second is never cut in two: its
/// chunks would have one key.
fn cuts(at: &[i64], appends: bool) -> Vec<usize> {
    let n_chunks = at.len().div_ceil(CHUNK_ARRIVALS);
    let size = match appends {
        true => CHUNK_ARRIVALS,
        false => at.len().div_ceil(n_chunks.max(1)),
    };
    let mut cuts = Vec::with_capacity(n_chunks);
    let mut start = 0;
    while start < at.len() {
        let mut end = (start + size).min(at.len());
        if end < at.len() && at[end - 1] == at[end] {
            let second = at[end];
            let second_starts = at.partition_point(|&at| at < second);
            end = match second_starts > start {
                true => second_starts,
                false => at.partition_point(|&at| at <= second),
            };
        }
        cuts.push(end);
        start = end;
    }
    cuts
}

fn merge(
    old: &ArrivalHistory,
    fresh: &ArrivalHistory,
    range: std::ops::Range<usize>,
) -> ArrivalHistory {
    let (old_at, old_details) = old.columns();
    let (fresh_at, fresh_details) = fresh.columns();
    let fresh_at = &fresh_at[range.clone()];
    let fresh_details = fresh_details.get(range).unwrap_or_default();
    if old_details.is_empty() && fresh_details.is_empty() {
        let mut at = [old_at, fresh_at].concat();
        // Two sorted runs: the stable sort finds and merges them.
        at.sort();
        at.dedup();
        return ArrivalHistory::from_columns(at, Vec::new());
    }
    let mut arrivals = Vec::with_capacity(old_at.len() + fresh_at.len());
    for (at, details) in [(old_at, old_details), (fresh_at, fresh_details)] {
        arrivals.extend(at.iter().enumerate().map(|(i, &at)| Arrival {
            at,
            detail: details.get(i).cloned().unwrap_or(ArrivalDetail::default()),
        }));
    }
    ArrivalHistory::new(arrivals)
}

fn find_import(
    connection: &rusqlite::Connection,
    hash: &str,
) -> Result<Option<ImportRecord>, Fault> {
    let found = connection
        .prepare_cached(
            "SELECT name, hash, at, n_rows, n_new FROM imports WHERE hash = ?1 ORDER BY no LIMIT 1",
        )?
        .query_row([hash], |row| {
            Ok(ImportRecord {
                file: ImportedFile {
                    name: row.get(0)?,
                    hash: row.get(1)?,
                    at: crate::store::instant(row, 2)?,
                },
                n_rows: row.get(3)?,
                n_new: row.get(4)?,
            })
        })
        .optional()?;
    Ok(found)
}

fn record_import(
    transaction: &Transaction<'_>,
    file: &ImportedFile,
    n_rows: u64,
    n_new: u64,
) -> Result<(), Fault> {
    let ImportedFile { name, hash, at } = file;
    transaction.execute(
        "INSERT INTO imports (name, hash, n_rows, n_new, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        (name, hash, n_rows, n_new, at.as_second()),
    )?;
    Ok(())
}

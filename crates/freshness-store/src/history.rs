//! What has a dataset delivered: all of it, or only lately?
//!
//! Both read the chunks of a dataset backwards; a check stops after one or two.

use freshness_core::arrivals::ArrivalHistory;

use crate::chunk::{self, ChunkError, NewestFirst};
use crate::datasets::{DatasetNo, PerDataset};
use crate::error::StoreError;
use crate::store::Store;

/// How much of the end of a history is wanted: whichever is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// At least this many arrivals, if there are as many.
    pub at_least: usize,
    /// All arrivals since this instant: UTC seconds.
    pub since: i64,
}

impl Store {
    /// All arrivals of a dataset; empty if it has none.
    pub fn history(&self, no: DatasetNo) -> Result<ArrivalHistory, StoreError> {
        self.read_back(no, |_, _| false)
    }

    /// The newest arrivals of a dataset.
    pub fn recent(&self, no: DatasetNo, tail: Tail) -> Result<ArrivalHistory, StoreError> {
        // One arrival older than `since` shows that there are no more.
        self.read_back(no, |n, oldest| n >= tail.at_least && oldest < tail.since)
    }

    /// The newest arrivals of all datasets, by number. An error concerns its
    /// dataset only.
    pub fn recent_all(&self, tail: Tail) -> Result<PerDataset<ArrivalHistory>, StoreError> {
        self.at_one_instant(|store| {
            let numbers = store.dataset_numbers()?;
            let recent = |no| (no, store.recent(no, tail));
            Ok(numbers.into_iter().map(recent).collect())
        })
    }

    /// The numbers of all datasets, ascending.
    pub fn dataset_numbers(&self) -> Result<Vec<DatasetNo>, StoreError> {
        self.explain(|| {
            let mut all = self
                .connection
                .prepare_cached("SELECT no FROM datasets ORDER BY no")?;
            let numbers = all.query_map([], |row| row.get(0).map(DatasetNo))?;
            Ok(numbers.collect::<Result<_, _>>()?)
        })
    }

    fn read_back(
        &self,
        no: DatasetNo,
        enough: impl Fn(usize, i64) -> bool,
    ) -> Result<ArrivalHistory, StoreError> {
        self.explain(|| {
            let mut columns = NewestFirst::default();
            let mut chunks = self.connection.prepare_cached(
                "SELECT key, packed FROM chunks WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC",
            )?;
            let mut rows = chunks.query([first_key(no), last_key(no)])?;
            while let Some(row) = rows.next()? {
                let packed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                if let Err(reason) = decode_in_place(packed, row.get(0)?, &mut columns, &enough) {
                    let dataset = self.name(no)?;
                    return Err(StoreError::BadChunk { dataset, reason }.into());
                }
                if columns
                    .at
                    .last()
                    .is_some_and(|&at| enough(columns.at.len(), at))
                {
                    break;
                }
            }
            let NewestFirst {
                mut at,
                mut details,
            } = columns;
            at.reverse();
            details.reverse();
            Ok(ArrivalHistory::from_columns(at, details))
        })
    }
}

/// Decodes a chunk and checks that it stands where it belongs.
fn decode_in_place(
    packed: &[u8],
    key: i64,
    into: &mut NewestFirst,
    enough: impl Fn(usize, i64) -> bool,
) -> Result<(), ChunkError> {
    let n_before = into.at.len();
    chunk::decode(packed, into, enough)?;
    let follows = n_before == 0 || into.at[n_before] <= into.at[n_before - 1];
    let in_range = into
        .at
        .last()
        .is_some_and(|&oldest| oldest >= first_second(key));
    match follows && in_range {
        true => Ok(()),
        false => Err(ChunkError::Malformed),
    }
}

/// Seconds take 34 bits of a key: until the year 2514.
pub(crate) const SECOND_BITS: u32 = 34;

pub(crate) fn key(no: DatasetNo, first_second: i64) -> i64 {
    no.0 << SECOND_BITS | first_second
}

pub(crate) fn first_key(no: DatasetNo) -> i64 {
    key(no, 0)
}

pub(crate) fn last_key(no: DatasetNo) -> i64 {
    key(no, (1 << SECOND_BITS) - 1)
}

fn first_second(key: i64) -> i64 {
    key & ((1 << SECOND_BITS) - 1)
}

/// The arrivals of one chunk, oldest first.
pub(crate) fn unpack(packed: &[u8], key: i64) -> Result<ArrivalHistory, ChunkError> {
    let mut columns = NewestFirst::default();
    decode_in_place(packed, key, &mut columns, |_, _| false)?;
    columns.at.reverse();
    columns.details.reverse();
    Ok(ArrivalHistory::from_columns(columns.at, columns.details))
}

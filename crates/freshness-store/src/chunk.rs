//! How are the arrivals of a dataset packed into bytes?
//!
//! A chunk holds about a thousand arrivals in columns, newest first, so that a
//! check which wants the last few decodes only these. Layout of version 1;
//! numbers are LEB128 varints, signed ones zigzag, a block is its length and
//! its bytes:
//!
//! ```text
//! version u8 | columns u8 | n | newest: signed | step: signed
//! block: n − 1 times: signed (gap to the next newer arrival − step)
//! block for each bit of `columns`: which arrivals have a value, and the values
//! crc32 of all before: u32, little endian
//! ```
//!
//! `step` is the median gap, so that a daily arrival takes two bytes. SQLite
//! keeps no checksum of its pages; without the crc a flipped bit would be a
//! believable wrong time.

use freshness_core::arrivals::{ArrivalDetail, CycleName};

/// The most arrivals in a chunk, unless more fall into one second.
pub(crate) const CHUNK_ARRIVALS: usize = 1_024;

const VERSION: u8 = 1;
const CYCLE: u8 = 1;
const RUN_ID: u8 = 2;
const COVERS_THROUGH: u8 = 4;
const ROWS: u8 = 8;
const ALL_COLUMNS: u8 = CYCLE | RUN_ID | COVERS_THROUGH | ROWS;

/// Why a chunk cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ChunkError {
    #[error("checksum does not match")]
    Checksum,
    #[error("unknown chunk version: {0}")]
    Version(u8),
    #[error("malformed chunk")]
    Malformed,
}

/// Arrivals in columns, newest first.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct NewestFirst {
    /// UTC seconds, descending.
    pub(crate) at: Vec<i64>,
    /// Empty, or one for each arrival.
    pub(crate) details: Vec<ArrivalDetail>,
}

/// Packs arrivals, given oldest first; at least one; no details, or one each.
pub(crate) fn encode(at: &[i64], details: &[ArrivalDetail]) -> Vec<u8> {
    assert!(!at.is_empty() && at.is_sorted(), "a chunk is sorted");
    let step = median_gap(at);
    let mut times = Vec::with_capacity(at.len() * 2);
    for pair in at.windows(2).rev() {
        put_signed(&mut times, pair[1] - pair[0] - step);
    }
    let columns = columns_of(details);
    let mut packed = vec![VERSION, columns];
    put(&mut packed, at.len() as u64);
    put_signed(&mut packed, at[at.len() - 1]);
    put_signed(&mut packed, step);
    put_block(&mut packed, &times);
    if columns & CYCLE != 0 {
        put_block(&mut packed, &encode_cycles(details));
    }
    if columns & RUN_ID != 0 {
        put_block(&mut packed, &encode_run_ids(details));
    }
    if columns & COVERS_THROUGH != 0 {
        put_block(&mut packed, &encode_coverage(at, details));
    }
    if columns & ROWS != 0 {
        put_block(&mut packed, &encode_rows(details));
    }
    let crc = crc32fast::hash(&packed);
    packed.extend_from_slice(&crc.to_le_bytes());
    packed
}

/// Appends the arrivals of a chunk, newest first, up to and including the
/// first for which `enough(arrivals so far, its time)` holds.
pub(crate) fn decode(
    packed: &[u8],
    into: &mut NewestFirst,
    enough: impl Fn(usize, i64) -> bool,
) -> Result<(), ChunkError> {
    let mut bytes = Bytes(checked(packed)?);
    let version = bytes.byte()?;
    if version != VERSION {
        return Err(ChunkError::Version(version));
    }
    let columns = bytes.byte()?;
    let n = usize::try_from(bytes.unsigned()?).map_err(|_| ChunkError::Malformed)?;
    let mut at = bytes.signed()?;
    let step = bytes.signed()?;
    let mut times = bytes.block()?;
    // Every gap takes a byte, so a wild `n` cannot ask for wild memory.
    if columns & !ALL_COLUMNS != 0 || n == 0 || n - 1 > times.0.len() {
        return Err(ChunkError::Malformed);
    }
    let start = into.at.len();
    into.at.reserve(n);
    into.at.push(at);
    for n_before in start + 1..start + n {
        if enough(n_before, at) {
            break;
        }
        let gap = times.signed()?.wrapping_add(step);
        at = match at.checked_sub(gap) {
            Some(older) if gap >= 0 => older,
            _ => return Err(ChunkError::Malformed),
        };
        into.at.push(at);
    }
    if columns != 0 || !into.details.is_empty() {
        into.details.resize(into.at.len(), ArrivalDetail::default());
        decode_details(
            &mut bytes,
            columns,
            &into.at[start..],
            &mut into.details[start..],
        )?;
    }
    if bytes.0.is_empty() {
        Ok(())
    } else {
        Err(ChunkError::Malformed)
    }
}

fn decode_details(
    bytes: &mut Bytes<'_>,
    columns: u8,
    at: &[i64],
    details: &mut [ArrivalDetail],
) -> Result<(), ChunkError> {
    if columns & CYCLE != 0 {
        decode_cycles(bytes.block()?, details)?;
    }
    if columns & RUN_ID != 0 {
        decode_run_ids(bytes.block()?, details)?;
    }
    if columns & COVERS_THROUGH != 0 {
        decode_coverage(bytes.block()?, at, details)?;
    }
    if columns & ROWS != 0 {
        decode_rows(bytes.block()?, details)?;
    }
    Ok(())
}

fn columns_of(details: &[ArrivalDetail]) -> u8 {
    let mut columns = 0;
    for detail in details {
        let ArrivalDetail {
            cycle,
            run_id,
            covers_through,
            rows,
        } = detail;
        columns |= (u8::from(cycle.is_some()) * CYCLE)
            | (u8::from(run_id.is_some()) * RUN_ID)
            | (u8::from(covers_through.is_some()) * COVERS_THROUGH)
            | (u8::from(rows.is_some()) * ROWS);
    }
    columns
}

fn median_gap(at: &[i64]) -> i64 {
    let mut gaps: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let middle = gaps.len() / 2;
    match gaps.is_empty() {
        true => 0,
        false => *gaps.select_nth_unstable(middle).1,
    }
}

// Cycles step evenly, so they are kept as changes of their step: mostly zeros.

fn encode_cycles(details: &[ArrivalDetail]) -> Vec<u8> {
    let tag = |detail: &ArrivalDetail| match detail.cycle {
        None => 0,
        Some(CycleName::Civil(_)) => 1,
        Some(CycleName::Instant(_)) => 2,
    };
    let mut column = encode_tags(details.iter().rev().map(tag));
    let (mut last, mut step) = (0i64, 0i64);
    for detail in details.iter().rev() {
        if let Some(CycleName::Civil(seconds) | CycleName::Instant(seconds)) = detail.cycle {
            let new_step = seconds.wrapping_sub(last);
            put_signed(&mut column, new_step.wrapping_sub(step));
            (last, step) = (seconds, new_step);
        }
    }
    column
}

fn decode_cycles(mut column: Bytes<'_>, details: &mut [ArrivalDetail]) -> Result<(), ChunkError> {
    let tags = decode_tags(&mut column, details.len())?;
    let (mut last, mut step) = (0i64, 0i64);
    for (detail, tag) in details.iter_mut().zip(tags) {
        if tag == 0 {
            continue;
        }
        step = step.wrapping_add(column.signed()?);
        last = last.wrapping_add(step);
        detail.cycle = Some(match tag {
            1 => CycleName::Civil(last),
            2 => CycleName::Instant(last),
            _ => return Err(ChunkError::Malformed),
        });
    }
    Ok(())
}

// Run ids differ at their ends: each keeps what it shares with the one before.

fn encode_run_ids(details: &[ArrivalDetail]) -> Vec<u8> {
    let mut column = encode_tags(details.iter().rev().map(|d| u8::from(d.run_id.is_some())));
    let mut last: &[u8] = &[];
    for run_id in details.iter().rev().filter_map(|d| d.run_id.as_deref()) {
        let run_id = run_id.as_bytes();
        let n_shared = last.iter().zip(run_id).take_while(|(a, b)| a == b).count();
        put(&mut column, n_shared as u64);
        put_block(&mut column, &run_id[n_shared..]);
        last = run_id;
    }
    column
}

fn decode_run_ids(mut column: Bytes<'_>, details: &mut [ArrivalDetail]) -> Result<(), ChunkError> {
    let tags = decode_tags(&mut column, details.len())?;
    let mut run_id = Vec::new();
    for (detail, tag) in details.iter_mut().zip(tags) {
        if tag == 0 {
            continue;
        }
        match usize::try_from(column.unsigned()?) {
            Ok(n_shared) if n_shared <= run_id.len() => run_id.truncate(n_shared),
            _ => return Err(ChunkError::Malformed),
        }
        run_id.extend_from_slice(column.block()?.0);
        let text = std::str::from_utf8(&run_id).map_err(|_| ChunkError::Malformed)?;
        detail.run_id = Some(text.into());
    }
    Ok(())
}

fn encode_coverage(at: &[i64], details: &[ArrivalDetail]) -> Vec<u8> {
    let has = |detail: &ArrivalDetail| u8::from(detail.covers_through.is_some());
    let mut column = encode_tags(details.iter().rev().map(has));
    for (at, detail) in at.iter().zip(details).rev() {
        if let Some(covers_through) = detail.covers_through {
            put_signed(&mut column, at.wrapping_sub(covers_through));
        }
    }
    column
}

fn decode_coverage(
    mut column: Bytes<'_>,
    at: &[i64],
    details: &mut [ArrivalDetail],
) -> Result<(), ChunkError> {
    let tags = decode_tags(&mut column, details.len())?;
    for ((detail, at), tag) in details.iter_mut().zip(at).zip(tags) {
        if tag != 0 {
            detail.covers_through = Some(at.wrapping_sub(column.signed()?));
        }
    }
    Ok(())
}

fn encode_rows(details: &[ArrivalDetail]) -> Vec<u8> {
    let mut column = encode_tags(details.iter().rev().map(|d| u8::from(d.rows.is_some())));
    for rows in details.iter().rev().filter_map(|detail| detail.rows) {
        put(&mut column, rows);
    }
    column
}

fn decode_rows(mut column: Bytes<'_>, details: &mut [ArrivalDetail]) -> Result<(), ChunkError> {
    let tags = decode_tags(&mut column, details.len())?;
    for (detail, tag) in details.iter_mut().zip(tags) {
        if tag != 0 {
            detail.rows = Some(column.unsigned()?);
        }
    }
    Ok(())
}

/// A block of runs: tag, length, tag, length, …
fn encode_tags(tags: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut runs: Vec<(u8, u64)> = Vec::new();
    for tag in tags {
        match runs.last_mut() {
            Some((last, n)) if *last == tag => *n += 1,
            _ => runs.push((tag, 1)),
        }
    }
    let mut block = Vec::new();
    for (tag, n) in runs {
        block.push(tag);
        put(&mut block, n);
    }
    let mut column = Vec::new();
    put_block(&mut column, &block);
    column
}

fn decode_tags(column: &mut Bytes<'_>, n_wanted: usize) -> Result<Vec<u8>, ChunkError> {
    let mut block = column.block()?;
    let mut tags = Vec::with_capacity(n_wanted);
    while tags.len() < n_wanted {
        let tag = block.byte()?;
        let n = usize::try_from(block.unsigned()?).map_err(|_| ChunkError::Malformed)?;
        if n == 0 {
            return Err(ChunkError::Malformed);
        }
        tags.resize(n_wanted.min(tags.len().saturating_add(n)), tag);
    }
    Ok(tags)
}

fn checked(packed: &[u8]) -> Result<&[u8], ChunkError> {
    let (body, crc) = packed
        .split_last_chunk::<4>()
        .ok_or(ChunkError::Malformed)?;
    if crc32fast::hash(body) == u32::from_le_bytes(*crc) {
        Ok(body)
    } else {
        Err(ChunkError::Checksum)
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn put_signed(bytes: &mut Vec<u8>, value: i64) {
    put(bytes, (value << 1 ^ value >> 63) as u64);
}

fn put_block(bytes: &mut Vec<u8>, block: &[u8]) {
    put(bytes, block.len() as u64);
    bytes.extend_from_slice(block);
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Result<u8, ChunkError> {
        let (&first, rest) = self.0.split_first().ok_or(ChunkError::Malformed)?;
        self.0 = rest;
        Ok(first)
    }

    #[inline]
    fn unsigned(&mut self) -> Result<u64, ChunkError> {
        let mut value = 0;
        for (i, &byte) in self.0.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                self.0 = &self.0[i + 1..];
                return Ok(value);
            }
        }
        Err(ChunkError::Malformed)
    }

    #[inline]
    fn signed(&mut self) -> Result<i64, ChunkError> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn block(&mut self) -> Result<Bytes<'a>, ChunkError> {
        let n = usize::try_from(self.unsigned()?).map_err(|_| ChunkError::Malformed)?;
        let (block, rest) = self.0.split_at_checked(n).ok_or(ChunkError::Malformed)?;
        self.0 = rest;
        Ok(Bytes(block))
    }
}

#[cfg(test)]
#[path = "chunk_tests.rs"]
mod tests;

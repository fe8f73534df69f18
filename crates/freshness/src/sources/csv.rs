//! How is CSV read?
//!
//! By the `csv` crate into one record that is used again and again. A record
//! may span lines inside quotes, so what bounds memory is not the line but how
//! far reading has run ahead of the last whole record.

use std::cell::Cell as Shared;
use std::io::{self, BufRead, Read};

use csv::{ByteRecord, ReaderBuilder};

use super::input::{LongLine, from_io};
use super::problem::{Problem, SourceError};
use super::table::{COLUMNS_MAX, Cell, Columns, OnRow, TableRead};

/// The longest record.
pub(super) const LINE_BYTES_MAX: u64 = 1 << 20;

const NAMED_BY: &str = "the first line of a CSV file must name its columns";

const BUFFER_BYTES: usize = 64 << 10;

pub(super) fn read(
    mut bytes: Box<dyn BufRead + '_>,
    columns: &Columns,
    on_row: &mut OnRow<'_>,
) -> Result<TableRead, SourceError> {
    let head = bytes.fill_buf().map_err(from_io)?;
    let (delimiter, uncounted) = (delimiter(head), u64::from(has_two_byte_ends(head)));
    let done = Shared::new(Done { byte: 0, line: 1 });
    let last_byte = Shared::new(None);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(BUFFER_BYTES)
        .from_reader(Guard {
            bytes,
            given: 0,
            last: None,
            done: &done,
            last_byte: &last_byte,
        });
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| -> Result<Option<u64>, SourceError> {
        if !reader.read_byte_record(record).map_err(from_csv)? {
            return Ok(None);
        }
        let end = reader.position();
        let line = first_line(record, end.line(), uncounted, last_byte.get().is_some());
        if end.byte() - record.position().map_or(0, csv::Position::byte) > LINE_BYTES_MAX {
            return Err(SourceError::LongLine { line });
        }
        done.set(Done {
            byte: end.byte(),
            line: end.line() + uncounted,
        });
        Ok(Some(line))
    };
    if next(&mut record)?.is_none() {
        return Err(SourceError::Empty);
    }
    let header: Vec<String> = record
        .iter()
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    let (places, ignored) = columns.find(&header, NAMED_BY)?;
    let mut rows = 0;
    while let Some(line) = next(&mut record)? {
        rows += 1;
        if is_unclosed(&record, last_byte.get()) {
            on_row(line, Err(Problem::UnclosedQuote));
            continue;
        }
        if record.len() != header.len() {
            on_row(
                line,
                Err(Problem::Fields {
                    expected: header.len(),
                    found: record.len(),
                    lines: done.get().line.saturating_sub(line).max(1),
                }),
            );
            continue;
        }
        let mut cells = [Cell::Missing; COLUMNS_MAX];
        for (cell, place) in cells.iter_mut().zip(places) {
            *cell = match place.and_then(|place| record.get(place)) {
                None | Some(b"") => Cell::Missing,
                Some(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => Cell::Text(text),
                    Err(_) => Cell::NotUtf8(bytes),
                },
            };
        }
        on_row(line, Ok(&cells));
    }
    Ok(TableRead { rows, ignored })
}

/// The line that a record begins in, reckoned from where it ends: empty lines
/// before it are none of it. `end` is the line there, with `uncounted` ends
/// still to come; `is_last` tells that the file ended it.
fn first_line(record: &ByteRecord, end: u64, uncounted: u64, is_last: bool) -> u64 {
    let within = record.as_slice().iter().filter(|&&byte| byte == b'\n');
    let last = match is_last {
        true => end,
        // It stands before the line that comes next.
        false => (end + uncounted).saturating_sub(1),
    };
    last.saturating_sub(within.count() as u64).max(1)
}

/// Did the end of the file, rather than a quote, end the last value? Then the
/// value holds the ends of the lines it ran over, and the file ends without
/// the quote. A record that a line end ended is read before the end is seen.
fn is_unclosed(record: &ByteRecord, last_byte: Option<u8>) -> bool {
    let ends_lines = record
        .iter()
        .next_back()
        .is_some_and(|last| last.contains(&b'\n'));
    ends_lines && last_byte.is_some_and(|last| last != b'"')
}

/// Do its lines end in CR LF? Then a record starts before the LF that ends the
/// line before, and that line is not counted yet.
fn has_two_byte_ends(head: &[u8]) -> bool {
    let end = head.iter().position(|&byte| byte == b'\n');
    end.is_some_and(|end| head[..end].ends_with(b"\r"))
}

/// Comma, unless the first line has more semicolons or tabs.
fn delimiter(head: &[u8]) -> u8 {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    let n = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
    // The last of equals wins.
    b";\t,"
        .iter()
        .copied()
        .max_by_key(|&delimiter| n(delimiter))
        .unwrap_or(b',')
}

fn from_csv(error: csv::Error) -> SourceError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => from_io(error),
        // Records are bytes of any length: nothing else can go wrong.
        other => SourceError::Io(io::Error::other(format!("{other:?}"))),
    }
}

/// Up to where whole records have been read.
#[derive(Clone, Copy)]
struct Done {
    byte: u64,
    line: u64,
}

/// Refuses to read on when no record has ended for too long.
struct Guard<'a> {
    bytes: Box<dyn BufRead + 'a>,
    given: u64,
    last: Option<u8>,
    /// The last byte of all, once the end is reached.
    last_byte: &'a Shared<Option<u8>>,
    done: &'a Shared<Done>,
}

impl Read for Guard<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Done { byte, line } = self.done.get();
        if self.given.saturating_sub(byte) > LINE_BYTES_MAX {
            return Err(io::Error::other(LongLine { line }));
        }
        let n = self.bytes.read(into)?;
        match n {
            0 if !into.is_empty() => self.last_byte.set(self.last),
            n => self.last = into[..n].last().copied().or(self.last),
        }
        self.given += n as u64;
        Ok(n)
    }
}

//! Where do the bytes come from, and what are they?
//!
//! The format is told from the first bytes, not from the name: a renamed or
//! compressed file is read all the same, and what cannot be read is named.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::PathBuf;
use std::str::FromStr;

use flate2::bufread::GzDecoder;
use parquet::file::reader::{ChunkReader, Length};

use super::problem::SourceError;
use super::regular::{irregular, is_handed_over};

/// What is read, and as what.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where the bytes are.
    pub origin: Origin,
    /// The format, if the user says it; else it is told from the bytes.
    pub format: Option<Format>,
}

/// Where the bytes are.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A file, or a stream that was handed over (`/dev/fd/N`).
    File(PathBuf),
    /// The standard input.
    Stdin,
    /// In memory, with the name that messages give it.
    Bytes(String, Vec<u8>),
}

/// What the bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header; `;` and tab are recognised too.
    Csv,
    /// One JSON object on each line.
    Ndjson,
    /// Apache Parquet.
    Parquet,
}

/// The text names no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format: {0} (expected csv, ndjson or parquet)")]
pub struct UnknownFormat(pub String);

impl Source {
    /// The source that an argument names: `-` is the standard input.
    pub fn named(path: PathBuf, format: Option<Format>) -> Source {
        let origin = match path.as_os_str() == "-" {
            true => Origin::Stdin,
            false => Origin::File(path),
        };
        Source { origin, format }
    }

    /// Its name in messages.
    pub fn label(&self) -> String {
        match &self.origin {
            Origin::File(path) => path.display().to_string(),
            Origin::Stdin => "<stdin>".to_owned(),
            Origin::Bytes(label, _) => label.clone(),
        }
    }

    /// Its size in bytes, if it is known before reading.
    pub fn bytes(&self) -> Option<u64> {
        match &self.origin {
            Origin::File(path) => std::fs::metadata(path)
                .ok()
                .filter(std::fs::Metadata::is_file)
                .map(|metadata| metadata.len()),
            Origin::Stdin => None,
            Origin::Bytes(_, bytes) => Some(bytes.len() as u64),
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        match text.to_ascii_lowercase().as_str() {
            "csv" => Ok(Format::Csv),
            "ndjson" | "jsonl" => Ok(Format::Ndjson),
            "parquet" => Ok(Format::Parquet),
            _ => Err(UnknownFormat(text.to_owned())),
        }
    }
}

/// An opened source.
pub(super) enum Input<'a> {
    Csv(Box<dyn BufRead + 'a>),
    Ndjson(Box<dyn BufRead + 'a>),
    Parquet(ParquetBytes),
}

/// Parquet is read from its end, so it needs a file or all of it in memory.
pub(super) enum ParquetBytes {
    File(File),
    Memory(bytes::Bytes),
}

/// Large enough that a read is rarely the price of a row.
const BUFFER_BYTES: usize = 256 << 10;

/// Parquet that comes through a pipe or gzip is held in memory up to here.
const MEMORY_GIB_MAX: u64 = 1;

/// The bytes of a source, unzipped if they are zipped, and whether they were.
/// `on_bytes` is shown every piece as it is read.
pub(super) fn bytes<'a>(
    source: &'a Source,
    on_bytes: &'a dyn Fn(&[u8]),
) -> Result<(Box<dyn BufRead + 'a>, bool), SourceError> {
    let raw: Box<dyn Read + 'a> = match &source.origin {
        Origin::File(path) => {
            let metadata = std::fs::metadata(path).map_err(from_io)?;
            if metadata.is_dir() {
                return Err(SourceError::Directory { like: "*.csv" });
            }
            if let Some(what) = irregular(&metadata).filter(|_| !is_handed_over(path)) {
                return Err(SourceError::NotAFile(what));
            }
            Box::new(File::open(path).map_err(from_io)?)
        }
        Origin::Stdin => Box::new(io::stdin().lock()),
        Origin::Bytes(_, bytes) => Box::new(Cursor::new(bytes.as_slice())),
    };
    let raw = Metered { raw, on_bytes };
    let mut plain = BufReader::with_capacity(BUFFER_BYTES, raw);
    let zipped = plain.fill_buf().map_err(from_io)?.starts_with(&GZIP);
    let mut input: Box<dyn BufRead + 'a> = match zipped {
        true => {
            let decoder = Members::Inside(Box::new(GzDecoder::new(plain)));
            Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
        }
        false => Box::new(plain),
    };
    input.fill_buf().map_err(from_io)?;
    Ok((input, zipped))
}

/// Steps over the mark that some programs put before UTF-8.
pub(super) fn skip_mark(input: &mut (impl BufRead + ?Sized)) -> Result<(), SourceError> {
    if input.fill_buf().map_err(from_io)?.starts_with(UTF8_BOM) {
        input.consume(UTF8_BOM.len());
    }
    Ok(())
}

/// Opens a source. `on_bytes` is shown every piece as it is read, once and in
/// order: for progress and for the hash of the content.
pub(super) fn open<'a>(
    source: &'a Source,
    on_bytes: &'a dyn Fn(&[u8]),
) -> Result<Input<'a>, SourceError> {
    let (mut input, zipped) = bytes(source, on_bytes)?;
    let told = told(input.fill_buf().map_err(from_io)?, source.format)?;
    let extension = match &source.origin {
        Origin::File(path) => path.extension().and_then(|extension| extension.to_str()),
        Origin::Stdin | Origin::Bytes(..) => None,
    };
    if told != Format::Parquet && source.format.is_none() && extension == Some("parquet") {
        return Err(SourceError::NotParquet);
    }
    skip_mark(&mut *input)?;
    match (told, &source.origin) {
        (Format::Csv, _) => Ok(Input::Csv(input)),
        (Format::Ndjson, _) => Ok(Input::Ndjson(input)),
        (Format::Parquet, Origin::File(path)) if !zipped && path.is_file() => {
            // Read through once, so that `on_bytes` sees it all.
            io::copy(&mut input, &mut io::sink()).map_err(from_io)?;
            File::open(path)
                .map(|file| Input::Parquet(ParquetBytes::File(file)))
                .map_err(from_io)
        }
        (Format::Parquet, _) => {
            let limit = MEMORY_GIB_MAX << 30;
            let mut all = Vec::new();
            input
                .take(limit + 1)
                .read_to_end(&mut all)
                .map_err(from_io)?;
            if all.len() as u64 > limit {
                return Err(SourceError::TooLarge {
                    gib: MEMORY_GIB_MAX,
                });
            }
            Ok(Input::Parquet(ParquetBytes::Memory(all.into())))
        }
    }
}

const GZIP: [u8; 2] = [0x1f, 0x8b];
const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// What begins with these bytes is something else.
const OTHERS: [(&[u8], &str); 9] = [
    (b"PK\x03\x04", "a zip archive or an Excel workbook"),
    (b"\x28\xB5\x2F\xFD", "compressed with zstd"),
    (b"BZh", "compressed with bzip2"),
    (b"\xFD7zXZ\x00", "compressed with xz"),
    (b"\xFF\xFE", "UTF-16 text (save it as UTF-8)"),
    (b"\xFE\xFF", "UTF-16 text (save it as UTF-8)"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
];

/// The format, from the first bytes.
fn told(head: &[u8], said: Option<Format>) -> Result<Format, SourceError> {
    let text = head.strip_prefix(UTF8_BOM).unwrap_or(head);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    let Some(&first) = first else {
        return Err(SourceError::Empty);
    };
    if head.starts_with(b"PAR1") && said.is_none_or(|said| said == Format::Parquet) {
        return Ok(Format::Parquet);
    }
    if said == Some(Format::Parquet) {
        return Err(SourceError::NotParquet);
    }
    // `ORC` may begin a CSV header; the others begin no text.
    let other = OTHERS
        .iter()
        .find(|(magic, _)| head.starts_with(magic) && (*magic != b"ORC" || head.contains(&0)));
    if let Some((_, what)) = other {
        return Err(SourceError::WrongFormat(what));
    }
    let head = &head[..head.len().min(4_096)];
    let is_odd = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r');
    if head.contains(&0) || head.iter().filter(is_odd).count() * 20 > head.len() {
        return Err(SourceError::WrongFormat("binary data"));
    }
    match (said, first) {
        (Some(said), _) => Ok(said),
        (None, b'{') => Ok(Format::Ndjson),
        (None, b'[') => Err(SourceError::WrongFormat(
            "a JSON array (write one object on each line: jq -c '.[]')",
        )),
        (None, _) => Ok(Format::Csv),
    }
}

/// An I/O error in words: gzip reports its own damage as one.
pub(super) fn from_io(error: io::Error) -> SourceError {
    if let Some(long) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        let LongLine { line } = *long;
        return SourceError::LongLine { line };
    }
    if error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<Junk>)
    {
        return SourceError::JunkAfterGzip;
    }
    match error.kind() {
        io::ErrorKind::NotFound => SourceError::NotFound,
        io::ErrorKind::IsADirectory => SourceError::Directory { like: "*.csv" },
        io::ErrorKind::UnexpectedEof => SourceError::TruncatedGzip,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            SourceError::DamagedGzip(error.to_string())
        }
        _ => SourceError::Io(error),
    }
}

/// Carried through an `io::Error` by readers that bound their memory.
#[derive(Debug, thiserror::Error)]
#[error("line {line} is too long")]
pub(super) struct LongLine {
    pub(super) line: u64,
}

/// Carried through an `io::Error`: gzip data is followed by something else.
#[derive(Debug, thiserror::Error)]
#[error("junk after the end of the gzip data")]
struct Junk;

/// The members of a gzip file, one after the other. Zeros may follow the last
/// (tapes and block devices pad with them); anything else may not.
enum Members<R> {
    Inside(Box<GzDecoder<R>>),
    After(R),
    Moving,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            *self = match std::mem::replace(self, Members::Moving) {
                Members::Inside(mut member) => {
                    let n = member.read(into);
                    match n {
                        Ok(0) => Members::After(member.into_inner()),
                        n => {
                            *self = Members::Inside(member);
                            return n;
                        }
                    }
                }
                Members::After(mut rest) => {
                    let next = rest.fill_buf().map(|bytes| {
                        let n_zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                        (n_zeros, bytes.get(n_zeros).copied())
                    });
                    match next {
                        Ok((0, Some(first))) if first == GZIP[0] => {
                            Members::Inside(Box::new(GzDecoder::new(rest)))
                        }
                        Ok((n_zeros, _)) if n_zeros > 0 => {
                            rest.consume(n_zeros);
                            Members::After(rest)
                        }
                        end => {
                            *self = Members::After(rest);
                            return match end?.1 {
                                None => Ok(0),
                                Some(_) => Err(io::Error::other(Junk)),
                            };
                        }
                    }
                }
                // Only while it is replaced.
                Members::Moving => return Ok(0),
            }
        }
    }
}

struct Metered<'a> {
    raw: Box<dyn Read + 'a>,
    on_bytes: &'a dyn Fn(&[u8]),
}

impl Read for Metered<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.raw.read(into)?;
        (self.on_bytes)(&into[..n]);
        Ok(n)
    }
}

impl Length for ParquetBytes {
    fn len(&self) -> u64 {
        match self {
            ParquetBytes::File(file) => Length::len(file),
            ParquetBytes::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for ParquetBytes {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Box<dyn Read>> {
        Ok(match self {
            ParquetBytes::File(file) => Box::new(file.get_read(start)?),
            ParquetBytes::Memory(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        match self {
            ParquetBytes::File(file) => file.get_bytes(start, length),
            ParquetBytes::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}

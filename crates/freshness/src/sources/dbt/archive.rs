//! What lies in a tar?
//!
//! Entries are read one after the other and never written to disk. A tar may
//! be zipped and hold further ones. It is refused if a name in it climbs out of
//! it, or if it unpacks to so much that it was made for that.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::fault::{DbtError, Fault};
use super::find::{FILE_BYTES_MAX, Found, is_artefact, read_bounded};

/// An archive of archives of archives is an accident, or worse.
const DEPTH_MAX: usize = 3;

/// JSON packs to a tenth or a twentieth, gzip can do a thousandth: what unpacks
/// to more than this many times its size was made to fill a disk …
const RATIO_MAX: u64 = 256;

/// … once it is larger than this.
const HARMLESS_BYTES: u64 = 64 << 20;

/// The longest name or header that is kept in memory.
const HEADER_BYTES_MAX: u64 = 1 << 20;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Is a file of this name a tar?
pub(super) fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".tar", ".tar.gz", ".tgz"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Reads the artefacts in a tar.
pub(super) fn read(
    input: &mut dyn Read,
    name: &str,
    found: &mut dyn Found,
) -> Result<(), DbtError> {
    let packed = Rc::new(Sizes::default());
    let mut counted = Counted {
        input,
        sizes: Rc::clone(&packed),
    };
    entries(&mut counted, name, 0, &packed, found)
}

/// The bytes of a file, unzipped if it is zipped.
pub(super) fn unzipped(input: &mut dyn Read, name: &str) -> Result<Vec<u8>, DbtError> {
    let sizes = Rc::new(Sizes::default());
    let counted = Counted {
        input,
        sizes: Rc::clone(&sizes),
    };
    let mut plain = opened(counted, &sizes, name)?;
    read_bounded(&mut *plain, name)
}

/// How much came in, and how much became of it.
#[derive(Default)]
struct Sizes {
    packed: Cell<u64>,
    unpacked: Cell<u64>,
}

struct Counted<'a> {
    input: &'a mut dyn Read,
    sizes: Rc<Sizes>,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(into)?;
        self.sizes.packed.set(self.sizes.packed.get() + n as u64);
        Ok(n)
    }
}

/// Carried through an `io::Error`.
#[derive(Debug, thiserror::Error)]
#[error("unpacks to more than {RATIO_MAX} times its size")]
pub(super) struct Bomb;

struct Unpacked<R> {
    input: MultiGzDecoder<R>,
    sizes: Rc<Sizes>,
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(into)?;
        let unpacked = self.sizes.unpacked.get() + n as u64;
        self.sizes.unpacked.set(unpacked);
        let fair = self.sizes.packed.get().saturating_mul(RATIO_MAX);
        match unpacked > fair.max(HARMLESS_BYTES) {
            true => Err(io::Error::other(Bomb)),
            false => Ok(n),
        }
    }
}

/// The input, unzipped if its first bytes say that it is zipped.
fn opened<'a>(
    input: impl Read + 'a,
    sizes: &Rc<Sizes>,
    name: &str,
) -> Result<Box<dyn Read + 'a>, DbtError> {
    let mut plain = BufReader::with_capacity(64 << 10, input);
    let head = plain.fill_buf();
    let head = head.map_err(|error| DbtError::new(name, Fault::Io(error)))?;
    Ok(match head.starts_with(&GZIP) {
        true => Box::new(Unpacked {
            input: MultiGzDecoder::new(plain),
            sizes: Rc::clone(sizes),
        }),
        false => Box::new(plain),
    })
}

fn entries(
    input: &mut dyn Read,
    name: &str,
    depth: usize,
    sizes: &Rc<Sizes>,
    found: &mut dyn Found,
) -> Result<(), DbtError> {
    let broken = |error: io::Error| DbtError::new(name, Fault::Archive(error));
    let plain = opened(input, sizes, name)?;
    let mut tar = Archive::new(plain);
    // Of the entry that follows, where its name is too long for its own header.
    let mut long_name: Option<String> = None;
    // Raw, because long names would else be read to any length.
    for entry in tar.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::GNULongName | EntryType::XHeader) {
            if entry.size() > HEADER_BYTES_MAX {
                return Err(DbtError::new(name, Fault::LongHeader));
            }
            match kind {
                EntryType::GNULongName => {
                    let mut text = Vec::new();
                    entry.read_to_end(&mut text).map_err(broken)?;
                    let text = String::from_utf8_lossy(&text);
                    long_name = Some(text.trim_end_matches('\0').to_owned());
                }
                _ => {
                    let records = entry.pax_extensions().map_err(broken)?;
                    for record in records.into_iter().flatten() {
                        let record = record.map_err(broken)?;
                        match record.key_bytes() {
                            b"path" => {
                                let path = String::from_utf8_lossy(record.value_bytes());
                                long_name = Some(path.into_owned());
                            }
                            // Only what has no place in the header is said so.
                            b"size" => return Err(DbtError::new(name, Fault::TooLarge)),
                            _ => {}
                        }
                    }
                }
            }
            continue;
        }
        let own = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = long_name.take().unwrap_or(own);
        if matches!(kind, EntryType::XGlobalHeader | EntryType::GNULongLink) {
            continue;
        }
        if climbs_out(&path) {
            return Err(DbtError::new(name, Fault::ClimbsOut(path)));
        }
        let last = path.rsplit('/').next().unwrap_or_default();
        let is_hidden = last.starts_with('.');
        if is_hidden || !(is_artefact(last) || is_archive(last)) {
            continue;
        }
        let within = format!("{name}:{}", path.strip_prefix("./").unwrap_or(&path));
        match kind {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory => continue,
            _ => {
                found.left_out(&within, "a link or no file");
                continue;
            }
        }
        let read = match is_archive(last) {
            true if depth + 1 >= DEPTH_MAX => Err(DbtError::new(&within, Fault::Nested)),
            true => entries(&mut entry, &within, depth + 1, sizes, found),
            false if entry.size() > FILE_BYTES_MAX => Err(DbtError::new(&within, Fault::TooLarge)),
            false => opened(&mut entry, sizes, &within)
                .and_then(|mut plain| read_bounded(&mut *plain, &within))
                .and_then(|bytes| found.file(&within, bytes)),
        };
        read.or_else(|error| found.unreadable(error))?;
    }
    Ok(())
}

/// Does a name lead out of the folder that it stands in?
fn climbs_out(path: &str) -> bool {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with(['/', '\\']) || is_drive || path.split(['/', '\\']).any(|part| part == "..")
}

//! How do thousands of datasets fit into one page?
//!
//! The table's columns stand in it as JSON. The panels, which hold most of it,
//! are packed a few dozen at a time (raw deflate, then base64), and the browser
//! unpacks those that are opened.

use std::io::{self, Write};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Panels that are unpacked together: enough of them to share their words.
pub(super) const PER_BLOCK: usize = 64;

/// Panels that are packed as small as they get; fewer are packed fast, because
/// the page is small anyway.
const MANY: usize = 10_000;

/// The panels, packed, in their order.
pub(super) fn pack(panels: &[&str]) -> Vec<String> {
    let blocks: Vec<&[&str]> = panels.chunks(PER_BLOCK).collect();
    let n_threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = blocks.len().div_ceil(n_threads).max(1);
    let level = match panels.len() {
        ..MANY => Compression::fast(),
        _ => Compression::new(6),
    };
    thread::scope(|scope| {
        let working: Vec<_> = blocks
            .chunks(share)
            .map(|blocks| scope.spawn(move || packed(blocks, level)))
            .collect();
        working
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

/// Blocks as arrays of panels. One encoder does them all: its memory is larger
/// than what it writes.
fn packed(blocks: &[&[&str]], level: Compression) -> Vec<String> {
    let mut out = DeflateEncoder::new(Vec::new(), level);
    let mut block = |panels: &[&str]| -> io::Result<String> {
        out.write_all(b"[")?;
        for (i, panel) in panels.iter().enumerate() {
            if i > 0 {
                out.write_all(b",")?;
            }
            out.write_all(panel.as_bytes())?;
        }
        out.write_all(b"]")?;
        Ok(STANDARD.encode(out.reset(Vec::new())?))
    };
    let all: io::Result<Vec<String>> = blocks.iter().map(|panels| block(panels)).collect();
    all.expect("memory takes what is written")
}

/// JSON that nothing in a page takes for markup, whatever the names in it.
pub(super) fn for_a_page(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_the_script_that_holds_it() {
        let hostile = for_a_page(r#"["</script><!--","a&b"]"#);
        assert!(!hostile.contains(['<', '>', '&']), "{hostile}");
        let read: Vec<String> = serde_json::from_str(&hostile).unwrap();
        assert_eq!(read, ["</script><!--", "a&b"]);
    }

    #[test]
    fn panels_are_packed_in_their_order() {
        let panels: Vec<String> = (0..PER_BLOCK * 3 + 1).map(|i| i.to_string()).collect();
        let panels: Vec<&str> = panels.iter().map(String::as_str).collect();
        let blocks = pack(&panels);
        assert_eq!(blocks.len(), 4);
        let bytes = STANDARD.decode(&blocks[1]).unwrap();
        let mut text = String::new();
        io::Read::read_to_string(
            &mut flate2::read::DeflateDecoder::new(bytes.as_slice()),
            &mut text,
        )
        .unwrap();
        let read: Vec<usize> = serde_json::from_str(&text).unwrap();
        assert_eq!(read[0], PER_BLOCK);
        assert_eq!(read.len(), PER_BLOCK);
    }
}

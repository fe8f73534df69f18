//! Where does one event end and the next begin?
//!
//! Files of events are one JSON object on each line, or one JSON document: a
//! single event, an array of them, printed on as many lines as it likes. Lines
//! are told apart by their ends, so that a damaged one costs no other; a
//! document by its braces. Either way an event is held in one buffer of bounded
//! size, and one that is nested too deeply is refused before it is parsed.

use std::io::{BufRead, Read};

use crate::sources::input::from_io;
use crate::sources::problem::{Problem, SourceError};

/// The largest event in bytes. Spark tells its whole plan in one, which takes
/// megabytes; nothing that is read here does.
pub(super) const EVENT_MIB_MAX: u64 = 16;

/// One that is larger is passed over, in no more memory, up to here; beyond it no
/// end is looked for, since what is packed may go on for ever.
const PASSED_GIB_MAX: u64 = 16;

/// Brackets in brackets. The deepest of the standard's facets, column lineage,
/// needs twelve; Spark's plans fifty. It is also where the JSON parser stops.
const DEPTH_MAX: usize = 128;

/// Hears of each event with the line it begins in, from 1.
pub(super) type OnEvent<'f> =
    dyn FnMut(u64, Result<&[u8], Problem>) -> Result<(), SourceError> + 'f;

/// Cuts bytes into events.
pub(super) fn each(input: &mut dyn BufRead, on_event: &mut OnEvent<'_>) -> Result<(), SourceError> {
    each_within(PASSED_GIB_MAX << 30, input, on_event)
}

/// Cuts bytes into events, of which none may take more than `bytes_max` bytes.
fn each_within(
    bytes_max: u64,
    input: &mut dyn BufRead,
    on_event: &mut OnEvent<'_>,
) -> Result<(), SourceError> {
    match is_document(input.fill_buf().map_err(from_io)?) {
        true => document(bytes_max, input, on_event),
        false => lines(bytes_max, input, on_event),
    }
}

/// Is it one document, going by what stands first? An array is, and so is an
/// object whose first line is not all of it.
fn is_document(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    match text.first() {
        Some(b'[') => true,
        Some(b'{') => {
            let end = text.iter().position(|&byte| byte == b'\n');
            let first_line = end.map_or(&b""[..], |end| text[..end].trim_ascii_end());
            matches!(first_line.last(), Some(b'{' | b'[' | b','))
        }
        _ => false,
    }
}

fn lines(
    passed_max: u64,
    input: &mut dyn BufRead,
    on_event: &mut OnEvent<'_>,
) -> Result<(), SourceError> {
    let bytes_max = EVENT_MIB_MAX << 20;
    let mut bytes = Vec::new();
    let mut line = 0;
    loop {
        line += 1;
        bytes.clear();
        let n = input
            .take(bytes_max + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(from_io)?;
        if n == 0 {
            return Ok(());
        }
        if n as u64 > bytes_max {
            on_event(line, Err(Problem::LongEvent(EVENT_MIB_MAX)))?;
            let mut rest = input.take(passed_max - bytes_max);
            let passed = match bytes.last() {
                Some(b'\n') => 0,
                _ => rest.skip_until(b'\n').map_err(from_io)?,
            };
            if passed as u64 == passed_max - bytes_max {
                return Err(too_long(line, passed_max));
            }
            continue;
        }
        let event = bytes.trim_ascii();
        if event.is_empty() {
            continue;
        }
        let mut scan = Scan::default();
        match event.iter().position(|&byte| scan.step(byte).is_err()) {
            Some(_) => on_event(line, Err(too_deep()))?,
            None => on_event(line, Ok(event))?,
        }
    }
}

/// Objects at the top, or in an array at the top.
fn document(
    passed_max: u64,
    input: &mut dyn BufRead,
    on_event: &mut OnEvent<'_>,
) -> Result<(), SourceError> {
    let mut event = Vec::new();
    let mut begun_in = 1;
    let mut line = 1;
    let mut scan = Scan::default();
    let mut is_deep = false;
    let mut n_bytes: u64 = 0;
    // Of what stands between events only the first is told.
    let mut is_strange = false;
    loop {
        let chunk = input.fill_buf().map_err(from_io)?;
        if chunk.is_empty() {
            break;
        }
        let n = chunk.len();
        for &byte in chunk {
            line += u64::from(byte == b'\n');
            if scan.depth == 0 {
                match byte {
                    b'{' => begun_in = line,
                    b'[' | b']' | b',' => continue,
                    byte if byte.is_ascii_whitespace() => continue,
                    _ if is_strange => continue,
                    _ => {
                        is_strange = true;
                        on_event(line, Err(between()))?;
                        continue;
                    }
                }
                is_strange = false;
            }
            is_deep |= scan.step(byte).is_err();
            n_bytes += 1;
            if !is_deep && n_bytes <= EVENT_MIB_MAX << 20 {
                event.push(byte);
            }
            if n_bytes > passed_max {
                return Err(too_long(begun_in, passed_max));
            }
            if scan.depth == 0 {
                let is_long = std::mem::take(&mut n_bytes) > EVENT_MIB_MAX << 20;
                match std::mem::take(&mut is_deep) {
                    true => on_event(begun_in, Err(too_deep()))?,
                    false if is_long => {
                        on_event(begun_in, Err(Problem::LongEvent(EVENT_MIB_MAX)))?;
                    }
                    false => on_event(begun_in, Ok(&event))?,
                }
                event.clear();
            }
        }
        input.consume(n);
    }
    match scan.depth {
        0 => Ok(()),
        _ => on_event(
            begun_in,
            Err(Problem::Json("it ends inside an event".to_owned())),
        ),
    }
}

/// How deep in brackets a place is; brackets in texts are none.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
}

/// Deeper than is read.
struct Deep;

impl Scan {
    fn step(&mut self, byte: u8) -> Result<(), Deep> {
        if self.in_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return Ok(());
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        match self.depth > DEPTH_MAX {
            true => Err(Deep),
            false => Ok(()),
        }
    }
}

fn too_deep() -> Problem {
    Problem::Json(format!("more than {DEPTH_MAX} brackets in brackets"))
}

fn between() -> Problem {
    Problem::Json("something else between events".to_owned())
}

fn too_long(line: u64, bytes_max: u64) -> SourceError {
    SourceError::LongEvent {
        line,
        mib: bytes_max >> 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_frames(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        // A small buffer, so that events lie over its ends.
        let mut input = std::io::BufReader::with_capacity(7, text.as_bytes());
        let is_document = is_document(text.as_bytes());
        let mut on_event = |line: u64, event: Result<&[u8], Problem>| {
            found.push(match event {
                Ok(event) => format!("{line} {}", String::from_utf8_lossy(event)),
                Err(problem) => format!("{line} {problem}"),
            });
            Ok(())
        };
        match is_document {
            true => document(1 << 30, &mut input, &mut on_event).unwrap(),
            false => lines(1 << 30, &mut input, &mut on_event).unwrap(),
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn each_line_is_an_event_and_a_damaged_one_costs_no_other() {
        check_frames(
            "{\"a\":1}\r\n\n{\"a\":\n{\"b\":\"}\"}",
            &["1 {\"a\":1}", "3 {\"a\":", "4 {\"b\":\"}\"}"],
        );
    }

    #[test]
    fn a_document_is_cut_at_its_braces() {
        check_frames("{\n \"a\": {}\n}\n", &["1 {\n \"a\": {}\n}"]);
        check_frames(
            "[{\"a\":\"]\\\"}\"},\n {\"b\":[1]}]\n",
            &["1 {\"a\":\"]\\\"}\"}", "2 {\"b\":[1]}"],
        );
        check_frames("[]", &[]);
    }

    #[test]
    fn a_document_that_ends_in_an_event_is_said_to() {
        check_frames(
            "[\n{\"a\":1},\n7, 8\n{\"b\":",
            &[
                "2 {\"a\":1}",
                "3 not a JSON object: something else between events",
                "4 not a JSON object: it ends inside an event",
            ],
        );
    }

    #[test]
    fn deep_nesting_is_refused_with_its_line_and_the_next_event_is_read() {
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(200), "]".repeat(200));
        let refused = "not a JSON object: more than 128 brackets in brackets";
        check_frames(
            &format!("{{\"a\":1}}\n{deep}\n{{\"b\":2}}"),
            &["1 {\"a\":1}", &format!("2 {refused}"), "3 {\"b\":2}"],
        );
        check_frames(
            &format!("[\n{deep},\n{{\"b\":2}}]"),
            &[&format!("2 {refused}"), "3 {\"b\":2}"],
        );
    }

    #[test]
    fn an_event_that_is_too_large_is_refused_with_its_line_and_the_next_is_read() {
        let large = format!("{{\"x\":\"{}\"}}", "x".repeat(17 << 20));
        let refused = "2 an event of more than 16 MiB";
        check_frames(
            &format!("{{\"a\":1}}\n{large}\n{{\"b\":2}}"),
            &["1 {\"a\":1}", refused, "3 {\"b\":2}"],
        );
        check_frames(
            &format!("[\n{large},\n{{\"b\":2}}]"),
            &[refused, "3 {\"b\":2}"],
        );
    }

    #[test]
    fn an_event_without_an_end_is_refused_with_its_line() {
        let refused = |text: &'static str, endless: u8| {
            let endless = std::io::repeat(endless).take(1 << 40);
            let mut input = std::io::BufReader::new(text.as_bytes().chain(endless));
            let error = each_within(20 << 20, &mut input, &mut |_, _| Ok(())).unwrap_err();
            assert_eq!(error.to_string(), "line 2: an event of more than 20 MiB");
        };
        refused("{}\n", b' ');
        refused("[\n{\"a\":", b'1');
    }
}

//! What does the JSON of every command have in common?
//!
//! One document (`--format json`) or one object a line (`--format ndjson`),
//! each with a `version` that rises when a field changes its meaning or goes.
//! Names are snake_case, instants RFC 3339 in UTC.

use std::io::{self, Write};

use serde::Serialize;

/// Version of all shapes that this program writes.
pub const SHAPE_VERSION: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T> {
    version: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// Writes one indented document, with its version first.
pub fn write_document<T: Serialize>(out: &mut impl Write, content: &T) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &versioned(content))?;
    out.write_all(b"\n")
}

/// Writes one line of NDJSON, with its version first.
pub fn write_line<T: Serialize>(out: &mut impl Write, content: &T) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &versioned(content))?;
    out.write_all(b"\n")
}

fn versioned<T>(content: &T) -> Versioned<'_, T> {
    Versioned {
        version: SHAPE_VERSION,
        content,
    }
}

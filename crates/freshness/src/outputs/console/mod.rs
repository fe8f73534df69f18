//! What does the console look like?
//!
//! One page with everything in it: templates that escape what they are given,
//! a style sheet, scripts that know no network, and the data. The page says
//! itself, in its policy, which scripts may run: the ones that are in it.

mod badges;
mod columns;
mod dashboards;
mod document;
mod embed;
mod graph;
mod incidents;
mod page;
mod panel;
mod promises;

use std::io::{self, Write};

use serde::Serialize;

use super::write_line;
use crate::rounds::Console;

pub use badges::{BadgeFile, badges, is_badge};
pub use page::write_page;
pub use panel::{Panel, Recent, panel};
pub use promises::FIELDS as PROMISE_FIELDS;

/// What a page says of who made it.
pub const GENERATOR: &str = r#"name="generator" content="freshness report""#;

/// Writes console.json: on one line, because of 20,000 datasets the indents
/// alone would be 20 MB.
pub fn write_json(out: &mut impl Write, console: &Console<Panel>) -> io::Result<()> {
    write_line(out, &document::document(console))
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("nothing in it has keys other than text")
}

//! In which order do the floors work together?
//!
//! The one page that wires `freshness-core` to the store. The command line and
//! the server both call it, and judge nothing themselves.

pub mod ingest;

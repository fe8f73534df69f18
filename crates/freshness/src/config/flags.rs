//! Which flags does every command have?

use std::path::PathBuf;

use clap::{ArgAction, Args};
use jiff::{SignedDuration, Timestamp};

use super::{ColorChoice, Format, values};

/// The flags of every command, as typed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalFlags {
    /// Configuration file [default: freshness.yaml, if there is one] [env: FRESHNESS_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// The store [default: .freshness/freshness.db] [env: FRESHNESS_STORE]
    #[arg(long, global = true, value_name = "PATH")]
    pub store: Option<PathBuf>,

    /// The time to work with, instead of the clock's: RFC 3339, such as 2026-03-01T07:00:00Z [env: FRESHNESS_NOW]
    #[arg(long, global = true, value_name = "RFC3339", value_parser = values::instant)]
    pub now: Option<Timestamp>,

    /// Form of the output [default: table] [env: FRESHNESS_FORMAT]
    #[arg(long, global = true, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Threads to use; the result is the same for any number [default: all cores] [env: FRESHNESS_THREADS]
    #[arg(long, global = true, value_name = "N", value_parser = values::threads)]
    pub threads: Option<u16>,

    /// How long to wait for another process that writes to the store [default: 60s] [env: FRESHNESS_LOCK_TIMEOUT]
    #[arg(long, global = true, value_name = "DURATION", value_parser = values::wait)]
    pub lock_timeout: Option<SignedDuration>,

    /// When to use colour [default: auto] [env: FRESHNESS_COLOR, NO_COLOR]
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorChoice>,

    /// Say nothing on stderr but errors
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub quiet: bool,
}

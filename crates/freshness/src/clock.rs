//! What time is it?
//!
//! The only module that asks; everything else is told.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the module that reads the clock"
)]

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// Clocks that differ by no more agree.
pub const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(5);

/// The time every command works with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    pinned: Option<Timestamp>,
}

/// Measures how long work took, for talk on stderr; never part of a result.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Clock {
    /// The machine's clock, or the instant that `--now` pinned.
    pub fn new(pinned: Option<Timestamp>) -> Clock {
        Clock { pinned }
    }

    /// The present, to the second: the store keeps no finer time.
    pub fn now(&self) -> Timestamp {
        let now = self.pinned.unwrap_or_else(Timestamp::now);
        Timestamp::from_second(now.as_second()).unwrap_or(now)
    }

    /// Was it pinned to an instant that is still to come?
    pub fn is_ahead(&self) -> bool {
        self.ahead().is_some_and(|ahead| ahead.is_positive())
    }

    /// How far ahead of the machine's clock it was pinned; `None` if it was
    /// not pinned.
    pub fn ahead(&self) -> Option<SignedDuration> {
        let ahead = |pinned: Timestamp| pinned.duration_since(Timestamp::now());
        self.pinned.map(ahead)
    }
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

//! What is normal, what is late, and why: the middle of `freshness`.
//!
//! No I/O, no clock, no async: the same input gives the same bytes out, on any
//! number of threads. The order of the modules below is the order of the
//! floors; a floor names only floors declared above it, and
//! `tests/architecture.rs` checks it.

pub mod civil;
pub mod schedule;
pub mod dataset;
pub mod dashboard;
pub mod lineage;
pub mod arrivals;
pub mod slo;
pub mod coverage;
pub mod calendar;
pub mod fit;
pub mod state;
pub mod incidents;
pub mod trust;

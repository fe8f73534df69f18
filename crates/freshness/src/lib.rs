//! The `freshness` binary, as a library so that tests and `main.rs` share it.
//!
//! `cli` reads what the user typed, `config` says what it means, `sources`
//! turn bytes into values, `rounds` wire the floors of `freshness-core` to the
//! store in order, `outputs` turn values into bytes. `clock` is the only
//! module that asks what time it is.

pub mod cli;
pub mod clock;
pub mod config;
pub mod hint;
pub mod outputs;
pub mod rounds;
mod signals;
pub mod sources;
mod threads;

//! How good is it? The only crate that knows what is true.
//!
//! Nothing that learns or judges may depend on this crate: what is true is a
//! type that core cannot name.

pub mod agreement;
pub mod baselines;
pub mod bench;
pub mod evaluate;
pub mod mishap;
pub mod real;
pub mod seed;
pub mod truth;
pub mod warehouse;

//! What if something went wrong in a real history?
//!
//! Takes a history as it was and lets some of its deliveries come late or
//! never, so that what an alert would have caught can be counted on real
//! arrivals. The truth about it lists nothing but what was done.

mod deliveries;
mod inject;
mod pace;
mod tamper;

pub use deliveries::{Around, Delivery, around, deliveries};
pub use inject::{Terms, inject};
pub use pace::Pace;
pub use tamper::{Asked, Done, LEAST_DELIVERIES, TamperError, Untouched, tamper};

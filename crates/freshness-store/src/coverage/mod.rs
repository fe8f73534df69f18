//! What must be covered, and what evidence is there?
//!
//! Contracts and inventory as they were declared, the ledger of accepted
//! releases, runs that were begun, and every attempt. Whether a release is
//! accepted is decided by the caller, inside the transaction that stores it.

mod attempts;
mod checks;
mod contracts;
mod head;
mod inventory;
mod ledger;
mod runs;
mod scopes;

pub use attempts::{Attempt, AttemptFilter, Outcome};
pub use checks::CoverageCheck;
pub use contracts::{ContractCounts, DeclareMode};
pub use ledger::Asked;
pub use runs::OpenRun;

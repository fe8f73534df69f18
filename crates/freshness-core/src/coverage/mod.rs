//! What must be covered, how far is it covered, and what counts as evidence?
//!
//! A [`Contract`] stands for each part that is required independently of the
//! others; a [`Publication`] is one accepted release of it. [`accept`] decides
//! what may enter the ledger, [`check`] walks the contracts, so that what never
//! came shows. Nothing here knows what was learned.

mod accept;
mod check;
mod claim;
mod contract;
mod counted;
mod inventory;
mod publication;
mod repeat;
mod roll_up;
mod scope_key;
mod step;

pub use accept::{Last, Refusal, Ruling, Terms, accept};
pub use check::{Condition, Ledgered, ScopeState, check};
pub use claim::{Claim, Manifest, Total};
pub use contract::{Contract, ContractFault, ContractRow, MINUTES_MAX};
pub use counted::Counted;
pub use inventory::{Gap, GapKind, gaps};
pub use publication::{Newest, Proposal, Publication};
pub use roll_up::{RollUp, by_dataset, by_source};
pub use scope_key::{ScopeKey, ScopeKeyError};
pub use step::{Begun, Decision, Seen, Step, decide};

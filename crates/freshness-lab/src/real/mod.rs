//! How often would it have cried wolf on real histories, and what would it
//! have caught?
//!
//! Mishaps are injected into the end of each history (see [`crate::mishap`]),
//! and what would have been raised there is counted, once by what is learned
//! and once by the plain rule: alarms that no mishap and no known outage
//! explains, those of them on cycles that in hindsight were ordinary, and
//! mishaps caught.

mod facts;
mod page;
mod score;
mod trial;

pub use facts::{Facts, read_facts};
pub use page::{page, pages_of_datasets};
pub(crate) use score::score;
pub use score::{Alarm, Alert, Mishap, Score};
pub use trial::{Settings, Trial, run};

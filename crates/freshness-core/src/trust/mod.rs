//! Who is hurt, and how much?
//!
//! Each dashboard has a score: the share of the report that can be believed.
//! What a dataset loses by its own lateness (`own`) is handed down the lineage
//! to what is made from it (`losses`), to the parts of the report and to the
//! report (`score`), and back up to the datasets that are to blame
//! (`blame`); from those comes when it should be over (`recovery`). `rule.md` says the same in words, and is what users read.
//!
//! Everything is reckoned twice: by what is known to be late, and as if all
//! that cannot be judged were late too. Where the two differ nobody can tell
//! the score, and none is said.

mod blame;
mod caveat;
mod losses;
mod own;
mod recovery;
mod score;

pub use own::period_seconds;
pub use recovery::next_due;
pub use score::{Cause, Doubted, PartTrust, Standing, Trust};

use jiff::Timestamp;

use crate::dashboard::Dashboard;
use crate::dataset::DatasetId;
use crate::incidents::Breach;
use crate::lineage::Lineage;
use crate::state::DatasetState;

use blame::Walk;
use losses::Warehouse;

/// How the score comes about, in words.
pub const RULE: &str = include_str!("rule.md");

/// What trust looks at of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// How it stands.
    pub state: &'a DatasetState,
    /// Declared critical: nothing may be made without it.
    pub critical: bool,
    /// Seconds from one delivery to the next, see [`period_seconds`]; `None`
    /// for a feed without a calendar.
    pub period_seconds: Option<i64>,
    /// The deadline of its next delivery, see [`next_due`]; asked of what is
    /// late and of what is made from that.
    pub next_due: Option<Timestamp>,
    /// If it is late, the roots that its incidents began with; of a root none.
    pub roots: &'a [Root],
    /// The promises that it does not keep.
    pub breach: Option<&'a Breach>,
    /// Nothing ever arrived of it, and its promises say how it is.
    pub is_promised: bool,
}

impl Seen<'_> {
    /// Does it lose anything by a promise that it does not keep?
    fn is_broken(&self) -> bool {
        self.breach.is_some_and(|breach| breach.lost > 0.0)
    }
}

/// A dataset that explains why another is late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Which.
    pub dataset_id: DatasetId,
    /// How long after it the other should be there, at most; `None` if that
    /// cannot be said.
    pub wait_seconds: Option<i64>,
}

/// The trust in each of the dashboards, in their order. A dataset behind one
/// of them that is not among `seen` cannot be judged.
pub fn trust(seen: &[Seen<'_>], lineage: &Lineage, dashboards: &[Dashboard]) -> Vec<Trust> {
    let warehouse = Warehouse::new(seen, lineage, dashboards);
    let mut walk = Walk::new(&warehouse);
    dashboards
        .iter()
        .map(|dashboard| score::of(dashboard, &warehouse, &mut walk))
        .collect()
}

#[cfg(test)]
mod tests;

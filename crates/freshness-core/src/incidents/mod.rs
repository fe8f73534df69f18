//! Why are they late, and what must a person look at?
//!
//! Many late datasets come down to few that began it, and so do broken promises
//! beside them. Each late dataset is put
//! under its topmost late ancestors ([`attribute`]), what an edge of the lineage
//! usually takes says when it should recover ([`EdgeLag`]), and incidents are
//! followed from check to check ([`advance`]).

mod attribute;
mod broken;
mod claim;
mod followed;
mod group;
mod incident;
mod lag;
mod late;
mod lifecycle;
mod mass;
mod memory;
mod served;
mod silence;

pub use attribute::{Attribution, attribute};
pub use broken::{Breach, Broken};
pub use claim::{Claim, ROOTS_NAMED};
pub use followed::{Ack, Event, Followed, Status, What};
pub use group::incidents;
pub use incident::{Bottleneck, Incident, IncidentKind, Incidents, Member, OtherRoots, Wait};
pub use lag::{EdgeLag, EdgeLags, LEAST_PAIRS, PAIRS_KEPT, Served, allowance, edge_lag};
pub use late::{Held, LateDataset};
pub use lifecycle::{Advanced, REOPENS_WITHIN, advance};
pub use mass::{Feed, Mass, Odds};
pub use memory::remember;
pub use served::{comparable_since, learn_edge, served};
pub use silence::{Matchers, Silence};

//! What is handed from a late dataset to what is made from it?
//!
//! The roots that explain it, one claim for each; over an edge each is one step
//! further away, and takes that much longer to be over.

use super::lag::EdgeLag;

/// A root that explains a late dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The root.
    pub root: u32,
    /// Edges from the root, over late datasets only; 0 for the root itself.
    pub hops: u32,
    /// Seconds from the root's arrival to the dataset's: 90 % between the two;
    /// `None` if the lag of an edge on the way is unknown.
    pub wait: Option<(i32, i32)>,
    /// The slowest edge on the way that takes longest: its ends and its usual
    /// lag in seconds.
    pub slowest: Option<(u32, u32, i32)>,
    /// Is the root so late that its next cycle is nearer than the one it is
    /// late with? Then what is made from it comes at its usual time.
    pub skips: bool,
}

/// So many roots of one dataset are named, nearest first. A bound is what keeps
/// the walk linear; who reads a fifth name has a warehouse that is down.
pub const ROOTS_NAMED: usize = 4;

impl Claim {
    /// Late on its own.
    pub(super) fn of_itself(i: u32) -> Claim {
        Claim {
            root: i,
            hops: 0,
            wait: Some((0, 0)),
            slowest: None,
            skips: false,
        }
    }

    /// Of a root that is known, and not over which edges.
    pub(super) fn of_old(root: u32, hops: u32) -> Claim {
        Claim {
            root,
            hops,
            wait: None,
            slowest: None,
            skips: false,
        }
    }

    /// With what the same root adds over another way.
    fn join(&mut self, other: &Claim) {
        self.hops = self.hops.min(other.hops);
        let both = self.wait.zip(other.wait);
        if both.is_some_and(|(own, other)| other.1 > own.1) {
            self.slowest = other.slowest;
        }
        self.wait = both.map(|(a, b)| (a.0.max(b.0), a.1.max(b.1)));
    }
}

/// One edge down: what it adds to each claim.
pub(super) struct Step {
    /// Did the parent skip a cycle, if it is a root?
    is_skipped: bool,
    /// From when to when the child comes after its parent …
    wait: Option<(i32, i32)>,
    /// … and after a root that skipped a cycle.
    wait_if_skipped: Option<(i32, i32)>,
    /// Its ends and its usual lag.
    edge: Option<(u32, u32, i32)>,
}

impl Step {
    pub(super) fn new(parent: u32, child: u32, lag: Option<&EdgeLag>, is_skipped: bool) -> Step {
        let both = |(least, most): (i64, i64)| (seconds(least), seconds(most));
        Step {
            is_skipped,
            wait: lag.map(|lag| both((lag.wait_from, lag.wait_to))),
            wait_if_skipped: lag.map(|lag| both(lag.wait_or_ordinary())),
            edge: lag.map(|lag| (parent, child, seconds(lag.p50))),
        }
    }

    /// A claim of the parent as one of the child.
    pub(super) fn further(&self, claim: &Claim) -> Claim {
        let skips = claim.skips || (claim.hops == 0 && self.is_skipped);
        let wait = match skips {
            true => self.wait_if_skipped,
            false => self.wait,
        };
        let slowest = match (claim.slowest, self.edge) {
            (Some(known), Some(edge)) if edge.2 > known.2 => Some(edge),
            (known, edge) => known.or(edge),
        };
        Claim {
            root: claim.root,
            hops: claim.hops + 1,
            wait: claim.wait.zip(wait).map(|(until, wait)| {
                (
                    until.0.saturating_add(wait.0),
                    until.1.saturating_add(wait.1),
                )
            }),
            slowest,
            skips,
        }
    }
}

/// Lags of more than a lifetime are as good as one of a lifetime.
fn seconds(lag: i64) -> i32 {
    i32::try_from(lag).unwrap_or(i32::MAX)
}

/// So many claims are held against each other; more are sorted by root.
const FEW: usize = 32;

/// One claim for each root: the fewest hops, and the longest wait, for a
/// dataset waits for all it is made from. Nearest first, and of those no more
/// than are named. Tells whether some were left out.
pub(super) fn merge(heard: &mut Vec<Claim>) -> bool {
    if heard.len() <= FEW {
        let mut n_roots = 0;
        for i in 0..heard.len() {
            let claim = heard[i];
            let mut known = heard[..n_roots].iter_mut();
            if let Some(known) = known.find(|known| known.root == claim.root) {
                known.join(&claim);
            } else {
                heard[n_roots] = claim;
                n_roots += 1;
            }
        }
        heard.truncate(n_roots);
    } else {
        heard.sort_unstable_by_key(|claim| (claim.root, claim.hops));
        heard.dedup_by(|later, kept| {
            let is_same = later.root == kept.root;
            if is_same {
                kept.join(later);
            }
            is_same
        });
    }
    heard.sort_unstable_by_key(|claim| (claim.hops, claim.root));
    let more = heard.len() > ROOTS_NAMED;
    heard.truncate(ROOTS_NAMED);
    more
}

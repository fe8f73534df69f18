//! Which datasets is a loss to be blamed on, and how much of it on each?
//!
//! From the parts of a report up the lineage, what was lost is shared among the
//! inputs in proportion to what each alone would cost. The share of a dataset
//! that is late because of others goes to the roots of its incidents; one that
//! is a root itself keeps it. So every loss ends at a root, and what the roots
//! lose adds up to the whole. One walk over everything behind a report, what is
//! made from others first, so that all shares of a dataset have come before it
//! hands them on.

use std::cmp::Reverse;

use super::losses::Warehouse;

/// So many parts are walked at once: each has a bit.
const PARTS_AT_ONCE: usize = 64;

/// What a dataset has to do with some parts of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behind {
    /// Edges to the nearest of the datasets that the parts show.
    pub(super) hops: u32,
    /// The parts it is behind, a bit each.
    pub(super) parts: u64,
    /// Points that are blamed on it …
    pub(super) points: f64,
    /// … by these parts.
    pub(super) blamed_by: u64,
    /// Points and parts that it has to hand on.
    charged: (f64, u64),
}

/// Room for the walks; kept from one to the next.
pub(super) struct Walk {
    behind: Vec<Behind>,
    /// What was met, in the order in which shares are handed on.
    met: Vec<u32>,
}

/// A part as the walk sees it.
pub(super) struct Loser {
    /// Places of the datasets that it shows.
    pub(super) feeds: Vec<u32>,
    /// Points that the report loses by it.
    pub(super) points: f64,
}

const UNMET: Behind = Behind {
    hops: u32::MAX,
    parts: 0,
    points: 0.0,
    blamed_by: 0,
    charged: (0.0, 0),
};

impl Walk {
    pub(super) fn new(warehouse: &Warehouse<'_>) -> Walk {
        Walk {
            behind: vec![UNMET; warehouse.nodes.len()],
            met: Vec::new(),
        }
    }

    /// Says of everything behind the parts, by place, what it has to do with
    /// which of them, so many parts at a time from the one given on. Returns
    /// how many datasets are behind.
    pub(super) fn blame(
        &mut self,
        warehouse: &Warehouse<'_>,
        parts: &[Loser],
        mut say: impl FnMut(u32, &Behind, usize),
    ) -> usize {
        for place in self.met.drain(..) {
            self.behind[place as usize] = UNMET;
        }
        self.meet(warehouse, parts);
        let rank = |place: u32| Reverse((warehouse.nodes[place as usize].rank, place));
        self.met.sort_unstable_by_key(|&place| rank(place));
        for (first, parts) in (0..)
            .step_by(PARTS_AT_ONCE)
            .zip(parts.chunks(PARTS_AT_ONCE))
        {
            for (bit, part) in parts.iter().enumerate() {
                for &feed in &part.feeds {
                    self.behind[feed as usize].parts |= 1 << bit;
                }
                self.hand_on(warehouse, &part.feeds, (part.points, 1 << bit));
            }
            for i in 0..self.met.len() {
                self.share(warehouse, self.met[i]);
            }
            for &place in &self.met {
                let behind = &mut self.behind[place as usize];
                say(place, behind, first);
                *behind = Behind {
                    hops: behind.hops,
                    ..UNMET
                };
            }
        }
        self.met.len()
    }

    /// Meets everything behind the parts, nearest first.
    fn meet(&mut self, warehouse: &Warehouse<'_>, parts: &[Loser]) {
        let mut next = 0;
        for &feed in parts.iter().flat_map(|part| &part.feeds) {
            self.meet_one(feed, 0);
        }
        while let Some(&place) = self.met.get(next) {
            let hops = self.behind[place as usize].hops + 1;
            for &parent in &warehouse.nodes[place as usize].parents {
                self.meet_one(parent, hops);
            }
            next += 1;
        }
    }

    fn meet_one(&mut self, place: u32, hops: u32) {
        let behind = &mut self.behind[place as usize];
        if behind.hops == UNMET.hops {
            behind.hops = hops;
            self.met.push(place);
        }
    }

    /// Shares what a dataset was charged with.
    fn share(&mut self, warehouse: &Warehouse<'_>, place: u32) {
        let node = &warehouse.nodes[place as usize];
        let Behind { parts, charged, .. } = self.behind[place as usize];
        for &parent in &node.parents {
            self.behind[parent as usize].parts |= parts;
        }
        let (points, by) = charged;
        if by == 0 {
            return;
        }
        let own = node.own.known;
        let inherited = warehouse.inherited(&node.parents).known;
        let own_points = points * (own / (own + inherited));
        if inherited > 0.0 {
            self.hand_on(warehouse, &node.parents, (points - own_points, by));
        }
        if own > 0.0 {
            let roots = self.roots(warehouse, place);
            let share = own_points / roots.len() as f64;
            for root in roots {
                let root = &mut self.behind[root as usize];
                root.points += share;
                root.blamed_by |= by;
            }
        }
    }

    /// Charges inputs in proportion to what each alone would cost.
    fn hand_on(&mut self, warehouse: &Warehouse<'_>, inputs: &[u32], what: (f64, u64)) {
        let (points, by) = what;
        let n = inputs.len() as f64;
        let cost = |place: u32| {
            let node = &warehouse.nodes[place as usize];
            match node.is_critical() {
                true => node.total.known,
                false => node.total.known / n,
            }
        };
        let sum: f64 = inputs.iter().map(|&place| cost(place)).sum();
        for &place in inputs {
            if warehouse.nodes[place as usize].total.known > 0.0 {
                // Of losses too small to be shared each gets as much.
                let share = if sum > 0.0 {
                    cost(place) / sum
                } else {
                    1.0 / n
                };
                let charged = &mut self.behind[place as usize].charged;
                charged.0 += points * share;
                charged.1 |= by;
            }
        }
    }

    /// What a late dataset is late because of: itself, if nothing else that is
    /// behind the report.
    fn roots(&self, warehouse: &Warehouse<'_>, place: u32) -> Vec<u32> {
        let seen = warehouse.nodes[place as usize].seen;
        let roots = seen.iter().flat_map(|seen| warehouse.roots(seen));
        let roots: Vec<u32> = roots
            .map(|(root, _)| root)
            .filter(|&root| self.behind[root as usize].hops != UNMET.hops)
            .collect();
        match roots.is_empty() {
            true => vec![place],
            false => roots,
        }
    }
}

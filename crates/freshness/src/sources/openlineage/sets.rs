//! What do many runs read alike?
//!
//! A job reads the same night after night, so each set of inputs is stored once and
//! a run holds its number.

use std::collections::HashMap;
use std::sync::Arc;

use crate::sources::problem::SourceError;

/// Members of all different sets of inputs together.
const SET_MEMBERS_MAX: usize = 20_000_000;

/// Sets of datasets, each stored once.
pub(super) struct Sets {
    sets: Vec<Arc<[u32]>>,
    numbers: HashMap<Arc<[u32]>, u32>,
    n_members: usize,
}

impl Default for Sets {
    fn default() -> Sets {
        let empty: Arc<[u32]> = Arc::new([]);
        Sets {
            sets: vec![empty.clone()],
            numbers: HashMap::from([(empty, Sets::EMPTY)]),
            n_members: 0,
        }
    }
}

impl Sets {
    pub(super) const EMPTY: u32 = 0;

    pub(super) fn members(&self, set: u32) -> &[u32] {
        &self.sets[set as usize]
    }

    /// The set with more members: sorted, each once.
    pub(super) fn with(&mut self, set: u32, more: &[u32]) -> Result<u32, SourceError> {
        let known = self.members(set);
        if known == more || more.is_empty() {
            return Ok(set);
        }
        if known.is_empty() {
            return self.of(more);
        }
        let mut union = [known, more].concat();
        union.sort_unstable();
        union.dedup();
        self.of(&union)
    }

    fn of(&mut self, members: &[u32]) -> Result<u32, SourceError> {
        if let Some(&set) = self.numbers.get(members) {
            return Ok(set);
        }
        self.n_members += members.len();
        if self.n_members > SET_MEMBERS_MAX {
            return Err(SourceError::TooMany {
                what: "different inputs",
                max: SET_MEMBERS_MAX,
            });
        }
        let set = self.sets.len() as u32;
        let members: Arc<[u32]> = members.into();
        self.sets.push(members.clone());
        self.numbers.insert(members, set);
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_inputs_are_stored_once() {
        let mut sets = Sets::default();
        let a = sets.with(Sets::EMPTY, &[1, 3]).unwrap();
        let b = sets.with(Sets::EMPTY, &[3]).unwrap();
        assert_eq!(sets.with(b, &[1]).unwrap(), a);
        assert_eq!(sets.with(a, &[3]).unwrap(), a);
        assert_eq!(sets.members(a), [1, 3]);
    }
}

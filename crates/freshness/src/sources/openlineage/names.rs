//! Which dataset does a name mean?
//!
//! A dataset is called `namespace/name`. One dataset may have several names: a path
//! and the table that lies there (symlinks), or a name before and after a rename.
//! They become one: the name of a table goes before a path, then what comes first
//! by name; a renamed dataset has its new name, unless the old one was written again
//! afterwards, because then the two were swapped and both live on.

use std::collections::{BTreeSet, HashMap};

use freshness_core::dataset::DatasetId;

use crate::sources::arrivals::dataset_id;
use crate::sources::problem::Problem;
use crate::sources::table::Cell;

/// Datasets, numbered as they are met.
#[derive(Default)]
pub(super) struct Names {
    pub(super) ids: Vec<DatasetId>,
    pub(super) facts: Vec<Facts>,
    numbers: HashMap<DatasetId, u32>,
    scratch: String,
    /// Other names, smaller number first.
    same: BTreeSet<(u32, u32)>,
    /// When, the old name, the new one.
    renames: BTreeSet<(i64, u32, u32)>,
}

/// What is known of a dataset by one of its names.
#[derive(Default, Clone)]
pub(super) struct Facts {
    /// Who owns it, and when that was said.
    pub(super) owner: Option<(i64, String)>,
    pub(super) tags: Option<(i64, Vec<String>)>,
    /// When it was written last.
    pub(super) written: i64,
    /// Is this the name of a table, by what a symlink says?
    pub(super) is_table: bool,
}

/// One name for each dataset.
pub(super) struct Settled {
    /// The number that stands for each number.
    pub(super) of: Vec<u32>,
    /// Likewise before renames.
    pub(super) same: Vec<u32>,
    /// Renames that were followed: old name, new name.
    pub(super) renamed: Vec<(u32, u32)>,
}

impl Names {
    /// The number of a dataset.
    pub(super) fn number(&mut self, namespace: &str, name: &str) -> Result<u32, Problem> {
        let Names {
            scratch, numbers, ..
        } = self;
        let (namespace, name) = (namespace.trim(), name.trim());
        if name.is_empty() {
            return Err(Problem::NoValue);
        }
        scratch.clear();
        scratch.push_str(namespace);
        // `file` and `/data/x` are `file/data/x`; `s3://b` and `x` are `s3://b/x`.
        if !namespace.is_empty() && !name.starts_with('/') {
            scratch.push('/');
        }
        scratch.push_str(name);
        if let Some(&number) = numbers.get(scratch.as_str()) {
            return Ok(number);
        }
        if scratch.starts_with("coverage:") {
            return Err(Problem::OfCoverage);
        }
        let id = dataset_id(&Cell::Text(scratch))?;
        let number = self.ids.len() as u32;
        self.numbers.insert(id.clone(), number);
        self.ids.push(id);
        self.facts.push(Facts::default());
        Ok(number)
    }

    /// Two names are said to mean one dataset.
    pub(super) fn are_same(&mut self, one: u32, other: u32) {
        if one != other {
            self.same.insert((one.min(other), one.max(other)));
        }
    }

    /// A dataset got another name.
    pub(super) fn renamed(&mut self, at: i64, old: u32, new: u32) {
        if old != new {
            self.renames.insert((at, old, new));
        }
    }

    /// Names that were said to mean one dataset.
    pub(super) fn n_links(&self) -> usize {
        self.same.len() + self.renames.len()
    }

    /// Decides which name each dataset has.
    pub(super) fn settled(&self) -> Settled {
        let n = self.ids.len();
        let mut leader: Vec<u32> = (0..n as u32).collect();
        for &(one, other) in &self.same {
            let (one, other) = (root(&mut leader, one), root(&mut leader, other));
            // Whose name is better leads, so the order of the pairs never shows.
            let (best, rest) = match self.rank(one) <= self.rank(other) {
                true => (one, other),
                false => (other, one),
            };
            leader[rest as usize] = best;
        }
        let mut of: Vec<u32> = (0..n as u32).map(|i| root(&mut leader, i)).collect();
        let same = of.clone();
        let mut written = vec![i64::MIN; n];
        for (facts, &of) in self.facts.iter().zip(&of) {
            let written = &mut written[of as usize];
            *written = facts.written.max(*written);
        }
        let mut moved: Vec<Option<u32>> = vec![None; n];
        let mut renames: Vec<_> = self.renames.iter().copied().collect();
        renames.sort_unstable_by_key(|&(at, old, new)| {
            (at, &self.ids[old as usize], &self.ids[new as usize])
        });
        for (at, old, new) in renames {
            let (old, new) = (of[old as usize], of[new as usize]);
            if old != new && written[old as usize] <= at && follow(&moved, new) != old {
                moved[old as usize] = Some(new);
            }
        }
        let mut renamed = Vec::new();
        for (old, new) in moved.iter().enumerate() {
            if new.is_some() {
                renamed.push((old as u32, follow(&moved, old as u32)));
            }
        }
        renamed.sort_unstable_by_key(|&(old, _)| &self.ids[old as usize]);
        for of in &mut of {
            *of = follow(&moved, *of);
        }
        Settled { of, same, renamed }
    }

    /// Smaller is better.
    fn rank(&self, number: u32) -> (bool, &DatasetId) {
        let i = number as usize;
        (!self.facts[i].is_table, &self.ids[i])
    }
}

impl Facts {
    /// When the newest of what is declared was said; `None` if nothing is.
    pub(super) fn newest(&self) -> Option<i64> {
        let owner = self.owner.as_ref().map(|(at, _)| *at);
        owner.max(self.tags.as_ref().map(|(at, _)| *at))
    }

    /// Of two things said at one instant the greater stays, whichever is read first.
    pub(super) fn say<T: Ord>(known: &mut Option<(i64, T)>, at: i64, what: T) {
        let said = (at, what);
        if known.as_ref().is_none_or(|known| *known < said) {
            *known = Some(said);
        }
    }
}

fn root(leader: &mut [u32], mut i: u32) -> u32 {
    while leader[i as usize] != i {
        // Half of the way is cut off each time it is walked.
        leader[i as usize] = leader[leader[i as usize] as usize];
        i = leader[i as usize];
    }
    i
}

/// Where a chain of renames ends. It ends: none is added that closes a ring.
fn follow(moved: &[Option<u32>], mut i: u32) -> u32 {
    while let Some(next) = moved[i as usize] {
        i = next;
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Names {
        let mut names = Names::default();
        for name in of {
            names.number("n", name).unwrap();
        }
        names
    }

    #[track_caller]
    fn check_settled(names: &Names, expected: &str) {
        let settled = names.settled();
        let name = |i: &u32| names.ids[*i as usize].as_str().trim_start_matches("n/");
        let shown: Vec<&str> = settled.of.iter().map(name).collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn a_slash_parts_namespace_and_name_and_is_never_doubled() {
        let mut names = Names::default();
        let path = names.number("file", "/data/x").unwrap();
        assert_eq!(names.ids[path as usize].as_str(), "file/data/x");
        let key = names.number("s3://b", "x/y").unwrap();
        assert_eq!(names.ids[key as usize].as_str(), "s3://b/x/y");
        assert_eq!(names.number("s3://b", "/x/y"), Ok(key));
        let bare = names.number("", "t").unwrap();
        assert_eq!(names.ids[bare as usize].as_str(), "t");
        assert_eq!(names.number("n", " "), Err(Problem::NoValue));
        assert_eq!(names.number("coverage:a", "b"), Err(Problem::OfCoverage));
    }

    #[test]
    fn the_name_of_a_table_goes_before_a_path_and_then_the_first_by_name() {
        let mut all = names(&["p", "z", "q"]);
        all.are_same(0, 1);
        all.are_same(2, 1);
        check_settled(&all, "p p p");
        all.facts[1].is_table = true;
        check_settled(&all, "z z z");
    }

    #[test]
    fn renames_are_followed_to_the_last_name() {
        let mut all = names(&["a", "b", "c"]);
        all.renamed(20, 1, 2);
        all.renamed(10, 0, 1);
        check_settled(&all, "c c c");
        assert_eq!(all.settled().renamed, [(0, 2), (1, 2)]);
    }

    #[test]
    fn a_name_that_is_written_again_lives_on() {
        let mut all = names(&["new", "orders"]);
        all.renamed(10, 0, 1);
        all.facts[0].written = 11;
        check_settled(&all, "new orders");
    }

    #[test]
    fn renames_in_a_ring_end() {
        let mut all = names(&["a", "b"]);
        all.renamed(10, 0, 1);
        all.renamed(10, 1, 0);
        check_settled(&all, "b b");
    }
}

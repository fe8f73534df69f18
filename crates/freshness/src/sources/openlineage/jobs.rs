//! Who tells?
//!
//! The namespace of a job is the tool or installation it runs in; it is the source
//! that an opinion of datasets and edges is of.

use std::collections::{BTreeMap, HashMap};

use super::event::{JobPart, Ownership};
use super::names::Facts;
use crate::sources::problem::Problem;

/// Jobs, numbered as they are met.
#[derive(Default)]
pub(super) struct Jobs {
    numbers: HashMap<String, u32>,
    all: Vec<Job>,
    /// The names of namespaces.
    pub(super) namespaces: Vec<String>,
    namespace_numbers: HashMap<String, u32>,
    scratch: String,
}

pub(super) struct Job {
    /// Its number in [`Jobs::namespaces`].
    pub(super) namespace: u32,
    /// Who owns it, and when that was said.
    pub(super) owner: Option<(i64, String)>,
}

/// The longest name that is taken for one.
const NAME_BYTES_MAX: usize = 1_024;

impl Jobs {
    /// The number of a job, with what an event of then says of it.
    pub(super) fn number(&mut self, job: &JobPart<'_>, at: i64) -> Result<u32, Problem> {
        let (namespace, name) = (job.namespace.as_str(), job.name.as_str());
        let number = self.number_of(namespace, name)?;
        let ownership = job
            .facets
            .as_ref()
            .and_then(|facets| facets.ownership.as_ref());
        if let Some(owner) = ownership.and_then(Ownership::owner) {
            Facts::say(&mut self.all[number as usize].owner, at, owner);
        }
        Ok(number)
    }

    /// The number of a job.
    pub(super) fn number_of(&mut self, namespace: &str, name: &str) -> Result<u32, Problem> {
        check(name)?;
        let namespace_number = self.namespace(namespace)?;
        self.scratch.clear();
        self.scratch.push_str(namespace);
        // No name has a control character in it.
        self.scratch.push('\n');
        self.scratch.push_str(name);
        let number = match self.numbers.get(&self.scratch) {
            Some(&number) => number,
            None => {
                let number = self.all.len() as u32;
                self.numbers.insert(self.scratch.clone(), number);
                self.all.push(Job {
                    namespace: namespace_number,
                    owner: None,
                });
                number
            }
        };
        Ok(number)
    }

    /// The number of a namespace that tells something.
    pub(super) fn namespace(&mut self, name: &str) -> Result<u32, Problem> {
        check(name)?;
        if let Some(&number) = self.namespace_numbers.get(name) {
            return Ok(number);
        }
        let number = self.namespaces.len() as u32;
        self.namespace_numbers.insert(name.to_owned(), number);
        self.namespaces.push(name.to_owned());
        Ok(number)
    }

    /// The namespace and the name of each job, by number.
    pub(super) fn names(&self) -> BTreeMap<u32, (&str, &str)> {
        let names = self.numbers.iter();
        names
            .filter_map(|(name, &number)| Some((number, name.split_once('\n')?)))
            .collect()
    }

    pub(super) fn job(&self, number: u32) -> &Job {
        &self.all[number as usize]
    }

    pub(super) fn n(&self) -> usize {
        self.all.len() + self.namespaces.len()
    }
}

fn check(name: &str) -> Result<(), Problem> {
    match name {
        "" => Err(Problem::NoValue),
        _ if name.len() > NAME_BYTES_MAX => Err(Problem::LongId(name.len())),
        _ if name.chars().any(char::is_control) => Err(Problem::Control),
        _ => Ok(()),
    }
}

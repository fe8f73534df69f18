//! How far is a whole source, or a whole dataset, covered?
//!
//! As far as the scope that is furthest behind: one healthy feed never speaks
//! for another.

use std::collections::BTreeMap;

use super::check::ScopeState;
use crate::civil::Zone;

/// The scopes of a source, or those that feed a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct RollUp<'a> {
    /// The source or the dataset.
    pub name: &'a str,
    /// Its scopes.
    pub n_scopes: u64,
    /// Of these, covered as their contracts ask.
    pub n_healthy: u64,
    /// Up to when all healthy ones are complete: UTC seconds; `None` without
    /// any.
    pub healthy_through: Option<i64>,
    /// The others, in the order given.
    pub behind: Vec<&'a ScopeState>,
    /// The zone of its contracts, if it is one for all; else UTC.
    pub zone: Zone,
}

/// Rolls scopes up by source, in the order of their names.
pub fn by_source(states: &[ScopeState]) -> Vec<RollUp<'_>> {
    roll_up(states, |state| Some(&state.contract.source))
}

/// Rolls scopes up by the dataset they feed; those that feed none are left
/// out.
pub fn by_dataset(states: &[ScopeState]) -> Vec<RollUp<'_>> {
    roll_up(states, |state| state.contract.dataset.as_deref())
}

fn roll_up<'a>(
    states: &'a [ScopeState],
    name: impl Fn(&'a ScopeState) -> Option<&'a str>,
) -> Vec<RollUp<'a>> {
    let mut groups: BTreeMap<&str, RollUp<'a>> = BTreeMap::new();
    for state in states {
        let Some(name) = name(state) else { continue };
        let group = groups.entry(name).or_insert_with(|| RollUp {
            name,
            n_scopes: 0,
            n_healthy: 0,
            healthy_through: None,
            behind: Vec::new(),
            zone: state.zone,
        });
        group.n_scopes += 1;
        if group.zone != state.zone {
            group.zone = Zone::universal();
        }
        if state.is_healthy() {
            group.n_healthy += 1;
            let through = state.complete_through();
            group.healthy_through = match group.healthy_through {
                Some(before) => through.map(|through| through.min(before)),
                None => through,
            };
        } else {
            group.behind.push(state);
        }
    }
    groups.into_values().collect()
}

//! How far is a whole source, or a whole dataset, covered?
//!
//! As far as the scope that is furthest behind: one healthy feed never speaks
//! for another.

use std::collections::BTreeMap;

use super::check::ScopeState;
use super::inventory::{Gap, GapKind};
use crate::civil::Zone;

/// The scopes of a source, or those that feed a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct RollUp<'a> {
    /// The source or the dataset.
    pub name: &'a str,
    /// Its scopes, also those of the inventory that have no contract.
    pub n_scopes: u64,
    /// Of these, covered as their contracts ask.
    pub n_healthy: u64,
    /// Up to when all healthy ones are complete: UTC seconds; `None` without
    /// any.
    pub healthy_through: Option<i64>,
    /// Those that fail, in the order given.
    pub behind: Vec<&'a ScopeState>,
    /// Those that would, were they not put off by maintenance.
    pub put_off: Vec<&'a ScopeState>,
    /// Scopes of the inventory that have no contract: nobody says how far they
    /// may lag, so none of them is covered.
    pub without_contract: Vec<&'a str>,
    /// Are there scopes of several sources? Then a scope's name alone does not
    /// say which it is.
    pub several_sources: bool,
    /// The zone of its contracts, if it is one for all; else UTC.
    pub zone: Zone,
}

/// Rolls scopes up by source, in the order of their names, with those of the
/// inventory that have no contract.
pub fn by_source<'a>(states: &'a [ScopeState], gaps: &'a [Gap]) -> Vec<RollUp<'a>> {
    let mut groups = roll_up(states, |state| Some(&state.contract.source));
    for gap in gaps.iter().filter(|gap| gap.missing == GapKind::Contract) {
        let group = groups.entry(&gap.source);
        let group = group.or_insert_with(|| RollUp::new(&gap.source, Zone::universal()));
        group.n_scopes += 1;
        group.without_contract.push(&gap.scope);
    }
    groups.into_values().collect()
}

/// Rolls scopes up by the dataset they feed; those that feed none are left
/// out.
pub fn by_dataset(states: &[ScopeState]) -> Vec<RollUp<'_>> {
    let groups = roll_up(states, |state| state.contract.dataset.as_deref());
    groups.into_values().collect()
}

impl<'a> RollUp<'a> {
    fn new(name: &'a str, zone: Zone) -> RollUp<'a> {
        RollUp {
            name,
            n_scopes: 0,
            n_healthy: 0,
            healthy_through: None,
            behind: Vec::new(),
            put_off: Vec::new(),
            without_contract: Vec::new(),
            several_sources: false,
            zone,
        }
    }
}

fn roll_up<'a>(
    states: &'a [ScopeState],
    name: impl Fn(&'a ScopeState) -> Option<&'a str>,
) -> BTreeMap<&'a str, RollUp<'a>> {
    let mut groups: BTreeMap<&str, RollUp<'a>> = BTreeMap::new();
    let mut source_of: BTreeMap<&str, &str> = BTreeMap::new();
    for state in states {
        let Some(name) = name(state) else { continue };
        let group = groups.entry(name);
        let group = group.or_insert_with(|| RollUp::new(name, state.zone));
        let source = source_of.entry(name).or_insert(&state.contract.source);
        group.several_sources |= *source != state.contract.source;
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
        } else if state.fails() {
            group.behind.push(state);
        } else {
            group.put_off.push(state);
        }
    }
    groups
}

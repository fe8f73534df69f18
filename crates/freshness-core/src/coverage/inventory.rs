//! Is there a contract for everything that must be covered?

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::contract::ContractRow;
use super::scope_key::ScopeKey;

/// A scope that is in only one of inventory and contracts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Gap {
    /// The feed.
    pub source: String,
    /// The part of it.
    pub scope: String,
    /// What is missing.
    pub missing: GapKind,
}

/// In which of the two a scope is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// It is in the inventory, and nobody says how far it may lag.
    Contract,
    /// It has a contract, and the inventory does not know it.
    Inventory,
}

/// Compares contracts with a declared inventory; sorted. An inventory of
/// nothing is none.
pub fn gaps<'a>(
    contracts: impl IntoIterator<Item = &'a ContractRow>,
    inventory: &[ScopeKey],
) -> Vec<Gap> {
    if inventory.is_empty() {
        return Vec::new();
    }
    let contracts: BTreeSet<(&str, &str)> = contracts
        .into_iter()
        .map(|row| (row.source.as_str(), row.scope.as_str()))
        .collect();
    let inventory: BTreeSet<(&str, &str)> = inventory
        .iter()
        .map(|key| (key.source(), key.scope()))
        .collect();
    let gap = |missing: GapKind| {
        move |&(source, scope): &(&str, &str)| Gap {
            source: source.to_owned(),
            scope: scope.to_owned(),
            missing,
        }
    };
    let without_contract = inventory.difference(&contracts);
    let unknown = contracts.difference(&inventory);
    let mut gaps: Vec<Gap> = without_contract
        .map(gap(GapKind::Contract))
        .chain(unknown.map(gap(GapKind::Inventory)))
        .collect();
    gaps.sort_unstable();
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_only_one_of_the_two_is_a_gap() {
        let contract = |scope: &str| ContractRow {
            source: "orders".to_owned(),
            scope: scope.to_owned(),
            ..ContractRow::default()
        };
        let contracts = [contract("DE"), contract("FR")];
        let inventory = ["FR", "IT"].map(|scope| ScopeKey::new("orders", scope).unwrap());
        let found = gaps(&contracts, &inventory);
        let said: Vec<_> = found
            .iter()
            .map(|gap| (gap.scope.as_str(), gap.missing))
            .collect();
        assert_eq!(
            said,
            [("DE", GapKind::Inventory), ("IT", GapKind::Contract)]
        );
        assert_eq!(gaps(&contracts, &[]), []);
    }
}

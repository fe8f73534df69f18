//! What is a node of dbt called here?
//!
//! A table of a source `source.table`, a model, seed or snapshot by its name
//! (`orders`, a version of it `orders.v2`). Where two packages have one of the
//! same name, each is called after its package too. What dbt calls a node, its
//! unique id, is unique already: `model.shop.orders.v2`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A unique id, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UniqueId<'a> {
    pub(super) kind: Kind,
    pub(super) package: &'a str,
    /// `orders`, `orders.v2`, `raw.orders`.
    pub(super) rest: &'a str,
}

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A table that dbt reads.
    Source,
    /// What dbt makes: a model, seed or snapshot.
    Made,
    /// A test of either.
    Test,
    /// Something else: an exposure, an operation.
    Other,
}

impl UniqueId<'_> {
    pub(super) fn of(text: &str) -> Option<UniqueId<'_>> {
        let (kind, rest) = text.split_once('.')?;
        let (package, rest) = rest.split_once('.')?;
        let kind = match kind {
            "source" => Kind::Source,
            "model" | "seed" | "snapshot" => Kind::Made,
            "test" | "unit_test" => Kind::Test,
            _ => Kind::Other,
        };
        (!rest.is_empty()).then_some(UniqueId {
            kind,
            package,
            rest,
        })
    }

    /// Is it a dataset?
    pub(super) fn is_dataset(&self) -> bool {
        matches!(self.kind, Kind::Source | Kind::Made)
    }
}

/// The names of nodes, by unique id. Each comes with its short name.
pub(super) fn named<'a>(nodes: &BTreeMap<&'a str, String>) -> HashMap<&'a str, String> {
    let mut n_of: HashMap<&str, usize> = HashMap::new();
    for short in nodes.values() {
        *n_of.entry(short).or_default() += 1;
    }
    let is_shared = |short: &String| n_of.get(short.as_str()).is_some_and(|&n| n > 1);
    let mut taken: BTreeSet<String> = (nodes.values())
        .filter(|short| !is_shared(short))
        .cloned()
        .collect();
    let mut names = HashMap::with_capacity(nodes.len());
    for (&unique_id, short) in nodes {
        let name = match UniqueId::of(unique_id) {
            Some(id) if is_shared(short) => {
                let longer = format!("{}.{short}", id.package);
                match taken.insert(longer.clone()) {
                    true => longer,
                    // A seed and a model, or a source that is called like a package.
                    false => unique_id.to_owned(),
                }
            }
            _ => short.clone(),
        };
        names.insert(unique_id, name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nodes: &[(&str, &str)], expected: &[&str]) {
        let shorts = nodes.iter().map(|&(id, short)| (id, short.to_owned()));
        let names = named(&shorts.collect());
        let found: Vec<&str> = nodes.iter().map(|(id, _)| names[id].as_str()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_that_two_packages_share_is_called_after_its_package() {
        check(
            &[
                ("model.shop.orders", "orders"),
                ("model.web.orders", "orders"),
                ("model.web.visits", "visits"),
                ("source.shop.raw.orders", "raw.orders"),
            ],
            &["shop.orders", "web.orders", "visits", "raw.orders"],
        );
    }

    #[test]
    fn no_two_nodes_have_one_name_whatever_they_are_called() {
        check(
            &[
                ("model.shop.orders", "orders"),
                ("seed.shop.orders", "orders"),
                ("model.web.orders", "orders"),
                ("source.x.shop.orders", "shop.orders"),
            ],
            &[
                "model.shop.orders",
                "seed.shop.orders",
                "web.orders",
                "shop.orders",
            ],
        );
    }

    #[test]
    fn a_unique_id_is_kind_package_and_name() {
        let id = UniqueId::of("model.shop.orders.v2").unwrap();
        assert_eq!((id.package, id.rest), ("shop", "orders.v2"));
        assert!(id.is_dataset());
        assert_eq!(UniqueId::of("model.shop"), None);
        assert_eq!(
            UniqueId::of("exposure.shop.board").unwrap().kind,
            Kind::Other
        );
    }
}

//! What stands in the warehouse, and what is made from what?
//!
//! Always the same 53 places and 47 edges, raw to staging to fact to mart.
//! Which subject stands in which place, and how it behaves, is for the seed.

use freshness_core::civil::{DAY, HOUR};
use freshness_core::dataset::DatasetId;

use super::chance::Chance;
use super::{ENDS_AT, FROM, LAST_DAY};

/// How often a place delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rhythm {
    Hourly,
    Daily,
    Weekly,
    Monthly,
    /// Begun six days before the end.
    NewDaily,
    /// Begun in the last two days.
    NewHourly,
}

/// One place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its name in this file.
    pub(super) name: &'static str,
    pub(super) rhythm: Rhythm,
    /// How far from the sources: 0 raw, 1 staging, 2 fact, 3 mart.
    pub(super) layer: usize,
    /// Names of places before it.
    pub(super) parents: &'static [&'static str],
    /// Is something made from it?
    pub(super) is_leaf: bool,
}

use Rhythm::{Daily, Hourly, Monthly, NewDaily, NewHourly, Weekly};

/// The places, parents before children.
const PLACES: [(&str, Rhythm, usize, &[&str]); 53] = [
    ("H0", Hourly, 0, &[]),
    ("H1", Hourly, 0, &[]),
    ("H2", Hourly, 0, &[]),
    ("H3", Hourly, 0, &[]),
    ("H4", Hourly, 0, &[]),
    ("H5", Hourly, 0, &[]),
    ("G0", Hourly, 1, &["H0"]),
    ("G1", Hourly, 1, &["H1"]),
    ("G2", Hourly, 1, &["H2"]),
    ("E0", Hourly, 2, &["G0", "G1"]),
    ("R0", Daily, 0, &[]),
    ("R1", Daily, 0, &[]),
    ("R2", Daily, 0, &[]),
    ("R3", Daily, 0, &[]),
    ("R4", Daily, 0, &[]),
    ("R5", Daily, 0, &[]),
    ("R6", Daily, 0, &[]),
    ("R7", Daily, 0, &[]),
    ("R8", Daily, 0, &[]),
    ("R9", Daily, 0, &[]),
    ("R10", Daily, 0, &[]),
    ("R11", Daily, 0, &[]),
    ("R12", Daily, 0, &[]),
    ("R13", Daily, 0, &[]),
    ("R14", Daily, 0, &[]),
    ("S0", Daily, 1, &["R0"]),
    ("S1", Daily, 1, &["R1"]),
    ("S2", Daily, 1, &["R2"]),
    ("S3", Daily, 1, &["R3"]),
    ("S4", Daily, 1, &["R4"]),
    ("S5", Daily, 1, &["R5"]),
    ("S6", Daily, 1, &["R6"]),
    ("S7", Daily, 1, &["R7"]),
    ("S8", Daily, 1, &["R8"]),
    ("S9", Daily, 1, &["R9"]),
    ("F0", Daily, 2, &["S0", "S1"]),
    ("F1", Daily, 2, &["S2", "S3", "H5"]),
    ("F2", Daily, 2, &["S4", "G0"]),
    ("F3", Daily, 2, &["S5", "S6"]),
    ("F4", Daily, 2, &["S7", "H3"]),
    ("F5", Daily, 2, &["S8", "S9", "H4"]),
    ("M0", Daily, 3, &["F0", "F1", "G1"]),
    ("M1", Daily, 3, &["F0", "F2"]),
    ("M2", Daily, 3, &["F3"]),
    ("M3", Daily, 3, &["F4", "F5"]),
    ("M4", Daily, 3, &["F5", "F2", "E0"]),
    ("M5", Daily, 3, &["F3", "R10"]),
    ("W0", Weekly, 0, &[]),
    ("W1", Weekly, 3, &["M2", "F5", "R12"]),
    ("K0", Monthly, 0, &[]),
    ("K1", Monthly, 3, &["F1", "R12"]),
    ("N0", NewDaily, 0, &[]),
    ("N1", NewHourly, 0, &[]),
];

/// What delivers nothing on the last day.
pub(super) const LAST_DAY_ROOTS: [&str; 4] = ["H2", "R5", "R7", STOPPED];
/// What may have stopped for good months before.
pub(super) const STOPPED: &str = "R11";
/// What is late on the last day: the roots, and what is made from them and due
/// that day.
pub(super) const LATE_ON_LAST_DAY: [&str; 12] = [
    "H2", "G2", "R5", "S5", "F3", "M2", "M5", "R7", "S7", "F4", "M3", STOPPED,
];

/// The places in order.
pub(super) fn places() -> Vec<Place> {
    let has_children = |name: &str| {
        PLACES
            .iter()
            .any(|(_, _, _, parents)| parents.contains(&name))
    };
    PLACES
        .iter()
        .map(|&(name, rhythm, layer, parents)| Place {
            name,
            rhythm,
            layer,
            parents,
            is_leaf: !has_children(name),
        })
        .collect()
}

/// The place of a name. Panics if there is none.
pub(super) fn place(name: &str) -> usize {
    PLACES
        .iter()
        .position(|&(other, ..)| other == name)
        .expect("a place of the layout")
}

/// When the roots of what is late on the last day fall silent.
pub(super) fn silent_from(rhythm: Rhythm) -> i64 {
    match rhythm {
        Hourly => ENDS_AT - 7 * HOUR,
        _ => LAST_DAY,
    }
}

/// When a dataset begins that is not older than the history.
pub(super) fn begins(rhythm: Rhythm) -> i64 {
    match rhythm {
        NewDaily => LAST_DAY - 6 * DAY,
        NewHourly => LAST_DAY - 9 * HOUR,
        Hourly | Daily | Weekly | Monthly => FROM,
    }
}

const STREAMS: [&str; 8] = [
    "clicks",
    "pageviews",
    "impressions",
    "app_events",
    "telemetry",
    "logins",
    "bids",
    "searches",
];
const SUBJECTS: [&str; 24] = [
    "orders",
    "payments",
    "customers",
    "inventory",
    "shipments",
    "refunds",
    "campaigns",
    "prices",
    "tickets",
    "products",
    "invoices",
    "leads",
    "carts",
    "reviews",
    "suppliers",
    "contracts",
    "coupons",
    "calls",
    "returns",
    "deliveries",
    "claims",
    "surveys",
    "rates",
    "stores",
];
const FACTS: [&str; 9] = [
    "sales",
    "margin",
    "fulfilment",
    "demand",
    "engagement",
    "billing",
    "retention",
    "spend",
    "stock_moves",
];
const MARTS: [&str; 10] = [
    "revenue",
    "growth",
    "supply",
    "finance",
    "marketing",
    "service",
    "executive",
    "risk",
    "loyalty",
    "operations",
];

/// A name for each place: a staging table is called like its source.
pub(super) fn names(chance: &mut Chance) -> Vec<DatasetId> {
    let mut streams = chance.shuffled(STREAMS).into_iter();
    let mut subjects = chance.shuffled(SUBJECTS).into_iter();
    let mut facts = chance.shuffled(FACTS).into_iter();
    let mut marts = chance.shuffled(MARTS).into_iter();
    let mut named: Vec<(&str, String)> = Vec::new();
    for place in places() {
        let next = |of: &mut dyn Iterator<Item = &'static str>| of.next().expect("names enough");
        let is_stream = matches!(place.rhythm, Hourly | NewHourly);
        let name = match (place.layer, place.rhythm) {
            (0, _) if is_stream => format!("raw_{}", next(&mut streams)),
            (0, _) => format!("raw_{}", next(&mut subjects)),
            (1, _) => {
                let source = named.iter().find(|(other, _)| *other == place.parents[0]);
                source
                    .expect("a parent before it")
                    .1
                    .replacen("raw_", "stg_", 1)
            }
            (2, Hourly) => format!("fct_{}_hourly", next(&mut facts)),
            (2, _) => format!("fct_{}", next(&mut facts)),
            (_, Weekly) => format!("mart_{}_weekly", next(&mut marts)),
            (_, Monthly) => format!("mart_{}_monthly", next(&mut marts)),
            _ => format!("mart_{}", next(&mut marts)),
        };
        named.push((place.name, name));
    }
    let id = |name: String| DatasetId::try_from(name.as_str()).expect("a good name");
    named.into_iter().map(|(_, name)| id(name)).collect()
}

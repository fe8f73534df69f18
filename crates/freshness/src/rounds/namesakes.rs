//! Which datasets do two sources tell of that may be two?
//!
//! Names are all that is known of most datasets, so those that have one name are
//! taken for one. That is right where two projects read the same table, or one has
//! the other as a package, and wrong where each makes its own: so it is said.

use std::collections::{BTreeMap, BTreeSet};

use freshness_store::Namesakes;

use crate::sources::ToldRemark;

/// So many names are said of two sources.
const SHOWN: usize = 3;

/// Says of each two sources which datasets both tell of and call otherwise.
pub(super) fn remarks(namesakes: &BTreeSet<Namesakes>) -> Vec<ToldRemark> {
    let mut shared: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for of in namesakes {
        let names = shared.entry((&of.source, &of.other)).or_default();
        names.push(of.dataset.as_str());
    }
    let remark = |((one, other), names): ((&str, &str), Vec<&str>)| {
        let more = match names.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = names[..names.len().min(SHOWN)].join(", ");
        ToldRemark {
            place: format!("{one}, {other}"),
            what: format!(
                "both tell of datasets of these names, each taken for one: {shown}{more} (if it \
                 is two, name one by `meta.freshness.dataset` in its project)"
            ),
        }
    };
    shared.into_iter().map(remark).collect()
}

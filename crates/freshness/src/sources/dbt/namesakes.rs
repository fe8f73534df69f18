//! Which datasets of two projects have one name?
//!
//! They are taken for one, which is right if one project has the other as a
//! package or both read the same table, and wrong otherwise; so it is said.

use std::collections::BTreeMap;

use freshness_core::dataset::DatasetId;

use crate::sources::ToldRemark;

/// So many names are said of two projects.
const SHOWN: usize = 3;

/// What each project calls its datasets in dbt, by source and dataset.
pub(super) type Called = BTreeMap<String, BTreeMap<DatasetId, String>>;

/// Says of two projects which names both have for different things of dbt.
pub(super) fn remarks(called: &Called) -> Vec<ToldRemark> {
    let mut first: BTreeMap<&DatasetId, (&str, &str)> = BTreeMap::new();
    let mut shared: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (source, datasets) in called {
        for (dataset, unique_id) in datasets {
            let (other, other_id) = *first.entry(dataset).or_insert((source, unique_id));
            if other_id != unique_id {
                let names = shared.entry((other, source)).or_default();
                names.push(dataset.as_str());
            }
        }
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
                "both tell of datasets of these names, each taken for one: {shown}{more}"
            ),
        }
    };
    shared.into_iter().map(remark).collect()
}

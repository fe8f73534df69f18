//! Which histories does the demo come with, and what came after them?

use jiff::Timestamp;

/// The histories; README.md beside them says where they come from.
pub(super) const DATA: [(&str, &[u8]); 4] = [
    (
        "arrivals.csv.gz",
        include_bytes!("../../../demo/arrivals.csv.gz"),
    ),
    ("datasets.csv", include_bytes!("../../../demo/datasets.csv")),
    ("lineage.csv", include_bytes!("../../../demo/lineage.csv")),
    (
        "dashboards.csv",
        include_bytes!("../../../demo/dashboards.csv"),
    ),
];

/// The first arrival of each after the pinned instant; never imported.
const AFTERWARDS: &str = include_str!("../../../demo/afterwards.csv");

/// When a dataset delivered next after the pinned instant, in fact; `None` if
/// it never did.
pub(super) fn afterwards(dataset: &str) -> Option<Timestamp> {
    let at = AFTERWARDS.lines().find_map(|line| {
        let (id, at) = line.split_once(',')?;
        (id == dataset).then_some(at)
    })?;
    at.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_later_happened_is_known_of_all_but_the_feed_that_never_came_back() {
        let at = afterwards("chnroutes_txt").unwrap();
        assert_eq!(at.to_string(), "2022-09-07T05:52:58Z");
        assert_eq!(afterwards("covid_ts_combined"), None);
        let unreadable = AFTERWARDS
            .lines()
            .skip(1)
            .find(|line| afterwards(line.split(',').next().unwrap()).is_none());
        assert_eq!(unreadable, None);
    }
}

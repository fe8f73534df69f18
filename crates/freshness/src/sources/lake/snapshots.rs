//! Which snapshots came to a table's main branch, and when?
//!
//! A snapshot may be written to another branch, or be staged to be looked at
//! first; it is there when the main branch comes to it, which the log of
//! snapshots says. Going back to an older snapshot is in that log too, as one
//! that was there before. A snapshot that was gone back from did arrive.

use std::collections::{HashMap, HashSet};

use super::metadata::{Metadata, Snapshot};

/// A snapshot that came to the main branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Came<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// When: milliseconds since 1970 of UTC.
    pub(super) at_millis: i64,
}

/// Snapshots of one transaction are so near to each other; what came later was
/// written elsewhere first.
const TRANSACTION_MILLIS: i64 = 5 * 60 * 1_000;

/// The snapshots that came to the main branch, in the order of their coming.
pub(super) fn came(metadata: &Metadata) -> Vec<Came<'_>> {
    let by_id: HashMap<i64, &Snapshot> = (metadata.snapshots.iter())
        .map(|snapshot| (snapshot.snapshot_id, snapshot))
        .collect();
    // The first time: later ones are ways back.
    let mut logged: HashMap<i64, i64> = HashMap::new();
    for entry in &metadata.snapshot_log {
        logged
            .entry(entry.snapshot_id)
            .or_insert(entry.timestamp_ms);
    }
    // What happened before this is not in the log any more.
    let log_start = metadata
        .snapshot_log
        .first()
        .map(|entry| entry.timestamp_ms);
    let latest_first = metadata.snapshot_log.iter().rev();
    let heads = (metadata.current().into_iter()).chain(latest_first.map(|entry| entry.snapshot_id));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for head in heads {
        let (mut next, mut above) = (Some(head), None);
        while let Some(id) = next.filter(|&id| seen.insert(id)) {
            let Some(&snapshot) = by_id.get(&id) else {
                break;
            };
            let own = snapshot.timestamp_ms;
            let is_in_log = log_start.is_some_and(|start| own >= start);
            let at_millis = match logged.get(&id) {
                Some(&at) if is_in_log => at,
                // It came with the one that was made from it.
                None if is_in_log => above
                    .filter(|above| *above > own.saturating_add(TRANSACTION_MILLIS))
                    .unwrap_or(own),
                _ => own,
            };
            above = logged.get(&id).copied().or(above);
            found.push(Came {
                snapshot,
                at_millis,
            });
            next = snapshot.parent_snapshot_id;
        }
    }
    found.sort_by_key(|came| (came.at_millis, came.snapshot.snapshot_id));
    found
}

#[cfg(test)]
mod tests {
    use super::super::metadata::read_metadata;
    use super::*;

    const MINUTE: i64 = 60_000;

    /// `snapshots`: `id parent minute`; `log`: `id minute`; what came, as
    /// `id@minute`.
    fn check_came(main: i64, snapshots: &[(i64, i64, i64)], log: &[(i64, i64)]) -> String {
        let snapshots = snapshots.iter().map(|(id, parent, minute)| {
            let at = minute * MINUTE;
            format!(r#"{{"snapshot-id":{id},"parent-snapshot-id":{parent},"timestamp-ms":{at}}}"#)
        });
        let log = log.iter().map(|(id, minute)| {
            format!(
                r#"{{"snapshot-id":{id},"timestamp-ms":{}}}"#,
                minute * MINUTE
            )
        });
        let (snapshots, log): (Vec<_>, Vec<_>) = (snapshots.collect(), log.collect());
        let json = format!(
            r#"{{"format-version":2,"last-updated-ms":0,"current-snapshot-id":{main},"snapshots":[{}],"snapshot-log":[{}]}}"#,
            snapshots.join(","),
            log.join(",")
        );
        let metadata = read_metadata(&mut json.as_bytes()).unwrap();
        let came = came(&metadata);
        let said = came
            .iter()
            .map(|came| format!("{}@{}", came.snapshot.snapshot_id, came.at_millis / MINUTE));
        said.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_snapshot_came_when_the_main_branch_did() {
        let two = [(1, 0, 10), (2, 1, 20)];
        assert_eq!(check_came(2, &two, &[(1, 10), (2, 20)]), "1@10 2@20");
        assert_eq!(check_came(-1, &[], &[]), "");
    }

    #[test]
    fn going_back_is_no_coming_and_what_was_left_did_come() {
        let three = [(1, 0, 10), (2, 1, 20), (3, 1, 40)];
        let log = [(1, 10), (2, 20), (1, 30), (3, 40)];
        assert_eq!(check_came(3, &three, &log), "1@10 2@20 3@40");
        assert_eq!(check_came(1, &three[..2], &log[..3]), "1@10 2@20");
    }

    #[test]
    fn a_branch_comes_when_main_is_moved_to_it_or_never() {
        let staged = [(1, 0, 10), (2, 1, 20), (3, 2, 21)];
        assert_eq!(check_came(1, &staged, &[(1, 10)]), "1@10");
        let moved = [(1, 10), (3, 60)];
        assert_eq!(check_came(3, &staged, &moved), "1@10 2@60 3@60");
    }

    #[test]
    fn snapshots_of_one_transaction_keep_their_time() {
        let two = [(1, 0, 10), (2, 1, 20), (3, 2, 22)];
        assert_eq!(check_came(3, &two, &[(1, 10), (3, 22)]), "1@10 2@20 3@22");
    }

    #[test]
    fn what_was_before_the_log_keeps_its_time() {
        // 2 was left for 1 and has expired; the log begins after it.
        let kept = [(1, 0, 10), (3, 1, 40)];
        assert_eq!(check_came(3, &kept, &[(1, 30), (3, 40)]), "1@10 3@40");
        assert_eq!(check_came(3, &kept, &[]), "1@10 3@40");
    }

    #[test]
    fn parents_in_a_circle_end() {
        assert_eq!(check_came(1, &[(1, 2, 10), (2, 1, 20)], &[]), "1@10 2@20");
    }
}

//! Is every step in the life of an incident told, once?

use super::*;
use crate::civil::{DAY, HOUR};
use crate::fit::to_timestamp;
use crate::incidents::{Ack, IncidentKind, Member, OtherRoots};
use crate::state::{Severity, State};

const MIDNIGHT: i64 = 20_000 * DAY;

fn id(name: &str) -> DatasetId {
    DatasetId::try_from(name).unwrap()
}

fn hour(hour: i64) -> Timestamp {
    to_timestamp(MIDNIGHT + hour * HOUR)
}

/// `raw: stg fct` is a root and what it explains.
fn incident(text: &str) -> Incident {
    let (root, members) = text.split_once(':').unwrap_or((text, ""));
    let members: Vec<Member> = members
        .split_whitespace()
        .map(|name| Member {
            dataset_id: id(name),
            hops: 1,
            state: State::Late,
            since: hour(6),
            n_overdue: 1,
            breaches: Vec::new(),
            counted: true,
            also: OtherRoots::new(),
            more: false,
            wait: None,
        })
        .collect();
    Incident {
        kind: IncidentKind::Root,
        root: Some(id(root)),
        state: State::Late,
        severity: Some(Severity::Warning),
        cycle: None,
        breaches: Vec::new(),
        since: hour(6),
        arrived_at: None,
        n_late: members.len() as u64 + 1,
        members,
        bottleneck: None,
    }
}

/// Checks at these hours found these; an ack at an hour begins with `ack`,
/// `silenced` begins one that is silenced, `unjudged` what cannot be judged.
#[track_caller]
fn check_story(checks: &[(i64, &[&str])], expected: &[&str]) {
    let mut before: Vec<Followed> = Vec::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut story: Vec<String> = Vec::new();
    for &(at, found) in checks {
        let (mut incidents, mut silenced, mut unjudged) = (Vec::new(), Vec::new(), Vec::new());
        for words in found {
            match words.split_once(' ') {
                Some(("ack", root)) => {
                    let of = before
                        .iter_mut()
                        .find(|of| of.incident.root == Some(id(root)));
                    of.unwrap().ack = Some(Ack {
                        by: "ana".to_owned(),
                        why: "known".to_owned(),
                        at: hour(at),
                        until: Some(hour(at + 2)),
                    });
                }
                Some(("unjudged", root)) => unjudged.push(id(root)),
                Some(("silenced", rest)) => {
                    let quiet = incident(rest);
                    silenced.extend(quiet.root.clone());
                    incidents.push(quiet);
                }
                _ => incidents.push(incident(words)),
            }
        }
        let found = Incidents {
            n_late: incidents.iter().map(|incident| incident.n_late).sum(),
            incidents,
        };
        let advanced = advance(
            before,
            found,
            |incident| silenced.contains(incident.root.as_ref()?).then_some(7),
            |id| !unjudged.contains(id),
            hour(at),
        );
        for Event { incident, what, .. } in &advanced.events {
            let of = advanced
                .followed
                .iter()
                .find(|of| of.id == *incident)
                .unwrap();
            let name = names
                .entry(incident.clone())
                .or_insert_with(|| of.incident.root.as_ref().unwrap().to_string());
            let what = match what {
                What::Opened { n_late } => format!("opened with {n_late}"),
                What::Grew { datasets, .. } => format!("grew by {}", datasets[0]),
                What::Moved { to, .. } => format!("moved to {}", to.as_ref().unwrap()),
                What::Merged { .. } => "merged".to_owned(),
                What::Acknowledged { by, .. } => format!("acknowledged by {by}"),
                What::AckEnded { by } => format!("ack of {by} ended"),
                What::Silenced { silence } => format!("silenced by {silence}"),
                What::Unsilenced => "heard again".to_owned(),
                What::Resolved { n_late_most } => format!("resolved, {n_late_most} at most"),
                What::Reopened { n_late } => format!("reopened with {n_late}"),
            };
            story.push(format!("{at}: {name} {what}"));
        }
        before = advanced.followed;
    }
    assert_eq!(story, expected);
}

#[test]
fn an_incident_opens_grows_and_is_resolved_under_one_id() {
    check_story(
        &[
            (7, &["raw: stg"]),
            (8, &["raw: stg fct"]),
            (9, &["raw: fct"]),
            (10, &[]),
        ],
        &[
            "7: raw opened with 2",
            "8: raw grew by fct",
            "10: raw resolved, 3 at most",
        ],
    );
}

#[test]
fn what_turns_out_to_have_begun_further_up_keeps_its_id() {
    check_story(
        &[(7, &["stg: fct"]), (8, &["raw: stg fct"]), (9, &[])],
        &[
            "7: stg opened with 2",
            "8: stg moved to raw",
            "9: stg resolved, 3 at most",
        ],
    );
}

#[test]
fn two_that_turn_out_to_be_one_are_merged_into_the_older() {
    check_story(
        &[(6, &["a"]), (7, &["a", "b"]), (8, &["raw: a b"])],
        &[
            "6: a opened with 1",
            "7: b opened with 1",
            "8: a moved to raw",
            "8: a grew by b",
            "8: b merged",
        ],
    );
}

#[test]
fn it_opens_again_within_six_hours_and_not_after() {
    check_story(
        &[(7, &["raw"]), (8, &[]), (14, &["raw"])],
        &[
            "7: raw opened with 1",
            "8: raw resolved, 1 at most",
            "14: raw reopened with 1",
        ],
    );
    check_story(
        &[(7, &["raw"]), (8, &[]), (15, &["raw"])],
        &[
            "7: raw opened with 1",
            "8: raw resolved, 1 at most",
            "15: raw opened with 1",
        ],
    );
}

#[test]
fn an_ack_ends_with_its_time() {
    check_story(
        &[
            (7, &["raw"]),
            (8, &["ack raw", "raw"]),
            (9, &["raw"]),
            (10, &["raw"]),
        ],
        &["7: raw opened with 1", "10: raw ack of ana ended"],
    );
}

#[test]
fn a_silence_is_told_when_it_begins_and_ends() {
    check_story(
        &[
            (7, &["silenced raw"]),
            (8, &["silenced raw"]),
            (9, &["raw"]),
        ],
        &[
            "7: raw opened with 1",
            "7: raw silenced by 7",
            "9: raw heard again",
        ],
    );
}

#[test]
fn what_cannot_be_judged_is_not_resolved() {
    check_story(
        &[(7, &["raw"]), (8, &["unjudged raw"]), (9, &[])],
        &["7: raw opened with 1", "9: raw resolved, 1 at most"],
    );
}

//! What becomes of a step of a run?
//!
//! A run publishes in one step, or where ledger and data cannot share a
//! transaction in two: it begins, publishes the data, and commits or aborts. The
//! same step again changes nothing and gets the same answer.

use serde::{Deserialize, Serialize};

use super::accept::{Last, Refusal, Terms, accept, check_form, shown};
use super::publication::{Proposal, Publication};
use super::repeat::{check_repeat, differs_from_plan};

/// What a sender asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// It has published: the ledger is to say so.
    Publish,
    /// It is about to publish.
    Begin,
    /// It has published what it began.
    Commit,
    /// It has not published what it began.
    Abort,
}

/// What the ledger knows of the scope and the run that a step names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// What the contract says; `None` if there is none.
    pub terms: Option<Terms>,
    /// The last accepted release.
    pub last: Option<Last>,
    /// The release of the same run.
    pub published: Option<Publication>,
    /// The run, if it was begun.
    pub begun: Option<Begun>,
}

/// A run that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// What it said it would publish.
    pub plan: Proposal,
    /// Why it was aborted; `None` as long as it is open or committed.
    pub aborted: Option<String>,
}

/// What becomes of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The release enters the ledger; a run that was begun ends.
    Accept(Box<Publication>),
    /// The run is begun.
    Begin,
    /// The run ends without a release.
    Abort,
    /// It was so already; with the sequence of the release, if there is one.
    Repeat(Option<u64>),
    /// Nothing changes, for one reason.
    Refuse(Refusal),
}

/// Decides on a step at an instant (UTC seconds).
pub fn decide(step: Step, seen: &Seen, proposal: &Proposal, now: i64) -> Decision {
    decided(step, seen, proposal, now).unwrap_or_else(Decision::Refuse)
}

fn decided(step: Step, seen: &Seen, proposal: &Proposal, now: i64) -> Result<Decision, Refusal> {
    check_form(proposal)?;
    let run_id = || proposal.run_id.clone();
    if let (Some(published), true) = (&seen.published, step != Step::Abort) {
        repeated(step, seen.begun.as_ref(), published, proposal)?;
        return Ok(Decision::Repeat(Some(published.seq)));
    }
    let aborted = |begun: &Begun| begun.aborted.clone();
    match (step, &seen.begun) {
        (Step::Begin, _) if seen.terms.is_none() => Err(Refusal::UnknownScope),
        (Step::Begin, Some(begun)) if begun.aborted.is_none() => {
            match differs_from_plan(&begun.plan, proposal) {
                None => Ok(Decision::Repeat(None)),
                Some(differs) => Err(Refusal::BegunOtherwise {
                    run_id: run_id(),
                    differs,
                }),
            }
        }
        (Step::Begin, _) => Ok(Decision::Begin),
        (Step::Commit | Step::Abort, None) => match &seen.published {
            Some(published) => Err(Refusal::Published {
                run_id: run_id(),
                seq: published.seq,
            }),
            None => Err(Refusal::NotBegun(run_id())),
        },
        (Step::Abort, Some(begun)) => match (&begun.aborted, &seen.published) {
            (Some(_), _) => Ok(Decision::Repeat(None)),
            (None, Some(published)) => Err(Refusal::Published {
                run_id: run_id(),
                seq: published.seq,
            }),
            (None, None) => Ok(Decision::Abort),
        },
        (Step::Publish | Step::Commit, Some(begun)) if begun.aborted.is_some() => {
            Err(Refusal::Aborted {
                run_id: run_id(),
                why: aborted(begun).unwrap_or_default(),
            })
        }
        (Step::Commit, Some(begun)) => {
            let proposal = filled_from(proposal, &begun.plan);
            accept(seen.terms, seen.last, &proposal, now)
                .map(|publication| Decision::Accept(Box::new(publication)))
        }
        (Step::Publish, _) => accept(seen.terms, seen.last, proposal, now)
            .map(|publication| Decision::Accept(Box::new(publication))),
    }
}

/// Does a run that has published say so again, and nothing else? What it shows
/// must still hold: a retry with a file missing is no success.
fn repeated(
    step: Step,
    begun: Option<&Begun>,
    published: &Publication,
    proposal: &Proposal,
) -> Result<(), Refusal> {
    match (step, begun) {
        // Its commit may have said more than the plan since.
        (Step::Begin, Some(begun)) => match differs_from_plan(&begun.plan, proposal) {
            None => Ok(()),
            Some(differs) => Err(Refusal::RunReused {
                run_id: published.run_id.clone(),
                seq: published.seq,
                differs,
            }),
        },
        (Step::Begin, None) => check_repeat(published, proposal),
        _ => {
            let position = proposal.position.as_ref().or(published.position.as_ref());
            shown(&proposal.claim, position.map(String::as_str))?;
            check_repeat(published, proposal)
        }
    }
}

/// What a commit says, and what it left out as it was planned.
fn filled_from(said: &Proposal, plan: &Proposal) -> Proposal {
    Proposal {
        source: said.source.clone(),
        scope: said.scope.clone(),
        run_id: said.run_id.clone(),
        complete_through: said.complete_through.or(plan.complete_through),
        published_at: said.published_at.or(plan.published_at),
        position: said.position.clone().or_else(|| plan.position.clone()),
        rows: said.rows.or(plan.rows),
        claim: match said.claim.is_empty() {
            true => plan.claim.clone(),
            false => said.claim.clone(),
        },
        expect_seq: said.expect_seq.or(plan.expect_seq),
        allow_regression: said
            .allow_regression
            .clone()
            .or_else(|| plan.allow_regression.clone()),
        correction: said.correction || plan.correction,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{Claim, Manifest};

    const NOW: i64 = 1_772_431_200;

    fn proposal() -> Proposal {
        Proposal {
            source: "orders".to_owned(),
            scope: "FR".to_owned(),
            run_id: "r1".to_owned(),
            complete_through: Some(NOW - 600),
            published_at: Some(NOW),
            ..Proposal::default()
        }
    }

    fn seen() -> Seen {
        Seen {
            terms: Some(Terms {
                skew_tolerance_seconds: 0,
            }),
            ..Seen::default()
        }
    }

    fn begun(aborted: Option<&str>) -> Seen {
        Seen {
            begun: Some(Begun {
                plan: proposal(),
                aborted: aborted.map(str::to_owned),
            }),
            ..seen()
        }
    }

    fn published() -> Seen {
        let Decision::Accept(publication) = decide(Step::Publish, &seen(), &proposal(), NOW) else {
            panic!("it is in order");
        };
        Seen {
            published: Some(*publication),
            ..begun(None)
        }
    }

    fn word(step: Step, seen: &Seen) -> String {
        let mut bare = proposal();
        if step == Step::Commit {
            bare.complete_through = None;
        }
        match decide(step, seen, &bare, NOW) {
            Decision::Accept(publication) => format!("accepted {}", publication.seq),
            Decision::Begin => "begun".to_owned(),
            Decision::Abort => "aborted".to_owned(),
            Decision::Repeat(seq) => format!("repeated {seq:?}"),
            Decision::Refuse(refusal) => refusal.word().to_owned(),
        }
    }

    #[test]
    fn a_run_takes_its_steps_in_order_and_each_may_be_said_twice() {
        assert_eq!(word(Step::Begin, &seen()), "begun");
        assert_eq!(word(Step::Begin, &begun(None)), "repeated None");
        assert_eq!(word(Step::Commit, &begun(None)), "accepted 1");
        assert_eq!(word(Step::Commit, &published()), "repeated Some(1)");
        assert_eq!(word(Step::Publish, &published()), "repeated Some(1)");
        assert_eq!(word(Step::Begin, &published()), "repeated Some(1)");
        assert_eq!(word(Step::Abort, &begun(None)), "aborted");
        assert_eq!(word(Step::Abort, &begun(Some("disk"))), "repeated None");
        assert_eq!(word(Step::Begin, &begun(Some("disk"))), "begun");
    }

    #[test]
    fn a_step_out_of_order_is_refused() {
        assert_eq!(word(Step::Commit, &seen()), "not_begun");
        assert_eq!(word(Step::Abort, &seen()), "not_begun");
        assert_eq!(word(Step::Commit, &begun(Some("disk"))), "aborted");
        assert_eq!(word(Step::Publish, &begun(Some("disk"))), "aborted");
        assert_eq!(word(Step::Abort, &published()), "published");
        let unknown = Seen::default();
        assert_eq!(word(Step::Begin, &unknown), "unknown_scope");
    }

    #[test]
    fn a_run_that_says_something_else_is_another_run() {
        let mut other = proposal();
        other.published_at = Some(NOW - 1);
        let again = decide(Step::Publish, &published(), &other, NOW);
        assert_eq!(again, Decision::Repeat(Some(1)), "only the clock moved");
        other.rows = Some(3);
        check_refused(
            Step::Publish,
            &published(),
            &other,
            "run r1 has published already, as 1, and said otherwise: rows (nothing before, 3 now)",
        );
        check_refused(
            Step::Begin,
            &begun(None),
            &other,
            "run r1 was begun already, and said otherwise: rows (nothing before, 3 now)",
        );
        check_refused(
            Step::Begin,
            &published(),
            &other,
            "run r1 has published already, as 1, and said otherwise: rows (nothing before, 3 now)",
        );
        let mut expecting = proposal();
        expecting.expect_seq = Some(2);
        check_refused(
            Step::Publish,
            &published(),
            &expecting,
            "run r1 has published already, as 1, and said otherwise: expect_seq (1 before, 2 now)",
        );
    }

    #[test]
    fn a_retry_that_leaves_something_out_says_the_same() {
        let mut full = proposal();
        full.rows = Some(7);
        full.position = Some("0/16".to_owned());
        full.claim = claim(&["a", "b"], &["a", "b"]);
        let Decision::Accept(publication) = decide(Step::Publish, &seen(), &full, NOW) else {
            panic!("it is in order");
        };
        let seen = Seen {
            published: Some(*publication),
            ..seen()
        };
        let mut bare = proposal();
        bare.complete_through = None;
        for said in [&bare, &proposal(), &full] {
            let again = decide(Step::Publish, &seen, said, NOW);
            assert_eq!(again, Decision::Repeat(Some(1)));
        }
        let mut other = proposal();
        other.claim = claim(&["a"], &["a"]);
        check_refused(
            Step::Publish,
            &seen,
            &other,
            "run r1 has published already, as 1, and said otherwise: manifest",
        );
    }

    #[test]
    fn a_retry_whose_claim_does_not_hold_is_no_success() {
        let mut partial = proposal();
        partial.claim = claim(&["a", "b", "b"], &["a"]);
        check_refused(
            Step::Publish,
            &published(),
            &partial,
            "1 of 2 expected files are missing: b",
        );
    }

    #[test]
    fn the_rules_of_a_proposal_hold_for_every_step() {
        let mut both = proposal();
        both.correction = true;
        both.allow_regression = Some("vendor".to_owned());
        let mut empty = proposal();
        empty.claim = claim(&[], &["a"]);
        for step in [Step::Publish, Step::Begin] {
            let words = "correction and allow_regression exclude each other";
            check_refused(step, &seen(), &both, words);
            check_refused(step, &seen(), &empty, "the manifest expects nothing");
        }
    }

    #[test]
    fn a_correction_reaches_no_further_than_what_is_covered() {
        let mut correction = proposal();
        correction.run_id = "r2".to_owned();
        correction.correction = true;
        correction.complete_through = Some(NOW - 599);
        let seen = Seen {
            last: Some(Last {
                seq: 1,
                complete_through: NOW - 600,
            }),
            ..seen()
        };
        check_refused(
            Step::Publish,
            &seen,
            &correction,
            "a correction is of what is covered: 2026-03-02T05:50:01Z is after 2026-03-02T05:50:00Z",
        );
    }

    fn claim(expected: &[&str], delivered: &[&str]) -> Claim {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Claim {
            manifest: Some(Manifest {
                expected: names(expected),
                delivered: names(delivered),
            }),
            ..Claim::default()
        }
    }

    #[track_caller]
    fn check_refused(step: Step, seen: &Seen, proposal: &Proposal, words: &str) {
        let Decision::Refuse(refusal) = decide(step, seen, proposal, NOW) else {
            panic!("it is not refused");
        };
        assert_eq!(refusal.to_string(), words);
    }
}

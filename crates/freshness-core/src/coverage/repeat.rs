//! Does a run that was seen before say the same again?
//!
//! What it leaves out differs from nothing: who tries again need not repeat
//! everything. When it was published may differ, because who tries again may
//! look at the clock again.

use super::accept::{Refusal, instant, named};
use super::claim::{Claim, Total};
use super::publication::{Proposal, Publication};

/// Holds a proposal against the release of the same run. What it shows was
/// looked at before.
pub(super) fn check_repeat(before: &Publication, proposal: &Proposal) -> Result<(), Refusal> {
    let Some(differs) = differs_from_release(before, proposal) else {
        return Ok(());
    };
    Err(Refusal::RunReused {
        run_id: before.run_id.clone(),
        seq: before.seq,
        differs,
    })
}

/// What in a begin differs from the plan of the run, which was said first and
/// is what a commit would publish.
pub(super) fn differs_from_plan(plan: &Proposal, proposal: &Proposal) -> Option<String> {
    let count = |n: &u64| n.to_string();
    let text = |text: &String| named(text);
    differs(
        "complete_through",
        plan.complete_through.as_ref(),
        proposal.complete_through.as_ref(),
        |at| instant(*at),
    )
    .or_else(|| differs("rows", plan.rows.as_ref(), proposal.rows.as_ref(), count))
    .or_else(|| {
        let (before, now) = (plan.position.as_ref(), proposal.position.as_ref());
        differs("position", before, now, text)
    })
    .or_else(|| differing_claim(&plan.claim, &proposal.claim))
    .or_else(|| {
        let (before, now) = (plan.expect_seq.as_ref(), proposal.expect_seq.as_ref());
        differs("expect_seq", before, now, count)
    })
    .or_else(|| {
        let (before, now) = (
            plan.allow_regression.as_ref(),
            proposal.allow_regression.as_ref(),
        );
        differs("allow_regression", before, now, text)
    })
    .or_else(|| (proposal.correction && !plan.correction).then(|| "correction".to_owned()))
}

fn differs_from_release(before: &Publication, proposal: &Proposal) -> Option<String> {
    // A correction was recorded with what is covered, which it does not move.
    let is_within = before.correction
        && proposal.correction
        && (proposal.complete_through).is_none_or(|through| through <= before.complete_through);
    let count = |n: &u64| n.to_string();
    let text = |text: &String| named(text);
    let through = match is_within {
        true => None,
        false => proposal.complete_through.as_ref(),
    };
    differs(
        "complete_through",
        Some(&before.complete_through),
        through,
        |at| instant(*at),
    )
    .or_else(|| differs("rows", before.rows.as_ref(), proposal.rows.as_ref(), count))
    .or_else(|| {
        let (before, now) = (before.position.as_ref(), proposal.position.as_ref());
        differs("position", before, now, text)
    })
    .or_else(|| differing_claim(&before.claim, &proposal.claim))
    .or_else(|| {
        let now = proposal.expect_seq.as_ref();
        differs("expect_seq", Some(&before.seq), now, count)
    })
    .or_else(|| {
        // A permission that was not needed was not recorded.
        let regression = before.regression.as_ref()?;
        let now = proposal.allow_regression.as_ref();
        differs("allow_regression", Some(regression), now, text)
    })
    .or_else(|| (proposal.correction && !before.correction).then(|| "correction".to_owned()))
}

fn differing_claim(before: &Claim, now: &Claim) -> Option<String> {
    let Claim {
        manifest,
        totals,
        confirmed_position,
    } = now;
    if manifest.is_some() && *manifest != before.manifest {
        return Some("manifest".to_owned());
    }
    let same = |total: &Total| {
        let mut all = before.totals.iter();
        all.any(|other| other.name == total.name && other.is_like(total))
    };
    if let Some(total) = totals.iter().find(|total| !same(total)) {
        return Some(format!("the total of {}", named(&total.name)));
    }
    let (before, now) = (
        before.confirmed_position.as_ref(),
        confirmed_position.as_ref(),
    );
    differs("confirmed_position", before, now, |text| named(text))
}

/// `rows (3 before, 5 now)`, unless nothing is said now.
fn differs<T: PartialEq>(
    field: &str,
    before: Option<&T>,
    now: Option<&T>,
    words: impl Fn(&T) -> String,
) -> Option<String> {
    let said = now?;
    let before_words = match before {
        Some(before) if before == said => return None,
        Some(before) => words(before),
        None => "nothing".to_owned(),
    };
    Some(format!(
        "{field} ({before_words} before, {} now)",
        words(said)
    ))
}

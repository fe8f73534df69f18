//! May a release enter the ledger?
//!
//! A pure function of the contract, the last accepted release, the proposal
//! and the time: accepted with its sequence, or refused for one reason, the
//! first in the order of [`Refusal`].

use jiff::Timestamp;

use super::claim::Claim;
use super::contract::ContractRow;
use super::publication::{Proposal, Publication};
use super::scope_key::{ScopeKey, ScopeKeyError, is_control};

/// What a contract says of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// How far its clock may be fast: seconds.
    pub skew_tolerance_seconds: i64,
}

/// The last accepted release of the scope, as far as the next depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Last {
    /// Its sequence.
    pub seq: u64,
    /// How far the scope is covered: UTC seconds.
    pub complete_through: i64,
}

/// What becomes of a proposal.
pub type Ruling = Result<Publication, Refusal>;

/// Why a release was not accepted, in the order in which it is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Refusal {
    #[error("{0}")]
    Unreadable(String),
    #[error(transparent)]
    Name(#[from] ScopeKeyError),
    #[error("{0} is missing")]
    MissingField(&'static str),
    #[error("{field} is too long ({bytes} bytes, at most {max})")]
    TooLong {
        field: &'static str,
        bytes: usize,
        max: usize,
    },
    #[error("{0} has a control character")]
    Control(&'static str),
    #[error("{field} is before 1990, which looks like a missing time: {}", instant(*.at))]
    TooEarly { field: &'static str, at: i64 },
    #[error("no contract for this source and scope")]
    UnknownScope,
    #[error("correction and allow_regression exclude each other")]
    CorrectsBackwards,
    #[error("the manifest expects nothing")]
    EmptyManifest,
    #[error("run {run_id} has published already, as {seq}, and said otherwise: {differs}")]
    RunReused {
        run_id: String,
        seq: u64,
        differs: String,
    },
    #[error("run {run_id} was begun already, and said otherwise: {differs}")]
    BegunOtherwise { run_id: String, differs: String },
    #[error("run {0} was not begun")]
    NotBegun(String),
    #[error("run {run_id} has published already, as {seq}")]
    Published { run_id: String, seq: u64 },
    #[error("run {run_id} was aborted: {why}")]
    Aborted { run_id: String, why: String },
    #[error("complete_through {} is after published_at {}", instant(*.complete_through), instant(*.published_at))]
    ClockOrder {
        complete_through: i64,
        published_at: i64,
    },
    #[error("published_at is in the future: {} (now is {})", instant(*.published_at), instant(*.now))]
    Future { published_at: i64, now: i64 },
    #[error("{n} of {n_expected} expected files are missing: {}", .first.join(", "))]
    Incomplete {
        n: usize,
        n_expected: usize,
        first: Vec<String>,
    },
    #[error("the total of {name} differs: the source has {expected}, {found} was published")]
    Unreconciled {
        name: String,
        expected: String,
        found: String,
    },
    #[error("not a number: the total of {0}")]
    NoNumber(String),
    #[error("the source confirms another position than the one published")]
    Unconfirmed,
    #[error("sequence {expected} is used already: the next is {next}")]
    ReusedSequence { expected: u64, next: u64 },
    #[error("sequence {expected} would leave a hole: the next is {next}")]
    SkippedSequence { expected: u64, next: u64 },
    #[error("nothing is covered yet that could be corrected")]
    NothingCovered,
    #[error("a correction is of what is covered: {} is after {}", instant(*.complete_through), instant(*.covered))]
    CorrectsUncovered { covered: i64, complete_through: i64 },
    #[error("coverage would go back from {} to {}", instant(*.covered), instant(*.complete_through))]
    Regression { covered: i64, complete_through: i64 },
}

/// The longest run id.
const RUN_ID_BYTES_MAX: usize = 1_024;
/// The longest position, and the longest reason.
const TEXT_BYTES_MAX: usize = 4_096;

/// No release is older: 1990-01-01T00:00:00Z, as for arrivals.
const EARLIEST: i64 = 631_152_000;

/// How many missing files a refusal names.
const MISSING_NAMED: usize = 3;

/// Decides on a proposal at an instant (UTC seconds). `terms` are `None` where
/// no contract is known.
pub fn accept(terms: Option<Terms>, last: Option<Last>, proposal: &Proposal, now: i64) -> Ruling {
    let (complete_through, published_at) = filled(proposal, last)?;
    let Some(Terms {
        skew_tolerance_seconds,
    }) = terms
    else {
        return Err(Refusal::UnknownScope);
    };
    // One that comes later than the release itself is also later than any
    // clock would allow.
    if complete_through > published_at {
        return Err(Refusal::ClockOrder {
            complete_through,
            published_at,
        });
    }
    if published_at > now.saturating_add(skew_tolerance_seconds) {
        return Err(Refusal::Future { published_at, now });
    }
    shown(&proposal.claim, proposal.position.as_deref())?;
    let next = last.map_or(1, |last| last.seq + 1);
    match proposal.expect_seq {
        Some(expected) if expected < next => {
            return Err(Refusal::ReusedSequence { expected, next });
        }
        Some(expected) if expected > next => {
            return Err(Refusal::SkippedSequence { expected, next });
        }
        _ => {}
    }
    if let (
        true,
        Some(Last {
            complete_through: covered,
            ..
        }),
    ) = (proposal.correction, last)
        && complete_through > covered
    {
        return Err(Refusal::CorrectsUncovered {
            covered,
            complete_through,
        });
    }
    let goes_back = last.filter(|last| complete_through < last.complete_through);
    let (covers, regression) = match (goes_back, proposal.correction, &proposal.allow_regression) {
        (None, _, _) => (complete_through, None),
        (Some(last), true, _) => (last.complete_through, None),
        (Some(_), false, Some(reason)) => (complete_through, Some(reason.clone())),
        (Some(last), false, None) => {
            return Err(Refusal::Regression {
                covered: last.complete_through,
                complete_through,
            });
        }
    };
    Ok(Publication {
        seq: next,
        run_id: proposal.run_id.clone(),
        complete_through: covers,
        published_at,
        position: proposal.position.clone(),
        rows: proposal.rows,
        claim: proposal.claim.clone(),
        regression,
        correction: proposal.correction,
    })
}

impl Terms {
    /// What the contracts of a scope say; of several that disagree the
    /// strictest. `None` without any.
    pub fn of(contracts: &[ContractRow]) -> Option<Terms> {
        let tolerance = |row: &ContractRow| row.skew_tolerance_minutes.unwrap_or(0).max(0);
        let skew_tolerance_seconds = contracts.iter().map(tolerance).min()?.saturating_mul(60);
        Some(Terms {
            skew_tolerance_seconds,
        })
    }
}

impl Refusal {
    /// The word for it: in logs, JSON and counts.
    pub fn word(&self) -> &'static str {
        match self {
            Refusal::Unreadable(_) => "unreadable",
            Refusal::Name(ScopeKeyError::Blank(_)) | Refusal::MissingField(_) => "missing_field",
            Refusal::Name(_)
            | Refusal::TooLong { .. }
            | Refusal::Control(_)
            | Refusal::TooEarly { .. }
            | Refusal::CorrectsBackwards
            | Refusal::EmptyManifest => "invalid_field",
            Refusal::UnknownScope => "unknown_scope",
            Refusal::RunReused { .. } | Refusal::BegunOtherwise { .. } => "run_reused",
            Refusal::NotBegun(_) => "not_begun",
            Refusal::Aborted { .. } => "aborted",
            Refusal::Published { .. } => "published",
            Refusal::ClockOrder { .. } => "clock_order",
            Refusal::Future { .. } => "future",
            Refusal::Incomplete { .. } => "incomplete_manifest",
            Refusal::Unreconciled { .. } | Refusal::NoNumber(_) => "totals_differ",
            Refusal::Unconfirmed => "unconfirmed_position",
            Refusal::ReusedSequence { .. } => "reused_sequence",
            Refusal::SkippedSequence { .. } => "skipped_sequence",
            Refusal::NothingCovered => "nothing_covered",
            Refusal::CorrectsUncovered { .. } => "beyond_coverage",
            Refusal::Regression { .. } => "regression",
        }
    }

    /// What helps, if it is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Refusal::UnknownScope => Some(
                "contracts come from reviewed files: `freshness coverage contracts import FILE`",
            ),
            Refusal::Future { .. } => {
                Some("is the sender's clock fast? a contract may state a skew_tolerance_minutes")
            }
            Refusal::Regression { .. } => Some(
                "--correction publishes data that is covered already anew; --allow-regression REASON takes coverage back",
            ),
            Refusal::CorrectsUncovered { .. } => {
                Some("--correction leaves coverage where it is; publish without it to cover more")
            }
            Refusal::EmptyManifest => Some("leave the manifest out, if nothing was expected"),
            Refusal::RunReused { .. } => Some("give each run an id of its own"),
            Refusal::BegunOtherwise { .. } => Some(
                "give each run an id of its own; what has changed since its begin is said by `commit`",
            ),
            Refusal::NotBegun(_) => Some("`freshness coverage begin` comes before `commit`"),
            _ => None,
        }
    }
}

/// Are the names that every step needs names, and do its values fit together?
pub(super) fn check_form(proposal: &Proposal) -> Result<(), Refusal> {
    ScopeKey::new(&proposal.source, &proposal.scope)?;
    if proposal.run_id.trim().is_empty() {
        return Err(Refusal::MissingField("run_id"));
    }
    let texts = [
        ("run_id", Some(&proposal.run_id), RUN_ID_BYTES_MAX),
        ("position", proposal.position.as_ref(), TEXT_BYTES_MAX),
        (
            "allow_regression",
            proposal.allow_regression.as_ref(),
            TEXT_BYTES_MAX,
        ),
    ];
    for (field, text, max) in texts {
        let Some(text) = text else { continue };
        if text.len() > max {
            let bytes = text.len();
            return Err(Refusal::TooLong { field, bytes, max });
        }
        if text.trim().is_empty() {
            return Err(Refusal::MissingField(field));
        }
        if text.chars().any(is_control) {
            return Err(Refusal::Control(field));
        }
    }
    if proposal.correction && proposal.allow_regression.is_some() {
        return Err(Refusal::CorrectsBackwards);
    }
    match &proposal.claim.manifest {
        Some(manifest) if manifest.expected.is_empty() => Err(Refusal::EmptyManifest),
        _ => Ok(()),
    }
}

/// The times of a proposal in which nothing is missing.
fn filled(proposal: &Proposal, last: Option<Last>) -> Result<(i64, i64), Refusal> {
    check_form(proposal)?;
    let published_at = proposal
        .published_at
        .ok_or(Refusal::MissingField("published_at"))?;
    let complete_through = match (proposal.complete_through, proposal.correction, last) {
        (_, true, None) => return Err(Refusal::NothingCovered),
        (Some(through), _, _) => through,
        // A correction leaves coverage where it is, and need not say where.
        (None, true, Some(last)) => last.complete_through.min(published_at),
        (None, false, _) => return Err(Refusal::MissingField("complete_through")),
    };
    let fields = [
        ("complete_through", complete_through),
        ("published_at", published_at),
    ];
    if let Some((field, at)) = fields.into_iter().find(|&(_, at)| at < EARLIEST) {
        return Err(Refusal::TooEarly { field, at });
    }
    Ok((complete_through, published_at))
}

/// Does what is shown hold?
pub(super) fn shown(claim: &Claim, position: Option<&str>) -> Result<(), Refusal> {
    let Claim {
        manifest,
        totals,
        confirmed_position,
    } = claim;
    if let Some(manifest) = manifest {
        let missing = manifest.missing();
        if !missing.is_empty() {
            let first = missing.iter().take(MISSING_NAMED);
            return Err(Refusal::Incomplete {
                n: missing.len(),
                n_expected: manifest.n_expected(),
                first: first.map(|&name| named(name)).collect(),
            });
        }
    }
    for total in totals {
        match total.agrees() {
            Some(true) => {}
            Some(false) => {
                return Err(Refusal::Unreconciled {
                    name: named(&total.name),
                    expected: named(&total.expected),
                    found: named(&total.found),
                });
            }
            None => return Err(Refusal::NoNumber(named(&total.name))),
        }
    }
    match confirmed_position.as_deref() {
        Some(confirmed) if position != Some(confirmed) => Err(Refusal::Unconfirmed),
        _ => Ok(()),
    }
}

/// A text of the sender in a message: short, and on one line.
pub(super) fn named(text: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    let short: String = text.chars().take(SHOWN_CHARS).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{}{dots}", short.escape_debug())
}

pub(super) fn instant(at: i64) -> String {
    Timestamp::from_second(at)
        .map_or_else(|_| format!("{at} seconds since 1970"), |at| at.to_string())
}

//! What was attempted, and what became of it?

use freshness_core::coverage::{Decision, Refusal};
use jiff::Timestamp;
use rusqlite::{Transaction, params};
use serde::Serialize;

use super::ledger::Asked;
use super::scopes;
use crate::error::{Fault, StoreError};
use crate::store::{Store, instant};

/// One attempt to tell the ledger something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// Its number; later ones are higher.
    pub no: u64,
    /// When it was made.
    pub at: Timestamp,
    /// The source that was named.
    pub source: String,
    /// The scope that was named.
    pub scope: String,
    /// The run that was named.
    pub run_id: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it was refused, in a word.
    pub reason: Option<String>,
    /// … and in words; or why a run was aborted.
    pub detail: Option<String>,
    /// The sequence of the release.
    pub seq: Option<u64>,
    /// Why coverage went back with it.
    pub regression: Option<String>,
    /// Was data that was covered already made anew with it?
    pub correction: bool,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A release entered the ledger.
    Accepted,
    /// It was so already.
    Repeated,
    /// Nothing changed.
    Refused,
    /// A run was begun.
    Begun,
    /// A run ended without a release.
    Aborted,
}

/// Which attempts are asked for.
#[derive(Debug, Clone, Default)]
pub struct AttemptFilter {
    /// Of this source.
    pub source: Option<String>,
    /// Of this scope.
    pub scope: Option<String>,
    /// Only refused ones.
    pub refused: bool,
    /// The newest so many.
    pub at_most: u64,
}

/// What a refused sender said is kept to so many bytes a value.
const KEPT_BYTES: usize = 1_024;

impl Outcome {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::Repeated => "repeated",
            Outcome::Refused => "refused",
            Outcome::Begun => "begun",
            Outcome::Aborted => "aborted",
        }
    }
}

impl Store {
    /// The newest attempts, newest first.
    pub fn attempts(&self, filter: &AttemptFilter) -> Result<Vec<Attempt>, StoreError> {
        let AttemptFilter {
            source,
            scope,
            refused,
            at_most,
        } = filter;
        let refused = match refused {
            true => "a.outcome = 'refused'",
            false => "1",
        };
        self.explain(|| {
            let mut select = self.connection.prepare_cached(&format!(
                "SELECT a.no, at, coalesce(s.source, json_extract(named, '$[0]')),
                        coalesce(s.scope, json_extract(named, '$[1]')),
                        coalesce(a.run_id, l.run_id), outcome, reason, detail, a.seq,
                        CASE outcome WHEN 'accepted' THEN json_extract(l.more, '$.regression') END,
                        outcome = 'accepted' AND coalesce(json_extract(l.more, '$.correction'), 0)
                 FROM attempts a LEFT JOIN scopes s ON s.no = a.scope_no
                 LEFT JOIN ledger l ON l.scope_no = a.scope_no AND l.seq = a.seq
                 WHERE {refused}
                   AND (?1 IS NULL OR coalesce(s.source, json_extract(named, '$[0]')) = ?1)
                   AND (?2 IS NULL OR coalesce(s.scope, json_extract(named, '$[1]')) = ?2)
                 ORDER BY a.no DESC LIMIT ?3"
            ))?;
            let rows = select.query_map(params![source, scope, at_most], |row| {
                Ok(Attempt {
                    no: row.get(0)?,
                    at: instant(row, 1)?,
                    source: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                    scope: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
                    run_id: row.get(4)?,
                    outcome: crate::checks::from_word(row, 5)?,
                    reason: row.get(6)?,
                    detail: row.get(7)?,
                    seq: row.get(8)?,
                    regression: row.get(9)?,
                    correction: row.get(10)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

/// Logs an attempt on a scope, if there is such a scope.
pub(super) fn log(
    transaction: &Transaction<'_>,
    scope_no: Option<i64>,
    asked: &Asked,
    decision: &Decision,
    at: Timestamp,
) -> Result<(), Fault> {
    let proposal = &asked.proposal;
    let (outcome, reason, detail, seq) = match decision {
        Decision::Accept(release) => (Outcome::Accepted, None, None, Some(release.seq)),
        Decision::Begin => (Outcome::Begun, None, None, None),
        Decision::Abort => (Outcome::Aborted, None, Some(asked.why.clone()), None),
        Decision::Repeat(seq) => (Outcome::Repeated, None, None, *seq),
        Decision::Refuse(refusal) => {
            let (reason, detail) = words(refusal);
            (Outcome::Refused, Some(reason), Some(detail), None)
        }
    };
    // That of a release stands in the ledger.
    let run_id = match decision {
        Decision::Accept(_) => None,
        _ => Some(kept(&proposal.run_id)).filter(|run_id| !run_id.is_empty()),
    };
    let scope_no = match scope_no {
        Some(no) => Some(no),
        None => scopes::find(transaction, &proposal.source, &proposal.scope)?,
    };
    let named = scope_no.is_none().then(|| {
        let named = [kept(&proposal.source), kept(&proposal.scope)];
        serde_json::to_string(&named).expect("two texts")
    });
    transaction
        .prepare_cached(
            "INSERT INTO attempts (at, scope_no, named, run_id, outcome, reason, detail, seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            at.as_second(),
            scope_no,
            named,
            run_id,
            outcome.word(),
            reason,
            detail.as_deref().map(kept),
            seq,
        ))?;
    Ok(())
}

/// Logs an attempt that is news: not what was so already, nor a refusal that is
/// logged already.
pub(super) fn log_news(
    transaction: &Transaction<'_>,
    scope_no: Option<i64>,
    asked: &Asked,
    decision: &Decision,
    at: Timestamp,
) -> Result<(), Fault> {
    let is_known = match decision {
        Decision::Repeat(_) => true,
        Decision::Refuse(refusal) => {
            let (reason, detail) = words(refusal);
            let proposal = &asked.proposal;
            let named = [kept(&proposal.source), kept(&proposal.scope)];
            let named = serde_json::to_string(&named).expect("two texts");
            transaction
                .prepare_cached(
                    "SELECT 1 FROM attempts
                     WHERE outcome = 'refused' AND reason = ?1 AND detail = ?2
                       AND coalesce(run_id, '') = ?3
                       AND (scope_no = ?4 OR scope_no IS NULL AND named = ?5)",
                )?
                .exists(params![
                    reason,
                    kept(&detail),
                    kept(&proposal.run_id),
                    scope_no,
                    named
                ])?
        }
        Decision::Accept(_) | Decision::Begin | Decision::Abort => false,
    };
    match is_known {
        true => Ok(()),
        false => log(transaction, scope_no, asked, decision, at),
    }
}

fn words(refusal: &Refusal) -> (&'static str, String) {
    (refusal.word(), refusal.to_string())
}

/// The start of a text, whole characters.
fn kept(text: &str) -> &str {
    let mut end = text.len().min(KEPT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

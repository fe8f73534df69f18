//! Which releases were accepted, and how does the next one join them?
//!
//! The lock is taken before anything is looked at, so the sequence that is
//! decided on is the sequence that is stored, whoever else writes. Release,
//! head, attempt, run and arrival are one transaction.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use freshness_core::coverage::{
    Claim, Decision, Newest, Proposal, Publication, ScopeKey, Seen, Step, Terms,
};
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Transaction};
use serde::{Deserialize, Serialize};

use super::head::Head;
use super::{attempts, contracts, runs, scopes};
use crate::batch::ArrivalBatch;
use crate::error::{Fault, StoreError};
use crate::import::join_arrivals;
use crate::store::Store;

/// A step that a sender asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Which step.
    pub step: Step,
    /// What it says.
    pub proposal: Proposal,
    /// Why it aborts; for the log.
    pub why: String,
    /// Why what it says cannot be read, if so.
    pub unreadable: Option<String>,
}

/// What of a release is seldom there.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct More {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(default, skip_serializing_if = "Claim::is_empty")]
    claim: Claim,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    regression: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    correction: bool,
}

/// What is known of a scope while steps on it are decided.
struct Known {
    no: i64,
    key: Option<ScopeKey>,
    terms: Option<Terms>,
    head: Option<Head>,
    any_begun: bool,
    is_changed: bool,
}

impl Store {
    /// Takes steps in their order, in one transaction. `decide` is told what
    /// is known and says what becomes of each; that is stored, and every
    /// attempt logged. A release is an arrival of the dataset of its scope.
    pub fn take_steps(
        &mut self,
        asked: &[Asked],
        at: Timestamp,
        decide: impl Fn(&Seen, &Asked) -> Decision,
    ) -> Result<Vec<Decision>, StoreError> {
        self.take(asked, at, decide, attempts::log)
    }

    /// Takes releases that are read again and again from a ledger that is kept
    /// elsewhere: what was so already is not logged, and what was refused for
    /// the same reason before is not logged again.
    pub fn take_pulled(
        &mut self,
        asked: &[Asked],
        at: Timestamp,
        decide: impl Fn(&Seen, &Asked) -> Decision,
    ) -> Result<Vec<Decision>, StoreError> {
        self.take(asked, at, decide, attempts::log_news)
    }

    fn take(
        &mut self,
        asked: &[Asked],
        at: Timestamp,
        decide: impl Fn(&Seen, &Asked) -> Decision,
        log: impl Fn(&Transaction<'_>, Option<i64>, &Asked, &Decision, Timestamp) -> Result<(), Fault>,
    ) -> Result<Vec<Decision>, StoreError> {
        self.write(|transaction| {
            let mut scopes: HashMap<(&str, &str), Option<Known>> = HashMap::new();
            let mut arrivals = ArrivalBatch::new();
            let mut decisions = Vec::with_capacity(asked.len());
            for asked in asked {
                let name = (
                    asked.proposal.source.as_str(),
                    asked.proposal.scope.as_str(),
                );
                let known = match scopes.entry(name) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(unknown) => unknown.insert(Known::of(transaction, name)?),
                };
                let known = known.as_mut();
                let seen = seen(transaction, known.as_deref(), &asked.proposal.run_id)?;
                let decision = decide(&seen, asked);
                let no = known.as_ref().map(|known| known.no);
                if let Some(known) = known {
                    known.take(transaction, asked, &decision, &mut arrivals, at)?;
                }
                log(transaction, no, asked, &decision, at)?;
                decisions.push(decision);
            }
            for known in scopes.values().flatten() {
                if let (true, Some(head)) = (known.is_changed, &known.head) {
                    head.write(transaction, known.no)?;
                }
            }
            // A damaged history must not hold up the ledger: `doctor` tells of it.
            join_arrivals(transaction, &arrivals.into_histories())?;
            Ok(decisions)
        })
    }

    /// Ledgers with a hole, or whose newest release is not the one that a
    /// check looks at.
    pub(crate) fn ledger_problems(&self) -> Result<Vec<String>, StoreError> {
        self.explain(|| {
            let mut select = self.connection.prepare(
                "SELECT source, scope, n, last, h.seq
                 FROM (SELECT scope_no, count(*) AS n, max(seq) AS last
                       FROM ledger GROUP BY scope_no) l
                 JOIN scopes s ON s.no = l.scope_no
                 LEFT JOIN heads h ON h.scope_no = l.scope_no
                 WHERE n <> last OR h.seq IS NULL OR h.seq < last
                 ORDER BY source, scope LIMIT 20",
            )?;
            let problems = select.query_map([], |row| {
                let (source, scope): (String, String) = (row.get(0)?, row.get(1)?);
                let (n, last): (u64, u64) = (row.get(2)?, row.get(3)?);
                let head: Option<i64> = row.get(4)?;
                Ok(match n == last {
                    false => format!(
                        "the ledger of {source} / {scope} has {n} releases and ends with {last}"
                    ),
                    true => format!(
                        "the newest release of {source} / {scope} is {last}, and {} is checked",
                        head.map_or_else(|| "none".to_owned(), |head| head.to_string())
                    ),
                })
            })?;
            Ok(problems.collect::<Result<_, _>>()?)
        })
    }

    /// The newest releases of each scope that is asked for, by source and
    /// scope, newest first.
    pub fn releases(
        &self,
        source: Option<&str>,
        scope: Option<&str>,
        at_most: u64,
    ) -> Result<Vec<(ScopeKey, Publication)>, StoreError> {
        let keys: Vec<(String, String)> = self.explain(|| {
            let mut select = self.connection.prepare_cached(
                "SELECT source, scope FROM scopes
                 WHERE (?1 IS NULL OR source = ?1) AND (?2 IS NULL OR scope = ?2)
                 ORDER BY source, scope",
            )?;
            let rows = select.query_map((source, scope), |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        let mut releases = Vec::new();
        for (source, scope) in keys {
            // A name that is none has no ledger of its own.
            let Ok(key) = ScopeKey::new(&source, &scope) else {
                continue;
            };
            let newest = self.publications(&key, at_most)?;
            releases.extend(newest.into_iter().map(|release| (key.clone(), release)));
        }
        Ok(releases)
    }

    /// The release of a scope that was the newest at an instant (UTC seconds),
    /// by when it was published, as a head would have held it.
    pub fn newest_until(&self, key: &ScopeKey, latest: i64) -> Result<Option<Newest>, StoreError> {
        self.explain(|| {
            let Some(no) = scopes::find(&self.connection, key.source(), key.scope())? else {
                return Ok(None);
            };
            let mut select = self.connection.prepare_cached(
                "SELECT seq, run_id, complete_through, published_at, rows,
                        (SELECT min(published_at) FROM ledger l
                         WHERE l.scope_no = ?1 AND l.complete_through >= n.complete_through)
                 FROM ledger n WHERE scope_no = ?1 AND published_at <= ?2
                 ORDER BY seq DESC LIMIT 1",
            )?;
            let newest = select.query_row((no, latest), |row| {
                Ok(Newest {
                    seq: row.get(0)?,
                    n_of_seq: 1,
                    run_id: row.get(1)?,
                    complete_through: row.get(2)?,
                    published_at: row.get(3)?,
                    rows: row.get(4)?,
                    reached_at: row.get(5)?,
                })
            });
            Ok(newest.optional()?)
        })
    }

    /// The newest releases of a scope, newest first.
    pub fn publications(
        &self,
        key: &ScopeKey,
        at_most: u64,
    ) -> Result<Vec<Publication>, StoreError> {
        self.explain(|| {
            let Some(no) = scopes::find(&self.connection, key.source(), key.scope())? else {
                return Ok(Vec::new());
            };
            let mut select = self.connection.prepare_cached(
                "SELECT seq, run_id, complete_through, published_at, rows, more FROM ledger
                 WHERE scope_no = ?1 ORDER BY seq DESC LIMIT ?2",
            )?;
            let rows = select.query_map((no, at_most), publication)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

impl Known {
    fn of(transaction: &Transaction<'_>, name: (&str, &str)) -> Result<Option<Known>, Fault> {
        let (source, scope) = name;
        let Some(no) = scopes::find(transaction, source, scope)? else {
            return Ok(None);
        };
        Ok(Some(Known {
            no,
            key: ScopeKey::new(source, scope).ok(),
            terms: Terms::of(&contracts::of_scope(transaction, no)?),
            head: Head::of_ledger(transaction, no)?,
            any_begun: runs::any_begun(transaction, no)?,
            is_changed: false,
        }))
    }

    fn take(
        &mut self,
        transaction: &Transaction<'_>,
        asked: &Asked,
        decision: &Decision,
        arrivals: &mut ArrivalBatch,
        at: Timestamp,
    ) -> Result<(), Fault> {
        let run_id = &asked.proposal.run_id;
        match decision {
            Decision::Accept(release) => {
                insert(transaction, self.no, release)?;
                let head = Head::after(self.head.as_ref(), release, transaction, self.no)?;
                self.head = Some(head);
                self.is_changed = true;
                if self.any_begun {
                    runs::end(transaction, self.no, run_id, None, at)?;
                }
                if let Some(key) = &self.key {
                    let dataset = arrivals.dataset_of(&key.dataset_id());
                    let covers = Some(release.complete_through);
                    let (at, rows) = (release.published_at, release.rows);
                    arrivals.push_with(dataset, at, None, None, covers, rows);
                }
            }
            Decision::Begin => {
                runs::begin(transaction, self.no, &asked.proposal, at)?;
                self.any_begun = true;
            }
            Decision::Abort => runs::end(transaction, self.no, run_id, Some(&asked.why), at)?,
            Decision::Repeat(_) | Decision::Refuse(_) => {}
        }
        Ok(())
    }
}

fn seen(connection: &Connection, known: Option<&Known>, run_id: &str) -> Result<Seen, Fault> {
    let Some(known) = known else {
        return Ok(Seen::default());
    };
    Ok(Seen {
        terms: known.terms,
        last: known.head.as_ref().and_then(Head::last),
        published: of_run(connection, known.no, run_id)?,
        begun: match known.any_begun {
            true => runs::begun(connection, known.no, run_id)?,
            false => None,
        },
    })
}

/// The index is named, since without statistics the key of the scope alone
/// looks as good, and that would read all releases of the scope.
const BY_RUN: &str = "SELECT seq, run_id, complete_through, published_at, rows, more
     FROM ledger INDEXED BY ledger_by_run
     WHERE scope_no = ?1 AND run_crc = ?2";

/// The release of a run, found by a checksum of its name.
fn of_run(
    connection: &Connection,
    scope_no: i64,
    run_id: &str,
) -> Result<Option<Publication>, Fault> {
    let mut select = connection.prepare_cached(BY_RUN)?;
    let mut rows = select.query((scope_no, crc32fast::hash(run_id.as_bytes())))?;
    while let Some(row) = rows.next()? {
        if row.get_ref(1)?.as_str().is_ok_and(|found| found == run_id) {
            return Ok(Some(publication(row)?));
        }
    }
    Ok(None)
}

fn insert(
    transaction: &Transaction<'_>,
    scope_no: i64,
    release: &Publication,
) -> Result<(), Fault> {
    let Publication {
        seq,
        run_id,
        complete_through,
        published_at,
        position,
        rows,
        claim,
        regression,
        correction,
    } = release;
    let more = More {
        position: position.clone(),
        claim: claim.clone(),
        regression: regression.clone(),
        correction: *correction,
    };
    let more = (more != More::default())
        .then(|| serde_json::to_string(&more).expect("it has only text keys"));
    transaction
        .prepare_cached("INSERT INTO ledger VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
        .execute((
            scope_no,
            seq,
            crc32fast::hash(run_id.as_bytes()),
            run_id,
            complete_through,
            published_at,
            rows,
            more,
        ))?;
    Ok(())
}

fn publication(row: &rusqlite::Row<'_>) -> rusqlite::Result<Publication> {
    let more = match row.get_ref(5)?.as_str_or_null()? {
        None => More::default(),
        Some(text) => serde_json::from_str(text).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(5, Type::Text, Box::new(error))
        })?,
    };
    Ok(Publication {
        seq: row.get(0)?,
        run_id: row.get(1)?,
        complete_through: row.get(2)?,
        published_at: row.get(3)?,
        rows: row.get(4)?,
        position: more.position,
        claim: more.claim,
        regression: more.regression,
        correction: more.correction,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;

    #[test]
    fn a_run_is_found_again_without_reading_the_ledger_of_its_scope() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("a.db"), Access::Create).unwrap();
        let explain = format!("EXPLAIN QUERY PLAN {BY_RUN}");
        let plan: String = store
            .connection
            .query_row(&explain, [1, 2], |row| row.get(3))
            .unwrap();
        assert_eq!(
            plan,
            "SEARCH ledger USING INDEX ledger_by_run (scope_no=? AND run_crc=?)"
        );
    }
}

//! Which release of a scope is the newest?
//!
//! One row a scope, written with the release itself: a check of 100,000
//! contracts reads no ledger.

use freshness_core::coverage::{ContractRow, Last, Ledgered, Newest, Publication, ScopeKey};
use freshness_core::dataset::DatasetId;
use freshness_core::schedule::Maintenance;
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::contracts::contract;
use super::scopes;
use crate::error::{Fault, StoreError};
use crate::store::Store;

/// The newest release, and how far the scope ever was covered.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    pub(super) newest: Newest,
    pub(super) furthest: Option<i64>,
}

impl Store {
    /// Every contract with the newest release of its scope, by source and
    /// scope. What has never come is there too. Windows of maintenance are those of
    /// the dataset that the scope feeds, and those of its releases.
    pub fn ledgered(&self) -> Result<Vec<Ledgered>, StoreError> {
        let windows = self.windows()?;
        let maintenance = |contract: &ContractRow| {
            let fed = contract.dataset.as_deref();
            let fed = fed.and_then(|fed| DatasetId::try_from(fed).ok());
            let key = ScopeKey::new(&contract.source, &contract.scope).ok();
            let both = fed.into_iter().chain(key.map(|key| key.dataset_id()));
            both.fold(Maintenance::NONE, |known, id| known.and(windows.of(&id)))
        };
        self.explain(|| {
            let mut all = self.connection.prepare_cached(
                "SELECT source, scope, max_source_lag_minutes, max_publication_gap_minutes,
                        dataset, calendar, timezone, skew_tolerance_minutes, owner,
                        h.scope_no, seq, n_of_seq, run_id, complete_through, published_at,
                        reached_at, rows
                 FROM contracts c JOIN scopes s ON s.no = c.scope_no
                 LEFT JOIN heads h ON h.scope_no = c.scope_no
                 ORDER BY source, scope, c.no",
            )?;
            let rows = all.query_map([], |row| {
                let is_there: Option<i64> = row.get(9)?;
                let contract = contract(row)?;
                Ok(Ledgered {
                    maintenance: maintenance(&contract),
                    contract,
                    newest: match is_there {
                        Some(_) => Some(newest(row, 10)?),
                        None => None,
                    },
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Replaces the newest releases of scopes by those of a ledger that is kept
    /// elsewhere, and may lack anything. The ledger of this store stays as it
    /// is.
    pub fn replace_newest(&mut self, pulled: &[(ScopeKey, Newest)]) -> Result<(), StoreError> {
        self.write(|transaction| {
            for (key, newest) in pulled {
                let no = scopes::number(transaction, key.source(), key.scope())?;
                let head = Head {
                    newest: newest.clone(),
                    furthest: newest.complete_through,
                };
                head.write(transaction, no)?;
            }
            Ok(())
        })
    }
}

impl Head {
    fn of(connection: &Connection, scope_no: i64) -> Result<Option<Head>, Fault> {
        let found = connection
            .prepare_cached(
                "SELECT seq, n_of_seq, run_id, complete_through, published_at, reached_at, rows,
                        furthest
                 FROM heads WHERE scope_no = ?1",
            )?
            .query_row([scope_no], |row| {
                Ok(Head {
                    newest: newest(row, 0)?,
                    furthest: row.get(7)?,
                })
            })
            .optional()?;
        Ok(found)
    }

    /// The head of the ledger of this store, also where a ledger that is kept
    /// elsewhere has replaced it: what is pulled is checked, but the next
    /// release joins what is here.
    pub(super) fn of_ledger(connection: &Connection, scope_no: i64) -> Result<Option<Head>, Fault> {
        let newest: Option<Newest> = connection
            .prepare_cached(
                "SELECT seq, 1, run_id, complete_through, published_at, NULL, rows FROM ledger
                 WHERE scope_no = ?1 ORDER BY seq DESC LIMIT 1",
            )?
            .query_row([scope_no], |row| newest(row, 0))
            .optional()?;
        let Some(newest) = newest else {
            return Ok(None);
        };
        let head = Head::of(connection, scope_no)?;
        let is_same = |head: &Head| {
            let reached_at = head.newest.reached_at;
            let newest = newest.clone();
            head.newest
                == Newest {
                    reached_at,
                    ..newest
                }
        };
        if let Some(head) = head.filter(is_same) {
            return Ok(Some(head));
        }
        let (reached_at, furthest) = connection
            .prepare_cached(
                "SELECT min(published_at) FILTER (WHERE complete_through >= ?2),
                        max(complete_through)
                 FROM ledger WHERE scope_no = ?1",
            )?
            .query_row((scope_no, newest.complete_through), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        Ok(Some(Head {
            newest: Newest {
                reached_at,
                ..newest
            },
            furthest,
        }))
    }

    /// What the next release depends on.
    pub(super) fn last(&self) -> Option<Last> {
        Some(Last {
            seq: u64::try_from(self.newest.seq?).ok()?,
            complete_through: self.newest.complete_through?,
        })
    }

    /// The head after a release that is in the ledger already.
    pub(super) fn after(
        before: Option<&Head>,
        release: &Publication,
        transaction: &Transaction<'_>,
        scope_no: i64,
    ) -> Result<Head, Fault> {
        let (through, published_at) = (release.complete_through, release.published_at);
        let furthest = before.and_then(|head| head.furthest);
        let as_far_before = before.filter(|head| head.newest.complete_through == Some(through));
        let reached_at = match as_far_before.and_then(|head| head.newest.reached_at) {
            Some(reached_at) => reached_at.min(published_at),
            None if furthest.is_none_or(|furthest| through > furthest) => published_at,
            // Only after coverage has gone back.
            None => transaction
                .prepare_cached(
                    "SELECT min(published_at) FROM ledger
                     WHERE scope_no = ?1 AND complete_through >= ?2",
                )?
                .query_row((scope_no, through), |row| row.get(0))?,
        };
        Ok(Head {
            newest: Newest {
                seq: i64::try_from(release.seq).ok(),
                n_of_seq: 1,
                run_id: Some(release.run_id.clone()),
                complete_through: Some(through),
                published_at: Some(published_at),
                reached_at: Some(reached_at),
                rows: release.rows.and_then(|rows| i64::try_from(rows).ok()),
            },
            furthest: Some(furthest.map_or(through, |furthest| furthest.max(through))),
        })
    }

    pub(super) fn write(&self, transaction: &Transaction<'_>, scope_no: i64) -> Result<(), Fault> {
        let Head {
            newest:
                Newest {
                    seq,
                    n_of_seq,
                    run_id,
                    complete_through,
                    published_at,
                    reached_at,
                    rows,
                },
            furthest,
        } = self;
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO heads
                     (scope_no, seq, n_of_seq, run_id, complete_through, published_at,
                      reached_at, furthest, rows)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute((
                scope_no,
                seq,
                n_of_seq,
                run_id,
                complete_through,
                published_at,
                reached_at,
                furthest,
                rows,
            ))?;
        Ok(())
    }
}

/// A newest release, from the columns that begin at `first`.
fn newest(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Newest> {
    Ok(Newest {
        seq: row.get(first)?,
        n_of_seq: row.get(first + 1)?,
        run_id: row.get(first + 2)?,
        complete_through: row.get(first + 3)?,
        published_at: row.get(first + 4)?,
        reached_at: row.get(first + 5)?,
        rows: row.get(first + 6)?,
    })
}

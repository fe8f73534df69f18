//! When was coverage checked?

use jiff::Timestamp;
use rusqlite::OptionalExtension;

use crate::error::StoreError;
use crate::store::{Store, instant};

/// One check of coverage that has been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageCheck {
    /// The instant it judged.
    pub now: Timestamp,
    /// When it ran.
    pub at: Timestamp,
    /// Contracts judged.
    pub n_contracts: u64,
    /// Of these, not healthy.
    pub n_unhealthy: u64,
    /// Scopes in only one of inventory and contracts.
    pub n_gaps: u64,
}

/// A check a minute for a week.
const CHECKS_KEPT: i64 = 10_080;

impl Store {
    /// Records that coverage was checked.
    pub fn record_coverage_check(&mut self, check: &CoverageCheck) -> Result<(), StoreError> {
        let CoverageCheck {
            now,
            at,
            n_contracts,
            n_unhealthy,
            n_gaps,
        } = check;
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO coverage_checks (now, at, n_contracts, n_unhealthy, n_gaps)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                (
                    now.as_second(),
                    at.as_second(),
                    n_contracts,
                    n_unhealthy,
                    n_gaps,
                ),
            )?;
            // The newest instant stays, or a clock could be set back unnoticed.
            transaction.execute(
                "DELETE FROM coverage_checks WHERE no <= ?1
                 AND now < (SELECT max(now) FROM coverage_checks)",
                [transaction.last_insert_rowid() - CHECKS_KEPT],
            )?;
            Ok(())
        })
    }

    /// The check of coverage that judged the latest instant; `None` before the
    /// first.
    pub fn last_coverage_check(&self) -> Result<Option<CoverageCheck>, StoreError> {
        self.explain(|| {
            let mut last = self.connection.prepare_cached(
                "SELECT now, at, n_contracts, n_unhealthy, n_gaps
                 FROM coverage_checks ORDER BY now DESC, no DESC LIMIT 1",
            )?;
            let check = last.query_row([], |row| {
                Ok(CoverageCheck {
                    now: instant(row, 0)?,
                    at: instant(row, 1)?,
                    n_contracts: row.get(2)?,
                    n_unhealthy: row.get(3)?,
                    n_gaps: row.get(4)?,
                })
            });
            Ok(check.optional()?)
        })
    }
}

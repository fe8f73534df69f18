//! How were the promises judged, and when did a verdict change?
//!
//! A look at the promises writes what it changes, in one transaction: the run log,
//! what stands, and an event for each verdict that is another than before. What
//! says the same as the last time costs no write.

use std::collections::BTreeSet;

use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Objective, Verdict};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction};

use crate::checks::from_word;
use crate::datasets::{DatasetNo, dataset_id};
use crate::error::{Fault, StoreError};
use crate::runs::environment_number;
use crate::slo_log::{read_stood, withdraw, write_judged};
use crate::store::{Store, instant};

/// A look at the promises that has been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SloCheck {
    /// The instant it judged.
    pub now: Timestamp,
    /// When it ran.
    pub at: Timestamp,
    /// Of runs where.
    pub environment: String,
    /// Were all datasets judged that promise something? Then what is not among
    /// them promises nothing any more.
    pub is_whole: bool,
    /// Datasets judged.
    pub n_datasets: u64,
    /// Objectives that do not hold.
    pub n_breached: u64,
    /// Objectives of which nobody knows.
    pub n_doubtful: u64,
}

/// What was said of one dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct SloJudged {
    /// Its number.
    pub no: DatasetNo,
    /// Its last run.
    pub run_id: Option<String>,
    /// What was said of each objective.
    pub verdicts: Vec<Verdict>,
}

/// A verdict that is another than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SloChange {
    /// Of which dataset.
    pub no: DatasetNo,
    /// Of which objective.
    pub objective: Objective,
}

/// What is told when a verdict changes.
#[derive(Debug, Clone, PartialEq)]
pub struct SloEvent {
    /// The instant that was judged.
    pub at: Timestamp,
    /// Of which dataset.
    pub dataset_id: DatasetId,
    /// Where it ran.
    pub environment: String,
    /// Of which objective.
    pub objective: Objective,
    /// The outcome before; `None` if it was judged for the first time.
    pub before: Option<String>,
    /// The outcome now; `withdrawn` if it is not promised any more.
    pub outcome: String,
    /// What was said; of what was withdrawn, last.
    pub verdict: Verdict,
}

/// So many looks are remembered.
const LOOKS_KEPT: i64 = 10_080;

impl Store {
    /// Stores what looks at the promises found, one for each environment, in one
    /// transaction, and gives what changed. A look at an earlier instant than the
    /// last of its environment is stored too, but changes nothing.
    pub fn record_slo_checks(
        &mut self,
        checks: &[(SloCheck, Vec<SloJudged>)],
    ) -> Result<Vec<SloChange>, StoreError> {
        self.write(|transaction| {
            let mut changes = Vec::new();
            for (check, judged) in checks {
                changes.extend(record(transaction, check, judged)?);
            }
            Ok(changes)
        })
    }

    /// The look at an environment that judged the latest instant; `None` before
    /// the first.
    pub fn last_slo_check(&self, environment: &str) -> Result<Option<SloCheck>, StoreError> {
        self.explain(|| {
            let mut last = self.connection.prepare_cached(
                "SELECT now, at, n_datasets, n_breached, n_doubtful
                 FROM slo_checks JOIN environments e ON e.no = environment
                 WHERE e.name = ?1 ORDER BY now DESC, slo_checks.no DESC LIMIT 1",
            )?;
            let check = last.query_row([environment], |row| {
                Ok(SloCheck {
                    now: instant(row, 0)?,
                    at: instant(row, 1)?,
                    environment: environment.to_owned(),
                    is_whole: true,
                    n_datasets: row.get(2)?,
                    n_breached: row.get(3)?,
                    n_doubtful: row.get(4)?,
                })
            });
            Ok(check.optional()?)
        })
    }

    /// When verdicts changed, in that order; of all datasets, or of one.
    pub fn slo_events(&self, no: Option<DatasetNo>) -> Result<Vec<SloEvent>, StoreError> {
        self.explain(|| {
            let mut events = self.connection.prepare_cached(
                "SELECT at, d.id, e.name, objective, before, outcome, verdict
                 FROM slo_events JOIN datasets d ON d.no = dataset_no
                 JOIN environments e ON e.no = environment_no
                 WHERE ?1 IS NULL OR dataset_no = ?1 ORDER BY slo_events.no",
            )?;
            let events = events.query_map([no.map(|no| no.0)], |row| {
                let verdict: String = row.get(6)?;
                let Ok(verdict) = serde_json::from_str(&verdict) else {
                    return Ok(None);
                };
                Ok(Some(SloEvent {
                    at: instant(row, 0)?,
                    dataset_id: dataset_id(row, 1)?,
                    environment: row.get(2)?,
                    objective: from_word(row, 3)?,
                    before: row.get(4)?,
                    outcome: row.get(5)?,
                    verdict,
                }))
            })?;
            let events = events.collect::<Result<Vec<_>, _>>()?;
            Ok(events.into_iter().flatten().collect())
        })
    }
}

fn record(
    transaction: &Transaction<'_>,
    check: &SloCheck,
    judged: &[SloJudged],
) -> Result<Vec<SloChange>, Fault> {
    let SloCheck {
        now,
        at,
        environment,
        is_whole,
        n_datasets,
        n_breached,
        n_doubtful,
    } = check;
    let environment = environment_number(transaction, environment)?;
    let last: Option<i64> = transaction.query_row(
        "SELECT max(now) FROM slo_checks WHERE environment = ?1",
        [environment],
        |row| row.get(0),
    )?;
    transaction.execute(
        "INSERT INTO slo_checks (now, at, environment, n_datasets, n_breached, n_doubtful)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (
            now.as_second(),
            at.as_second(),
            environment,
            n_datasets,
            n_breached,
            n_doubtful,
        ),
    )?;
    // The newest instant stays, or a clock could be set back unnoticed.
    transaction.execute(
        "DELETE FROM slo_checks WHERE no <= ?1 AND environment = ?2
         AND now < (SELECT max(now) FROM slo_checks WHERE environment = ?2)",
        (transaction.last_insert_rowid() - LOOKS_KEPT, environment),
    )?;
    if last.is_some_and(|last| now.as_second() < last) {
        return Ok(Vec::new());
    }
    let mut stood = read_stood(transaction, environment)?;
    let mut changes = Vec::new();
    for of in judged {
        changes.extend(write_judged(
            transaction,
            environment,
            *now,
            of,
            &mut stood,
        )?);
    }
    let judged: BTreeSet<i64> = judged.iter().map(|of| of.no.0).collect();
    for (key, of) in stood {
        if *is_whole || judged.contains(&key.0) {
            withdraw(transaction, environment, *now, &key, &of)?;
        }
    }
    Ok(changes)
}

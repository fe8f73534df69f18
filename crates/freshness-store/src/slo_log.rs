//! What does a look at the promises change?

use std::collections::BTreeMap;

use freshness_core::slo::{Evidence, Objective, Verdict};
use jiff::Timestamp;
use rusqlite::Transaction;

use crate::checks::word;
use crate::error::Fault;
use crate::runs::json;
use crate::slo::{SloChange, SloJudged};

const KIND: &str = "slo_breach";
const WITHDRAWN: &str = "withdrawn";

/// What stood before a look.
#[derive(Debug)]
pub(crate) struct Stood {
    outcome: String,
    severity: Option<String>,
    since: i64,
}

/// A dataset and an objective.
pub(crate) type Key = (i64, String);

/// What stands in an environment.
pub(crate) fn read_stood(
    transaction: &Transaction<'_>,
    environment: i64,
) -> Result<BTreeMap<Key, Stood>, Fault> {
    let mut all = transaction.prepare_cached(
        "SELECT dataset_no, objective, outcome, severity, since FROM slo_standing
         WHERE environment_no = ?1",
    )?;
    let stood = all.query_map([environment], |row| {
        let stood = Stood {
            outcome: row.get(2)?,
            severity: row.get(3)?,
            since: row.get(4)?,
        };
        Ok(((row.get(0)?, row.get(1)?), stood))
    })?;
    Ok(stood.collect::<Result<_, _>>()?)
}

/// Writes what is another than before; what was judged is taken out of `stood`.
pub(crate) fn write_judged(
    transaction: &Transaction<'_>,
    environment: i64,
    now: Timestamp,
    judged: &SloJudged,
    stood: &mut BTreeMap<Key, Stood>,
) -> Result<Vec<SloChange>, Fault> {
    let SloJudged {
        no,
        run_id,
        verdicts,
    } = judged;
    let mut changes = Vec::new();
    let mut differs = false;
    for verdict in verdicts {
        let objective = word(&verdict.objective);
        let outcome = verdict.outcome.word();
        let severity = verdict.outcome.severity().as_ref().map(word);
        let before = stood.remove(&(no.0, objective.clone()));
        let is_same = |before: &Stood| before.outcome == outcome;
        if before
            .as_ref()
            .is_some_and(|before| is_same(before) && before.severity == severity)
        {
            continue;
        }
        differs = true;
        // A new severity of the same outcome is no new beginning.
        let since = match before.as_ref().filter(|before| is_same(before)) {
            Some(before) => before.since,
            None => now.as_second(),
        };
        let told = json(verdict);
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO slo_standing VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute((
                no.0,
                environment,
                &objective,
                outcome,
                severity,
                since,
                &told,
            ))?;
        let is_news = match &before {
            Some(before) => !is_same(before),
            None => !matches!(outcome, "kept" | "not_due"),
        };
        if is_news {
            let before = before.map(|before| before.outcome);
            write_event(
                transaction,
                now,
                (no.0, environment),
                (&objective, before.as_deref(), outcome),
                &told,
            )?;
            changes.push(SloChange {
                no: *no,
                objective: verdict.objective,
            });
        }
    }
    let run_id = run_id.as_deref().unwrap_or_default();
    let is_logged = transaction
        .prepare_cached(
            "SELECT 1 FROM slo_results
             WHERE dataset_no = ?1 AND environment_no = ?2 AND run_id = ?3",
        )?
        .exists((no.0, environment, run_id))?;
    if differs || !is_logged {
        write_result(transaction, environment, now, run_id, judged)?;
    }
    Ok(changes)
}

fn write_result(
    transaction: &Transaction<'_>,
    environment: i64,
    now: Timestamp,
    run_id: &str,
    judged: &SloJudged,
) -> Result<(), Fault> {
    let of = |objective: Objective| {
        let mut verdicts = judged.verdicts.iter();
        verdicts.find(|verdict| verdict.objective == objective)
    };
    let passes = |objective: Objective| of(objective).and_then(Verdict::passes);
    // All promises on the clock must hold: one that does not decides, then one
    // of which nobody knows.
    let clocked = [
        Objective::Freshness,
        Objective::SourceFreshness,
        Objective::Deadline,
    ];
    let mut fresh = clocked.into_iter().filter_map(of);
    let fresh = match fresh.clone().any(|of| of.passes() == Some(false)) {
        true => Some(false),
        false => {
            let owed = fresh.clone().filter(|of| of.outcome.word() != "not_due");
            let is_owed = owed.clone().next().is_some();
            let holds = fresh.all(|of| of.passes() == Some(true) || of.outcome.word() == "not_due");
            (is_owed && holds).then_some(true)
        }
    };
    let evidence = |objective: Objective| of(objective).map(|of| &of.evidence);
    let age = evidence(Objective::Freshness).and_then(|of| of.age_seconds);
    // The bounds that were declared; where there are none, those of what is usual.
    let bound = |of: fn(&Evidence) -> Option<f64>| {
        let declared = evidence(Objective::RowCount).and_then(of);
        declared.or_else(|| evidence(Objective::RowCountAnomaly).and_then(of))
    };
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO slo_results
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(rusqlite::params![
            judged.no.0,
            environment,
            run_id,
            now.as_second(),
            age,
            fresh,
            bound(|of| of.floor),
            bound(|of| of.ceiling),
            passes(Objective::RowCount),
            passes(Objective::RowCountAnomaly),
            passes(Objective::Availability),
            passes(Objective::Quality),
            json(&judged.verdicts),
        ])?;
    Ok(())
}

/// Forgets what is not promised any more. That is news if it was broken.
pub(crate) fn withdraw(
    transaction: &Transaction<'_>,
    environment: i64,
    now: Timestamp,
    key: &Key,
    stood: &Stood,
) -> Result<(), Fault> {
    let (no, objective) = key;
    let of = (*no, environment, objective);
    if !matches!(stood.outcome.as_str(), "kept" | "not_due") {
        let told: String = transaction
            .prepare_cached(
                "SELECT verdict FROM slo_standing
                 WHERE dataset_no = ?1 AND environment_no = ?2 AND objective = ?3",
            )?
            .query_row(of, |row| row.get(0))?;
        let change = (objective.as_str(), Some(stood.outcome.as_str()), WITHDRAWN);
        write_event(transaction, now, (*no, environment), change, &told)?;
    }
    transaction
        .prepare_cached(
            "DELETE FROM slo_standing
             WHERE dataset_no = ?1 AND environment_no = ?2 AND objective = ?3",
        )?
        .execute(of)?;
    Ok(())
}

fn write_event(
    transaction: &Transaction<'_>,
    now: Timestamp,
    (no, environment): (i64, i64),
    (objective, before, outcome): (&str, Option<&str>, &str),
    told: &str,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "INSERT INTO slo_events
                 (kind, at, dataset_no, environment_no, objective, before, outcome, verdict)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            KIND,
            now.as_second(),
            no,
            environment,
            objective,
            before,
            outcome,
            told,
        ))?;
    Ok(())
}

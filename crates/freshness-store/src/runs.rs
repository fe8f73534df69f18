//! Which runs does the store know?
//!
//! A row each, clustered by dataset, environment and end, so that the newest of a
//! dataset are the end of one range. A run has one name: of two that are told the
//! later stays, then the one that says more, whatever the order of imports.

use std::cmp::{Ordering, Reverse};

use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Counts, Filled, Newest, Reach, Run, Stage};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use serde::{Deserialize, Serialize};

use crate::datasets::{DatasetNo, number};
use crate::error::{Fault, StoreError};
use crate::store::Store;

/// The number of an environment inside its store; it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnvironmentNo(pub(crate) i64);

/// What an import of runs did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Not known before.
    pub new: u64,
    /// Known, and told differently before.
    pub changed: u64,
    /// Known just so, or told worse than before.
    pub duplicate: u64,
    /// Of those and of the changed: told differently at the same end, as fully.
    /// The less flattering is kept.
    pub contradicting: u64,
    /// Datasets that were not known.
    pub datasets_new: u64,
}

/// The newest runs of a dataset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTail {
    /// Oldest first.
    pub runs: Vec<Run>,
    /// Are these all?
    pub is_whole: bool,
}

/// What a look found that is no number.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Told {
    #[serde(skip_serializing_if = "Option::is_none")]
    newest: Option<Newest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_newest: Option<Newest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filled: Option<Filled>,
}

impl Store {
    /// Stores runs in one transaction. Repeating it changes nothing.
    pub fn import_runs(&mut self, runs: &[(DatasetId, Run)]) -> Result<RunCounts, StoreError> {
        self.write(|transaction| join_runs(transaction, runs))
    }

    /// The number of an environment; `None` if nothing ran there.
    pub fn environment_no(&self, name: &str) -> Result<Option<EnvironmentNo>, StoreError> {
        self.explain(|| {
            let mut find = self
                .connection
                .prepare_cached("SELECT no FROM environments WHERE name = ?1")?;
            let found = find.query_row([name], |row| row.get(0)).optional()?;
            Ok(found.map(EnvironmentNo))
        })
    }

    /// The environments in which anything ran, by name.
    pub fn environments(&self) -> Result<Vec<String>, StoreError> {
        self.explain(|| {
            let mut all = self
                .connection
                .prepare_cached("SELECT name FROM environments ORDER BY name")?;
            let names = all.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }

    /// Was anything measured of a dataset, in whatever environment?
    pub fn has_runs(&self, no: DatasetNo) -> Result<bool, StoreError> {
        self.explain(|| {
            let mut any = self
                .connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM runs WHERE dataset_no = ?1)")?;
            Ok(any.query_row([no.0], |row| row.get(0))?)
        })
    }

    /// The newest runs of a dataset that were over by an instant (UTC seconds),
    /// as many as it takes.
    pub fn recent_runs(
        &self,
        no: DatasetNo,
        environment: (EnvironmentNo, &str),
        until: i64,
        reach: Reach,
    ) -> Result<RunTail, StoreError> {
        let (environment_no, name) = environment;
        self.explain(|| {
            let mut select = self.connection.prepare_cached(SELECT_NEWEST_FIRST)?;
            let mut rows = select.query((no.0, environment_no.0, until))?;
            let mut runs: Vec<Run> = Vec::new();
            let mut is_whole = true;
            let mut reaches = reach.since;
            while let Some(row) = rows.next()? {
                let run = read_run(row, name)?;
                let at = run.finished_at;
                if runs.is_empty() {
                    reaches = reaches.min(at.saturating_sub(reach.seconds));
                }
                runs.push(run);
                if runs.len() > reach.runs && at < reaches {
                    is_whole = rows.next()?.is_none();
                    break;
                }
            }
            runs.reverse();
            Ok(RunTail { runs, is_whole })
        })
    }
}

/// Stores runs within a transaction.
pub(crate) fn join_runs(
    transaction: &Transaction<'_>,
    runs: &[(DatasetId, Run)],
) -> Result<RunCounts, Fault> {
    let mut counts = RunCounts::default();
    let mut last: Option<(&DatasetId, &str, i64, i64)> = None;
    for (id, run) in runs {
        let (dataset, environment) = match last {
            Some((known, name, dataset, environment)) if known == id && name == run.environment => {
                (dataset, environment)
            }
            _ => {
                let (no, is_new) = number(transaction, id)?;
                counts.datasets_new += u64::from(is_new);
                (no.0, environment_number(transaction, &run.environment)?)
            }
        };
        last = Some((id, &run.environment, dataset, environment));
        let (kept, contradicts) = keep(transaction, dataset, environment, run)?;
        counts.contradicting += u64::from(contradicts);
        *match kept {
            Kept::New => &mut counts.new,
            Kept::Changed => &mut counts.changed,
            Kept::Before => &mut counts.duplicate,
        } += 1;
    }
    Ok(counts)
}

const SELECT_NEWEST_FIRST: &str =
    "SELECT finished_at, run_id, started_at, stage, span_from, span_to,
        n_source, n_total, n_good, n_quarantined, newest, source_newest,
        n_filled, n_filled_of, told
     FROM runs WHERE dataset_no = ?1 AND environment_no = ?2 AND finished_at <= ?3
     ORDER BY finished_at DESC, run_id DESC";

enum Kept {
    New,
    Changed,
    Before,
}

fn keep(
    transaction: &Transaction<'_>,
    dataset: i64,
    environment: i64,
    run: &Run,
) -> Result<(Kept, bool), Fault> {
    let mut find = transaction.prepare_cached(
        "SELECT finished_at, run_id, started_at, stage, span_from, span_to,
            n_source, n_total, n_good, n_quarantined, newest, source_newest,
            n_filled, n_filled_of, told
         FROM runs WHERE dataset_no = ?1 AND environment_no = ?2 AND run_id = ?3",
    )?;
    let known = find
        .query_row((dataset, environment, &run.run_id), |row| {
            read_run(row, &run.environment)
        })
        .optional()?;
    let contradicts = known
        .as_ref()
        .is_some_and(|known| known != run && says(known) == says(run));
    let kept = match known {
        Some(known) if !is_better(run, &known) => return Ok((Kept::Before, contradicts)),
        Some(_) => {
            transaction
                .prepare_cached(
                    "DELETE FROM runs WHERE dataset_no = ?1 AND environment_no = ?2 AND run_id = ?3",
                )?
                .execute((dataset, environment, &run.run_id))?;
            Kept::Changed
        }
        None => Kept::New,
    };
    write_run(transaction, dataset, environment, run)?;
    Ok((kept, contradicts))
}

/// When a run ended, and how much is said of it.
fn says(run: &Run) -> (i64, usize) {
    let Counts {
        source,
        total,
        good,
        quarantined,
    } = run.counts;
    let counts = [source, total, good, quarantined];
    let n_said = counts.iter().flatten().count()
        + usize::from(run.started_at.is_some())
        + usize::from(run.newest.is_some())
        + usize::from(run.source_newest.is_some())
        + usize::from(run.filled.is_some());
    (run.finished_at, n_said)
}

/// How badly a run speaks of its dataset, the part that tells most first.
fn badness(run: &Run) -> impl Ord + use<> {
    let newest = |newest: &Option<Newest>| match newest {
        Some(Newest::At(at) | Newest::Partly { at, .. }) => Reverse(Some(*at)),
        _ => Reverse(None),
    };
    let filled = match run.filled {
        Some(Filled::Rows { non_null, .. }) => Some(non_null),
        Some(Filled::NoColumn) | None => None,
    };
    let Counts {
        source,
        total,
        good,
        quarantined,
    } = run.counts;
    (
        newest(&run.newest),
        newest(&run.source_newest),
        Reverse(good),
        quarantined,
        Reverse(filled),
        Reverse(source),
        Reverse(total),
    )
}

/// Does what is told of a run replace what is known? The later end, then what
/// says more, then what speaks worse of it, then any fixed order: the order in
/// which they are told never counts.
fn is_better(told: &Run, known: &Run) -> bool {
    says(told)
        .cmp(&says(known))
        .then_with(|| badness(told).cmp(&badness(known)))
        .then_with(|| match told == known {
            true => Ordering::Equal,
            false => json(told).cmp(&json(known)),
        })
        .is_gt()
}

fn write_run(
    transaction: &Transaction<'_>,
    dataset: i64,
    environment: i64,
    run: &Run,
) -> Result<(), Fault> {
    let Run {
        run_id,
        environment: _,
        started_at,
        finished_at,
        stage,
        counts,
        newest,
        source_newest,
        filled,
    } = run;
    let Counts {
        source,
        total,
        good,
        quarantined,
    } = counts;
    let (stage, from, to) = match *stage {
        Stage::Normal => (0, None, None),
        Stage::Reprocess { from, to } => (1, Some(from), Some(to)),
        Stage::NoNewData => (2, None, None),
    };
    let seconds = |newest: &Option<Newest>| match newest {
        Some(Newest::At(at)) => Some(*at),
        _ => None,
    };
    let besides = |newest: &Option<Newest>| {
        let is_plain = matches!(newest, Some(Newest::At(_)));
        newest.clone().filter(|_| !is_plain)
    };
    let (n_filled, n_filled_of) = match filled {
        Some(Filled::Rows { non_null, total }) => (Some(*non_null), Some(*total)),
        None | Some(Filled::NoColumn) => (None, None),
    };
    let told = Told {
        newest: besides(newest),
        source_newest: besides(source_newest),
        filled: filled.clone().filter(|filled| *filled == Filled::NoColumn),
    };
    let told = (told != Told::default()).then(|| json(&told));
    transaction
        .prepare_cached(
            "INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
                ?14, ?15, ?16, ?17)",
        )?
        .execute(rusqlite::params![
            dataset,
            environment,
            finished_at,
            run_id,
            started_at,
            stage,
            from,
            to,
            source,
            total,
            good,
            quarantined,
            seconds(newest),
            seconds(source_newest),
            n_filled,
            n_filled_of,
            told,
        ])?;
    Ok(())
}

fn read_run(row: &Row<'_>, environment: &str) -> rusqlite::Result<Run> {
    let told: Option<String> = row.get(14)?;
    // What a later version told is as good as not looked at.
    let told: Told = told
        .and_then(|told| serde_json::from_str(&told).ok())
        .unwrap_or_default();
    let span: (Option<i64>, Option<i64>) = (row.get(4)?, row.get(5)?);
    let stage = match (row.get::<_, i64>(3)?, span) {
        (1, (Some(from), Some(to))) => Stage::Reprocess { from, to },
        (2, _) => Stage::NoNewData,
        _ => Stage::Normal,
    };
    let newest = |column: usize, told: Option<Newest>| -> rusqlite::Result<Option<Newest>> {
        let at: Option<i64> = row.get(column)?;
        Ok(at.map(Newest::At).or(told))
    };
    let filled: (Option<u64>, Option<u64>) = (row.get(12)?, row.get(13)?);
    let filled = filled.0.zip(filled.1);
    Ok(Run {
        run_id: row.get(1)?,
        environment: environment.to_owned(),
        started_at: row.get(2)?,
        finished_at: row.get(0)?,
        stage,
        counts: Counts {
            source: row.get(6)?,
            total: row.get(7)?,
            good: row.get(8)?,
            quarantined: row.get(9)?,
        },
        newest: newest(10, told.newest)?,
        source_newest: newest(11, told.source_newest)?,
        filled: filled
            .map(|(non_null, total)| Filled::Rows { non_null, total })
            .or(told.filled),
    })
}

/// The number of an environment, given now if it is new.
pub(crate) fn environment_number(connection: &Connection, name: &str) -> Result<i64, Fault> {
    let found = connection
        .prepare_cached("SELECT no FROM environments WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(no) = found {
        return Ok(no);
    }
    connection
        .prepare_cached("INSERT INTO environments (name) VALUES (?1)")?
        .execute([name])?;
    Ok(connection.last_insert_rowid())
}

pub(crate) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("it has only text keys")
}

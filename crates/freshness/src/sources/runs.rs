//! What does a row say of a run?

use freshness_core::civil::{Day, Zone};
use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Counts, Filled, Newest, Run, Stage, USUAL_ENVIRONMENT};

use super::arrivals::{dataset_id, read_rows, read_run_id};
use super::datasets::free_text;
use super::input::Source;
use super::instant::{TimeRules, arrived_at, instant, supported};
use super::problem::{BadRows, Problem, SourceError, quoted};
use super::table::{self, Cell, Cells, Columns, Fault, TableRead};

const COLUMNS: Columns = Columns {
    required: &["dataset_id", "run_id", "finished_at"],
    optional: &[
        "environment",
        "started_at",
        "stage",
        "reprocess_from",
        "reprocess_to",
        "counts_source",
        "counts_total",
        "counts_good",
        "counts_quarantined",
        "newest",
        "source_newest",
        "non_null",
        "non_null_of",
    ],
    meant: &[
        (
            "dataset_id",
            &["dataset", "table", "tablename", "name", "id", "datasetname"],
        ),
        ("run_id", &["run", "runname", "jobid", "jobrunid"]),
        (
            "finished_at",
            &[
                "finished",
                "endedat",
                "end",
                "completedat",
                "timestamp",
                "ts",
            ],
        ),
    ],
};

/// Words that say why a column has no newest value.
const WORDS: [(&str, Newest); 3] = [
    ("no rows", Newest::NoRows),
    ("all null", Newest::AllNull),
    ("no column", Newest::NoColumn),
];

/// Reads runs.
pub fn read_runs(
    source: &Source,
    rules: &TimeRules,
    on_bytes: &dyn Fn(&[u8]),
    bad: &mut BadRows,
) -> Result<(Vec<(DatasetId, Run)>, TableRead), SourceError> {
    let mut runs = Vec::new();
    let read = table::read(source, &COLUMNS, on_bytes, bad, &mut |_, cells| {
        runs.push(read_run(cells, rules)?);
        Ok(())
    })?;
    Ok((runs, read))
}

fn read_run(cells: &Cells<'_>, rules: &TimeRules) -> Result<(DatasetId, Run), Fault> {
    let [
        id,
        run_id,
        finished,
        environment,
        started,
        stage,
        from,
        to,
        n_source,
        n_total,
        n_good,
        n_quarantined,
        newest,
        source_newest,
        non_null,
        non_null_of,
        ..,
    ] = cells;
    let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
    let mut digits = String::new();
    let run_id = read_run_id(run_id, &mut digits).map_err(at(1))?;
    let run_id = run_id.ok_or(Problem::NoValue).map_err(at(1))?.to_owned();
    let dataset = dataset_id(id).map_err(at(0))?;
    let finished_at = arrived_at(finished, rules).map_err(at(2))?;
    let environment = free_text(environment).map_err(at(3))?;
    let started_at = maybe(started, |cell| instant(cell, rules).and_then(supported));
    let started_at = started_at.map_err(at(4))?;
    if started_at.is_some_and(|started| started > finished_at) {
        return Err(Fault(Some(2), Problem::EndsBefore));
    }
    let counts = Counts {
        source: count(n_source).map_err(at(8))?,
        total: count(n_total).map_err(at(9))?,
        good: count(n_good).map_err(at(10))?,
        quarantined: count(n_quarantined).map_err(at(11))?,
    };
    if let Some(total) = counts.total {
        let parts = [(counts.good, 10), (counts.quarantined, 11)];
        let mut sum = 0_u64;
        for (rows, column) in parts {
            sum = sum.saturating_add(rows.unwrap_or(0));
            if sum > total {
                return Err(Fault(Some(column), Problem::MoreThanAll));
            }
        }
    }
    let run = Run {
        run_id,
        environment: environment.unwrap_or_else(|| USUAL_ENVIRONMENT.to_owned()),
        started_at,
        finished_at,
        stage: read_stage((stage, 5), (from, 6), (to, 7), rules)?,
        counts,
        newest: maybe(newest, |cell| read_newest(cell, rules)).map_err(at(12))?,
        source_newest: maybe(source_newest, |cell| read_newest(cell, rules)).map_err(at(13))?,
        filled: read_filled((non_null, 14), (non_null_of, 15))?,
    };
    Ok((dataset, run))
}

fn maybe<T>(
    cell: &Cell<'_>,
    read: impl FnOnce(&Cell<'_>) -> Result<T, Problem>,
) -> Result<Option<T>, Problem> {
    match cell {
        Cell::Missing => Ok(None),
        cell => read(cell).map(Some),
    }
}

/// A number of rows that the store can hold.
fn count(cell: &Cell<'_>) -> Result<Option<u64>, Problem> {
    match read_rows(cell)? {
        Some(n) if i64::try_from(n).is_err() => Err(Problem::Rows),
        n => Ok(n),
    }
}

type Placed<'a, 'c> = (&'a Cell<'c>, usize);

fn read_stage(
    stage: Placed<'_, '_>,
    from: Placed<'_, '_>,
    to: Placed<'_, '_>,
    rules: &TimeRules,
) -> Result<Stage, Fault> {
    let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
    let word = free_text(stage.0).map_err(at(stage.1))?;
    let word = word.map(|word| word.to_ascii_lowercase().replace([' ', '-'], "_"));
    let bound = |(cell, column): Placed<'_, '_>, of_day: fn(Day) -> Day| {
        let read = match day_of(cell) {
            Some(day) => {
                let zone = rules.assume_zone.unwrap_or_else(Zone::universal);
                supported(zone.utc(of_day(day).start()))
            }
            None => instant(cell, rules).and_then(supported),
        };
        read.map_err(at(column))
    };
    match word.as_deref() {
        None | Some("normal") => Ok(Stage::Normal),
        Some("no_new_data") => Ok(Stage::NoNewData),
        Some("reprocess") => {
            // A span of days ends with its last one.
            let (begins, ends) = (bound(from, |day| day)?, bound(to, |day| day.plus(1))?);
            match begins < ends {
                true => Ok(Stage::Reprocess {
                    from: begins,
                    to: ends,
                }),
                false => Err(Fault(Some(to.1), Problem::EndsBefore)),
            }
        }
        Some(_) => Err(Fault(Some(stage.1), Problem::Stage)),
    }
}

/// The day that a cell names, if it names no time of day.
fn day_of(cell: &Cell<'_>) -> Option<Day> {
    match cell {
        Cell::Day(day) => Some(Day(*day)),
        Cell::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The greatest time of a column as somebody found it. What is no time at all is
/// kept, because that is what is wrong with the data and not with the row; a time
/// that lacks its zone is not, because nobody would know which it is.
fn read_newest(cell: &Cell<'_>, rules: &TimeRules) -> Result<Newest, Problem> {
    if let Cell::Text(text) = cell {
        let plain = text.trim().to_ascii_lowercase().replace(['_', '-'], " ");
        if let Some((_, newest)) = WORDS.iter().find(|(word, _)| *word == plain) {
            return Ok(newest.clone());
        }
    }
    match (instant(cell, rules), cell, rules.assume_zone) {
        (Ok(at), ..) => Ok(Newest::At(at)),
        // A day begins at midnight, where a zone is said.
        (Err(Problem::DayOnly), cell, Some(zone)) => {
            let day = day_of(cell).ok_or(Problem::DayOnly)?;
            Ok(Newest::At(zone.utc(day.start())))
        }
        (Err(Problem::UnreadableTime), Cell::Text(text), _) => Ok(Newest::Unreadable(quoted(text))),
        (Err(problem), ..) => Err(problem),
    }
}

fn read_filled(non_null: Placed<'_, '_>, of: Placed<'_, '_>) -> Result<Option<Filled>, Fault> {
    let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
    if let Cell::Text(text) = non_null.0
        && matches!(
            text.trim().to_ascii_lowercase().as_str(),
            "no column" | "no_column"
        )
    {
        return Ok(Some(Filled::NoColumn));
    }
    let filled = count(non_null.0).map_err(at(non_null.1))?;
    let total = count(of.0).map_err(at(of.1))?;
    match (filled, total) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(Fault(Some(of.1), Problem::NoValue)),
        (None, Some(_)) => Err(Fault(Some(non_null.1), Problem::NoValue)),
        (Some(filled), Some(total)) if filled > total => {
            Err(Fault(Some(non_null.1), Problem::MoreThanAll))
        }
        (Some(non_null), Some(total)) => Ok(Some(Filled::Rows { non_null, total })),
    }
}

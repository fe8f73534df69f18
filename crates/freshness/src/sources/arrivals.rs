//! What does a row say of an arrival?

use std::collections::HashMap;

use freshness_core::arrivals::CycleName;
use freshness_core::dataset::{DatasetId, DatasetIdError};

use super::input::Source;
use super::instant::{TimeRules, arrived_at, instant, supported};
use super::problem::{BadRows, Problem, SourceError};
use super::table::{self, Cell, Cells, Columns, Fault, TableRead};

/// One arrival as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadArrival<'a> {
    /// Its dataset, numbered from 0 in the order datasets are met in the source.
    pub dataset_n: usize,
    /// Its dataset.
    pub dataset: &'a DatasetId,
    /// When it arrived, UTC seconds.
    pub at: i64,
    /// The cycle it was made for.
    pub cycle: Option<CycleName>,
    /// The run that made it.
    pub run_id: Option<&'a str>,
    /// Up to when its data is complete, UTC seconds.
    pub covers_through: Option<i64>,
    /// Rows delivered.
    pub rows: Option<u64>,
}

pub(super) const COLUMNS: Columns = Columns {
    required: &["dataset_id", "arrived_at"],
    optional: &["cycle", "rows", "run_id", "covers_through"],
    meant: &[
        (
            "dataset_id",
            &["dataset", "table", "tablename", "name", "id", "datasetname"],
        ),
        (
            "arrived_at",
            &[
                "arrived",
                "arrival",
                "timestamp",
                "ts",
                "time",
                "loadedat",
                "updatedat",
                "deliveredat",
                "receivedat",
                "arrivaltime",
            ],
        ),
    ],
};

/// Reads arrivals; `on_arrival` hears of each good row, `bad` of each other.
pub fn read_arrivals(
    source: &Source,
    rules: &TimeRules,
    on_bytes: &dyn Fn(&[u8]),
    bad: &mut BadRows,
    on_arrival: &mut dyn FnMut(ReadArrival<'_>),
) -> Result<TableRead, SourceError> {
    let mut datasets = Datasets::default();
    table::read(source, &COLUMNS, on_bytes, bad, &mut |_, cells| {
        datasets.arrival(cells, rules, on_arrival)
    })
}

/// The datasets met so far; an id is checked when it is met first.
#[derive(Default)]
pub(super) struct Datasets {
    ids: Vec<DatasetId>,
    numbers: HashMap<DatasetId, usize>,
    last: usize,
}

impl Datasets {
    /// What the cells of [`COLUMNS`] say of an arrival.
    pub(super) fn arrival(
        &mut self,
        cells: &Cells<'_>,
        rules: &TimeRules,
        on_arrival: &mut dyn FnMut(ReadArrival<'_>),
    ) -> Result<(), Fault> {
        let [id, at, cycle, rows, run_id, covers_through, ..] = cells;
        let dataset_n = self.number(id).map_err(|problem| Fault(Some(0), problem))?;
        if self.ids[dataset_n].as_str().starts_with("coverage:") {
            return Err(Fault(Some(0), Problem::OfCoverage));
        }
        let at = arrived_at(at, rules).map_err(|problem| Fault(Some(1), problem))?;
        let cycle = read_cycle(cycle, at).map_err(|problem| Fault(Some(2), problem))?;
        let rows = read_rows(rows).map_err(|problem| Fault(Some(3), problem))?;
        let mut digits = String::new();
        let run_id = read_run_id(run_id, &mut digits).map_err(|problem| Fault(Some(4), problem))?;
        let covers_through = match covers_through {
            Cell::Missing => None,
            cell => Some(
                instant(cell, rules)
                    .and_then(supported)
                    .map_err(|problem| Fault(Some(5), problem))?,
            ),
        };
        on_arrival(ReadArrival {
            dataset_n,
            dataset: &self.ids[dataset_n],
            at,
            cycle,
            run_id,
            covers_through,
            rows,
        });
        Ok(())
    }

    fn number(&mut self, cell: &Cell<'_>) -> Result<usize, Problem> {
        let text = match cell {
            Cell::Text(text) => *text,
            other => return dataset_id(other).map(|id| self.add(id)),
        };
        // Files are often sorted by dataset.
        if self
            .ids
            .get(self.last)
            .is_some_and(|last| last.as_str() == text)
        {
            return Ok(self.last);
        }
        self.last = match self.numbers.get(text) {
            Some(&number) => number,
            None => {
                let id = dataset_id(cell)?;
                self.add(id)
            }
        };
        Ok(self.last)
    }

    fn add(&mut self, id: DatasetId) -> usize {
        if let Some(&number) = self.numbers.get(&id) {
            return number;
        }
        self.ids.push(id.clone());
        self.numbers.insert(id, self.ids.len() - 1);
        self.ids.len() - 1
    }
}

/// The dataset that a cell names; a number names one by its digits.
pub(super) fn dataset_id(cell: &Cell<'_>) -> Result<DatasetId, Problem> {
    let digits;
    let text = match cell {
        Cell::Integer(n) => {
            digits = n.to_string();
            &digits
        }
        cell => cell.text()?.ok_or(Problem::NoValue)?,
    };
    DatasetId::try_from(text).map_err(|error| match error {
        DatasetIdError::Empty => Problem::NoValue,
        DatasetIdError::TooLong { bytes, .. } => Problem::LongId(bytes),
        DatasetIdError::Control(_) => Problem::Control,
        DatasetIdError::Padded(_) => Problem::PaddedId,
    })
}

/// No delivery comes so long before its cycle; a year that was mistyped does.
pub(super) const CYCLE_AHEAD_MAX: i64 = 366 * 86_400;

fn read_cycle(cell: &Cell<'_>, arrived_at: i64) -> Result<Option<CycleName>, Problem> {
    let cycle = match cell {
        Cell::Missing => return Ok(None),
        Cell::Text(text) => match text.parse() {
            Ok(cycle) => cycle,
            // Written as only `instant` knows: `2026-09-01 12:00:00 UTC`.
            Err(_) if text.trim_end().len() > "2026-09-01T12:00".len() => {
                let none_assumed = TimeRules {
                    now: 0,
                    assume_zone: None,
                };
                let at = instant(cell, &none_assumed).map_err(|_| Problem::Cycle)?;
                CycleName::Instant(at)
            }
            Err(_) => return Err(Problem::Cycle),
        },
        Cell::Instant(at) => CycleName::Instant(*at),
        Cell::Local(at) => CycleName::Civil(*at),
        Cell::Day(day) => CycleName::Civil(i64::from(*day) * 86_400),
        Cell::NotUtf8(_) => return Err(Problem::NotUtf8),
        // A bare number may be a date, an hour or an epoch: not guessed.
        Cell::Integer(_) | Cell::Float(_) | Cell::Flag(_) | Cell::List(_) | Cell::Other(_) => {
            return Err(Problem::Cycle);
        }
    };
    let (CycleName::Civil(at) | CycleName::Instant(at)) = cycle;
    match supported(at)? - arrived_at > CYCLE_AHEAD_MAX {
        true => Err(Problem::CycleAhead),
        false => Ok(Some(cycle)),
    }
}

pub(super) fn read_rows(cell: &Cell<'_>) -> Result<Option<u64>, Problem> {
    match cell {
        Cell::Missing => return Ok(None),
        Cell::Integer(n) => u64::try_from(*n).ok(),
        Cell::Float(n) if n.fract() == 0.0 && (0.0..9e15).contains(n) => Some(*n as u64),
        Cell::Text(text) => {
            let text = text.trim();
            // Tools with missing values write whole numbers as `12.0`.
            text.strip_suffix(".0").unwrap_or(text).parse().ok()
        }
        _ => None,
    }
    .map(Some)
    .ok_or(Problem::Rows)
}

pub(super) fn read_run_id<'a>(
    cell: &Cell<'a>,
    digits: &'a mut String,
) -> Result<Option<&'a str>, Problem> {
    let text = match cell {
        Cell::Missing => return Ok(None),
        Cell::Text(text) => text,
        Cell::NotUtf8(_) => return Err(Problem::NotUtf8),
        Cell::Integer(n) => {
            *digits = n.to_string();
            digits.as_str()
        }
        other => {
            return Err(Problem::Type {
                expected: "text",
                found: other.type_name(),
            });
        }
    };
    if text.len() > DatasetId::MAX_BYTES {
        return Err(Problem::LongRunId(text.len()));
    }
    match text.chars().any(char::is_control) {
        true => Err(Problem::Control),
        false => Ok(Some(text)),
    }
}

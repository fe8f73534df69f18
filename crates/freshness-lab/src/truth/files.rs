//! How is the truth kept?
//!
//! In a folder of its own, `truth`, that nothing but the evaluation reads:
//! `datasets.ndjson` says what is true of each dataset, `cycles.csv` of each
//! cycle. Instants are RFC 3339 in UTC, to the second.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use freshness_core::civil::Zone;
use freshness_core::dataset::DatasetId;
use freshness_core::schedule::Calendar;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{CycleTruth, DatasetTruth, Incident, IncidentKind, Truth};

/// Why the truth cannot be read or kept.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TruthError {
    #[error("cannot read: {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write: {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{}, line {line}: {fault}", path.display())]
    Line {
        path: PathBuf,
        line: u64,
        fault: TruthFault,
    },
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TruthFault {
    #[error("not a line of the truth: {0}")]
    Json(String),
    #[error("not a row of the truth: {0}")]
    Csv(csv::Error),
    #[error("unknown columns: {0} (expected {COLUMNS})", COLUMNS = COLUMNS.join(","))]
    Columns(String),
    #[error("unreadable {column}: {value}")]
    Value { column: &'static str, value: String },
    #[error("{column} is missing")]
    Missing { column: &'static str },
    #[error("described twice: {0}")]
    Twice(DatasetId),
    #[error("not described in {DATASETS}: {0}")]
    Undescribed(String),
    #[error("does not begin after the cycle before: {0}")]
    Order(String),
    #[error("an incident and its root go together: {0}")]
    Alone(String),
}

const DATASETS: &str = "datasets.ndjson";
const CYCLES: &str = "cycles.csv";
const COLUMNS: [&str; 7] = [
    "dataset_id",
    "start",
    "usual_at",
    "due_at",
    "arrived_at",
    "incident",
    "root",
];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DatasetLine {
    dataset_id: DatasetId,
    class: String,
    calendar: Option<Calendar>,
    timezone: Option<Zone>,
    moves: Vec<MoveLine>,
    outages: Vec<OutageLine>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveLine {
    at: Timestamp,
    minutes: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutageLine {
    from: Timestamp,
    to: Timestamp,
}

impl IncidentKind {
    /// All, in order.
    pub const ALL: [IncidentKind; 5] = [
        IncidentKind::Late,
        IncidentKind::Missed,
        IncidentKind::Propagated,
        IncidentKind::Backlog,
        IncidentKind::Stopped,
    ];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            IncidentKind::Late => "late",
            IncidentKind::Missed => "missed",
            IncidentKind::Propagated => "propagated",
            IncidentKind::Backlog => "backlog",
            IncidentKind::Stopped => "stopped",
        }
    }
}

impl Truth {
    /// Writes the truth into a folder, which is made if need be.
    pub fn write(&self, folder: &Path) -> Result<(), TruthError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| TruthError::Write { path, source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let path = folder.join(DATASETS);
        self.write_datasets(&path).map_err(failed(&path))?;
        let path = folder.join(CYCLES);
        self.write_cycles(&path).map_err(failed(&path))
    }

    /// Reads a folder that [`Truth::write`] wrote.
    pub fn read(folder: &Path) -> Result<Truth, TruthError> {
        let mut datasets = read_datasets(&folder.join(DATASETS))?;
        read_cycles(&folder.join(CYCLES), &mut datasets)?;
        Ok(Truth { datasets })
    }

    fn write_datasets(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for (id, truth) in &self.datasets {
            let DatasetTruth {
                class,
                schedule,
                moves,
                cycles: _,
                outages,
            } = truth;
            let (calendar, timezone) = schedule.clone().unzip();
            let moves = moves.iter().map(|&(at, minutes)| {
                let at = instant(at)?;
                Ok(MoveLine { at, minutes })
            });
            let outages = outages.iter().map(|&(from, to)| {
                let (from, to) = (instant(from)?, instant(to)?);
                Ok(OutageLine { from, to })
            });
            let line = DatasetLine {
                dataset_id: id.clone(),
                class: class.clone(),
                calendar,
                timezone,
                moves: moves.collect::<io::Result<_>>()?,
                outages: outages.collect::<io::Result<_>>()?,
            };
            serde_json::to_writer(&mut out, &line)?;
            out.write_all(b"\n")?;
        }
        out.into_inner()?.sync_all()
    }

    fn write_cycles(&self, path: &Path) -> io::Result<()> {
        let mut out = csv::Writer::from_path(path)?;
        out.write_record(COLUMNS)?;
        let text = |at: Option<i64>| -> io::Result<String> {
            Ok(match at {
                Some(at) => instant(at)?.to_string(),
                None => String::new(),
            })
        };
        for (id, truth) in &self.datasets {
            for cycle in &truth.cycles {
                let CycleTruth {
                    start,
                    usual_at,
                    due_at,
                    arrived_at,
                    incident,
                } = cycle;
                let (kind, root) = match incident {
                    Some(Incident { root, kind }) => (kind.word(), root.as_str()),
                    None => ("", ""),
                };
                out.write_record([
                    id.as_str(),
                    &text(Some(*start))?,
                    &text(Some(*usual_at))?,
                    &text(*due_at)?,
                    &text(*arrived_at)?,
                    kind,
                    root,
                ])?;
            }
        }
        let file = out.into_inner().map_err(csv::IntoInnerError::into_error)?;
        file.sync_all()
    }
}

fn instant(at: i64) -> io::Result<Timestamp> {
    Timestamp::from_second(at).map_err(io::Error::other)
}

fn read_datasets(path: &Path) -> Result<BTreeMap<DatasetId, DatasetTruth>, TruthError> {
    let text = fs::read_to_string(path).map_err(|source| TruthError::Read {
        path: path.to_owned(),
        source,
    })?;
    let mut datasets = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let failed = |fault| TruthError::Line {
            path: path.to_owned(),
            line: i as u64 + 1,
            fault,
        };
        let DatasetLine {
            dataset_id,
            class,
            calendar,
            timezone,
            moves,
            outages,
        } = serde_json::from_str(line).map_err(|error| failed(unreadable(&error)))?;
        let truth = DatasetTruth {
            class,
            schedule: calendar.zip(timezone),
            moves: moves
                .iter()
                .map(|of| (of.at.as_second(), of.minutes))
                .collect(),
            cycles: Vec::new(),
            outages: outages
                .iter()
                .map(|of| (of.from.as_second(), of.to.as_second()))
                .collect(),
        };
        if datasets.insert(dataset_id.clone(), truth).is_some() {
            return Err(failed(TruthFault::Twice(dataset_id)));
        }
    }
    Ok(datasets)
}

/// What `serde_json` says, without the place in a line that is known already.
fn unreadable(error: &serde_json::Error) -> TruthFault {
    let said = error.to_string();
    let said = said
        .rsplit_once(" at line ")
        .map_or(&*said, |(said, _)| said);
    TruthFault::Json(said.to_owned())
}

fn read_cycles(
    path: &Path,
    datasets: &mut BTreeMap<DatasetId, DatasetTruth>,
) -> Result<(), TruthError> {
    let file = File::open(path).map_err(|source| TruthError::Read {
        path: path.to_owned(),
        source,
    })?;
    let failed = |line: u64, fault| TruthError::Line {
        path: path.to_owned(),
        line,
        fault,
    };
    let mut reader = csv::Reader::from_reader(file);
    let columns = reader
        .headers()
        .map_err(|error| failed(1, TruthFault::Csv(error)))?;
    if columns != COLUMNS[..] {
        let found = columns.iter().collect::<Vec<_>>().join(",");
        return Err(failed(1, TruthFault::Columns(found)));
    }
    let mut row = csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Err(failed(line, TruthFault::Csv(error))),
        }
        let line = row.position().map_or(line, csv::Position::line);
        let cycle = read_cycle(&row).map_err(|fault| failed(line, fault))?;
        let Some(truth) = datasets.get_mut(&row[0]) else {
            return Err(failed(line, TruthFault::Undescribed(row[0].to_owned())));
        };
        if truth
            .cycles
            .last()
            .is_some_and(|last| last.start >= cycle.start)
        {
            return Err(failed(line, TruthFault::Order(row[1].to_owned())));
        }
        truth.cycles.push(cycle);
    }
}

fn read_cycle(row: &csv::StringRecord) -> Result<CycleTruth, TruthFault> {
    let unreadable = |i: usize| TruthFault::Value {
        column: COLUMNS[i],
        value: row[i].to_owned(),
    };
    let perhaps = |i: usize| match &row[i] {
        "" => Ok(None),
        text => text
            .parse::<Timestamp>()
            .map(|at| Some(at.as_second()))
            .map_err(|_| unreadable(i)),
    };
    let surely = |i: usize| perhaps(i)?.ok_or(TruthFault::Missing { column: COLUMNS[i] });
    let incident = match (&row[5], &row[6]) {
        ("", "") => None,
        (kind, root) if kind.is_empty() || root.is_empty() => {
            return Err(TruthFault::Alone(format!("{kind}{root}")));
        }
        (kind, root) => Some(Incident {
            root: DatasetId::try_from(root).map_err(|_| unreadable(6))?,
            kind: IncidentKind::ALL
                .into_iter()
                .find(|known| known.word() == kind)
                .ok_or_else(|| unreadable(5))?,
        }),
    };
    Ok(CycleTruth {
        start: surely(1)?,
        usual_at: surely(2)?,
        due_at: perhaps(3)?,
        arrived_at: perhaps(4)?,
        incident,
    })
}

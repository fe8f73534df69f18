//! How does a warehouse stand in a folder?
//!
//! As files that the program imports, with the truth in a folder beside them
//! and `seed.json`, which says by which command and from which seed it was made. It is written
//! beside its place and moved there whole: a folder holds all of a warehouse or
//! nothing of it. An earlier one is replaced, other files never.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use freshness_core::dataset::Dataset;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Warehouse, plain_warehouse, warehouse};
use crate::truth::TruthError;

/// Which kind of warehouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// As diverse as feeds are.
    Diverse,
    /// UTC, two shapes of noise, one move.
    Plain,
}

/// How a warehouse came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// Made up.
    Seed(Kind),
    /// A real history with mishaps in it.
    Mishap,
}

/// Why a warehouse was not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FolderError {
    #[error("cannot write: {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot look into the folder: {}", path.display())]
    Look { path: PathBuf, source: io::Error },
    #[error("not a folder: {}", .0.display())]
    NotAFolder(PathBuf),
    #[error("the folder holds files of others: {}", .0.display())]
    Foreign(PathBuf),
    #[error("the folder is the one that the program runs in: {}", .0.display())]
    Here(PathBuf),
    #[error(transparent)]
    Truth(#[from] TruthError),
}

/// What the folder is told from.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    made_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    seed: u64,
    from: Timestamp,
    ends_at: Timestamp,
}

const MARK: &str = "seed.json";
const TRUTH: &str = "truth";
/// All that a warehouse consists of.
const NAMES: [&str; 6] = [
    MARK,
    "arrivals.csv",
    "datasets.csv",
    "lineage.csv",
    "dashboards.csv",
    TRUTH,
];

impl Maker {
    fn command(self) -> &'static str {
        match self {
            Maker::Seed(_) => "freshness seed",
            Maker::Mishap => "freshness mishap",
        }
    }
}

impl Kind {
    /// Makes one.
    pub fn make(self, seed: u64) -> Warehouse {
        match self {
            Kind::Diverse => warehouse(seed),
            Kind::Plain => plain_warehouse(seed),
        }
    }
}

impl Warehouse {
    /// Where the truth about the warehouse in a folder is.
    pub fn truth_in(folder: &Path) -> PathBuf {
        folder.join(TRUTH)
    }

    /// Writes it into a folder that is new, empty, or holds an earlier
    /// warehouse of this maker and nothing else. `maker` and `seed` say how it was made.
    pub fn write(&self, folder: &Path, maker: Maker, seed: u64) -> Result<(), FolderError> {
        let place = free_place(folder, maker)?;
        let failed = |source| FolderError::Write {
            path: folder.to_owned(),
            source,
        };
        let beside = match place.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(beside).map_err(failed)?;
        let work = tempfile::Builder::new()
            .prefix(".freshness-seed-")
            .tempdir_in(beside)
            .map_err(failed)?;
        let made = work.path().join("made");
        fs::create_dir(&made).map_err(failed)?;
        self.write_files(&made, maker, seed).map_err(failed)?;
        self.truth.write(&made.join(TRUTH))?;
        // What stood there goes with the work folder, unless it must go back.
        let earlier = work.path().join("earlier");
        let stood = match fs::rename(&place, &earlier) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(failed(error)),
        };
        fs::rename(&made, &place).map_err(|error| {
            if stood {
                let _ = fs::rename(&earlier, &place);
            }
            failed(error)
        })
    }

    fn write_files(&self, folder: &Path, maker: Maker, seed: u64) -> io::Result<()> {
        let instant = |at| Timestamp::from_second(at).map_err(io::Error::other);
        let mark = Mark {
            made_by: maker.command().to_owned(),
            kind: match maker {
                Maker::Seed(kind) => Some(kind),
                Maker::Mishap => None,
            },
            seed,
            from: instant(self.from)?,
            ends_at: instant(self.ends_at)?,
        };
        fs::write(
            folder.join(MARK),
            serde_json::to_string_pretty(&mark)? + "\n",
        )?;
        self.write_arrivals(&folder.join("arrivals.csv"))?;
        self.write_datasets(&folder.join("datasets.csv"))?;
        let mut lineage = csv::Writer::from_path(folder.join("lineage.csv"))?;
        lineage.write_record(["upstream_id", "downstream_id"])?;
        for (upstream, downstream) in self.lineage.edges() {
            lineage.write_record([upstream.as_str(), downstream.as_str()])?;
        }
        lineage.flush()?;
        let mut dashboards = csv::Writer::from_path(folder.join("dashboards.csv"))?;
        dashboards.write_record(["dashboard_id", "title", "part", "dataset_id"])?;
        for dashboard in &self.dashboards {
            for (part, dataset) in &dashboard.parts {
                let row = [&dashboard.id, &dashboard.title, part, dataset.as_str()];
                dashboards.write_record(row)?;
            }
        }
        dashboards.flush()
    }

    /// In the order of time, as a log would have them.
    fn write_arrivals(&self, path: &Path) -> io::Result<()> {
        let mut rows: Vec<(i64, usize, usize)> = Vec::new();
        for (d, (_, history)) in self.datasets.iter().enumerate() {
            rows.extend(history.at().iter().enumerate().map(|(i, &at)| (at, d, i)));
        }
        rows.sort_unstable();
        let mut out = csv::Writer::from_path(path)?;
        out.write_record([
            "dataset_id",
            "arrived_at",
            "cycle",
            "rows",
            "run_id",
            "covers_through",
        ])?;
        for (at, d, i) in rows {
            let (dataset, history) = &self.datasets[d];
            let instant = |at| Timestamp::from_second(at).map_err(io::Error::other);
            let detail = history.detail(i);
            let covers_through = detail
                .and_then(|detail| detail.covers_through)
                .map(instant)
                .transpose()?;
            let said = |of: Option<String>| of.unwrap_or_default();
            out.write_record([
                dataset.id.as_str(),
                &instant(at)?.to_string(),
                &said(detail.and_then(|detail| detail.cycle.map(|cycle| cycle.to_string()))),
                &said(detail.and_then(|detail| detail.rows.map(|rows| rows.to_string()))),
                detail
                    .and_then(|detail| detail.run_id.as_deref())
                    .unwrap_or(""),
                &said(covers_through.map(|at| at.to_string())),
            ])?;
        }
        out.flush()
    }

    fn write_datasets(&self, path: &Path) -> io::Result<()> {
        let mut out = csv::Writer::from_path(path)?;
        out.write_record([
            "dataset_id",
            "grain",
            "timezone",
            "calendar",
            "critical",
            "owner",
            "team",
            "tags",
        ])?;
        for (dataset, _) in &self.datasets {
            let Dataset {
                id,
                grain,
                timezone,
                calendar,
                critical,
                owner,
                team,
                tags,
                maintenance: _,
            } = dataset;
            out.write_record([
                id.as_str(),
                &grain.map_or(String::new(), |grain| grain.to_string()),
                timezone.map_or("", |zone| zone.name()),
                &calendar.as_ref().map_or(String::new(), ToString::to_string),
                if *critical { "true" } else { "false" },
                owner.as_deref().unwrap_or(""),
                team.as_deref().unwrap_or(""),
                &tags.join(","),
            ])?;
        }
        out.flush()
    }
}

/// The real path of a folder that may be written, links followed.
fn free_place(folder: &Path, maker: Maker) -> Result<PathBuf, FolderError> {
    let looked = |source| FolderError::Look {
        path: folder.to_owned(),
        source,
    };
    let place = match fs::canonicalize(folder) {
        Ok(place) => place,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(folder.to_owned()),
        Err(error) => return Err(looked(error)),
    };
    if !place.is_dir() {
        return Err(FolderError::NotAFolder(folder.to_owned()));
    }
    // Moving it away would leave the shell in a folder that is gone.
    if fs::canonicalize(".").is_ok_and(|here| here == place) {
        return Err(FolderError::Here(folder.to_owned()));
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(&place).map_err(looked)? {
        names.push(entry.map_err(looked)?.file_name());
    }
    let is_own = |name: &std::ffi::OsString| NAMES.iter().any(|own| name == own);
    let is_marked = fs::read(place.join(MARK)).is_ok_and(|mark| {
        serde_json::from_slice(&mark).is_ok_and(|Mark { made_by, .. }| made_by == maker.command())
    });
    match names.is_empty() || (is_marked && names.iter().all(is_own)) {
        true => Ok(place),
        false => Err(FolderError::Foreign(folder.to_owned())),
    }
}

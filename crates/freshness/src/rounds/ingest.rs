//! How does what was read get into the store?
//!
//! In order: read every file to its end; if a row is bad, stop (or go on
//! without it, if told so); only then open the store; store everything in one
//! transaction. So nothing is half imported, and a refused file leaves no
//! trace, not even an empty store.

use std::cell::RefCell;
use std::collections::BTreeMap;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::Holidays;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::lineage::{Lineage, LineageError};
use freshness_core::slo::Run;
use freshness_store::{
    ArrivalBatch, DashboardCounts, DashboardMode, DatasetCounts, ImportCounts, ImportedFile,
    LineageCounts, LineageEdge, LineageMode, RunCounts, Store, StoreError,
};
use jiff::Timestamp;
use twox_hash::XxHash3_128;

use super::told::straightened;
use crate::hint::did_you_mean;
use crate::sources::{
    self, BadRows, Events, Problem, ReadDashboards, Source, SourceError, TableRead, TimeRules,
    read_arrivals, read_dashboards, read_datasets, read_lineage, read_outages, read_runs,
};

/// What to do when a row is bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// Import nothing.
    Stop,
    /// Import the others.
    Skip,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A file cannot be read at all.
    #[error("{file}: {error}")]
    Source {
        /// As the user named it.
        file: String,
        /// What is wrong with it.
        error: SourceError,
    },
    /// Rows are bad, and the user did not say to go on without them.
    #[error("bad rows")]
    BadRows(BadRows),
    /// The edges, with those stored already, go in a circle.
    #[error(transparent)]
    Lineage(#[from] LineageError),
    /// The files are in order, and declare nothing: an empty inventory is no
    /// inventory.
    #[error("the files declare no {0}")]
    Nothing(&'static str),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One file, read to its end.
#[derive(Debug, Clone)]
pub struct FileRead {
    /// As the user named it.
    pub name: String,
    /// Its rows and the columns nothing was read from.
    pub table: TableRead,
    /// Rows that were left out.
    pub skipped: u64,
}

/// What an import did, and to what.
#[derive(Debug)]
pub struct Ingested<T> {
    /// The files, in the order given.
    pub files: Vec<FileRead>,
    /// The rows left out.
    pub bad: BadRows,
    /// What the store counted.
    pub counts: T,
}

/// Imports arrivals. `on_bytes` hears how many bytes were read, for progress;
/// `now` comes with the rules for times.
pub fn arrivals(
    sources: &[Source],
    times: &TimeRules,
    on_error: OnError,
    on_bytes: &dyn Fn(u64),
    open: impl FnOnce() -> Result<Store, StoreError>,
) -> Result<Ingested<Vec<ImportCounts>>, IngestError> {
    let (files, bad, batches) = read_all(sources, on_error, |source, bad| {
        let hash = RefCell::new(XxHash3_128::new());
        let mut batch = ArrivalBatch::new();
        let on_piece = |piece: &[u8]| {
            hash.borrow_mut().write(piece);
            on_bytes(piece.len() as u64);
        };
        let table = fill(&mut batch, source, times, &on_piece, bad)?;
        let file = ImportedFile {
            name: source.label(),
            hash: format!("{:032x}", hash.borrow().finish_128()),
            at: Timestamp::from_second(times.now).unwrap_or_default(),
        };
        Ok((table, (batch, file)))
    })?;
    let counts = open()?.import_arrivals_of(batches)?;
    Ok(Ingested { files, bad, counts })
}

/// Arrivals and declarations as a store would hold them, by name, without one:
/// for a command that looks at files and leaves nothing behind.
pub fn histories(
    arrivals: &[Source],
    declared: &[Source],
    times: &TimeRules,
    on_bytes: &dyn Fn(u64),
) -> Result<Vec<(Dataset, ArrivalHistory)>, IngestError> {
    // One batch for all files, so that what two of them say is one arrival.
    let mut batch = ArrivalBatch::new();
    let on_piece = |piece: &[u8]| on_bytes(piece.len() as u64);
    read_all(arrivals, OnError::Stop, |source, bad| {
        fill(&mut batch, source, times, &on_piece, bad).map(|table| (table, ()))
    })?;
    let holidays = super::holidays();
    let (_, _, found) = read_all(declared, OnError::Stop, |source, bad| {
        read_datasets(source, &holidays, &on_piece, bad).map(|(found, table)| (table, found))
    })?;
    let mut all: BTreeMap<DatasetId, (Dataset, ArrivalHistory)> = (batch.into_histories())
        .into_iter()
        .map(|(id, history)| (id.clone(), (Dataset::undeclared(id), history)))
        .collect();
    for read in found.into_iter().flatten() {
        let (_, history) = all.remove(&read.dataset.id).unwrap_or_else(|| {
            let undeclared = Dataset::undeclared(read.dataset.id.clone());
            (undeclared, ArrivalHistory::default())
        });
        all.insert(read.dataset.id.clone(), (read.dataset, history));
    }
    Ok(all.into_values().collect())
}

/// Reads edges, and refuses what no import would take.
pub fn edges(sources: &[Source]) -> Result<Lineage, IngestError> {
    let (_, _, found) = read_all(sources, OnError::Stop, |source, bad| {
        read_lineage(source, &|_| {}, bad).map(|(found, table)| (table, found))
    })?;
    let edges = found.into_iter().flatten();
    Ok(Lineage::new(
        edges.map(|read| (read.upstream, read.downstream)),
    )?)
}

/// Imports declarations; of several files the later one wins.
pub fn datasets(
    sources: &[Source],
    holidays: &Holidays,
    on_error: OnError,
    on_bytes: &dyn Fn(u64),
    open: impl FnOnce() -> Result<Store, StoreError>,
) -> Result<Ingested<DatasetCounts>, IngestError> {
    let (files, bad, found) = read_all(sources, on_error, |source, bad| {
        let on_piece = |piece: &[u8]| on_bytes(piece.len() as u64);
        read_datasets(source, holidays, &on_piece, bad).map(|(found, table)| (table, found))
    })?;
    let declared: Vec<Dataset> = found
        .into_iter()
        .flatten()
        .map(|read| read.dataset)
        .collect();
    let counts = open()?.import_datasets(&declared)?;
    Ok(Ingested { files, bad, counts })
}

/// Reads known outages, for nobody but the evaluation: they are not stored.
pub fn outages(
    sources: &[Source],
    times: &TimeRules,
) -> Result<Vec<sources::ReadOutage>, IngestError> {
    let (_, _, found) = read_all(sources, OnError::Stop, |source, bad| {
        read_outages(source, times, bad).map(|(found, table)| (table, found))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Imports runs; of two of one name the store keeps the later.
pub fn runs(
    sources: &[Source],
    times: &TimeRules,
    on_error: OnError,
    on_bytes: &dyn Fn(u64),
    open: impl FnOnce() -> Result<Store, StoreError>,
) -> Result<Ingested<RunCounts>, IngestError> {
    let (files, bad, found) = read_all(sources, on_error, |source, bad| {
        let on_piece = |piece: &[u8]| on_bytes(piece.len() as u64);
        read_runs(source, times, &on_piece, bad).map(|(found, table)| (table, found))
    })?;
    let found: Vec<(DatasetId, Run)> = found.into_iter().flatten().collect();
    let counts = open()?.import_runs(&found)?;
    Ok(Ingested { files, bad, counts })
}

/// Reads events of OpenLineage, over all files together: each may hold a part of
/// what a run tells. Nothing is concluded or stored.
pub fn events(
    sources: &[Source],
    times: &TimeRules,
    on_error: OnError,
    on_bytes: &dyn Fn(u64),
) -> Result<Ingested<Events>, IngestError> {
    let mut events = Events::default();
    let (files, bad, _) = read_all(sources, on_error, |source, bad| {
        let on_piece = |piece: &[u8]| on_bytes(piece.len() as u64);
        let read = events.read(source, times, &on_piece, bad);
        read.map(|table| (table, ()))
    })?;
    Ok(Ingested {
        files,
        bad,
        counts: events,
    })
}

/// Imports edges. They must make a lineage with those that stay: a circle is
/// refused inside the transaction, so no other import can close one meanwhile.
pub fn lineage(
    sources: &[Source],
    mode: LineageMode,
    on_error: OnError,
    on_bytes: &dyn Fn(u64),
    open: impl FnOnce() -> Result<Store, StoreError>,
) -> Result<Ingested<LineageCounts>, IngestError> {
    let (files, bad, found) = read_all(sources, on_error, |source, bad| {
        let on_piece = |piece: &[u8]| on_bytes(piece.len() as u64);
        read_lineage(source, &on_piece, bad).map(|(found, table)| (table, found))
    })?;
    let edges: Vec<LineageEdge> = found.into_iter().flatten().map(edge).collect();
    // Before the store is opened, so that a circle in the files makes no store.
    straightened(&edges, &[])?;
    let counts = open()?.import_lineage(&edges, mode, |firm, loose| {
        Ok::<_, IngestError>(straightened(firm, loose)?.0)
    })?;
    Ok(Ingested { files, bad, counts })
}

/// Imports dashboards; of several files all feeds count. They show datasets
/// that `store` knows, which is why it is there before a file is read.
pub fn dashboards(
    sources: &[Source],
    mode: DashboardMode,
    on_error: OnError,
    on_bytes: &dyn Fn(u64),
    store: &mut Store,
) -> Result<Ingested<DashboardCounts>, IngestError> {
    let entries = store.datasets()?;
    let known: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let mut n_suggested = 0;
    let mut is_known = |id: &DatasetId| {
        if known.binary_search(&id.as_str()).is_ok() {
            return Ok(());
        }
        // Looking for the name that is meant takes a while, and few are shown.
        n_suggested += 1;
        let near = (n_suggested <= BadRows::SHOWN)
            .then(|| did_you_mean(id.as_str(), known.iter().copied()))
            .flatten();
        Err(Problem::UnknownDataset(near.map(str::to_owned)))
    };
    let (files, bad, found) = read_all(sources, on_error, |source, bad| {
        let on_piece = |piece: &[u8]| on_bytes(piece.len() as u64);
        read_dashboards(source, &mut is_known, &on_piece, bad).map(|(found, table)| (table, found))
    })?;
    let told = ReadDashboards::together(found);
    let counts = store.import_dashboards(&told, mode)?;
    Ok(Ingested { files, bad, counts })
}

/// Reads one file into a batch.
fn fill(
    batch: &mut ArrivalBatch,
    source: &Source,
    times: &TimeRules,
    on_piece: &dyn Fn(&[u8]),
    bad: &mut BadRows,
) -> Result<TableRead, SourceError> {
    // The number of a dataset in the batch, by its number in the source. A
    // dataset of which all rows were bad so far has none yet.
    let mut numbers = Vec::new();
    read_arrivals(source, times, on_piece, bad, &mut |read| {
        if read.dataset_n >= numbers.len() {
            numbers.resize(read.dataset_n + 1, None);
        }
        let number = numbers[read.dataset_n];
        let number = number.unwrap_or_else(|| batch.dataset_of(read.dataset));
        numbers[read.dataset_n] = Some(number);
        batch.push_with(
            number,
            read.at,
            read.cycle,
            read.run_id,
            read.covers_through,
            read.rows,
        );
    })
}

fn edge(read: sources::ReadEdge) -> LineageEdge {
    let sources::ReadEdge {
        upstream,
        downstream,
    } = read;
    LineageEdge {
        upstream,
        downstream,
    }
}

/// Reads every file before any counts.
pub(super) fn read_all<T>(
    sources: &[Source],
    on_error: OnError,
    mut read: impl FnMut(&Source, &mut BadRows) -> Result<(TableRead, T), SourceError>,
) -> Result<(Vec<FileRead>, BadRows, Vec<T>), IngestError> {
    let mut files = Vec::with_capacity(sources.len());
    let mut bad = BadRows::default();
    let mut all = Vec::with_capacity(sources.len());
    for source in sources {
        let bad_before = bad.n();
        let (table, values) = read(source, &mut bad).map_err(|error| IngestError::Source {
            file: source.label(),
            error,
        })?;
        files.push(FileRead {
            name: source.label(),
            skipped: bad.n() - bad_before,
            table,
        });
        all.push(values);
    }
    let n_good: u64 = files
        .iter()
        .map(|file| file.table.rows - file.skipped)
        .sum();
    // With nothing good left there is nothing to go on with.
    if !bad.is_empty() && (on_error == OnError::Stop || n_good == 0) {
        return Err(IngestError::BadRows(bad));
    }
    Ok((files, bad, all))
}

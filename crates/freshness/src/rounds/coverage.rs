//! What must be covered, who says that it is, and does that hold?
//!
//! ```
//! use freshness::rounds::coverage;
//! use freshness_core::coverage::{ContractRow, Decision, Proposal};
//! use freshness_store::{Access, DeclareMode, Store};
//! use jiff::Timestamp;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("freshness.db");
//! let mut store = Store::open(&path, Access::Create)?;
//! let contract = ContractRow {
//!     source: "orders".to_owned(),
//!     scope: "FR".to_owned(),
//!     max_source_lag_minutes: Some(120),
//!     max_publication_gap_minutes: Some(60),
//!     ..ContractRow::default()
//! };
//! store.import_contracts(&[contract], DeclareMode::Add)?;
//!
//! let now: Timestamp = "2026-03-02T06:05:00Z".parse()?;
//! let complete_through: Timestamp = "2026-03-02T06:00:00Z".parse()?;
//! let release = Proposal {
//!     source: "orders".to_owned(),
//!     scope: "FR".to_owned(),
//!     run_id: "load-2026-03-02T06".to_owned(),
//!     complete_through: Some(complete_through.as_second()),
//!     published_at: Some(now.as_second()),
//!     rows: Some(0),
//!     ..Proposal::default()
//! };
//! match coverage::publish(&mut store, &release, now)? {
//!     Decision::Accept(publication) => assert_eq!(publication.seq, 1),
//!     Decision::Refuse(refusal) => return Err(refusal.into()),
//!     other => unreachable!("a new run: {other:?}"),
//! }
//! // The same run again changes nothing.
//! let again = coverage::publish(&mut store, &release, now)?;
//! assert_eq!(again, Decision::Repeat(Some(1)));
//!
//! let covered = coverage::look(&store, now)?;
//! assert!(covered.is_healthy());
//! # Ok(())
//! # }
//! ```

use freshness_core::coverage::{
    ContractRow, Decision, Gap, GapKind, Ledgered, Proposal, Refusal, ScopeKey, ScopeState, Step,
    Terms, check as judge, decide, gaps,
};
use freshness_store::{
    Asked, ContractCounts, CoverageCheck, DeclareMode, OpenRun, Store, StoreError,
};
use jiff::{SignedDuration, Timestamp};

use super::ingest::{FileRead, IngestError, Ingested, OnError, read_all};
use super::{RoundError, holidays};
use crate::clock::Clock;
use crate::sources::{ReadContracts, Source, read_contracts, read_inventory};

/// What a look at all contracts found.
#[derive(Debug, Clone)]
pub struct Covered {
    /// The instant that was judged.
    pub now: Timestamp,
    /// Every contract, by source and scope.
    pub scopes: Vec<ScopeState>,
    /// Scopes in only one of inventory and contracts.
    pub gaps: Vec<Gap>,
    /// Runs that were begun and have not ended.
    pub open_runs: Vec<OpenRun>,
    /// Was it recorded?
    pub recorded: bool,
}

/// What an import of contracts did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    /// To contracts.
    pub contracts: ContractCounts,
    /// To the inventory; `None` if no file had one.
    pub inventory: Option<ContractCounts>,
}

/// What files say of contracts, and the store does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContractDiff {
    /// In the files only.
    pub added: Vec<ContractRow>,
    /// In the store only.
    pub removed: Vec<ContractRow>,
    /// In both, and written differently: as stored, as in the files.
    pub changed: Vec<(ContractRow, ContractRow)>,
}

impl Covered {
    /// Is every scope covered as its contract asks, or put off by maintenance, and is
    /// there a contract for every scope?
    pub fn is_healthy(&self) -> bool {
        self.gaps.is_empty() && !self.scopes.iter().any(ScopeState::fails)
    }

    /// Scopes that are not covered as their contracts ask, and those of the
    /// inventory that have no contract.
    pub fn n_unhealthy(&self) -> u64 {
        let gaps = self.gaps.iter();
        let without = gaps.filter(|gap| gap.missing == GapKind::Contract);
        self.n_contracts_unkept() + without.count() as u64
    }

    /// Contracts whose scopes are not covered as they ask.
    fn n_contracts_unkept(&self) -> u64 {
        let unkept = self.scopes.iter().filter(|scope| scope.fails());
        unkept.count() as u64
    }

    /// The runs that have been open for longer than `max_age`, the oldest
    /// first.
    pub fn old_runs(&self, max_age: SignedDuration) -> Vec<&OpenRun> {
        old(&self.open_runs, self.now, max_age).collect()
    }
}

impl ContractDiff {
    /// Do files and store say the same?
    pub fn is_empty(&self) -> bool {
        *self == ContractDiff::default()
    }
}

/// Tells the ledger of one release.
pub fn publish(
    store: &mut Store,
    release: &Proposal,
    now: Timestamp,
) -> Result<Decision, StoreError> {
    let asked = Asked {
        step: Step::Publish,
        proposal: release.clone(),
        why: String::new(),
        unreadable: None,
    };
    let decisions = take(store, &[asked], now)?;
    Ok(decisions.into_iter().next().expect("one step, one answer"))
}

/// Takes steps of runs in their order, in one transaction.
pub fn take(
    store: &mut Store,
    asked: &[Asked],
    now: Timestamp,
) -> Result<Vec<Decision>, StoreError> {
    store.take_steps(asked, now, |seen, asked| match &asked.unreadable {
        Some(words) => Decision::Refuse(Refusal::Unreadable(words.clone())),
        None => decide(asked.step, seen, &asked.proposal, now.as_second()),
    })
}

/// Judges every contract and records that it was done: one check.
pub fn check(store: &mut Store, clock: &Clock) -> Result<Covered, RoundError> {
    // In this order: another check may end between the two.
    let last = store.last_coverage_check()?;
    let now = clock.now();
    if let Some(last) = last.filter(|last| last.now > now) {
        return Err(RoundError::ClockBehind {
            now,
            last: last.now,
        });
    }
    let mut covered = look(store, now)?;
    // A pinned clock that runs ahead must not make every later check stale.
    if !clock.is_ahead() {
        store.record_coverage_check(&CoverageCheck {
            now,
            at: clock.now(),
            n_contracts: covered.scopes.len() as u64,
            n_unhealthy: covered.n_contracts_unkept(),
            n_gaps: covered.gaps.len() as u64,
        })?;
        covered.recorded = true;
    }
    Ok(covered)
}

/// The runs that have been open for longer than `max_age`.
pub fn old(
    runs: &[OpenRun],
    now: Timestamp,
    max_age: SignedDuration,
) -> impl Iterator<Item = &OpenRun> {
    let is_old = move |run: &&OpenRun| now.duration_since(run.begun_at) > max_age;
    runs.iter().filter(is_old)
}

/// Judges every contract and records nothing.
pub fn look(store: &Store, now: Timestamp) -> Result<Covered, RoundError> {
    let found = store.at_one_instant(|store| {
        Ok::<_, StoreError>((store.ledgered()?, store.inventory()?, store.open_runs()?))
    })?;
    judged(store, now, found)
}

/// Judges every contract as of an instant that has passed: by what had been
/// published by then, where the ledger knows it. Contracts are those of today.
pub fn look_back(store: &Store, now: Timestamp) -> Result<Covered, RoundError> {
    let found = store.at_one_instant(|store| {
        let mut rows = store.ledgered()?;
        for row in &mut rows {
            let tolerance = Terms::of(std::slice::from_ref(&row.contract));
            let tolerance = tolerance.map_or(0, |terms| terms.skew_tolerance_seconds);
            let latest = now.as_second().saturating_add(tolerance);
            let published_at = row.newest.as_ref().and_then(|newest| newest.published_at);
            let ContractRow { source, scope, .. } = &row.contract;
            let key = ScopeKey::new(source, scope).ok();
            if let Some(key) = key.filter(|_| published_at.is_some_and(|at| at > latest))
                // What is kept elsewhere has only its newest release here.
                && !store.publications(&key, 1)?.is_empty()
            {
                row.newest = store.newest_until(&key, latest)?;
            }
        }
        let mut open_runs = store.open_runs()?;
        open_runs.retain(|run| run.begun_at <= now);
        Ok::<_, StoreError>((rows, store.inventory()?, open_runs))
    })?;
    judged(store, now, found)
}

fn judged(
    store: &Store,
    now: Timestamp,
    (rows, inventory, open_runs): (Vec<Ledgered>, Vec<ScopeKey>, Vec<OpenRun>),
) -> Result<Covered, RoundError> {
    if rows.is_empty() {
        return Err(RoundError::NoContracts(store.path().display().to_string()));
    }
    let gaps = gaps(rows.iter().map(|row| &row.contract), &inventory);
    Ok(Covered {
        now,
        scopes: judge(rows, &holidays(), now.as_second()),
        gaps,
        open_runs,
        recorded: false,
    })
}

/// Declares the contracts of reviewed files, and their inventory if they have
/// one: all of it or, if anything is wrong, nothing.
pub fn declare(
    sources: &[Source],
    mode: DeclareMode,
    open: impl FnOnce() -> Result<Store, StoreError>,
) -> Result<Ingested<Declared>, IngestError> {
    let (files, bad, found) = read_files(sources)?;
    let ReadContracts {
        contracts,
        inventory,
    } = together(found);
    if contracts.is_empty() {
        return Err(IngestError::Nothing("contracts"));
    }
    let mut store = open()?;
    let counts = Declared {
        contracts: store.import_contracts(&contracts, mode)?,
        inventory: match inventory {
            Some(inventory) if inventory.is_empty() => {
                return Err(IngestError::Nothing("scopes in the inventory"));
            }
            Some(inventory) => Some(store.import_inventory(&inventory, mode)?),
            None => None,
        },
    };
    Ok(Ingested { files, bad, counts })
}

/// Declares the inventory of files.
pub fn declare_inventory(
    sources: &[Source],
    mode: DeclareMode,
    open: impl FnOnce() -> Result<Store, StoreError>,
) -> Result<Ingested<ContractCounts>, IngestError> {
    let (files, bad, found) = read_all(sources, OnError::Stop, |source, bad| {
        read_inventory(source, bad).map(|(keys, table)| (table, keys))
    })?;
    let keys: Vec<_> = found.into_iter().flatten().collect();
    if keys.is_empty() {
        return Err(IngestError::Nothing("scopes"));
    }
    let counts = open()?.import_inventory(&keys, mode)?;
    Ok(Ingested { files, bad, counts })
}

/// Compares the contracts of files with those of the store.
pub fn diff(sources: &[Source], store: &Store) -> Result<ContractDiff, IngestError> {
    let (_, _, found) = read_files(sources)?;
    let mut told = together(found).contracts;
    told.sort_by(|a, b| key(a).cmp(&key(b)));
    let stored = store.contracts()?;
    let mut diff = ContractDiff::default();
    let find = |rows: &[ContractRow], row: &ContractRow| {
        rows.binary_search_by(|other| key(other).cmp(&key(row)))
            .ok()
    };
    for row in &told {
        match find(&stored, row) {
            None => diff.added.push(row.clone()),
            Some(at) if stored[at] != *row => diff.changed.push((stored[at].clone(), row.clone())),
            Some(_) => {}
        }
    }
    let gone = stored.iter().filter(|row| find(&told, row).is_none());
    diff.removed = gone.cloned().collect();
    Ok(diff)
}

type Found = (Vec<FileRead>, crate::sources::BadRows, Vec<ReadContracts>);

fn read_files(sources: &[Source]) -> Result<Found, IngestError> {
    let holidays = holidays();
    read_all(sources, OnError::Stop, |source, bad| {
        read_contracts(source, &holidays, bad).map(|(found, table)| (table, found))
    })
}

/// What several files declare; of two contracts of a scope the later one wins.
fn together(files: Vec<ReadContracts>) -> ReadContracts {
    let mut contracts = std::collections::BTreeMap::new();
    let mut inventory = None;
    for file in files {
        for row in file.contracts {
            contracts.insert((row.source.clone(), row.scope.clone()), row);
        }
        if let Some(keys) = file.inventory {
            inventory.get_or_insert_with(Vec::new).extend(keys);
        }
    }
    ReadContracts {
        contracts: contracts.into_values().collect(),
        inventory,
    }
}

fn key(row: &ContractRow) -> (&str, &str) {
    (&row.source, &row.scope)
}

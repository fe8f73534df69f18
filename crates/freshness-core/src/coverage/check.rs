//! Which scopes are not covered as their contract asks?
//!
//! The walk is over contracts, never over publications: what never came must
//! show. Of each contract the first failing condition is told, in the order of
//! [`Condition`]. Limits that are exceeded because somebody works on what delivers are
//! put off.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::contract::{Contract, ContractFault, ContractRow};
use super::publication::Newest;
use crate::civil::{Holidays, Zone};
use crate::schedule::{Maintenance, PutOff, TimeOff};

/// What can be said of a scope; all but the last two are failures, and the first
/// that holds is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// The contract means nothing, or there are several.
    InvalidContract,
    /// Nothing was ever published.
    MissingPublication,
    /// The newest release lacks something, or shares its sequence.
    InvalidPublication,
    /// The newest release is complete after it was published, or either lies
    /// in the future.
    InvalidClockOrder,
    /// What is covered lags too far behind now.
    SourceStale,
    /// Coverage has made no step for too long.
    PublicationGap,
    /// One of these two, were it not put off by maintenance.
    PutOff,
    /// None of these.
    Healthy,
}

/// A contract and the newest release of its scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledgered {
    /// The contract as it was written.
    pub contract: ContractRow,
    /// The release with the highest sequence; `None` if there is none.
    pub newest: Option<Newest>,
    /// When somebody works on what delivers.
    pub maintenance: Maintenance,
}

/// What was found of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeState {
    /// The contract as it was written.
    pub contract: ContractRow,
    /// The first failing condition, or healthy.
    pub condition: Condition,
    /// What exactly is wrong with the contract or the release.
    pub fault: Option<String>,
    /// Its newest release.
    pub newest: Option<Newest>,
    /// The zone of its limits.
    pub zone: Zone,
    /// The maintenance that puts it off, and when it fails if nothing comes: UTC
    /// seconds.
    pub put_off: Option<(i64, PutOff)>,
}

impl Condition {
    /// All, in the order in which they are asked.
    pub const ALL: [Condition; 8] = [
        Condition::InvalidContract,
        Condition::MissingPublication,
        Condition::InvalidPublication,
        Condition::InvalidClockOrder,
        Condition::SourceStale,
        Condition::PublicationGap,
        Condition::PutOff,
        Condition::Healthy,
    ];

    /// The word for it, in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Condition::InvalidContract => "invalid_contract",
            Condition::MissingPublication => "missing_publication",
            Condition::InvalidPublication => "invalid_publication",
            Condition::InvalidClockOrder => "invalid_clock_order",
            Condition::SourceStale => "source_stale",
            Condition::PublicationGap => "publication_gap",
            Condition::PutOff => "put_off",
            Condition::Healthy => "healthy",
        }
    }
}

impl ScopeState {
    /// Is it covered as its contract asks?
    pub fn is_healthy(&self) -> bool {
        self.condition == Condition::Healthy
    }

    /// Does it fail? What maintenance puts off does not yet, and is not healthy.
    pub fn fails(&self) -> bool {
        !matches!(self.condition, Condition::Healthy | Condition::PutOff)
    }

    /// Up to when it is covered, as far as that is to be believed: UTC seconds.
    pub fn complete_through(&self) -> Option<i64> {
        match self.condition {
            Condition::MissingPublication
            | Condition::InvalidPublication
            | Condition::InvalidClockOrder => None,
            Condition::InvalidContract
            | Condition::SourceStale
            | Condition::PublicationGap
            | Condition::PutOff
            | Condition::Healthy => self.newest.as_ref()?.complete_through,
        }
    }
}

/// Judges every contract at an instant (UTC seconds), in the order given. An
/// empty list is the caller's error: nothing is not healthy.
pub fn check(rows: Vec<Ledgered>, holidays: &Holidays, now: i64) -> Vec<ScopeState> {
    let mut n_of: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for row in &rows {
        let ContractRow { source, scope, .. } = &row.contract;
        *n_of.entry((source, scope)).or_default() += 1;
    }
    let n_alike: Vec<u64> = rows
        .iter()
        .map(|row| n_of[&(row.contract.source.as_str(), row.contract.scope.as_str())])
        .collect();
    let judged = rows.into_iter().zip(n_alike);
    judged
        .map(|(row, n_alike)| judge(row, n_alike, holidays, now))
        .collect()
}

fn judge(row: Ledgered, n_alike: u64, holidays: &Holidays, now: i64) -> ScopeState {
    let Ledgered {
        contract,
        newest,
        maintenance,
    } = row;
    let mut zone = Zone::universal();
    let mut put_off = None;
    let (condition, fault) = match valid(&contract, n_alike, holidays) {
        Err(fault) => (Condition::InvalidContract, Some(fault.to_string())),
        Ok(contract) => {
            zone = contract.counted.zone();
            let time = TimeOff {
                holidays,
                maintenance: &maintenance,
            };
            first_failing(&contract, newest.as_ref(), time, now, &mut put_off)
        }
    };
    ScopeState {
        contract,
        condition,
        fault,
        newest,
        zone,
        put_off: put_off.filter(|_| condition == Condition::PutOff),
    }
}

fn valid(row: &ContractRow, n_alike: u64, holidays: &Holidays) -> Result<Contract, ContractFault> {
    let contract = Contract::read(row, holidays)?;
    match n_alike {
        1 => Ok(contract),
        n => Err(ContractFault::Duplicate(n)),
    }
}

fn first_failing(
    contract: &Contract,
    newest: Option<&Newest>,
    time: TimeOff<'_>,
    now: i64,
    put_off: &mut Option<(i64, PutOff)>,
) -> (Condition, Option<String>) {
    let Some(newest) = newest else {
        return (Condition::MissingPublication, None);
    };
    let (through, published_at) = match times(newest) {
        Ok(times) => times,
        Err(fault) => return (Condition::InvalidPublication, Some(fault)),
    };
    let latest = now.saturating_add(contract.skew_tolerance_seconds);
    if let Some(fault) = clock_fault(through, published_at, latest) {
        return (Condition::InvalidClockOrder, Some(fault.to_owned()));
    }
    // From when coverage came so far, not from when somebody said so last.
    let reached_at = newest.reached_at.unwrap_or(published_at).min(published_at);
    let limits = [
        (
            Condition::SourceStale,
            through,
            contract.source_lag_seconds_max,
        ),
        (
            Condition::PublicationGap,
            reached_at,
            contract.publication_gap_seconds_max,
        ),
    ];
    for (condition, from, limit) in limits {
        if !contract.counted.exceeds(from, now, limit, time.holidays) {
            continue;
        }
        let due = is_put_off(contract, from, limit, time, now);
        let Some(due) = due else {
            return (condition, None);
        };
        *put_off = match put_off.take() {
            Some(other) if other.0 <= due.0 => Some(other),
            _ => Some(due),
        };
    }
    match put_off {
        Some(_) => (Condition::PutOff, None),
        None => (Condition::Healthy, None),
    }
}

/// The maintenance that puts off a limit that is exceeded, if it still does.
fn is_put_off(
    contract: &Contract,
    from: i64,
    limit: i64,
    time: TimeOff<'_>,
    now: i64,
) -> Option<(i64, PutOff)> {
    if time.maintenance.is_empty() {
        return None;
    }
    let passed = contract.counted.passes(from, now, limit, time.holidays)?;
    // At just its limit it still holds.
    let put_off = time.maintenance.put_off(from, passed - 1);
    put_off.filter(|(due, _)| *due > now)
}

/// The times of a release in which nothing is missing.
fn times(newest: &Newest) -> Result<(i64, i64), String> {
    let Newest {
        seq,
        n_of_seq,
        run_id,
        complete_through,
        published_at,
        reached_at: _,
        rows,
    } = newest;
    let missing = |field: &str| format!("{field} is missing");
    match seq {
        None => return Err(missing("publication_seq")),
        Some(seq @ ..1) => return Err(format!("publication_seq is not above 0: {seq}")),
        Some(seq) if *n_of_seq > 1 => {
            return Err(format!("publication_seq {seq} was given {n_of_seq} times"));
        }
        Some(_) => {}
    }
    if run_id.as_deref().is_none_or(|run| run.trim().is_empty()) {
        return Err(missing("run_id"));
    }
    let through = complete_through.ok_or_else(|| missing("source_complete_through"))?;
    let published_at = published_at.ok_or_else(|| missing("published_at"))?;
    match rows {
        Some(rows @ ..0) => Err(format!("rows is below 0: {rows}")),
        _ => Ok((through, published_at)),
    }
}

fn clock_fault(through: i64, published_at: i64, latest: i64) -> Option<&'static str> {
    if through > published_at {
        Some("complete after it was published")
    } else if published_at > latest {
        Some("published in the future")
    } else {
        None
    }
}

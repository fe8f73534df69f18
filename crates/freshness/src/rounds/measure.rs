//! What do databases say of many tables?
//!
//! A few tables at a time, each by one query. A connection that cannot be made
//! is not tried again for every table; anything else concerns one table only.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use freshness_core::slo::{Counts, Run, Stage};
use jiff::Timestamp;

use crate::sources::database::{Address, Limits, Look, Reading, Refusal, Session, Target};
use crate::threads::{n_threads, share_with};

/// Tables that are looked at at once, unless somebody asks for another number:
/// a database has more to do than to answer us.
const CONNECTIONS: u16 = 4;

/// How databases are asked.
pub struct Asking<'a> {
    /// Where they are, by the names that targets use, or why that is unknown.
    pub addresses: &'a BTreeMap<String, Result<Address, Refusal>>,
    /// How long they may take.
    pub limits: Limits,
    /// Tables looked at at once.
    pub threads: Option<u16>,
}

/// Looks at each table, in the order of the targets; `done` hears how many
/// more are finished.
pub fn measure(
    targets: &[Target],
    asking: &Asking<'_>,
    done: impl Fn(u64) + Sync,
) -> Vec<Result<Look, Refusal>> {
    for_each(targets, asking, Session::look, done)
}

/// The query that [`measure`] would run for each table.
pub fn measuring_sql(targets: &[Target], asking: &Asking<'_>) -> Vec<Result<String, Refusal>> {
    for_each(targets, asking, Session::sql, |_| {})
}

/// The run that a look is remembered as: one for an instant. All rows of the
/// table were read, so both counts of rows are theirs.
pub fn run_of(look: &Look, environment: &str, now: Timestamp) -> Run {
    let Look {
        rows,
        newest,
        source_newest,
        filled,
    } = look;
    Run {
        run_id: format!("measured {now}"),
        environment: environment.to_owned(),
        started_at: None,
        finished_at: now.as_second(),
        stage: Stage::Normal,
        counts: Counts {
            source: Some(*rows),
            total: Some(*rows),
            good: None,
            quarantined: None,
        },
        newest: newest.as_ref().map(Reading::newest),
        source_newest: source_newest.as_ref().map(Reading::newest),
        filled: filled.clone(),
    }
}

fn for_each<R: Send>(
    targets: &[Target],
    asking: &Asking<'_>,
    ask: impl Fn(&mut Session, &Target) -> Result<R, Refusal> + Sync,
    done: impl Fn(u64) + Sync,
) -> Vec<Result<R, Refusal>> {
    let threads = asking.threads.unwrap_or(CONNECTIONS);
    let n_threads = n_threads(Some(threads), targets.len(), 1);
    let refused = Mutex::default();
    let one = |sessions: &RefCell<BTreeMap<String, Session>>, target: &&Target| {
        let name = target.connection.as_str();
        if let Some(refusal) = known(&refused).get(name) {
            return Err(refusal.clone());
        }
        let sessions = &mut *sessions.borrow_mut();
        let mut session = match sessions.remove(name) {
            Some(session) => session,
            None => open(name, asking).inspect_err(|refusal| {
                known(&refused).insert(name.to_owned(), refusal.clone());
            })?,
        };
        let result = ask(&mut session, target);
        if session.is_usable() {
            sessions.insert(name.to_owned(), session);
        }
        result
    };
    let sessions = (0..n_threads).map(|_| RefCell::default()).collect();
    let targets: Vec<&Target> = targets.iter().collect();
    share_with(sessions, &targets, |own, target| one(own, target), done)
}

type Refused = BTreeMap<String, Refusal>;

/// The connections that could not be made.
fn known(refused: &Mutex<Refused>) -> MutexGuard<'_, Refused> {
    refused.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(name: &str, asking: &Asking<'_>) -> Result<Session, Refusal> {
    match asking.addresses.get(name) {
        Some(Ok(address)) => Session::open(address, asking.limits),
        Some(Err(refusal)) => Err(refusal.clone()),
        None => Err(Refusal::NoConnection {
            server: name.to_owned(),
            why: "no such connection is configured".to_owned(),
        }),
    }
}

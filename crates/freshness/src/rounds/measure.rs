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
/// more are finished. Targets that are the same rows of one table share a look.
pub fn measure(
    targets: &[Target],
    asking: &Asking<'_>,
    done: impl Fn(u64) + Sync,
) -> Vec<Result<Look, Refusal>> {
    let looks = for_each(targets, asking, Session::look, done);
    let asked = |(target, look): (&Target, Result<Look, Refusal>)| {
        let look = look?;
        // Others may have asked for more.
        Ok(Look {
            rows: look.rows,
            newest: look.newest.filter(|_| target.field.is_some()),
            source_newest: look.source_newest.filter(|_| target.source_field.is_some()),
            filled: look.filled.filter(|_| target.availability_field.is_some()),
        })
    };
    targets.iter().zip(looks).map(asked).collect()
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

/// The questions that answer all targets, and which of them answers each.
fn questions(targets: &[Target]) -> (Vec<Target>, Vec<usize>) {
    let mut questions: Vec<Target> = Vec::new();
    let mut of_table: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let answered_by = targets.iter().map(|target| {
        let table = format!("{} {:?}", target.connection, target.table);
        let same = of_table.entry(table).or_default();
        let shared = same
            .iter()
            .find_map(|&i| Some((i, questions[i].with(target)?)));
        let (i, question) = shared.unwrap_or_else(|| (questions.len(), target.clone()));
        match questions.get_mut(i) {
            Some(known) => *known = question,
            None => {
                same.push(i);
                questions.push(question);
            }
        }
        i
    });
    let answered_by = answered_by.collect();
    (questions, answered_by)
}

fn for_each<R: Clone + Send>(
    targets: &[Target],
    asking: &Asking<'_>,
    ask: impl Fn(&mut Session, &Target) -> Result<R, Refusal> + Sync,
    done: impl Fn(u64) + Sync,
) -> Vec<Result<R, Refusal>> {
    let threads = asking.threads.unwrap_or(CONNECTIONS);
    let (questions, answered_by) = questions(targets);
    let n_threads = n_threads(Some(threads), questions.len(), 1);
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
    let asked: Vec<&Target> = questions.iter().collect();
    let answers = share_with(sessions, &asked, |own, target| one(own, target), &done);
    done((targets.len() - questions.len()) as u64);
    answered_by.iter().map(|&i| answers[i].clone()).collect()
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

#[cfg(test)]
mod tests {
    use freshness_core::dataset::DatasetId;

    use super::*;

    /// A target as `dataset table filter field source_field availability_field`, `-`
    /// for none.
    fn target(words: &str) -> Target {
        let words: Vec<&str> = words.split_whitespace().collect();
        let said = |i: usize| (words[i] != "-").then(|| words[i].to_owned());
        Target {
            dataset: DatasetId::try_from(words[0]).unwrap(),
            connection: "warehouse".to_owned(),
            table: Some(words[1].parse().unwrap()),
            filter: said(2),
            zone: None,
            field: said(3),
            source_field: said(4),
            availability_field: said(5),
        }
    }

    #[test]
    fn datasets_that_are_the_same_rows_of_one_table_share_a_question() {
        let targets = [
            target("a orders - loaded_at - -"),
            target("b orders - - made_at amount"),
            target("c visits - loaded_at - -"),
            target("d orders - loaded_at - amount"),
            // Other rows, or another column for one purpose.
            target("e orders x=1 loaded_at - -"),
            target("f orders - updated_at - -"),
        ];
        let (questions, answered_by) = questions(&targets);
        assert_eq!(answered_by, [0, 0, 1, 0, 2, 3]);
        assert_eq!(questions[0], target("a orders - loaded_at made_at amount"));
    }
}

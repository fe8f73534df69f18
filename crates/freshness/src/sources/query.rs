//! What does a query of the user's own tell of arrivals?
//!
//! Its columns are those of a file of arrivals, under the same rules and refused
//! in the same words. `{since}` in it stands for the newest arrival that was
//! read before, less an overlap, since logs of loads are not written in order.

use std::time::Duration;

use jiff::Timestamp;

use super::arrivals::{self, Datasets};
use super::database::{Address, Limits, Question, SINCE, Session, Unanswered, one_question};
use super::instant::TimeRules;
use super::problem::BadRows;
use super::table::{Cells, TableRead, noting};
use super::told::{Told, ToldArrival};

/// A query, and what it means.
#[derive(Clone)]
pub struct QuerySource {
    /// What it is called in messages.
    pub label: String,
    /// The name of the connection that leads to the address.
    pub connection: String,
    /// Where it is asked.
    pub address: Address,
    /// What is asked.
    pub sql: String,
    /// What `{since}` stands for the first time: so long before now.
    pub since: Duration,
    /// … and later: so long before the newest arrival that was read.
    pub overlap: Duration,
    /// How long the answer may take.
    pub timeout: Duration,
    /// How times are read.
    pub times: TimeRules,
}

/// What a query told.
#[derive(Debug)]
pub struct QueryRead {
    /// Its arrivals.
    pub told: Told,
    /// Its rows and columns.
    pub table: TableRead,
    /// The newest arrival, of those read before and now; UTC seconds.
    pub newest: Option<i64>,
}

/// Why a query told nothing.
#[derive(Debug, thiserror::Error)]
#[error("{}{why}", shown(.connection.as_deref()))]
pub struct NotTold {
    /// The connection, unless nobody was asked.
    connection: Option<String>,
    why: Unanswered,
}

impl NotTold {
    /// What can be done about it.
    pub fn hint(&self) -> Option<String> {
        self.why.hint()
    }
}

fn shown(connection: Option<&str>) -> String {
    connection.map_or_else(String::new, |name| format!("connection {name}: "))
}

/// Stands for the same instant in seconds since 1970.
const SINCE_EPOCH: &str = "{since_epoch}";

/// A server that takes longer to let us in will not answer either.
const CONNECT_MOST: Duration = Duration::from_secs(10);

/// More rows are an answer to another question; they would not fit into memory
/// either.
const ROWS_MAX: u64 = 5_000_000;

/// Asks. `newest` is the newest arrival that was read before, UTC seconds.
pub fn read_query(
    source: &QuerySource,
    newest: Option<i64>,
    bad: &mut BadRows,
) -> Result<QueryRead, NotTold> {
    if let Err(none) = one_question(&source.sql) {
        return Err(NotTold {
            connection: None,
            why: Unanswered::NoQuestion(none),
        });
    }
    ask(source, newest, bad).map_err(|why| NotTold {
        connection: Some(source.connection.clone()),
        why,
    })
}

fn ask(
    source: &QuerySource,
    newest: Option<i64>,
    bad: &mut BadRows,
) -> Result<QueryRead, Unanswered> {
    let limits = Limits {
        connect: source.timeout.min(CONNECT_MOST),
        query: source.timeout,
    };
    let mut session = Session::open(&source.address, limits)?;
    let since = since(source, newest);
    let sql = filled_in(&source.sql, since);
    let question = Question {
        sql: &sql,
        columns: &arrivals::COLUMNS,
        rows_max: ROWS_MAX,
        limit: source.timeout,
    };
    let mut datasets = Datasets::default();
    let mut told = Told::default();
    let mut latest = newest;
    let mut on_row = |_: u64, cells: &Cells<'_>| {
        datasets.arrival(cells, &source.times, &mut |read| {
            latest = latest.max(Some(read.at));
            told.arrivals.push(ToldArrival {
                dataset: read.dataset.clone(),
                at: read.at,
                cycle: read.cycle,
                run_id: read.run_id.map(Into::into),
                covers_through: read.covers_through,
                rows: read.rows,
            });
        })
    };
    let mut each = noting(&source.label, "row", &arrivals::COLUMNS, bad, &mut on_row);
    let table = session.ask(question, &mut each)?;
    drop(each);
    Ok(QueryRead {
        told,
        table,
        newest: latest,
    })
}

/// Does a query read only what is new?
pub fn is_incremental(sql: &str) -> bool {
    sql.contains(SINCE) || sql.contains(SINCE_EPOCH)
}

fn since(source: &QuerySource, newest: Option<i64>) -> i64 {
    let seconds = |of: Duration| i64::try_from(of.as_secs()).unwrap_or(i64::MAX);
    match newest {
        Some(newest) => newest.saturating_sub(seconds(source.overlap)),
        None => source.times.now.saturating_sub(seconds(source.since)),
    }
}

fn filled_in(sql: &str, since: i64) -> String {
    // A text that names the zone is taken for an instant by every database that
    // has instants, and compares as a text where those are texts.
    let text = Timestamp::from_second(since)
        .unwrap_or(Timestamp::MIN)
        .strftime("'%Y-%m-%d %H:%M:%S+00:00'")
        .to_string();
    sql.replace(SINCE_EPOCH, &since.to_string())
        .replace(SINCE, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_an_instant_in_the_words_of_the_query() {
        assert_eq!(
            filled_in(
                "select … where at > {since} or n > {since_epoch}",
                1_788_233_400
            ),
            "select … where at > '2026-09-01 03:30:00+00:00' or n > 1788233400"
        );
    }
}

//! How is a database asked through an ADBC driver?
//!
//! The user has the driver and names it, so nothing of any warehouse is built
//! into this program. The session is told to read only and to commit nothing,
//! as far as the driver can. Rows come in batches of Arrow, one of them on its
//! way at a time.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use adbc_core::error::{Error, Status};
use adbc_core::options::{AdbcVersion, OptionConnection, OptionDatabase, OptionValue};
use adbc_core::{
    Connection as _, Database as _, Driver as _, LOAD_FLAG_DEFAULT, Optionable, Statement as _,
};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedDriver, ManagedStatement};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::answer::{Counted, NAMED_BY, Question, Unanswered};
use super::refusal::Refusal;
use crate::sources::arrow_cells;
use crate::sources::table::{OnRow, TableRead};

/// A driver, and what it is told.
#[derive(Clone, PartialEq, Eq)]
pub struct AdbcAddress {
    /// File of the driver, its name, or that of a manifest.
    pub driver: PathBuf,
    /// Where it begins to speak ADBC, if that cannot be told from its name.
    pub entry_point: Option<String>,
    /// Options, secrets among them.
    pub options: Vec<(String, String)>,
    /// Values of options that no message may repeat.
    pub secrets: Vec<String>,
}

/// A session with a database.
pub(super) struct Adbc {
    /// Not there any more after a driver did not stop.
    held: Option<Held>,
    hushed: Hushed,
}

/// The database is kept for the connection.
type Held = (ManagedConnection, ManagedDatabase);

/// How long a driver may take to say that it stopped, and to say goodbye.
const GRACE: Duration = Duration::from_secs(2);

/// How often a query that is over its limit is told to stop.
const TELL_AGAIN: Duration = Duration::from_millis(200);

impl Adbc {
    /// Opens a session; a driver that does not answer within the limit, as one
    /// that tries again and again, is left alone.
    pub(super) fn open(address: &AdbcAddress, limit: Duration) -> Result<Adbc, Refusal> {
        let asked = address.clone();
        match in_time(limit, move || connect(&asked)) {
            Some(connected) => Ok(Adbc {
                held: Some(connected?),
                hushed: Hushed::new(&address.secrets),
            }),
            None => Err(Refusal::NoConnection {
                server: address.driver.display().to_string(),
                why: format!("no answer within {} s", limit.as_secs_f64()),
            }),
        }
    }

    pub(super) fn ask(
        &mut self,
        question: Question<'_>,
        on_row: &mut OnRow<'_>,
    ) -> Result<TableRead, Unanswered> {
        let Some((connection, _)) = &mut self.held else {
            return Err(Refusal::TimedOut(question.limit).into());
        };
        let (answered, stopped) = ask(connection, question, on_row, &|error| {
            refusal(error, &self.hushed)
        });
        let held = self.held.take();
        match stopped {
            Stopped::Yes => {
                // A server that still works may let this wait as well.
                self.held = held.and_then(|(mut connection, database)| {
                    in_time(GRACE, move || {
                        let _ = connection.rollback();
                        (connection, database)
                    })
                });
            }
            // Whatever is asked of a driver that is busy, it would be waited for.
            Stopped::No => std::mem::forget(held),
        }
        answered
    }

    pub(super) fn is_usable(&self) -> bool {
        self.held.is_some()
    }
}

impl Drop for Adbc {
    fn drop(&mut self) {
        // Drivers say goodbye to their servers, and wait for the answer.
        if let Some(held) = self.held.take() {
            in_time(GRACE, move || drop(held));
        }
    }
}

/// Does what a driver may take for ever to do, in a thread of its own, which is
/// left alone when the time is over.
fn in_time<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, done) = mpsc::sync_channel(1);
    let thread = thread::Builder::new();
    // Nobody may be waiting any more.
    let started = thread.spawn(move || drop(sender.send(work())));
    started.ok().and_then(|_| done.recv_timeout(limit).ok())
}

/// A connection that is told to read only, and its database.
fn connect(address: &AdbcAddress) -> Result<Held, Refusal> {
    let AdbcAddress {
        driver,
        entry_point,
        options,
        secrets,
    } = address;
    let hushed = Hushed::new(secrets);
    let entry_point = entry_point.as_deref().map(str::as_bytes);
    let version = AdbcVersion::V110;
    let mut loaded =
        ManagedDriver::load_from_name(driver, entry_point, version, LOAD_FLAG_DEFAULT, None)
            .map_err(|error| {
                let driver = driver.display();
                Refusal::NoDriver(format!("{driver}: {}", first_line(&error.message)))
            })?;
    let refused = |error: Error| Refusal::NoConnection {
        server: driver.display().to_string(),
        why: hushed.first_line(&error),
    };
    let options = options.iter().map(|(key, value)| {
        let key = OptionDatabase::Other(key.clone());
        (key, OptionValue::String(value.clone()))
    });
    let database = loaded.new_database_with_opts(options).map_err(refused)?;
    let mut connection = database.new_connection().map_err(refused)?;
    // Few drivers know the option; that they do not is no error. It is asked for
    // once they are in: asked before, those of warehouses log in, find that they
    // do not know it, and leave that session behind.
    let _ = connection.set_option(OptionConnection::ReadOnly, "true".into());
    // What is never committed changes nothing; not every database knows.
    let _ = connection.set_option(OptionConnection::AutoCommit, "false".into());
    Ok((connection, database))
}

/// Does the driver still work on what it was asked?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    Yes,
    No,
}

/// What comes from the thread that waits for the driver.
enum Piece {
    Schema(SchemaRef),
    Batch(RecordBatch),
    Failed(Error),
    /// Its words may quote data.
    Unreadable,
}

/// Asks; the driver is waited for in a thread of its own, which is left alone
/// if the driver does not even say that it stopped.
pub(super) fn ask(
    connection: &mut ManagedConnection,
    question: Question<'_>,
    on_row: &mut OnRow<'_>,
    refusal: &dyn Fn(&Error) -> Refusal,
) -> (Result<TableRead, Unanswered>, Stopped) {
    let mut statement = match connection.new_statement() {
        Ok(statement) => statement,
        Err(error) => return (Err(refusal(&error).into()), Stopped::Yes),
    };
    let cancel = statement.get_cancel_handle();
    let deadline = Instant::now() + question.limit;
    let (sender, pieces) = mpsc::sync_channel(1);
    let sql = question.sql.to_owned();
    let asking = thread::Builder::new().spawn(move || send_all(&mut statement, &sql, &sender));
    if let Err(error) = asking {
        let refused = Refusal::QueryFailed(error.to_string());
        return (Err(refused.into()), Stopped::Yes);
    }
    let read = receive_all(&pieces, deadline, question, on_row, refusal);
    if read.is_ok() {
        return (read, Stopped::Yes);
    }
    let given_up = Instant::now() + GRACE;
    while Instant::now() < given_up {
        // What is on its way is received, so that its sender may end.
        if let Err(RecvTimeoutError::Disconnected) = pieces.recv_timeout(TELL_AGAIN) {
            return (read, Stopped::Yes);
        }
        // It may not have begun, or may not listen at this moment.
        let _ = cancel.try_cancel();
    }
    (read, Stopped::No)
}

fn send_all(statement: &mut ManagedStatement, sql: &str, pieces: &SyncSender<Piece>) {
    let executed = statement
        .set_sql_query(sql)
        .and_then(|()| statement.execute());
    let reader = match executed {
        Ok(reader) => reader,
        Err(error) => {
            // Nobody may be waiting any more, here and below.
            let _ = pieces.send(Piece::Failed(error));
            return;
        }
    };
    if pieces.send(Piece::Schema(reader.schema())).is_err() {
        return;
    }
    for batch in reader {
        let piece = match batch {
            Ok(batch) => Piece::Batch(batch),
            Err(_) => Piece::Unreadable,
        };
        if pieces.send(piece).is_err() {
            return;
        }
    }
}

fn receive_all(
    pieces: &Receiver<Piece>,
    deadline: Instant,
    question: Question<'_>,
    on_row: &mut OnRow<'_>,
    refusal: &dyn Fn(&Error) -> Refusal,
) -> Result<TableRead, Unanswered> {
    let mut counted = Counted::new(question, on_row);
    let mut ignored = None;
    let columns = question.columns;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match pieces.recv_timeout(left) {
            Ok(Piece::Schema(schema)) => {
                let names = schema.fields().iter().map(|field| field.name().clone());
                let names: Vec<String> = names.collect();
                ignored = Some(columns.find(&names, NAMED_BY)?.1);
            }
            Ok(Piece::Batch(batch)) => {
                counted.allow(batch.num_rows() as u64)?;
                let Counted { rows, on_row, .. } = &mut counted;
                arrow_cells::each_row(&batch, columns, rows, *on_row)
                    .map_err(|error| Refusal::QueryFailed(first_line(&error.to_string())))?;
            }
            Ok(Piece::Failed(error)) => return Err(refusal(&error).into()),
            Ok(Piece::Unreadable) => {
                return Err(Refusal::QueryFailed("the answer cannot be read".to_owned()).into());
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(Refusal::TimedOut(question.limit).into());
            }
            Err(RecvTimeoutError::Disconnected) => {
                return match ignored {
                    Some(ignored) => Ok(counted.read(ignored)),
                    None => Err(Refusal::QueryFailed("no answer".to_owned()).into()),
                };
            }
        }
    }
}

fn refusal(error: &Error, hushed: &Hushed) -> Refusal {
    match error.status {
        Status::Unauthorized | Status::Unauthenticated => {
            Refusal::NoPermission(hushed.first_line(error))
        }
        // What is wrong with data is told with the data.
        Status::InvalidData | Status::Integrity => {
            Refusal::QueryFailed("a value of the table cannot be used".to_owned())
        }
        _ => Refusal::QueryFailed(hushed.first_line(error)),
    }
}

/// What no message may repeat: secrets, and the parts of those that are
/// addresses, since drivers quote the part that they do not like.
#[derive(Default)]
struct Hushed(Vec<String>);

/// Shorter parts say nothing, and are parts of ordinary words.
const PART_BYTES_MIN: usize = 4;

impl Hushed {
    fn new(secrets: &[String]) -> Hushed {
        let mut all = Vec::new();
        for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
            all.push(secret.clone());
            let parts = secret.split(|c: char| "/:@?&=; \n".contains(c));
            let parts = parts.filter(|part| part.len() >= PART_BYTES_MIN);
            all.extend(parts.map(str::to_owned));
        }
        // The longer first, or a part of it would remain.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Hushed(all)
    }

    fn first_line(&self, error: &Error) -> String {
        let mut words = first_line(&error.message);
        for secret in &self.0 {
            words = words.replace(secret.as_str(), "…");
        }
        words
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_repeats_a_secret_or_a_part_of_it() {
        let url = "postgresql://ann:hun@ter2pass@db.example/sales".to_owned();
        let hushed = Hushed::new(&[url, "tok".to_owned()]);
        let error = Error::with_message_and_status(
            "could not translate host name \"ter2pass@db.example\", tok",
            Status::IO,
        );
        assert_eq!(
            hushed.first_line(&error),
            "could not translate host name \"…@…\", …"
        );
    }
}

//! How is PostgreSQL asked?
//!
//! Everything about a table happens in one read-only transaction with its own
//! limits, so that it works behind a pooler too and leaves nothing set. The
//! server is told how long a statement may take; if it does not even say that
//! it stopped, the client gives up shortly after and drops the connection.

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::config::Host;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config, Error};

use super::answer::{Question, Unanswered};
use super::column::{Column, Kind};
use super::look::Look;
use super::postgres_answer::{self, Stopped};
use super::postgres_sql;
use super::query::Query;
use super::refusal::Refusal;
use super::rows::{self, Field};
use super::session::{Limits, Rows, answered};
use super::table_name::{TableName, quoted_path};
use super::target::Target;
use super::tls::{NotConnected, connect};
use crate::sources::table::{OnRow, TableRead};

/// How long after its limit a server may take to say that it stopped.
const GRACE: Duration = Duration::from_secs(2);

/// A session with a server.
pub(super) struct Postgres {
    runtime: Runtime,
    client: Client,
    server: String,
    limit: Duration,
    /// It did not answer in time; what it says later would be of an older query.
    silent: bool,
}

/// Columns of the relations that a schema and a name, or a name on the search
/// path, stand for; by schema.
const COLUMNS: &str = "\
SELECT n.nspname::text, a.attname::text,
  CASE t.typtype WHEN 'd' THEN b.typname ELSE t.typname END::text,
  t.typcategory::text
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = $2
  AND CASE WHEN $1 = '' THEN pg_catalog.pg_table_is_visible(c.oid) ELSE n.nspname = $1 END
ORDER BY a.attnum";

impl Postgres {
    pub(super) fn connect(
        config: &Config,
        authority: Option<&Path>,
        secret_in: Option<&str>,
        limits: Limits,
    ) -> Result<Postgres, Refusal> {
        let server = secret_in.map_or_else(|| server(config), str::to_owned);
        let refused = |why: String| Refusal::NoConnection {
            server: server.clone(),
            why,
        };
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| refused(error.to_string()))?;
        let mut config = config.clone();
        if config.get_application_name().is_none() {
            config.application_name("freshness");
        }
        let client = runtime.block_on(async {
            let connected = timeout(limits.connect, connect(&config, authority)).await;
            let silent = |_| {
                refused(format!(
                    "no answer within {} s",
                    limits.connect.as_secs_f64()
                ))
            };
            connected.map_err(silent)?.map_err(|failed| match failed {
                NotConnected::Trust(why) => refused(why),
                NotConnected::Error(error) => refused(match secret_in {
                    Some(_) => kind_of_failure(&error),
                    None => reason(&error),
                }),
            })
        })?;
        Ok(Postgres {
            runtime,
            client,
            server,
            limit: limits.query,
            silent: false,
        })
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.silent && !self.client.is_closed()
    }

    /// The query that looks at the table.
    pub(super) fn query(&mut self, target: &Target) -> Result<Query, Refusal> {
        self.in_transaction(async |client: &Client| query(client, target).await)
    }

    pub(super) fn look(&mut self, target: &Target) -> Result<Look, Refusal> {
        self.in_transaction(async |client: &Client| {
            let query = query(client, target).await?;
            let texts = answer(client, &query.sql).await?;
            Ok(answered(&query, texts)?)
        })
    }

    /// All rows of some tables, as they are at one instant.
    pub(super) fn rows(&mut self, tables: &[(&TableName, &[Field])]) -> Result<Vec<Rows>, Refusal> {
        self.in_transaction(async |client: &Client| {
            let mut all = Vec::new();
            for (name, fields) in tables {
                let (from, columns) = found(client, name).await?;
                let sql = rows::sql(name, fields, &columns, &from, postgres_sql::value)?;
                all.push(answer(client, &sql).await?);
            }
            Ok(all)
        })
    }

    /// Asks a question of the user's own.
    pub(super) fn ask(
        &mut self,
        question: Question<'_>,
        on_row: &mut OnRow<'_>,
    ) -> Result<TableRead, Unanswered> {
        self.limit = question.limit;
        let asked = self.in_transaction(async |client: &Client| {
            postgres_answer::ask(client, question, on_row).await
        });
        match asked? {
            Ok(read) => Ok(read),
            Err(Stopped::Columns(error)) => Err(error.into()),
            Err(Stopped::TooMany(n)) => Err(Unanswered::TooMany(n)),
        }
    }

    /// Does `work` in a transaction that reads only, within the limit.
    fn in_transaction<T>(
        &mut self,
        work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
    ) -> Result<T, Refusal> {
        let begin = format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {}; SET LOCAL TimeZone = 'UTC'; \
             SET LOCAL DateStyle = 'ISO, YMD'",
            self.limit.as_millis().max(1)
        );
        let client = &self.client;
        let work = async {
            client.batch_execute(&begin).await?;
            let result = work(client).await;
            // After an error too, so that the next table begins anew.
            let ended = client.batch_execute("ROLLBACK").await;
            let value = result?;
            ended?;
            Ok(value)
        };
        let within = self.limit + GRACE;
        let done = self.runtime.block_on(async { timeout(within, work).await });
        match done {
            Err(_) => {
                self.silent = true;
                Err(Refusal::TimedOut(self.limit))
            }
            Ok(Ok(value)) => Ok(value),
            Ok(Err(Failure::Refusal(refusal))) => Err(refusal),
            Ok(Err(Failure::Error(error))) => Err(self.refusal(&error)),
        }
    }

    fn refusal(&self, error: &Error) -> Refusal {
        let Some(said) = error.as_db_error() else {
            let cause = std::error::Error::source(error);
            let is_cut = cause.is_some_and(<dyn std::error::Error>::is::<io::Error>);
            return match error.is_closed() || is_cut {
                true => Refusal::ServerGone(self.server.clone()),
                false => Refusal::QueryFailed("the answer cannot be read".to_owned()),
            };
        };
        match said.code() {
            &SqlState::QUERY_CANCELED => Refusal::TimedOut(self.limit),
            &SqlState::INSUFFICIENT_PRIVILEGE => Refusal::NoPermission(said.message().to_owned()),
            &SqlState::ADMIN_SHUTDOWN
            | &SqlState::CRASH_SHUTDOWN
            | &SqlState::CANNOT_CONNECT_NOW => Refusal::ServerGone(self.server.clone()),
            _ => Refusal::QueryFailed(in_words(said)),
        }
    }
}

/// What stops work in a transaction.
pub(super) enum Failure {
    Refusal(Refusal),
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::Refusal(refusal)
    }
}

async fn query(client: &Client, target: &Target) -> Result<Query, Failure> {
    let Some(name) = &target.table else {
        return Err(Refusal::NoTable("none is declared".to_owned()).into());
    };
    let (from, columns) = found(client, name).await?;
    Ok(Query::new(
        target,
        &columns,
        &from,
        postgres_sql::times,
        postgres_sql::count,
    ))
}

/// What stands after `FROM` for a table, and its columns.
async fn found(client: &Client, name: &TableName) -> Result<(String, Vec<Column>), Failure> {
    for parts in [Some(name.exact()), name.folded()].into_iter().flatten() {
        // A catalog is another database, which a session cannot see.
        let (schema, table) = match parts.as_slice() {
            [table] => ("", table),
            [schema, table] => (schema.as_str(), table),
            _ => continue,
        };
        let rows = client
            .query_typed(COLUMNS, &[(&schema, Type::TEXT), (&table, Type::TEXT)])
            .await?;
        let columns = rows
            .iter()
            .map(|row| {
                let category: String = row.try_get(3)?;
                Ok(Column {
                    name: row.try_get(1)?,
                    kind: kind(row.try_get(2)?, &category),
                })
            })
            .collect::<Result<Vec<Column>, Error>>()?;
        if let Some(row) = rows.first() {
            let schema: String = row.try_get(0)?;
            return Ok((quoted_path([&schema, table]), columns));
        }
    }
    Err(Refusal::NoTable(name.to_string()).into())
}

async fn answer(client: &Client, sql: &str) -> Result<Rows, Error> {
    let rows = client.query_typed(sql, &[]).await?;
    rows.iter()
        .map(|row| (0..row.len()).map(|i| row.try_get(i)).collect())
        .collect()
}

fn kind(type_name: Option<String>, category: &str) -> Kind {
    let name = type_name.unwrap_or_default();
    match (name.as_str(), category) {
        ("timestamptz", _) => Kind::Instant,
        ("timestamp", _) => Kind::Local,
        ("date", _) => Kind::Day,
        ("int2" | "int4" | "int8" | "numeric" | "float4" | "float8", _) => Kind::Number,
        // Texts, and enumerations of them.
        (_, "S" | "E") => Kind::Text,
        _ => Kind::Other(name),
    }
}

/// The server without user and secrets: `db.example:5432/sales`.
fn server(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "no host".to_owned(),
    };
    let port = config.get_ports().first().unwrap_or(&5432);
    let database = config
        .get_dbname()
        .or(config.get_user())
        .unwrap_or_default();
    format!("{host}:{port}/{database}")
}

/// Why there is no connection, without secrets.
fn reason(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => {
            let mut words = error.to_string();
            let mut cause = std::error::Error::source(error);
            while let Some(deeper) = cause {
                words = deeper.to_string();
                cause = deeper.source();
            }
            words
        }
    }
}

/// Why there is no connection, without any word that might be part of an
/// address: a password that holds an `@` is read as half a server's name, and
/// servers and resolvers repeat the names that they refuse.
fn kind_of_failure(error: &Error) -> String {
    if let Some(said) = error.as_db_error() {
        let code = said.code();
        let what = match code {
            &SqlState::INVALID_CATALOG_NAME => "there is no such database",
            &SqlState::CANNOT_CONNECT_NOW => "the server is not ready",
            &SqlState::TOO_MANY_CONNECTIONS => "the server has too many connections",
            code if code.code().starts_with("28") => "the user or the password is refused",
            _ => "the server refuses",
        };
        return format!("{what} (SQLSTATE {})", code.code());
    }
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        if let Some(error) = deeper.downcast_ref::<io::Error>() {
            // What the system says holds no names; the text of any other might.
            return match error.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code).to_string(),
                None if error.to_string().contains("lookup") => {
                    "the name of the server is not known".to_owned()
                }
                None if error
                    .get_ref()
                    .is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>) =>
                {
                    "the certificate of the server is not trusted".to_owned()
                }
                None => error.kind().to_string(),
            };
        }
        cause = deeper.source();
    }
    // Its first words are its kind, what caused it follows.
    let words = error.to_string();
    words.split(':').next().unwrap_or_default().to_owned()
}

/// What a server says of a query, unless it might quote a row: data exceptions
/// and broken constraints do.
fn in_words(said: &DbError) -> String {
    let code = said.code().code();
    match &code[..2] {
        "22" | "23" => format!("a value of the table cannot be used (SQLSTATE {code})"),
        _ => format!("{} (SQLSTATE {code})", said.message()),
    }
}

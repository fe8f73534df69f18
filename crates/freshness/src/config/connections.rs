//! Which databases does `freshness.yaml` name, and how are they reached?
//!
//! ```yaml
//! connections:
//!   warehouse: {postgres: {url_env: WAREHOUSE_URL}}
//!   reports: {postgres: {host: db.example, database: sales, user: monitor, password_file: secret}}
//!   lake: {duckdb: {path: lake.duckdb}}
//!   files: {parquet: {path: "lake/{table}/*.parquet"}}
//! ```
//!
//! A secret is never in this file: it is named, and read when it is needed.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, de};
use tokio_postgres::Config;

use super::environment;
use crate::sources::database::Address;

/// A database as typed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionSection {
    /// A PostgreSQL server.
    Postgres(PostgresSection),
    /// A file of DuckDB.
    Duckdb(FileSection),
    /// Parquet files.
    Parquet(FileSection),
}

/// A PostgreSQL server as typed: a URL in a variable or a file, or its parts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostgresSection {
    /// Variable that holds the URL.
    pub url_env: Option<String>,
    /// File that holds the URL.
    pub url_file: Option<PathBuf>,
    /// Name of the server.
    pub host: Option<String>,
    /// Its port, 5432 if absent.
    #[serde(default, deserialize_with = "port")]
    pub port: Option<u16>,
    /// The database, the user's name if absent.
    pub database: Option<String>,
    /// The user.
    pub user: Option<String>,
    /// Variable that holds the password.
    pub password_env: Option<String>,
    /// File that holds the password.
    pub password_file: Option<PathBuf>,
    /// File of certificates to trust instead of those that the machine trusts.
    pub ca_file: Option<PathBuf>,
}

/// Files as typed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSection {
    /// The file; of Parquet a glob, in which `{table}` stands for the table.
    pub path: PathBuf,
}

/// A named database, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    section: ConnectionSection,
    /// The library of DuckDB, if one is named.
    library: Option<PathBuf>,
}

impl ConnectionSection {
    /// What is wrong with it, if anything.
    fn fault(&self) -> Option<&'static str> {
        let ConnectionSection::Postgres(PostgresSection {
            url_env,
            url_file,
            host,
            port,
            database,
            user,
            password_env,
            password_file,
            ca_file: _,
        }) = self
        else {
            return None;
        };
        let n_addresses = [url_env.is_some(), url_file.is_some(), host.is_some()];
        let has_parts = port.is_some()
            || database.is_some()
            || user.is_some()
            || password_env.is_some()
            || password_file.is_some();
        // A secret in the wrong place must not be repeated by a later error.
        let is_name = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if !url_env.iter().chain(password_env).all(is_name) {
            return Some("expected the name of a variable, and the secret in that variable");
        }
        let is_url = |path: &PathBuf| path.to_string_lossy().contains("://");
        if url_file.iter().any(is_url) {
            return Some("expected the path of a file, and the URL in that file");
        }
        match n_addresses.into_iter().filter(|given| *given).count() {
            0 => Some("expected `url_env`, `url_file` or `host`"),
            1 if host.is_none() && has_parts => Some(
                "the URL says port, database, user and password: leave them out, or give `host`",
            ),
            1 if host.is_some() && user.is_none() => Some("expected `user` beside `host`"),
            1 if password_env.is_some() && password_file.is_some() => {
                Some("expected one of `password_env` and `password_file`")
            }
            1 => None,
            _ => Some("expected only one of `url_env`, `url_file` and `host`"),
        }
    }
}

/// Connections by name, each checked where it stands in the file.
pub(super) fn checked<'de, D: Deserializer<'de>>(typed: D) -> Result<ConnectionSection, D::Error> {
    let section = ConnectionSection::deserialize(typed)?;
    match section.fault() {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(section),
    }
}

impl Connection {
    /// A connection whose paths are meant from `home`.
    pub(super) fn new(
        mut section: ConnectionSection,
        home: Option<&Path>,
        library: Option<PathBuf>,
    ) -> Connection {
        let from_home = |path: &mut PathBuf| {
            if let Some(home) = home {
                *path = home.join(&*path);
            }
        };
        match &mut section {
            ConnectionSection::Postgres(postgres) => {
                let files = [
                    &mut postgres.url_file,
                    &mut postgres.password_file,
                    &mut postgres.ca_file,
                ];
                files.into_iter().flatten().for_each(from_home);
            }
            ConnectionSection::Duckdb(file) | ConnectionSection::Parquet(file) => {
                from_home(&mut file.path);
            }
        }
        Connection { section, library }
    }

    /// Does a target need no table here?
    pub fn is_one_table(&self) -> bool {
        match &self.section {
            ConnectionSection::Parquet(files) => !files.path.to_string_lossy().contains("{table}"),
            ConnectionSection::Postgres(_) | ConnectionSection::Duckdb(_) => false,
        }
    }

    /// The variables that hold its secrets.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let named = match &self.section {
            ConnectionSection::Postgres(postgres) => {
                [&postgres.url_env, &postgres.password_env].map(Option::as_deref)
            }
            ConnectionSection::Duckdb(_) | ConnectionSection::Parquet(_) => [None, None],
        };
        named.into_iter().flatten()
    }

    /// Where it is, with its secrets, which are read now. An error names where
    /// a secret should be and never what is there.
    pub fn address(&self) -> Result<Address, String> {
        let library = self.library.clone();
        match &self.section {
            ConnectionSection::Postgres(postgres) => postgres.address(),
            ConnectionSection::Duckdb(file) => Ok(Address::Duckdb {
                file: file.path.clone(),
                library,
            }),
            ConnectionSection::Parquet(files) => Ok(Address::Parquet {
                files: files.path.display().to_string(),
                library,
            }),
        }
    }
}

impl PostgresSection {
    fn address(&self) -> Result<Address, String> {
        let url = secret(self.url_env.as_deref(), self.url_file.as_deref())?;
        let (config, secret_in) = match url {
            Some((url, from)) => (read_url(&url, &from)?, Some(from)),
            None => (self.config()?, None),
        };
        Ok(Address::Postgres {
            config: Box::new(config),
            authority: self.ca_file.clone(),
            secret_in,
        })
    }

    /// What the parts say.
    fn config(&self) -> Result<Config, String> {
        let mut config = Config::new();
        if let Some(host) = &self.host {
            config.host(host);
        }
        config.port(self.port.unwrap_or(5432));
        if let Some(database) = &self.database {
            config.dbname(database);
        }
        if let Some(user) = &self.user {
            config.user(user);
        }
        let password = secret(self.password_env.as_deref(), self.password_file.as_deref())?;
        if let Some((password, _)) = password {
            config.password(password);
        }
        Ok(config)
    }
}

/// Reads a URL from a variable or file, which an error names instead of it.
fn read_url(url: &str, from: &str) -> Result<Config, String> {
    // Which of two ends the password, nobody can tell; the rest of it would be
    // taken for the name of the server.
    if url.contains("://") && url.matches('@').count() > 1 {
        return Err(format!(
            "{from} holds a URL with more than one `@`; write an `@` in a user, a password or \
             an option as %40"
        ));
    }
    url.parse().map_err(|_| {
        format!("{from} holds no URL of PostgreSQL, such as postgresql://user@host/database")
    })
}

/// A secret, and in words where it is from; `None` if none is named.
fn secret(variable: Option<&str>, file: Option<&Path>) -> Result<Option<(String, String)>, String> {
    if let Some(name) = variable {
        return match environment::secret(name) {
            Some(secret) => Ok(Some((secret, format!("the variable {name}")))),
            None => Err(format!("the variable {name} is not set")),
        };
    }
    let Some(file) = file else {
        return Ok(None);
    };
    let text = fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    // An editor ends a file with a line break, which is no part of a secret.
    let secret = text.trim_end_matches(['\n', '\r']).to_owned();
    Ok(Some((secret, file.display().to_string())))
}

fn port<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<u16>, D::Error> {
    super::file::read(typed, |text| {
        text.parse()
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| "expected a port from 1 to 65535, such as 5432".to_owned())
    })
}

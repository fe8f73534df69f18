//! How is a PostgreSQL server named, and what is its address?

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use tokio_postgres::Config;

use crate::config::secret::{NOT_A_VARIABLE, is_variable, secret};
use crate::config::{file, schemas};
use crate::sources::database::Address;

/// A PostgreSQL server as typed: a URL in a variable or a file, or its parts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{"required": ["url_env"]}, {"required": ["url_file"]}, {"required": ["host"]}],
    "dependentRequired" = {"host": ["user"], "user": ["host"], "port": ["host"]}
))]
pub struct PostgresSection {
    /// Variable that holds the URL.
    pub url_env: Option<String>,
    /// File that holds the URL.
    pub url_file: Option<PathBuf>,
    /// Name of the server.
    pub host: Option<String>,
    /// Its port, 5432 if absent.
    #[serde(default, deserialize_with = "port")]
    #[schemars(with = "Option<schemas::Port>")]
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

impl PostgresSection {
    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let PostgresSection {
            url_env,
            url_file,
            host,
            port,
            database,
            user,
            password_env,
            password_file,
            ca_file: _,
        } = self;
        let n_addresses = [url_env.is_some(), url_file.is_some(), host.is_some()];
        let has_parts = port.is_some()
            || database.is_some()
            || user.is_some()
            || password_env.is_some()
            || password_file.is_some();
        // A secret in the wrong place must not be repeated by a later error.
        if !(url_env.iter().chain(password_env)).all(|name| is_variable(name)) {
            return Some(NOT_A_VARIABLE);
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

    /// The variables that hold its secrets.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        let named = [&self.url_env, &self.password_env];
        named.into_iter().filter_map(|name| name.as_deref())
    }

    /// Its paths, to be meant from another folder.
    pub(super) fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let files = [
            &mut self.url_file,
            &mut self.password_file,
            &mut self.ca_file,
        ];
        files.into_iter().flatten()
    }

    pub(super) fn address(&self) -> Result<Address, String> {
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

fn port<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<u16>, D::Error> {
    file::read(typed, |text| {
        text.parse()
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| "expected a port from 1 to 65535, such as 5432".to_owned())
    })
}

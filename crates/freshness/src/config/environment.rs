//! What do the environment's variables say?

#![allow(
    clippy::disallowed_methods,
    reason = "this is the module that reads the environment"
)]

use std::collections::BTreeMap;

use super::scalars::SCALARS;

/// The variables this program looks at, read once.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

const PREFIX: &str = "FRESHNESS_";
const COMMON: [&str; 9] = [
    "NO_COLOR",
    "TERM",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    // What terminals call themselves.
    "TERM_PROGRAM",
    "KITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "TMUX",
];

/// The value of a variable that the configuration names, read when it is
/// needed and kept nowhere.
pub(super) fn secret(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.into_string().ok()?;
    (!value.is_empty()).then_some(value)
}

/// The variables that say how an object store is reached: those that its own
/// tools read. Kept nowhere.
pub fn object_store_variables() -> Vec<(String, String)> {
    // The last is how Google's libraries are told of an emulator.
    let families = ["AWS_", "AZURE_", "GOOGLE_", "STORAGE_EMULATOR_HOST"];
    let is_one = |name: &str| families.iter().any(|family| name.starts_with(family));
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| is_one(name) && !value.is_empty())
        .collect()
}

/// Other tools that the environment speaks of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tools {
    /// Airflow.
    pub airflow: bool,
    /// Dagster.
    pub dagster: bool,
    /// Clients of PostgreSQL.
    pub postgres: bool,
}

/// Variables that tell of a tool; their values are not looked at.
const OF_TOOLS: [&str; 4] = ["AIRFLOW_HOME", "AIRFLOW_CONN_", "DAGSTER_HOME", "PGHOST"];

impl Environment {
    /// Reads the process's environment.
    pub fn read() -> Environment {
        std::env::vars_os()
            .filter_map(|(name, value)| {
                Some((
                    name.into_string().ok()?,
                    value.to_string_lossy().into_owned(),
                ))
            })
            .collect()
    }

    /// The variable's value; a variable set to nothing is not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Which other tools it speaks of.
    pub fn tools(&self) -> Tools {
        let has = |start: &str| self.0.keys().any(|name| name.starts_with(start));
        Tools {
            airflow: has("AIRFLOW_"),
            dagster: has("DAGSTER_HOME"),
            postgres: has("PGHOST"),
        }
    }

    /// Variables that look like ours and set nothing.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str).filter(|name| {
            name.starts_with(PREFIX) && SCALARS.iter().all(|scalar| scalar.variable != *name)
        })
    }

    /// Can the terminal be expected to show more than ASCII? Yes, unless the
    /// locale names another encoding or the terminal says it is dumb.
    pub fn shows_unicode(&self) -> bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| self.get(name));
        let utf8 = locale.is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        utf8 && self.get("TERM") != Some("dumb")
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Environment {
        Environment(
            variables
                .into_iter()
                .filter(|(name, _)| {
                    let is_tool = OF_TOOLS.iter().any(|start| name.starts_with(start));
                    is_tool || name.starts_with(PREFIX) || COMMON.contains(&name.as_str())
                })
                .map(|(name, value)| {
                    match name.starts_with(PREFIX) || COMMON.contains(&name.as_str()) {
                        true => (name, value),
                        false => (name, String::new()),
                    }
                })
                .collect(),
        )
    }
}

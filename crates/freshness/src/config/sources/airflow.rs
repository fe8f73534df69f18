//! How is an Airflow named?

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{SINCE, TIMEOUT};
use crate::config::{schemas, secret, values};
use crate::sources::{AirflowLogin, AirflowSource};

/// An Airflow of version 3 as typed: its assets, and the runs of its DAGs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AirflowSection {
    /// Its address, such as `https://airflow.example`.
    pub url: String,
    /// Who asks; a viewer will do.
    pub user: Option<String>,
    /// The variable that holds the password …
    pub password_env: Option<String>,
    /// … or the file.
    pub password_file: Option<PathBuf>,
    /// In place of a user, the variable that holds a token …
    pub token_env: Option<String>,
    /// … or the file.
    pub token_file: Option<PathBuf>,
    /// Is a run of a DAG that succeeded a delivery of `airflow:DAG` (it is)?
    pub dags: Option<bool>,
    /// Is a task that succeeded one of `airflow:DAG.TASK` (it is not)?
    pub tasks: Option<bool>,
    /// How far back the first reading goes, such as `400d` (the default).
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub since: Option<values::Age>,
    /// How long an answer may take, such as `60s` (the default).
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub timeout: Option<values::Age>,
}

impl AirflowSection {
    pub(super) fn fault(&self) -> Option<String> {
        let has_password = self.password_env.is_some() || self.password_file.is_some();
        let has_token = self.token_env.is_some() || self.token_file.is_some();
        if !self.variables().all(secret::is_variable) {
            return Some(secret::NOT_A_VARIABLE.into());
        }
        match (self.user.is_some(), has_password, has_token) {
            (true, true, false) | (false, false, true) => None,
            _ => Some(
                "expected `user` with `password_env` or `password_file`, or `token_env` or `token_file`"
                    .into(),
            ),
        }
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        let files = [&mut self.password_file, &mut self.token_file];
        for file in files.into_iter().flatten() {
            *file = home.join(&*file);
        }
    }

    /// The variables that hold its secrets.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        let named = [&self.password_env, &self.token_env];
        named.into_iter().flatten().map(String::as_str)
    }

    /// What is read of it, with its secret, which is looked up now.
    pub fn source(&self) -> Result<AirflowSource, String> {
        let AirflowSection {
            url,
            user,
            password_env,
            password_file,
            token_env,
            token_file,
            dags,
            tasks,
            since,
            timeout,
        } = self;
        let token = secret::secret(token_env.as_deref(), token_file.as_deref())?;
        let password = secret::secret(password_env.as_deref(), password_file.as_deref())?;
        let login = match (token, user, password) {
            (Some((token, _)), _, _) => AirflowLogin::Token(token),
            (None, Some(user), Some((password, _))) => AirflowLogin::Password {
                user: user.clone(),
                password,
            },
            _ => return Err("no user and no token".to_owned()),
        };
        Ok(AirflowSource {
            url: url.clone(),
            login,
            dags: dags.unwrap_or(true),
            tasks: tasks.unwrap_or(false),
            since: values::or(*since, SINCE),
            timeout: values::or(*timeout, TIMEOUT),
        })
    }
}

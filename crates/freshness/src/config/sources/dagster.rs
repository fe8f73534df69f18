//! How is a Dagster named?

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{SINCE, TIMEOUT};
use crate::config::{schemas, secret, values};
use crate::sources::DagsterSource;

/// A Dagster as typed: the materialisations of its assets.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DagsterSection {
    /// Its address, such as `http://dagster.example:3000`.
    pub url: String,
    /// The variable that holds a token of Dagster+ …
    pub token_env: Option<String>,
    /// … or the file.
    pub token_file: Option<PathBuf>,
    /// How far back the first reading goes, such as `400d` (the default).
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub since: Option<values::Age>,
    /// How long an answer may take, such as `60s` (the default).
    #[serde(default, deserialize_with = "values::typed_age")]
    #[schemars(with = "Option<schemas::Age>")]
    pub timeout: Option<values::Age>,
}

impl DagsterSection {
    pub(super) fn fault(&self) -> Option<String> {
        (!self.variables().all(secret::is_variable)).then(|| secret::NOT_A_VARIABLE.to_owned())
    }

    pub(super) fn settle_in(&mut self, home: &Path) {
        if let Some(file) = &mut self.token_file {
            *file = home.join(&*file);
        }
    }

    /// The variable that holds its secret.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.token_env.as_deref().into_iter()
    }

    /// What is read of it, with its secret, which is looked up now.
    pub fn source(&self) -> Result<DagsterSource, String> {
        let DagsterSection {
            url,
            token_env,
            token_file,
            since,
            timeout,
        } = self;
        let token = secret::secret(token_env.as_deref(), token_file.as_deref())?;
        Ok(DagsterSource {
            url: url.clone(),
            token: token.map(|(token, _)| token),
            since: values::or(*since, SINCE),
            timeout: values::or(*timeout, TIMEOUT),
        })
    }
}

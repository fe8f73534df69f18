//! How is a driver of ADBC named, and what is it told?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::secret::{NOT_A_VARIABLE, is_variable, secret};
use crate::sources::database::{AdbcAddress, Address};

/// A driver of ADBC as typed. Its options are the driver's own: its
/// documentation names them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdbcSection {
    /// File of the driver, such as `libadbc_driver_snowflake.so`, or its name.
    pub driver: PathBuf,
    /// Where it begins to speak ADBC, if that cannot be told from its name.
    pub entry_point: Option<String>,
    /// Options that are no secrets.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Options by the variable that holds them.
    #[serde(default)]
    pub options_env: BTreeMap<String, String>,
    /// Options by the file that holds them.
    #[serde(default)]
    pub options_file: BTreeMap<String, PathBuf>,
}

/// What the name of an option says if it is a secret.
const SECRET_WORDS: [&str; 7] = [
    "password",
    "token",
    "secret",
    "private_key",
    "passphrase",
    "credential",
    "api_key",
];

/// … unless it ends like this: it is told where the secret is, or how to use it.
const NO_SECRETS: [&str; 4] = ["_file", "_path", "_type", "_endpoint"];

impl AdbcSection {
    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let is_secret = |(key, value): (&String, &String)| {
            let key = key.to_lowercase();
            let is_named = SECRET_WORDS.iter().any(|word| key.contains(word));
            let is_about = NO_SECRETS.iter().any(|end| key.ends_with(end));
            (is_named && !is_about) || holds_password(value)
        };
        if self.driver.as_os_str().is_empty() {
            return Some("expected the file of a driver, or its name");
        }
        if self.options.iter().any(is_secret) {
            return Some(
                "a secret is never in this file: name the variable that holds the option under `options_env`, or a file under `options_file`",
            );
        }
        if !self.options_env.values().all(|name| is_variable(name)) {
            return Some(NOT_A_VARIABLE);
        }
        let mut keys: Vec<&String> = (self.options.keys())
            .chain(self.options_env.keys())
            .chain(self.options_file.keys())
            .collect();
        keys.sort();
        (keys.windows(2).any(|pair| pair[0] == pair[1])).then_some("an option is given twice")
    }

    /// The variables that hold its secrets.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.options_env.values().map(String::as_str)
    }

    /// Means its paths from `home`. A driver without a folder is looked for there
    /// first, then where the system keeps libraries.
    pub(super) fn settle_in(&mut self, home: &Path) {
        let is_path = self.driver.components().count() > 1;
        if is_path || home.join(&self.driver).is_file() {
            self.driver = home.join(&self.driver);
        }
        for file in self.options_file.values_mut() {
            *file = home.join(&*file);
        }
    }

    pub(super) fn address(&self) -> Result<Address, String> {
        let mut options: Vec<(String, String)> = (self.options.iter())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let mut secrets = Vec::new();
        let by_variable = self.options_env.iter();
        let by_variable = by_variable.map(|(key, name)| (key, Some(name.as_str()), None));
        let by_file = self.options_file.iter();
        let by_file = by_file.map(|(key, file)| (key, None, Some(file.as_path())));
        for (key, variable, file) in by_variable.chain(by_file) {
            if let Some((value, _)) = secret(variable, file)? {
                secrets.push(value.clone());
                options.push((key.clone(), value));
            }
        }
        Ok(Address::Adbc(AdbcAddress {
            driver: self.driver.clone(),
            entry_point: self.entry_point.clone(),
            options,
            secrets,
        }))
    }
}

/// Is it a URL with a password?
fn holds_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else {
        return false;
    };
    rest.rsplit_once('@')
        .is_some_and(|(login, _)| login.contains(':'))
        || rest.to_lowercase().contains("password=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(yaml: &str, fault: Option<&str>) {
        let section: AdbcSection = serde_saphyr::from_str(yaml).unwrap();
        assert_eq!(section.fault(), fault, "{yaml}");
    }

    #[test]
    fn a_secret_is_named_and_not_written_down() {
        let secret = Some(
            "a secret is never in this file: name the variable that holds the option under `options_env`, or a file under `options_file`",
        );
        check("{driver: d, options: {password: x}}", secret);
        check(
            "{driver: d, options: {adbc.snowflake.sql.client_option.auth_token: x}}",
            secret,
        );
        check(
            "{driver: d, options: {uri: 'postgresql://ann:x@db/sales'}}",
            secret,
        );
        check(
            "{driver: d, options: {uri: 'grpc://db?password=x'}}",
            secret,
        );
        check(
            "{driver: d, options: {uri: 'postgresql://ann@db/sales'}}",
            None,
        );
        check(
            "{driver: d, options: {username: ann}, options_env: {password: DB_PASSWORD}}",
            None,
        );
        check(
            "{driver: d, options_env: {password: 'hunter 2'}}",
            Some("expected the name of a variable, and the secret in that variable"),
        );
        check(
            "{driver: d, options: {uri: a}, options_file: {uri: b}}",
            Some("an option is given twice"),
        );
    }
}

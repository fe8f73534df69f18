//! Where is a secret, which the configuration only names?

use std::fs;
use std::path::Path;

use super::environment;

/// A secret, and in words where it is from; `None` if none is named.
pub(super) fn secret(
    variable: Option<&str>,
    file: Option<&Path>,
) -> Result<Option<(String, String)>, String> {
    if let Some(name) = variable {
        return match environment::secret(name) {
            Some(secret) => Ok(Some((secret, format!("the variable {name}")))),
            None => Err(format!("the variable {name} is not set")),
        };
    }
    let Some(file) = file else {
        return Ok(None);
    };
    // Of a pipe the read may never end.
    if fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(format!("cannot read {}: not a file", file.display()));
    }
    let text = fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    // An editor ends a file with a line break, which is no part of a secret.
    let secret = text.trim_end_matches(['\n', '\r']).to_owned();
    Ok(Some((secret, file.display().to_string())))
}

/// What is wrong where a variable was expected, and something else stands.
pub(super) const NOT_A_VARIABLE: &str =
    "expected the name of a variable, and the secret in that variable";

/// Is this the name of a variable, rather than a secret in the wrong place?
pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

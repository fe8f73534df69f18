//! Why is a configuration file refused, in words and with its place?

use std::path::Path;

use anyhow::anyhow;
use serde_saphyr::Error as YamlError;

use super::ConfigFile;
use crate::hint::{self, WithHint};

/// What the reader of YAML found, in our words.
pub(super) fn refuse(error: &YamlError, file: &Path) -> anyhow::Result<ConfigFile> {
    let place = match error.location() {
        Some(at) if at.line() > 0 => format!("{}:{}:{}", file.display(), at.line(), at.column()),
        _ => file.display().to_string(),
    };
    match error {
        YamlError::SerdeUnknownField {
            field, expected, ..
        } => {
            let error = Err(anyhow!("{place}: unknown key: {field}"));
            match hint::did_you_mean(field, expected.iter().copied()) {
                Some(meant) => error.hint(format!("did you mean `{meant}`?")),
                None => error.hint(format!("known keys here: {}", expected.join(", "))),
            }
        }
        YamlError::DuplicateMappingKey { key: Some(key), .. } => {
            Err(anyhow!("{place}: key given twice: {key}"))
        }
        YamlError::Unexpected {
            expected: "mapping start",
            ..
        } => Err(anyhow!(
            "{place}: expected keys with values, such as `store: a.db`"
        )),
        // Connections and sources are the only keys that are one of several kinds.
        YamlError::SerdeUnknownVariant {
            variant, expected, ..
        } => Err(anyhow!("{place}: unknown kind: {variant}"))
            .hint(format!("known kinds: {}", expected.join(", "))),
        YamlError::ExpectedMappingEndAfterEnumVariantValue { .. } => {
            Err(anyhow!("{place}: expected one kind"))
                .hint("each has one kind; give the other a name of its own")
        }
        YamlError::Unexpected { .. } => Err(anyhow!("{place}: expected one value")),
        YamlError::Message { msg, .. } => Err(anyhow!("{place}: {msg}")),
        other => {
            // The first line; the rest repeats the place as a picture.
            let text = other.to_string();
            let reason = text.lines().next().unwrap_or_default();
            let reason = reason.split(" at line ").next().unwrap_or(reason);
            Err(anyhow!("{place}: {reason}"))
        }
    }
}

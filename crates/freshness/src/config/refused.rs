//! Why is a configuration file refused, in words and with its place?

use std::path::Path;

use anyhow::anyhow;
use serde_saphyr::Error as YamlError;

use super::connections::KINDS as CONNECTION_KINDS;
use super::sources::KINDS as SOURCE_KINDS;
use crate::hint;
use crate::sources::key_at;

/// A fault of the file, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// From 1, if it is known.
    pub line: Option<u64>,
    /// From 1, if it is known.
    pub column: Option<u64>,
    /// The key that it is about, with dots between: `fit.seed`.
    pub key: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: Option<String>,
}

impl FileFault {
    /// The error that says so.
    pub(super) fn refuse(self, file: &Path) -> anyhow::Error {
        let file = file.display();
        let place = match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            _ => file.to_string(),
        };
        let error = anyhow!("{place}: {}", self.what);
        match self.hint {
            Some(hint) => hint::failure(error, hint),
            None => error,
        }
    }
}

/// What the reader of YAML found in a text, in our words.
pub(super) fn fault(error: &YamlError, text: &str) -> FileFault {
    let at = error.location().filter(|at| at.line() > 0);
    let (line, column) = (at.map(|at| at.line()), at.map(|at| at.column()));
    let key = at.and_then(|at| key_at(text, at.line(), at.column()));
    let (what, hint) = in_words(error, key.as_deref());
    FileFault {
        line,
        column,
        key,
        what,
        hint,
    }
}

fn in_words(error: &YamlError, key: Option<&str>) -> (String, Option<String>) {
    let bare = |what: &str| (what.to_owned(), None);
    match error {
        YamlError::SerdeUnknownField { field: key, .. }
        | YamlError::SerdeUnknownVariant { variant: key, .. }
            if key == "<<" =>
        {
            (
                "merged keys (`<<`) are not read".to_owned(),
                Some("write the keys out where they are meant".to_owned()),
            )
        }
        YamlError::Budget { .. } => (
            "larger than a configuration may be".to_owned(),
            Some("a pattern says of many datasets at once what `datasets` says of one".to_owned()),
        ),
        YamlError::NullIntoString { .. } => bare("expected a text, and there is none"),
        YamlError::SerdeUnknownField {
            field, expected, ..
        } => {
            let hint = match hint::did_you_mean(field, expected.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("known keys here: {}", expected.join(", ")),
            };
            (format!("unknown key: {field}"), Some(hint))
        }
        YamlError::DuplicateMappingKey { key: Some(key), .. } => {
            (format!("key given twice: {key}"), None)
        }
        YamlError::Unexpected {
            expected: "mapping start",
            ..
        } => bare("expected keys with values, such as `store: a.db`"),
        // Connections and sources are the only keys that are one of several kinds.
        YamlError::SerdeUnknownVariant {
            variant, expected, ..
        } => (
            format!("unknown kind: {variant}"),
            Some(format!("known kinds: {}", expected.join(", "))),
        ),
        YamlError::ExpectedStringKeyForExternallyTaggedEnum { .. }
        | YamlError::ExternallyTaggedEnumExpectedScalarOrMapping { .. } => {
            let kinds = match key {
                Some(key) if key.starts_with("connections.") => CONNECTION_KINDS.join(", "),
                Some(key) if key.starts_with("sources.") => SOURCE_KINDS.join(", "),
                _ => format!(
                    "of sources {}; of connections {}",
                    SOURCE_KINDS.join(", "),
                    CONNECTION_KINDS.join(", ")
                ),
            };
            (
                "expected a kind".to_owned(),
                Some(format!("known kinds: {kinds}")),
            )
        }
        YamlError::ExpectedMappingEndAfterEnumVariantValue { .. } => (
            "expected one kind".to_owned(),
            Some("each has one kind; give the other a name of its own".to_owned()),
        ),
        YamlError::MultipleDocuments { .. } => (
            "a file holds one document".to_owned(),
            Some("put what follows `---` into the same document or another file".to_owned()),
        ),
        YamlError::Unexpected { .. } => bare("expected one value"),
        YamlError::Message { msg, .. } => match key {
            Some(key) if msg.starts_with("unreadable: ") => (format!("{key} is {msg}"), None),
            _ => bare(msg),
        },
        other => {
            // The first line; the rest repeats the place as a picture.
            let text = other.to_string();
            let reason = text.lines().next().unwrap_or_default();
            bare(reason.split(" at line ").next().unwrap_or(reason))
        }
    }
}

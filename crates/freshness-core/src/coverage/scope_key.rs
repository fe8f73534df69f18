//! What is the smallest part that must be covered on its own?

use std::fmt;

use serde::Serialize;

use crate::dataset::DatasetId;

/// A source and one of its scopes: a feed and a country, a table and a
/// partition key. Each is text of 1 to [`ScopeKey::MAX_BYTES`] bytes without
/// control characters, also those that turn the direction of
/// a line, and without white space at its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ScopeKey {
    source: String,
    scope: String,
}

/// The texts name no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ScopeKeyError {
    #[error("{0} is blank")]
    Blank(&'static str),
    #[error("{field} is too long ({bytes} bytes, at most {})", ScopeKey::MAX_BYTES)]
    TooLong { field: &'static str, bytes: usize },
    #[error("{0} has a control character")]
    Control(&'static str),
    #[error("{0} begins or ends with white space")]
    Padded(&'static str),
}

impl ScopeKey {
    /// The longest source or scope: both, escaped, fit into a dataset's name.
    pub const MAX_BYTES: usize = 240;

    /// The key, if both texts are names.
    pub fn new(source: &str, scope: &str) -> Result<ScopeKey, ScopeKeyError> {
        must_be_name("source", source)?;
        must_be_name("scope", scope)?;
        Ok(ScopeKey {
            source: source.to_owned(),
            scope: scope.to_owned(),
        })
    }

    /// The source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The scope.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// The dataset whose arrivals are its publications:
    /// `coverage:SOURCE/SCOPE`. A `/` or `%` of the source is written `%2F` or
    /// `%25`, so that no two scopes share a name.
    pub fn dataset_id(&self) -> DatasetId {
        let source = self.source.replace('%', "%25").replace('/', "%2F");
        let name = format!("coverage:{source}/{}", self.scope);
        DatasetId::try_from(name.as_str()).expect("both parts are names, and short")
    }

    /// The scope whose publications are the arrivals of a dataset; `None` if
    /// it is a dataset like any other.
    pub fn of_dataset(id: &DatasetId) -> Option<ScopeKey> {
        let (source, scope) = id.as_str().strip_prefix("coverage:")?.split_once('/')?;
        let source = source.replace("%2F", "/").replace("%25", "%");
        let key = ScopeKey::new(&source, scope).ok()?;
        (key.dataset_id() == *id).then_some(key)
    }
}

impl fmt::Display for ScopeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.source, self.scope)
    }
}

/// Does a character move the cursor, or turn the direction of the line? With
/// the latter a name can be made to look like another.
pub(super) fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn must_be_name(field: &'static str, text: &str) -> Result<(), ScopeKeyError> {
    if text.trim().is_empty() {
        return Err(ScopeKeyError::Blank(field));
    }
    if text.len() > ScopeKey::MAX_BYTES {
        let bytes = text.len();
        return Err(ScopeKeyError::TooLong { field, bytes });
    }
    if text.chars().any(is_control) {
        return Err(ScopeKeyError::Control(field));
    }
    match text.trim() == text {
        true => Ok(()),
        false => Err(ScopeKeyError::Padded(field)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_scopes_share_a_dataset() {
        let name = |source, scope| ScopeKey::new(source, scope).unwrap().dataset_id();
        assert_eq!(name("orders", "FR").as_str(), "coverage:orders/FR");
        assert_eq!(name("a/b", "c").as_str(), "coverage:a%2Fb/c");
        assert_eq!(name("a", "b/c").as_str(), "coverage:a/b/c");
        assert_eq!(name("a%2Fb", "c").as_str(), "coverage:a%252Fb/c");
        for (source, scope) in [("orders", "FR"), ("a/b", "c"), ("a%2Fb", "%/"), ("é", "日")] {
            let key = ScopeKey::new(source, scope).unwrap();
            assert_eq!(ScopeKey::of_dataset(&key.dataset_id()), Some(key));
        }
        let longest = "%".repeat(ScopeKey::MAX_BYTES);
        let key = ScopeKey::new(&longest, &longest).unwrap();
        assert!(key.dataset_id().as_str().len() <= DatasetId::MAX_BYTES);
        let other = DatasetId::try_from("raw_orders").unwrap();
        assert_eq!(ScopeKey::of_dataset(&other), None);
    }

    #[test]
    fn what_is_no_name_is_refused_with_its_field() {
        let refused = |source, scope| ScopeKey::new(source, scope).unwrap_err().to_string();
        assert_eq!(refused(" ", "FR"), "source is blank");
        assert_eq!(refused("orders", ""), "scope is blank");
        assert_eq!(refused("orders", "F\0R"), "scope has a control character");
        assert_eq!(
            refused("orders\u{202e}", "FR"),
            "source has a control character"
        );
        assert_eq!(
            refused("orders", " FR"),
            "scope begins or ends with white space"
        );
        assert_eq!(
            refused(&"x".repeat(241), "FR"),
            "source is too long (241 bytes, at most 240)"
        );
    }
}

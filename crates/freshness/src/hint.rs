//! What should the user do about an error?

use std::error::Error;
use std::fmt;

use freshness_store::StoreError;

use crate::rounds::RoundError;

/// An error whose remedy is known. It reads as the error alone; `main.rs`
/// prints the remedy below it.
#[derive(Debug)]
pub struct Hinted {
    error: anyhow::Error,
    hint: String,
}

/// Adds the remedy to an error.
pub trait WithHint<T> {
    /// Adds the remedy to the error, if it is one.
    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T>;
}

/// An error and its remedy.
pub fn failure(message: impl fmt::Display, hint: impl fmt::Display) -> anyhow::Error {
    anyhow::Error::new(Hinted {
        error: anyhow::anyhow!("{message}"),
        hint: hint.to_string(),
    })
}

/// The remedy of the outermost cause that has one.
pub fn of(error: &anyhow::Error) -> Option<&str> {
    error.chain().find_map(|cause| {
        if let Some(hinted) = cause.downcast_ref::<Hinted>() {
            return Some(hinted.hint.as_str());
        }
        if let Some(error) = cause.downcast_ref::<RoundError>() {
            return error.hint();
        }
        cause.downcast_ref::<StoreError>()?.hint()
    })
}

/// The one of the known words that was probably meant.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .filter(|word| is_like(typed, word))
        .map(|word| (strsim::jaro_winkler(typed, word), word))
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, word)| word)
}

/// A slip in every fourth letter at most, or a part of the word that is long
/// enough to name it. (Jaro's likeness alone finds `one` in `notyet`.)
fn is_like(typed: &str, word: &str) -> bool {
    const NAMES_IT: usize = 4;
    let (typed, word) = (typed.to_lowercase(), word.to_lowercase());
    let n = typed.chars().count();
    strsim::osa_distance(&typed, &word) <= n.div_ceil(4).min(n / 2)
        || (n >= NAMES_IT && word.contains(&typed))
}

impl<T, E: Into<anyhow::Error>> WithHint<T> for Result<T, E> {
    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T> {
        self.map_err(|error| {
            anyhow::Error::new(Hinted {
                error: error.into(),
                hint: hint.to_string(),
            })
        })
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl Error for Hinted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn a_hint_is_found_under_any_number_of_contexts() {
        let result: Result<(), anyhow::Error> =
            Err(failure("no such file: a.csv", "name another")).context("import");
        let error = result.unwrap_err();
        assert_eq!(format!("{error:#}"), "import: no such file: a.csv");
        assert_eq!(of(&error), Some("name another"));
    }

    #[test]
    fn only_a_likely_word_is_suggested() {
        let known = ["raw_orders", "raw_returns", "fct_revenue"];
        assert_eq!(did_you_mean("raw_order", known), Some("raw_orders"));
        assert_eq!(did_you_mean("zzz", known), None);
        assert_eq!(did_you_mean("revenue", known), Some("fct_revenue"));
        assert_eq!(did_you_mean("notyet", ["one", "two"]), None);
    }
}

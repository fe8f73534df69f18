//! What does a sender show for its claim that a scope is complete?

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The evidence of a publication; any of it may be there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Which files or partitions were expected, and which came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// Sums of the source beside those of what was published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub totals: Vec<Total>,
    /// The position up to which the source itself confirms; must be that of
    /// the publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_position: Option<String>,
}

/// Expected and delivered files or partitions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What had to come.
    pub expected: Vec<String>,
    /// What came.
    #[serde(default)]
    pub delivered: Vec<String>,
}

/// One sum, on both sides. Decimal numbers, compared digit by digit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// Of what.
    pub name: String,
    /// By the source.
    pub expected: String,
    /// By what was published.
    pub found: String,
}

impl Claim {
    /// Is nothing shown?
    pub fn is_empty(&self) -> bool {
        *self == Claim::default()
    }
}

impl Manifest {
    /// How many files or partitions were expected, each counted once.
    pub fn n_expected(&self) -> usize {
        let expected: BTreeSet<&str> = self.expected.iter().map(String::as_str).collect();
        expected.len()
    }

    /// What was expected and did not come, in order, each once.
    pub fn missing(&self) -> Vec<&str> {
        let delivered: BTreeSet<&str> = self.delivered.iter().map(String::as_str).collect();
        let expected: BTreeSet<&str> = self.expected.iter().map(String::as_str).collect();
        expected.difference(&delivered).copied().collect()
    }
}

impl Total {
    /// Do both sides agree? `None` if one of them is no decimal number.
    pub fn agrees(&self) -> Option<bool> {
        Some(plain(&self.expected)? == plain(&self.found)?)
    }

    /// Do both sides stand for the same numbers as those of another, however
    /// they are written?
    pub(super) fn is_like(&self, other: &Total) -> bool {
        let same = |a: &str, b: &str| a == b || plain(a).is_some_and(|a| Some(a) == plain(b));
        same(&self.expected, &other.expected) && same(&self.found, &other.found)
    }
}

/// A decimal number in the one way to write it: sign, digits before the point
/// without leading zeros, digits after it without zeros at the end.
fn plain(text: &str) -> Option<(bool, &str, &str)> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let is_zero = whole.is_empty() && part.is_empty();
    Some((negative && !is_zero, whole, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_compared_as_numbers_and_exactly() {
        let agrees = |expected: &str, found: &str| {
            let total = Total {
                name: "amount".to_owned(),
                expected: expected.to_owned(),
                found: found.to_owned(),
            };
            total.agrees()
        };
        assert_eq!(agrees("12.50", "+012.5"), Some(true));
        assert_eq!(agrees("-0", "0.00"), Some(true));
        assert_eq!(
            agrees("9007199254740993", "9007199254740992"),
            Some(false),
            "beyond the integers of a double"
        );
        for no_number in ["", ".", "1e5", "1,000", "NaN", "1-"] {
            assert_eq!(agrees(no_number, "1"), None, "{no_number}");
        }
    }

    #[test]
    fn what_is_missing_is_named_once_whatever_else_came() {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let manifest = Manifest {
            expected: list(&["b", "a", "a"]),
            delivered: list(&["c"]),
        };
        assert_eq!(manifest.missing(), ["a", "b"]);
        assert_eq!(manifest.n_expected(), 2);
    }
}

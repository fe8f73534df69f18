//! How is a table named?
//!
//! As in SQL: parts with dots between, a part in double quotes if it holds a
//! dot or a quote (doubled). A part without quotes is taken as it is written;
//! where no table is called so, as the database folds it.

use std::fmt;
use std::str::FromStr;

use freshness_core::dataset::DatasetId;

/// The name of a table: at most catalog, schema, table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName(Vec<Part>);

/// A text that names no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a table: {0}")]
pub struct BadTableName(String);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    text: String,
    quoted: bool,
}

/// Catalog, schema, table.
const PARTS_MAX: usize = 3;

impl TableName {
    /// The table that is called as the dataset is: read as SQL reads it where
    /// that is possible, else taken whole.
    pub fn of_dataset(id: &DatasetId) -> TableName {
        let text = id.as_str();
        text.parse().unwrap_or_else(|_| {
            TableName(vec![Part {
                text: text.to_owned(),
                quoted: true,
            }])
        })
    }

    /// Its parts as they are written, and whether each stood in quotes.
    pub fn parts(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0.iter().map(|part| (part.text.as_str(), part.quoted))
    }

    /// Its parts, as they are written.
    pub(super) fn exact(&self) -> Vec<String> {
        self.0.iter().map(|part| part.text.clone()).collect()
    }

    /// Its parts, those without quotes in lower case; `None` if that is the
    /// same.
    pub(super) fn folded(&self) -> Option<Vec<String>> {
        let folded: Vec<String> = self
            .0
            .iter()
            .map(|part| match part.quoted {
                true => part.text.clone(),
                false => part.text.to_lowercase(),
            })
            .collect();
        (folded != self.exact()).then_some(folded)
    }
}

/// A name as SQL takes it literally, whatever is in it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Parts of a name as SQL takes them.
pub(super) fn quoted_path<'a>(parts: impl IntoIterator<Item = &'a String>) -> String {
    let parts: Vec<String> = parts.into_iter().map(|part| quoted(part)).collect();
    parts.join(".")
}

/// A text as an SQL literal, for dialects in which a backslash is itself.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl FromStr for TableName {
    type Err = BadTableName;

    fn from_str(text: &str) -> Result<TableName, BadTableName> {
        let bad = || BadTableName(text.to_owned());
        let mut parts = Vec::new();
        let mut rest = text.trim();
        loop {
            let (part, after) = match rest.strip_prefix('"') {
                Some(inside) => unquote(inside).ok_or_else(bad)?,
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    let (text, after) = rest.split_at(end);
                    if text.contains('"') || text != text.trim() {
                        return Err(bad());
                    }
                    let text = text.to_owned();
                    let quoted = false;
                    (Part { text, quoted }, after)
                }
            };
            if part.text.is_empty() || part.text.contains('\0') {
                return Err(bad());
            }
            parts.push(part);
            if after.is_empty() {
                break;
            }
            rest = after.strip_prefix('.').ok_or_else(bad)?;
        }
        match parts.len() <= PARTS_MAX {
            true => Ok(TableName(parts)),
            false => Err(bad()),
        }
    }
}

/// What stands in the quotes, and what follows them.
fn unquote(inside: &str) -> Option<(Part, &str)> {
    let mut text = String::new();
    let mut rest = inside;
    loop {
        let end = rest.find('"')?;
        text.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                text.push('"');
                rest = after;
            }
            None => return Some((Part { text, quoted: true }, rest)),
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            match part.quoted {
                true => f.write_str(&quoted(&part.text))?,
                false => f.write_str(&part.text)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, sql: &str) {
        let name: TableName = text.parse().unwrap();
        assert_eq!(quoted_path(&name.exact()), sql);
        assert_eq!(name.to_string(), text);
    }

    #[test]
    fn a_name_is_read_as_sql_reads_it() {
        check("orders", r#""orders""#);
        check("sales.orders", r#""sales"."orders""#);
        check(r#""we""ird.schema".Orders"#, r#""we""ird.schema"."Orders""#);
        check("lake.main.events", r#""lake"."main"."events""#);
        check("select", r#""select""#);
    }

    #[test]
    fn only_parts_without_quotes_are_folded() {
        let name: TableName = r#"Sales."Orders""#.parse().unwrap();
        assert_eq!(name.folded().unwrap(), ["sales", "Orders"]);
        assert_eq!("sales.orders".parse::<TableName>().unwrap().folded(), None);
    }

    #[test]
    fn what_names_no_table_is_refused_with_its_text() {
        for text in [
            "", ".", "a.", ".a", "a..b", r#""a"#, r#""a"b"#, r#"a"b"#, "a. b", "a.b.c.d", r#""""#,
        ] {
            let refused = text.parse::<TableName>().unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!("not the name of a table: {text}")
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_name_in_quotes(text in "[^\0]{1,20}") {
            let name: TableName = quoted(&text).parse().unwrap();
            prop_assert_eq!(name.exact(), [text]);
        }
    }
}

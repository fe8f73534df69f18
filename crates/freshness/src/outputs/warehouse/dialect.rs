//! Where do the databases differ?
//!
//! The statements are the same everywhere; what is spelled differently is
//! spelled here. Instants are compared as whole seconds since 1970, rounded
//! down, so no statement depends on how a database subtracts times or cuts off
//! minutes.

use std::fmt;

use clap::ValueEnum;
use jiff::Timestamp;

use crate::sources::database::TableName;

/// A database, by how its SQL is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "each is the name of a product")]
pub enum Dialect {
    Bigquery,
    Snowflake,
    Databricks,
    Redshift,
    Postgres,
    Duckdb,
    Tsql,
    Clickhouse,
}

/// What a column or a parameter holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name: short enough for a key.
    Name,
    /// Any text.
    Text,
    /// A whole number.
    Integer,
    /// An instant.
    Time,
}

/// A name that cannot be written safely in every dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a table that can be written in {dialect}: {name}")]
pub struct UnsafeName {
    dialect: Dialect,
    name: String,
}

/// A control character, as patterns spell it.
const CONTROL: &str = "[[:cntrl:]]";

impl Dialect {
    /// How it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Bigquery => "bigquery",
            Dialect::Snowflake => "snowflake",
            Dialect::Databricks => "databricks",
            Dialect::Redshift => "redshift",
            Dialect::Postgres => "postgres",
            Dialect::Duckdb => "duckdb",
            Dialect::Tsql => "tsql",
            Dialect::Clickhouse => "clickhouse",
        }
    }

    /// A table as SQL takes it. A part without quotes stays without, so that
    /// the database folds it as it always does; it has to be a plain name. One
    /// in quotes is quoted, and may hold anything but quotes, backslashes and
    /// control characters: nothing can end the name but its end.
    pub(super) fn table(self, name: &TableName) -> Result<String, UnsafeName> {
        let written = |(text, quoted): (&str, bool)| match quoted {
            false if is_plain(text) => Some(text.to_owned()),
            false => None,
            true if text.contains(['"', '`', '[', ']', '\\'])
                || text.chars().any(char::is_control) =>
            {
                None
            }
            true => Some(match self {
                Dialect::Bigquery | Dialect::Databricks | Dialect::Clickhouse => {
                    format!("`{text}`")
                }
                Dialect::Tsql => format!("[{text}]"),
                Dialect::Snowflake | Dialect::Redshift | Dialect::Postgres | Dialect::Duckdb => {
                    format!("\"{text}\"")
                }
            }),
        };
        let parts: Option<Vec<String>> = name.parts().map(written).collect();
        parts
            .map(|parts| parts.join("."))
            .ok_or_else(|| UnsafeName {
                dialect: self,
                name: name.to_string(),
            })
    }

    /// The type of a column.
    pub(super) fn type_of(self, kind: &Kind) -> &'static str {
        match (self, kind) {
            (Dialect::Bigquery | Dialect::Databricks, Kind::Name | Kind::Text) => "STRING",
            (Dialect::Clickhouse, Kind::Name | Kind::Text) => "String",
            // Case and blanks count in a name.
            (Dialect::Tsql, Kind::Name) => "NVARCHAR(240) COLLATE Latin1_General_100_BIN2",
            (Dialect::Tsql, Kind::Text) => "NVARCHAR(4000)",
            (Dialect::Redshift, Kind::Name) => "VARCHAR(1024)",
            (Dialect::Redshift, Kind::Text) => "VARCHAR(4096)",
            (Dialect::Snowflake | Dialect::Duckdb, Kind::Name | Kind::Text) => "VARCHAR",
            (Dialect::Postgres, Kind::Name | Kind::Text) => "TEXT",
            (Dialect::Bigquery, Kind::Integer) => "INT64",
            (Dialect::Clickhouse, Kind::Integer) => "Int64",
            (
                Dialect::Snowflake
                | Dialect::Databricks
                | Dialect::Redshift
                | Dialect::Postgres
                | Dialect::Duckdb
                | Dialect::Tsql,
                Kind::Integer,
            ) => "BIGINT",
            (Dialect::Bigquery | Dialect::Databricks, Kind::Time) => "TIMESTAMP",
            (Dialect::Snowflake, Kind::Time) => "TIMESTAMP_TZ",
            (Dialect::Redshift | Dialect::Postgres | Dialect::Duckdb, Kind::Time) => "TIMESTAMPTZ",
            (Dialect::Tsql, Kind::Time) => "DATETIMEOFFSET(6)",
            (Dialect::Clickhouse, Kind::Time) => "DateTime64(6, 'UTC')",
        }
    }

    /// The type of a column that may be empty.
    pub(super) fn optional(self, kind: &Kind) -> String {
        let name = self.type_of(kind);
        match self {
            Dialect::Clickhouse => format!("Nullable({name})"),
            _ => name.to_owned(),
        }
    }

    /// The type of a column that may not be empty.
    pub(super) fn required(self, kind: &Kind) -> String {
        let name = self.type_of(kind);
        match self {
            Dialect::Clickhouse => name.to_owned(),
            _ => format!("{name} NOT NULL"),
        }
    }

    /// Nothing, as a value of a kind.
    pub(super) fn null(self, kind: &Kind) -> String {
        format!("CAST(NULL AS {})", self.cast_type(kind))
    }

    /// The last column of a table and what follows: its key, as far as the
    /// database has keys.
    pub(super) fn key(self, columns: &str) -> String {
        match self {
            // These keep no key, or say so and do not enforce it.
            Dialect::Bigquery => format!("PRIMARY KEY ({columns}) NOT ENFORCED\n)"),
            Dialect::Clickhouse => format!(
                "CONSTRAINT named CHECK source <> ''\n)\nENGINE = MergeTree\nORDER BY ({columns})"
            ),
            _ => format!("PRIMARY KEY ({columns})\n)"),
        }
    }

    /// Does the database refuse a second row of a key?
    pub(super) fn keeps_keys(self) -> bool {
        matches!(self, Dialect::Postgres | Dialect::Duckdb | Dialect::Tsql)
    }

    /// What a table is made with, if it is not there.
    pub(super) fn create(self) -> &'static str {
        match self {
            // Has no IF NOT EXISTS.
            Dialect::Tsql => "CREATE TABLE",
            _ => "CREATE TABLE IF NOT EXISTS",
        }
    }

    /// Whole seconds from 1970 to an instant, rounded down; null of what is no
    /// instant.
    pub(super) fn epoch(self, time: &str) -> String {
        match self {
            Dialect::Bigquery => format!("UNIX_SECONDS(CAST({time} AS TIMESTAMP))"),
            Dialect::Snowflake => format!("DATE_PART(EPOCH_SECOND, {time})"),
            Dialect::Databricks => format!("UNIX_SECONDS(CAST({time} AS TIMESTAMP))"),
            Dialect::Redshift => format!("CAST(FLOOR(EXTRACT(EPOCH FROM {time})) AS BIGINT)"),
            Dialect::Postgres => format!(
                "CASE WHEN isfinite({time}) THEN CAST(FLOOR(EXTRACT(EPOCH FROM {time})) AS BIGINT) END"
            ),
            Dialect::Duckdb => {
                format!("CASE WHEN isfinite({time}) THEN CAST(FLOOR(epoch({time})) AS BIGINT) END")
            }
            Dialect::Tsql => format!("DATEDIFF_BIG(SECOND, '19700101', {time})"),
            Dialect::Clickhouse => format!("toInt64(toUnixTimestamp({time}))"),
        }
    }

    /// Now, as whole seconds; or the instant that stands for it.
    pub(super) fn now(self, pinned: Option<Timestamp>) -> String {
        if let Some(at) = pinned {
            return format!(
                "CAST({} AS {})",
                at.as_second(),
                self.type_of(&Kind::Integer)
            );
        }
        let whole = |seconds: &str| format!("CAST(FLOOR({seconds}) AS BIGINT)");
        match self {
            // The clock, not when the transaction began.
            Dialect::Postgres => whole("EXTRACT(EPOCH FROM clock_timestamp())"),
            Dialect::Duckdb => whole("epoch(get_current_timestamp())"),
            Dialect::Bigquery | Dialect::Snowflake | Dialect::Databricks => {
                self.epoch("CURRENT_TIMESTAMP()")
            }
            Dialect::Redshift => self.epoch("GETDATE()"),
            Dialect::Tsql => self.epoch("SYSUTCDATETIME()"),
            Dialect::Clickhouse => self.epoch("now()"),
        }
    }

    /// The midnight (UTC) that whole seconds stand for.
    pub(super) fn day(self, epoch: &str) -> String {
        match self {
            Dialect::Bigquery => format!("DATE(TIMESTAMP_SECONDS({epoch}))"),
            Dialect::Snowflake => format!("CAST(TO_TIMESTAMP_NTZ({epoch}) AS DATE)"),
            Dialect::Databricks => {
                format!("DATE_ADD(DATE '1970-01-01', CAST({epoch} / 86400 AS INT))")
            }
            Dialect::Redshift => {
                format!(
                    "CAST(DATEADD(DAY, CAST({epoch} / 86400 AS INTEGER), '1970-01-01') AS DATE)"
                )
            }
            Dialect::Postgres | Dialect::Duckdb => {
                format!("DATE '1970-01-01' + CAST({epoch} / 86400 AS INTEGER)")
            }
            Dialect::Tsql => {
                format!("CAST(DATEADD(DAY, {epoch} / 86400, '19700101') AS DATE)")
            }
            Dialect::Clickhouse => format!("toDate(toDateTime({epoch}, 'UTC'))"),
        }
    }

    /// The rest of a division of whole numbers.
    pub(super) fn rest(self, number: &str, by: &i64) -> String {
        match self {
            Dialect::Tsql => format!("(({number}) % {by})"),
            _ => format!("MOD({number}, {by})"),
        }
    }

    /// Is a text no name: blank, padded, longer than so many bytes, or with a
    /// control character?
    pub(super) fn is_no_name(self, text: &str, bytes_max: &usize) -> String {
        let trimmed = match self {
            Dialect::Clickhouse => format!("trimBoth({text})"),
            _ => format!("TRIM({text})"),
        };
        let bytes = match self {
            Dialect::Bigquery => format!("BYTE_LENGTH({text})"),
            Dialect::Duckdb => format!("strlen({text})"),
            // Two bytes a character, and blanks at the end count.
            Dialect::Tsql => format!("DATALENGTH({text}) / 2"),
            Dialect::Clickhouse => format!("length({text})"),
            Dialect::Snowflake | Dialect::Databricks | Dialect::Redshift | Dialect::Postgres => {
                format!("OCTET_LENGTH({text})")
            }
        };
        let padded = match self {
            Dialect::Tsql => format!("DATALENGTH({trimmed}) <> DATALENGTH({text})"),
            _ => format!("{trimmed} <> {text}"),
        };
        let control = match self {
            Dialect::Bigquery => format!("REGEXP_CONTAINS({text}, '{CONTROL}')"),
            Dialect::Snowflake => format!("REGEXP_INSTR({text}, '{CONTROL}') > 0"),
            Dialect::Databricks => format!("{text} RLIKE '\\\\p{{Cntrl}}'"),
            Dialect::Redshift => format!("{text} ~ '{CONTROL}'"),
            // Whatever the locale calls a control character.
            Dialect::Postgres => format!("{text} ~ '[\\u0001-\\u001f\\u007f-\\u009f]'"),
            Dialect::Duckdb => {
                format!("regexp_matches({text}, '[\\x{{01}}-\\x{{1f}}\\x{{7f}}-\\x{{9f}}]')")
            }
            Dialect::Tsql => format!(
                "{text} LIKE N'%[' + NCHAR(1) + N'-' + NCHAR(31) + NCHAR(127) + N'-' + NCHAR(159) + N']%' COLLATE Latin1_General_100_BIN2"
            ),
            Dialect::Clickhouse => format!("match({text}, '{CONTROL}')"),
        };
        format!("{trimmed} = '' OR {padded} OR {bytes} > {bytes_max} OR {control}")
    }

    /// Is a text blank?
    pub(super) fn is_blank(self, text: &str) -> String {
        match self {
            Dialect::Clickhouse => format!("trimBoth({text}) = ''"),
            _ => format!("TRIM({text}) = ''"),
        }
    }

    /// A value that whoever runs the statement gives: by name where the
    /// database knows names, else by number.
    pub(super) fn parameter(self, number: usize, name: &str, kind: &Kind) -> String {
        let parameter = match self {
            Dialect::Bigquery | Dialect::Tsql => format!("@{name}"),
            Dialect::Snowflake | Dialect::Databricks => format!(":{name}"),
            Dialect::Postgres | Dialect::Redshift => format!("${number}"),
            Dialect::Duckdb => format!("${name}"),
            Dialect::Clickhouse => format!("{{{name}:{}}}", self.optional(kind)),
        };
        format!("CAST({parameter} AS {})", self.cast_type(kind))
    }

    /// What a statement that joins ends with.
    pub(super) fn ending(self) -> &'static str {
        match self {
            // What has no partner is null there too, not an empty text or 1970.
            Dialect::Clickhouse => "\nSETTINGS join_use_nulls = 1",
            _ => "",
        }
    }

    fn cast_type(self, kind: &Kind) -> String {
        match (self, kind) {
            (Dialect::Clickhouse, _) => self.optional(kind),
            (Dialect::Tsql, Kind::Name) => "NVARCHAR(240)".to_owned(),
            _ => self.type_of(kind).to_owned(),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Can a text stand in SQL without quotes?
fn is_plain(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|rest| rest.is_ascii_alphanumeric() || rest == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dialect: Dialect, name: &str) -> Option<String> {
        dialect.table(&name.parse().unwrap()).ok()
    }

    #[test]
    fn a_name_is_quoted_only_where_its_owner_quotes_it() {
        let name = r#""my-project".sales."Coverage Ledger""#;
        for (dialect, sql) in [
            (Dialect::Bigquery, "`my-project`.sales.`Coverage Ledger`"),
            (Dialect::Tsql, "[my-project].sales.[Coverage Ledger]"),
            (
                Dialect::Snowflake,
                r#""my-project".sales."Coverage Ledger""#,
            ),
        ] {
            assert_eq!(written(dialect, name).as_deref(), Some(sql));
        }
    }

    #[test]
    fn no_name_ends_before_its_end() {
        for name in [
            "ledger; drop table x",
            "ledger--",
            "a-b",
            "1st",
            "\"a`b\"",
            "\"a]b\"",
            "\"a\"\"b\"",
            "\"a\\b\"",
            "\"a\nb\"",
        ] {
            for dialect in Dialect::value_variants() {
                assert_eq!(written(*dialect, name), None, "{name}");
            }
        }
    }
}

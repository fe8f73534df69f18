//! Which one query answers everything that is asked of a table?
//!
//! Every column of the answer is a text or null: the rows, then four for each
//! field of times, then how many rows are filled. One `SELECT` of aggregates
//! is one scan.

use std::fmt::Write as _;

use freshness_core::civil::Zone;
use freshness_core::slo::Filled;

use super::column::{self, Column, Kind};
use super::look::{Look, Reading, Times};
use super::refusal::Refusal;
use super::table_name::quoted;
use super::target::Target;

/// How a database is asked for the times of a column: each an expression that
/// is a text or null.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TimesSql {
    /// How many values there are.
    pub(super) non_null: String,
    /// The greatest instant, epoch seconds, rounded down.
    pub(super) at: Option<String>,
    /// The greatest wall time, in the seconds of its own wall.
    pub(super) local: Option<String>,
    /// A value that is no time.
    pub(super) bad: Option<String>,
    /// What must stand beside the table for these to be asked: worked out once
    /// for each row.
    pub(super) beside: Option<String>,
}

/// A query and how its answer is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    /// What to ask.
    pub(super) sql: String,
    newest: Option<Asked>,
    source_newest: Option<Asked>,
    filled: Option<Fill>,
    zone: Option<Zone>,
}

/// What an answer will hold of a field of times.
#[derive(Debug, Clone, PartialEq)]
enum Asked {
    /// Four texts.
    Times,
    /// Nothing: the column says it already.
    Known(Reading),
}

#[derive(Debug, Clone, PartialEq)]
enum Fill {
    Counted,
    NoColumn,
}

impl Query {
    /// The query for a target whose table has these columns. `from` is what
    /// stands after `FROM`, `times` the dialect: how to ask a column of this
    /// kind, its name quoted, as the field of this number; `count` makes a count a
    /// text.
    pub(super) fn new(
        target: &Target,
        columns: &[Column],
        from: &str,
        times: impl Fn(&Kind, &str, usize) -> Option<TimesSql>,
        count: impl Fn(&str) -> String,
    ) -> Query {
        let mut parts = vec![count("*")];
        let mut from = from.to_owned();
        let mut ask = |field: &Option<String>, number: usize| {
            let field = field.as_deref()?;
            let Some(column) = column::find(columns, field) else {
                return Some(Asked::Known(Reading::NoColumn));
            };
            let Some(sql) = times(&column.kind, &quoted(&column.name), number) else {
                let Kind::Other(kind) = &column.kind else {
                    return None;
                };
                return Some(Asked::Known(Reading::NotTimes(kind.clone())));
            };
            if let Some(beside) = sql.beside {
                let _ = write!(from, "\n{beside}");
            }
            let or_null = |sql: Option<String>| sql.unwrap_or_else(|| "NULL".to_owned());
            parts.push(sql.non_null);
            parts.extend([or_null(sql.at), or_null(sql.local), or_null(sql.bad)]);
            Some(Asked::Times)
        };
        let newest = ask(&target.field, 1);
        let source_newest = ask(&target.source_field, 2);
        let field = target.availability_field.as_deref();
        let filled = field.map(|field| match column::find(columns, field) {
            Some(column) => {
                parts.push(count(&quoted(&column.name)));
                Fill::Counted
            }
            None => Fill::NoColumn,
        });
        let mut sql = format!("SELECT {}\nFROM {from}", parts.join(",\n  "));
        if let Some(filter) = &target.filter {
            // The line ends a comment that the condition may end with.
            let _ = write!(sql, "\nWHERE ({filter}\n)");
        }
        Query {
            sql,
            newest,
            source_newest,
            filled,
            zone: target.zone,
        }
    }

    /// What the row of the answer says.
    pub(super) fn read(&self, row: Vec<Option<String>>) -> Result<Look, Refusal> {
        let mut cells = row.into_iter();
        let mut next = || {
            cells
                .next()
                .ok_or_else(|| Refusal::QueryFailed("the answer is too short".to_owned()))
        };
        let rows = counted(next()?)?;
        let mut read = |asked: &Option<Asked>| -> Result<Option<Reading>, Refusal> {
            Ok(match asked {
                None => None,
                Some(Asked::Known(reading)) => Some(reading.clone()),
                Some(Asked::Times) => {
                    let times = Times {
                        non_null: counted(next()?)?,
                        at: next()?,
                        local: next()?,
                        bad: next()?,
                    };
                    Some(Reading::of(times, rows, self.zone))
                }
            })
        };
        let newest = read(&self.newest)?;
        let source_newest = read(&self.source_newest)?;
        let filled = match self.filled {
            None => None,
            Some(Fill::NoColumn) => Some(Filled::NoColumn),
            Some(Fill::Counted) => Some(Filled::Rows {
                non_null: counted(next()?)?,
                total: rows,
            }),
        };
        Ok(Look {
            rows,
            newest,
            source_newest,
            filled,
        })
    }
}

fn counted(cell: Option<String>) -> Result<u64, Refusal> {
    cell.and_then(|text| text.parse().ok())
        .ok_or_else(|| Refusal::QueryFailed("the answer holds no count".to_owned()))
}

//! How is a question of the user's own asked, and why was it not answered?

use std::time::Duration;

use super::question::NoQuestion;
use super::refusal::Refusal;
use crate::sources::problem::SourceError;
use crate::sources::table::{Columns, OnRow, TableRead};

/// What names the columns of an answer.
pub(super) const NAMED_BY: &str = "the query names the columns: select x as …";

/// A question of the user's own.
#[derive(Clone, Copy)]
pub(in crate::sources) struct Question<'a> {
    /// What to ask.
    pub(in crate::sources) sql: &'a str,
    /// What is read of the answer.
    pub(in crate::sources) columns: &'a Columns,
    /// Rows after which it is too much.
    pub(in crate::sources) rows_max: u64,
    /// How long the whole answer may take.
    pub(in crate::sources) limit: Duration,
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The text is not one question.
    #[error("{0}")]
    NoQuestion(NoQuestion),
    /// The database did not.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// It did, with other columns.
    #[error(transparent)]
    Columns(#[from] SourceError),
    /// It did, with too many rows.
    #[error("more than {0} rows")]
    TooMany(u64),
}

impl Unanswered {
    /// What can be done about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Unanswered::NoQuestion(_) => None,
            Unanswered::Refusal(Refusal::TimedOut(_)) => Some(
                "allow more with `timeout`, or let the query read only what is new: … where arrived_at > {since}"
                    .to_owned(),
            ),
            Unanswered::Refusal(Refusal::NoPermission(_)) => {
                Some("the login of the connection must be allowed to read what the query names".to_owned())
            }
            Unanswered::Refusal(refusal) => refusal.hint().map(str::to_owned),
            Unanswered::Columns(error) => error.hint(),
            Unanswered::TooMany(_) => Some(
                "let the query read only what is new: … where arrived_at > {since}".to_owned(),
            ),
        }
    }
}

/// Counts rows on their way.
pub(super) struct Counted<'q, 'f, 'r> {
    question: Question<'q>,
    pub(super) rows: u64,
    pub(super) on_row: &'f mut OnRow<'r>,
}

impl<'q, 'f, 'r> Counted<'q, 'f, 'r> {
    pub(super) fn new(question: Question<'q>, on_row: &'f mut OnRow<'r>) -> Counted<'q, 'f, 'r> {
        Counted {
            question,
            rows: 0,
            on_row,
        }
    }

    /// Are so many more still not too many?
    pub(super) fn allow(&self, more: u64) -> Result<(), Unanswered> {
        match self.rows + more > self.question.rows_max {
            true => Err(Unanswered::TooMany(self.question.rows_max)),
            false => Ok(()),
        }
    }

    pub(super) fn read(self, ignored: Vec<String>) -> TableRead {
        TableRead {
            rows: self.rows,
            ignored,
        }
    }
}

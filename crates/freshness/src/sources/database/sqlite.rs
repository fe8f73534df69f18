//! How is a file of SQLite asked?
//!
//! By the store's own SQLite. A column may hold values of any type, so each cell
//! says what it is; times are texts or numbers.

use std::cell::Cell as Shared;
use std::path::{Path, PathBuf};

use freshness_store::{ForeignError, ForeignValue, query_foreign};

use super::answer::{Counted, NAMED_BY, Question, Unanswered};
use super::refusal::Refusal;
use crate::sources::table::{COLUMNS_MAX, Cell, OnRow, TableRead};

/// A file.
pub(super) struct Sqlite {
    file: PathBuf,
}

impl Sqlite {
    pub(super) fn open(file: &Path) -> Sqlite {
        Sqlite {
            file: file.to_owned(),
        }
    }

    pub(super) fn ask(
        &self,
        question: Question<'_>,
        on_row: &mut OnRow<'_>,
    ) -> Result<TableRead, Unanswered> {
        let mut counted = Counted::new(question, on_row);
        let places = Shared::new([None; COLUMNS_MAX]);
        let mut ignored = Vec::new();
        let mut too_many = None;
        let answered = query_foreign(
            &self.file,
            question.sql,
            question.limit,
            |names| {
                let (found, rest) = question.columns.find(names, NAMED_BY)?;
                places.set(found);
                ignored = rest;
                Ok(())
            },
            &mut |values| {
                if let Err(more) = counted.allow(1) {
                    too_many.get_or_insert(more);
                    return false;
                }
                counted.rows += 1;
                let mut cells = [Cell::Missing; COLUMNS_MAX];
                for (cell, place) in cells.iter_mut().zip(places.get()) {
                    *cell = place.map_or(Cell::Missing, |place| self::cell(values[place]));
                }
                (counted.on_row)(counted.rows, Ok(&cells));
                true
            },
        );
        if let Some(more) = too_many {
            return Err(more);
        }
        match answered {
            Ok(Ok(())) => Ok(counted.read(ignored)),
            Ok(Err(columns)) => Err(Unanswered::Columns(columns)),
            Err(error) => Err(self.refusal(&error, question).into()),
        }
    }

    fn refusal(&self, error: &ForeignError, question: Question<'_>) -> Refusal {
        match error {
            ForeignError::NoFile | ForeignError::NotSqlite => Refusal::NoConnection {
                server: self.file.display().to_string(),
                why: error.to_string(),
            },
            ForeignError::NoPermission => Refusal::NoPermission(self.file.display().to_string()),
            ForeignError::TimedOut => Refusal::TimedOut(question.limit),
            ForeignError::Locked | ForeignError::NotReading | ForeignError::Refused(_) => {
                Refusal::QueryFailed(error.to_string())
            }
        }
    }
}

fn cell(value: ForeignValue<'_>) -> Cell<'_> {
    match value {
        ForeignValue::Null | ForeignValue::Text(b"") => Cell::Missing,
        ForeignValue::Integer(n) => Cell::Integer(n.into()),
        ForeignValue::Real(n) => Cell::Float(n),
        ForeignValue::Text(bytes) => {
            std::str::from_utf8(bytes).map_or(Cell::NotUtf8(bytes), Cell::Text)
        }
        ForeignValue::Blob(_) => Cell::Other("bytes"),
    }
}

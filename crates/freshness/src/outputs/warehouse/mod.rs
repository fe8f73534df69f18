//! Which SQL asks the same of a warehouse's own tables?
//!
//! Statements are written out once, in `templates/warehouse`; what databases
//! spell differently is in `dialect`.

mod coverage;
mod dialect;
mod learned;

use askama::Template;
use serde::Serialize;

pub use coverage::CoverageSql;
pub use dialect::{Dialect, UnsafeName};
pub use learned::LearnedSql;

/// SQL with comments: one statement, or several with semicolons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// What it is for, in a word.
    pub what: &'static str,
    /// The text.
    pub sql: String,
}

impl Statement {
    fn of(what: &'static str, template: &impl Template) -> Statement {
        let sql = template.render().expect("writing to a text does not fail");
        Statement {
            what,
            sql: sql.trim_end().to_owned(),
        }
    }
}

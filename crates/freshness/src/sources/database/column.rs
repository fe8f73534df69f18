//! How does a column tell time?

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Its name, as the database has it.
    pub(super) name: String,
    /// How it tells time.
    pub(super) kind: Kind,
}

/// How the values of a column tell time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each is an instant.
    Instant,
    /// Each is a wall time somewhere.
    Local,
    /// Each is a civil day.
    Day,
    /// Each is a text to be read.
    Text,
    /// Each is an epoch: seconds, milli-, micro- or nanoseconds by its size.
    Number,
    /// They do not; the type, in the database's words.
    Other(String),
}

/// The column of this name, or the only one that differs in case alone.
pub(super) fn find<'a>(columns: &'a [Column], name: &str) -> Option<&'a Column> {
    if let Some(column) = columns.iter().find(|column| column.name == name) {
        return Some(column);
    }
    let name = name.to_lowercase();
    let mut alike = columns
        .iter()
        .filter(|column| column.name.to_lowercase() == name);
    let first = alike.next()?;
    alike.next().is_none().then_some(first)
}

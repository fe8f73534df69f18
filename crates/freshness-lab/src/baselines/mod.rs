//! What would simpler rules have raised?

pub mod plain;

/// An alert that a rule would have raised. UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alert {
    /// When.
    pub at: i64,
    /// Start of the cycle that it is about.
    pub cycle_start: i64,
}

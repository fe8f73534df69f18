//! Does core keep its laws?

mod clocks;
mod field;
mod feed;

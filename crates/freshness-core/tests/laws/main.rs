//! Does core keep its laws?

mod clocks;
mod field;
mod feed;
mod oracles;
mod properties;
mod trust;

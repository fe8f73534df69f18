//! Does core keep its laws?

mod clocks;
mod field;
mod feed;
mod oracles;
mod incidents;
mod properties;
mod trust;

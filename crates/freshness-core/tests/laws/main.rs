//! Does core keep its laws?

mod bursts;
mod clocks;
mod coverage;
mod field;
mod feed;
mod oracles;
mod incidents;
mod maintained;
mod properties;
mod slo;
mod slo_field;
mod trust;

//! How fast is it, and how much memory does it take?
//!
//! A warehouse is written to a file and put through the real binary: import,
//! fit, check, each timed as a whole process with its start-up, on a real
//! store file. Other work on the machine only adds to a time, so the least of
//! several is told beside the median.

mod console;
mod coverage;
mod importers;
mod instruments;
mod machine;
mod measure;
mod page;
mod run;
mod slo;
mod spread;
mod suppression;
mod trust;
mod write;

pub use console::ConsoleResults;
pub use coverage::{Coverage, coverage, coverage_told};
pub use importers::{ImporterTimes, Importers, importers, importers_told};
pub use instruments::{Instruments, instruments};
pub use machine::Machine;
pub use measure::{Measured, measure};
pub use page::page;
pub use run::{Plan, Results, bench};
pub use slo::{Slo, slo, slo_told};
pub use spread::Spread;
pub use suppression::{GraphTimes, Suppression, suppression, suppression_told};
pub use trust::{TrustTimes, trust_times, trust_told};
pub use write::{write_csv, write_parquet};

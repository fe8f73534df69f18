//! Turns the answer into an exit code, and an error into words.

use std::io::{self, Write};
use std::process::ExitCode;

use freshness::cli::{self, Answer};
use freshness::hint;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Ok(answer) => ExitCode::from(answer.exit_code()),
        Err(error) => {
            report(&error);
            ExitCode::from(Answer::CouldNotTell.exit_code())
        }
    }
}

/// Says what went wrong and, when known, the remedy. A closed stderr is no
/// reason to fail differently.
fn report(error: &anyhow::Error) {
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "error: {error:#}");
    if let Some(hint) = hint::of(error) {
        let _ = writeln!(stderr, "\nhint: {hint}");
    }
}

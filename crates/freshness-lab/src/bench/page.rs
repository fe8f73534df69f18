//! How are the measurements told to a reader?

use std::fmt::Write as _;

use super::{Results, Spread};

/// What the tool that inspired this one takes for the large warehouse, by its
/// own account: a fit, and a check (milliseconds).
const INSPIRATION: (f64, f64) = (12_360.0, 421.0);

/// All results as a Markdown page.
pub fn page(results: &[Results]) -> String {
    let mut page = String::from(
        "# How fast is it, and how much memory does it take?\n\n\
         Written by `cargo run --release -p freshness-lab --bin bench -- --shape all`; do not \
         edit. Each number is of whole processes of the release build, start-up included, on a \
         real store file; *dataset* is the pure call that learns one dataset. Other work on the \
         machine only adds to a time, so the best run stands beside the median. That the models \
         are the same bytes with one thread and with two is asserted in each run.\n\n\
         | warehouse | datasets | arrivals | import | fit: best, median | fit, one thread | \
         dataset: p50, p95, p99 | fit memory | check: p50, p95, p99 | store |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for result in results {
        writeln!(
            page,
            "| {} | {} | {} | {} | {}, {} | {} | {} | {} MiB | {} | {} |",
            result.shape,
            thousands(result.n_datasets),
            thousands(result.n_arrivals),
            time(result.import.p50),
            time(result.fit.best),
            time(result.fit.p50),
            time(result.fit_one_thread.p50),
            quantiles(&result.fit_dataset),
            result.fit_peak_mib,
            quantiles(&result.check),
            bytes(result.store_bytes),
        )
        .expect("a string takes all");
        if result.shape == "large" {
            let (fit, check) = INSPIRATION;
            writeln!(
                page,
                "| large, the tool that inspired this one | {} | {} | | {} | | | | {} | |",
                thousands(result.n_datasets),
                thousands(result.n_arrivals),
                time(fit),
                time(check),
            )
            .expect("a string takes all");
        }
    }
    page.push_str(
        "\nTargets on two cores: large fit at most 0.25 s, check p50 at most 10 ms; huge fit at \
         most 60 s and 2,048 MiB.\n\n\
         | warehouse | processor | cores | memory | kernel | compiler | commit | load before |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for result in results {
        let machine = &result.machine;
        writeln!(
            page,
            "| {} | {} | {} | {} MiB | {} | {} | {} | {} |",
            result.shape,
            machine.cpu,
            machine.cores,
            machine.memory_mib,
            machine.kernel,
            machine.rustc,
            machine.commit,
            machine.load,
        )
        .expect("a string takes all");
    }
    page
}

fn quantiles(spread: &Spread) -> String {
    let Spread { p50, p95, p99, .. } = *spread;
    format!("{}, {}, {}", time(p50), time(p95), time(p99))
}

fn time(milliseconds: f64) -> String {
    match milliseconds {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.2} s", ms / 1_000.0),
    }
}

fn bytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

//! How are the measurements told to a reader?

use std::fmt::Write as _;

use super::{ConsoleResults, Instruments, Results, Spread};

/// What the tool that inspired this one takes for the large warehouse, by its
/// own account: a fit, and a check (milliseconds).
const INSPIRATION: (f64, f64) = (12_360.0, 421.0);

/// All results as a Markdown page.
pub fn page(results: &[Results], instruments: Option<&Instruments>) -> String {
    let mut page = String::from(
        "# How fast is it, and how much memory does it take?\n\n\
         Written by `cargo run --release -p freshness-lab --bin bench -- --shape all`; do not \
         edit. Each number is of whole processes of the release build, start-up included, on a \
         real store file; *dataset* is the pure call that learns one dataset, and *times a sort* how \
         many times longer all of these take than sorting the same arrivals. Other work on the \
         machine only adds to a time, so the best run stands beside the median. That the models \
         are the same bytes with one thread and with two is asserted in each run.\n\n\
         | warehouse | datasets | arrivals | import | fit: best, median | fit, one thread | \
         dataset: p50, p95, p99 | times a sort | fit memory | check: p50, p95, p99 | store |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for result in results {
        writeln!(
            page,
            "| {} | {} | {} | {} | {}, {} | {} | {} | {} | {} MiB | {} | {} |",
            result.shape,
            thousands(result.n_datasets),
            thousands(result.n_arrivals),
            time(result.import.p50),
            time(result.fit.best),
            time(result.fit.p50),
            time(result.fit_one_thread.p50),
            quantiles(&result.fit_dataset),
            result
                .fit_over_sort
                .map_or_else(String::new, |times| format!("{times:.1}")),
            result.fit_peak_mib,
            quantiles(&result.check),
            bytes(result.store_bytes),
        )
        .expect("a string takes all");
        if result.shape == "large" {
            let (fit, check) = INSPIRATION;
            writeln!(
                page,
                "| large, the tool that inspired this one | {} | {} | | {} | | | | | {} | |",
                thousands(result.n_datasets),
                thousands(result.n_arrivals),
                time(fit),
                time(check),
            )
            .expect("a string takes all");
        }
    }
    tell_consoles(&mut page, results);
    if let Some(found) = instruments {
        tell_instruments(&mut page, found);
    }
    page.push_str(
        "\nTargets on two cores: large fit at most 0.25 s, check p50 at most 10 ms; huge fit at \
         most 60 s and 2,048 MiB; the console of large at most 50 ms, of huge at most 2 s and 15 MB; evaluate about a second, the backtest a few.\n\n\
         | warehouse | processor | cores | memory | kernel | compiler | commit | load before |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let machines = results.iter().map(|one| (one.shape.as_str(), &one.machine));
    let made_up = instruments.iter().map(|found| ("made up", &found.machine));
    for (shape, machine) in machines.chain(made_up) {
        writeln!(
            page,
            "| {} | {} | {} | {} MiB | {} | {} | {} | {} |",
            shape,
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

fn tell_consoles(page: &mut String, results: &[Results]) {
    let measured: Vec<(&Results, &ConsoleResults)> = results
        .iter()
        .filter_map(|result| Some((result, result.console.as_ref()?)))
        .collect();
    if measured.is_empty() {
        return;
    }
    page.push_str(
        "\n`freshness report`, which judges all datasets, draws all charts and writes the console \
         for a browser and for programs.\n\n\
         | warehouse | datasets | report: best, median, p95 | memory | console.html | console.json |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for (result, console) in measured {
        let ConsoleResults {
            report,
            peak_mib,
            page_bytes,
            document_bytes,
        } = console;
        writeln!(
            page,
            "| {} | {} | {}, {}, {} | {peak_mib} MiB | {} | {} |",
            result.shape,
            thousands(result.n_datasets),
            time(report.best),
            time(report.p50),
            time(report.p95),
            bytes(*page_bytes),
            bytes(*document_bytes),
        )
        .expect("a string takes all");
    }
}

fn tell_instruments(page: &mut String, found: &Instruments) {
    let Instruments {
        n_datasets,
        n_arrivals,
        evaluate,
        backtest,
        backtest_peak_mib,
        machine: _,
    } = found;
    writeln!(
        page,
        "\nThe made-up warehouse of `freshness seed`, its last 45 days: `evaluate` with one fit, and \
         `backtest` with a fit every night.\n\n\
         | datasets | arrivals | evaluate: best, median | backtest: best, median | backtest memory |\n\
         | --- | --- | --- | --- | --- |\n\
         | {} | {} | {}, {} | {}, {} | {backtest_peak_mib} MiB |",
        thousands(*n_datasets),
        thousands(*n_arrivals),
        time(evaluate.best),
        time(evaluate.p50),
        time(backtest.best),
        time(backtest.p50),
    )
    .expect("a string takes all");
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

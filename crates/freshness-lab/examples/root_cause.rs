//! Is the right dataset blamed? Over seeds of the made-up warehouse.

use freshness_core::civil::{DAY, Holidays};
use freshness_core::fit::Parameters;
use freshness_lab::evaluate::{RootCause, Subject, root_cause};
use freshness_lab::seed::warehouse;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| args.next().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (from, to, n_threads) = (number(1), number(4), number(2) as usize);
    let holidays = Holidays::builtin();
    let mut all = RootCause::default();
    for seed in from..=to {
        let made = warehouse(seed);
        let mut subjects = Subject::all(&made.datasets, &made.truth);
        subjects.sort_by(|a, b| a.dataset.id.cmp(&b.dataset.id));
        let window = (made.ends_at - 45 * DAY, made.ends_at);
        let found = root_cause(
            &subjects,
            &made.lineage,
            window,
            &holidays,
            &Parameters::default(),
            n_threads,
        );
        println!("{seed}: {found:?}\n   {:?}", found.rates());
        all.add(&found);
    }
    println!("all: {all:?}\n   {:?}", all.rates());
}

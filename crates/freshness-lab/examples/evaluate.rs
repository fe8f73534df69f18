//! How does the library evaluate, without the command line?
//!
//! `cargo run --release -p freshness-lab --example evaluate -- 1 5` says F1,
//! detection and false alarms of each method over seeds 1 to 5, and of the
//! learned deadlines each dataset that was not judged as the oracle did.

use freshness_core::civil::Holidays;
use freshness_core::fit::Parameters;
use freshness_lab::baselines::Method;
use freshness_lab::evaluate::{Plan, Refit, Subject, evaluate, over_seeds};
use freshness_lab::seed::warehouse;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Result<Vec<u64>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let numbers = numbers?;
    let first = numbers.first().copied().unwrap_or(1);
    let last = numbers.get(1).copied().unwrap_or(first);
    let holidays = Holidays::builtin();
    let plan = Plan {
        holdout_days: None,
        refit: Refit::Usual,
        methods: Method::ALL.to_vec(),
        onset: first == last,
        parameters: Parameters::default(),
        lineage: None,
        holidays: &holidays,
        n_threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut evaluations = Vec::new();
    for seed in first..=last {
        let warehouse = warehouse(seed);
        let subjects = Subject::all(&warehouse.datasets, &warehouse.truth);
        let plan = Plan {
            lineage: Some(&warehouse.lineage),
            ..plan.clone()
        };
        let evaluation = evaluate(&subjects, warehouse.ends_at, &plan)?;
        for line in &evaluation.datasets {
            let of = |method| line.methods.iter().find(|figures| figures.method == method);
            let (Some(learned), Some(oracle)) = (of(Method::Learned), of(Method::Oracle)) else {
                continue;
            };
            let missed = learned.n_incidents - learned.n_detected;
            if learned.n_false_alarms > 0 || missed > 0 {
                println!(
                    "seed {seed} {:<28} {:<16} {:<12} {:>3} false, {missed:>2} of {:>3} missed; oracle {:>3}, {:>2}; deadline {:>6.1} min, oracle {:>6.1}; {} ({})",
                    line.dataset_id,
                    line.class,
                    line.model_status,
                    learned.n_false_alarms,
                    learned.n_incidents,
                    oracle.n_false_alarms,
                    oracle.n_incidents - oracle.n_detected,
                    learned.minutes_to_deadline_p50.unwrap_or(f64::NAN),
                    oracle.minutes_to_deadline_p50.unwrap_or(f64::NAN),
                    line.learned_calendar,
                    line.true_calendar.as_deref().unwrap_or("unknown"),
                );
            }
        }
        evaluations.push(evaluation);
    }
    for spreads in over_seeds(&evaluations) {
        let mean = |name| spreads.figure(name).map_or(f64::NAN, |spread| spread.mean);
        println!(
            "{:<20} F1 {:.3}, detection {:.2} %, false alarms {:.3} % of cycles ({:.1}), deadline {:.1} min",
            spreads.method.name(),
            mean("f1"),
            100.0 * mean("detection"),
            100.0 * mean("false_alarm_rate"),
            mean("n_false_alarms"),
            mean("minutes_to_deadline_p50"),
        );
    }
    Ok(())
}

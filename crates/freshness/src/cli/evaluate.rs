//! How often does it cry wolf, and what does it catch, where the truth is known?

mod folder;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use freshness_core::lineage::Lineage;
use freshness_lab::baselines::Method;
use freshness_lab::evaluate::{
    EvaluateError, Evaluation, Plan, Refit, RootCause, RootCauseRates, Scores, Spreads, Subject,
    evaluate, holdout, in_parallel, over_seeds, root_cause,
};
use freshness_lab::seed::Kind;
use serde::Serialize;

use super::backtest::duration;
use super::plot::picture_format;
use super::{Answer, Context};
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::plot::{self, FileFormat, Look};
use crate::outputs::{evaluation, evaluations, write_document, write_line};
use crate::rounds;

/// Score learned deadlines against fixed rules, where the truth is known.
///
/// Learns from the past of a synthetic warehouse, and scores its last 45 days,
/// each judged by a model that had not seen it: how many false alarms, how many of the late deliveries
/// were alerted and how soon, beside the rules that teams use instead. Some of
/// those are handed what nobody has (the true calendar, thresholds tuned on the
/// scored days themselves), so that none is beaten unfairly. With --on the
/// warehouse in a folder, which may be your own history with mishaps in it.
/// Nothing is stored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness evaluate
  freshness evaluate --seed 7 --verbose
  freshness evaluate --plot calibration.svg
  freshness evaluate --seeds 1..20 --format json --out evaluation.json
  freshness evaluate --on tampered                   what `freshness mishap --out tampered` wrote

An alert is right if the cycle it is about has an incident and has not come; a cycle counts at most
one detection and one false alarm. A feed that stopped is scored for three cycles. A channel is a
team. Cold starts can only advise; their cycles are counted apart. Of a real history only what
`freshness mishap` did to it is known: any alert that it does not explain counts as a false alarm,
and those about cycles that in hindsight were ordinary are told apart.

Exit codes: 0 evaluated, 2 it could not be.")]
pub(super) struct EvaluateArgs {
    /// The warehouse of this seed
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "seeds")]
    seed: u64,

    /// The warehouses of these seeds, both included: means over all
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    seeds: Option<RangeInclusive<u64>>,

    /// The plain kind of warehouse: UTC, two shapes of noise, one move
    #[arg(long)]
    plain: bool,

    /// The warehouse in this folder, which `freshness seed` or `freshness mishap` wrote
    #[arg(long, value_name = "DIR", conflicts_with_all = ["seed", "seeds", "plain"])]
    on: Option<PathBuf>,

    /// Days at the end of the history that are scored, each by a model of the night before [default: 45; of a real history 180, hourly 60, weekly 550, monthly 1100]
    #[arg(long, value_name = "DAYS")]
    holdout_days: Option<u32>,

    /// Time from one fit to the next, such as 1d; never: one fit before the holdout [default: 1d; of a real history by class 1d, 7d or 30d]
    #[arg(long, value_name = "DURATION", value_parser = refit)]
    refit: Option<Refit>,

    /// Tell also each cell, month and dataset; of several seeds, each of them
    #[arg(long)]
    verbose: bool,

    /// Write the JSON document here as well
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Draw how often published quantiles and deadlines were really exceeded: .svg or .png
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    plot: Option<PathBuf>,
}

/// One warehouse.
#[derive(Debug, Serialize)]
struct One<'a> {
    command: &'static str,
    kind: Option<Kind>,
    seed: Option<u64>,
    folder: Option<String>,
    #[serde(flatten)]
    evaluation: &'a Evaluation,
    root_cause: Option<Told>,
}

/// Incidents: what was counted, and the rates.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    counts: RootCause,
    #[serde(flatten)]
    rates: RootCauseRates,
}

/// Several.
#[derive(Debug, Serialize)]
struct Several {
    command: &'static str,
    kind: Kind,
    n_warehouses: usize,
    methods: Vec<Spreads>,
    root_cause: Told,
    warehouses: Vec<Warehouse>,
}

/// One of several.
#[derive(Debug, Serialize)]
struct Warehouse {
    seed: u64,
    methods: Vec<MethodOf>,
    root_cause: Told,
}

#[derive(Debug, Serialize)]
struct MethodOf {
    method: Method,
    scores: Scores,
}

pub(super) fn run(args: &EvaluateArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let picture = match &args.plot {
        Some(path) => Some((path, picture_format(path)?)),
        None => None,
    };
    let holidays = rounds::holidays();
    let n_threads = match context.settings.threads {
        Some(threads) => usize::from(threads),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let plan = Plan {
        holdout_days: args.holdout_days,
        refit: args.refit.unwrap_or(Refit::Usual),
        methods: Method::ALL.to_vec(),
        onset: args.seeds.is_none(),
        parameters: context.settings.fit.clone(),
        lineage: None,
        holidays: &holidays,
        n_threads,
    };
    let kind = if args.plain {
        Kind::Plain
    } else {
        Kind::Diverse
    };
    if let Some(seeds) = &args.seeds {
        return over(seeds.clone().collect(), kind, &plan, args, context);
    }
    let evaluated = match &args.on {
        Some(folder) => {
            let known = folder::read(folder, context.clock.now())?;
            let subjects = Subject::all(&known.datasets, &known.truth);
            let plan = Plan {
                lineage: known.lineage.as_ref(),
                ..plan
            };
            let evaluation = evaluate(&subjects, known.ends_at, &plan);
            evaluation.map(|evaluation| {
                // What began where is known only where every cycle is.
                let lineage = known
                    .lineage
                    .as_ref()
                    .filter(|_| evaluation.every_cycle_known);
                let causes =
                    lineage.map(|lineage| causes(&subjects, lineage, known.ends_at, &plan));
                (evaluation, causes)
            })
        }
        None => made(kind, args.seed, &plan).map(|(evaluation, causes)| (evaluation, Some(causes))),
    };
    let (evaluation, causes) = evaluated.map_err(|error| in_words(&error))?;
    let document = One {
        command: "evaluate",
        kind: args.on.is_none().then_some(kind),
        seed: args.on.is_none().then_some(args.seed),
        folder: args.on.as_ref().map(|folder| folder.display().to_string()),
        evaluation: &evaluation,
        root_cause: causes.map(Told::new),
    };
    save(args, &document)?;
    if let Some((path, format)) = picture {
        draw(&evaluation, path, format)?;
    }
    match context.out.format {
        Format::Json => write_document(context.out.data(), &document)?,
        Format::Ndjson => {
            for method in &evaluation.methods {
                write_line(context.out.data(), method)?;
            }
        }
        Format::Table => {
            evaluation::write(&mut context.out, &evaluation, args.verbose)?;
            if let Some(causes) = &causes {
                context.out.line("")?;
                context.out.line(evaluation::root_causes(causes))?;
            }
        }
    }
    Ok(Answer::Healthy)
}

fn made(kind: Kind, seed: u64, plan: &Plan<'_>) -> Result<(Evaluation, RootCause), EvaluateError> {
    let made = kind.make(seed);
    let subjects = Subject::all(&made.datasets, &made.truth);
    let plan = &Plan {
        lineage: Some(&made.lineage),
        ..plan.clone()
    };
    let evaluation = evaluate(&subjects, made.ends_at, plan)?;
    Ok((
        evaluation,
        causes(&subjects, &made.lineage, made.ends_at, plan),
    ))
}

/// Follows incidents through the holdout.
fn causes(subjects: &[Subject<'_>], lineage: &Lineage, ends_at: i64, plan: &Plan<'_>) -> RootCause {
    let windows = subjects
        .iter()
        .map(|subject| holdout(subject, ends_at, plan));
    let window = windows.fold((i64::MAX, i64::MIN), |(from, to), window| {
        (from.min(window.from), to.max(window.to))
    });
    let Plan {
        parameters,
        holidays,
        n_threads,
        ..
    } = plan;
    root_cause(subjects, lineage, window, holidays, parameters, *n_threads)
}

impl Told {
    fn new(counts: RootCause) -> Told {
        Told {
            rates: counts.rates(),
            counts,
        }
    }
}

/// Several warehouses, one to a thread.
fn over(
    seeds: Vec<u64>,
    kind: Kind,
    plan: &Plan<'_>,
    args: &EvaluateArgs,
    context: &mut Context,
) -> anyhow::Result<Answer> {
    let bar = context.out.progress(seeds.len() as u64, "evaluating");
    let alone = Plan {
        n_threads: 1,
        ..plan.clone()
    };
    let found = in_parallel(&seeds, plan.n_threads, |&seed| {
        let found = made(kind, seed, &alone);
        bar.inc(1);
        found
    });
    bar.finish_and_clear();
    let found: Result<Vec<(Evaluation, RootCause)>, EvaluateError> = found.into_iter().collect();
    let (found, causes): (Vec<Evaluation>, Vec<RootCause>) =
        found.map_err(|error| in_words(&error))?.into_iter().unzip();
    let found: Vec<(u64, Evaluation)> = seeds.into_iter().zip(found).collect();
    let mut all = RootCause::default();
    causes.iter().for_each(|causes| all.add(causes));
    let document = several_of(&found, &causes, all, kind);
    save(args, &document)?;
    match context.out.format {
        Format::Json => write_document(context.out.data(), &document)?,
        Format::Ndjson => {
            for method in &document.methods {
                write_line(context.out.data(), method)?;
            }
        }
        Format::Table => {
            evaluations::write(&mut context.out, &found, args.verbose)?;
            context.out.line("")?;
            context.out.line(evaluation::root_causes(&all))?;
        }
    }
    Ok(Answer::Healthy)
}

fn several_of(
    found: &[(u64, Evaluation)],
    causes: &[RootCause],
    all: RootCause,
    kind: Kind,
) -> Several {
    let evaluations: Vec<Evaluation> = found.iter().map(|(_, one)| one.clone()).collect();
    let warehouse = |((seed, one), causes): (&(u64, Evaluation), &RootCause)| Warehouse {
        root_cause: Told::new(*causes),
        seed: *seed,
        methods: one
            .methods
            .iter()
            .map(|of| MethodOf {
                method: of.method,
                scores: of.scores.clone(),
            })
            .collect(),
    };
    Several {
        command: "evaluate",
        kind,
        n_warehouses: found.len(),
        methods: over_seeds(&evaluations),
        root_cause: Told::new(all),
        warehouses: found.iter().zip(causes).map(warehouse).collect(),
    }
}

fn save(args: &EvaluateArgs, document: &impl Serialize) -> anyhow::Result<()> {
    let Some(path) = &args.out else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    write_document(&mut bytes, document)?;
    std::fs::write(path, bytes).with_context(|| format!("cannot write: {}", path.display()))
}

fn draw(evaluation: &Evaluation, path: &Path, format: FileFormat) -> anyhow::Result<()> {
    let found = &evaluation.calibration;
    let over = plot::calibration_over(found);
    let subject = plot::Subject::Calibration(found, &over);
    let bytes = plot::file(subject, Look::USUAL, format)?;
    std::fs::write(path, bytes).with_context(|| format!("cannot write: {}", path.display()))
}

fn in_words(error: &EvaluateError) -> anyhow::Error {
    let hint = match error {
        EvaluateError::NoTruth => "evaluate needs a warehouse of which the truth is known",
        EvaluateError::NoArrivals { .. } => "is arrivals.csv in the folder the right file?",
        EvaluateError::EmptyHoldout => "--holdout-days must be at least 1",
        EvaluateError::BeforeHistory { .. } => {
            "choose fewer --holdout-days, so that there is a past to learn from"
        }
        EvaluateError::NothingDue { .. } => "choose more --holdout-days",
    };
    failure(error, hint)
}

fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let refusal = || "expected two numbers, such as 1..20 (both included)".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(refusal)?;
    let to = to.strip_prefix('=').unwrap_or(to);
    let (from, to): (u64, u64) = (
        from.parse().map_err(|_| refusal())?,
        to.parse().map_err(|_| refusal())?,
    );
    match from <= to && to - from < 10_000 {
        true => Ok(from..=to),
        false => Err("the first must not be above the last, nor 10,000 below it".to_owned()),
    }
}

pub(super) fn refit(text: &str) -> Result<Refit, String> {
    match text {
        "never" => Ok(Refit::Never),
        text => duration(text)
            .map(|duration| Refit::Every(duration.as_secs()))
            .map_err(|refusal| format!("{refusal}, or never")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_range_with_both_ends() {
        assert_eq!(seeds("1..20"), Ok(1..=20));
        assert_eq!(seeds("3..3"), Ok(3..=3));
        for text in ["", "5", "5..", "9..3", "0..99999999"] {
            assert!(seeds(text).is_err(), "{text}");
        }
    }
}

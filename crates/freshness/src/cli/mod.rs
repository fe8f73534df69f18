//! What did the user ask for?
//!
//! Each command is a file with its arguments and a `run`; this page lists
//! them. A command answers with an [`Answer`], which is the exit code.

mod ack;
mod backtest;
mod check;
mod collect;
mod completions;
mod configuration;
mod coverage;
mod demo;
mod docs;
mod doctor;
mod evaluate;
mod explain;
mod export;
mod fit;
mod gate;
mod import;
mod incidents;
mod init;
mod man;
mod mishap;
mod plot;
mod report;
mod run;
mod run_local;
mod seed;
mod silence;
mod slo;
mod sources;
mod sql;
mod status;
mod story;
mod trust;
mod warehouse;

use std::ffi::OsString;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use freshness_store::{Access, Overrides, Store, StoreError};

use crate::clock::Clock;
use crate::config::{self, Environment, GlobalFlags, Settings};
use crate::outputs::Output;
use crate::rounds;

/// Learns when datasets arrive, and says which are late.
#[derive(Debug, Parser)]
#[command(
    name = "freshness",
    version,
    long_about = "Learns when datasets arrive, and says which are late, by how much, and why it thinks so.

Settings come from freshness.yaml, then FRESHNESS_* variables, then flags.",
    after_help = "Exit codes: 0 healthy, 1 late, 2 could not tell.",
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(flatten)]
    flags: GlobalFlags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Seed(seed::SeedArgs),
    RunLocal(run_local::RunLocalArgs),
    Import(import::ImportArgs),
    Collect(collect::CollectArgs),
    Export(export::ExportArgs),
    Sources(sources::SourcesArgs),
    Init(init::InitArgs),
    Config(configuration::ConfigArgs),
    Fit(fit::FitArgs),
    Status(status::StatusArgs),
    Check(check::CheckArgs),
    Incidents(incidents::IncidentsArgs),
    Ack(ack::AckArgs),
    Silence(silence::SilenceArgs),
    Trust(trust::TrustArgs),
    Slo(slo::SloArgs),
    Gate(gate::GateArgs),
    Coverage(coverage::CoverageArgs),
    Sql(sql::SqlArgs),
    Explain(explain::ExplainArgs),
    Plot(plot::PlotArgs),
    Report(report::ReportArgs),
    Run(run::RunArgs),
    Evaluate(evaluate::EvaluateArgs),
    Backtest(backtest::BacktestArgs),
    Mishap(mishap::MishapArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    #[command(hide = true)]
    Docs(docs::DocsArgs),
}

/// What a command found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing is wrong, or the work is done.
    Healthy,
    /// Something is late.
    Late,
    /// It could not be told. Never reported as healthy.
    CouldNotTell,
}

/// What every command is given.
#[derive(Debug)]
pub struct Context {
    /// What was set.
    pub settings: Settings,
    /// Variables named like ours that set nothing.
    pub unknown_variables: Vec<String>,
    /// What time it is.
    pub clock: Clock,
    /// Where output goes.
    pub out: Output,
}

impl Context {
    /// Opens the store that was set.
    pub fn open(&self, access: Access) -> Result<Store, StoreError> {
        let Settings {
            store,
            lock_timeout,
            rules,
            maintenance,
            ..
        } = &self.settings;
        let mut store = Store::open_waiting(store, access, *lock_timeout)?;
        if !rules.is_empty() || !maintenance.is_empty() {
            let (over, under, windows) = (rules.clone(), rules.clone(), maintenance.clone());
            store.override_datasets(Overrides {
                has_windows: !maintenance.is_empty(),
                over: Arc::new(move |told| over.over(told)),
                under: Arc::new(move |known| windows.over(under.under(known))),
            });
        }
        Ok(store)
    }
}

impl Answer {
    /// The exit code that says so.
    pub fn exit_code(self) -> u8 {
        match self {
            Answer::Healthy => 0,
            Answer::Late => 1,
            Answer::CouldNotTell => 2,
        }
    }

    /// The word that JSON says.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Healthy => "healthy",
            Answer::Late => "late",
            Answer::CouldNotTell => "could_not_tell",
        }
    }
}

/// Runs the command line.
pub fn run(args: impl IntoIterator<Item = OsString>) -> anyhow::Result<Answer> {
    let Cli { flags, command } = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(refusal) => {
            // Help and version are answers too; clap says both its own way.
            let _ = refusal.print();
            return Ok(match refusal.use_stderr() {
                true => Answer::CouldNotTell,
                false => Answer::Healthy,
            });
        }
    };
    let environment = Environment::read();
    let settings = match &command {
        // What a new file is to say does not hang on the old one.
        Command::Init(_) => config::resolve_without_file(flags, &environment)?,
        // Its answer is what is wrong.
        Command::Config(args) => match config::resolve(flags.clone(), &environment) {
            Ok(settings) => settings,
            Err(error) => match args.tells_faults() {
                Some(command) => {
                    return configuration::refused(command, error, flags, &environment);
                }
                None => return Err(error),
            },
        },
        _ => config::resolve(flags, &environment)?,
    };
    rounds::know_holidays(settings.holidays.clone());
    let mut context = Context {
        clock: Clock::new(settings.now),
        out: Output::new(&settings),
        unknown_variables: environment
            .unknown()
            .filter(|name| !settings.names_variable(name))
            .map(str::to_owned)
            .collect(),
        settings,
    };
    let answer = obey(&command, &mut context)?;
    context.out.finish()?;
    Ok(answer)
}

/// Runs one command in a context that is settled.
fn obey(command: &Command, context: &mut Context) -> anyhow::Result<Answer> {
    match command {
        Command::Demo(args) => demo::run(args, context),
        Command::Seed(args) => seed::run(args, context),
        Command::RunLocal(args) => run_local::run(args, context),
        Command::Import(args) => import::run(args, context),
        Command::Collect(args) => collect::run(args, context),
        Command::Export(args) => export::run(args, context),
        Command::Sources(args) => sources::run(args, context),
        Command::Init(args) => init::run(args, context),
        Command::Config(args) => configuration::run(args, context),
        Command::Fit(args) => fit::run(args, context),
        Command::Status(args) => status::run(args, context),
        Command::Check(args) => check::run(args, context),
        Command::Incidents(args) => incidents::run(args, context),
        Command::Ack(args) => ack::run(args, context),
        Command::Silence(args) => silence::run(args, context),
        Command::Trust(args) => trust::run(args, context),
        Command::Slo(args) => slo::run(args, context),
        Command::Gate(args) => gate::run(args, context),
        Command::Coverage(args) => coverage::run(args, context),
        Command::Sql(args) => sql::run(args, context),
        Command::Explain(args) => explain::run(args, context),
        Command::Plot(args) => plot::run(args, context),
        Command::Report(args) => report::run(args, context),
        Command::Run(args) => run::run(args, context),
        Command::Evaluate(args) => evaluate::run(args, context),
        Command::Backtest(args) => backtest::run(args, context),
        Command::Mishap(args) => mishap::run(args, context),
        Command::Doctor(args) => doctor::run(args, context),
        Command::Completions(args) => completions::run(args, context),
        Command::Man(args) => man::run(args, context),
        Command::Docs(args) => docs::run(args, context),
    }
}

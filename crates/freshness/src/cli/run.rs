//! What is due now, and what when that is done?
//!
//! Each step is the command of its name, in this process, so that who asks it to stop
//! waits for the step in hand and loses nothing. When a step is due next is counted from
//! when it was last begun, which the store keeps once it has ended: a step that was cut
//! short is done again, one that was missed is done once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Parser};
use freshness_store::{Access, StepRecord};
use jiff::Timestamp;

use super::{Answer, Cli, Context, obey};
use crate::clock::CLOCK_SLACK;
use crate::config::Timing;
use crate::hint::{self, failure};
use crate::outputs::words;
use crate::rounds;
use crate::signals::Stop;

/// Collect, fit, check and report by themselves, each when it is due.
///
/// Stays in the foreground until SIGTERM or SIGINT, which it obeys once the step in hand
/// is done, or at once if it is asked a second time. When each step is due says `schedule`
/// in freshness.yaml; without it sources are collected every 15 minutes, models learned at 06:30 and all is checked at a quarter
/// past each hour, UTC. What was missed meanwhile is done once. A step that fails stops no
/// other, and is tried again when it is due next; `freshness doctor` says how each went.
/// The configuration is read once, at the beginning.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness run
  freshness run --once                         what is due now, for cron or a timer
  freshness run --once --now 2026-03-01T07:00:00Z

Exit codes: until it is asked to stop 0; 143 where it had to be asked twice. With --once
that of the last `check`, now or before, and 2 if there was none; 2 also where another step failed or could not do all of its
work, or was not begun because it was asked to stop, unless something is late (1).
2 too where another `freshness run` works on the same store.")]
pub(super) struct RunArgs {
    /// Do what is due now, and end
    #[arg(long)]
    once: bool,
}

/// What is done, in this order where several are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Collect,
    Fit,
    Check,
    Report,
}

/// A machine that slept, or a clock that was set, is noticed after so long.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(super) fn run(args: &RunArgs, context: &mut Context) -> anyhow::Result<Answer> {
    if context.settings.now.is_some() && !args.once {
        return Err(failure(
            "the clock is pinned, and stands still",
            "--now and FRESHNESS_NOW go with --once",
        ));
    }
    // Who is asked to stop from here on ends nothing in the middle.
    let stop = Stop::listen().context("cannot listen for signals")?;
    let _alone = alone(&context.settings.store)?;
    let mut done = BTreeMap::new();
    match args.once {
        true => once(stop, context, &mut done),
        false => follow(stop, context, &mut done),
    }
}

/// Does what is due, unless somebody asks it to stop before all is done.
fn once(
    mut stop: Stop,
    context: &mut Context,
    done: &mut BTreeMap<Step, Timestamp>,
) -> anyhow::Result<Answer> {
    let mut answer = Answer::Healthy;
    let (steps, _) = due(context, done)?;
    for (i, step) in steps.iter().enumerate() {
        if stop.asked_within(Duration::ZERO) {
            let left: Vec<&str> = steps[i..].iter().map(|step| step.name()).collect();
            context.out.talk(format_args!(
                "asked to stop: nothing is left half done, but not begun: {}",
                left.join(", ")
            ));
            return Ok(both(answer, Answer::CouldNotTell));
        }
        answer = both(answer, perform(*step, context, done)?);
    }
    if !steps.contains(&Step::Check) {
        answer = both(answer, last_checked(context)?);
    }
    let (_, next) = due(context, done)?;
    say_next(next, context);
    Ok(answer)
}

/// What the last check said, where none is due; nothing where none ever is, since
/// somebody else asks then.
fn last_checked(context: &Context) -> anyhow::Result<Answer> {
    if context.settings.schedule.check.is_never() {
        return Ok(Answer::Healthy);
    }
    let kept = context.open(Access::Create)?.steps()?;
    let last = kept.iter().find(|kept| kept.name == Step::Check.name());
    let all = [Answer::Healthy, Answer::Late, Answer::CouldNotTell];
    let said = last.and_then(|last| all.into_iter().find(|answer| answer.word() == last.answer));
    let said = said.unwrap_or(Answer::CouldNotTell);
    if let Some(last) = last {
        let at = words::utc(last.begun_at);
        context.out.talk(format_args!(
            "check is not due: that of {at} said {}",
            last.answer.replace('_', " ")
        ));
    }
    Ok(said)
}

/// Does what is due, and waits for what is due next, until somebody asks it to stop.
fn follow(
    mut stop: Stop,
    context: &mut Context,
    done: &mut BTreeMap<Step, Timestamp>,
) -> anyhow::Result<Answer> {
    let mut said = None;
    let (steps, next) = due(context, done)?;
    if steps.is_empty() && next.is_none() {
        return Err(failure(
            "nothing will ever be due",
            "each step of `schedule` that could do anything is `never`",
        ));
    }
    loop {
        let wait = match due(context, done) {
            Err(error) => {
                context.out.warn(format_args!("{error:#}"));
                LONGEST_WAIT
            }
            Ok((due, next)) if due.is_empty() => {
                if said != next {
                    say_next(next, context);
                    said = next;
                }
                until(next, context.clock.now())
            }
            Ok((due, _)) => {
                for step in due {
                    if stop.asked_within(Duration::ZERO) {
                        return Ok(Answer::Healthy);
                    }
                    perform(step, context, done)?;
                }
                Duration::ZERO
            }
        };
        if stop.asked_within(wait) {
            context.out.talk("asked to stop: nothing is left half done");
            return Ok(Answer::Healthy);
        }
    }
}

/// The step that is due next, and when.
type Next = Option<(Timestamp, Step)>;

/// The steps that are due, and what is due next of the others. `done` are those that
/// this process began, whatever the store could keep of them.
fn due(context: &Context, done: &BTreeMap<Step, Timestamp>) -> anyhow::Result<(Vec<Step>, Next)> {
    let store = context.open(Access::Create)?;
    let kept = store.steps()?;
    let now = context.clock.now();
    let (mut due, mut next): (Vec<Step>, Next) = (Vec::new(), None);
    for step in [Step::Collect, Step::Fit, Step::Check, Step::Report] {
        let Some(timing) = step.timing(context) else {
            continue;
        };
        let kept = kept.iter().find(|kept| kept.name == step.name());
        let last = kept.map(|kept| kept.begun_at).max(done.get(&step).copied());
        // A clock that was ahead when it was done tells nothing of when that was.
        let last = last.filter(|last| last.duration_since(now) <= CLOCK_SLACK);
        let at = match last {
            None if timing.is_never() => None,
            None => Some(now),
            Some(last) => {
                let at = timing.after(last.as_second(), context.settings.schedule.zone);
                at.and_then(|at| Timestamp::from_second(at).ok())
            }
        };
        match at {
            Some(at) if at <= now => due.push(step),
            Some(at) => next = next.into_iter().chain([(at, step)]).min(),
            None => {}
        }
    }
    Ok((due, next))
}

/// Does a step, says and keeps how it went. An error is one of the output.
fn perform(
    step: Step,
    context: &mut Context,
    done: &mut BTreeMap<Step, Timestamp>,
) -> anyhow::Result<Answer> {
    let begun_at = context.clock.now();
    done.insert(step, begun_at);
    context
        .out
        .talk(format_args!("{}: {}", words::utc(begun_at), step.name()));
    let kept = context
        .open(Access::Create)
        .and_then(|mut store| store.begin_step(step.name(), begun_at));
    if let Err(error) = kept {
        let name = step.name();
        context
            .out
            .warn(format_args!("that {name} is begun cannot be kept: {error}"));
    }
    // A defect in one step must not end the others.
    let went = catch_unwind(AssertUnwindSafe(|| obey_line(step, context))).unwrap_or_else(|_| {
        Err(anyhow::anyhow!(
            "it gave up; please report this as a defect"
        ))
    });
    let (answer, error) = match went {
        Ok(answer) => (answer, None),
        Err(error) => {
            let remedy = hint::of(&error).map(|hint| format!("\nhint: {hint}"));
            let remedy = remedy.unwrap_or_default();
            context
                .out
                .warn(format_args!("{} failed: {error:#}{remedy}", step.name()));
            (Answer::CouldNotTell, Some(format!("{error:#}")))
        }
    };
    let record = StepRecord {
        name: step.name().to_owned(),
        begun_at,
        ended_at: context.clock.now(),
        answer: answer.word().to_owned(),
        error,
    };
    let kept = context
        .open(Access::Create)
        .and_then(|mut store| store.record_step(&record));
    if let Err(error) = kept {
        let name = step.name();
        context
            .out
            .warn(format_args!("that {name} was done cannot be kept: {error}"));
    }
    context.out.finish()?;
    Ok(answer)
}

fn obey_line(step: Step, context: &mut Context) -> anyhow::Result<Answer> {
    let mut line: Vec<OsString> = vec!["freshness".into(), step.name().into()];
    if step == Step::Report {
        // What fit and check refuse to judge is not shown as if they had.
        rounds::not_behind(&context.open(Access::Create)?, &context.clock)?;
        line.extend([
            "--out".into(),
            context.settings.schedule.report_out.clone().into(),
        ]);
    }
    let Cli { flags: _, command } = Cli::try_parse_from(line)?;
    obey(&command, context)
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Step::Collect => "collect",
            Step::Fit => "fit",
            Step::Check => "check",
            Step::Report => "report",
        }
    }

    /// When it is due; `None` if there is nothing that it could do.
    fn timing(self, context: &Context) -> Option<&Timing> {
        let schedule = &context.settings.schedule;
        match self {
            Step::Collect if context.settings.sources.is_empty() => None,
            Step::Collect => Some(&schedule.collect),
            Step::Fit => Some(&schedule.fit),
            Step::Check => Some(&schedule.check),
            Step::Report => Some(&schedule.report),
        }
    }
}

/// What two steps say together: late outranks doubt, as it does in a check.
fn both(one: Answer, other: Answer) -> Answer {
    match (one, other) {
        (Answer::Late, _) | (_, Answer::Late) => Answer::Late,
        (Answer::CouldNotTell, _) | (_, Answer::CouldNotTell) => Answer::CouldNotTell,
        (Answer::Healthy, Answer::Healthy) => Answer::Healthy,
    }
}

fn until(next: Next, now: Timestamp) -> Duration {
    let wait = next.map(|(at, _)| at.duration_since(now));
    let wait = wait.and_then(|wait| Duration::try_from(wait).ok());
    wait.unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT)
}

fn say_next(next: Next, context: &Context) {
    match next {
        Some((at, step)) => {
            let name = step.name();
            context
                .out
                .talk(format_args!("next: {name} at {}", words::utc(at)));
        }
        None => context.out.talk("nothing more is due"),
    }
}

/// Locks a file beside the store for as long as it is held; the system lets go of it
/// however this process ends.
fn alone(store: &Path) -> anyhow::Result<File> {
    let mut beside = store.as_os_str().to_owned();
    beside.push(".run");
    let beside = Path::new(&beside);
    let cannot = || format!("cannot lock {}", beside.display());
    if let Some(folder) = store.parent() {
        fs::create_dir_all(folder).with_context(cannot)?;
    }
    let mut options = File::options();
    let file = options
        .create(true)
        .write(true)
        .truncate(false)
        .open(beside);
    let file = file.with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(failure(
            format_args!("another `freshness run` works on {}", store.display()),
            "one is enough; stop the other first",
        )),
        Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
    }
}

//! What does the program do where everything is known?
//!
//! A warehouse is made up, learned, checked and held against its truth, and all
//! of it ends on one page.

use std::path::PathBuf;

use clap::Args;
use freshness_lab::seed::{Kind, N_DAYS};
use jiff::Timestamp;

use super::story::{Folder, Story};
use super::{Answer, Context, evaluate};
use crate::outputs::words;

/// Make a synthetic warehouse and run everything on it, in one go.
///
/// seed, fit, status, incidents, trust, evaluate, check and report, each shown
/// as it could be typed, in a folder with a store, settings and a clock of its
/// own. Nothing is written outside it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness run-local
  freshness run-local --seed 7 --dir /tmp/warehouse-7

Exit codes: 0 shown, 2 could not; the exit code of the check in it is printed.")]
pub(super) struct RunLocalArgs {
    /// Which warehouse: each number makes another
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Learn anew this often while alerts are held against the truth: `30d` takes seconds, the usual nightly fit longer
    #[arg(long, value_name = "DURATION", value_parser = refit)]
    refit: Option<String>,

    /// Folder to work in: a new one, an empty one, or that of an earlier run, which starts afresh
    #[arg(long, value_name = "DIR", default_value = "freshness-local")]
    dir: PathBuf,
}

/// The folders of the warehouse and of the report.
const WAREHOUSE: &str = "warehouse";
const REPORT: &str = "freshness-report";

pub(super) fn run(args: &RunLocalArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let RunLocalArgs { seed, refit, dir } = args;
    let now = Timestamp::from_second(Kind::Diverse.make(*seed).ends_at)?;
    let folder = Folder::prepare(dir, "run-local", &[], &[WAREHOUSE, REPORT])?;
    let mut told = Story::begin(folder, now, &context.settings);
    let story = &mut told;

    story.say(format_args!(
        "A warehouse of which everything is known: {N_DAYS} days, looked at as if it were {}.

Everything is in {}; to do the same by hand:

$ cd {}
$ export FRESHNESS_NOW={now}",
        words::utc(now),
        dir.display(),
        dir.display(),
    ))?;

    story.chapter("Make it up, and import what it delivered")?;
    story.follow_quietly(&format!("seed --seed {seed} --out {WAREHOUSE}"))?;
    for what in ["arrivals", "datasets", "lineage", "dashboards"] {
        story.follow(&format!("import {what} {WAREHOUSE}/{what}.csv"))?;
    }

    story.chapter("Learn what is normal")?;
    story.follow("fit")?;

    story.chapter("See how every dataset is")?;
    story.follow("status")?;

    story.chapter("Find the few things that are behind what is late")?;
    story.follow("incidents")?;

    story.chapter("Which reports not to believe")?;
    story.follow("trust")?;

    story.chapter("Hold the alerts against the truth")?;
    let refit = match refit {
        Some(refit) => format!(" --refit {refit}"),
        None => String::new(),
    };
    story.follow(&format!("evaluate --seed {seed}{refit}"))?;

    story.chapter("Ask as a scheduler would")?;
    let answer = story.follow("check")?;
    story.say_answer(answer)?;

    story.chapter("See all of it on one page")?;
    story.follow(&format!("report --out {REPORT}"))?;
    Ok(Answer::Healthy)
}

/// Refuses what `evaluate` would refuse minutes later.
fn refit(text: &str) -> Result<String, String> {
    evaluate::refit(text).map(|_| text.to_owned())
}

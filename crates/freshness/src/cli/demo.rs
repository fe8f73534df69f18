//! What does the program do, told on real data?
//!
//! The commands shown are the commands run: each line is parsed as if it had
//! been typed in the demo's folder, with the clock pinned to an instant at
//! which several of the histories really had stopped. What later happened is
//! bundled too, and told at the end.

mod folder;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Parser};
use freshness_core::fit::Parameters;
use freshness_store::Access;
use jiff::Timestamp;

use super::{Answer, Cli, Context, obey};
use crate::clock::Clock;
use crate::config::{CheckSettings, Format, Settings};
use crate::outputs::datasets::sort_late_first;
use crate::outputs::{Output, Paint, Table, words};
use crate::rounds::{self, Judged};

use folder::{Folder, afterwards};

/// Show the whole story on real arrival histories.
///
/// Imports a dozen histories that are part of the program, learns what is
/// normal, checks them at an instant at which several were late, says which
/// dashboards that spoils, explains one, and tells what later happened. It has a store, settings and a clock of its
/// own and writes nothing outside its folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness demo
  freshness demo --dir /tmp/freshness-demo

Exit codes: 0 shown, 2 could not; the exit code of the check in it is printed.")]
pub(super) struct DemoArgs {
    /// Folder to work in: a new one, an empty one, or that of an earlier demo, which starts afresh
    #[arg(long, value_name = "DIR", default_value = "freshness-demo")]
    dir: PathBuf,
}

/// A Tuesday, the day after Labor Day: two feeds had stopped for good or for
/// months, a pair was in an outage of 13 days, and one by hand had slowed down.
/// The histories end here, see demo/README.md.
const INSTANT: &str = "2022-09-06T12:00:00Z";

/// The dataset that is explained.
const EXPLAINED: &str = "proxy_list";

pub(super) fn run(args: &DemoArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now: Timestamp = INSTANT.parse().context("the instant of the demo")?;
    let folder = Folder::prepare(&args.dir)?;
    let mut inside = settle(&folder, now, &context.settings);
    let story = &mut inside;

    story.out.line(format_args!(
        "A dozen real arrival histories, looked at as if it were {}.

Each is a file in a public git repository that a bot or a publisher updates
again and again; one arrival is one commit. Owners, dashboards and what is
critical are made up. Everything is in {}; to do the same by hand:

$ cd {}
$ export FRESHNESS_NOW={INSTANT}",
        words::utc(now),
        args.dir.display(),
        args.dir.display(),
    ))?;

    chapter(story, 1, "Import what arrived, and what is known of it")?;
    follow("import arrivals arrivals.csv.gz", &folder, story)?;
    follow("import datasets datasets.csv", &folder, story)?;
    follow("import lineage lineage.csv", &folder, story)?;
    follow("import dashboards dashboards.csv", &folder, story)?;

    chapter(story, 2, "Learn what is normal")?;
    follow("fit", &folder, story)?;

    chapter(story, 3, "Ask what is late")?;
    let answer = follow("check", &folder, story)?;
    story.out.line(format_args!(
        "\n(exit code {}: {})",
        answer.exit_code(),
        match answer {
            Answer::Healthy => "no critical dataset is late",
            Answer::Late => "a critical dataset is late, so that a scheduler or CI can stop",
            Answer::CouldNotTell => "it could not be told",
        }
    ))?;

    chapter(story, 4, "Find the few things that are behind it")?;
    follow("incidents", &folder, story)?;

    let judged = look(story, now)?;
    chapter(story, 5, "Why these are believed to be late")?;
    for judged in judged
        .iter()
        .filter(|judged| rounds::is_overdue(judged.state.state))
    {
        let state = &judged.state;
        story
            .out
            .line(format_args!("{}\n  {}", state.dataset_id, state.reason))?;
    }

    chapter(story, 6, "Which reports not to believe")?;
    follow("trust", &folder, story)?;

    chapter(story, 7, "Look closer at one")?;
    follow(&format!("explain {EXPLAINED}"), &folder, story)?;

    chapter(story, 8, "What really happened next")?;
    story
        .out
        .line("The histories go on after that instant; the program has not seen this part.\n")?;
    let table = what_happened(&judged, now);
    story.out.table(table)?;

    chapter(story, 9, "What to try next")?;
    story.out.line(format_args!(
        "In {}, with FRESHNESS_NOW as above:

  freshness status                           every dataset, late or not
  freshness explain trackers_all             a schedule in local time, across clock changes
  freshness explain nyc_summary              business days: Labor Day was no miss
  freshness check --format json              the same for programs
  freshness trust network_map                what a dashboard lost, and by which dataset
  freshness gate threat_watch --min-score 90 may it be refreshed? the exit code says
  freshness doctor                           is the monitor itself healthy?

With your own data, in a folder of yours and without FRESHNESS_NOW:

  freshness import arrivals arrivals.csv     columns dataset_id, arrived_at
  freshness fit                              once a day
  freshness check                            as often as you like",
        args.dir.display(),
    ))?;
    story.out.finish()?;
    Ok(Answer::Healthy)
}

/// The demo's own settings; only how it is shown is the user's.
fn settle(folder: &Folder, now: Timestamp, user: &Settings) -> Context {
    let settings = Settings {
        config_file: None,
        store: folder.store(),
        now: Some(now),
        format: Format::Table,
        threads: user.threads,
        lock_timeout: user.lock_timeout,
        color: user.color,
        unicode: user.unicode,
        pictures: None,
        quiet: user.quiet,
        fit: Parameters::default(),
        check: CheckSettings::default(),
    };
    Context {
        clock: Clock::new(settings.now),
        out: Output::new(&settings),
        unknown_variables: Vec::new(),
        settings,
    }
}

fn chapter(story: &mut Context, n: u8, title: &str) -> anyhow::Result<()> {
    let title = format!("{n}. {title}");
    let rule = if story.out.unicode { "─" } else { "-" };
    let rule = rule.repeat(78_usize.saturating_sub(title.len() + 1));
    story.out.line(format_args!("\n{title} {rule}"))?;
    Ok(story.out.line("")?)
}

/// Shows a command line and runs it.
fn follow(line: &str, folder: &Folder, story: &mut Context) -> anyhow::Result<Answer> {
    story.out.line(format_args!("$ freshness {line}"))?;
    // What the command says on stderr belongs below the line.
    story.out.finish()?;
    let words = line.split(' ').map(|word| folder.word(word).into());
    let typed = std::iter::once(OsString::from("freshness")).chain(words);
    let Cli { flags: _, command } = Cli::try_parse_from(typed)?;
    let answer = obey(&command, story)?;
    story.out.finish()?;
    Ok(answer)
}

/// Every dataset as the check saw it, late ones first.
fn look(story: &Context, now: Timestamp) -> anyhow::Result<Vec<Judged>> {
    let store = story.open(Access::ReadOnly)?;
    let Settings { check, threads, .. } = &story.settings;
    let mut judged = rounds::look(&store, now, check.max_model_age, *threads)?.datasets;
    sort_late_first(&mut judged);
    Ok(judged)
}

/// The states beside the next arrivals.
fn what_happened(judged: &[Judged], now: Timestamp) -> Table {
    let mut table = Table::new(&["STATE", "DATASET", "CAME NEXT", "AFTER ANOTHER"]);
    table.names(1);
    for Judged { state, .. } in judged {
        let next = afterwards(state.dataset_id.as_str());
        let (came, after) = match next {
            Some(at) => (
                words::utc(at),
                words::duration(at.duration_since(now).as_secs()),
            ),
            None => ("never again".to_owned(), "-".to_owned()),
        };
        table.row([
            (
                words::state(state.state).to_owned(),
                words::paint(state.state),
            ),
            (state.dataset_id.to_string(), Paint::Plain),
            (came, Paint::Plain),
            (after, Paint::Plain),
        ]);
    }
    table
}

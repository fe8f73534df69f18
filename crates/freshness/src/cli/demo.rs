//! What does the program do, told on real data?
//!
//! With the clock pinned to an instant at which several of the histories really
//! had stopped. What later happened is bundled too, and told at the end.

mod data;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use freshness_store::Access;
use jiff::Timestamp;

use super::story::{Folder, Story};
use super::{Answer, Context};
use crate::config::Settings;
use crate::outputs::datasets::sort_late_first;
use crate::outputs::{Paint, Table, words};
use crate::rounds::{self, Judged};

use data::{DATA, afterwards};

/// Show the whole story on real arrival histories.
///
/// Imports a dozen histories that are part of the program, learns what is
/// normal, checks them at an instant at which several were late, says which
/// dashboards that spoils, explains one, tells what later happened, and writes a
/// report to open in a browser. It has a store, settings and a clock of its own
/// and writes nothing outside its folder.
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

/// The folder of the report, in that of the demo.
const REPORT: &str = "freshness-report";

pub(super) fn run(args: &DemoArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now: Timestamp = INSTANT.parse().context("the instant of the demo")?;
    let folder = Folder::prepare(&args.dir, "demo", &DATA, &[REPORT])?;
    let mut told = Story::begin(folder, now, &context.settings);
    let story = &mut told;

    story.say(format_args!(
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

    story.chapter("Import what arrived, and what is known of it")?;
    story.follow("import arrivals arrivals.csv.gz")?;
    story.follow("import datasets datasets.csv")?;
    story.follow("import lineage lineage.csv")?;
    story.follow("import dashboards dashboards.csv")?;

    story.chapter("Learn what is normal")?;
    story.follow("fit")?;

    story.chapter("Ask what is late")?;
    let answer = story.follow("check")?;
    story.say_answer(answer)?;

    story.chapter("Find the few things that are behind it")?;
    story.follow("incidents")?;

    let judged = look(&story.context, now)?;
    story.chapter("Why these are believed to be late")?;
    for judged in judged
        .iter()
        .filter(|judged| rounds::is_overdue(judged.state.state))
    {
        let state = &judged.state;
        story.say(format_args!("{}\n  {}", state.dataset_id, state.reason))?;
    }

    story.chapter("Which reports not to believe")?;
    story.follow("trust")?;

    story.chapter("Look closer at one")?;
    story.follow(&format!("explain {EXPLAINED}"))?;

    story.chapter("What really happened next")?;
    story.say("The histories go on after that instant; the program has not seen this part.\n")?;
    let table = what_happened(&judged, now);
    story.context.out.table(table)?;

    story.chapter("What to try next")?;
    story.say(format_args!(
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
    story.chapter("See all of it on one page")?;
    story.follow(&format!("report --out {REPORT}"))?;
    Ok(Answer::Healthy)
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

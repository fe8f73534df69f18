//! What can be shown to everybody, in one file?

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context as _;
use clap::Args;
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::status::say_doubts;
use super::{Answer, Context};
use crate::config::Format;
use crate::hint::failure;
use crate::outputs::console::{self, Panel};
use crate::outputs::{WholeFile, words, write_document, write_line};
use crate::rounds::{self, Console};

/// Write the console: one page that shows everything, to open in a browser.
///
/// What is late now, what each dataset is expected to do and why it is believed
/// to be late, with a chart of its arrivals, and how far each dashboard can be
/// believed. console.html is one file that
/// needs no network and no server: it may be opened from a disk, put on a share
/// or attached to a message. console.json says the same to programs; badges/ has a picture, a
/// piece of HTML and the JSON for a badge of shields.io of each dashboard.
///
/// Records nothing, so it may look back with --now. Files of an earlier report
/// are replaced, each as a whole.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness report
  freshness report --out /srv/www/freshness
  freshness report --now 2026-03-01T07:00:00Z       as it was then

Exit codes: 0 written, 2 could not.")]
pub(super) struct ReportArgs {
    /// Folder to write: a new one, an empty one, or one that holds an earlier report
    #[arg(long, value_name = "DIR", default_value = "freshness-report")]
    out: PathBuf,
}

/// The page.
const PAGE: &str = "console.html";
/// Its mark stands in the first bytes of the page.
const HEAD_BYTES: u64 = 4_096;
/// The same for programs.
const DOCUMENT: &str = "console.json";

/// A folder with the badges of the dashboards.
const BADGES: &str = "badges";

/// What was written.
#[derive(Serialize)]
struct Account {
    command: &'static str,
    now: Timestamp,
    folder: String,
    page: String,
    n_datasets: usize,
    n_late: u64,
    n_incidents: usize,
    n_dashboards: usize,
}

pub(super) fn run(args: &ReportArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let folder = &args.out;
    refuse_foreign(folder)?;
    let store = context.open(Access::ReadOnly)?;
    let now = context.clock.now();
    let max_model_age = context.settings.check.max_model_age;
    let threads = context.settings.threads;
    let console = rounds::console(&store, now, max_model_age, threads, console::panel)?;
    say_doubts(&console.checked.doubts, context);
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder: {}", folder.display()))?;
    let pinned = context.clock.ahead().is_some();
    let page = folder.join(PAGE);
    let document = WholeFile::at(&folder.join(DOCUMENT))?;
    let file = WholeFile::at(&page)?;
    // Of 20,000 datasets each takes a while.
    thread::scope(|scope| {
        let document =
            scope.spawn(|| document.write(|out| Ok(console::write_json(out, &console)?)));
        file.write(|out| Ok(console::write_page(out, &console, max_model_age, pinned)?))?;
        document.join().unwrap_or_else(|panic| resume_unwind(panic))
    })?;
    write_badges(&folder.join(BADGES), &console)?;
    tell(&account(&console, folder, &page), context)?;
    Ok(Answer::Healthy)
}

fn account(console: &Console<Panel>, folder: &Path, page: &Path) -> Account {
    let summary = rounds::Summary::of(&console.checked.datasets);
    Account {
        command: "report",
        now: console.checked.now,
        folder: folder.display().to_string(),
        page: page.display().to_string(),
        n_datasets: console.panels.len(),
        n_late: summary.late + summary.missed,
        n_incidents: console.checked.causes.standing.len(),
        n_dashboards: console.dashboards.len(),
    }
}

fn tell(account: &Account, context: &mut Context) -> anyhow::Result<()> {
    let out = &mut context.out;
    match out.format {
        Format::Json => write_document(out.data(), account)?,
        Format::Ndjson => write_line(out.data(), account)?,
        Format::Table => {
            // The path alone is data, for `xdg-open $(freshness report)`.
            out.line(&account.page)?;
            out.talk(format_args!(
                "{} as of {}, {} late in {}; {}; open it in a browser",
                words::count(account.n_datasets as u64, "dataset"),
                words::utc(account.now),
                words::thousands(account.n_late),
                words::count(account.n_incidents as u64, "incident"),
                words::count(account.n_dashboards as u64, "dashboard"),
            ));
        }
    }
    Ok(())
}

/// Writes the badges, and removes those of dashboards that are gone: they would
/// go on saying what is not known any more.
fn write_badges(folder: &Path, console: &Console<Panel>) -> anyhow::Result<()> {
    let badges = console::badges(&console.dashboards, console.checked.now);
    if badges.is_empty() && !folder.exists() {
        return Ok(());
    }
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder: {}", folder.display()))?;
    for badge in &badges {
        WholeFile::at(&folder.join(&badge.name))?
            .write(|out| Ok(out.write_all(badge.text.as_bytes())?))?;
    }
    let kept: BTreeSet<&OsStr> = badges.iter().map(|it| OsStr::new(&it.name)).collect();
    let entries = fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder: {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let is_kept = path.file_name().is_some_and(|name| kept.contains(name));
        if !is_kept && fs::read(&path).is_ok_and(|text| console::is_badge(&text)) {
            fs::remove_file(&path).with_context(|| format!("cannot remove: {}", path.display()))?;
        }
    }
    Ok(())
}

/// Is it a page that a report has written?
fn is_ours(page: &Path) -> bool {
    let mut head = Vec::new();
    let read = fs::File::open(page).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(console::GENERATOR)
}

/// Refuses a folder with files that no report has written, so that nothing of
/// anybody is lost or mixed up with a report that is put on a server.
fn refuse_foreign(folder: &Path) -> anyhow::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error)
                .with_context(|| format!("cannot read the folder: {}", folder.display()));
        }
    };
    let names: Result<Vec<_>, _> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let names = names.map_err(|error: std::io::Error| {
        anyhow::Error::from(error).context(format!("cannot read the folder: {}", folder.display()))
    })?;
    match names.is_empty() || is_ours(&folder.join(PAGE)) {
        true => Ok(()),
        false => Err(failure(
            format_args!("the folder holds files of others: {}", folder.display()),
            "name a new or an empty one: `freshness report --out DIR`",
        )),
    }
}

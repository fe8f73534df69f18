//! Which files are to be looked for?

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_store::Access;
use jiff::SignedDuration;

use super::lake::{dataset, place};
use super::told;
use crate::cli::{Answer, Context};
use crate::config::values::wait;
use crate::hint::failure;
use crate::outputs::words;
use crate::rounds::told::take;
use crate::sources::files::{
    FilePattern, FileRules, FilesError, PatternError, ReadFiles, read_files,
};

/// Import files: each that matches a pattern is an arrival of one dataset.
///
/// A file arrives when it was last written. {date:%Y-%m-%d} in the pattern says
/// where its path has the day that it is for: yesterday's file that is delivered
/// again is yesterday's. A file that is still being written does not count:
/// on a disk one counts after two quiet minutes. Nor do files of no bytes, files
/// that are called .tmp, .part and the like, and what begins with a dot or an
/// underscore, unless the pattern names it. Files that are gone stay as they
/// were imported before. Folders that link back to themselves are not followed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import files 'landing/orders/{date:%Y-%m-%d}/*.csv' --dataset raw_orders
  freshness import files 's3://lake/orders/{date:year=%Y/month=%m/day=%d}/_SUCCESS' --allow-empty --dataset orders
  freshness import files 'landing/**/*.parquet' --date %Y%m%d --dataset clicks --unchanged-for 15m

Where a delivery is many files, let the pattern mean the marker that is written last: the first file
of a day is the one whose time counts. docs/lake.md tells more.

Exit codes: 0 imported; 2 nothing matched, all that matched was left out, or a folder could not be
looked at.")]
pub(super) struct FilesArgs {
    /// Files on this machine, or s3://, gs://, az://, abfss://, file://; with * ? [a-z] {a,b}, ** for
    /// any folders, and {date:…} in the letters of strftime. In quotes, so that the shell leaves it
    #[arg(required = true, value_name = "GLOB")]
    globs: Vec<String>,

    /// What the dataset is called
    #[arg(long, value_name = "ID", value_parser = dataset)]
    dataset: DatasetId,

    /// How the day is written that stands anywhere in the path, such as %Y%m%d
    #[arg(long, value_name = "PATTERN")]
    date: Option<String>,

    #[command(flatten)]
    arrived: ArrivedArgs,
}

/// When is a file there?
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct ArrivedArgs {
    /// A file counts once nothing was written to it for so long [default: 2m on a disk, 0s in an
    /// object store]
    #[arg(long, value_name = "DURATION", value_parser = wait)]
    unchanged_for: Option<SignedDuration>,

    /// Files of no bytes count too, such as a _SUCCESS that marks a delivery
    #[arg(long)]
    allow_empty: bool,
}

pub(super) fn run(args: &FilesArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let FilesArgs {
        globs,
        dataset,
        date,
        arrived,
    } = args;
    let [glob] = &globs[..] else {
        return Err(failure(
            format_args!("{} patterns where there should be one", globs.len()),
            "put it in quotes, so that the shell does not replace it: 'landing/*.csv'",
        ));
    };
    let found = look(glob, date.as_deref(), arrived, context)?;
    let (n_meant, n_arrived) = (found.n_meant, found.files.len() as u64);
    let is_sure = found.n_unreadable == 0;
    if n_meant == 0 && is_sure {
        return Err(failure(
            format_args!("no file matches: {glob}"),
            "hidden files, and those that begin with an underscore, match only if they are named",
        ));
    }
    context.out.talk(format_args!(
        "{dataset}: {} found, {} arrived",
        words::count(n_meant, "file"),
        words::thousands(n_arrived)
    ));
    let now = context.clock.now().as_second();
    let mut store = context.open(Access::Create)?;
    let taken = take(
        &mut store,
        found.told(dataset),
        &context.settings.renames,
        None,
        now,
    )
    .map_err(told::in_words)?;
    told::report("files", n_arrived, &taken, context)?;
    Ok(
        match taken.counts.refused.is_empty() && is_sure && n_arrived > 0 {
            true => Answer::Healthy,
            false => Answer::CouldNotTell,
        },
    )
}

/// The files that have arrived.
pub(in crate::cli) fn look(
    glob: &str,
    date: Option<&str>,
    arrived: &ArrivedArgs,
    context: &Context,
) -> anyhow::Result<ReadFiles> {
    let pattern = FilePattern::parse(glob, date).map_err(|error: PatternError| {
        let hint = error.hint();
        match hint {
            Some(hint) => failure(error, hint),
            None => error.into(),
        }
    })?;
    let rules = FileRules {
        now: context.clock.now().as_second(),
        quiet_seconds: arrived.unchanged_for.map(|quiet| quiet.as_secs()),
        allow_empty: arrived.allow_empty,
    };
    let folder = place(pattern.folder())?;
    read_files(&folder, &pattern, &rules).map_err(|error: FilesError| {
        let hint = error.hint();
        match hint {
            Some(hint) => failure(error, hint),
            None => error.into(),
        }
    })
}

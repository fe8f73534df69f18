//! Which release do the flags tell of?

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use freshness_core::coverage::{Claim, Manifest, Proposal, Total};
use freshness_store::Asked;

use super::super::Context;
use super::super::import::files;
use crate::hint::failure;
use crate::outputs::words;
use crate::sources;

/// Which run of which scope.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The feed
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(super) source: String,

    /// The part of it
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(super) scope: String,

    /// The run that publishes; the same run again changes nothing
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub(super) run_id: String,
}

/// What was published.
#[derive(Debug, Args)]
pub(super) struct ReleaseArgs {
    /// Up to when everything of the source is in: with an offset or Z, or epoch seconds
    #[arg(long, value_name = "TIME")]
    complete_through: Option<String>,

    /// When it was published
    #[arg(long, value_name = "TIME")]
    published_at: Option<String>,

    /// Where the source was read to: an offset, an LSN, the hash of a manifest
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,

    /// Rows published; 0 is a valid number of rows
    #[arg(long, value_name = "N")]
    rows: Option<u64>,

    /// Files or partitions that were expected: JSON with `expected` and `delivered`, or a list of names, or names, one a line
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,

    /// … and those that came: names, one a line
    #[arg(long, value_name = "FILE", requires = "manifest")]
    delivered: Option<PathBuf>,

    /// … or the files that came: those that match and are not being written any more, on this machine
    /// or in an object store; in quotes
    #[arg(
        long,
        value_name = "GLOB",
        requires = "manifest",
        conflicts_with = "delivered"
    )]
    delivered_files: Option<String>,

    /// A sum of the source and of what was published, such as amount=12.50/12.50; may be given several times
    #[arg(long, value_name = "NAME=SOURCE/PUBLISHED", value_parser = total)]
    total: Vec<Total>,

    /// The position that the source confirms; must be the one published
    #[arg(long, value_name = "TEXT")]
    confirmed_position: Option<String>,

    /// Refuse unless this is the next sequence of the scope
    #[arg(long, value_name = "N")]
    expect_seq: Option<u64>,

    /// Take coverage back, and say why
    #[arg(long, value_name = "REASON", conflicts_with = "correction")]
    allow_regression: Option<String>,

    /// Data that is covered already was made anew: coverage stays where it is
    #[arg(long)]
    correction: bool,
}

impl RunArgs {
    /// A proposal that names nothing but the run.
    pub(super) fn proposal(&self) -> Proposal {
        Proposal {
            source: self.source.clone(),
            scope: self.scope.clone(),
            run_id: self.run_id.clone(),
            ..Proposal::default()
        }
    }
}

impl ReleaseArgs {
    /// What is to be told of a run. A value that cannot be read is told too, so
    /// that the log has it; a file that cannot be read is not.
    pub(super) fn asked(
        &self,
        run: &RunArgs,
        step: freshness_core::coverage::Step,
        context: &Context,
    ) -> anyhow::Result<Asked> {
        let ReleaseArgs {
            complete_through,
            published_at,
            position,
            rows,
            manifest,
            delivered,
            delivered_files,
            total,
            confirmed_position,
            expect_seq,
            allow_regression,
            correction,
        } = self;
        let mut unreadable = None;
        let mut time =
            |field: &str, text: &Option<String>| match sources::told_time(field, text.as_ref()?) {
                Ok(at) => Some(at),
                Err(words) => {
                    unreadable.get_or_insert(words);
                    None
                }
            };
        let complete_through = time("complete_through", complete_through);
        let published_at = time("published_at", published_at);
        Ok(Asked {
            step,
            proposal: Proposal {
                complete_through,
                published_at,
                position: position.clone(),
                rows: *rows,
                claim: Claim {
                    manifest: match manifest {
                        Some(path) => {
                            let came = match (delivered, delivered_files) {
                                (Some(path), _) => Some(read_delivered(path)?),
                                (None, Some(glob)) => Some(look_for(glob, context)?),
                                (None, None) => None,
                            };
                            Some(read_manifest(path, came)?)
                        }
                        None => None,
                    },
                    totals: total.clone(),
                    confirmed_position: confirmed_position.clone(),
                },
                expect_seq: *expect_seq,
                allow_regression: allow_regression.clone(),
                correction: *correction,
                ..run.proposal()
            },
            why: String::new(),
            unreadable,
        })
    }
}

fn read_manifest(path: &Path, came: Option<Vec<String>>) -> anyhow::Result<Manifest> {
    let mut manifest = sources::read_manifest(&read(path)?)
        .map_err(|words| anyhow::anyhow!("{}: {words}", path.display()))?;
    if let Some(came) = came {
        if !manifest.delivered.is_empty() {
            return Err(failure(
                format_args!("the manifest says itself what came: {}", path.display()),
                "leave --delivered out, or `delivered` in the manifest",
            ));
        }
        manifest.delivered = came;
    }
    Ok(manifest)
}

fn read_delivered(path: &Path) -> anyhow::Result<Vec<String>> {
    sources::read_names(&read(path)?)
        .map_err(|words| anyhow::anyhow!("{}: {words}", path.display()))
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path)
        .with_context(|| format!("cannot read the manifest: {}", path.display()))
}

/// The names of the files that have arrived, from the folder of the pattern on.
fn look_for(glob: &str, context: &Context) -> anyhow::Result<Vec<String>> {
    let found = files::look(glob, None, &files::ArrivedArgs::default(), context)?;
    for remark in &found.remarks {
        let (place, what) = (
            words::printable(&remark.place),
            words::printable(&remark.what),
        );
        context.out.talk(format_args!("note: {place}: {what}"));
    }
    Ok(found.files.into_iter().map(|file| file.name).collect())
}

fn total(text: &str) -> Result<Total, String> {
    let parts = text
        .split_once('=')
        .and_then(|(name, sums)| Some((name, sums.split_once('/')?)));
    match parts {
        Some((name, (expected, found))) if !name.trim().is_empty() => Ok(Total {
            name: name.trim().to_owned(),
            expected: expected.trim().to_owned(),
            found: found.trim().to_owned(),
        }),
        _ => Err("expected a name and two sums, such as amount=12.50/12.50".to_owned()),
    }
}

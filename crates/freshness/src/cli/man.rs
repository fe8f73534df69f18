//! Where is the manual?

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, CommandFactory};
use clap_mangen::Man;

use super::{Answer, Cli, Context};

/// Print the man page, or write one for each command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness man | man -l -
  freshness man --dir ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// Write a page for each command into this directory.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &ManArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.dir {
        None => {
            let mut page = Vec::new();
            Man::new(Cli::command()).render(&mut page)?;
            context.out.data().write_all(&page)?;
        }
        Some(dir) => {
            let named = || format!("cannot write man pages: {}", dir.display());
            fs::create_dir_all(dir).with_context(named)?;
            clap_mangen::generate_to(Cli::command(), dir).with_context(named)?;
            context
                .out
                .talk(format_args!("wrote man pages: {}", dir.display()));
        }
    }
    Ok(Answer::Healthy)
}

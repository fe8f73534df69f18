//! How does the shell complete our commands?

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Answer, Cli, Context};

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness completions bash > ~/.local/share/bash-completion/completions/freshness
  freshness completions zsh > ~/.zfunc/_freshness
  freshness completions fish > ~/.config/fish/completions/freshness.fish")]
pub(super) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "freshness", &mut script);
    context.out.data().write_all(&script)?;
    Ok(Answer::Healthy)
}

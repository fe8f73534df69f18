//! What does the reference in `docs/cli.md` say?
//!
//! The help of every command, printed by the commands themselves; a test
//! compares the committed page.

use std::io::Write;

use clap::{Args, Command, CommandFactory, Subcommand};

use super::{Answer, Cli, Context};

/// Print a page of the documentation.
#[derive(Debug, Args)]
pub(super) struct DocsArgs {
    #[command(subcommand)]
    page: Page,
}

#[derive(Debug, Subcommand)]
enum Page {
    /// The command line, as in docs/cli.md.
    Cli,
}

pub(super) fn run(args: &DocsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match args.page {
        Page::Cli => context.out.data().write_all(reference().as_bytes())?,
    }
    Ok(Answer::Healthy)
}

fn reference() -> String {
    let mut page = String::from(
        "# The command line\n\n<!-- printed by `freshness docs cli`; a test compares -->\n",
    );
    let mut root = Cli::command();
    root.build();
    describe(&mut root, &mut page);
    page
}

/// The help of a command, then of its visible subcommands.
fn describe(command: &mut Command, page: &mut String) {
    let name = command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned();
    // Global options stand once, under the root.
    if name.contains(' ') {
        let global: Vec<_> = command
            .get_arguments()
            .filter(|argument| argument.is_global_set())
            .map(|argument| argument.get_id().clone())
            .collect();
        for id in global {
            *command = command.clone().mut_arg(id, |argument| argument.hide(true));
        }
    }
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## `{name}`\n\n```text\n"));
    page.push_str(lines.join("\n").trim_end());
    page.push_str("\n```\n");
    for subcommand in command.get_subcommands_mut() {
        if !subcommand.is_hide_set() {
            describe(subcommand, page);
        }
    }
}

//! What is configured, is it sound, and what may be?

mod check;
mod show;

use clap::{Args, Subcommand};

use super::{Answer, Context};
use crate::config::{self, Environment, GlobalFlags, config_path};
use crate::outputs::config_page::schema;
use crate::outputs::{Output, write_document};

/// Check the configuration, show it with where each value is from, or print its
/// JSON Schema.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(check::CheckConfigArgs),
    Show(show::ShowArgs),
    Schema(SchemaArgs),
}

/// Print the JSON Schema of freshness.yaml, for editors that complete and check.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness config schema > freshness.schema.json
  echo '# yaml-language-server: $schema=freshness.schema.json' | cat - freshness.yaml")]
struct SchemaArgs {}

impl ConfigArgs {
    /// The command, if what is wrong with a file is an answer to it.
    pub(super) fn tells_faults(&self) -> Option<&'static str> {
        match self.what {
            What::Check(_) => Some(check::COMMAND),
            What::Show(_) => Some(show::COMMAND),
            What::Schema(_) => None,
        }
    }
}

/// What `config check` answers where no command can be run, and `config show` where
/// that is by a fault of the file.
pub(super) fn refused(
    command: &'static str,
    error: anyhow::Error,
    flags: GlobalFlags,
    environment: &Environment,
) -> anyhow::Result<Answer> {
    let file = config_path(&flags, environment);
    let is_of_file = || config::faults(&file).iter().any(|it| it.line.is_some());
    if command != check::COMMAND && !is_of_file() {
        return Err(error);
    }
    // A variable that cannot be read may be what is wrong.
    let settings = config::resolve_without_file(flags.clone(), environment)
        .or_else(|_| config::resolve_without_file(flags, &Environment::default()))?;
    let mut out = Output::new(&settings);
    check::refused(command, &error, &file, &mut out)?;
    out.finish()?;
    Ok(Answer::CouldNotTell)
}

pub(super) fn run(args: &ConfigArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.what {
        What::Check(args) => check::run(args, context),
        What::Show(args) => show::run(args, context),
        What::Schema(SchemaArgs {}) => {
            write_document(context.out.data(), &schema())?;
            Ok(Answer::Healthy)
        }
    }
}

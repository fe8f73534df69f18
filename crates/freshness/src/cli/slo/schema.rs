//! What may stand in a file of service levels?

use std::io::Write;

use clap::Args;

use super::{Answer, Context};
use crate::outputs::slo_schema::{FileKind, schema};

/// Print the JSON Schema of a file of service levels, for editors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo schema > contract.schema.json
  freshness slo schema --level > level.schema.json

An editor that speaks YAML's language server completes and checks a file that begins with
# yaml-language-server: $schema=contract.schema.json")]
pub(in crate::cli) struct SchemaArgs {
    /// Of _domain.yaml and _system.yaml instead of a contract
    #[arg(long)]
    level: bool,
}

pub(super) fn run(args: &SchemaArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let kind = match args.level {
        true => FileKind::Level,
        false => FileKind::Contract,
    };
    let out = context.out.data();
    serde_json::to_writer_pretty(&mut *out, &schema(kind))?;
    out.write_all(b"\n")?;
    Ok(Answer::Healthy)
}

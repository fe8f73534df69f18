//! What is configured, and who said so?

use std::fs;

use clap::Args;
use serde::Serialize;

use super::super::{Answer, Context};
use crate::config::{Format, Origin, SCALARS};
use crate::outputs::{Paint, Table, write_document, write_line};
use crate::sources::typed_keys;

/// Show every setting, and where it is from: a flag, a variable, a line of the
/// file, or the default. Of secrets it shows where they are, as the file does. Of a
/// file that cannot be read as it should be it tells all faults, as `config check` does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness config show
  freshness config show --format json | jq '.settings[] | select(.origin != \"default\")'")]
pub(super) struct ShowArgs {}

/// The command, as it is typed.
pub(super) const COMMAND: &str = "config show";

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    file: Option<String>,
    settings: &'a [Setting],
}

#[derive(Serialize)]
struct Setting {
    key: String,
    value: Option<String>,
    origin: Origin,
    /// The flag, the variable, or file and line.
    from: Option<String>,
}

pub(super) fn run(_: &ShowArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let file = context.settings.config_file.clone();
    let keys = match &file {
        None => Vec::new(),
        Some(path) => {
            let text = fs::read_to_string(path)?;
            typed_keys(&text, &path.display().to_string()).map_err(anyhow::Error::msg)?
        }
    };
    let line_of = |key: &str| {
        let typed = keys.iter().find(|typed| typed.key == key)?;
        Some(format!("{}:{}", typed.file, typed.line))
    };
    let mut settings: Vec<Setting> = (context.settings.chosen.iter())
        .map(|chosen| Setting {
            key: chosen.key.to_owned(),
            value: chosen.value.clone(),
            origin: chosen.origin,
            from: match chosen.origin {
                Origin::Flag | Origin::Variable => chosen.by.map(str::to_owned),
                Origin::File => line_of(chosen.key),
                Origin::Default => None,
            },
        })
        .collect();
    // What is no scalar of its own is shown as it was typed.
    let is_scalar = |key: &str| SCALARS.iter().any(|scalar| scalar.key == Some(key));
    let rest = keys.iter().filter(|typed| !is_scalar(&typed.key));
    settings.extend(rest.map(|typed| Setting {
        key: typed.key.clone(),
        value: typed.value.clone(),
        origin: Origin::File,
        from: Some(format!("{}:{}", typed.file, typed.line)),
    }));
    let out = &mut context.out;
    match out.format {
        Format::Json => {
            let document = Document {
                command: COMMAND,
                file: file.map(|file| file.display().to_string()),
                settings: &settings,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for setting in &settings {
                write_line(out.data(), setting)?;
            }
        }
        Format::Table => {
            let mut table = Table::new(&["KEY", "VALUE", "FROM"]);
            for setting in &settings {
                let from = setting.from.clone();
                table.row([
                    (setting.key.clone(), Paint::Plain),
                    (setting.value.clone().unwrap_or_default(), Paint::Plain),
                    (from.unwrap_or_else(|| "default".to_owned()), Paint::Plain),
                ]);
            }
            out.table(table)?;
        }
    }
    Ok(Answer::Healthy)
}

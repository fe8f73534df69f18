//! What can be read, and how?

use clap::{Args, Subcommand};
use serde::Serialize;

use super::{Answer, Context};
use crate::config::Format;
use crate::hint::{did_you_mean, failure};
use crate::outputs::recipes::{RECIPES, Recipe};
use crate::outputs::{Paint, Table, write_document, write_line};

/// Show what sources can be read, and how.
#[derive(Debug, Args)]
pub(super) struct SourcesArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Recipes(RecipesArgs),
}

/// Print queries that are ready for a warehouse, and what each cannot see.
///
/// Each tells when tables were loaded, all tables by one query, in the columns of
/// `import query` and of a `query` source. Without a name they are listed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness sources recipes
  freshness sources recipes snowflake_dml_history > loads.sql
  freshness import query --connection warehouse --sql-file loads.sql")]
struct RecipesArgs {
    /// Print this one
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    recipes: &'a [Recipe],
}

pub(super) fn run(args: &SourcesArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let What::Recipes(RecipesArgs { name }) = &args.what;
    let shown = match name {
        None => &RECIPES[..],
        Some(name) => match RECIPES.iter().position(|recipe| recipe.name == name) {
            Some(i) => &RECIPES[i..=i],
            None => return Err(unknown(name)),
        },
    };
    let out = &mut context.out;
    match out.format {
        Format::Json => {
            let document = Document {
                command: "sources recipes",
                recipes: shown,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for recipe in shown {
                write_line(out.data(), recipe)?;
            }
        }
        Format::Table if name.is_some() => {
            for recipe in shown {
                out.line(recipe.page().trim_end())?;
            }
        }
        Format::Table => {
            let mut table = Table::new(&["RECIPE", "WAREHOUSE", "GOES BY", "CANNOT SEE"]);
            for recipe in shown {
                table.row([
                    (recipe.name.to_owned(), Paint::Plain),
                    (recipe.warehouse.to_owned(), Paint::Plain),
                    (recipe.goes_by.to_owned(), Paint::Plain),
                    (recipe.cannot_see.join("; "), Paint::Plain),
                ]);
            }
            out.table(table)?;
        }
    }
    Ok(Answer::Healthy)
}

fn unknown(name: &str) -> anyhow::Error {
    let known = RECIPES.iter().map(|recipe| recipe.name);
    let hint = match did_you_mean(name, known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`freshness sources recipes` lists them".to_owned(),
    };
    failure(format_args!("no such recipe: {name}"), hint)
}

//! Which first `freshness.yaml` fits what lies around?

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::{Answer, Context};
use crate::config::{Format, Tools};
use crate::hint::failure;
use crate::outputs::{words, write_document, write_line};
use crate::sources::{Surroundings, look_around};

/// Look around, and write a first freshness.yaml with comments.
///
/// It looks at this folder and a few levels below it for projects of dbt, tables of
/// Delta and Iceberg, files of arrivals and databases, and for variables of Airflow,
/// Dagster and PostgreSQL. What it finds becomes sources; what needs a word of yours
/// stands there as a comment. A file that is there already stays.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness init
  freshness init --dry-run
  freshness init && freshness config check && freshness collect

Exit codes: 0 written, 2 not.")]
pub(super) struct InitArgs {
    /// Write over a file that is there
    #[arg(long)]
    force: bool,

    /// Print the file instead of writing it
    #[arg(long)]
    dry_run: bool,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document {
    command: &'static str,
    file: String,
    written: bool,
    sources: u64,
    found: Vec<String>,
}

pub(super) fn run(args: &InitArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let file = match &context.settings.config_file {
        Some(file) => file.clone(),
        None => PathBuf::from("freshness.yaml"),
    };
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let around = look_around(folder);
    let (text, found) = first_file(&around, context.settings.tools);
    if args.dry_run {
        context.out.line(text.trim_end())?;
        return Ok(Answer::Healthy);
    }
    write(&file, &text, args.force)?;
    let n_sources = found.len() as u64;
    let out = &mut context.out;
    let document = Document {
        command: "init",
        file: file.display().to_string(),
        written: true,
        sources: n_sources,
        found,
    };
    match out.format {
        Format::Json => write_document(out.data(), &document)?,
        Format::Ndjson => write_line(out.data(), &document)?,
        Format::Table => {
            let n = words::count(n_sources, "source");
            out.line(format_args!("{} written, with {n}", file.display()))?;
            for found in &document.found {
                out.line(format_args!("  {found}"))?;
            }
            out.line(match n_sources {
                // What there is to collect is to be written first.
                0 => "next: name a source in it, then: freshness config check",
                _ => "next: freshness config check && freshness collect",
            })?;
        }
    }
    Ok(Answer::Healthy)
}

fn write(file: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).truncate(true);
    match force {
        true => options.create(true),
        // Also if somebody writes it at the same moment.
        false => options.create_new(true),
    };
    let opened = options.open(file);
    let mut opened = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(failure(
                format_args!("the file is there already: {}", file.display()),
                "--force writes over it, --dry-run prints the new one",
            ));
        }
        opened => {
            opened.map_err(|error| anyhow::anyhow!("cannot write {}: {error}", file.display()))?
        }
    };
    opened.write_all(text.as_bytes())?;
    Ok(())
}

const HEAD: &str = "\
# What `freshness` reads, and how. Every key may be left out; docs/config.md tells all.
# Check it: freshness config check. Read the sources: freshness collect.
";

/// The text of the file, and what it names.
fn first_file(around: &Surroundings, tools: Tools) -> (String, Vec<String>) {
    let Surroundings {
        dbt_projects,
        delta,
        iceberg,
        arrivals,
        sqlite,
        duckdb,
        is_cut,
    } = around;
    let mut names = Names::default();
    let mut sources = String::new();
    let mut found = Vec::new();
    let mut add = |kind: &str, path: &Path, keys: String| {
        let name = names.of(kind, path);
        let _ = writeln!(sources, "  {name}:\n    {kind}: {{{keys}}}");
        let shown = match path.as_os_str().is_empty() {
            true => Path::new("."),
            false => path,
        };
        found.push(format!("{name}: {kind}, {}", shown.display()));
    };
    for project in dbt_projects {
        let target = project.join("target");
        add("dbt", project, format!("targets: [{}]", quoted(&target)));
    }
    for (kind, tables) in [("delta", delta), ("iceberg", iceberg)] {
        for table in tables {
            let mut all = delta.iter().chain(iceberg);
            let is_alone = !all.any(|one| one != table && one.file_name() == table.file_name());
            let dataset = match is_alone {
                true => String::new(),
                false => format!(", dataset: {}", quoted(Path::new(&dotted(table)))),
            };
            add(kind, table, format!("tables: [{}]{dataset}", quoted(table)));
        }
    }
    for (folder, extension) in arrivals {
        let files = folder.join(format!("*.{extension}"));
        add("arrivals", folder, format!("files: [{}]", quoted(&files)));
    }
    let mut text = HEAD.to_owned();
    let databases = [("sqlite", sqlite), ("duckdb", duckdb)];
    let mut connections = String::new();
    let mut queries = String::new();
    for (kind, files) in databases {
        for file in files {
            let name = names.of(kind, file);
            let _ = writeln!(
                connections,
                "  {name}: {{{kind}: {{path: {}}}}}",
                quoted(file)
            );
            let _ = writeln!(
                queries,
                "  # {name}_loads:\n  #   query: {{connection: {name}, sql_file: {name}.sql}}   \
                 # freshness sources recipes {kind}_column > {name}.sql"
            );
        }
    }
    let Tools {
        airflow,
        dagster,
        postgres,
    } = tools;
    if connections.is_empty() {
        text.push_str("\n# Databases that queries may ask, by name.\n# connections:\n");
    } else {
        let _ = write!(
            text,
            "\n# Databases that queries may ask, by name.\nconnections:\n{connections}"
        );
    }
    if postgres {
        text.push_str("# PGHOST is set; a connection names the variable that holds a URL:\n");
    }
    text.push_str("#  warehouse: {postgres: {url_env: WAREHOUSE_URL}}\n");
    match sources.is_empty() {
        true => text.push_str("\n# What is read by `freshness collect`, by name.\n# sources:\n"),
        false => {
            let _ = write!(
                text,
                "\n# What is read by `freshness collect`, by name.\nsources:\n{sources}"
            );
        }
    }
    text.push_str(&queries);
    text.push_str(
        "#  warehouse_loads:
#    query: {connection: warehouse, sql_file: loads.sql}   # freshness sources recipes
",
    );
    if airflow {
        text.push_str("# Airflow's variables are set:\n#  airflow:\n#    airflow: {url: 'http://localhost:8080', user: viewer, password_env: AIRFLOW_PASSWORD}\n");
    }
    if dagster {
        text.push_str(
            "# DAGSTER_HOME is set:\n#  dagster:\n#    dagster: {url: 'http://localhost:3000'}\n",
        );
    }
    if *is_cut {
        text.push_str("# There was more around than was looked at.\n");
    }
    text.push_str(TAIL);
    (text, found)
}

const TAIL: &str = "
# What is said of datasets by pattern; the last that matches wins, key by key.
# datasets:
#   - {match: 'raw_*', team: finance}
#   - {match: [fct_orders], critical: true, owner: ann}

# How many false alarms each team's datasets may raise in a month.
# teams:
#   finance: {owner: ann, false_alarms_per_dataset_month: 0.05}
";

/// A name that tells a table from one of the same name in another folder.
fn dotted(table: &Path) -> String {
    let parts = table.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join(".")
}

/// A path as YAML takes it literally.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "''"))
}

/// Names that were given, so that no two are the same.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn of(&mut self, kind: &str, path: &Path) -> String {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let plain: String = (stem.chars())
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_lowercase()
                } else {
                    '_'
                }
            })
            .collect();
        let plain = match plain.trim_matches('_') {
            "" => kind.to_owned(),
            plain if plain.starts_with(|c: char| c.is_ascii_digit()) => format!("{kind}_{plain}"),
            plain => plain.to_owned(),
        };
        let taken = |name: &String| self.0.contains(name);
        let numbered = (2..).map(|n| format!("{plain}_{n}"));
        let name = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or(plain);
        self.0.push(name.clone());
        name
    }
}

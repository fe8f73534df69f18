//! Is the configuration sound?
//!
//! A file that cannot be read as it should be is refused by every command, with
//! its line. This one looks further: at what the file names elsewhere.

use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::super::{Answer, Context};
use crate::config::{self, Format, Placed, RuleSection, Settings, SourceSection};
use crate::hint::{self, did_you_mean, failure};
use crate::outputs::{Output, Paint, Table, write_document, write_line};
use crate::rounds;
use crate::sources::database::one_question;

/// Say whether freshness.yaml is sound, with a line for each fault.
///
/// A file with an unknown key, a value that cannot be read or a fault of YAML is
/// refused by every command. This one looks at what the file names, too: connections,
/// files, teams, holidays, variables. It connects to nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness config check
  freshness config check --config etc/freshness.yaml --format json

Exit codes: 0 sound (perhaps with warnings), 2 not.")]
pub(super) struct CheckConfigArgs {}

/// The command, as it is typed.
pub(super) const COMMAND: &str = "config check";

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    file: Option<String>,
    answer: &'static str,
    faults: &'a [Fault],
}

/// Something that is not as it should be.
#[derive(Debug, Serialize)]
struct Fault {
    level: Level,
    /// The configuration file.
    file: String,
    /// In the file, if it is known; from 1.
    line: Option<u64>,
    /// The key, with dots between, if it is known.
    key: Option<String>,
    what: String,
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    /// What is configured cannot work.
    Error,
    /// It may, elsewhere or later.
    Warning,
}

pub(super) fn run(_: &CheckConfigArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let settings = &context.settings;
    let Some(file) = settings.config_file.clone() else {
        return Err(failure(
            "no freshness.yaml here",
            "name one with --config; `freshness init` writes a first one",
        ));
    };
    let mut faults = Vec::new();
    for (name, source) in &settings.sources {
        let of_source = of_source(name, source, settings).into_iter();
        faults.extend(of_source.map(|fault| fault.of(format!("sources.{name}"))));
    }
    let holidays = rounds::holidays();
    for (i, rule) in settings.rules_typed.iter().enumerate() {
        let key = |name: &str| format!("datasets.{i}.{name}");
        faults.extend(of_rule(rule, settings).map(|fault| fault.of(key("team"))));
        let country = rule.typed.calendar.as_ref();
        if let Some(country) = country.and_then(freshness_core::schedule::Calendar::country)
            && holidays.get(country).is_none()
        {
            let hint = "a country (US), a market (NYSE), or a list under `calendars`";
            let what = format!("no holidays are known for: {country}");
            let fault = Fault::error(rule.line, what, Some(hint.to_owned()));
            faults.push(fault.of(key("calendar")));
        }
    }
    for (i, team) in settings.maintenance.teams() {
        let fault = of_team(0, team, settings).into_iter();
        faults.extend(fault.map(|fault| fault.of(format!("maintenance.{i}.team"))));
    }
    for team in settings.rules.teams_of_no_pattern() {
        let what = format!("no pattern under `datasets` names this team: {team}");
        let hint = "datasets may be of it all the same: `freshness doctor` knows";
        let fault = Fault::warning(0, what, Some(hint.to_owned()));
        faults.push(fault.of(format!("teams.{team}")));
    }
    for (name, connection) in &settings.connections {
        if let Err(why) = connection.address() {
            let hint = "what runs `freshness collect` needs it; here it may be missing";
            let what = format!("connection {name}: {why}");
            let fault = Fault::warning(0, what, Some(hint.to_owned()));
            faults.push(fault.of(format!("connections.{name}")));
        }
    }
    for name in &context.unknown_variables {
        let what = format!("this variable sets nothing: {name}");
        faults.push(Fault::warning(0, what, None));
    }
    let is_sound = faults.iter().all(|fault| fault.level == Level::Warning);
    let answer = match is_sound {
        true => Answer::Healthy,
        false => Answer::CouldNotTell,
    };
    show(COMMAND, &file, faults, is_sound, &mut context.out)?;
    Ok(answer)
}

/// What is wrong with a file that every command refuses; `error` is why.
pub(super) fn refused(
    command: &'static str,
    error: &anyhow::Error,
    file: &Path,
    out: &mut Output,
) -> anyhow::Result<()> {
    let mut faults: Vec<Fault> = (config::faults(file).into_iter())
        .map(|fault| {
            let error = Fault::error(fault.line.unwrap_or(0), fault.what, fault.hint);
            Fault {
                key: fault.key,
                ..error
            }
        })
        .collect();
    // Then it is not the file.
    if faults.is_empty() {
        let hint = hint::of(error).map(str::to_owned);
        faults.push(Fault::error(0, format!("{error:#}"), hint));
    }
    show(command, file, faults, false, out)
}

fn of_source(name: &str, source: &Placed<SourceSection>, settings: &Settings) -> Vec<Fault> {
    let mut faults = Vec::new();
    let line = source.line;
    if let Some(connection) = source.typed.connection()
        && !settings.connections.contains_key(connection)
    {
        let known = settings.connections.keys().map(String::as_str);
        let meant = did_you_mean(connection, known);
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "name it under `connections`".to_owned(),
        };
        let what = format!("source {name}: no such connection: {connection}");
        faults.push(Fault::error(line, what, Some(hint)));
    }
    if let SourceSection::Query(query) = &source.typed
        && let Some(file) = &query.sql_file
    {
        let said = match std::fs::read_to_string(file) {
            Err(error) => Some(format!("cannot read {}: {error}", file.display())),
            Ok(sql) => one_question(&sql)
                .err()
                .map(|error| format!("{}: {error}", file.display())),
        };
        faults.extend(said.map(|said| Fault::error(line, format!("source {name}: {said}"), None)));
    }
    for path in source.typed.paths() {
        let folder = match is_pattern(path) {
            true => path.parent().unwrap_or(path),
            false => path,
        };
        if !folder.as_os_str().is_empty() && !folder.exists() {
            let folder = folder.display();
            let what = format!("source {name}: no such file or folder: {folder}");
            faults.push(Fault::warning(line, what, None));
        }
    }
    faults
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '{', '['])
}

fn of_rule(rule: &Placed<RuleSection>, settings: &Settings) -> Option<Fault> {
    of_team(rule.line, rule.typed.team.as_deref()?, settings)
}

fn of_team(line: u64, team: &str, settings: &Settings) -> Option<Fault> {
    let mut known = settings.rules.teams().peekable();
    // Who declares no teams may use the names of others, and tells nobody.
    if known.peek().is_none() {
        let what = format!("no team is declared: {team} has no owner and no routes");
        let hint = "name it under `teams`".to_owned();
        return Some(Fault::warning(line, what, Some(hint)));
    }
    if settings.rules.teams().any(|known| known == team) {
        return None;
    }
    let hint = match did_you_mean(team, known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "name it under `teams`".to_owned(),
    };
    let what = format!("no such team: {team}");
    Some(Fault::error(line, what, Some(hint)))
}

impl Fault {
    /// `line` is 0 where none is known.
    fn error(line: u64, what: String, hint: Option<String>) -> Fault {
        Fault {
            level: Level::Error,
            file: String::new(),
            line: (line > 0).then_some(line),
            key: None,
            what,
            hint,
        }
    }

    fn warning(line: u64, what: String, hint: Option<String>) -> Fault {
        let level = Level::Warning;
        Fault {
            level,
            ..Fault::error(line, what, hint)
        }
    }

    fn of(self, key: String) -> Fault {
        let key = Some(key);
        Fault { key, ..self }
    }
}

fn show(
    command: &'static str,
    file: &Path,
    mut faults: Vec<Fault>,
    is_sound: bool,
    out: &mut Output,
) -> anyhow::Result<()> {
    let file = file.display();
    for fault in &mut faults {
        fault.file = file.to_string();
    }
    match out.format {
        Format::Json => {
            let document = Document {
                command,
                file: Some(file.to_string()),
                answer: if is_sound { "sound" } else { "not_sound" },
                faults: &faults,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for fault in &faults {
                write_line(out.data(), fault)?;
            }
        }
        Format::Table if faults.is_empty() => out.line(format_args!("{file} is sound"))?,
        Format::Table => {
            let mut table = Table::new(&["LEVEL", "PLACE", "FAULT", "HINT"]);
            for Fault {
                level,
                line,
                what,
                hint,
                file: _,
                key: _,
            } in &faults
            {
                let (word, paint) = match level {
                    Level::Error => ("error", Paint::Bad),
                    Level::Warning => ("warning", Paint::Doubtful),
                };
                let place = match line {
                    Some(line) => format!("{file}:{line}"),
                    None => file.to_string(),
                };
                table.row([
                    (word.to_owned(), paint),
                    (place, Paint::Plain),
                    (what.clone(), Paint::Plain),
                    (hint.clone().unwrap_or_default(), Paint::Plain),
                ]);
            }
            out.table(table)?;
        }
    }
    Ok(())
}

//! What does `freshness.yaml` say?
//!
//! The file as it was typed: every key is optional, an unknown one is an error
//! (a misspelt key that is silently ignored is a deadline nobody set). What
//! the keys mean is in `resolve.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use serde_saphyr::{Error as YamlError, Spanned};

use super::calendars::CalendarSection;
use super::connections::{self, ConnectionSection};
use super::maintenance::{MaintenanceRule, MaintenanceSection};
use super::refused::fault;
use super::renames::{self, RenameSection};
use super::rules::{self, RuleSection, TeamSection};
use super::schedule::ScheduleSection;
use super::sections::{
    CheckSection, CollectSection, CoverageSection, FitSection, SloSection, one_of, threads,
};
use super::sources::{self, SourceSection};
use super::{ColorChoice, Format, schemas, values};

/// The file that is read when no other is named.
const DEFAULT_FILE: &str = "freshness.yaml";

/// The configuration file as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// Path of the store, relative to the file.
    pub store: Option<PathBuf>,
    /// Form of the output.
    #[serde(default, deserialize_with = "one_of")]
    pub format: Option<Format>,
    /// Threads to use.
    #[serde(default, deserialize_with = "threads")]
    #[schemars(with = "Option<schemas::Threads>")]
    pub threads: Option<u16>,
    /// When to use colour.
    #[serde(default, deserialize_with = "one_of")]
    pub color: Option<ColorChoice>,
    /// How long to wait for another process that writes to the store.
    #[serde(default, deserialize_with = "values::typed_wait")]
    #[schemars(with = "Option<schemas::Wait>")]
    pub lock_timeout: Option<values::Age>,
    /// How to learn.
    #[serde(default)]
    pub fit: FitSection,
    /// How to check.
    #[serde(default)]
    pub check: CheckSection,
    /// How coverage is watched.
    #[serde(default)]
    pub coverage: CoverageSection,
    /// How promises are watched.
    #[serde(default)]
    pub slo: SloSection,
    /// How sources are collected.
    #[serde(default)]
    pub collect: CollectSection,
    /// When the steps of `freshness run` are due: five fields of cron, a duration such as
    /// `15m`, or `never`.
    #[serde(default)]
    pub schedule: ScheduleSection,
    /// The databases that hold datasets, by name.
    #[serde(default, deserialize_with = "named")]
    pub connections: BTreeMap<String, ConnectionSection>,
    /// Where arrivals are read from, by name: `freshness collect` reads them.
    #[serde(default, deserialize_with = "placed")]
    #[schemars(with = "BTreeMap<String, SourceSection>")]
    pub sources: BTreeMap<String, Placed<SourceSection>>,
    /// What is said of datasets by pattern; of those that match the last wins, key by
    /// key. It wins over what other tools tell, and what the user imported over it.
    #[serde(default, deserialize_with = "rule_list")]
    #[schemars(with = "Vec<RuleSection>")]
    pub datasets: Vec<Placed<RuleSection>>,
    /// What is said of a team's datasets, by its name.
    #[serde(default, deserialize_with = "team_map")]
    #[schemars(with = "BTreeMap<String, TeamSection>")]
    pub teams: BTreeMap<String, TeamSection>,
    /// When nothing is expected of which datasets, because somebody works on what
    /// delivers. Time in a window does not count: a cycle that is due in it is awaited
    /// for as much longer, and a promise is broken so much later.
    #[serde(default, deserialize_with = "window_list")]
    #[schemars(with = "Vec<MaintenanceSection>")]
    pub maintenance: Vec<MaintenanceRule>,
    /// Under which names datasets are kept that other tools name otherwise; for each
    /// name the first pattern that is found in it counts.
    #[serde(default, deserialize_with = "rename_list")]
    #[schemars(with = "Vec<RenameSection>")]
    pub rename: Option<Vec<RenameSection>>,
    /// Lists of holidays by a name that calendars may use: `business days NAME`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, CalendarSection>")]
    pub calendars: Option<BTreeMap<String, CalendarSection>>,
    /// The library of DuckDB, relative to the file.
    pub duckdb_library: Option<PathBuf>,
}

/// A value, and where it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed<T> {
    /// What was typed.
    pub typed: T,
    /// From 1.
    pub line: u64,
    /// From 1.
    pub column: u64,
}

impl ConfigFile {
    /// Reads the file. Without a `path` it reads `freshness.yaml`, and only
    /// then may the file be absent; says which file was read.
    pub fn read(path: Option<&Path>) -> anyhow::Result<(ConfigFile, Option<PathBuf>)> {
        let file = path.unwrap_or(Path::new(DEFAULT_FILE));
        let text = match read_text(file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound && path.is_none() => {
                return Ok((ConfigFile::default(), None));
            }
            Err(error) => {
                return Err(anyhow!(error)
                    .context(format!("cannot read configuration: {}", file.display())));
            }
        };
        Ok((parse(&text, file)?, Some(file.to_owned())))
    }

    /// The file that is read when no other is named.
    pub(super) fn default_path() -> &'static Path {
        Path::new(DEFAULT_FILE)
    }
}

/// Reads a file; of one that is no text the error says the line.
pub(super) fn read_text(file: &Path) -> io::Result<String> {
    String::from_utf8(fs::read(file)?).map_err(|error| {
        let text = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let n_lines = text.iter().filter(|&&byte| byte == b'\n').count();
        let words = format!("not UTF-8 text: line {}", n_lines + 1);
        io::Error::new(ErrorKind::InvalidData, words)
    })
}

/// Reads the text of a configuration file; `file` is named in errors.
fn parse(text: &str, file: &Path) -> anyhow::Result<ConfigFile> {
    parse_yaml(text).map_err(|error| fault(error.without_snippet(), text).refuse(file))
}

/// … with the error of the reader of YAML.
pub(super) fn parse_yaml(text: &str) -> Result<ConfigFile, YamlError> {
    // A file of comments only is a file without keys, not a null.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options::<Option<ConfigFile>>(text, options)
        .map(Option::unwrap_or_default)
}

/// A connection that is checked as it is read, so that a fault has a place.
#[derive(Deserialize)]
struct Checked(#[serde(deserialize_with = "connections::checked")] ConnectionSection);

fn named<'de, D: Deserializer<'de>>(
    typed: D,
) -> Result<BTreeMap<String, ConnectionSection>, D::Error> {
    let typed = Option::<BTreeMap<String, Checked>>::deserialize(typed)?;
    let typed = typed.unwrap_or_default().into_iter();
    Ok(typed
        .map(|(name, Checked(section))| (name, section))
        .collect())
}

/// A source that is checked as it is read.
#[derive(Deserialize)]
struct CheckedSource(#[serde(deserialize_with = "sources::checked")] SourceSection);

fn placed<'de, D: Deserializer<'de>>(
    typed: D,
) -> Result<BTreeMap<String, Placed<SourceSection>>, D::Error> {
    let typed = Option::<BTreeMap<String, Spanned<CheckedSource>>>::deserialize(typed)?;
    let is_name = |name: &str| !name.trim().is_empty() && !name.contains(char::is_control);
    if let Some(name) = typed
        .iter()
        .flat_map(BTreeMap::keys)
        .find(|it| !is_name(it))
    {
        return Err(de::Error::custom(format_args!(
            "not the name of a source: {name:?}"
        )));
    }
    let placed = |(name, spanned): (String, Spanned<CheckedSource>)| {
        let CheckedSource(typed) = spanned.value;
        let (line, column) = (spanned.referenced.line(), spanned.referenced.column());
        let placed = Placed {
            typed,
            line,
            column,
        };
        (name, placed)
    };
    Ok(typed.unwrap_or_default().into_iter().map(placed).collect())
}

/// A rule that is checked as it is read.
#[derive(Deserialize)]
struct CheckedRule(#[serde(deserialize_with = "rules::checked")] RuleSection);

fn rule_list<'de, D: Deserializer<'de>>(typed: D) -> Result<Vec<Placed<RuleSection>>, D::Error> {
    let typed = Option::<Vec<Spanned<CheckedRule>>>::deserialize(typed)?;
    let placed = |spanned: Spanned<CheckedRule>| Placed {
        typed: spanned.value.0,
        line: spanned.referenced.line(),
        column: spanned.referenced.column(),
    };
    Ok(typed.unwrap_or_default().into_iter().map(placed).collect())
}

fn window_list<'de, D: Deserializer<'de>>(typed: D) -> Result<Vec<MaintenanceRule>, D::Error> {
    Ok(Option::deserialize(typed)?.unwrap_or_default())
}

/// A renaming that is checked as it is read.
#[derive(Deserialize)]
struct CheckedRename(#[serde(deserialize_with = "renames::checked")] RenameSection);

fn rename_list<'de, D: Deserializer<'de>>(
    typed: D,
) -> Result<Option<Vec<RenameSection>>, D::Error> {
    let typed = Option::<Vec<CheckedRename>>::deserialize(typed)?;
    Ok(typed.map(|typed| typed.into_iter().map(|CheckedRename(it)| it).collect()))
}

/// A team that is checked as it is read.
#[derive(Deserialize)]
struct CheckedTeam(#[serde(deserialize_with = "rules::checked_team")] TeamSection);

fn team_map<'de, D: Deserializer<'de>>(
    typed: D,
) -> Result<BTreeMap<String, TeamSection>, D::Error> {
    let typed = Option::<BTreeMap<String, CheckedTeam>>::deserialize(typed)?;
    let typed = typed.unwrap_or_default().into_iter();
    Ok(typed
        .map(|(name, CheckedTeam(team))| (name, team))
        .collect())
}

/// A value as text, read as a flag's would be.
pub(super) fn read<'de, T, D: Deserializer<'de>>(
    typed: D,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let typed = Option::<String>::deserialize(typed)?;
    typed
        .map(|text| {
            read(&text).map_err(|why| de::Error::custom(format_args!("unreadable: {text}: {why}")))
        })
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::super::FileSection;
    use super::*;
    use crate::hint;

    #[track_caller]
    fn check_refused(text: &str, message: &str, hint: Option<&str>) {
        let error = parse(text, Path::new("freshness.yaml")).unwrap_err();
        assert_eq!(format!("{error:#}"), message);
        assert_eq!(hint::of(&error), hint);
    }

    #[test]
    fn a_whole_file_is_read_as_typed() {
        let text = "\
store: warehouse.db
format: json
fit:
  false_alarm_rate: 0.01
check:
  strict: true
  max_model_age: 48h
";
        let file = parse(text, Path::new("freshness.yaml")).unwrap();
        assert_eq!(file.store, Some(PathBuf::from("warehouse.db")));
        assert_eq!(file.format, Some(Format::Json));
        assert_eq!(file.fit.false_alarm_rate, Some(0.01));
        assert_eq!(file.check.strict, Some(true));
        assert_eq!(file.check.max_model_age.map(|age| age.as_hours()), Some(48));
    }

    #[test]
    fn an_empty_file_and_a_file_of_comments_say_nothing() {
        for text in ["", "# nothing yet\n", "---\n"] {
            let file = parse(text, Path::new("freshness.yaml")).unwrap();
            assert_eq!(file, ConfigFile::default(), "{text:?}");
        }
    }

    #[test]
    fn an_unreadable_value_is_refused_in_the_words_of_a_flag() {
        for (text, message) in [
            (
                "threads: many\n",
                "freshness.yaml:1:10: threads is unreadable: many: expected a whole number from 1 to 1024, such as 4",
            ),
            (
                "check:\n  strict: maybe\n",
                "freshness.yaml:2:11: check.strict is unreadable: maybe: expected `true` or `false`",
            ),
            (
                "format: xml\n",
                "freshness.yaml:1:9: format is unreadable: xml: expected one of table, json, ndjson",
            ),
            (
                "seed: 1\nseed: 2\n",
                "freshness.yaml:1:1: unknown key: seed",
            ),
            (
                "threads: 1\nthreads: 2\n",
                "freshness.yaml:2:1: key given twice: threads",
            ),
            (
                "- store\n",
                "freshness.yaml:1:1: expected keys with values, such as `store: a.db`",
            ),
            ("threads: [1]\n", "freshness.yaml:1:10: expected one value"),
        ] {
            let error = parse(text, Path::new("freshness.yaml")).unwrap_err();
            assert_eq!(format!("{error:#}"), message);
        }
        let text = "threads: 4\ncheck:\n  strict: true\nfit:\n  seed: 7\n  false_alarm_rate: 0.01\ncolor:\n";
        let file = parse(text, Path::new("freshness.yaml")).unwrap();
        assert_eq!(file.threads, Some(4));
        assert_eq!(file.fit.seed, Some(7));
        assert_eq!(file.check.strict, Some(true));
        assert_eq!(file.color, None);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_key_that_was_meant() {
        check_refused(
            "store: a.db\nfit:\n  sead: 1\n",
            "freshness.yaml:3:3: unknown key: sead",
            Some("did you mean `seed`?"),
        );
        check_refused(
            "nonsense: 1\n",
            "freshness.yaml:1:1: unknown key: nonsense",
            Some(
                "known keys here: store, format, threads, color, lock_timeout, fit, check, coverage, slo, collect, schedule, connections, sources, datasets, teams, maintenance, rename, calendars, duckdb_library",
            ),
        );
    }

    #[test]
    fn connections_are_checked_where_they_stand() {
        let text = "\
connections:
  warehouse: {postgres: {url_env: WAREHOUSE_URL}}
  reports:
    postgres: {host: db, port: 6432, user: ann, password_file: secret}
  lake: {duckdb: {path: lake.duckdb}}
  files: {parquet: {path: 'lake/{table}/*.parquet'}}
duckdb_library: lib/libduckdb.so
";
        let file = parse(text, Path::new("freshness.yaml")).unwrap();
        assert_eq!(file.connections.len(), 4);
        let path = PathBuf::from("lake.duckdb");
        let lake = ConnectionSection::Duckdb(FileSection { path });
        assert_eq!(file.connections["lake"], lake);
        for (connection, message) in [
            (
                "{postgres: {}}",
                "8: expected `url_env`, `url_file` or `host`",
            ),
            (
                "{postgres: {url_env: A, host: b, user: c}}",
                "8: expected only one of `url_env`, `url_file` and `host`",
            ),
            (
                "{postgres: {url_env: 'postgresql://ann:hunter2@db/sales'}}",
                "8: expected the name of a variable, and the secret in that variable",
            ),
            (
                "{postgres: {url_file: 'postgresql://ann:hunter2@db/sales'}}",
                "8: expected the path of a file, and the URL in that file",
            ),
            (
                "{postgres: {url_env: A, user: c}}",
                "8: the URL says port, database, user and password: leave them out, or give `host`",
            ),
            ("{postgres: {host: a}}", "8: expected `user` beside `host`"),
            (
                "{postgres: {host: a, user: b, port: 0}}",
                "44: connections.a.postgres.port is unreadable: 0: expected a port from 1 to 65535, such as 5432",
            ),
            (
                "{postgres: {password: hunter2}}",
                "20: unknown key: password",
            ),
            ("{duckdb: {file: a}}", "18: unknown key: file"),
            ("{duckdb: {}}", "17: missing field `path`"),
            ("{oracle: {path: a}}", "9: unknown kind: oracle"),
            (
                "{duckdb: {path: a}, parquet: {path: b}}",
                "28: expected one kind",
            ),
            ("lake.duckdb", "8: unknown kind: lake.duckdb"),
            ("{}", "9: expected a kind"),
        ] {
            let text = format!("connections:\n  a:   {connection}\n");
            let error = parse(&text, Path::new("freshness.yaml")).unwrap_err();
            let place = "freshness.yaml:2:";
            assert_eq!(
                format!("{error:#}"),
                format!("{place}{message}"),
                "{connection}"
            );
        }
    }
}

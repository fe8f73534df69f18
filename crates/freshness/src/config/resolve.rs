//! What do the file, the environment and the flags mean together?
//!
//! A flag wins over a variable, a variable over the file, the file over the
//! default.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use freshness_core::fit::Parameters;
use jiff::SignedDuration;

use super::pictures::terminal_protocol;
use super::scalars::Chooser;
use super::schedule::{self, ScheduleSection, ScheduleSettings};
use super::settings::{DEFAULT_LOCK_TIMEOUT, DEFAULT_STORE};
use super::{
    CheckSection, CheckSettings, CollectSection, CollectSettings, ColorChoice, ConfigFile,
    Connection, CoverageSection, CoverageSettings, DatasetRules, Environment, FitSection, Format,
    GlobalFlags, MaintenanceRules, Renames, Settings, SloSection, SloSettings, calendars,
    config_path, values,
};

/// Reads the configuration file and settles every question.
pub fn resolve(flags: GlobalFlags, environment: &Environment) -> anyhow::Result<Settings> {
    let config = flags
        .config
        .clone()
        .or_else(|| environment.get("FRESHNESS_CONFIG").map(PathBuf::from));
    let (file, config_file) = ConfigFile::read(config.as_deref())?;
    settle(flags, environment, file, config_file)
}

/// Settles every question without reading a file: whoever is to write or to check
/// one needs no sound one.
pub fn resolve_without_file(
    flags: GlobalFlags,
    environment: &Environment,
) -> anyhow::Result<Settings> {
    let named = config_path(&flags, environment);
    let mut settings = settle(flags, environment, ConfigFile::default(), None)?;
    settings.config_file = Some(named);
    Ok(settings)
}

fn settle(
    flags: GlobalFlags,
    environment: &Environment,
    file: ConfigFile,
    config_file: Option<PathBuf>,
) -> anyhow::Result<Settings> {
    let GlobalFlags {
        config: _,
        store,
        now,
        format,
        threads,
        lock_timeout,
        color,
        quiet,
    } = flags;
    let ConfigFile {
        store: file_store,
        format: file_format,
        threads: file_threads,
        color: file_color,
        lock_timeout: file_lock_timeout,
        fit,
        check,
        coverage,
        slo,
        collect,
        schedule,
        connections,
        sources,
        datasets,
        teams,
        maintenance,
        rename,
        calendars,
        duckdb_library,
    } = file;
    // A path in a file is meant from where the file is.
    let home = config_file.as_deref().and_then(Path::parent);
    let from_home = |path: PathBuf| match home {
        Some(home) => home.join(path),
        None => path,
    };
    let mut chooser = Chooser::new(environment);
    let choose = &mut chooser;
    let path = |text: &str| Ok(PathBuf::from(text));
    let store = choose.or(
        "store",
        store,
        path,
        file_store.map(from_home),
        PathBuf::from(DEFAULT_STORE),
    )?;
    let library = choose.any("duckdb_library", None, path, duckdb_library.map(from_home))?;
    let format = choose.or(
        "format",
        format,
        values::choice,
        file_format,
        Format::default(),
    )?;
    let threads = choose.any("threads", threads, values::threads, file_threads)?;
    let no_color = environment.get("NO_COLOR").map(|_| ColorChoice::Never);
    let is_said = color.is_some() || environment.get("FRESHNESS_COLOR").is_some();
    let file_color = no_color.or(file_color);
    let color = choose.or(
        "color",
        color,
        values::choice,
        file_color,
        ColorChoice::Auto,
    )?;
    if no_color.is_some() && !is_said {
        choose.by_variable("NO_COLOR");
    }
    let lock_timeout = choose.or(
        "lock_timeout",
        lock_timeout,
        values::wait,
        file_lock_timeout,
        DEFAULT_LOCK_TIMEOUT,
    )?;
    let lock_timeout = Duration::try_from(lock_timeout)
        .with_context(|| format!("the lock timeout is negative: {lock_timeout:#}"))?;
    let settings = Settings {
        store,
        now: now.or(choose.variable("FRESHNESS_NOW", values::instant)?),
        format,
        threads,
        lock_timeout,
        color,
        unicode: environment.shows_unicode(),
        pictures: terminal_protocol(environment),
        quiet,
        fit: parameters(&fit, choose)?,
        check: how_to_check(&check, choose)?,
        coverage: how_to_cover(&coverage, choose)?,
        slo: SloSettings {
            max_check_age: {
                let SloSection { max_check_age } = slo;
                let default = SloSettings::default().max_check_age;
                choose.age("slo.max_check_age", max_check_age, default)?
            },
        },
        collect: CollectSettings {
            max_age: {
                let CollectSection { max_age } = collect;
                let default = CollectSettings::default().max_age;
                choose.age("collect.max_age", max_age, default)?
            },
        },
        schedule: when_due(schedule, choose, home)?,
        connections: connections
            .into_iter()
            .map(|(name, typed)| (name, Connection::new(typed, home, library.clone())))
            .collect(),
        sources: sources
            .into_iter()
            .map(|(name, mut source)| {
                if let Some(home) = home {
                    source.typed.settle_in(home);
                }
                (name, source)
            })
            .collect(),
        rules: DatasetRules::new(
            (datasets.iter()).map(|rule| rule.typed.clone()).collect(),
            teams,
        ),
        rules_typed: datasets,
        maintenance: MaintenanceRules::new(maintenance),
        renames: Renames::new(rename.unwrap_or_default()),
        tools: environment.tools(),
        holidays: calendars::read(calendars.unwrap_or_default(), home)?,
        config_file,
        chosen: chooser.done(),
    };
    Ok(settings)
}

fn parameters(typed: &FitSection, choose: &mut Chooser<'_>) -> anyhow::Result<Parameters> {
    let FitSection {
        false_alarm_rate,
        false_alarms_per_dataset_month,
        seed,
    } = *typed;
    let defaults = Parameters::default();
    Ok(Parameters {
        false_alarm_rate: choose.or(
            "fit.false_alarm_rate",
            None,
            values::share,
            false_alarm_rate,
            defaults.false_alarm_rate,
        )?,
        false_alarms_per_month: choose.any(
            "fit.false_alarms_per_dataset_month",
            None,
            values::alarms,
            false_alarms_per_dataset_month,
        )?,
        seed: choose.or("fit.seed", None, values::seed, seed, defaults.seed)?,
    })
}

fn how_to_check(typed: &CheckSection, choose: &mut Chooser<'_>) -> anyhow::Result<CheckSettings> {
    let CheckSection {
        strict,
        max_model_age,
    } = *typed;
    let default = CheckSettings::default();
    Ok(CheckSettings {
        strict: choose.or("check.strict", None, values::switch, strict, default.strict)?,
        max_model_age: choose.age("check.max_model_age", max_model_age, default.max_model_age)?,
    })
}

fn how_to_cover(
    typed: &CoverageSection,
    choose: &mut Chooser<'_>,
) -> anyhow::Result<CoverageSettings> {
    let CoverageSection {
        max_check_age,
        max_open_age,
    } = *typed;
    let default = CoverageSettings::default();
    Ok(CoverageSettings {
        max_check_age: choose.age(
            "coverage.max_check_age",
            max_check_age,
            default.max_check_age,
        )?,
        max_open_age: choose.age("coverage.max_open_age", max_open_age, default.max_open_age)?,
    })
}

fn when_due(
    typed: ScheduleSection,
    choose: &mut Chooser<'_>,
    home: Option<&Path>,
) -> anyhow::Result<ScheduleSettings> {
    let ScheduleSection {
        timezone,
        collect,
        fit,
        check,
        report,
        report_out,
    } = typed;
    let default = ScheduleSettings::default();
    let read = schedule::read;
    let out = report_out.map(|out| home.map_or_else(|| out.clone(), |home| home.join(&out)));
    let path = |text: &str| Ok(PathBuf::from(text));
    let zone = values::zone;
    Ok(ScheduleSettings {
        zone: choose.or("schedule.timezone", None, zone, timezone, default.zone)?,
        collect: choose.or("schedule.collect", None, read, collect, default.collect)?,
        fit: choose.or("schedule.fit", None, read, fit, default.fit)?,
        check: choose.or("schedule.check", None, read, check, default.check)?,
        report: choose.or("schedule.report", None, read, report, default.report)?,
        report_out: choose.or("schedule.report_out", None, path, out, default.report_out)?,
    })
}

impl Chooser<'_> {
    fn age(
        &mut self,
        key: &'static str,
        file: Option<SignedDuration>,
        default: SignedDuration,
    ) -> anyhow::Result<SignedDuration> {
        self.or(key, None, values::age, file, default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
        let file = || ConfigFile {
            store: Some("file.db".into()),
            ..ConfigFile::default()
        };
        let from = Some(PathBuf::from("etc/freshness.yaml"));
        let flags = GlobalFlags {
            store: Some("flag.db".into()),
            ..GlobalFlags::default()
        };
        let variables = environment(&[("FRESHNESS_STORE", "variable.db")]);
        let none = Environment::default();
        let store = |flags, environment, file| {
            settle(flags, environment, file, from.clone())
                .unwrap()
                .store
        };
        assert_eq!(store(flags, &variables, file()), Path::new("flag.db"));
        let flags = GlobalFlags::default;
        assert_eq!(store(flags(), &variables, file()), Path::new("variable.db"));
        assert_eq!(store(flags(), &none, file()), Path::new("etc/file.db"));
        assert_eq!(
            store(flags(), &none, ConfigFile::default()),
            Path::new(DEFAULT_STORE)
        );
    }

    #[test]
    fn an_unreadable_variable_is_named_with_its_value() {
        let refused = |name, value| {
            let variables = environment(&[(name, value)]);
            let flags = GlobalFlags::default();
            settle(flags, &variables, ConfigFile::default(), None)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused("FRESHNESS_FORMAT", "xml"),
            "FRESHNESS_FORMAT is unreadable: xml: expected one of table, json, ndjson"
        );
        assert_eq!(
            refused("FRESHNESS_THREADS", "many"),
            "FRESHNESS_THREADS is unreadable: many: expected a whole number from 1 to 1024, such as 4"
        );
        assert_eq!(
            refused("FRESHNESS_FALSE_ALARM_RATE", "1.5"),
            "FRESHNESS_FALSE_ALARM_RATE is unreadable: 1.5: expected a share between 0 and 1, such as 0.001"
        );
        assert_eq!(
            refused("FRESHNESS_FALSE_ALARMS_PER_DATASET_MONTH", "0"),
            "FRESHNESS_FALSE_ALARMS_PER_DATASET_MONTH is unreadable: 0: expected a number above 0 and up to 100, such as 0.1"
        );
        assert_eq!(
            refused("FRESHNESS_STRICT", "1"),
            "FRESHNESS_STRICT is unreadable: 1: expected `true` or `false`"
        );
    }

    #[test]
    fn colour_is_off_where_the_environment_asks_for_it() {
        let variables = environment(&[("NO_COLOR", "1")]);
        let settings = settle(
            GlobalFlags::default(),
            &variables,
            ConfigFile::default(),
            None,
        )
        .unwrap();
        assert_eq!(settings.color, ColorChoice::Never);
    }
}

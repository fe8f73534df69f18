//! A shop that is played with a real dbt: `tests/dbt/play.py`.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::dbt_fusion;
use super::postgres::Postgres;

/// A version of dbt that `scripts/test` installs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dbt {
    /// The newest of dbt Core.
    Current,
    /// 1.5, the oldest that runs on today's Python.
    Old,
    /// dbt 2, the Fusion engine.
    Fusion,
}

/// A folder with the project, its database and what dbt wrote.
#[derive(Debug)]
pub(crate) struct Shop {
    dbt: Dbt,
    folder: PathBuf,
}

impl Dbt {
    /// The Python that has it: the one that is named, or the one that
    /// `scripts/test` made.
    fn python(self) -> PathBuf {
        let (variable, name) = match self {
            Dbt::Current => ("FRESHNESS_DBT_PYTHON", "current"),
            Dbt::Old => ("FRESHNESS_DBT_OLD_PYTHON", "old"),
            Dbt::Fusion => unreachable!("it is no Python: `dbt_fusion`"),
        };
        if let Some(named) = env::var_os(variable) {
            return named.into();
        }
        let test = env::current_exe().unwrap();
        // target/debug/deps/test
        let target = test.ancestors().nth(3).unwrap();
        let python = target.join("dbt").join(name).join("bin/python");
        assert!(
            python.exists(),
            "no dbt here: run scripts/test once, or name a Python that has it in {variable}"
        );
        python
    }
}

impl Shop {
    /// The project, as this version can run it, in a new folder.
    pub(crate) fn new(dbt: Dbt, folder: &Path) -> Shop {
        copy(&tests().join("shop"), &folder.join("shop"));
        // What only newer ones know, and where dbt 2 wants settings to stand.
        let besides: &[&str] = match dbt {
            Dbt::Old => &[],
            Dbt::Current => &["shop_current"],
            Dbt::Fusion => &["shop_current", "shop_fusion"],
        };
        for more in besides {
            copy(&tests().join(more), &folder.join("shop"));
        }
        Shop {
            dbt,
            folder: folder.to_owned(),
        }
    }

    /// The project.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("shop")
    }

    /// What dbt wrote, a folder for each command.
    pub(crate) fn archive(&self) -> PathBuf {
        self.folder.join("archive")
    }

    /// Plays the days of `tests/dbt/days.json`, as far as they begin before one.
    pub(crate) fn play_days_before(&self, day: &str) {
        let days = fs::read_to_string(tests().join("days.json")).unwrap();
        let mut steps: Value = serde_json::from_str(&days).unwrap();
        let is_before = |step: &Value| step["at"].as_str().unwrap() < day;
        steps.as_array_mut().unwrap().retain(is_before);
        self.play(&steps, None);
    }

    /// Plays some steps, in a database of DuckDB's or of a server.
    pub(crate) fn play(&self, steps: &Value, server: Option<&Postgres>) {
        if self.dbt == Dbt::Fusion {
            assert!(server.is_none(), "dbt 2 is played in DuckDB");
            return dbt_fusion::play(&self.project(), &self.archive(), steps);
        }
        let plan = self.folder.join("plan.json");
        fs::write(&plan, steps.to_string()).unwrap();
        let mut command = Command::new(self.dbt.python());
        command
            .arg(tests().join("play.py"))
            .args([self.project(), self.archive(), plan]);
        if let Some(server) = server {
            let port = server.port().to_string();
            let place = [
                ("SHOP_HOST", "127.0.0.1"),
                ("SHOP_PORT", &port),
                ("SHOP_USER", "postgres"),
            ];
            command.envs(place);
        }
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dbt")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

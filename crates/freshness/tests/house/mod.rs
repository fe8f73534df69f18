//! A small warehouse in a folder of its own, and the real binary run in it.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod adbc;
pub(crate) mod azure;
pub(crate) mod dbt;
pub(crate) mod dbt_files;
pub(crate) mod dbt_fusion;
pub(crate) mod airflow;
pub(crate) mod duckdb;
pub(crate) mod flight;
pub(crate) mod google;
pub(crate) mod http;
pub(crate) mod json_schema;
pub(crate) mod lake;
pub(crate) mod postgres;
pub(crate) mod snowflake;
pub(crate) mod sqlglot;
pub(crate) mod sqlite;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// When the warehouse is looked at: a Saturday noon.
pub(crate) const NOW: &str = "2026-02-28T12:00:00Z";

/// When the made-up warehouse of seed 1 ends.
pub(crate) const WAREHOUSE_ENDS: &str = "2026-02-27T22:00:00Z";

/// 2025-12-01, a Monday.
const START: i64 = 1_764_547_200;
const N_DAYS: i64 = 90;

/// A folder with a store in it.
pub(crate) struct House {
    folder: TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl House {
    /// Nothing in it.
    pub(crate) fn empty() -> House {
        House {
            folder: TempDir::new().unwrap(),
        }
    }

    /// Arrivals and declarations imported, nothing fitted.
    pub(crate) fn imported() -> House {
        let house = House::empty();
        fs::write(house.path("arrivals.csv"), arrivals()).unwrap();
        fs::write(house.path("datasets.csv"), DATASETS).unwrap();
        house.run("import arrivals arrivals.csv").expect(0);
        house.run("import datasets datasets.csv").expect(0);
        house
    }

    /// Imported and fitted.
    pub(crate) fn fitted() -> House {
        let house = House::imported();
        house.run("fit").expect(0);
        house
    }

    /// A made-up warehouse with incidents, lineage and dashboards, and its report.
    pub(crate) fn warehouse() -> House {
        let house = House::empty();
        house.run("seed --out made").expect(0);
        for what in ["arrivals", "datasets", "lineage", "dashboards"] {
            house
                .run(&format!("import {what} made/{what}.csv"))
                .expect(0);
        }
        house.run(&format!("fit --now {WAREHOUSE_ENDS}")).expect(0);
        house
            .run(&format!("report --out report --now {WAREHOUSE_ENDS}"))
            .expect(0);
        house
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a command line with the clock pinned to [`NOW`], unless it pins it.
    pub(crate) fn run(&self, line: &str) -> Ran {
        Ran::from(self.command(line).output().unwrap())
    }

    /// … in an environment of these variables.
    pub(crate) fn run_with(&self, variables: &[(&str, String)], line: &str) -> Ran {
        let mut command = self.command(line);
        command.envs(variables.iter().cloned());
        Ran::from(command.output().unwrap())
    }

    /// Starts a command line and does not wait for it.
    pub(crate) fn start(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_freshness"));
        command
            .current_dir(self.folder.path())
            .env_clear()
            .args(line.split_whitespace());
        if !line.contains("--now") {
            command.args(["--now", NOW]);
        }
        command
    }
}

impl Ran {
    /// The exit code is this one.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr)
                .unwrap()
                // What took how long differs from run to run.
                .lines()
                .filter(|line| !line.starts_with("fitted "))
                .fold(String::new(), |text, line| text + line + "\n"),
        }
    }
}

const DATASETS: &str = "\
dataset_id,critical,owner,team,tags,timezone
raw_orders,true,ann,finance,tier-1,
fct_revenue,true,bob,finance,,America/New_York
events,false,,web,,
";

/// raw_orders stops two days before the end, events in its last night; the
/// others go on.
fn arrivals() -> String {
    let mut csv = String::from("dataset_id,arrived_at\n");
    let mut add = |dataset: &str, at: i64| writeln!(csv, "{dataset},{at}").unwrap();
    for day in 0..N_DAYS - 1 {
        let midnight = START + day * 86_400;
        // A fixed scatter of a few minutes.
        let scatter = |n: i64| (day * 7_919 + n * 104_729) % 600;
        if day < N_DAYS - 3 {
            add("raw_orders", midnight + 6 * 3_600 + scatter(1));
        }
        if day % 7 < 5 {
            // 03:00 in New York.
            add("fct_revenue", midnight + 8 * 3_600 + scatter(2));
        }
        for hour in 0..24 {
            add("events", midnight + hour * 3_600 + 600 + scatter(hour) / 3);
        }
        if day >= N_DAYS - 5 {
            add("new_feed", midnight + 5 * 3_600 + scatter(3));
        }
    }
    csv
}

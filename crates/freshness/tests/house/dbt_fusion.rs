//! A shop that is played with dbt 2, which is one program and no Python.
//!
//! It finds DuckDB's library as any driver of ADBC, where the system looks for
//! libraries, and has its time from libfaketime. It does not look at sources yet
//! (2.0.0a4): `dbt source freshness` writes nothing of them.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::duckdb;
use super::lake::faketime;

const ARTEFACTS: [&str; 3] = ["manifest.json", "sources.json", "run_results.json"];

/// The program: the one that is named, or the one that `scripts/test` fetched.
fn program() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_DBT_FUSION") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let program = test.ancestors().nth(3).unwrap().join("dbt/fusion/bin/dbt");
    assert!(
        program.exists(),
        "no dbt 2 here: run scripts/test once, or name its program in FRESHNESS_DBT_FUSION"
    );
    program
}

/// Plays steps in a project; what each command wrote goes below `archive`.
pub(crate) fn play(project: &Path, archive: &Path, steps: &Value) {
    for step in steps.as_array().unwrap() {
        if let Some(statements) = step["load"].as_array() {
            let statements: Vec<&str> = statements.iter().filter_map(Value::as_str).collect();
            duckdb::run(&project.join("shop.duckdb"), &statements.join(";\n"));
        } else {
            run(project, archive, step);
        }
    }
}

/// Runs a command of dbt, and keeps what it wrote.
fn run(project: &Path, archive: &Path, step: &Value) {
    let target = project.join("target");
    for name in ARTEFACTS {
        // Not there before the first.
        let _ = fs::remove_file(target.join(name));
    }
    let at = step["at"].as_str().unwrap();
    let fails = step["fails"].as_bool().unwrap_or_default();
    let library = duckdb::library();
    let output = Command::new(program())
        .args(
            step["dbt"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str),
        )
        .args(["--project-dir", ".", "--profiles-dir", "."])
        .current_dir(project)
        .env("SHOP_DATABASE", project.join("shop.duckdb"))
        .env("SHOP_NOW", at)
        .env("SHOP_FAILS", if fails { "x" } else { "1" })
        .env("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
        .env("DBT_DISABLE_VERSION_CHECK", "true")
        .env("LD_LIBRARY_PATH", library.parent().unwrap())
        .env("LD_PRELOAD", faketime())
        // `@` lets the clock go on from there.
        .env("FAKETIME", format!("@{}", at[..19].replace('T', " ")))
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("NO_FAKE_STAT", "1")
        .env("TZ", "UTC")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.success(), !fails, "{at}: {said}");
    let folder = archive.join(step["keep"].as_str().unwrap());
    fs::create_dir_all(&folder).unwrap();
    for name in ARTEFACTS {
        if target.join(name).exists() {
            fs::copy(target.join(name), folder.join(name)).unwrap();
        }
    }
}

//! Do the commands of the README work as written?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TEST_COMMAND: &str = "scripts/test";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The lines of all `sh` blocks.
fn commands(markdown: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    for line in markdown.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside && !line.is_empty() && !line.starts_with('#') => {
                commands.push(line.to_owned());
            }
            _ => {}
        }
    }
    commands
}

/// What a command gives to `freshness`, if it calls it.
fn arguments(command: &str) -> Option<Vec<&str>> {
    let rest = match command.strip_prefix("cargo run ") {
        Some(rest) => rest.split_once(" -p freshness -- ")?.1,
        None => command.strip_prefix("freshness ")?,
    };
    Some(rest.split_whitespace().collect())
}

#[test]
fn every_command_of_the_readme_that_calls_freshness_runs() {
    let commands = commands(&read("README.md"));
    let calls: Vec<Vec<&str>> = commands.iter().filter_map(|c| arguments(c)).collect();
    assert!(calls.iter().any(|call| call == &["demo"]), "{commands:?}");
    let folder = tempfile::tempdir().unwrap();
    for call in calls {
        let output = Command::new(env!("CARGO_BIN_EXE_freshness"))
            .args(&call)
            .current_dir(folder.path())
            .output()
            .unwrap();
        // 1 is an answer too: the demo shows datasets that are late.
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "freshness {}: {}\n{}",
            call.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn every_package_and_binary_that_the_readme_names_is_built_from_here() {
    let commands = commands(&read("README.md"));
    for path in commands.iter().filter_map(|c| c.split_once("--path ")) {
        assert!(root().join(path.1).join("Cargo.toml").exists(), "{path:?}");
    }
    assert!(
        commands
            .iter()
            .any(|command| command.starts_with("cargo run --release --locked"))
    );
}

#[test]
fn one_command_runs_all_tests_wherever_it_is_named() {
    assert!(
        commands(&read("README.md"))
            .iter()
            .any(|c| c == TEST_COMMAND)
    );
    for page in [".ci/run", "CONTRIBUTING.md", "scripts/daily"] {
        assert!(read(page).contains(TEST_COMMAND), "{page}");
    }
    assert!(read(TEST_COMMAND).contains("cargo test --workspace --locked"));
}

#[test]
fn every_page_that_a_page_links_to_exists() {
    for page in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "DESIGN.md",
    ] {
        let text = read(page);
        for (_, rest) in text
            .match_indices("](")
            .map(|(at, _)| text[at..].split_at(2))
        {
            let target = rest.split([')', '#']).next().unwrap();
            let local = !target.is_empty() && !target.contains(':');
            assert!(!local || root().join(target).exists(), "{page}: {target}");
        }
    }
}

#[test]
fn every_command_of_the_page_on_collecting_runs() {
    let folder = tempfile::tempdir().unwrap();
    let drops = folder.path().join("drops");
    fs::create_dir(&drops).unwrap();
    fs::write(
        drops.join("a.csv"),
        "dataset_id,arrived_at\norders,2026-02-27T06:00:00Z\n",
    )
    .unwrap();
    let commands = commands(&read("docs/collect.md"));
    assert!(commands.len() > 8, "{commands:?}");
    for call in commands.iter().filter_map(|c| arguments(c)) {
        let output = Command::new(env!("CARGO_BIN_EXE_freshness"))
            .args(&call)
            .env_clear()
            .current_dir(folder.path())
            .output()
            .unwrap();
        // The doctor finds that nothing was ever fitted.
        let codes: &[i32] = if call[0] == "doctor" { &[1] } else { &[0] };
        assert!(
            codes.contains(&output.status.code().unwrap()),
            "freshness {}: {}\n{}",
            call.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

//! Which contracts and which inventory are there?

use super::*;

#[test]
fn inventory_and_contracts_must_agree_and_neither_may_be_empty() {
    let covered = Covered::new();
    for scope in ["DE", "FR"] {
        covered.publish(scope, "r1", SIX, NOW).expect(0);
    }
    covered.check(0, &[("DE", "healthy"), ("FR", "healthy")]);
    fs::write(
        covered.0.path("scopes.csv"),
        "source,scope\norders,DE\norders,IT\n",
    )
    .unwrap();
    covered.run("inventory import scopes.csv").expect(0);
    let differs = covered.run("check");
    let differs = differs.expect(1);
    assert!(
        differs
            .stdout
            .contains("orders / IT is in the inventory and has no contract")
            && differs
                .stdout
                .contains("orders / FR has a contract and is not in the inventory"),
        "{differs:?}"
    );
    fs::write(covered.0.path("empty.csv"), "source,scope\n").unwrap();
    covered
        .run("inventory import empty.csv --replace")
        .expect(2);
    fs::write(covered.0.path("empty.yaml"), "contracts: []\n").unwrap();
    covered
        .run("contracts import empty.yaml --replace")
        .expect(2);

    let nothing = House::empty();
    nothing.run("coverage check").expect(2);
    nothing.run("import arrivals none.csv").expect(2);
    fs::write(nothing.path("scopes.csv"), "source,scope\norders,DE\n").unwrap();
    nothing
        .run("coverage inventory import scopes.csv")
        .expect(0);
    let empty = nothing.run("coverage check");
    let empty = empty.expect(2);
    assert!(
        empty.stderr.contains("no contracts in the store"),
        "{empty:?}"
    );
}

#[test]
fn contracts_come_from_reviewed_files_and_go_back_into_them() {
    let covered = Covered::new();
    covered.run("contracts diff contracts.yaml").expect(0);
    for (form, name) in [("yaml", "out.yaml"), ("csv", "out.csv")] {
        let written = covered.run(&format!("contracts export --as {form}"));
        let written = written.expect(0);
        fs::write(covered.0.path(name), written.stdout).unwrap();
        covered.run(&format!("contracts diff {name}")).expect(0);
        let again = covered.run(&format!("contracts import {name} --replace"));
        let again = again.expect(0);
        assert!(
            again
                .stdout
                .contains("contracts    0        0          2        0"),
            "{again:?}"
        );
    }
    let changed = CONTRACTS.replace(
        "lag_minutes: 120\n    max_publication_gap_minutes: 60\n    dataset: raw_orders\n    owner",
        "lag_minutes: 90\n    max_publication_gap_minutes: 60\n    dataset: raw_orders\n    owner",
    );
    fs::write(
        covered.0.path("changed.yaml"),
        changed.replace("scope: FR", "scope: ES"),
    )
    .unwrap();
    let diff = covered.run("contracts diff changed.yaml");
    let diff = diff.expect(1);
    assert_eq!(
        diff.stdout,
        "~ orders / DE: max_source_lag_minutes 120 -> 90\n\
         + orders / ES: in the files only\n\
         - orders / FR: in the store only\n"
    );
    // Nothing of a bad file is kept.
    let bad = CONTRACTS.replace("scope: FR", "scope: DE");
    fs::write(covered.0.path("bad.yaml"), bad).unwrap();
    let refused = covered.run("contracts import bad.yaml");
    let refused = refused.expect(2);
    assert!(
        refused
            .stderr
            .contains("bad.yaml line 9, scope: a second contract of this scope"),
        "{refused:?}"
    );
    covered.run("contracts diff contracts.yaml").expect(0);
}

/// The blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut inside: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut inside) {
            (Some(language), None) => inside = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(inside.take()),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

#[test]
fn the_examples_of_the_page_do_what_it_says() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coverage.md");
    let page = fs::read_to_string(page).unwrap();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_freshness"));
    let house = House::empty();
    let mut printed = None;
    let mut n = 0;
    for (language, text) in blocks(&page) {
        match language.as_str() {
            "sh" => {
                let call = format!("freshness() {{ '{}' \"$@\"; }}\n{text}", binary.display());
                let ran = std::process::Command::new("sh")
                    .args(["-c", &call])
                    .current_dir(house.path(""))
                    .env("FRESHNESS_NOW", "2026-03-02T06:30:00Z")
                    .output()
                    .unwrap();
                assert!(matches!(ran.status.code(), Some(0 | 1)), "{text}\n{ran:?}");
                printed = Some(String::from_utf8(ran.stdout).unwrap());
            }
            "text" => {
                assert_eq!(printed.take().unwrap(), text);
                n += 1;
            }
            other => panic!("a block of {other}"),
        }
    }
    assert!(n >= 5, "{n} examples");
}
